"""How the program ends: notes and errors are one line each, and a traceback comes only with ``--debug``."""

from __future__ import annotations

import errno
import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from tallybayes.cli.saying import say
from tallybayes.errors import TallyBayesError, TallyBayesWarning

_UsageError: type[Exception] = typer.BadParameter.__mro__[2]
"""Every error of the parser, from wherever this release of typer takes its parser."""

FAILED = 1
"""The exit code where the user has something to mend."""

FILTER_FAILED = 3
"""The same of ``filter``, where 1 is a message that is no spam."""

INTERRUPTED = 130
"""What a shell takes for the end by Ctrl-C."""


class Program(TyperGroup):
    """The group of all commands, which turns whatever stops one of them into a line and an exit code."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Parse and run, and exit: 0 where all went well, 1 where the user has something to mend."""
        args = list(sys.argv[1:] if args is None else args)
        if debug := "--debug" in args:  # which people put last
            args = ["--debug", *(arg for arg in args if arg != "--debug")]
        if sys.stdout is None:  # closed by whoever called
            sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for as long as the program runs
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")  # a terminal that has not all characters shows a "?"
        self._failed = FILTER_FAILED if "filter" in args[:3] else FAILED
        with _notes(everything=debug):
            code = self._ended(
                lambda: super(Program, self).main(
                    args,
                    prog_name,
                    complete_var,
                    standalone_mode=False,
                    windows_expand_args=windows_expand_args,
                    **extra,
                ),
                debug,
            )
        if standalone_mode:
            sys.exit(code)
        return code

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        debug = ctx.params.get("debug", False)
        code = self._ended(lambda: _run(super(Program, self).invoke, ctx), debug)
        if code:
            raise typer.Exit(code)

    def _ended(self, run: Any, debug: bool) -> int:
        """Return the exit code of something that is run."""
        try:
            return run() or 0
        except (typer.Exit, SystemExit):
            raise
        except KeyboardInterrupt:
            say("error", "interrupted; files are as they were before")
            return INTERRUPTED
        except Exception as error:  # noqa: BLE001 - the last one to see it
            if isinstance(error, OSError) and error.errno == errno.EPIPE:
                # Whoever read the output has enough, as head has after ten lines.
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
                return 0
            if debug:
                traceback.print_exc()
            else:
                say("error", _in_words(error))
            return self._failed


def _run(invoke: Any, ctx: Any) -> None:
    invoke(ctx)
    sys.stdout.flush()


@contextmanager
def _notes(*, everything: bool) -> Iterator[None]:
    """Show each warning of the library as one line, once."""
    seen: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        if str(message) not in seen:
            seen.add(str(message))
            say("note", str(message) if issubclass(category, TallyBayesWarning) else f"{category.__name__}: {message}")

    with warnings.catch_warnings():
        warnings.simplefilter("default" if everything else "ignore")
        warnings.simplefilter("always", TallyBayesWarning)
        warnings.showwarning = show
        yield


def _in_words(error: Exception) -> str:
    if isinstance(error, TallyBayesError):
        return str(error)
    if isinstance(error, _UsageError):
        usage: Any = error
        command = usage.ctx.command_path if usage.ctx is not None else "tallybayes"
        said = usage.format_message().strip()
        return f"{said}{'' if said.endswith(('.', '?')) else '.'} {command} --help shows what there is."
    if isinstance(error, OSError):
        place = f"{error.filename!r}: " if error.filename is not None else ""
        return f"{place}{error.strerror or error}; check its place and permissions."
    if isinstance(error, MemoryError):
        return "there is not enough memory; leave out columns, or train parts one after the other with update."
    return (
        f"something went wrong that should not ({type(error).__name__}: {error}). Run the command again with "
        "--debug, and report what it shows."
    )

"""What the program says beside its results: notes and errors on standard error, one line each."""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING, Literal, TextIO

if TYPE_CHECKING:
    from rich.console import Console

_STYLES = {"note": "yellow", "error": "bold red"}


def say(kind: Literal["note", "error"], message: str) -> None:
    """Print a note or an error on one line, however long, in the words of the command line."""
    from rich.text import Text

    from tallybayes.cli.wording import in_options
    from tallybayes.decision.showing import printable

    line = printable(" ".join(in_options(message).split()))
    stderr().print(Text.assemble((f"{kind}: ", _STYLES[kind]), line), soft_wrap=True)


def stdout() -> Console:
    """Return the console of standard output."""
    return _console(sys.stdout)


def stderr() -> Console:
    """Return the console of standard error."""
    return _console(sys.stderr)


@cache
def _console(stream: TextIO) -> Console:
    # One for each stream, so that a note that comes while a progress bar is shown does not break it; and not
    # one for all time, because tests put other streams in the place of these.
    from rich.console import Console

    return Console(file=stream, highlight=False)

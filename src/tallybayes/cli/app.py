"""The program: its commands, and what holds for all of them."""

from __future__ import annotations

from inspect import getdoc
from typing import Annotated, Any

import typer

from tallybayes.cli.demo import demo
from tallybayes.cli.evaluate import evaluate
from tallybayes.cli.explain import explain
from tallybayes.cli.filter import filter_message
from tallybayes.cli.forget import forget
from tallybayes.cli.highlight import highlight
from tallybayes.cli.inspect import inspect
from tallybayes.cli.learn import learn
from tallybayes.cli.merge import merge
from tallybayes.cli.predict import predict
from tallybayes.cli.program import Program
from tallybayes.cli.rank import rank
from tallybayes.cli.terms import terms
from tallybayes.cli.train import train
from tallybayes.cli.update import update


def _help(command: Any) -> str:
    """Return what a command says of itself, a line for each paragraph, for the terminal to break."""
    return "\n\n".join(" ".join(part.split()) for part in (getdoc(command) or "").split("\n\n"))


app = typer.Typer(
    cls=Program,
    name="tallybayes",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for panel, commands in {
    "Learn": (train, update, forget, merge),
    "Ask": (predict, evaluate, explain, rank, inspect),
    "Texts": (terms, highlight),
    "Mail": (filter_message, learn),
    "See it": (demo,),
}.items():
    for command in commands:
        name = command.__name__.partition("_")[0]
        app.command(name, rich_help_panel=panel, help=_help(command))(command)


def _version(asked: bool) -> None:
    if asked:
        from tallybayes.storage.envelope import library_version

        print(f"tallybayes {library_version()}")
        raise typer.Exit


@app.callback(
    epilog="Tables are CSV, TSV, Parquet, Arrow, Feather and JSON lines files, known by their endings; - is standard "
    "input or output. tallybayes COMMAND --help says more of a command."
)
def main_options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error; after any command too.")
    ] = False,
) -> None:
    """Classify rows by Bayes' rule, with models that are trained by counting."""


def main() -> None:
    """Run the program on the arguments that it was started with."""
    app()

"""``tallybayes filter``: one message from standard input to standard output, where a spam filter stands."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from tallybayes.cli import options as opt

SPAM, HAM, UNSURE = 0, 1, 2
"""The exit codes of a decision; `tallybayes.cli.program` has that of an error."""


def filter_message(
    model: opt.Model,
    spam: Annotated[str, typer.Option("--spam", metavar="CLASS", help="The class that is spam.")] = "spam",
    lost: Annotated[
        float,
        typer.Option(
            "--lost", metavar="COST", help="What it costs to take a good message for spam, to miss a spam being 1."
        ),
    ] = 10.0,
    unsure: Annotated[
        float, typer.Option("--unsure", metavar="COST", help="What it costs to be unsure; more decides more.")
    ] = 0.1,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Write no message; the exit code says all.")] = False,
) -> None:
    """Say of a message on standard input whether it is spam, by the header X-Tallybayes and the exit code.

    The exit code is 0 for spam, 1 for other messages, 2 where it is unsure, and 3 for an error. The message goes to
    standard output as it came, with the header line above it.

    Example: tallybayes filter mail.tally < message
    """
    from tallybayes.cli.message import as_rows, marked, read_message, text_model
    from tallybayes.decision.bayes_decision import BayesDecision
    from tallybayes.decision.labels import ClassIndex

    raw = read_message()
    fitted = text_model(model)
    index = ClassIndex(fitted.classes_)
    place = index.require(spam)
    costs = {(index.classes[place], other): lost for other in index.classes if other != index.classes[place]}
    decision = BayesDecision(fitted, costs=costs, reject_cost=unsure)
    posterior = fitted.predict_proba(as_rows(raw, fitted))
    chosen = int(decision.decide(posterior).chosen[0])
    word, code = ("unsure", UNSURE) if chosen < 0 else ("spam", SPAM) if chosen == place else ("ham", HAM)
    if not quiet:
        sys.stdout.flush()
        sys.stdout.buffer.write(marked(raw, f"{word}; P={posterior[0, place]:.6f}"))
    raise typer.Exit(code)

"""``tallybayes filter``: one message from standard input to standard output, where a spam filter stands."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from tallybayes.cli import options as opt

CODES = {"spam": 0, "ham": 1, "unsure": 2}
"""The exit codes of verdicts; `tallybayes.cli.program` has that of an error."""

WEIGHED = ("NaiveBayes", "TextNB")
"""The models that give each word of a text a weight, and do nothing else with texts."""

SHORT = 1 << 16
"""Up to how many characters a text is read sooner by Python than the compiler of the kernels is loaded."""


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
    zero: Annotated[
        bool,
        typer.Option(
            "--exit-zero", "-e", help="Exit with 0 unless there is an error, for programs that take else for one."
        ),
    ] = False,
) -> None:
    """Say of a message on standard input whether it is spam, by the header X-Tallybayes and the exit code.

    The exit code is 0 for spam, 1 for other messages, 2 where it is unsure, and 3 for an error. The message goes to
    standard output as it came, with the header line above it.

    Example: tallybayes filter mail.tally < message
    """
    from tallybayes.cli.message import marked, read_message, text_of
    from tallybayes.errors import OptionError
    from tallybayes.kernels import _mode

    if quiet and zero:
        raise OptionError("--quiet and --exit-zero together say nothing; leave one out.")
    for option, cost in (("--lost", lost), ("--unsure", unsure)):
        if not cost >= 0:
            raise OptionError(f"{option} {cost:g} is no cost; give a number, 0 or more.")
    raw = read_message()
    text = text_of(raw)
    if _is_quick(model, text):
        _mode.interpret()
    word, share = _verdict(model, text, spam, lost, unsure)
    if not quiet:
        sys.stdout.flush()
        sys.stdout.buffer.write(marked(raw, f"{word}; P={share:.6f}"))
    raise typer.Exit(0 if zero else CODES[word])


def _is_quick(path: str, text: str) -> bool:
    """Return whether the kernels are quick enough for a message as Python runs them.

    What n-grams mean for all texts is worked out by kernels as well, for which they are not.
    """
    from tallybayes.storage.file import header_of

    header = header_of(path)
    options = header.get("options")
    by_character = isinstance(options, dict) and str(options.get("analyzer")).startswith("char")
    return header.get("estimator") in WEIGHED and len(text) * (8 if by_character else 1) <= SHORT


def _verdict(path: str, text: str, spam: str, lost: float, unsure: float) -> tuple[str, float]:
    """Return what a model says of a message, and P(spam | message)."""
    from tallybayes.cli.message import as_rows, text_model
    from tallybayes.decision.admission import checked, require_posterior
    from tallybayes.decision.costs import cost_matrix
    from tallybayes.decision.labels import ClassIndex
    from tallybayes.decision.risk import least_risk

    # As BayesDecision does it, which is one of scikit-learn's estimators and takes as long to import as they do.
    fitted = text_model(path)
    require_posterior(fitted)
    index = ClassIndex(fitted.classes_)
    place = index.require(spam)
    costs = {(index.classes[place], other): lost for other in index.classes if other != index.classes[place]}
    posterior = checked(fitted, fitted.predict_proba(as_rows(text, fitted)))
    chosen = int(least_risk(posterior, cost_matrix(costs, fitted.classes_), reject_cost=unsure).chosen[0])
    word = "unsure" if chosen < 0 else "spam" if chosen == place else "ham"
    return word, float(posterior[0, place])

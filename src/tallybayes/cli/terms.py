"""``tallybayes terms``."""

from __future__ import annotations

from typing import Annotated

import typer

from tallybayes.cli import options as opt

TOP = 20
"""How many terms of each class are shown to who did not say how many."""


def terms(
    model: opt.Model,
    label: Annotated[
        str | None, typer.Option("--label", metavar="CLASS", help="The class; by default each.", show_default=False)
    ] = None,
    top: Annotated[int, typer.Option("--top", metavar="N", help="How many terms of each class.")] = TOP,
    as_json: opt.Json = False,
) -> None:
    """Say which terms tell most for each class of a model of texts, and in how many texts they are.

    Example: tallybayes terms mail.tally --label spam
    """
    from tallybayes.cli.message import weighing_model
    from tallybayes.cli.models import class_of
    from tallybayes.cli.writing import print_json, show

    fitted = weighing_model(model)
    found = fitted.telling_terms(None if label is None else class_of(fitted, label), top)
    if as_json:
        print_json(found.to_dict())
        return
    show(found)

"""``tallybayes inspect``."""

from __future__ import annotations

from tallybayes.cli import options as opt


def inspect(model: opt.Model, as_json: opt.Json = False) -> None:
    """Say what is in a model file: its classes, its columns and their distributions.

    Example: tallybayes inspect adult.tally
    """
    from tallybayes.cli.models import open_model, size_of
    from tallybayes.cli.writing import print_json, show
    from tallybayes.storage.envelope import FORMAT

    fitted = open_model(model)
    summary = fitted.summary()
    if as_json:
        print_json({"file": model, "format": FORMAT, "target": fitted.target_, **summary.to_dict()})
        return
    of = "" if fitted.target_ is None else f", trained for the column {fitted.target_}"
    show(f"{model}: {size_of(model)}{of}", summary, "What the columns mean, and why:", fitted.schema_)

"""``tallybayes update``."""

from __future__ import annotations

from tallybayes.cli import options as opt


def update(
    model: opt.Model,
    data: opt.Data,
    output: opt.ModelOutput = None,
    target: opt.Target = None,
    weights: opt.Weights = None,
    as_json: opt.Json = False,
    form: opt.Form = None,
    delimiter: opt.Delimiter = None,
    decimal: opt.Decimal = ".",
    encoding: opt.Encoding = "utf-8",
) -> None:
    """Learn more rows; the model is then what it would be if it had been trained on all rows at once.

    Where something goes wrong, the model file stays as it was.

    Example: tallybayes update adult.tally today.csv
    """
    from tallybayes.cli.changing import change
    from tallybayes.cli.reading import Reading

    reading = Reading(data, form, delimiter, decimal, encoding)
    change(model, reading, output, target, weights, "learning", lambda fitted: fitted.partial_fit, as_json=as_json)

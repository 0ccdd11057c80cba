"""``tallybayes forget``."""

from __future__ import annotations

from tallybayes.cli import options as opt


def forget(
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
    """Take rows out again; the model is then what it would be if it had never seen them.

    The rows, labels and weights have to be those that were learned. Where some are not, the model file stays as it
    was.

    Example: tallybayes forget adult.tally withdrawn.csv
    """
    from tallybayes.cli.changing import change
    from tallybayes.cli.reading import Reading

    reading = Reading(data, form, delimiter, decimal, encoding)
    change(model, reading, output, target, weights, "taking out", lambda fitted: fitted.forget, as_json=as_json)

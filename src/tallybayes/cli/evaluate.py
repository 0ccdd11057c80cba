"""``tallybayes evaluate``."""

from __future__ import annotations

from tallybayes.cli import options as opt


def evaluate(
    model: opt.Model,
    data: opt.Data,
    target: opt.Target = None,
    weights: opt.Weights = None,
    costs: opt.CostsFile = None,
    reject: opt.Reject = None,
    as_json: opt.Json = False,
    form: opt.Form = None,
    delimiter: opt.Delimiter = None,
    decimal: opt.Decimal = ".",
    encoding: opt.Encoding = "utf-8",
) -> None:
    """Say how good a model is on rows whose class is known.

    Example: tallybayes evaluate adult.tally test.csv --costs costs.csv
    """
    from tallybayes.cli.models import decision_of, open_model, target_of
    from tallybayes.cli.reading import Reading, progress
    from tallybayes.cli.writing import print_json, show
    from tallybayes.decision.evaluate import evaluate as evaluated

    fitted = open_model(model)
    decision = decision_of(fitted, costs, reject)
    reading = Reading(data, form, delimiter, decimal, encoding)
    rows = reading.open(target_of(fitted, model, target), weights, only=fitted.schema_.names)
    with progress("evaluating", rows) as source:
        found = evaluated(fitted if decision is None else decision, source)
    if as_json:
        print_json(found.to_dict())
    else:
        show(found)

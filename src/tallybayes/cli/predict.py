"""``tallybayes predict``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tallybayes.cli import options as opt

PREDICTION = "prediction"
RISK = "risk"


def predict(
    model: opt.Model,
    data: opt.Data,
    output: opt.Output = None,
    proba: Annotated[bool, typer.Option("--proba", help="Write the probability of each class too.")] = False,
    costs: opt.CostsFile = None,
    reject: opt.Reject = None,
    keep: opt.Keep = None,
    as_json: opt.Json = False,
    to: opt.To = None,
    form: opt.Form = None,
    delimiter: opt.Delimiter = None,
    decimal: opt.Decimal = ".",
    encoding: opt.Encoding = "utf-8",
) -> None:
    """Say which class each row is of; with costs, decide for the class that costs least.

    Writes a column "prediction", with --proba a column "P(CLASS)" for each class, and with --costs or --reject a
    column "risk", what the decision is expected to cost. A row that is left undecided has no prediction.

    Example: tallybayes predict adult.tally new.csv --proba --keep id -o answers.csv
    """
    from tallybayes.cli.asking import asking, beside, labels_column
    from tallybayes.cli.models import decision_of, open_model
    from tallybayes.cli.reading import Reading
    from tallybayes.cli.writing import counted, table_writer, wrote

    fitted = open_model(model)
    decision = decision_of(fitted, costs, reject)
    reading = Reading(data, form, delimiter, decimal, encoding)
    undecided = rows = 0
    reading.keep_apart(output)
    with asking(fitted, reading, keep, "predicting") as source, table_writer(output, to, as_json=as_json) as writer:
        for posterior in fitted.posteriors(source):
            columns: dict[str, Any] = {}
            if decision is None:
                columns[PREDICTION] = labels_column(fitted.classes_, posterior.argmax(axis=1))
            else:
                choices = decision.decide(posterior)
                columns[PREDICTION] = labels_column(fitted.classes_, choices.chosen)
                columns[RISK] = choices.risk
                undecided += int((choices.chosen < 0).sum())
            if proba:
                columns |= {f"P({label})": posterior[:, c] for c, label in enumerate(fitted.classes_)}
            writer.write(beside(source.kept(), columns))
            rows += len(posterior)
    wrote(
        output, f"{counted(rows, 'prediction')}" + (f", {undecided:,} undecided" if undecided else ""), as_json=as_json
    )

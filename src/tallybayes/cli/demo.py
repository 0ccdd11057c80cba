"""``tallybayes demo``: the main job on real data, from a file to probabilities, decisions and reasons."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tallybayes.cli import options as opt

if TYPE_CHECKING:
    import pyarrow as pa

    from tallybayes.decision.evaluation import Evaluation
    from tallybayes.explain.evidence import Evidence

TARGET = "diagnosis"
SHARE = 0.25
COSTS = {("benign", "malignant"): 10, ("malignant", "benign"): 1}
ASKING = 0.15
"""What it costs to leave a row undecided and ask a specialist."""

UNMEASURED = ("mean area", "mean concave points")
"""The cells of the explained row that are then taken away."""


def demo(as_json: opt.Json = False) -> None:
    """Show the main job on real data: breast tumours, from a file to decisions and reasons.

    The data comes with scikit-learn, and the files are in a folder that is gone afterwards.
    """
    from tallybayes.cli.writing import print_json

    with tempfile.TemporaryDirectory() as folder:
        shown = _shown(os.path.join(folder, "tumours.csv"), os.path.join(folder, "tumours.tally"))
    if as_json:
        print_json(shown.to_dict())
    else:
        _print(shown)


@dataclass(frozen=True)
class _Shown:
    """What there is to see."""

    model: Any
    learned: int
    plain: Evaluation
    weighed: Evaluation
    asking: Evaluation
    why: Evidence
    why_with_holes: Evidence
    file_bytes: int
    same_answers: bool

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON."""
        return {
            "schema": self.model.schema_.to_dict(),
            "learned": self.learned,
            "evaluation": self.plain.to_dict(),
            "evaluation_with_costs": self.weighed.to_dict(),
            "evaluation_with_costs_and_rejection": self.asking.to_dict(),
            "evidence": self.why.to_dict(),
            "evidence_with_missing_cells": self.why_with_holes.to_dict(),
            "model_file": {"bytes": self.file_bytes, "same_answers": self.same_answers},
        }


def _shown(data: str, saved: str) -> _Shown:
    """Do the job: learn from a part of a file, measure on the other part, explain, save and load."""
    import pyarrow as pa

    from tallybayes import BayesDecision, NaiveBayes, evaluate, load
    from tallybayes.cli.models import rows_of
    from tallybayes.sources import open_source, write_table
    from tallybayes.sources.part import PartSource

    write_table(_tumours(), data)
    held_out = PartSource(open_source(data, TARGET), SHARE, held_out=True)
    model: Any = NaiveBayes().fit(PartSource(open_source(data, TARGET), SHARE, held_out=False))
    rows = pa.Table.from_batches([piece.cells for piece in held_out.rows()])
    posterior = model.predict_proba(rows)
    hardest = int(posterior.max(axis=1).argmin())
    row = rows.slice(hardest, 1)
    holes = {name: pa.nulls(1, pa.float64()) if name in UNMEASURED else row[name] for name in row.schema.names}
    model.save(saved)
    return _Shown(
        model,
        rows_of(model),
        evaluate(model, held_out, costs=COSTS),
        evaluate(BayesDecision(model, costs=COSTS), held_out),
        evaluate(BayesDecision(model, costs=COSTS, reject_cost=ASKING), held_out),
        replace(model.explain(row), rows=model.explain(row).rows + hardest),
        replace(model.explain(pa.table(holes)), rows=model.explain(row).rows + hardest),
        os.path.getsize(saved),
        bool((load(saved).predict_proba(rows) == posterior).all()),
    )


def _tumours() -> pa.Table:
    """Return ten measurements of each of 569 tumours, and the diagnosis."""
    import pyarrow as pa
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    columns = {str(name): bunch.data[:, j] for j, name in enumerate(bunch.feature_names[:10])}
    return pa.table(columns | {TARGET: [str(bunch.target_names[label]) for label in bunch.target]})


def _print(shown: _Shown) -> None:
    from tallybayes.cli.writing import show

    total = shown.learned + shown.plain.rows
    show(
        _heading("The question"),
        f"Is a breast tumour malignant or benign? A CSV file has ten measurements of {total} tumours; {shown.learned} "
        f"are learned, {shown.plain.rows} held out.",
        _heading("What the columns mean, as it was inferred"),
        shown.model.schema_,
        _heading("How good the model is, on the rows held out"),
        shown.plain,
        _heading("What costs change"),
        "Let a malignant tumour that is overlooked cost 10, a false alarm 1, and asking a specialist "
        f"{ASKING}. The model stays; what is decided does not:",
        _decisions({"likeliest class": shown.plain, "least cost": shown.weighed, "least cost, or ask": shown.asking}),
        _heading("Why: the tumour that was hardest to tell"),
        shown.why,
        f"The same one with {' and '.join(UNMEASURED)} not measured; a missing cell says nothing:",
        shown.why_with_holes,
        _heading("Keep it, and go on"),
        f"Saved in {shown.file_bytes / 1000:.1f} kB, loaded again: "
        f"{'the same answers to the last bit' if shown.same_answers else 'OTHER ANSWERS, which is a bug'}.",
        "With a table of your own:\n"
        "  tallybayes train DATA.csv --target COLUMN --holdout 0.2\n"
        "  tallybayes predict DATA.tally NEW.csv --proba -o answers.csv",
    )


def _heading(words: str) -> Any:
    from rich.text import Text

    return Text(words, style="bold cyan")


def _decisions(evaluations: dict[str, Evaluation]) -> Any:
    """Return what was decided by each rule, side by side."""
    from tallybayes.decision.showing import slim_table

    table = slim_table()
    table.add_column("decide for the")
    for head in ("overlooked", "false alarms", "asked", "average cost"):
        table.add_column(head, justify="right")
    for rule, found in evaluations.items():
        benign, malignant = found.classes.index("benign"), found.classes.index("malignant")
        overlooked, alarms = found.confusion[malignant, benign], found.confusion[benign, malignant]
        table.add_row(rule, f"{overlooked:g}", f"{alarms:g}", f"{found.rejected}", f"{found.average_cost:.3f}")
    return table

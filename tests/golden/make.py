"""Write models of the current file format, with their answers: ``python -m tests.golden.make``.

What is once written stays: later versions of the library have to read it and to give the same answers.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import tallybayes
from tallybayes.storage.envelope import FORMAT

FOLDER = Path(__file__).parent
HUES = ["青绿", "乌黑", "浅白", None]
LABELS = ["是", "否", "不知"]


def rows(n: int) -> list[dict[str, Any]]:
    """Return rows with a column for every kind of factor, and missing cells in each."""
    return [
        {
            "hue": HUES[i % 4],
            "ripe": None if i % 11 == 0 else i % 3 == 0,
            "seeds": None if i % 13 == 0 else i * i % 7,
            "density": None if i % 7 == 0 else 0.25 + i % 5 / 8,
            "sugar": None if i % 9 == 0 else (i * 37 % 101) / 64,
            "weight": None if i % 8 == 0 else 1e6 + (i * 53 % 97) / 4,
        }
        for i in range(n)
    ]


def labels(n: int) -> list[str]:
    return [LABELS[(i // 2 + i * i) % 3] for i in range(n)]


def of_every_factor() -> Any:
    return tallybayes.NaiveBayes(
        columns={"hue": ["青绿", "乌黑", "浅白", "墨绿"], "seeds": "count", "ripe": "boolean"},
        factors={"sugar": "kernel", "weight": "histogram"},
        prior={"是": 0.5, "否": 0.25, "不知": 0.25},
        missing="category",
        ddof=1,
    )


def of_bins() -> Any:
    return tallybayes.NaiveBayes(
        columns={"seeds": "count", "ripe": "boolean"},
        discretize={"density": "width", "sugar": [0.5, 1.0], "weight": "quantile", "seeds": "mdlp"},
        max_bins=3,
        missing="category",
    )


def of_a_tree() -> Any:
    return tallybayes.TAN(
        columns={"seeds": "count", "ripe": "boolean"}, root="sugar", discretize="quantile", max_bins=3
    )


def of_a_super_parent() -> Any:
    return tallybayes.SPODE(columns={"seeds": "count", "ripe": "boolean"}, numeric="gaussian", missing="category")


def of_some_parents() -> Any:
    return tallybayes.KDB(columns={"seeds": "count", "ripe": "boolean"}, discretize="quantile", max_bins=3)


def of_the_best() -> Any:
    return tallybayes.AutoBayes(
        candidates=["naive", "spode", tallybayes.AODE(min_count=2)],
        columns={"seeds": "count", "ripe": "boolean"},
        discretize="quantile",
        max_bins=3,
        folds=3,
    )


MODELS = {
    f"format{FORMAT}": of_every_factor,
    f"format{FORMAT}-auto": of_the_best,
    f"format{FORMAT}-bins": of_bins,
    f"format{FORMAT}-kdb": of_some_parents,
    f"format{FORMAT}-spode": of_a_super_parent,
    f"format{FORMAT}-tan": of_a_tree,
}
"""A model for each file; one is added for whatever a file may hold besides."""


def write(path: Path, model: Any) -> None:
    model.fit(rows(60), labels(60))
    answers: dict[str, Any] = {"classes": model.classes_.tolist(), "rows": rows(15)}
    answers["posterior"] = model.predict_proba(rows(15)).tolist()
    model.save(path)
    model.partial_fit(rows(15), labels(15))
    answers |= {"labels": labels(15), "posterior_after_learning": model.predict_proba(rows(15)).tolist()}
    path.with_suffix(".json").write_text(json.dumps(answers, ensure_ascii=False, indent=1) + "\n", "utf-8")


def main() -> None:
    new = {FOLDER / f"{name}.tally": make for name, make in MODELS.items() if not (FOLDER / f"{name}.tally").exists()}
    if not new:
        sys.exit("All files are there and stay; delete one only if no release has written it yet.")
    for path, make in new.items():
        write(path, make())


if __name__ == "__main__":
    main()

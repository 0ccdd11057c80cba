"""Smoothing of tables of counts, by predictions in five folds: Laplace, m-estimates, and leaning level by level."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

import tallybayes
from tallybayes._types import AnyArray, Floats
from tallybayes.kernels.ladders import fill_shares

FOLDS = 5

LARGEST = 20_000
"""Tables with more rows are left out."""

FLOOR = 1e-3
"""What is added to losses before their geometric mean is taken, as some are zero."""


@dataclass(frozen=True)
class Line:
    """One line of the report.

    Attributes
    ----------
    model, smoothing
        What was compared.
    log_loss, wrong
        The geometric means over the tables of the log-loss and of the share of mistakes.
    wins, losses
        On how many tables the log-loss is lower and higher than with Laplace's rule.
    """

    model: str
    smoothing: str
    log_loss: float
    wrong: float
    wins: int
    losses: int


Make = Callable[..., Any]

MODELS: dict[str, Make] = {
    "TAN": tallybayes.TAN,
    **{f"KDB(k={k}, select=False)": lambda k=k, **o: tallybayes.KDB(k=k, select=False, **o) for k in (1, 2, 3)},
    **{f"KDB(k={k})": lambda k=k, **o: tallybayes.KDB(k=k, **o) for k in (1, 2, 3)},
}
SMOOTHINGS: dict[str, Any] = {"Laplace, 1": 1.0, "0.1": 0.1, "m-estimate, m = 1": 1.0, "hierarchical": "hierarchical"}


def run(data: Path) -> Iterator[Line]:
    """Yield the lines of the report, on all tables of a folder that are not too large."""
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    folders = sorted(path.parent for path in Path(data, "tables").glob("*/schema.json"))
    for folder in folders:
        schema = json.loads(Path(folder, "schema.json").read_text("utf-8"))
        if schema["rows"] > LARGEST:
            continue
        for key, losses in losses_of(*read(folder, schema)).items():
            found.setdefault(key, []).append(losses)
    for (model, smoothing), losses in found.items():
        table, laplace = np.array(losses), np.array(found[model, "Laplace, 1"])
        means = np.exp(np.log(table + FLOOR).mean(axis=0)) - FLOOR
        less = table[:, 0] - laplace[:, 0]
        yield Line(model, smoothing, *means.tolist(), int((less < -1e-9).sum()), int((less > 1e-9).sum()))


def read(folder: Path, schema: dict[str, Any]) -> tuple[pd.DataFrame, AnyArray, dict[str, str]]:
    """Return the columns of a table, its labels, and what the columns mean."""
    frame = pd.read_csv(next(folder.glob("data.csv*")), low_memory=False)
    labels = frame.pop(schema["target"]).astype(str).to_numpy(dtype=object)
    kinds = {c["name"]: "categorical" if c["type"] == "nominal" else "numeric" for c in schema["columns"]}
    for name, kind in kinds.items():
        if kind == "categorical":
            cells = frame[name].astype(object)
            frame[name] = cells.map(str).where(cells.notna(), None)
    return frame, labels, kinds


def losses_of(frame: pd.DataFrame, y: AnyArray, kinds: dict[str, str]) -> dict[tuple[str, str], tuple[float, float]]:
    """Return the mean log-loss and the share of mistakes of each model with each smoothing."""
    sums: dict[tuple[str, str], Floats] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(frame, y):
            for name, make in MODELS.items():
                for word, smoothing in SMOOTHINGS.items():
                    if word.startswith("m-") and not name.endswith("select=False)"):
                        continue
                    model = make(smoothing=smoothing, columns=kinds).fit(frame.iloc[train], y[train])
                    if word.startswith("m-"):
                        with_strength(model, smoothing)
                    loss = of_rows(model.classes_, model.predict_proba(frame.iloc[test]), y[test])
                    sums[name, word] = sums.get((name, word), np.zeros(2)) + loss
    return {key: (float(loss[0]) / len(y), float(loss[1]) / len(y)) for key, loss in sums.items()}


def with_strength(model: Any, m: float) -> None:
    """Let all tables of a model lean on the uniform distribution with the weight of m rows, whatever their sizes."""
    joint = model._joint()
    joint.ladders.strengths[:] = m
    fill_shares(joint.ladders)


def of_rows(classes: AnyArray, posterior: Floats, y: AnyArray) -> Floats:
    """Return the sums of the log-losses and of the mistakes; an unknown class has a millionth."""
    place = {label: c for c, label in enumerate(classes.tolist())}
    own = np.array([place.get(label, -1) for label in y.tolist()])
    chance = np.where(own >= 0, posterior[np.arange(len(y)), own], 1e-6)
    return np.array([-np.log(np.maximum(chance, 1e-300)).sum(), (posterior.argmax(axis=1) != own).sum()])

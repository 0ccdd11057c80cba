"""How good classifiers of tables are: ``python -m benchmarks tables --data FOLDER``.

Each set is cut into folds with even classes (the published split where there is one); each model learns the others and
is asked about each fold. Nothing is chosen on the rows that a model is asked about. What was measured is kept in the
folder of ``--out``, a file for each set, and not measured again.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.tables_models import MODELS
from benchmarks.tables_sets import TableSet, table_sets

FLOOR = 1e-6
"""The least probability that counts; what a forest of a hundred trees has never seen would cost infinitely else."""

OURS = ("NaiveBayes, normal", "NaiveBayes, bins", "AODE", "A2DE", "TAN", "TAN, hierarchical", "KDB, k = 2",
        "KDB, selected")  # fmt: skip
"""Our single models, beside which AutoBayes stands."""

FIRST = "AutoBayes"

SURE = 2.0
"""How many standard errors of the mean difference apart two models are for one of them to win."""


class Measured:
    """What models cost on the test rows of one set: log-loss and whether wrong by row, and CPU seconds to train."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._found: dict[str, Any] = {}
        if file is not None and file.exists():
            with np.load(file) as kept:
                self._found = {key: kept[key] for key in kept.files}

    def __contains__(self, model: str) -> bool:
        return f"{model}/log_loss" in self._found

    def add(self, model: str, log_loss: Any, wrong: Any, seconds: float) -> None:
        """Keep what was measured."""
        self._found |= {f"{model}/log_loss": log_loss, f"{model}/wrong": wrong, f"{model}/seconds": np.array(seconds)}
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            np.savez_compressed(self._file, **self._found)

    def of(self, model: str, measure: str) -> Any:
        """Return what one model costs, row by row."""
        return self._found[f"{model}/{measure}"]


def measure(some: TableSet, model: str, folds: int) -> tuple[Any, Any, float]:
    """Return the log-loss of each test row and whether it is wrong, and the CPU seconds of learning one fold."""
    log_losses, wrong, seconds = [], [], []
    for train, test in some.splits(folds):
        begin = time.process_time()
        ask = MODELS[model](some, train)
        seconds.append(time.process_time() - begin)
        posterior, classes = ask(test)
        place = {label: j for j, label in enumerate(np.asarray(classes).astype(str).tolist())}
        own = np.array([place.get(label, -1) for label in some.y[test].tolist()])
        known = own >= 0
        probable = np.where(known, posterior[np.arange(len(test)), own], 0.0)
        log_losses.append(-np.log(np.clip(np.nan_to_num(probable), FLOOR, 1.0)))
        wrong.append(posterior.argmax(axis=1) != own)
    return np.concatenate(log_losses), np.concatenate(wrong), float(np.mean(seconds))


def run(data: Path, sets: list[str] | None, models: list[str], folds: int, out: Path | None) -> dict[str, Measured]:
    """Measure the models on the sets, and say so."""
    found = {}
    for some in table_sets(data, sets):
        measured = found[some.name] = Measured(None if out is None else out / f"{some.name}-{folds}.npz")
        for model in models:
            if model in measured:
                continue
            begin = time.perf_counter()
            try:
                measured.add(model, *measure(some, model, folds))
            except Exception as reason:  # noqa: BLE001 - a library may fail on a table in any way
                print(f"{some.name}: {model} fails: {reason}", flush=True)
                continue
            mean = measured.of(model, "log_loss").mean()
            print(f"{some.name}: {model} {mean:.4f} in {time.perf_counter() - begin:.1f} s", flush=True)
    return found


def tables(found: Mapping[str, Measured], models: list[str], style: box.Box) -> Iterator[Table]:
    """Yield the log-loss and the 0-1 loss by set, and what they come to over all sets."""
    for measure, heading in (("log_loss", "log-loss"), ("wrong", "0-1 loss")):
        table = Table(box=style, title=heading)
        for head in ("set", *models):
            table.add_column(head, justify="left" if head == "set" else "right")
        for name, measured in found.items():
            means = {model: measured.of(model, measure).mean() for model in models if model in measured}
            cells = []
            for model in models:
                if model not in means:
                    cells.append("fails")
                    continue
                rows = measured.of(model, measure)
                error = rows.std(ddof=1) / np.sqrt(len(rows))
                best = means[model] == min(means.values())
                form = f"{means[model]:.4f} ± {error:.4f}"
                cells.append(f"**{form}**" if best and style is box.MARKDOWN else form)
            table.add_row(name, *cells)
        yield table
    yield _summary(found, models, style)


def _summary(found: Mapping[str, Measured], models: list[str], style: box.Box) -> Table:
    table = Table(box=style, title=f"over the sets, and {FIRST} against each")
    heads = ("model", "sets", "log-loss, geometric mean", "log-loss, mean", "wins, draws, losses", "0-1 loss, mean",
             "wins, draws, losses", "CPU seconds to train, sum")  # fmt: skip
    for head in heads:
        table.add_column(head, justify="left" if head == "model" else "right")
    shared = [one for one in found.values() if all(model in one for model in models)]
    for model in models:
        own = [one for one in found.values() if model in one]
        log_losses = [one.of(model, "log_loss").mean() for one in shared]
        wrong = [one.of(model, "wrong").mean() for one in shared]
        geometric = np.exp(np.mean(np.log(np.maximum(log_losses, 1e-4))))
        seconds = sum(float(one.of(model, "seconds")) for one in shared)
        against = [_record(own, model, measure) for measure in ("log_loss", "wrong")]
        table.add_row(model, str(len(own)), f"{geometric:.4f}", f"{np.mean(log_losses):.4f}", against[0],
                      f"{np.mean(wrong):.4f}", against[1], f"{seconds:.1f}")  # fmt: skip
    return table


def _record(found: list[Measured], model: str, measure: str) -> str:
    """Return on how many sets `FIRST` is better than another, neither is by more than chance, or it is worse."""
    both = [one for one in found if FIRST in one]
    if model == FIRST or not both:
        return ""
    wins = draws = losses = 0
    for one in both:
        less = one.of(model, measure).astype(float) - one.of(FIRST, measure)
        error = less.std(ddof=1) / np.sqrt(len(less))
        sure = abs(less.mean()) > SURE * error
        wins, draws, losses = wins + (sure and less.mean() > 0), draws + (not sure), losses + (sure and less.mean() < 0)
    return f"{wins}-{draws}-{losses}"


def main(arguments: list[str]) -> None:
    """Run the suite."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks tables", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder with a folder for each set")
    parser.add_argument("--sets", help="the names of some sets, between commas")
    parser.add_argument("--models", help="the names of some models, between semicolons")
    parser.add_argument("--folds", type=int, default=10, help="3 for a quick look")
    parser.add_argument("--out", type=Path, help="a folder in which what was measured is kept")
    parser.add_argument("--markdown", action="store_true", help="print the tables as they stand in README.md")
    given = parser.parse_args(arguments)
    models = list(MODELS) if given.models is None else [one.strip() for one in given.models.split(";")]
    unknown = [one for one in models if one not in MODELS]
    if unknown:
        parser.error(f"--models {unknown[0]} is none of {'; '.join(MODELS)}")
    found = run(given.data, given.sets.split(",") if given.sets else None, models, given.folds, given.out)
    console = Console(width=400 if given.markdown else 200, soft_wrap=given.markdown)
    for table in tables(found, models, box.MARKDOWN if given.markdown else box.SIMPLE_HEAD):
        console.print(table)

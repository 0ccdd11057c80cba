"""KDB on a table of the size of covertype, made up: 54 columns, of which ten are numbers, and seven classes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import numpy as np

import tallybayes
from benchmarks.measure import Result, side_by_side
from tallybayes._types import AnyArray
from tallybayes.tallies.group_plan import in_words

ROWS, NUMBERS, TRUTHS, CLASSES = 581_012, 10, 44, 7

_EXTRA = """
import json, sys
from benchmarks.k_dependence import peak, table
import tallybayes

X, y = table(int(sys.argv[1]))
tallybayes.KDB().fit(X[:5000], y[:5000])  # libraries loaded, kernels compiled
before = peak()
model = tallybayes.KDB(select=False).fit(X, y)
tables = model.table_bytes_
model = tallybayes.KDB().fit(X, y)
print(json.dumps({"tables": tables, "input": X.nbytes, "extra": peak() - before}))
"""


def table(rows: int, seed: int = 0) -> tuple[AnyArray, AnyArray]:
    """Return numbers that share causes, truth values of which some follow from them, and the class of each row."""
    rng = np.random.default_rng(seed)
    y = rng.choice(CLASSES, rows, p=[0.365, 0.488, 0.06, 0.005, 0.016, 0.03, 0.036])
    causes = rng.normal(size=(rows, 3))
    X = np.zeros((rows, NUMBERS + TRUTHS))
    X[:, :NUMBERS] = 0.7 * rng.normal(size=(CLASSES, NUMBERS))[y] + rng.normal(size=(rows, NUMBERS))
    X[:, :NUMBERS] += causes @ rng.normal(size=(3, NUMBERS))
    X[:, :NUMBERS] = X[:, :NUMBERS].round(1)
    areas = np.digitize(X[:, 0] + causes[:, 0], [-1.0, 0.0, 1.0])
    X[:, NUMBERS : NUMBERS + 4] = np.eye(4)[areas]
    share = 1 / (1 + np.exp(-rng.normal(-3, 1, (CLASSES, TRUTHS - 4))))
    for j in range(TRUTHS - 4):
        X[:, NUMBERS + 4 + j] = rng.random(rows) < share[y, j] * (1 + (areas == j % 4)) / 2
    return X, y


def peak() -> int:
    """Return the most memory that this process has had."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))


def run(scale: float = 1.0) -> Iterator[Result]:
    """Yield what fits and answers take, beside those of the tree."""
    rows = int(ROWS * scale)
    X, y = table(rows)
    size = f"{rows:,} x {NUMBERS + TRUTHS}"
    tan, plain, selected = tallybayes.TAN(), tallybayes.KDB(select=False), tallybayes.KDB()
    fit = side_by_side(lambda: plain.fit(X, y), lambda: tan.fit(X, y), times=3)
    yield Result(f"KDB(k=2, select=False) fit, {size}", "our TAN", *fit, None, f"{fit[0]:.1f} s; one pass more")
    fit = side_by_side(lambda: selected.fit(X, y), lambda: tan.fit(X, y), times=2)
    depth = max(map(len, selected.parents_.values()))
    kept = f"{len(selected.parents_)} columns and {depth} parents kept"
    tried = f"{selected.losses_.size * 3:,} candidates"
    yield Result(f"KDB(k=2) fit, {size}", "our TAN", *fit, None, f"{fit[0]:.1f} s; {tried}, {kept}; {_memory(rows)}")
    asked = min(rows, 100_000)
    predict = side_by_side(lambda: plain.predict_proba(X[:asked]), lambda: tan.predict_proba(X[:asked]))
    note = f"{predict[0] / asked * 1e6:.2f} µs a row, of {(NUMBERS + TRUTHS) * CLASSES} shares"
    yield Result(f"KDB(k=2, select=False) predict_proba, {asked:,}", "our TAN", *predict, None, note)


def _memory(rows: int) -> str:
    done = subprocess.run([sys.executable, "-c", _EXTRA, str(rows)], check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    return (
        f"tables of {in_words(found['tables'])}, known beforehand; {in_words(found['extra'])} of memory at the most, "
        f"beside rows of {in_words(found['input'])}"
    )

"""Columns that depend on one another: AODE beside Weka's and scikit-bayes', TAN beside those of `benchmarks.trees`."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import tallybayes
from benchmarks import k_dependence, trees
from benchmarks.measure import Result, seconds, side_by_side
from benchmarks.weka import JAR
from tallybayes._types import AnyArray

COLUMNS, VALUES, CLASSES = 20, 10, 3
PAIRS = COLUMNS * (COLUMNS - 1) // 2

NANOSECONDS = 1.5
"""What counting a pair of columns of a row may take, with all else that `fit` does."""

_PROGRAM = """
import java.io.*;
import weka.classifiers.bayes.AODE;
import weka.core.Instances;

public class Averaged {
    public static void main(String[] given) throws Exception {
        Instances data = new Instances(new BufferedReader(new FileReader(given[0])));
        data.setClassIndex(data.numAttributes() - 1);
        int asked = Integer.parseInt(given[1]);
        double fit = 1e9, predict = 1e9;
        for (int turn = 0; turn < 15; turn++) {
            long start = System.nanoTime();
            AODE model = new AODE();
            model.buildClassifier(data);
            fit = Math.min(fit, (System.nanoTime() - start) / 1e9);
            start = System.nanoTime();
            for (int i = 0; i < asked; i++) model.distributionForInstance(data.instance(i));
            predict = Math.min(predict, (System.nanoTime() - start) / 1e9);
        }
        System.out.println(fit + " " + predict);
    }
}
"""


def table(rows: int, seed: int = 0) -> tuple[AnyArray, AnyArray]:
    """Return codes of columns that depend on the class, and on the column before."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, CLASSES, rows)
    X = rng.integers(0, VALUES, (rows, COLUMNS))
    for j in range(COLUMNS):
        above = y if j == 0 else X[:, j - 1]
        follows = rng.random(rows) < 0.3
        X[follows, j] = (above[follows] + y[follows]) % VALUES
    return X, y


def aode() -> tallybayes.AODE:
    """Return a model of columns of codes, which has all super-parents that were seen, as those of the others."""
    return tallybayes.AODE(min_count=1, columns=dict.fromkeys(range(COLUMNS), "categorical"))


def run(scale: float = 1.0) -> Iterator[Result | str]:
    """Yield the results, or in words why there are none."""
    yield counting(int(1_000_000 * scale), "AODE", aode())
    yield counting(int(1_000_000 * scale), "TAN", trees.tan(COLUMNS))
    rows, asked = int(100_000 * scale), int(20_000 * scale)
    for rival in (scikit_bayes, weka):
        try:
            yield from rival(rows, asked)
        except ImportError as reason:
            yield f"{rival.__name__} is left out: {reason}"
    yield from k_dependence.run(scale)
    X, y = table(rows)
    for beside in trees.RIVALS:
        try:
            yield from beside(X, y, asked)
        except ImportError as reason:
            yield f"{beside.__name__} is left out: {reason}"


def counting(rows: int, name: str, model: tallybayes.AODE | tallybayes.TAN) -> Result:
    """Return how long the fit of many rows takes, beside what it may take."""
    X, y = table(rows)
    model.fit(X[:1000], y[:1000])
    best = min(seconds(lambda: model.fit(X, y)) for _ in range(7))
    note = f"{best / rows / PAIRS * 1e9:.2f} ns for a row and pair of columns"
    limit = NANOSECONDS * rows * PAIRS / 1e9
    return Result(f"{name} fit, {rows:,} x {COLUMNS}", f"{NANOSECONDS} ns a row and pair", best, limit, 1, note)


def scikit_bayes(rows: int, asked: int) -> Iterator[Result]:
    """Yield the results beside scikit-bayes' AnDE, on the same matrix."""
    from skbn import AnDE

    X, y = table(rows)
    ours, theirs = aode(), AnDE(n_dependence=1, categorical_features=list(range(COLUMNS)))
    fit = side_by_side(lambda: ours.fit(X, y), lambda: theirs.fit(X, y))
    yield Result(f"AODE fit, {rows:,} x {COLUMNS}", "scikit-bayes AnDE", *fit, 10, _per_pair(fit[0], rows))
    predict = side_by_side(lambda: ours.predict_proba(X[:asked]), lambda: theirs.predict_proba(X[:asked]))
    yield Result(f"AODE predict_proba, {asked:,}", "scikit-bayes AnDE", *predict, 5, _per_row(predict[0], asked))


def weka(rows: int, asked: int) -> Iterator[Result]:
    """Yield the results beside Weka's AODE; Java's start and its reading of the file are not counted."""
    if shutil.which("javac") is None or not Path(JAR).exists():
        raise ImportError("there is no javac, or no weka.jar; install weka, or name the jar in WEKA_JAR")
    X, y = table(rows)
    model = aode().fit(X, y)
    model.predict_proba(X[:asked])
    fit = min(seconds(lambda: model.fit(X, y)) for _ in range(15))
    predict = min(seconds(lambda: model.predict_proba(X[:asked])) for _ in range(15))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.arff")
        _write_arff(path, X, y)
        Path(folder, "Averaged.java").write_text(_PROGRAM)
        subprocess.run(["javac", "-nowarn", "-cp", JAR, "Averaged.java"], cwd=folder, check=True, capture_output=True)
        command = ["java", "-Xmx4g", "-cp", f"{JAR}:{folder}", "Averaged", str(path), str(asked)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    their_fit, their_predict = map(float, done.stdout.split())
    yield Result(f"AODE fit, {rows:,} x {COLUMNS}", "Weka", fit, their_fit, 4, _per_pair(fit, rows))
    yield Result(f"AODE predict_proba, {asked:,}", "Weka", predict, their_predict, 2, _per_row(predict, asked))


def _per_pair(duration: float, rows: int) -> str:
    return f"{duration / rows / PAIRS * 1e9:.2f} ns for a row and pair of columns"


def _per_row(duration: float, rows: int) -> str:
    return f"{duration / rows * 1e6:.2f} µs a row, of {COLUMNS * (COLUMNS - 1) * CLASSES:,} shares"


def _write_arff(path: Path, X: AnyArray, y: AnyArray) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write("@relation codes\n")
        for j in range(X.shape[1]):
            file.write(f"@attribute x{j} {{{','.join(map(str, range(VALUES)))}}}\n")
        file.write(f"@attribute y {{{','.join(map(str, range(CLASSES)))}}}\n@data\n")
        file.writelines(",".join(map(str, row)) + "\n" for row in np.column_stack([X, y]).tolist())

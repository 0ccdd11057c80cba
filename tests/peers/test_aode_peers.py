"""AODE and A2DE beside Weka's AODE and scikit-bayes' AnDE: the same posteriors where the definitions agree.

They differ here:

- Where a cell is missing, Weka leaves out the estimator of its column; ours is summed over the values of the column.
  scikit-bayes takes no missing cells.
- A value that was never seen is no value of a Weka file; scikit-bayes scores it as a zero count, as we do.
- Where no value of a row was seen often enough, scikit-bayes' naive Bayes has a prior that is not smoothed, and its
  A2DE goes to naive Bayes at once, ours to AODE first.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import tallybayes as tb

pytestmark = pytest.mark.peers

JAR = os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar")
NAMES = [f"x{j}" for j in range(6)]
CLASSES = ["ham", "news", "spam"]
CLOSE = {"rtol": 0, "atol": 1e-12}

PROGRAM = """
import java.io.*;
import weka.classifiers.bayes.AODE;
import weka.core.Instances;

public class Posteriors {
    static Instances read(String path) throws Exception {
        Instances data = new Instances(new BufferedReader(new FileReader(path)));
        data.setClassIndex(data.numAttributes() - 1);
        return data;
    }

    public static void main(String[] given) throws Exception {
        Instances asked = read("asked.arff");
        for (String limit : given) {
            AODE model = new AODE();
            model.setFrequencyLimit(Integer.parseInt(limit));
            model.buildClassifier(read("learned.arff"));
            for (int i = 0; i < asked.numInstances(); i++)
                for (double share : model.distributionForInstance(asked.instance(i))) System.out.println(share);
        }
    }
}
"""


def rows(n, rng, holes):
    """Return columns of up to six values, some of them rare, that depend on one another and on the class."""
    y = rng.integers(0, 3, n)
    x, above = [], y
    for j in range(len(NAMES)):
        own = np.minimum((above + rng.geometric(0.5, n) - 1 + (j == 2) * y) % (j + 2), 5)
        x.append(own)
        above = own
    X = np.column_stack(x)
    missing = rng.random(X.shape) < holes
    return X, missing, y


def table(X, missing):
    cells = {}
    for j, name in enumerate(NAMES):
        words = [f"v{value}" for value in X[:, j].tolist()]
        cells[name] = [None if gone else word for gone, word in zip(missing[:, j].tolist(), words, strict=True)]
    return pa.table(cells)


def arff(path, cells, values, labels):
    """Write a file as Weka reads it; a missing cell is a question mark."""
    lines = ["@relation table", *(f"@attribute {name} {{{','.join(values[name])}}}" for name in NAMES)]
    lines += [f"@attribute y {{{','.join(CLASSES)}}}", "@data"]
    for row, label in zip(cells.to_pylist(), labels, strict=True):
        lines.append(",".join(["?" if row[name] is None else row[name] for name in NAMES] + [label]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


LIMITS = (1, 30)


@pytest.fixture(scope="module")
def beside_weka(tmp_path_factory):
    """Rows with missing cells that both learned, rows that both answered, and Weka's posteriors by frequency limit."""
    if shutil.which("javac") is None or not Path(JAR).exists():
        pytest.skip("there is no javac, or no weka.jar; install weka, or name the jar in WEKA_JAR")
    rng = np.random.default_rng(3)
    X, missing, y = rows(700, rng, 0.1)
    labels = [CLASSES[c] for c in y.tolist()]
    learned = table(X, missing)
    X, missing, _ = rows(200, rng, 0.0)
    missing[100:, 2] = True  # the second half of the rows lacks a column
    asked = table(X, missing)
    values = {name: sorted({*learned[name].to_pylist()} - {None}) for name in NAMES}
    known = [all(row[name] in (None, *values[name]) for name in NAMES) for row in asked.to_pylist()]
    assert all(known)
    folder = tmp_path_factory.mktemp("weka")
    arff(folder / "learned.arff", learned, values, labels)
    arff(folder / "asked.arff", asked, values, [CLASSES[0]] * len(asked))
    (folder / "Posteriors.java").write_text(PROGRAM, encoding="utf-8")
    subprocess.run(["javac", "-nowarn", "-cp", JAR, "Posteriors.java"], cwd=folder, check=True, capture_output=True)
    command = ["java", "-cp", f"{JAR}:{folder}", "Posteriors", *map(str, LIMITS)]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    shares = np.array(done.stdout.split(), float).reshape(len(LIMITS), len(asked), len(CLASSES))
    return learned, labels, asked, dict(zip(LIMITS, shares, strict=True))


@pytest.mark.parametrize("limit", LIMITS)
def test_weka_with_cells_missing_in_training(beside_weka, limit):
    learned, labels, asked, theirs = beside_weka
    model = tb.AODE(min_count=limit).fit(learned, labels)
    np.testing.assert_allclose(model.predict_proba(asked.slice(0, 100)), theirs[limit][:100], **CLOSE)


@pytest.mark.parametrize("limit", LIMITS)
def test_weka_leaves_out_the_estimator_of_a_missing_column(beside_weka, limit):
    learned, labels, asked, theirs = beside_weka
    lacking = asked.slice(100)
    without = tb.AODE(min_count=limit, columns={"x2": "ignored"}).fit(learned, labels)
    np.testing.assert_allclose(without.predict_proba(lacking), theirs[limit][100:], **CLOSE)
    ours = tb.AODE(min_count=limit).fit(learned, labels).predict_proba(lacking)
    assert np.abs(ours - theirs[limit][100:]).max() > 1e-3


@pytest.fixture(scope="module")
def whole():
    """Rows without missing cells, of which each value occurs, and rows to ask about."""
    rng = np.random.default_rng(4)
    X, _, y = rows(900, rng, 0.0)
    for j in range(X.shape[1]):
        assert np.unique(X[:, j]).tolist() == list(range(X[:, j].max() + 1))
    asked, _, _ = rows(300, rng, 0.0)
    return X, y, asked


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("alpha", [1.0, 0.1])
@pytest.mark.parametrize("least", [1, 5])
def test_scikit_bayes(whole, order, alpha, least):
    skbn = pytest.importorskip("skbn", reason="pip install scikit-bayes")
    X, y, asked = whole
    every = list(range(X.shape[1]))
    theirs = skbn.AnDE(
        n_dependence=order, alpha=alpha, min_parent_count=least, categorical_features=every
    ).fit(X, y)  # fmt: skip
    ours = tb.AODE(
        order=order, smoothing=alpha, min_count=least, columns=dict.fromkeys(every, "categorical")
    ).fit(X, y)  # fmt: skip
    np.testing.assert_allclose(ours.predict_proba(asked), theirs.predict_proba(asked), **CLOSE)


def test_scikit_bayes_falls_back_to_a_prior_that_is_not_smoothed(whole):
    skbn = pytest.importorskip("skbn", reason="pip install scikit-bayes")
    X, y, asked = whole
    every = list(range(X.shape[1]))
    theirs = skbn.AnDE(n_dependence=2, min_parent_count=901, categorical_features=every).fit(X, y)
    columns = dict.fromkeys(every, "categorical")
    for order in (1, 2):
        ours = tb.AODE(order=order, min_count=901, columns=columns).fit(X, y).predict_proba(asked)
        naive = tb.NaiveBayes(columns=columns, prior_smoothing=1.0).fit(X, y)
        np.testing.assert_allclose(ours, naive.predict_proba(asked), **CLOSE)
    unsmoothed = tb.NaiveBayes(columns=columns).fit(X, y).predict_proba(asked)
    np.testing.assert_allclose(theirs.predict_proba(asked), unsmoothed, **CLOSE)
    # A2DE goes on with one column where two were not seen together often enough, and theirs does not.
    least = 1 + max(np.unique(X[:, [i, j]], axis=0, return_counts=True)[1].max() for i in every for j in every[:i])
    theirs = skbn.AnDE(n_dependence=2, min_parent_count=int(least), categorical_features=every).fit(X, y)
    pairs, singles = (
        tb.AODE(order=order, min_count=int(least), columns=columns).fit(X, y).predict_proba(asked) for order in (2, 1)
    )
    np.testing.assert_allclose(pairs, singles, **CLOSE)
    np.testing.assert_allclose(theirs.predict_proba(asked), unsmoothed, **CLOSE)
    assert np.abs(singles - unsmoothed).max() > 1e-3

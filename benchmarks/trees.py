"""TAN beside pyAgrum's, pgmpy's and that of R's bnlearn, on the table of `benchmarks.dependence`."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.csv

import tallybayes
from benchmarks.measure import Result, seconds, side_by_side
from tallybayes._types import AnyArray

_SCRIPT = """
suppressPackageStartupMessages(library(bnlearn))
given <- commandArgs(trailingOnly = TRUE)
data <- read.csv(given[1], colClasses = "factor")
asked <- data[seq_len(as.integer(given[2])), ]
tree <- min(sapply(1:5, function(i) system.time(tree.bayes(data, "y"))["elapsed"]))
model <- bn.fit(tree.bayes(data, "y"), data)
predict <- min(sapply(1:3, function(i) system.time(predict(model, asked))["elapsed"]))
cat(tree, predict)
"""


def tan(columns: int) -> tallybayes.TAN:
    """Return a model of columns of codes."""
    return tallybayes.TAN(columns=dict.fromkeys(range(columns), "categorical"))


def learn(X: AnyArray, y: AnyArray) -> tallybayes.TAN:
    """Return a model with its tree and its tables, which others make in their fit and ours when it is first asked."""
    model = tan(X.shape[1]).fit(X, y)
    model.predict(X[:1])
    return model


def pyagrum(X: AnyArray, y: AnyArray, asked: int) -> Iterator[Result]:
    """Yield the results beside pyAgrum's classifier."""
    from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor
    from pyagrum.skbn import BNClassifier

    frame, labels = pd.DataFrame(X.astype(str)).rename(columns="x{}".format), pd.Series(y.astype(str), name="y")

    def classifier() -> BNClassifier:
        processor = DiscreteTypeProcessor()
        return BNClassifier(type_processor=processor, learningMethod="TAN", prior="Smoothing", priorWeight=1.0)

    theirs, asked = classifier(), min(asked, 2000)
    fit = side_by_side(lambda: learn(X, y), lambda: theirs.fit(frame, labels), their_times=1)
    yield Result(f"TAN fit, {len(X):,} x {X.shape[1]}", "pyAgrum", *fit, 50)
    ours = learn(X, y)
    predict = side_by_side(lambda: ours.predict_proba(X[:asked]), lambda: theirs.predict_proba(frame[:asked]))
    yield Result(f"TAN predict_proba, {asked:,}", "pyAgrum", *predict, 50)


def pgmpy(X: AnyArray, y: AnyArray, asked: int) -> Iterator[Result]:
    """Yield the results beside pgmpy's tree search and its network."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgmpy.estimators import TreeSearch
        from pgmpy.global_vars import config
        from pgmpy.models import DiscreteBayesianNetwork
    config.set_show_progress(False)
    frame = pd.DataFrame(X).rename(columns="x{}".format).assign(y=y)

    def network() -> DiscreteBayesianNetwork:
        search = TreeSearch(frame, root_node="x0", n_jobs=1)
        found = search.estimate(estimator_type="tan", class_node="y", show_progress=False)
        model = DiscreteBayesianNetwork(found.edges())
        model.fit(frame)
        return model

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = side_by_side(lambda: learn(X, y), network, their_times=1)
        yield Result(f"TAN fit, {len(X):,} x {X.shape[1]}", "pgmpy", *fit, 50)
        ours, theirs, few = learn(X, y), network(), min(asked, 200)
        rows = frame.drop(columns="y")[:few]
        answer = side_by_side(lambda: ours.predict(X[:few]), lambda: theirs.predict(rows, n_jobs=1), their_times=1)
    yield Result(f"TAN predict, {few:,}", "pgmpy", *answer, 50)


def bnlearn(X: AnyArray, y: AnyArray, asked: int) -> Iterator[Result]:
    """Yield the results beside R's bnlearn, whose ``tree.bayes`` is the fastest known; reading is not counted."""
    if shutil.which("Rscript") is None:
        raise ImportError("there is no Rscript; install R and its package bnlearn")
    with tempfile.TemporaryDirectory() as folder:
        path, script = Path(folder, "table.csv"), Path(folder, "time.R")
        columns = {f"x{j}": X[:, j] for j in range(X.shape[1])}
        pyarrow.csv.write_csv(pa.table({**columns, "y": y}), path)
        script.write_text(_SCRIPT)
        command = ["Rscript", "--vanilla", str(script), str(path), str(asked)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise ImportError(f"R's bnlearn does not run: {next((line for line in said if 'rror' in line), said[-1])}")
    their_fit, their_predict = map(float, done.stdout.split())
    model = learn(X, y)
    fit = min(seconds(lambda: learn(X, y)) for _ in range(15))
    predict = min(seconds(lambda: model.predict(X[:asked])) for _ in range(15))
    yield Result(f"TAN fit, {len(X):,} x {X.shape[1]}", "R bnlearn (the tree alone)", fit, their_fit, 1)
    yield Result(f"TAN predict, {asked:,}", "R bnlearn", predict, their_predict, 1)


RIVALS = (pyagrum, pgmpy, bnlearn)

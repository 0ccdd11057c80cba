"""Beside R's e1071, by Rscript. Debian has it as ``r-cran-e1071``."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow.csv

import tallybayes
from benchmarks.measure import Result, cells_per_second, seconds
from benchmarks.mixed import mixed_table

_SCRIPT = """
suppressPackageStartupMessages(library(e1071))
given <- commandArgs(trailingOnly = TRUE)
data <- read.csv(given[1], stringsAsFactors = TRUE)
asked <- data[seq_len(as.integer(given[2])), ]
fit <- min(sapply(1:3, function(i) system.time(naiveBayes(label ~ ., data, laplace = 1))["elapsed"]))
model <- naiveBayes(label ~ ., data, laplace = 1)
predict <- system.time(predict(model, asked, type = "raw"))["elapsed"]
cat(fit, predict)
"""


def run(scale: float = 1.0) -> Iterator[Result]:
    """Yield the results; both have the table in memory, and R's start and reading are not counted."""
    if shutil.which("Rscript") is None:
        raise ImportError("there is no Rscript; install r-cran-e1071")
    rows, asked = int(500_000 * scale), int(10_000 * scale)
    table, label = mixed_table(rows)
    model = tallybayes.NaiveBayes().fit(table, label)
    fit = min(seconds(lambda: model.fit(table, label)) for _ in range(5))
    predict = min(seconds(lambda: model.predict_proba(table.slice(0, asked))) for _ in range(5))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.csv")
        pyarrow.csv.write_csv(table.append_column("label", [label]), path)
        script = Path(folder, "time.R")
        script.write_text(_SCRIPT)
        done = subprocess.run(
            ["Rscript", "--vanilla", str(script), str(path), str(asked)], capture_output=True, text=True, check=False
        )
    if done.returncode != 0:
        raise ImportError(f"R's e1071 does not run: {done.stderr.strip().splitlines()[-1]}")
    their_fit, their_predict = map(float, done.stdout.split())
    yield Result(f"NaiveBayes fit, {rows:,} x 20 mixed", "R e1071", fit, their_fit, 1, cells_per_second(rows * 20, fit))
    yield Result(
        f"NaiveBayes predict_proba, {asked:,}",
        "R e1071",
        predict,
        their_predict,
        1,
        cells_per_second(asked * 20, predict),
    )

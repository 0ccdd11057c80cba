"""Beside Weka's NaiveBayes, by Java. Debian has it as ``weka``."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

import tallybayes
from benchmarks.measure import Result, cells_per_second, seconds
from benchmarks.mixed import CLASSES, VALUES, mixed_table

JAR = os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar")

_PROGRAM = """
import java.io.*;
import weka.classifiers.bayes.NaiveBayes;
import weka.core.Instances;

public class Timed {
    public static void main(String[] given) throws Exception {
        Instances data = new Instances(new BufferedReader(new FileReader(given[0])));
        data.setClassIndex(data.numAttributes() - 1);
        int asked = Integer.parseInt(given[1]);
        double fit = 1e9, predict = 1e9;
        NaiveBayes model = null;
        for (int turn = 0; turn < 5; turn++) {
            long start = System.nanoTime();
            model = new NaiveBayes();
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


def run(scale: float = 1.0) -> Iterator[Result]:
    """Yield the results; both have the table in memory, and Java's start and reading are not counted."""
    if shutil.which("javac") is None or not Path(JAR).exists():
        raise ImportError("there is no javac, or no weka.jar; install weka, or name the jar in WEKA_JAR")
    rows, asked = int(500_000 * scale), int(100_000 * scale)
    table, label = mixed_table(rows)
    model = tallybayes.NaiveBayes().fit(table, label)
    fit = min(seconds(lambda: model.fit(table, label)) for _ in range(5))
    predict = min(seconds(lambda: model.predict_proba(table.slice(0, asked))) for _ in range(5))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.arff")
        _write_arff(path, table.append_column("label", [label]))
        Path(folder, "Timed.java").write_text(_PROGRAM)
        subprocess.run(["javac", "-nowarn", "-cp", JAR, "Timed.java"], cwd=folder, check=True, capture_output=True)
        command = ["java", "-Xmx8g", "-cp", f"{JAR}:{folder}", "Timed", str(path), str(asked)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    their_fit, their_predict = map(float, done.stdout.split())
    yield Result(f"NaiveBayes fit, {rows:,} x 20 mixed", "Weka", fit, their_fit, 1, cells_per_second(rows * 20, fit))
    yield Result(
        f"NaiveBayes predict_proba, {asked:,}", "Weka", predict, their_predict, 1, cells_per_second(asked * 20, predict)
    )


def _write_arff(path: Path, table: pa.Table) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write("@relation mixed\n")
        for name in table.column_names:
            values = CLASSES if name == "label" else VALUES
            kind = "numeric" if name.startswith("x") else "{" + ",".join(values) + "}"
            file.write(f"@attribute {name} {kind}\n")
        file.write("@data\n")
        columns = [map(str, column.to_pylist()) for column in table.columns]
        file.writelines(",".join(cells) + "\n" for cells in zip(*columns, strict=True))

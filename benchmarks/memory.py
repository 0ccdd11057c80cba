"""Peak memory, each task in a process of its own; on Linux."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PEAK = """
import json, sys
import tallybayes

def peak():
    # Of this process alone; what getrusage says may be the peak of the process that started it.
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))
"""

_FIT = """
import numpy as np

name, rows, columns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(0)
integers = name == "CategoricalNB"
model = getattr(tallybayes, name)()
small = rng.integers(0, 9, (200_000, columns)) if integers else rng.standard_normal((200_000, columns))
model.fit(small, rng.integers(0, 5, len(small)))  # libraries loaded, kernels compiled
del small
X = np.empty((rows, columns), dtype=np.int64 if integers else np.float64)
for start in range(0, rows, 10_000):
    part = X[start:start + 10_000]
    part[...] = rng.integers(0, 9, part.shape) if integers else rng.standard_normal(part.shape)
y = rng.integers(0, 5, rows)
with_input = peak()
model.fit(X, y)
print(json.dumps({"input": X.nbytes + y.nbytes, "extra": peak() - with_input}))
"""

_FILE = """
model = tallybayes.NaiveBayes().fit(sys.argv[1], y="label")
rows = int(sum(model.tallies_["classes"].rows))
print(json.dumps({"rows": rows, "peak": peak()}))
"""


@dataclass(frozen=True)
class Memory:
    """One line of the report on memory."""

    task: str
    used: str
    goal: str
    kept: bool


def run(scale: float = 1.0) -> Iterator[Memory]:
    """Yield the results."""
    rows = int(1_000_000 * scale)
    for name, columns in (("CategoricalNB", 30), ("GaussianNB", 50), ("KernelNB", 20)):
        found = child(_FIT, name, str(rows), str(columns))
        share = found["extra"] / found["input"]
        yield Memory(f"{name} fit, {rows:,} x {columns}, beyond the input", f"{share:.0%} of it", "25%", share < 0.25)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "big.parquet")
        write_parquet(path, int(5_000_000 * scale))
        found = child(_FILE, str(path))
        megabytes = found["peak"] / 2**20
        size = path.stat().st_size / 2**20
        yield Memory(
            f"NaiveBayes fit from a Parquet file of {found['rows']:,} rows ({size:.0f} MB)",
            f"{megabytes:.0f} MB resident",
            "500 MB",
            megabytes < 500,
        )


def write_parquet(path: Path, rows: int) -> None:
    """Write a mixed table of 16 columns and a label."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(5)
    words = np.array(["red", "green", "blue", "绿", "grey", "black"])
    writer = None
    for start in range(0, rows, 250_000):
        n = min(250_000, rows - start)
        label = rng.integers(0, 3, n)
        columns = {f"x{j}": rng.standard_normal(n) + 0.2 * label for j in range(9)}
        columns |= {f"c{j}": words[(rng.integers(0, 4, n) + label) % 6] for j in range(5)}
        columns |= {"few": rng.integers(0, 5, n), "flag": rng.random(n) < 0.3}
        columns["label"] = np.array(["ham", "spam", "other"])[label]
        table = pa.table(columns)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def child(code: str, *arguments: str) -> dict[str, float]:
    """Run a program that knows `peak`, and return what it prints last, as JSON."""
    done = subprocess.run([sys.executable, "-c", _PEAK + code, *arguments], check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found

"""``python -m benchmarks naive``: the report."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterable

from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks import memory
from benchmarks.measure import Result, bytes_per_second

NAIVE = ("scikit_learn", "kdepy", "weka", "e1071")
"""The files of the rivals of naive Bayes, one each."""


def main() -> None:
    """Run the suite that the command line names, and print its tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("suite", choices=["naive"])
    parser.add_argument("--only", choices=[*NAIVE, "memory"], help="one part of the suite")
    parser.add_argument("--scale", type=float, default=1.0, help="a smaller number makes smaller tables")
    parser.add_argument("--markdown", action="store_true", help="print the tables as they stand in README.md")
    given = parser.parse_args()
    console = Console(width=300 if given.markdown else 150, soft_wrap=given.markdown)
    style = box.MARKDOWN if given.markdown else box.SIMPLE_HEAD
    console.print(f"The machine reads memory at {bytes_per_second() / 1e9:.1f} GB/s on all its cores.")
    parts = [given.only] if given.only else [*NAIVE, "memory"]
    results: list[Result] = []
    for part in parts:
        if part == "memory":
            continue
        try:
            results += list(importlib.import_module(f"benchmarks.{part}").run(given.scale))
        except ImportError as reason:
            console.print(f"{part} is left out: {reason}")
    if results:
        console.print(speed(results, style))
    if "memory" in parts:
        console.print(space(memory.run(given.scale), style))


def speed(results: Iterable[Result], style: box.Box) -> Table:
    """Return the ratios as a table; above 1 we are faster."""
    table = Table(box=style)
    for name in ("task", "beside", "times as fast", "goal", "what bounds it"):
        table.add_column(name, justify="right" if name in ("times as fast", "goal") else "left")
    for result in results:
        goal = "" if result.goal is None else f"{result.goal:g}"
        missed = result.goal is not None and result.ratio < result.goal
        ratio = f"{result.ratio:.1f}" + (" (short)" if missed else "")
        table.add_row(result.task, result.rival, ratio, goal, result.note)
    return table


def space(results: Iterable[memory.Memory], style: box.Box) -> Table:
    """Return the memory used as a table."""
    table = Table(box=style)
    for name in ("peak memory of", "used", "goal"):
        table.add_column(name)
    for result in results:
        table.add_row(result.task, result.used + ("" if result.kept else " (over)"), result.goal)
    return table


if __name__ == "__main__":
    main()

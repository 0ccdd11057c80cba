"""``python -m benchmarks`` and the name of a suite, such as ``naive`` or ``text-quality``: the reports."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks import memory
from benchmarks.measure import Rate, Result, bytes_per_second

NAIVE = ("scikit_learn", "kdepy", "weka", "e1071")
"""The files of the rivals of naive Bayes, one each."""


TEXT = ("speed", "rates", "memory")
"""The parts of the suite on texts."""


def quality(data: Path, style: box.Box, sets: Sequence[str] | None, out: Path | None) -> Iterator[Table]:
    """Yield a table of how good the classifiers of texts are."""
    table = Table(box=style)
    headings = ("texts", "model", "accuracy", "ahead of scikit-learn's", "macro F1", "log-loss", "chosen in training")
    for heading in headings:
        table.add_column(heading)
    for line in importlib.import_module("benchmarks.text_quality").run(data, sets, out):
        table.add_row(*quality_row(line))
    yield table


def quality_row(line: Any) -> list[str]:
    """Return a line of that table."""
    log_loss = "no joint" if line.log_loss is None else f"{line.log_loss:.3f} ± {line.log_loss_error:.3f}"
    accuracy = f"{line.accuracy:.2%} ± {line.accuracy_error:.2%}"
    ahead = "" if line.ahead_error == 0.0 else f"{line.ahead:+.2%} ± {line.ahead_error:.2%}"
    return [line.texts, line.model, accuracy, ahead, f"{line.macro_f1:.4f}", log_loss, line.chosen]


def events(data: Path, style: box.Box) -> Iterator[Table]:
    """Yield tables of the event models of texts by the dictionary and by the length of the texts."""
    suite = importlib.import_module("benchmarks.event_models")
    for title, lines in suite.run(data):
        table = Table(box=style, title=title)
        for heading in ("", "terms", "different terms of a text", "share", *suite.EVENTS, "error up to"):
            table.add_column(heading)
        for line in lines:
            wrong = [f"{line.wrong[event]:.2%}" for event in suite.EVENTS]
            some = [line.of, f"{line.terms:,}", f"{line.per_text:.1f}", f"{line.share:.2%}"]
            table.add_row(*some, *wrong, f"{line.error:.2%}")
        yield table


def smoothing(data: Path, style: box.Box) -> Iterator[Table]:
    """Yield a table of how tables of counts are smoothed, over many sets."""
    table = Table(box=style)
    for heading in ("model", "smoothing", "log-loss", "mistakes", "log-loss below and above Laplace's"):
        table.add_column(heading)
    for line in importlib.import_module("benchmarks.smoothing").run(data):
        some = [line.model, line.smoothing, f"{line.log_loss:.4f}", f"{line.wrong:.2%}"]
        table.add_row(*some, "" if line.smoothing == "Laplace, 1" else f"{line.wins} : {line.losses}")
    yield table


QUALITY = {"event-models": events, "smoothing": smoothing}
"""The suites on sets of texts, or of tables."""

SUITES = ("naive", "text", "language", "filter", "dependence", "tables", "text-quality", *QUALITY)

LANGUAGE = ("speed", "quality", "memory")
"""The parts of the suite on language models."""


def main() -> None:
    """Run the suite that the command line names, and print its tables."""
    if sys.argv[1:2] == ["tables"]:  # which has options of its own
        importlib.import_module("benchmarks.tables").main(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("--only", choices=sorted({*NAIVE, "memory", *TEXT, *LANGUAGE}), help="one part of the suite")
    parser.add_argument("--scale", type=float, default=1.0, help="a smaller number makes smaller tables and texts")
    parser.add_argument(
        "--data", type=Path, help="a folder with 20 Newsgroups for the suites on texts; made-up texts without"
    )
    parser.add_argument("--markdown", action="store_true", help="print the tables as they stand in README.md")
    parser.add_argument("--sets", nargs="+", help="of text-quality: some sets alone, by the names of their folders")
    parser.add_argument("--out", type=Path, help="of text-quality: a folder that keeps answers, to go on with later")
    given = parser.parse_args()
    if given.suite in ("text-quality", *QUALITY) and given.data is None:
        parser.error(f"{given.suite} needs sets of texts; give their folder with --data")
    suites = {"naive": [*NAIVE, "memory"], "text": [*TEXT], "language": [*LANGUAGE]}
    every = suites.get(given.suite, [])
    if given.only is not None and given.only not in every:
        parser.error(f"--only {given.only} is no part of the suite {given.suite}; these are: {', '.join(every)}")
    console = Console(width=300 if given.markdown else 150, soft_wrap=given.markdown)
    style = box.MARKDOWN if given.markdown else box.SIMPLE_HEAD
    if given.suite == "text-quality":
        for table in quality(given.data, style, given.sets, given.out):
            console.print(table)
        return
    if given.suite in QUALITY:
        for table in QUALITY[given.suite](given.data, style):
            console.print(table)
        return
    console.print(f"The machine reads memory at {bytes_per_second() / 1e9:.1f} GB/s on all its cores.")
    parts = [given.only] if given.only else every
    if given.suite == "filter":
        tables: Iterable[Table | str] = [
            space(importlib.import_module("benchmarks.filter").run(given.scale), style, "task")
        ]
    elif given.suite == "dependence":
        tables = dependence(given.scale, style)
    elif given.suite == "naive":
        tables = naive(parts, given.scale, style)
    else:
        suite = {"text": text, "language": language}[given.suite]
        tables = suite(parts, given.scale, given.data, style)
    for table in tables:
        console.print(table)


def naive(parts: Sequence[str], scale: float, style: box.Box) -> Iterator[Table | str]:
    """Yield the tables of the suite on naive Bayes."""
    results: list[Result] = []
    for part in parts:
        if part == "memory":
            continue
        try:
            results += list(importlib.import_module(f"benchmarks.{part}").run(scale))
        except ImportError as reason:
            yield f"{part} is left out: {reason}"
    if results:
        yield speed(results, style)
    if "memory" in parts:
        yield space(memory.run(scale), style)


def dependence(scale: float, style: box.Box) -> Iterator[Table | str]:
    """Yield the table of the suite on columns that depend on one another, and what is left out of it."""
    lines = list(importlib.import_module("benchmarks.dependence").run(scale))
    yield from (line for line in lines if isinstance(line, str))
    yield speed((line for line in lines if isinstance(line, Result)), style)


def text(parts: Sequence[str], scale: float, data: Path | None, style: box.Box) -> Iterator[Table | str]:
    """Yield the tables of the suite on texts."""
    suite = importlib.import_module("benchmarks.text")
    if "speed" in parts:
        yield speed(suite.run(scale, data), style)
    if "rates" in parts:
        yield rates(suite.rates(scale, data), style)
    if "memory" in parts:
        yield space(suite.memory(scale, data), style)


def language(parts: Sequence[str], scale: float, data: Path | None, style: box.Box) -> Iterator[Table | str]:
    """Yield the tables of the suite on language models."""
    suite = importlib.import_module("benchmarks.language")
    given = suite.sentences(data, scale)
    if "speed" in parts:
        found = list(suite.run(given))
        yield from (reason for reason in found if isinstance(reason, str))
        yield speed([result for result in found if isinstance(result, Result)], style)
    if "quality" in parts:
        table = Table(box=style)
        for name in ("model", "trained on", "perplexity"):
            table.add_column(name, justify="right" if name == "perplexity" else "left")
        for line in suite.perplexities(given):
            table.add_row(line.model, line.trained, f"{line.perplexity:.2f}")
        yield table
    if "memory" in parts:
        yield space(suite.memory(given, scale), style)


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


def rates(results: Iterable[Rate], style: box.Box) -> Table:
    """Return the rates as a table."""
    table = Table(box=style)
    for name in ("task", "MB/s", "goal"):
        table.add_column(name, justify="left" if name == "task" else "right")
    for result in results:
        missed = result.goal is not None and result.megabytes < result.goal
        goal = "" if result.goal is None else f"{result.goal:g}"
        table.add_row(result.task, f"{result.megabytes:.0f}" + (" (short)" if missed else ""), goal)
    return table


def space(results: Iterable[Any], style: box.Box, title: str = "peak memory of") -> Table:
    """Return the memory used as a table."""
    table = Table(box=style)
    for name in (title, "used", "goal"):
        table.add_column(name)
    for result in results:
        table.add_row(result.task, result.used + ("" if result.kept else " (over)"), result.goal)
    return table


if __name__ == "__main__":
    main()

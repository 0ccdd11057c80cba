"""Which candidates there were, and how well each predicts rows that it has not learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from math import isnan, nan
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from tallybayes.decision.showing import as_text, json_value, printable, slim_table

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

Criterion = Literal["log-loss", "accuracy", "cost"]
CRITERIA: tuple[Criterion, ...] = ("log-loss", "accuracy", "cost")


@dataclass(frozen=True)
class Line:
    """One candidate; a number that was not measured is NaN.

    Attributes
    ----------
    name, family
        What it is, and of which kind of models.
    log_loss, zero_one_loss, cost
        The means over the rows, each without itself: of -log P(y | x), of how often the most probable class is not y,
        and of the costs of the decision of least risk.
    log_loss_error, zero_one_loss_error, cost_error
        Their standard errors.
    fold_log_loss, fold_zero_one_loss, fold_cost, fold_log_loss_error, fold_zero_one_loss_error, fold_cost_error
        The same in folds, with everything learned again in each of them.
    passes
        How many times the candidate reads the rows to be learned alone.
    bytes
        How much memory its counts take.
    """

    name: str
    family: str
    log_loss: float
    log_loss_error: float
    zero_one_loss: float
    zero_one_loss_error: float
    cost: float
    cost_error: float
    passes: int
    bytes: int
    fold_log_loss: float = nan
    fold_log_loss_error: float = nan
    fold_zero_one_loss: float = nan
    fold_zero_one_loss_error: float = nan
    fold_cost: float = nan
    fold_cost_error: float = nan

    def loss(self, criterion: Criterion, *, folds: bool = False) -> float:
        """Return what a criterion says, less being better."""
        value: float = getattr(self, f"{'fold_' if folds else ''}{_WORD[criterion]}")
        return value

    def error(self, criterion: Criterion, *, folds: bool = False) -> float:
        """Return its standard error."""
        value: float = getattr(self, f"{'fold_' if folds else ''}{_WORD[criterion]}_error")
        return value


_WORD: Mapping[Criterion, str] = {"log-loss": "log_loss", "accuracy": "zero_one_loss", "cost": "cost"}


@dataclass(frozen=True, repr=False)
class Leaderboard:
    """All candidates, the best first.

    Attributes
    ----------
    lines
        The candidates that were scored.
    winner
        The place of the one that was chosen.
    left_out
        The names of those that were not scored, each with the reason.
    criterion
        What they were compared by.
    rows, scored
        How many rows were learned, and of how many of them each was predicted without itself.
    folds
        How many folds the leaders were learned again in; 0 for none.

    Examples
    --------
    >>> line = Line("TAN", "TAN", 0.5, 0.01, 0.1, 0.003, nan, nan, 2, 4096)
    >>> print(Leaderboard((line,), 0, (), "log-loss", 1000, 1000, 0))
    Of 1,000 rows, each without itself:
         model  log-loss        wrong         memory  passes
    ────────────────────────────────────────────────────────
    1 *  TAN    0.5000 ± 0.010  10.0% ± 0.3%  4.1 kB       2
    """

    lines: tuple[Line, ...]
    winner: int
    left_out: tuple[tuple[str, str], ...]
    criterion: Criterion
    rows: int
    scored: int
    folds: int

    @property
    def best(self) -> Line:
        """The candidate that was chosen."""
        return self.lines[self.winner]

    def to_dict(self) -> dict[str, Any]:
        """Return all as strict JSON has it: NaN as None, an infinite loss as "Infinity"."""
        return {
            "criterion": self.criterion,
            "rows": self.rows,
            "scored": self.scored,
            "folds": self.folds,
            "winner": self.winner,
            "lines": [{key: json_value(value) for key, value in asdict(line).items()} for line in self.lines],
            "left_out": [list(pair) for pair in self.left_out],
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Leaderboard:
        """Return what `to_dict` was given."""
        lines = tuple(Line(**{key: _number(value) for key, value in line.items()}) for line in plain["lines"])
        left_out = tuple((str(name), str(reason)) for name, reason in plain["left_out"])
        counts = (int(plain[key]) for key in ("rows", "scored", "folds"))
        return cls(lines, int(plain["winner"]), left_out, plain["criterion"], *counts)

    def to_arrow(self) -> pa.Table:
        """Return a line for each candidate that was scored."""
        return pa.table({field.name: [getattr(line, field.name) for line in self.lines] for field in fields(Line)})

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self.lines)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text

        if self.scored:
            share = "" if self.scored == self.rows else f", {self.scored:,} of them taken at random"
            yield Text(f"Of {self.rows:,} rows{share}, each without itself:")
        yield self._table()
        if self.folds:
            yield Text(f"* the best in {self.folds} folds, with everything learned again in each.", style="dim")
        for name, reason in self.left_out:
            yield Text(f"{printable(name)} is left out: {printable(reason)}", style="dim")

    def _table(self) -> Any:
        from rich.text import Text

        table = slim_table()
        shown: list[Criterion] = ["log-loss", "accuracy"]
        if self.criterion == "cost":
            shown.append("cost")
        folds = bool(self.folds)
        table.add_column("")
        table.add_column("model", no_wrap=True)
        for criterion in shown:
            table.add_column(_HEADS[criterion], no_wrap=True)
        if folds:
            table.add_column(f"in {self.folds} folds", no_wrap=True)
        for head in ("memory", "passes"):
            table.add_column(head, justify="right", no_wrap=True)
        for place, line in enumerate(self.lines):
            mark, style = ("*", "bold") if place == self.winner else ("", "")
            cells = [f"{place + 1} {mark}", printable(line.name)]
            cells += [_measured(line.loss(one), line.error(one), one) for one in shown]
            if folds:
                by = self.criterion
                cells.append(_measured(line.loss(by, folds=True), line.error(by, folds=True), by))
            table.add_row(*(Text(cell, style=style) for cell in (*cells, _bytes(line.bytes), str(line.passes))))
        return table

    def __str__(self) -> str:
        return as_text(self, width=120)

    def __repr__(self) -> str:
        return f"<Leaderboard of {len(self)} candidates by {self.criterion}: {self.best.name}>"


_HEADS: Mapping[Criterion, str] = {"log-loss": "log-loss", "accuracy": "wrong", "cost": "cost"}


def _measured(value: float, error: float, criterion: Criterion) -> str:
    if isnan(value):
        return ""
    form, less = (".1%", ".1%") if criterion == "accuracy" else (".4f", ".3f")
    return f"{value:{form}}" + ("" if isnan(error) else f" ± {error:{less}}")


def _bytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{size / 1e3:,.1f} kB"


def _number(value: Any) -> Any:
    return nan if value is None else float(value) if value in ("Infinity", "-Infinity") else value


def ranked(lines: Sequence[Line], criterion: Criterion) -> list[int]:
    """Return the places of some candidates, which are in the order of how simple they are, the best first.

    Of equals the simpler one comes first; losses that differ by rounding are equal.

    Examples
    --------
    >>> lines = [Line(name, name, loss, *[0.0] * 5, 1, 0) for name, loss in [("a", 0.5), ("b", 0.3), ("c", 0.3)]]
    >>> ranked(lines, "log-loss")
    [1, 2, 0]
    """
    return sorted(range(len(lines)), key=lambda place: (float(f"{lines[place].loss(criterion):.12g}"), place))

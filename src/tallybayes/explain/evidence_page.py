"""Evidence as a person wants to read it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tallybayes._types import Bools
from tallybayes.decision.labels import is_missing
from tallybayes.decision.showing import printable

if TYPE_CHECKING:
    from tallybayes.explain.evidence import Evidence

_HALF = 10
"""The length of the longest bar, in cells of the page."""

_WIDEST = 28
"""How many cells of the page a name or a value takes at most."""


def page(found: Evidence, *, most_rows: int = 5, most_columns: int = 10, numbered: bool = True) -> Group:
    """Return the evidence of the first rows, with the columns that say most about each.

    Parameters
    ----------
    found
        The evidence.
    most_rows
        How many rows are shown.
    most_columns
        How many columns are shown for each; the others are added up in one line.
    numbered
        Whether the numbers of the rows are shown.
    """
    if not len(found):
        return Group("no rows")
    parts: list[RenderableType] = []
    for i in range(min(len(found), most_rows)):
        one = found[i]
        parts += [""] * bool(parts) + [_heading(one, numbered)]
        if one.against[0] is not None:
            parts += ["", _columns(one, most_columns)]
    more = len(found) - most_rows
    if more > 0:
        parts += ["", Text(f"and {more:,} more row{'s' * (more > 1)}", style="dim")]
    return Group(*parts)


def odds_in_words(log_odds: float) -> str:
    """Return odds as people state them.

    Examples
    --------
    >>> odds_in_words(math.log(764)), odds_in_words(-math.log(2.5)), odds_in_words(100.0)
    ('764 to 1', '1 to 2.5', '10^43 to 1')
    """
    size = abs(log_odds)
    if size == math.inf:
        return "certain" if log_odds > 0 else "impossible"
    if size < math.log(1e6):
        odds = f"{math.exp(size):.3g}" if size < math.log(100) else f"{math.exp(size):,.0f}"
    else:
        odds = f"10^{size / math.log(10):.0f}"
    return f"{odds} to 1" if log_odds >= 0 else f"1 to {odds}"


def _heading(one: Evidence, numbered: bool) -> Text:
    """Return which class of a row is weighed against which, how it comes out, and what rules a class out."""
    label, against, odds = _short(one.label[0]), _short(one.against[0]), float(one.log_odds[0])
    text = Text(f"row {one.rows[0]}: " if numbered else "").append(label, style="bold")
    if one.against[0] is None:
        return text.append(", the only class that the model knows")
    text.append(" rather than " if odds >= 0 else " against ").append(against, style="bold")
    sure = math.isinf(odds)
    text.append(f"\nP({label}) {_percent(one.probability[0], sure)}, ")
    text.append(f"P({against}) {_percent(one.probability_against[0], sure)}: {odds_in_words(odds)}")
    said = [
        _ruled_out(label, one, one.rules_out_label[0], by_prior=one.prior[0] == -math.inf),
        _ruled_out(against, one, one.rules_out_against[0], by_prior=one.prior[0] == math.inf),
    ]
    if one.set_aside[0]:
        said.append("Both have probability 0 for this row, so the prior answers.")
    note = " ".join(filter(None, said))
    return text.append(f"\n{note}", style="yellow") if note else text


def _ruled_out(label: str, one: Evidence, by: Bools, *, by_prior: bool) -> str:
    """Return what gives a class probability zero, in words; nothing where it is possible."""
    names = [_short(one.names[j]) for j in np.flatnonzero(by)] + (["the prior"] if by_prior else [])
    return f"{label} is ruled out by {_listed(names)}." if names else ""


def _columns(one: Evidence, most: int) -> Table:
    """Return the prior, the columns by the size of what they add, and the sum."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column()
    table.add_column()
    table.add_column("log odds", justify="right", no_wrap=True)
    table.add_column()
    added = one.contributions[0]
    ruling = one.rules_out_label[0] | one.rules_out_against[0]
    order = np.lexsort((-np.abs(added), ~ruling)).tolist()
    # What says nothing because it was set aside is not worth a line.
    most = min(most, int(ruling.sum())) if one.set_aside[0] else most
    shown, rest = order[:most], order[most:]
    last = [] if one.remainder is None else [float(one.remainder[0])]
    sizes = np.abs([one.prior[0], *added[shown], *last])
    scale = sizes[np.isfinite(sizes)].max(initial=0.0)
    table.add_row(_cell("prior", "dim"), "", _number(one.prior[0]), _bar(one.prior[0], scale))
    for j in shown:
        raw = one.values[j][0]
        value = _cell("missing", "dim") if is_missing(raw) else _cell(raw)
        table.add_row(_cell(one.names[j]), value, _number(added[j]), _said(one, j) or _bar(added[j], scale))
    if rest:
        table.add_row(_cell(f"and {len(rest)} more", "dim"), "", _number(math.fsum(added[rest])), "")
    for number in last:
        table.add_row(_cell("remainder", "dim"), "", _number(number), _bar(number, scale))
    table.add_row(_cell("together", "bold"), "", _number(one.log_odds[0]), "")
    return table


def _said(one: Evidence, j: int) -> Text | None:
    """Return what is to be said of a column instead of a bar."""
    label, against = _short(one.label[0]), _short(one.against[0])
    if one.rules_out_label[0, j]:
        said = "rules out both" if one.rules_out_against[0, j] else f"rules out {label}"
    elif one.rules_out_against[0, j]:
        said = f"rules out {against}"
    elif one.contributions[0, j] == 0 and is_missing(one.values[j][0]):
        said = "says nothing"
    else:
        return None
    return _cell(said, "yellow")


def _bar(number: float, scale: float) -> Text:
    """Return a bar to the right for the label, to the left for the other class, half a cell exact."""
    halves = round(2 * _HALF * abs(number) / scale) if scale > 0 and math.isfinite(number) else 0
    whole, half = divmod(halves, 2)
    left = "▐" * half + "█" * whole if number < 0 else ""
    right = "█" * whole + "▌" * half if number > 0 else ""
    text = Text(no_wrap=True, overflow="crop").append(left.rjust(_HALF), style="red")
    return text.append("│").append(right, style="green")


def _cell(content: object, style: str = "") -> Text:
    """Return a name or a value on one line, cut off where the page ends."""
    return Text(_short(content), style=style, no_wrap=True, overflow="ellipsis")


def _short(content: object) -> str:
    """Return a text as one line of no more cells than fit."""
    text = Text(printable(str(content)[: 4 * _WIDEST]))
    text.truncate(_WIDEST, overflow="ellipsis")
    return text.plain


def _listed(names: Sequence[str]) -> str:
    """Return names in words, cut off where there are too many."""
    *most, last = names if len(names) <= 5 else [*names[:4], f"{len(names) - 4} more"]
    return f"{', '.join(most)} and {last}" if most else last


def _number(number: float) -> str:
    if math.isinf(number):
        return "+∞" if number > 0 else "-∞"
    if number == 0:
        return "0"
    return f"{number:+,.2f}" if abs(number) < 1e6 else f"{number:+.3g}"


def _percent(probability: float, sure: bool) -> str:
    if sure and probability in (0.0, 1.0):
        return f"= {probability:.0%}"
    if probability < 0.0001:
        return "< 0.01%"
    if probability > 0.9999:
        return "> 99.99%"
    return f"= {probability:.1%}" if 0.01 < probability < 0.99 else f"= {probability:.2%}"

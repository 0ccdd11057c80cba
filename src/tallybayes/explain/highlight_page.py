"""A highlighted text on the terminal and in HTML."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Group
from rich.text import Text

from tallybayes.decision.showing import printable
from tallybayes.explain.evidence_page import page as evidence_page

if TYPE_CHECKING:
    from tallybayes.explain.highlight import Highlight

_STEPS = (0.05, 0.3, 0.6)
"""Shares of the strongest character from which on a character is shown weakly, plainly and strongly."""

_FOR, _AGAINST = ("green", "bold green", "bold reverse green"), ("red", "bold red", "bold reverse red")
_GREEN, _RED = "46,160,67", "218,54,51"


def page(found: Highlight, *, most_terms: int = 10) -> Group:
    """Return the text, green where it speaks for the class and red where it speaks against it, and the terms.

    Parameters
    ----------
    found
        The highlight.
    most_terms
        How many terms are listed.
    """
    text = Text()
    for part, share, _ in _runs(found):
        step = sum(abs(share) >= least for least in _STEPS)
        style = "" if step == 0 else (_FOR if share > 0 else _AGAINST)[step - 1]
        text.append(_safe(part), style=style)
    return Group(text, "", evidence_page(found.evidence, most_columns=most_terms, numbered=False))


def html(found: Highlight) -> str:
    """Return a ``div`` with inline styles alone."""
    label, against = escape(printable(found.label)), escape(printable(found.against))
    parts = []
    for part, share, strength in _runs(found):
        if abs(share) < _STEPS[0]:
            parts.append(escape(part))
            continue
        colour = f"rgba({_GREEN if share > 0 else _RED},{0.1 + 0.6 * abs(share):.2f})"
        style = f"background-color:{colour};border-radius:2px"
        parts.append(f'<span style="{style}" title="{strength:+.2f}">{escape(part)}</span>')
    title = f"<strong>{label}</strong>"
    if found.against is not None:
        title += f" rather than {against}: log odds {found.log_odds:+.2f}"
        title += f", of which the prior {float(found.evidence.prior[0]):+.2f}"
    return (
        '<div style="font-family:sans-serif;line-height:1.6">'
        f'<p style="margin:0 0 0.5em">{title}</p>'
        f'<p style="margin:0;white-space:pre-wrap;overflow-wrap:anywhere">{"".join(parts)}</p></div>'
    )


def _runs(found: Highlight) -> Iterator[tuple[str, float, float]]:
    """Yield parts of the text with their strengths, as shares of the greatest and as they are."""
    strength = found.strength
    if not len(strength):
        return
    most = float(np.abs(strength).max()) or 1.0
    bounds = [0, *(np.flatnonzero(np.diff(strength)) + 1).tolist(), len(strength)]
    for begin, end in pairwise(bounds):
        number = float(strength[begin])
        yield found.text[begin:end], number / most, number


def _safe(part: str) -> str:
    """Return a part of a text with its lines, and without what a terminal takes for a command."""
    return "\n".join(printable(line) for line in part.replace("\t", " ").split("\n"))

"""A graph of columns as a picture: from left to right, each column to the right of all that it depends on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from tallybayes._types import Name
from tallybayes.structure.graph_text import shown

if TYPE_CHECKING:
    from tallybayes.structure.graph import Graph

_CELL, _HIGH, _PAD, _GAP, _STEP = 7.6, 26.0, 10.0, 56.0, 36.0
"""The width of a letter, the height of a box, the room beside its words, between layers, and from line to line."""

_WIDEST = 24
"""How many letters of a name are shown, those of Chinese counting as two."""

_STYLE = (
    "text{font:13px 'DejaVu Sans Mono','Noto Sans Mono CJK SC','Microsoft YaHei',monospace;fill:#1b1f24;"
    "text-anchor:middle;dominant-baseline:central}"
    "rect{fill:#fff;stroke:#57606a;stroke-width:1.2}.class rect{fill:#ddf4ff;stroke:#0969da;stroke-width:1.6}"
    "path{fill:none;stroke:#57606a;stroke-width:1.4}.given path{stroke:#9ec5ea;stroke-width:1;stroke-dasharray:3 3}"
)


@dataclass(frozen=True)
class _Box:
    """Where a node stands: its middle line, its left side and its width."""

    x: float
    y: float
    width: float
    words: str


def svg(graph: Graph) -> str:
    """Return the graph as SVG; the arrows of the class are pale."""
    layer = _layers(graph)
    boxes = _placed(graph, layer)
    width = max(box.x + box.width for box in boxes.values()) + _PAD
    height = max(box.y for box in boxes.values()) + _HIGH / 2 + _PAD
    given = [_arrow(boxes[a], boxes[b], "soft") for a, b in graph.edges if a == graph.root]
    columns = [
        [boxes[name] for name in graph.nodes if layer[name] == depth] for depth in range(max(layer.values()) + 1)
    ]
    arrows = [
        _arrow(boxes[a], boxes[b], "firm", columns[layer[a] + 1 : layer[b]]) for a, b in graph.edges if a != graph.root
    ]
    nodes = [_node(name, box, is_class=name == graph.root) for name, box in boxes.items()]
    size = f'width="{width:.0f}" height="{height:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width:.0f} {height:.0f}" role="img">'
    tips = f"<defs>{_tip('firm', '#57606a')}{_tip('soft', '#9ec5ea')}</defs>"
    page = f'<rect {size} style="fill:#fff;stroke:none"/>'
    pale = f'<g class="given">{"".join(given)}</g>'
    return "\n".join([head, f"<style>{_STYLE}</style>", tips, page, pale, *arrows, *nodes, "</svg>"])


def _placed(graph: Graph, layer: Mapping[Name, int]) -> Mapping[Name, _Box]:
    """Return where each node stands: in the layer after all that it depends on, beside what depends on it."""
    words = {name: _cut(shown(name)) for name in graph.nodes}
    widths = {name: _CELL * _cells(text) + 2 * _PAD for name, text in words.items()}
    left = [_PAD]
    for depth in range(max(layer.values()) + 1):
        left.append(left[-1] + max(widths[name] for name in graph.nodes if layer[name] == depth) + _GAP)
    lines = _lines(graph, layer)
    return {
        name: _Box(left[layer[name]], _PAD + _HIGH / 2 + _STEP * lines[name], widths[name], words[name])
        for name in graph.nodes
    }


def _layers(graph: Graph) -> dict[Name, int]:
    """Return how long the longest way from the class to each node is."""
    layer = dict.fromkeys(graph.nodes, 0)
    below: dict[Name, list[Name]] = {name: [] for name in graph.nodes}
    open_ = dict.fromkeys(graph.nodes, 0)
    for a, b in graph.edges:
        below[a].append(b)
        open_[b] += 1
    ready = [name for name in graph.nodes if not open_[name]]
    while ready:
        name = ready.pop()
        for child in below[name]:
            layer[child] = max(layer[child], layer[name] + 1)
            open_[child] -= 1
            if not open_[child]:
                ready.append(child)
    return layer


def _lines(graph: Graph, layer: Mapping[Name, int]) -> dict[Name, float]:
    """Return the line of each node: a line of its own for what nothing depends on, for others the middle of those.

    A node hangs from the one of those that it depends on which is nearest to it, so that arrows are short.
    """
    below: dict[Name, list[Name]] = {name: [] for name in graph.nodes}
    for name in graph.nodes[1:]:
        below[max(graph.parents[name], key=lambda above: layer[above], default=graph.root)].append(name)
    line: dict[Name, float] = {}
    free, waiting = 0.0, [(graph.root, False)]
    while waiting:
        name, done = waiting.pop()
        if done:
            line[name] = (line[below[name][0]] + line[below[name][-1]]) / 2
        elif below[name]:
            waiting += [(name, True), *((child, False) for child in reversed(below[name]))]
        else:
            line[name] = free
            free += 1.0
    return line


def _arrow(a: _Box, b: _Box, tip: str, between: Sequence[Sequence[_Box]] = ()) -> str:
    """Return an arrow, which passes between the boxes of the layers that it crosses."""
    points = [(a.x + a.width, a.y)]
    for boxes in between:
        left, right = min(box.x for box in boxes), max(box.x + box.width for box in boxes)
        share = (left - points[0][0]) / (b.x - points[0][0])
        y = _free(a.y + share * (b.y - a.y), [box.y for box in boxes])
        points += [(left, y), (right, y)]
    points.append((b.x - 1, b.y))
    parts = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for k, ((x, y), (to, at)) in enumerate(pairwise(points)):
        bend = (to - x) / 2
        parts.append(
            f"L{to:.1f} {at:.1f}" if k % 2 else f"C{x + bend:.1f} {y:.1f} {to - bend:.1f} {at:.1f} {to:.1f} {at:.1f}"
        )
    return f'<path d="{"".join(parts)}" marker-end="url(#{tip})"/>'


def _free(wanted: float, taken: Sequence[float]) -> float:
    """Return the place nearest to one that is wanted at which a line meets no box."""
    room = _STEP / 2 - 2
    places = [wanted, *(y + side * _STEP / 2 for y in taken for side in (-1, 1))]
    return min((y for y in places if all(abs(y - box) >= room for box in taken)), key=lambda y: abs(y - wanted))


def _tip(name: str, colour: str) -> str:
    return (
        f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0L8 4L0 8z" style="fill:{colour};stroke:none"/></marker>'
    )


def _node(name: Name, box: _Box, *, is_class: bool) -> str:
    group = '<g class="class">' if is_class else "<g>"
    return (
        f"{group}<title>{escape(shown(name))}</title>"
        f'<rect x="{box.x:.1f}" y="{box.y - _HIGH / 2:.1f}" width="{box.width:.1f}" height="{_HIGH:.0f}" rx="6"/>'
        f'<text x="{box.x + box.width / 2:.1f}" y="{box.y:.1f}">{escape(box.words)}</text></g>'
    )


def _cells(text: str) -> int:
    return sum(2 if east_asian_width(c) in "WF" else 1 for c in text)


def _cut(text: str) -> str:
    if _cells(text) <= _WIDEST:
        return text
    while _cells(text) > _WIDEST - 1:
        text = text[:-1]
    return text + "…"

"""Graphs as lines, as DOT and as SVG: any names, any shape, nothing over anything else."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallybayes as tb
from tallybayes.structure.graph import Graph

SVG = "{http://www.w3.org/2000/svg}"


@st.composite
def graphs(draw):
    """Graphs of up to 12 columns, each of which depends on some before it."""
    n = draw(st.integers(0, 12))
    edges = [(a, b) for b in range(1, n) for a in draw(st.lists(st.integers(0, b - 1), max_size=3, unique=True))]
    return Graph.of_columns("class", range(n), edges)


def boxes(picture):
    """Return the sides of the boxes, by the titles of their nodes."""
    found = {}
    for group in ElementTree.fromstring(picture).iter(f"{SVG}g"):
        title, rect = group.find(f"{SVG}title"), group.find(f"{SVG}rect")
        if title is not None:
            x, y, width, height = (float(rect.get(key)) for key in ("x", "y", "width", "height"))
            found[title.text] = (x, y, x + width, y + height)
    return found


@given(graphs())
def test_boxes_do_not_touch_and_arrows_lead_to_the_right(graph):
    found = boxes(graph.to_svg())
    assert found.keys() == {str(name) for name in graph.nodes}
    sides = list(found.values())
    for i, one in enumerate(sides):
        for other in sides[:i]:
            apart = one[0] >= other[2] or other[0] >= one[2] or one[1] >= other[3] or other[1] >= one[3]
            assert apart
    for above, below in graph.edges:
        assert found[str(above)][2] < found[str(below)][0]


@given(graphs())
def test_arrows_that_cross_a_layer_pass_between_its_boxes(graph):
    picture = graph.to_svg()
    sides = list(boxes(picture).values())
    paths = [p.get("d") for p in ElementTree.fromstring(picture).findall(f"{SVG}path")]
    assert len(paths) == len([edge for edge in graph.edges if edge[0] != "class"])
    for path in paths:
        for before, after in pairwise(re.findall(r"[MCL][^MCL]*", path)):
            if not after.startswith("L"):
                continue
            (left, y), (right, same) = (map(float, part[1:].split()[-2:]) for part in (before, after))
            assert y == same
            assert not any(x < right and left < z and top < y < bottom for x, top, z, bottom in sides)


@given(graphs())
def test_every_node_is_in_one_line_and_one_dot_node(graph):
    names = [re.sub(r"^[│├└─ ]*", "", line).split("  (and")[0] for line in str(graph).splitlines()]
    assert sorted(names) == sorted(map(str, graph.nodes))
    text = graph.to_dot()
    assert re.findall(r'^ *n\d+ \[label="([^"]*)"', text, re.MULTILINE) == list(map(str, graph.nodes))
    arrows = re.findall(r"^ *n(\d+) -> n(\d+)", text, re.MULTILINE)
    assert [(graph.nodes[int(a)], graph.nodes[int(b)]) for a, b in arrows] == list(graph.edges)


def test_further_parents_are_named_beside_a_node():
    graph = Graph.of_columns("y", ("a", "b", "c"), [("a", "b"), ("a", "c"), ("b", "c")])
    assert str(graph) == "y\n└── a\n    ├── b\n    └── c  (and b)"
    assert graph.parents == {"y": (), "a": (), "b": ("a",), "c": ("a", "b")}


def test_names_of_all_sorts():
    odd = ('a "quoted" \\ name', "<b> & co", "two\nlines", "好瓜的色泽与根蒂与敲声与纹理与脐部", "\x1b[31m", "")
    graph = Graph.of_columns("y", odd, [(odd[0], odd[1])])
    titles = boxes(graph.to_svg())
    assert list(titles) == ["y", odd[0], odd[1], "two\\nlines", odd[3], "\\x1b[31m", None]
    assert "好瓜的色泽与根蒂与敲声…" in graph.to_svg()
    assert '[label="a \\"quoted\\" \\\\ name"]' in graph.to_dot()
    assert "two\\nlines" in str(graph)
    assert "\x1b" not in str(graph) + graph.to_dot() + graph.to_svg()


def test_long_chains_and_wide_stars():
    n = 3000
    chain = Graph.of_columns("y", range(n), [(i, i + 1) for i in range(n - 1)])
    star = Graph.of_columns("y", range(n), [(0, i) for i in range(1, n)])
    assert str(chain).count("\n") == str(star).count("\n") == n
    assert len(boxes(star.to_svg())) == n + 1


def test_the_network_of_a_model():
    rows = [{"p": "u", "q": "u"}, {"p": "v", "q": "v"}]
    model = tb.SPODE(superparent="q").fit(rows, ["a", "b"])
    assert model.network() == Graph(("class", "p", "q"), (("class", "p"), ("class", "q"), ("q", "p")))
    assert model.network()._repr_svg_() == model.network().to_svg()
    labelled = [{**row, "kind": label} for row, label in zip(rows, "ab", strict=True)]
    assert tb.TAN().fit(labelled, "kind").network().root == "kind"
    assert tb.TAN().fit([{"class": "u"}, {"class": "v"}], ["a", "b"]).network().nodes == ("(class)", "class")
    with pytest.raises(tb.errors.NotFittedError):
        tb.TAN().network()

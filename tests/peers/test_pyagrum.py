"""TAN beside pyAgrum's: the same tree, the same weight, and the same posteriors, with cells missing, too.

pyAgrum's learner makes a forest: it leaves out edges that weigh less than half of what the pairs weigh on average, and
roots each part at the column that says most of the class. The columns here depend on one another strongly enough for a
whole tree, and ours is rooted where theirs is.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import tallybayes as tb

gum = pytest.importorskip("pyagrum", reason="pip install pyagrum")
pytestmark = [
    pytest.mark.peers,
    pytest.mark.filterwarnings("ignore:.*:DeprecationWarning"),
]

NAMES = [f"x{j}" for j in range(6)]


@pytest.fixture(scope="module")
def table():
    """Rows whose columns follow a tree: 0 - 1, 0 - 2, 2 - 3, 2 - 4, 4 - 5."""
    rng = np.random.default_rng(20)
    n = 1500
    y = rng.integers(0, 3, n)
    x = [(y + (rng.random(n) < 0.6) * rng.integers(0, 3, n)) % 3]
    for above in (0, 0, 2, 2, 4):
        own = (x[above] + (y == 1) + (rng.random(n) < 0.45) * rng.integers(0, 4, n)) % 4
        x.append(own)
    frame = pd.DataFrame({name: [f"v{value}" for value in column] for name, column in zip(NAMES, x, strict=True)})
    frame["y"] = [f"c{c}" for c in y]
    return frame


@pytest.fixture(scope="module")
def theirs(table):
    from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor
    from pyagrum.skbn import BNClassifier

    model = BNClassifier(
        type_processor=DiscreteTypeProcessor(), learningMethod="TAN", prior="Smoothing", priorWeight=1.0
    )
    model.fit(table[NAMES], table["y"])
    return model.bn_


def arcs(bn):
    found = [(bn.variable(a).name(), bn.variable(b).name()) for a, b in bn.arcs()]
    return [(a, b) for a, b in found if a != "y"]


@pytest.fixture(scope="module")
def ours(table, theirs):
    children = {b for _, b in arcs(theirs)}
    (root,) = set(NAMES) - children
    return tb.TAN(root=root).fit(table, "y")


def test_the_tree_is_the_same(table, theirs, ours):
    edges = [edge for edge in ours.network().edges if edge[0] != "y"]
    assert len(edges) == 5
    assert sorted(edges) == sorted(arcs(theirs))


def test_the_tree_weighs_the_same(table, theirs, ours):
    learner = gum.BNLearner(table)
    bits = sum(learner.mutualInformation(a, b, ["y"]) for a, b in arcs(theirs))
    assert ours.tree_weight_ == pytest.approx(bits * math.log(2), rel=1e-9)


@pytest.mark.parametrize("holes", [0.0, 0.3, 0.8])
def test_posteriors_are_the_same(table, theirs, ours, holes):
    rng = np.random.default_rng(3)
    asked = table[NAMES][:60].astype(object)
    asked = asked.mask(rng.random(asked.shape) < holes, None)
    engine = gum.LazyPropagation(theirs)
    expected = []
    for row in asked.to_dict("records"):
        engine.setEvidence({name: value for name, value in row.items() if value is not None})
        engine.makeInference()
        posterior = engine.posterior("y")
        expected.append([posterior[{"y": label}] for label in ours.classes_.tolist()])
    np.testing.assert_allclose(ours.predict_proba(asked), expected, rtol=1e-9, atol=1e-12)


def test_shares_are_the_same(theirs, ours):
    joint = ours._joint()
    for j, name in enumerate(NAMES):
        above = joint.parents[j]
        table = theirs.cpt(name)
        values = joint._columns.tally.values
        for c, label in enumerate(ours.classes_.tolist()):
            for v, value in enumerate(values[j]):
                for w, given in enumerate([None] if above is None else values[above]):
                    at = {"y": label, name: value} | ({} if above is None else {NAMES[above]: given})
                    share = joint.families[j].shares[(v, c) if above is None else (w, v, c)]
                    assert share == pytest.approx(table[at], rel=1e-9)

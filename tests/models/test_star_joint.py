"""SPODE with numbers that are normal given the class and the super-parent, against sums over everything."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import norm

import tallybayes as tb
from tallybayes.errors import MergeError
from tests.models.dependence_reference import Reference

pytestmark = pytest.mark.filterwarnings("ignore::tallybayes.errors.TallyBayesWarning")

KINDS = {"p": "categorical", "q": "categorical", "x": "numeric", "z": "numeric"}
NUMBERS = (0.0, 1.0, 2.5, 1000.0, 1001.0)


def table(rows):
    types = {"p": pa.string(), "q": pa.string(), "x": pa.float64(), "z": pa.float64()}
    return pa.table({name: pa.array([row[name] for row in rows], of) for name, of in types.items()})


@st.composite
def tasks(draw):
    cell, number = st.sampled_from([None, "u", "v"]), st.sampled_from([None, *NUMBERS])
    row = st.fixed_dictionaries({"p": cell, "q": cell, "x": number, "z": number})
    rows = draw(st.lists(row, min_size=1, max_size=10))
    n = len(rows)
    labels = [draw(st.sampled_from("ab")), *(draw(st.sampled_from([None, "a", "b"])) for _ in range(n - 1))]
    weights = draw(st.none() | st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.25]), min_size=n, max_size=n))
    if weights is not None:
        weights[0] = 1.5
    odd = st.sampled_from([None, "u", "v", "never seen"])
    asked = st.fixed_dictionaries({"p": odd, "q": odd, "x": number, "z": number})
    return rows, labels, weights, draw(st.lists(asked, max_size=4)), draw(st.sampled_from([1.0, 0.25, 0.0]))


def fitted(task):
    rows, labels, weights, _, smoothing = task
    model = tb.SPODE(superparent="p", numeric="gaussian", columns=KINDS, smoothing=smoothing)
    return model.fit(
        table(rows), np.array(labels, object), sample_weight=None if weights is None else np.array(weights)
    )


def reference(task):
    rows, labels, weights, _, smoothing = task
    weights = [1.0] * len(rows) if weights is None else weights
    return Reference(rows, labels, weights, {"p": (), "q": ("p",)}, smoothing, "p")


def moments(cells):
    weight = math.fsum(w for _, w in cells)
    mean = math.fsum(w * x for x, w in cells) / weight if weight else 0.0
    return weight, mean, math.fsum(w * (x - mean) ** 2 for x, w in cells)


def shrunk(cells, extra, mean, variance):
    """Return mean and variance of the cells and of `extra` more of a distribution."""
    weight, own, spread = moments(cells)
    if weight == 0:
        return mean, variance
    total = weight + extra
    moved = (weight * own + extra * mean) / total
    if extra == 0 and spread == 0 and weight <= 1:
        return moved, variance
    return moved, (spread + extra * variance + weight * extra / total * (own - mean) ** 2) / total


def log_normal(by, name, number, value, c):
    """Return log p(number | c, value of p), from the rows in which p is there."""
    there = [(row[name], row["p"], k, w) for row, k, w in by.learned if None not in (row[name], row["p"])]
    if number is None or not there:
        return 0.0
    weight, mean, spread = moments([(x, w) for x, _, _, w in there])
    overall = spread / weight
    least = 1e-9 * (overall if overall > 0 else mean**2 if mean else 1.0)
    mean, variance = shrunk([(x, w) for x, _, k, w in there if k == c], by.smoothing, mean, max(overall, least))
    own = [(x, w) for x, v, k, w in there if k == c and v == value]
    mean, variance = shrunk(own, by.smoothing, mean, variance)
    return norm.logpdf(number, mean, math.sqrt(max(variance, least)))


def log_joint(by, row):
    """Return log p(x, c), the super-parent summed out where it is not known."""
    logs = []
    for c in by.classes:
        parts = []
        seen = row["p"] in by.values["p"]
        for value in [row["p"]] if seen else by.values["p"]:
            share = by.joint({**row, "p": value}, c)
            if not seen and row["p"] is not None:
                share *= by.share("p", "never seen", {}, c)
            normal = sum(log_normal(by, name, row[name], value, c) for name in ("x", "z"))
            parts.append((math.log(share) if share > 0 else -math.inf) + normal)
        if not by.values["p"]:
            share = by.joint(row, c)
            parts = [math.log(share) if share > 0 else -math.inf]
        logs.append(logsumexp(parts))
    return logs


def close(ours, theirs):
    # A density that is all but a peak has a large logarithm.
    np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-9)


@settings(max_examples=80)
@given(tasks())
def test_the_log_joint_is_the_sum_over_the_super_parent(task):
    model, by = fitted(task), reference(task)
    asked = [*task[3], *task[0]]
    close(model.predict_joint_log_proba(table(asked)), [log_joint(by, row) for row in asked])


@settings(max_examples=50)
@given(tasks())
def test_a_row_left_out_is_the_model_without_it(task):
    rows, labels, weights = task[:3]
    model, by = fitted(task), reference(task)
    weights = None if weights is None else np.array(weights)
    joint, pieces, encode = model._asked(table(rows), np.array(labels, object), weights)
    batch = encode(next(pieces))
    got = joint.left_out(batch)
    for i, row in enumerate(rows):
        learned = labels[i] is not None and (weights is None or weights[i] > 0)
        close(got[i], log_joint(by.without(i) if learned else by, row))


@settings(max_examples=30)
@given(tasks())
def test_a_contribution_is_the_joint_with_a_column_less_that_without_it(task):
    model, by = fitted(task), reference(task)
    asked = [*task[3], *task[0]]
    joint, pieces, encode = model._asked(table(asked))
    got = joint.contributions(encode(next(pieces)))
    for i, row in enumerate(asked):
        whole = np.array(log_joint(by, row))
        for j, name in enumerate(KINDS):
            rest = np.array(log_joint(by, {**row, name: None}))
            sure = np.isfinite(whole) & np.isfinite(rest)
            # Of numbers far out, the logarithms are so large that their difference is rounded to some of their digits.
            rounding = 1e-15 * max(np.abs(whole[sure]).max(initial=0.0), np.abs(rest[sure]).max(initial=0.0))
            np.testing.assert_allclose(got[i, j][sure], whole[sure] - rest[sure], rtol=1e-7, atol=1e-7 + rounding)
            assert not np.isnan(got[i, j]).any()


def test_numbers_that_were_never_learned_cannot_be_left_out():
    rows = [{"p": "u", "q": "v", "x": 1.0, "z": 2.0}, {"p": "u", "q": "u", "x": 3.0, "z": 1.0}]
    model = tb.SPODE(superparent="p", numeric="gaussian", columns=KINDS).fit(table(rows), ["a", "b"])
    joint, pieces, encode = model._asked(table([{**rows[0], "x": 9.0}]), ["a"])
    with pytest.raises(MergeError, match="'x' has other numbers"):
        joint.left_out(encode(next(pieces)))


def test_auto_keeps_the_moments_of_what_it_chose(rng, tmp_path):
    n = 300
    r = rng.choice(["u", "v", "w"], n)
    y = rng.choice(["a", "b"], n)
    x = np.where(r == "u", 5.0, 0.0) * np.where(y == "a", 1, -1) + rng.normal(size=n)  # of which y alone says little
    table = {"p": rng.choice(["k", "l"], n), "r": r, "s": rng.choice(["k", "l"], n), "x": x, "y": y}
    model = tb.SPODE(numeric="gaussian").fit(pa.table(table), "y")
    assert model.superparent_ == "r"
    assert sorted(model.tallies_) == ["classes", "given r", "together"]
    assert model.tallies_["together"].groups == ((0, 1), (1, 2))
    named = tb.SPODE(superparent="r", numeric="gaussian").fit(pa.table(table), "y")
    del table["y"]
    np.testing.assert_array_equal(model.predict_proba(table := pa.table(table)), named.predict_proba(table))
    assert ("r", "x") in model.network().edges
    model.save(tmp_path / "m.tally")
    again = tb.load(tmp_path / "m.tally")
    np.testing.assert_array_equal(again.predict_proba(table), model.predict_proba(table))
    again.partial_fit(table, y)
    assert again.superparent_ == "r"
    drawn, labels = model.sample(20_000, random_state=1)
    x, r = drawn["x"].to_numpy(), np.array(drawn["r"].to_pylist())
    assert x[(r == "u") & (labels == "a")].mean() == pytest.approx(5.0, abs=0.3)
    assert x[(r == "u") & (labels == "b")].mean() == pytest.approx(-5.0, abs=0.3)
    shown = dict(model.summary().digests_of("x")[0][1])
    assert shown["given"] == "r"

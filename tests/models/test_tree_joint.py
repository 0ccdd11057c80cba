"""TAN and SPODE against sums over everything, on small random rows with missing cells, weights and unseen values."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tallybayes as tb
from tallybayes.errors import MergeError
from tests.models.dependence_reference import Reference

pytestmark = pytest.mark.filterwarnings("ignore::tallybayes.errors.TallyBayesWarning")

NAMES = ("p", "q", "r", "s")
KINDS = dict.fromkeys(NAMES, "categorical")
LABELS = ("a", "b", "c")


def table(rows, names):
    return pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in names})


@st.composite
def tasks(draw):
    """Rows, labels and weights, of which at least one row takes part, and questions with unseen values."""
    names = NAMES[: draw(st.integers(1, 4))]
    cells = st.sampled_from([None, "u", "v", "w"])
    row = st.fixed_dictionaries(dict.fromkeys(names, cells))
    rows = draw(st.lists(row, min_size=1, max_size=12))
    n = len(rows)
    labels = [
        draw(st.sampled_from(LABELS)),
        *draw(st.lists(st.sampled_from([None, *LABELS]), min_size=n - 1, max_size=n - 1)),
    ]
    weights = draw(st.none() | st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.25]), min_size=n, max_size=n))
    if weights is not None:
        weights[0] = 1.5
    asked = st.fixed_dictionaries(dict.fromkeys(names, st.sampled_from([None, "u", "v", "w", "never seen"])))
    questions = draw(st.lists(asked, min_size=1, max_size=6))
    smoothing = draw(st.sampled_from([1.0, 0.25, 0.0]))
    missing = draw(st.sampled_from(["marginalize", "category"]))
    return names, rows, labels, weights, questions, smoothing, missing


def fitted(task, make):
    names, rows, labels, weights, _, smoothing, missing = task
    model = make(columns=dict.fromkeys(names, "categorical"), smoothing=smoothing, missing=missing)
    weights = None if weights is None else np.array(weights)
    return model.fit(table(rows, names), np.array(labels, dtype=object), sample_weight=weights)


def reference(task, model, superparent=None):
    names, rows, labels, weights, _, smoothing, missing = task
    above = dict.fromkeys(names, ())
    for a, b in model.network().edges:
        if a in names:
            above[b] = (*above[b], a)
    weights = [1.0] * len(rows) if weights is None else weights
    return Reference(rows, labels, weights, above, smoothing, superparent, missing == "category")


def tan(**options):
    return tb.TAN(**options)


def spode(**options):
    return tb.SPODE(superparent="p", **options)


MAKERS = pytest.mark.parametrize(("make", "above"), [(tan, None), (spode, "p")], ids=["tan", "spode"])


def close(ours, theirs):
    np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10)


@MAKERS
@settings(max_examples=100)
@given(task=tasks())
def test_the_log_joint_is_the_sum_over_what_is_not_known(make, above, task):
    model = fitted(task, make)
    expected = reference(task, model, above)
    assert model.classes_.tolist() == expected.classes
    questions = task[4] + list(task[1])
    close(model.predict_joint_log_proba(table(questions, task[0])), [expected.log_joint(row) for row in questions])


@MAKERS
@settings(max_examples=25)
@given(task=tasks())
def test_it_is_a_distribution(make, above, task):
    model = fitted(task, make)
    expected = reference(task, model, above)
    if task[-1] == "category" or not all(expected.values.values()):
        return
    everything = [dict(zip(task[0], cells, strict=True)) for cells in product(*expected.values.values())]
    assert np.exp(model.score_samples(table(everything, task[0]))).sum() == pytest.approx(1.0, rel=1e-12)


@MAKERS
@settings(max_examples=40)
@given(task=tasks())
def test_a_contribution_is_the_joint_with_a_column_less_that_without_it(make, above, task):
    names, missing = task[0], task[-1]
    model = fitted(task, make)
    joint, pieces, encode = model._asked(table(task[4], names))
    got = joint.contributions(encode(next(pieces)))
    expected = reference(task, model, above)
    for i, row in enumerate(task[4]):
        whole = np.array(expected.log_joint(row))
        for j, name in enumerate(names):
            if row[name] is None and missing == "marginalize":
                assert not got[i, j].any()
                continue
            rest = np.array(without_column(expected, row, name))
            with np.errstate(invalid="ignore"):
                by_hand = whole - rest
            sure = np.isfinite(rest) & np.isfinite(whole)
            close(got[i, j][sure], by_hand[sure])
            # Where the class is impossible for this column alone, and where it is so anyway.
            assert np.isneginf(got[i, j][np.isneginf(whole) & np.isfinite(rest)]).all()
            assert not np.isnan(got[i, j]).any()


def without_column(expected, row, name):
    """Return log p(x, c) with a column summed out, also where a missing cell is a value."""
    hidden = [dict(row) | {name: value} for value in expected.values[name]] or [row]
    logs = []
    for c in expected.classes:
        total = sum(expected.joint(filled, c) for filled in hidden)
        logs.append(math.log(total) if total > 0 else -math.inf)
    return logs


@MAKERS
@settings(max_examples=40)
@given(task=tasks())
def test_the_evidence_and_the_remainder_add_up(make, above, task):
    model = fitted(task, make)
    asked = table(task[4], task[0])
    found = model.explain(asked)
    if len(model.classes_) < 2:
        assert (found.log_odds == np.inf).all()
        return
    log_posterior = model.predict_log_proba(asked)
    place = {label: c for c, label in enumerate(model.classes_.tolist())}
    lines = found.table.to_pydict()
    sums = {}
    for row, part in zip(lines["row"], lines["contribution"], strict=True):
        sums[row] = sums.get(row, 0.0) + part
    assert lines["column"].count("(remainder)") == len(task[4])
    for i in range(len(found)):
        a, b = (log_posterior[i, place[label]] for label in (found.label[i], found.against[i]))
        if np.isfinite([a, b]).all():
            assert sums[i] == pytest.approx(a - b, rel=1e-9, abs=1e-9)
            assert found.log_odds[i] == pytest.approx(a - b, rel=1e-9, abs=1e-9)
        elif not found.set_aside[i]:
            assert found.log_odds[i] == math.inf if a > b else -math.inf


@MAKERS
@settings(max_examples=60)
@given(task=tasks())
def test_a_row_left_out_is_the_model_without_it(make, above, task):
    names, rows, labels, weights = task[:4]
    model = fitted(task, make)
    expected = reference(task, model, above)
    weights = None if weights is None else np.array(weights)
    joint, pieces, encode = model._asked(table(rows, names), np.array(labels, dtype=object), weights)
    batch = encode(next(pieces))
    got, parts = joint.left_out(batch), joint.left_out_contributions(batch)
    np.testing.assert_allclose(joint.left_out_log_prior(batch) + parts.sum(axis=1), got, rtol=1e-12, atol=1e-12)
    for i in range(len(rows)):
        learned = labels[i] is not None and (weights is None or weights[i] > 0)
        close(got[i], (expected.without(i) if learned else expected).log_joint(rows[i]))


@MAKERS
def test_a_row_that_was_never_learned_cannot_be_left_out(make, above):
    rows = [{"p": "u", "q": "v"}, {"p": "v", "q": "u"}]
    model = make(columns={"p": "categorical", "q": "categorical"}).fit(table(rows, ("p", "q")), ["a", "b"])
    for odd, y in ((rows[::-1], ["a", "b"]), ([{"p": "w", "q": "u"}], ["a"]), (rows[:1], ["z"])):
        joint, pieces, encode = model._asked(table(odd, ("p", "q")), y)
        with pytest.raises(MergeError, match="never learned"):
            joint.left_out(encode(next(pieces)))


# The tree -------------------------------------------------------------------------------------------------


def conditional_information(rows, labels, weights, a, b):
    """Return I(A; B | C) from definitions, over the rows that have both."""
    there = [
        (row[a], row[b], c, w)
        for row, c, w in zip(rows, labels, weights, strict=True)
        if c is not None and w > 0 and row[a] is not None and row[b] is not None
    ]
    n, total = math.fsum(w for *_, w in there), 0.0
    for u, v, c in {cell[:3] for cell in there}:
        own = [(x, y, w) for x, y, k, w in there if k == c]
        both = math.fsum(w for x, y, w in own if (x, y) == (u, v))
        one, other = math.fsum(w for x, _, w in own if x == u), math.fsum(w for _, y, w in own if y == v)
        total += both / n * math.log(both * math.fsum(w for *_, w in own) / (one * other))
    return total


@settings(max_examples=40)
@given(task=tasks())
@example(task=(NAMES, [dict.fromkeys(NAMES, "u")], ["a"], None, [], 1.0, "marginalize"))
def test_the_tree_is_the_heaviest_of_all_trees(task):
    names, rows, labels, weights = task[:4]
    task = (*task[:-1], "marginalize")
    model = fitted(task, tan)
    weights = [1.0] * len(rows) if weights is None else weights
    weigh = {pair: conditional_information(rows, labels, weights, *pair) for pair in combinations(names, 2)}
    trees = [edges for edges in combinations(weigh, len(names) - 1) if len(reached(names[0], edges)) == len(names)]
    assert model.tree_weight_ == pytest.approx(max(sum(weigh[e] for e in edges) for edges in trees), abs=1e-12)


def reached(start, edges):
    found = {start}
    for _ in edges:
        found |= {b for a, b in [*edges, *((b, a) for a, b in edges)] if a in found}
    return found


@pytest.mark.parametrize("root", NAMES)
def test_any_root_gives_the_same_tree(root, rng):
    rows = [dict(zip(NAMES, rng.choice(["u", "v", "w"], 4).tolist(), strict=True)) for _ in range(60)]
    labels = rng.choice(["a", "b"], 60)
    first, other = tb.TAN(smoothing=0).fit(rows, labels), tb.TAN(root=root, smoothing=0).fit(rows, labels)
    assert first.tree_weight_ == pytest.approx(other.tree_weight_, rel=1e-12)
    undirected = [{frozenset(edge) for edge in m.network().edges if "class" not in edge} for m in (first, other)]
    assert undirected[0] == undirected[1]
    assert [b for _, b in other.network().edges].count(root) == 1  # on the class alone
    # Without smoothing, and with nothing missing, all roots give one distribution.
    close(first.predict_joint_log_proba(rows), other.predict_joint_log_proba(rows))


def test_equal_weights_are_decided_by_the_order_of_the_columns():
    rows = [dict(zip(NAMES, x * 4, strict=True)) for x in "uvuv"]  # four copies of one column
    model = tb.TAN().fit(rows, ["a", "a", "b", "b"])
    assert [e for e in model.network().edges if e[0] != "class"] == [("p", "q"), ("p", "r"), ("p", "s")]


# Drawing --------------------------------------------------------------------------------------------------


@MAKERS
@pytest.mark.parametrize("missing", ["marginalize", "category"])
def test_rows_are_drawn_as_often_as_they_are_probable(make, above, missing, rng):
    names = NAMES[:3]
    rows = [
        dict(zip(names, cells, strict=True))
        for cells in zip(*(rng.choice(np.array(["u", "v", None], object), 40) for _ in names), strict=True)
    ]
    model = make(missing=missing).fit(table(rows, names), rng.choice(["a", "b"], 40))
    X, y = model.sample(40_000, random_state=7)
    drawn = {}
    for cells in zip(*(X.column(name).to_pylist() for name in names), y.tolist(), strict=True):
        drawn[cells] = drawn.get(cells, 0) + 1
    values = ["u", "v", None] if missing == "category" else ["u", "v"]
    everything = list(product(values, values, values))
    asked = table([dict(zip(names, cells, strict=True)) for cells in everything], names)
    probability = np.exp(model.predict_joint_log_proba(asked))
    assert probability.sum() == pytest.approx(1.0, rel=1e-12)
    for cells, line in zip(everything, probability, strict=True):
        for c, p in zip("ab", line, strict=True):
            often = drawn.pop((*cells, c), 0)
            assert abs(often - 40_000 * p) < 5 * math.sqrt(40_000 * p) + 5
    assert not drawn

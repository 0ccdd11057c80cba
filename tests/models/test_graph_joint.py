"""KDB against sums over everything, on small random rows with missing cells, weights and unseen values."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallybayes as tb
from tallybayes.errors import MergeError, TooLargeError
from tallybayes.models import summing
from tallybayes.models.ladders import FACTOR
from tests.models.leaning_reference import Leaning, losses, posterior_of

pytestmark = pytest.mark.filterwarnings("ignore::tallybayes.errors.TallyBayesWarning")

NAMES = ("p", "q", "r", "s", "t")
LABELS = ("a", "b", "c")


def table(rows, names):
    return pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in names})


@st.composite
def tasks(draw, fewest=1, smoothings=(1.0, 0.25, 0.0, "hierarchical", "hierarchical")):
    """Rows, labels and weights, of which at least one row takes part, questions with unseen values, and options."""
    names = NAMES[: draw(st.integers(fewest, 5))]
    row = st.fixed_dictionaries(dict.fromkeys(names, st.sampled_from([None, "u", "v", "u", "v", "w"])))
    rows = draw(st.lists(row, min_size=1, max_size=14))
    n = len(rows)
    labels = [
        draw(st.sampled_from(LABELS)),
        *draw(st.lists(st.sampled_from([None, *LABELS]), min_size=n - 1, max_size=n - 1)),
    ]
    weights = draw(st.none() | st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.25]), min_size=n, max_size=n))
    if weights is not None:
        weights[0] = 1.5
    asked = st.fixed_dictionaries(dict.fromkeys(names, st.sampled_from([None, "u", "v", "w", "never seen"])))
    questions = draw(st.lists(asked, min_size=1, max_size=5))
    options = {
        "k": draw(st.integers(0, 3)),
        "smoothing": draw(st.sampled_from(smoothings)),
        "missing": draw(st.sampled_from(["marginalize", "marginalize", "category"])),
    }
    return names, rows, labels, weights, questions, options


def fitted(task, **more):
    names, rows, labels, weights, _, options = task
    model = tb.KDB(columns=dict.fromkeys(names, "categorical"), **{"select": False} | options | more)
    weights = None if weights is None else np.array(weights)
    return model.fit(table(rows, names), np.array(labels, dtype=object), sample_weight=weights)


def reference(task, model, factor=FACTOR):
    """Return the reference with the structure of a model that was not selected, its strengths for some factor."""
    _, rows, labels, weights, _, options = task
    above = model.parents_
    weights = [1.0] * len(rows) if weights is None else weights
    joint = model._joint()
    held = dict(zip(joint.names, (factor / FACTOR * joint.ladders.strengths).tolist(), strict=True))
    amount = 1.0 if options["smoothing"] == "hierarchical" else options["smoothing"]
    found = Leaning(rows, labels, weights, above, amount, None, options["missing"] == "category", strengths=held)
    if options["smoothing"] != "hierarchical":  # tables that stand alone: nothing from below
        alone = {name: [amount * len(found.values[name])] for name in above}
        return _Alone(rows, labels, weights, above, amount, None, options["missing"] == "category", strengths=alone)
    return found


class _Alone(Leaning):
    def share(self, name, value, whole, c):
        return super(Leaning, self).share(name, value, whole, c)


def close(ours, theirs):
    np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10)


@settings(max_examples=60)
@given(task=tasks())
def test_the_log_joint_is_the_sum_over_what_is_not_known(task):
    model = fitted(task)
    expected = reference(task, model)
    questions = task[4] + list(task[1])
    close(model.predict_joint_log_proba(table(questions, task[0])), [expected.log_joint(row) for row in questions])


@settings(max_examples=15)
@given(task=tasks())
def test_it_is_a_distribution(task):
    model = fitted(task)
    expected = reference(task, model)
    if task[-1]["missing"] == "category" or not all(expected.values.values()):
        return
    everything = [dict(zip(task[0], cells, strict=True)) for cells in product(*(expected.values[n] for n in task[0]))]
    assert np.exp(model.score_samples(table(everything, task[0]))).sum() == pytest.approx(1.0, rel=1e-12)


@settings(max_examples=25)
@given(task=tasks())
def test_a_contribution_is_the_joint_with_a_column_less_that_without_it(task):
    names, missing = task[0], task[-1]["missing"]
    model = fitted(task)
    joint, pieces, encode = model._asked(table(task[4], names))
    got = joint.contributions(encode(next(pieces)))
    assert not np.isnan(got).any()
    expected = reference(task, model)
    for i, row in enumerate(task[4]):
        for j, name in enumerate(names):
            if row[name] is None and missing == "marginalize":
                assert not got[i, j].any()
                continue
            spaces = expected.values[name] or [row[name]]
            for c, label in enumerate(expected.classes):
                whole = expected.joint(row, label)
                rest = math.fsum(expected.joint({**row, name: value}, label) for value in spaces)
                if rest == 0:
                    assert got[i, j, c] == 0.0
                else:
                    assert got[i, j, c] == pytest.approx(math.log(whole / rest) if whole else -math.inf, abs=1e-9)


@settings(max_examples=40)
@given(task=tasks())
def test_a_row_left_out_is_the_model_without_it(task):
    names, rows, labels, weights = task[:4]
    model = fitted(task)
    expected = reference(task, model)
    weights = None if weights is None else np.array(weights)
    joint, pieces, encode = model._asked(table(rows, names), np.array(labels, dtype=object), weights)
    batch = encode(next(pieces))
    got, parts = joint.left_out(batch), joint.left_out_contributions(batch)
    np.testing.assert_allclose(joint.left_out_log_prior(batch) + parts.sum(axis=1), got, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        joint.log_prior + joint.parts(batch).sum(axis=1), joint.log_joint(batch), rtol=1e-12, atol=1e-12
    )
    for i in range(len(rows)):
        learned = labels[i] is not None and (weights is None or weights[i] > 0)
        close(got[i], (expected.without(i) if learned else expected).log_joint(rows[i]))


def test_a_row_that_was_never_learned_cannot_be_left_out():
    rows = [{"p": "u", "q": "v"}, {"p": "v", "q": "u"}]
    model = tb.KDB(select=False, columns={"p": "categorical", "q": "categorical"}).fit(table(rows, "pq"), ["a", "b"])
    for odd, y in ((rows[::-1], ["a", "b"]), ([{"p": "w", "q": "u"}], ["a"]), (rows[:1], ["z"])):
        joint, pieces, encode = model._asked(table(odd, "pq"), y)
        with pytest.raises(MergeError, match="never learned"):
            joint.left_out(encode(next(pieces)))


# Selection ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["log-loss", "accuracy", "rmse"])
@settings(max_examples=8)
@given(task=tasks(fewest=2))
def test_what_is_selected_costs_least_of_all_when_rows_are_left_out(criterion, task):
    _, rows, labels, weights, _, options = task
    whole = fitted(task)
    selected = fitted(task, select=True, criterion=criterion)
    order, weights = list(whole.parents_), [1.0] * len(rows) if weights is None else weights
    place = ["log-loss", "accuracy", "rmse"].index(criterion)
    by_hand = np.zeros(selected.losses_.shape)
    assert by_hand.shape == (min(options["k"], len(order) - 1) + 1, len(order) + 1)
    for k in range(len(by_hand)):
        fewer = fitted((*task[:-1], {**options, "k": k}))
        everything = reference((*task[:-1], {**options, "k": k}), fewer, selected._learned.chosen["factor"])
        for m in range(len(order) + 1):
            asked = replace(everything, parents={name: everything.parents[name] for name in order[:m]})
            for i, (row, label, w) in enumerate(zip(rows, labels, weights, strict=True)):
                if label is None or w == 0:
                    continue
                less = replace(asked, weights=[*weights[:i], w - 1.0, *weights[i + 1 :]]) if w > 1 else asked.without(i)
                rest = replace(less, held=asked.values, held_classes=asked.classes)
                prior = [rest.prior(c) for c in rest.classes]
                posterior = posterior_of([rest.joint(row, c) for c in rest.classes], prior)
                by_hand[k, m] += w * losses(posterior, rest.classes.index(label))[place]
    by_hand /= sum(w for label, w in zip(labels, weights, strict=True) if label is not None)
    if criterion == "rmse":
        by_hand = np.sqrt(by_hand)
    if criterion != "accuracy":  # where two classes are alike but for rounding, either may be the first choice
        close(selected.losses_, by_hand)
    worth = selected.losses_[:, 1:]
    kept, k = len(selected.parents_), max(map(len, selected.parents_.values()), default=0)
    assert worth[:, kept - 1].min() <= worth.min() * (1 + 1e-12) or np.isinf(worth.min())
    assert list(selected.parents_) == order[:kept]
    assert all(selected.parents_[name] == whole.parents_[name][:k] for name in order[:kept])
    assert (worth[:, : kept - 1].min(axis=0) > worth.min()).all() or np.isinf(worth.min())


def test_columns_of_noise_are_left_out(rng):
    n = 2000
    y = rng.integers(0, 2, n)
    one = np.where(rng.random(n) < 0.8, y, 1 - y)
    other = np.where(rng.random(n) < 0.9, one ^ y, rng.integers(0, 2, n)) + 2 * (rng.random(n) < 0.3 + 0.2 * y)
    noise = rng.integers(0, 12, (n, 5))
    columns = np.column_stack([noise, one, other]).T
    X = pa.table({f"x{j}": pa.array(column.astype(str)) for j, column in enumerate(columns)})
    model = tb.KDB(k=2, smoothing=1.0).fit(X, y)
    assert model.parents_ == {"x5": (), "x6": ("x5",)}
    assert set(model._joint().names) == {"x5", "x6"}
    assert model.tallies_["together"].groups == ((0,), (0, 1))
    again = tb.KDB(k=2, smoothing=1.0, select=False).fit(X.select(["x5", "x6"]), y)
    close(model.predict_proba(X), again.predict_proba(X.select(["x5", "x6"])))


# Bounds ---------------------------------------------------------------------------------------------------


def test_what_cannot_be_summed_out_is_refused_in_words(rng, monkeypatch):
    rows = [dict(zip(NAMES, rng.choice(["u", "v", "w"], 5).tolist(), strict=True)) for _ in range(50)]
    model = tb.KDB(k=3, select=False).fit(table(rows, NAMES), rng.choice(["a", "b"], 50))
    holes = [{**rows[0], "p": None, "q": None, "r": None}]
    expected = model.predict_proba(table(holes, NAMES))
    monkeypatch.setattr(summing, "TOGETHER", 1)
    close(model.predict_proba(table(holes * 3, NAMES)), np.tile(expected, (3, 1)))
    monkeypatch.setattr(summing, "MOST_CELLS", 8)
    with pytest.raises(TooLargeError, match="missing='category'"):
        model.predict_proba(table(holes, NAMES))


def test_tables_that_are_too_large_are_refused_before_they_are_counted(rng):
    X = pa.table({f"x{j}": pa.array(rng.integers(0, 30, 400).astype(str)) for j in range(5)})
    y = rng.choice(["a", "b"], 400)
    with pytest.raises(TooLargeError, match=r"The tables of up to 4 columns at a time .* would take .* MiB"):
        tb.KDB(k=3, memory_limit=5e7).fit(X, y)
    model = tb.KDB(k=1, select=False, memory_limit=5e7).fit(X, y)
    assert model.table_bytes_ == (31 + 4 * 31**2) * 2 * 16


# Drawing --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["marginalize", "category"])
def test_rows_are_drawn_as_often_as_they_are_probable(missing, rng):
    names = NAMES[:3]
    cells = rng.choice(np.array(["u", "v", None], object), (40, 3)).tolist()
    rows = [dict(zip(names, line, strict=True)) for line in cells]
    model = tb.KDB(select=False, missing=missing).fit(table(rows, names), rng.choice(["a", "b"], 40))
    X, y = model.sample(40_000, random_state=7)
    drawn = {}
    for line in zip(*(X.column(name).to_pylist() for name in names), y.tolist(), strict=True):
        drawn[line] = drawn.get(line, 0) + 1
    values = ["u", "v", None] if missing == "category" else ["u", "v"]
    everything = list(product(values, values, values))
    asked = table([dict(zip(names, line, strict=True)) for line in everything], names)
    probability = np.exp(model.predict_joint_log_proba(asked))
    assert probability.sum() == pytest.approx(1.0, rel=1e-12)
    for line, shares in zip(everything, probability, strict=True):
        for c, p in zip("ab", shares, strict=True):
            often = drawn.pop((*line, c), 0)
            assert abs(often - 40_000 * p) < 5 * math.sqrt(40_000 * p) + 5
    assert not drawn


def test_a_digest_has_what_is_left_of_the_joint_when_all_else_is_summed_out(rng, monkeypatch):
    names = NAMES[:4]
    rows = [dict(zip(names, rng.choice(["u", "v", "w"], 4).tolist(), strict=True)) for _ in range(40)]
    model = tb.KDB(k=2, select=False).fit(table(rows, names), rng.choice(["a", "b"], 40))
    everything = [dict(zip(names, line, strict=True)) for line in product("uvw", repeat=4)]
    joint = np.exp(model.predict_joint_log_proba(table(everything, names)))
    ((_, digest),) = model._joint().digests()
    for name in names:
        assert digest[name].get("given", "") == ", ".join(model.parents_[name])
        for value, shares in digest[name]["values"]:
            own = joint[[row[name] == value for row in everything]].sum(axis=0)
            np.testing.assert_allclose(shares, own / joint.sum(axis=0), rtol=1e-12)
    monkeypatch.setattr(summing, "MOST_CELLS", 1)
    ((_, digest),) = model._joint().digests()
    for name in names:
        assert np.sum([shares for _, shares in digest[name]["values"]], axis=0) == pytest.approx([1.0, 1.0])


# Trees that lean --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [tb.TAN, lambda **options: tb.SPODE(superparent="p", prior="empirical", **options)])
@settings(max_examples=25)
@given(task=tasks())
def test_tables_of_one_parent_lean_on_those_of_none(make, task):
    names, rows, labels, weights, questions, options = task
    model = make(columns=dict.fromkeys(names, "categorical"), smoothing="hierarchical", missing=options["missing"])
    given_weights = None if weights is None else np.array(weights)
    model.fit(table(rows, names), np.array(labels, dtype=object), sample_weight=given_weights)
    joint = model._joint()
    above = dict.fromkeys(names, ())
    above |= {b: (a,) for a, b in model.network().edges if a in names}
    held = dict(zip(joint.names, joint.ladders.strengths.tolist(), strict=True))
    even = [1.0] * len(rows) if weights is None else weights
    expected = Leaning(rows, labels, even, above, 1.0, None, options["missing"] == "category", strengths=held)
    close(model.predict_joint_log_proba(table(questions, names)), [expected.log_joint(row) for row in questions])
    joint, pieces, encode = model._asked(table(rows, names), np.array(labels, dtype=object), given_weights)
    got = joint.left_out(encode(next(pieces)))
    for i in range(len(rows)):
        learned = labels[i] is not None and even[i] > 0
        close(got[i], (expected.without(i) if learned else expected).log_joint(rows[i]))

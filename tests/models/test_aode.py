from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallybayes as tb
from tallybayes.models.averaged_joint import AveragedJoint
from tests.models.aode_reference import Reference

pytestmark = pytest.mark.filterwarnings("ignore::tallybayes.errors.DataWarning")
"""Small tables have a single class, or rows that are impossible."""


@st.composite
def tables(draw, weighted=True):
    """Rows, labels and weights, all of them small, and rows to ask about, with values that were never seen."""
    p = draw(st.integers(1, 4))
    cell = st.sampled_from(["a", "b", "c", None])
    n = draw(st.integers(1, 14))
    rows = draw(st.lists(st.tuples(*[cell] * p), min_size=n, max_size=n))
    labels = draw(st.lists(st.sampled_from("nopqr"[: draw(st.integers(1, 5))]), min_size=n, max_size=n))
    some = st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=n, max_size=n)
    weights = draw(st.none() | some) if weighted else None
    asked = draw(st.lists(st.tuples(*[st.sampled_from(["a", "b", "c", "z", None])] * p), min_size=1, max_size=6))
    return rows, labels, weights, asked


options = st.fixed_dictionaries(
    {
        "smoothing": st.sampled_from([1.0, 0.3, 0.0]),
        "order": st.sampled_from([1, 2]),
        "min_count": st.sampled_from([0, 1, 2, 4]),
        "weighting": st.sampled_from([None, "mutual-information"]),
        "subsumption": st.sampled_from([False, 1, 3]),
        "prior": st.sampled_from(["joint", "joint", "empirical", "uniform"]),
    }
)


def fitted(rows, labels, weights, asked, options):
    p = len(rows[0])
    model = tb.AODE(columns=dict.fromkeys(map(str, range(p)), "categorical"), **options)
    model.fit(dicts(rows), labels, weights)
    reference = Reference(
        rows, labels, weights, smoothing=options["smoothing"], order=options["order"], min_count=options["min_count"],
        weighted=options["weighting"] is not None, limit=options["subsumption"] or None,
        prior=options["prior"],
    )  # fmt: skip
    return model, reference


def dicts(rows):
    return [{str(j): v for j, v in enumerate(row)} for row in rows]


def batch_of(model, rows, labels=None, weights=None):
    joint, pieces, encode = model._asked(dicts(rows), labels, weights)
    return joint, encode(next(pieces))


def close(logs, expected):
    expected = np.asarray(expected, dtype=float)
    np.testing.assert_allclose(np.exp(logs), expected, rtol=1e-11, atol=0)


@settings(max_examples=80)
@given(tables(), options)
def test_scores_are_those_of_the_definition(table, options):
    model, reference = fitted(*table, options)
    asked = table[-1]
    close(model.predict_joint_log_proba(dicts(asked)), [reference.scores(x) for x in asked])


@settings(max_examples=50)
@given(tables(), options)
def test_tables_and_rows_straight_from_the_counts_give_the_same_bits(table, options):
    rows, labels, weights, asked = table
    model, _ = fitted(*table, options)
    joint, batch = batch_of(model, asked)
    by_row, by_table = (AveragedJoint(joint._prior, joint._columns, joint._model, lazy=lazy) for lazy in (True, False))
    assert by_row.log_joint(batch).tolist() == by_table.log_joint(batch).tolist()
    joint, batch = batch_of(model, rows, labels, weights)
    np.testing.assert_allclose(by_row.left_out(batch), by_table.left_out(batch), rtol=1e-12)


@settings(max_examples=70)
@given(tables(), options)
def test_one_row_is_left_out_exactly(table, options):
    """The other rows are learned, with the values and classes of all."""
    rows, labels, weights, _ = table
    model, reference = fitted(*table, options)
    joint, batch = batch_of(model, rows, labels, weights)
    expected = [reference.without(i).scores(x) for i, x in enumerate(rows)]
    np.testing.assert_allclose(np.exp(joint.left_out(batch)), expected, rtol=1e-9, atol=1e-15)


@settings(max_examples=40)
@given(tables(), options)
def test_many_factors_give_what_few_give(table, options):
    """Where products would leave the range of floats, their exponents are kept apart."""
    rows, labels, weights, asked = table
    model, _ = fitted(*table, options)
    joint, batch = batch_of(model, asked)
    far = AveragedJoint(joint._prior, joint._columns, joint._model)
    for averages in (far.averages, far.below if far.averages.parents.order > 1 else far.averages):
        averages._chunk = 1
    np.testing.assert_allclose(far.log_joint(batch), joint.log_joint(batch), rtol=1e-12, atol=1e-13)
    joint, batch = batch_of(model, rows, labels, weights)
    np.testing.assert_allclose(far.left_out(batch), joint.left_out(batch), rtol=1e-12, atol=1e-13)


@settings(max_examples=40)
@given(tables(), st.sampled_from([1, 2]), st.sampled_from([0.5, 1.0]), st.sampled_from([None, "mutual-information"]))
def test_a_mixture_of_all_values_sums_to_one(table, order, smoothing, weighting):
    rows, labels, weights, _ = table
    given = {"order": order, "smoothing": smoothing, "weighting": weighting, "prior": "joint"}
    model, reference = fitted(rows, labels, weights, [], {**given, "min_count": 0, "subsumption": False})
    cells = [values or [None] for values in reference.values]
    every = list(product(*cells))
    joint = np.exp(model.predict_joint_log_proba(dicts(every)))
    assert joint.sum() == pytest.approx(1.0, rel=1e-12)
    # Summing a column out, and all of them, is summing over its values.
    hidden = [(None, *row[1:]) for row in every]
    whole = {row: np.zeros(joint.shape[1]) for row in hidden}
    for row, line in zip(hidden, joint, strict=True):
        whole[row] += line
    close(model.predict_joint_log_proba(dicts(list(whole))), list(whole.values()))
    nothing = [(None,) * len(cells)]
    close(model.predict_joint_log_proba(dicts(nothing)), [joint.sum(axis=0)])
    close(model._joint().log_prior, joint.sum(axis=0))


@settings(max_examples=50)
@given(tables(), options)
def test_a_contribution_is_with_a_column_less_without_it(table, options):
    asked = table[-1]
    model, reference = fitted(*table, {**options, "smoothing": options["smoothing"] or 0.1})
    joint, batch = batch_of(model, asked)
    expected = np.zeros((len(asked), len(asked[0]), len(reference.classes)))
    for i, x in enumerate(asked):
        for j in range(len(x)):
            if x[j] is not None:
                less = (*x[:j], None, *x[j + 1 :])
                expected[i, j] = np.log(reference.scores(x)) - np.log(reference.scores(less))
    np.testing.assert_allclose(joint.contributions(batch), expected, rtol=1e-9, atol=1e-11)


@settings(max_examples=40)
@given(tables(), options)
def test_a_missing_cell_as_a_value(table, options):
    """It is what a word for it would be; where none was missing in training, it was never seen."""
    rows, labels, weights, asked = table
    columns = dict.fromkeys(map(str, range(len(rows[0]))), "categorical")
    model = tb.AODE(missing="category", columns=columns, **options).fit(dicts(rows), labels, weights)
    words = [[tuple(v or "gone" for v in row) for row in part] for part in (rows, asked)]
    by_word = tb.AODE(columns=columns, **options).fit(dicts(words[0]), labels, weights)
    ours, theirs = model.predict_joint_log_proba(dicts(asked)), by_word.predict_joint_log_proba(dicts(words[1]))
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    (joint, batch), (other, worded) = (
        batch_of(model, rows, labels, weights), batch_of(by_word, words[0], labels, weights)
    )  # fmt: skip
    np.testing.assert_allclose(joint.left_out(batch), other.left_out(worded), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("order", [1, 2])
def test_values_that_are_declared_belong_to_the_event_space(order):
    rows = [{"a": "x", "b": True}, {"a": "y", "b": True}, {"a": "x", "b": True}, {"a": None, "b": None}]
    model = tb.AODE(order=order, min_count=0, columns={"a": ["x", "y", "z"], "b": "boolean"}).fit(rows, list("nono"))
    every = [{"a": a, "b": b} for a in "xyz" for b in (True, False)]
    assert np.exp(model.predict_joint_log_proba(every)).sum() == pytest.approx(1.0, rel=1e-12)


def test_no_column_is_left():
    """All columns stand beside the mixture, which is that of none."""
    rows = [{"a": 1.5, "b": "up"}, {"a": 2.5, "b": "down"}, {"a": 3.0, "b": "up"}, {"a": 4.0, "b": "up"}]
    columns = {"a": "numeric", "b": "ignored"}
    model = tb.AODE(min_count=0, numeric="gaussian", columns=columns).fit(rows, ["n", "o", "n", "o"])
    asked = [{"a": 1, "b": "up"}, {"a": None, "b": None}]
    naive = tb.NaiveBayes(columns=columns, prior_smoothing=1.0).fit(rows, ["n", "o", "n", "o"])
    np.testing.assert_allclose(model.predict_joint_log_proba(asked), naive.predict_joint_log_proba(asked), rtol=1e-12)
    assert model.network().edges == (("class", "a"),)
    assert len(model.sample(3)[1]) == 3
    left_out = model.leave_one_out(rows, ["n", "o", "n", "o"])
    np.testing.assert_allclose(left_out, naive.leave_one_out(rows, ["n", "o", "n", "o"]), rtol=1e-9)


def test_pairs_of_which_one_column_has_no_values():
    rows = [("x", None, None), ("y", None, None), ("x", None, None), (None, None, None)]
    columns = dict.fromkeys("012", "categorical")
    pairs, singles = (
        tb.AODE(order=order, min_count=0, columns=columns).fit(dicts(rows), list("nnoo")) for order in (2, 1)
    )
    every = dicts([("x", None, None), ("y", None, None)])
    joint = np.exp(pairs.predict_joint_log_proba(every))
    assert joint.tolist() == np.exp(singles.predict_joint_log_proba(every)).tolist()
    close(pairs._joint().log_prior, joint.sum(axis=0))
    assert pairs.sample(50, random_state=0)[0].to_pydict() == singles.sample(50, random_state=0)[0].to_pydict()


def test_many_columns_and_many_rows():
    """More columns than products hold, and more rows than are answered at a time."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 6, 5000)
    X = (rng.integers(0, 3, (5000, 150)) + (y[:, None] % 3)) % 4
    model = tb.AODE(columns=dict.fromkeys(range(150), "categorical"), smoothing=0.01).fit(X, y)
    few = model.predict_joint_log_proba(X)
    assert model._joint().averages._chunk < 150
    scores = np.full((2, 6, 150), -np.inf)
    for r in range(2):
        for i in range(150):
            same = X[:, i] == X[r, i]
            n_values = len(np.unique(X[:, i]))
            for c in range(6):
                mine = X[same & (y == c)]
                shares = ((mine == X[r]).sum(axis=0) + 0.01) / (len(mine) + 0.01 * 4)
                head = (len(mine) + 0.01) / (5000 + 0.01 * 6 * n_values)
                scores[r, c, i] = np.log(head) + np.log(np.delete(shares, i)).sum()
    expected = np.logaddexp.reduce(scores, axis=2) - np.log(150)
    np.testing.assert_allclose(few[:2], expected, rtol=1e-12)
    assert few.shape == (5000, 6)


def test_weights_of_rows_in_portions(monkeypatch):
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 3, (200, 4)).astype(str), rng.integers(0, 3, 200)
    for order in (1, 2):
        model = tb.AODE(order=order, weighting="mutual-information", min_count=3).fit(X, y)
        whole = model.leave_one_out(X, y)
        with monkeypatch.context() as patch:
            patch.setattr("tallybayes.models.averages.WEIGHTS", 100)
            assert model.leave_one_out(X, y).tolist() == whole.tolist()


def test_a_row_that_was_never_learned_cannot_be_left_out():
    rows = [("a", "b"), ("a", "c"), ("b", "b"), ("b", "c")]
    model = tb.AODE(min_count=0).fit(dicts(rows), ["n", "n", "o", "n"])
    for never in (("b", "b"), ("z", "b")):
        joint, batch = batch_of(model, [never], ["n"])
        with pytest.raises(tb.errors.MergeError, match="never learned"):
            joint.left_out(batch)


def test_tables_in_portions(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (300, 6)).astype(str), rng.integers(0, 5, 300)
    model = tb.AODE(order=2, min_count=1).fit(X, y)
    whole = model.predict_joint_log_proba(X)
    model = tb.AODE(order=2, min_count=1).fit(X, y)
    monkeypatch.setattr("tallybayes.models.averages.KEPT", 5000)
    assert model.predict_joint_log_proba(X).tolist() == whole.tolist()
    assert not model._joint().averages._kept
    left_out = model.leave_one_out(X, y)
    monkeypatch.undo()
    assert model.leave_one_out(X, y).tolist() == left_out.tolist()

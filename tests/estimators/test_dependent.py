"""TAN and SPODE as estimators: how columns are read, what fit chooses and what keeps it, limits and errors."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tallybayes as tb
from tallybayes.errors import (
    ColumnError,
    DataWarning,
    KindError,
    MergeError,
    ModelFileError,
    OptionError,
    TooLargeError,
)
from tests.models.dependence_reference import Reference

pytestmark = pytest.mark.filterwarnings("ignore:.*was fitted without the column:tallybayes.errors.DataWarning")

NAMES = ("p", "q", "r", "s")


@pytest.fixture
def frame(rng):
    """Rows of which r says most of the class, and the others something of r."""
    n = 300
    r = rng.choice(["u", "v", "w"], n)
    y = np.where(rng.random(n) < 0.7, np.where(r == "u", "a", "b"), rng.choice(["a", "b"], n))
    columns = {}
    for name, noise in (("p", 0.6), ("q", 0.4)):
        columns[name] = np.where((rng.random(n) < noise) | (y == "a"), rng.choice(["u", "v", "w"], n), r)
    table = pd.DataFrame({**columns, "r": r, "s": rng.choice(["k", "l"], n), "y": y})
    return table.mask(pd.DataFrame(rng.random(table.shape) < 0.1, columns=table.columns).assign(y=False), None)


# What SPODE chooses ---------------------------------------------------------------------------------------


def left_out_losses(frame, superparent):
    """Return the mean log-loss and the share of mistakes of every row, each by the model refitted without it."""
    rows = frame[list(NAMES)].astype(object).where(frame[list(NAMES)].notna(), None).to_dict("records")
    labels = frame["y"].tolist()
    above = {name: () if name == superparent else (superparent,) for name in NAMES}
    reference = Reference(rows, labels, [1.0] * len(rows), above, superparent=superparent)
    log_loss = wrong = 0.0
    for i, (row, label) in enumerate(zip(rows, labels, strict=True)):
        without = reference.without(i)
        joint = [without.joint(row, c) for c in without.classes]
        place = without.classes.index(label)
        log_loss -= math.log(joint[place] / sum(joint))
        wrong += joint.index(max(joint)) != place
    return log_loss / len(rows), wrong / len(rows)


@pytest.mark.parametrize("criterion", ["log-loss", "accuracy"])
def test_the_super_parent_is_the_one_that_predicts_best_without_each_row(frame, criterion):
    some = frame[:60]
    model = tb.SPODE(criterion=criterion).fit(some, "y")
    losses = {name: left_out_losses(some, name)[criterion == "accuracy"] for name in NAMES}
    assert model.superparent_ == min(NAMES, key=losses.get)
    assert len(set(losses.values())) > 1


def test_auto_answers_as_the_super_parent_by_name(frame):
    auto = tb.SPODE().fit(frame, "y")
    named = tb.SPODE(superparent=auto.superparent_).fit(frame, "y")
    np.testing.assert_array_equal(auto.predict_proba(frame), named.predict_proba(frame))
    assert auto.network() == named.network()
    assert named.superparent_ == auto.superparent_


def test_what_was_chosen_is_kept(frame, tmp_path):
    model = tb.SPODE().fit(frame, "y")
    first = model.superparent_
    other = next(name for name in NAMES if name != first)
    swapped = frame.rename(columns={first: other, other: first})
    assert tb.SPODE().fit(swapped, "y").superparent_ == other
    model.partial_fit(swapped).partial_fit(swapped)
    assert model.superparent_ == first
    model.save(tmp_path / "model.tally")
    again = tb.load(tmp_path / "model.tally")
    assert again.superparent_ == first
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))
    again.forget(swapped).forget(swapped)
    assert again.superparent_ == first
    np.testing.assert_allclose(again.predict_proba(frame), tb.SPODE().fit(frame, "y").predict_proba(frame), rtol=1e-12)
    assert again.reselect(swapped).superparent_ == other
    with pytest.raises(MergeError, match=f"superparent '{first}' in the first and '{other}' in the second"):
        model + again
    assert (model + tb.SPODE().fit(frame, "y")).superparent_ == first


def test_a_single_row_and_a_single_column_are_enough():
    with pytest.warns(DataWarning, match="single class"):
        model = tb.SPODE(columns={"p": "categorical"}).partial_fit(pa.table({"p": ["u"]}), ["a"])
    assert model.superparent_ == "p"
    posterior = model.partial_fit(pa.table({"p": ["v"]}), ["b"]).predict_proba([{"p": "v"}])
    np.testing.assert_allclose(posterior, [[1 / 3, 2 / 3]], rtol=1e-12)


def test_more_candidates_than_are_estimated_at_a_time(rng):
    X = rng.integers(0, 2, (600, 40))
    y = X[:, 37] ^ np.where(rng.random(600) < 0.5, X[:, 5], X[:, 9])  # of which no column alone says anything
    assert tb.SPODE().fit(X, y).superparent_ == 37


def test_a_stream_is_read_once_and_chosen_from(frame):
    stream = pa.Table.from_pandas(frame, preserve_index=False).to_reader(max_chunksize=50)
    model = tb.SPODE().fit(stream, "y")
    whole = tb.SPODE().fit(frame, "y")
    assert model.superparent_ == whole.superparent_
    np.testing.assert_array_equal(model.predict_proba(frame), whole.predict_proba(frame))


# Numbers --------------------------------------------------------------------------------------------------


def test_edges_are_chosen_by_fit_and_kept(rng):
    y = rng.integers(0, 2, 400)
    table = pd.DataFrame({"x": rng.random(400) + 2 * y, "z": rng.choice(["k", "l"], 400), "y": y.astype(str)})
    model = tb.TAN().fit(table, "y")
    edges = model.schema_["x"].edges
    assert len(edges) == 1
    assert 1 < edges[0] < 2
    far = table.assign(x=table["x"] + 100)
    assert model.partial_fit(far, "y").schema_["x"].edges == edges
    assert model.reselect(far).schema_["x"].edges[0] > 90
    by_hand = tb.TAN(discretize={"x": edges}).fit(table, "y")
    codes = table.assign(x=(table["x"] >= edges[0]).map({True: "high", False: "low"}))
    as_words = tb.TAN().fit(codes, "y")
    np.testing.assert_allclose(
        by_hand.predict_joint_log_proba(table), as_words.predict_joint_log_proba(codes), rtol=1e-12
    )


def test_numbers_beside_the_tree_are_normal_given_the_class(frame, rng):
    table = frame.assign(x=rng.normal(size=len(frame)) + (frame["y"] == "a"))
    x = table["x"].copy()
    x[:20] = None
    table["x"] = x
    model = tb.TAN(numeric="gaussian").fit(table, "y")
    tree, normal = tb.TAN().fit(frame, "y"), tb.NaiveBayes().fit(table[["x", "y"]], "y")
    log_prior = normal.predict_joint_log_proba([{"x": None}])
    expected = tree.predict_joint_log_proba(frame) + normal.predict_joint_log_proba(table[["x"]]) - log_prior
    np.testing.assert_allclose(model.predict_joint_log_proba(table), expected, rtol=1e-12)
    assert model.network().edges == (*(("y", name) for name in (*NAMES, "x")), *tree.network().edges[4:])
    X, _ = model.sample(10, random_state=0)
    assert X.column_names == [*NAMES, "x"]
    assert model.explain(table).contributions[:20, 4].tolist() == [0.0] * 20


def test_texts_are_beside_the_tree(frame):
    words = ["good offer", "hello there", "offer now", "see you"] * 75
    table = frame.assign(body=words)
    model = tb.TAN(columns={"body": "text"}).fit(table, "y")
    tree = tb.TAN().fit(frame, "y").predict_joint_log_proba(frame)
    text = tb.NaiveBayes(columns={"body": "text"}).fit(table[["body", "y"]], "y")
    expected = tree + text.predict_joint_log_proba(table[["body"]]) - text._joint().log_prior
    np.testing.assert_allclose(model.predict_joint_log_proba(table), expected, rtol=1e-12)


def test_truth_values_have_two_values_even_if_one_was_seen():
    rows = [{"t": True, "u": "k"}, {"t": True, "u": "l"}]
    with pytest.warns(DataWarning, match="one value only"):
        model = tb.SPODE(superparent="u").fit(rows, ["a", "b"])
    # P(t | a, k) = (1 + 1) / (1 + 2).
    joint = math.exp(model.predict_joint_log_proba([{"t": True, "u": "k"}])[0, 0])
    assert joint == pytest.approx((2 / (2 + 4)) * (2 / 3))


def test_values_that_were_declared_count(frame):
    model = tb.SPODE(superparent="s", columns={"p": ["u", "v", "w", "x"]}).fit(frame, "y")
    narrow = tb.SPODE(superparent="s").fit(frame, "y")
    assert "x" in model._joint()._columns.tally.values[0]
    assert (model.predict_proba(frame) != narrow.predict_proba(frame)).any()


def test_rare_values_are_one_value(rng):
    city = np.where(rng.random(500) < 0.8, rng.choice(["x", "y"], 500), rng.integers(0, 50, 500).astype(str))
    table = pd.DataFrame({"city": city, "s": rng.choice(["k", "l"], 500), "y": rng.choice(["a", "b"], 500)})
    model = tb.TAN(columns={"city": "categorical"}, max_values=3).fit(table, "y")
    pooled = table.assign(city=table["city"].where(table["city"].isin(["x", "y"]), "(other)"))
    np.testing.assert_allclose(
        model.predict_joint_log_proba(table), tb.TAN().fit(pooled, "y").predict_joint_log_proba(pooled), rtol=1e-12
    )


# Limits and errors ----------------------------------------------------------------------------------------


def test_tables_that_would_be_too_large_are_refused(frame):
    with pytest.raises(TooLargeError, match=r"would take [\d.]+ KiB, and may take 1\.0 KiB.*memory_limit="):
        tb.TAN(memory_limit=1024).fit(frame, "y")
    assert tb.TAN(memory_limit=1 << 20).fit(frame, "y").network().edges


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: tb.SPODE(superparent="rr"), OptionError, "superparent='rr' is no column.*Did you mean 'r'"),
        (lambda: tb.TAN(root="t"), OptionError, "root='t' is no column that the model uses.*'p', 'q', 'r', 's'"),
        (lambda: tb.TAN(root="s", columns={"s": "ignored"}), OptionError, "root='s' is no column"),
        (lambda: tb.TAN(discretize="mdl"), OptionError, "Did you mean 'mdlp'"),
        (lambda: tb.TAN(discretize={"p": [1, 2]}), ColumnError, "discretize= names 'p'"),
        (lambda: tb.TAN(discretize={"x": [2, 1]}), OptionError, "each above the one before"),
        (lambda: tb.TAN(max_bins=1), OptionError, "max_bins=1 should be a whole number, 2 or more"),
        (lambda: tb.TAN(max_values=2.5), OptionError, "max_values=2.5 should be"),
        (lambda: tb.TAN(numeric="kernel"), OptionError, "numeric='kernel' is not one of"),
        (lambda: tb.TAN(prior="joint"), OptionError, "prior"),
        (lambda: tb.SPODE(prior="jont"), OptionError, "Did you mean 'joint'"),
        (lambda: tb.SPODE(criterion="auc"), OptionError, "criterion='auc'"),
        (lambda: tb.TAN(smoothing=-1), OptionError, "smoothing=-1"),
        (lambda: tb.TAN(prior_smoothing="no"), OptionError, "prior_smoothing='no'"),
        (lambda: tb.TAN(missing="drop"), OptionError, "missing='drop'"),
        (lambda: tb.TAN(memory_limit="2 GB"), OptionError, "memory_limit='2 GB'"),
        (lambda: tb.TAN(columns={"p": "numeric"}), KindError, "'p'"),
    ],
)
def test_what_cannot_be_is_refused_with_the_remedy(frame, make, error, message):
    with pytest.raises(error, match=message):
        make().fit(frame, "y")


def test_a_super_parent_of_numbers_has_to_be_cut(frame, rng):
    table = frame.assign(x=rng.normal(size=len(frame)))
    with pytest.raises(OptionError, match=r"superparent='x' is a column of numeric cells.*discretize="):
        tb.SPODE(superparent="x", numeric="gaussian").fit(table, "y")
    assert tb.SPODE(superparent="x", numeric="gaussian", discretize={"x": [0.0]}).fit(table, "y").superparent_ == "x"


def test_options_that_need_other_counts_ask_for_a_fit(frame, rng):
    table = frame.assign(x=rng.normal(size=len(frame)))
    model = tb.TAN().fit(table, "y")
    before = model.predict_proba(table)
    model.set_params(smoothing=5.0, root="r", prior="uniform")
    assert (model.predict_proba(table) != before).any()
    model.set_params(numeric="gaussian")
    with pytest.raises(OptionError, match=r"numeric='gaussian' has changed since fit.*Call fit again"):
        model.predict(table)
    spode = tb.SPODE(superparent="p").fit(frame, "y").set_params(superparent="q")
    with pytest.raises(OptionError, match="Call fit again"):
        spode.predict(frame)
    spode = tb.SPODE().fit(frame, "y").set_params(superparent="p")  # all pairs were counted, and another star is there
    with pytest.raises(OptionError, match="Call fit again"):
        spode.predict(frame)


def test_a_model_file_of_another_root_is_refused(frame, tmp_path):
    model = tb.TAN(root="r").fit(frame, "y")
    model.root = "nowhere"
    model.save(tmp_path / "odd.tally")
    with pytest.raises(ModelFileError, match="root='nowhere'"):
        tb.load(tmp_path / "odd.tally")


def test_every_column_may_be_ignored(frame):
    for model in (tb.TAN, tb.SPODE):
        fitted = model(columns=dict.fromkeys(NAMES, "ignored")).fit(frame, "y")
        share = (frame["y"] == "a").mean()
        smoothed = (share * 300 + 1) / 302
        np.testing.assert_allclose(fitted.predict_proba(frame)[:, 0], smoothed, rtol=1e-12)
        assert fitted.network().nodes == ("y",)


def test_a_column_that_no_row_has_says_nothing(frame):
    table = frame.assign(gone=pd.Series([None] * len(frame), dtype=object))
    told = {"gone": "categorical"}
    for make in (tb.TAN, lambda **o: tb.TAN(root="gone" if o else None, **o)):
        model, without = make(columns=told).fit(table, "y"), make().fit(frame, "y")
        seen = table.assign(gone="now")
        for asked in (table, seen):
            np.testing.assert_allclose(model.predict_proba(asked), without.predict_proba(frame), rtol=1e-12)
    alone = tb.SPODE(superparent="gone", columns=told).fit(table, "y").predict_proba(table)
    naive = tb.NaiveBayes(prior_smoothing=1).fit(frame, "y").predict_proba(frame)
    np.testing.assert_allclose(alone, naive, rtol=1e-12)


def test_summaries_show_what_a_column_depends_on(frame):
    text = str(tb.SPODE(superparent="r").fit(frame, "y").summary())
    assert text.count("given r") == 3
    model = tb.SPODE(superparent="r").fit(frame, "y")
    shown = dict(model.summary().digests_of("p")[0][1])
    hidden = dict.fromkeys(NAMES)
    base = model.predict_joint_log_proba([hidden])[0]
    for value, shares in shown["values"]:
        by_hand = np.exp(model.predict_joint_log_proba([{**hidden, "p": value}])[0] - base)
        np.testing.assert_allclose(shares, by_hand, rtol=1e-12)


def test_a_missing_super_parent_of_many_columns_does_not_underflow(rng):
    """Each of 1,500 columns has a share of about a fifth: their product is far below the least float."""
    n, p = 200, 1500
    X = rng.integers(0, 5, (n, p)).astype(np.float64)
    X[:, 0] = rng.integers(0, 3, n)
    model = tb.SPODE(superparent=0, columns=dict.fromkeys(range(p), "categorical"))
    model.fit(X, rng.integers(0, 2, n))
    asked = X[:5].copy()
    parts = []
    for value in range(3):
        asked[:, 0] = value
        parts.append(model.predict_joint_log_proba(asked))
    asked[:, 0] = np.nan
    hidden = model.predict_joint_log_proba(asked)
    assert (hidden < -2000).all()
    np.testing.assert_allclose(hidden, np.logaddexp.reduce(parts, axis=0), rtol=1e-12)
    unseen = asked.copy()
    unseen[:, 0] = 7
    share = model.predict_joint_log_proba(unseen) - hidden
    np.testing.assert_allclose(share, np.broadcast_to(share[0], share.shape), rtol=1e-9)  # a zero count, for all rows


def test_cells_of_another_type_than_in_training_are_told(frame):
    numbered = frame.assign(p=frame["p"].map({"u": 1, "v": 2, "w": 3}))
    with pytest.warns(DataWarning, match="No cell of some columns is a value that was seen in training.*'p'"):
        tb.TAN().fit(frame, "y").predict(numbered)


def test_many_classes_and_wide_values(rng):
    """300 classes and a column of 400 values: the tables of counts take wider codes."""
    n = 3000
    y = rng.integers(0, 300, n)
    X = np.column_stack([(y * 7 + rng.integers(0, 3, n)) % 400, rng.integers(0, 2, n)])
    model = tb.TAN(columns={0: "categorical", 1: "categorical"}, max_values=None).fit(X, y)
    assert model.score(X, y) > 0.5  # of which chance alone gives a three-hundredth
    sample = X[:3]
    counts = np.zeros((3, 300))
    for i, (a, b) in enumerate(sample.tolist()):
        both = np.bincount(y[(X[:, 0] == a) & (X[:, 1] == b)], minlength=300)
        own = np.bincount(y[X[:, 0] == a], minlength=300)
        of_class = np.bincount(y, minlength=300)
        values = len(np.unique(X[:, 0]))
        counts[i] = (of_class + 1) / (n + 300) * (own + 1) / (of_class + values) * (both + 1) / (own + 2)
    np.testing.assert_allclose(np.exp(model.predict_joint_log_proba(sample)), counts, rtol=1e-12)

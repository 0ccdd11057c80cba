"""AODE as an estimator: options, what only a distribution has, files, networks, decisions, numbers and texts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tallybayes as tb
from tallybayes.errors import NotAJointError, OptionError, TooLargeError


@pytest.fixture(scope="module")
def frame():
    """Columns that depend on one another, some of them numbers, with missing cells."""
    rng = np.random.default_rng(11)
    n = 1200
    y = rng.integers(0, 3, n)
    p = (y + (rng.random(n) < 0.5) * rng.integers(0, 3, n)) % 3
    q = (p * y + (rng.random(n) < 0.4) * rng.integers(0, 4, n)) % 4
    table = pd.DataFrame({"p": [f"p{v}" for v in p], "q": [f"q{v}" for v in q]})
    table["x"] = rng.standard_normal(n) + 1.5 * y * (p == y)
    table["t"] = rng.standard_normal(n) * (1 + y)
    table.loc[rng.random(n) < 0.1, "p"] = None
    table.loc[rng.random(n) < 0.1, "x"] = np.nan
    table["y"] = [f"c{c}" for c in y]
    return table


def asked(table):
    return table.drop(columns="y")


def test_numbers_are_cut_where_the_classes_change(frame):
    """Cut by the same edges as words, numbers give the same answers."""
    model = tb.AODE().fit(frame, "y")
    words = frame.copy()
    for name in ("x", "t"):
        edges = model.schema_[name].edges
        assert edges
        bins = np.searchsorted(edges, frame[name], side="right")
        words[name] = [None if np.isnan(v) else f"b{b}" for v, b in zip(frame[name], bins, strict=True)]
    by_words = tb.AODE().fit(words, "y")
    np.testing.assert_allclose(model.predict_proba(asked(frame)), by_words.predict_proba(asked(words)), rtol=1e-12)


def test_numbers_and_texts_beside(frame):
    """Columns that no other depends on multiply the mixture, as in naive Bayes."""
    texts = frame.assign(body=np.where(frame["y"] == "c0", "good fast good", "slow bad"))
    model = tb.AODE(min_count=0, numeric="gaussian", columns={"body": "text"}).fit(texts, "y")
    alone = tb.AODE(min_count=0).fit(frame[["p", "q", "y"]], "y")
    naive = tb.NaiveBayes(columns={"body": "text"}).fit(texts[["x", "t", "body", "y"]], "y")
    expected = (
        alone.predict_joint_log_proba(frame[["p", "q"]])
        + naive.predict_joint_log_proba(texts[["x", "t", "body"]])
        - naive._joint().log_prior
    )
    np.testing.assert_allclose(model.predict_joint_log_proba(asked(texts)), expected, rtol=1e-12)


@pytest.mark.parametrize("order", [1, 2])
def test_a_file_keeps_all_of_it(frame, order, tmp_path):
    model = tb.AODE(order=order, min_count=5, weighting="mutual-information", subsumption=20).fit(frame, "y")
    model.save(tmp_path / "m.tally")
    again = tb.load(tmp_path / "m.tally")
    assert repr(again) == repr(model)
    assert again.predict_proba(asked(frame)).tolist() == model.predict_proba(asked(frame)).tolist()
    first, last = frame.iloc[:700], frame.iloc[700:]
    parts = tb.AODE(**model.get_params() | {"discretize": {n: list(model.schema_[n].edges) for n in ("x", "t")}})
    parts.fit(first, "y").partial_fit(last).forget(first)
    anew = tb.AODE(**parts.get_params()).fit(last, "y")
    np.testing.assert_allclose(parts.predict_proba(asked(frame)), anew.predict_proba(asked(frame)), rtol=1e-12)


def test_what_is_no_distribution_has_no_density(frame):
    absent = ("score_samples", "log_likelihood", "sample")
    for model, why in (
        (tb.AODE(), "with min_count=30 which columns"),
        (tb.AODE(min_count=0, subsumption=True), "with subsumption= which columns"),
    ):
        model.fit(frame, "y")
        for name in absent:
            assert not hasattr(model, name)
            with pytest.raises(NotAJointError, match=f"AODE has no {name}: {why}"):
                getattr(model, name)
        # The posterior is one all the same.
        posterior = model.predict_proba(asked(frame))
        decided = tb.BayesDecision(model, costs={("c1", "c0"): 5}).fit(asked(frame), frame["y"])
        risk = posterior @ np.array([[0, 1, 1], [5, 0, 1], [1, 1, 0]]).T
        assert decided.predict(asked(frame)).tolist() == model.classes_[risk.argmin(axis=1)].tolist()
        few = asked(frame).iloc[:5]
        evidence, posterior = model.explain(few), np.sort(model.predict_log_proba(few), axis=1)
        np.testing.assert_allclose(evidence.log_odds, posterior[:, -1] - posterior[:, -2], rtol=1e-9)
        parts = evidence.prior + evidence.contributions.sum(axis=1) + evidence.remainder
        np.testing.assert_allclose(parts, evidence.log_odds, rtol=1e-9)
    assert all(hasattr(tb.AODE(min_count=0, weighting="mutual-information"), name) for name in absent)


@pytest.mark.parametrize("options", [{}, {"weighting": "mutual-information"}, {"order": 2}, {"prior": "uniform"}])
def test_what_is_drawn_is_distributed_as_the_model_says(frame, options):
    words = frame[["p", "q", "y"]].assign(r=np.where(frame["x"] > 1, "r1", "r0"))
    model = tb.AODE(min_count=0, **options).fit(words, "y")
    X, y = model.sample(40_000, random_state=1)
    drawn = X.to_pandas().assign(y=y)
    found = drawn.value_counts(normalize=True)
    every = drawn.drop_duplicates(["p", "q", "r"])[["p", "q", "r"]].reset_index(drop=True)
    joint = np.exp(model.predict_joint_log_proba(every))
    assert joint.sum() == pytest.approx(1.0, abs=1e-2)
    for i, row in enumerate(every.itertuples(index=False)):
        for c, label in enumerate(model.classes_):
            share = found.get((row.p, row.q, row.r, label), 0.0)
            assert abs(share - joint[i, c]) < 5 * np.sqrt(joint[i, c] / 40_000) + 1e-4


def information(column, labels):
    table = pd.crosstab(column, labels).to_numpy()
    table = table / table.sum()
    apart = table.sum(axis=1, keepdims=True) * table.sum(axis=0)
    return (table * np.log(np.where(table > 0, table, 1) / np.where(table > 0, apart, 1))).sum()


def test_networks(frame):
    model = tb.AODE(min_count=1).fit(frame, "y")
    shown = model.network("t")
    assert shown.nodes[0] == "y"
    assert {edge for edge in shown.edges if edge[0] != "y"} == {("t", "p"), ("t", "q"), ("t", "x")}
    best = max(("p", "q"), key=lambda name: information(frame[name], frame["y"]))
    model = tb.AODE(columns={"x": "ignored", "t": "ignored"}).fit(frame, "y")
    (edge,) = (edge for edge in model.network().edges if edge[0] != "y")
    assert edge[0] == best
    pairs = tb.AODE(order=2, min_count=1).fit(frame, "y")
    shown = pairs.network(("q", "x"))
    assert {edge for edge in shown.edges if edge[0] != "y"} == {
        ("q", "x"), ("q", "p"), ("x", "p"), ("q", "t"), ("x", "t"),
    }  # fmt: skip
    with pytest.raises(OptionError, match=r"superparent='zip' is no column that the model uses"):
        model.network("zip")
    with pytest.raises(OptionError, match=r"superparent=\('p', 'q'\) is none: here, super-parents are one column"):
        model.network(("p", "q"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_count": -1}, "min_count=-1 should be a number of rows, 0 or more"),
        ({"min_count": 2.5}, "min_count=2.5 should be"),
        ({"min_count": True}, "min_count=True should be"),
        ({"order": 3}, "order=3 should be 1 or 2"),
        ({"order": True}, "order=True should be 1 or 2"),
        ({"weighting": "mutual information"}, "Did you mean 'mutual-information'"),
        ({"subsumption": 0}, "subsumption=0 should be True, False, or the number of rows"),
        ({"subsumption": "yes"}, "subsumption='yes' should be"),
        ({"prior": "joined"}, "prior='joined' is not one of"),
        ({"smoothing": -1}, "smoothing=-1"),
    ],
)
def test_options_are_refused(frame, options, message):
    with pytest.raises(OptionError, match=message):
        tb.AODE(**options).fit(frame, "y")


def test_memory_is_known_before(frame):
    with pytest.raises(TooLargeError, match=r"tables of up to 3 columns at a time \(4 of them\)"):
        tb.AODE(order=2, memory_limit=2048).fit(frame, "y")


def test_other_options_need_no_other_counts(frame):
    """Smoothing, weights and limits may change after fit; the order may not."""
    model = tb.AODE().fit(frame, "y")
    model.set_params(min_count=1, smoothing=0.5, weighting="mutual-information", subsumption=3, prior="uniform")
    anew = tb.AODE(**model.get_params()).fit(frame, "y")
    assert model.predict_proba(asked(frame)).tolist() == anew.predict_proba(asked(frame)).tolist()
    with pytest.raises(OptionError, match="Call fit again"):
        model.set_params(order=2).predict(asked(frame))

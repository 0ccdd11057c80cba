from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import ComplementNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from tallybayes.decision.bayes_decision import BayesDecision
from tallybayes.decision.rank import rank
from tallybayes.decision.showing import as_text
from tallybayes.errors import NotAJointError, NotFittedError, OptionError

RNG = np.random.default_rng(7)
X = RNG.normal(size=(60, 2)) + np.repeat([0, 2, 4], 20)[:, np.newaxis]
Y = np.repeat(["a", "b", "c"], 20)
MODEL = GaussianNB().fit(X, Y)


class Given:
    """A model that says what it is told, in log probabilities."""

    def __init__(self, log_posterior, classes):
        self.classes_ = np.array(classes)
        self._answer = np.array(log_posterior)

    def predict_proba(self, X):
        return np.exp(self._answer)

    def predict_log_proba(self, X):
        return self._answer


@pytest.mark.parametrize("label", ["a", "b", "c"])
def test_rows_come_by_the_posterior_of_the_class(label):
    posterior = MODEL.predict_proba(X)[:, "abc".index(label)]
    ranking = rank(MODEL, X, label)
    np.testing.assert_allclose(ranking.probability, posterior[ranking.rows], rtol=1e-12)
    assert (np.diff(ranking.probability) <= 0).all()
    assert sorted(ranking.rows.tolist()) == list(range(60))
    np.testing.assert_allclose(ranking.log_odds, np.log(ranking.probability / (1 - ranking.probability)), rtol=1e-6)
    assert next(iter(ranking)) == (ranking.rows[0], ranking.probability[0])
    assert len(ranking) == 60


def test_saturated_posteriors_are_told_apart():
    model = GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"])
    ranking = rank(model, [[60.0], [90.0], [70.0], [-60.0], [-90.0]], "high")
    assert (ranking.probability[:3] == 1).all()
    assert (ranking.probability[3:] == 0).all()
    assert ranking.rows.tolist() == [1, 2, 0, 3, 4]
    assert (np.diff(ranking.log_odds) < 0).all()


@given(st.lists(st.floats(-2000, 2000), min_size=1, max_size=12))
def test_two_classes_come_by_the_log_odds_even_where_exp_underflows(log_odds):
    log_odds = np.array(log_odds)
    log_posterior = -np.logaddexp(0, np.column_stack([log_odds, -log_odds]))
    ranking = rank(Given(log_posterior, [0, 1]), None, 1)
    assert ranking.rows.tolist() == np.argsort(-log_odds, kind="stable").tolist() or np.allclose(
        log_odds[ranking.rows], np.sort(log_odds)[::-1], atol=1e-9
    )
    np.testing.assert_allclose(ranking.log_odds, log_odds[ranking.rows], rtol=1e-9, atol=1e-9)


def test_equal_rows_keep_their_order():
    assert rank(MODEL, X[[3, 3, 40, 3]], "c").rows.tolist() == [2, 0, 1, 3]


def test_certain_rows_come_first_and_impossible_ones_last():
    with np.errstate(divide="ignore"):
        log_posterior = np.log([[0.5, 0.5], [0, 1], [1, 0], [0.25, 0.75]])
    ranking = rank(Given(log_posterior, ["no", "yes"]), None, "yes")
    assert ranking.rows.tolist() == [1, 3, 0, 2]
    assert ranking.log_odds[[0, -1]].tolist() == [np.inf, -np.inf]
    written = json.loads(json.dumps(ranking.to_dict(), allow_nan=False))
    assert written["rows"] == [1, 3, 0, 2]
    assert written["log_odds"][0] == "Infinity"
    assert written["label"] == "yes"


def test_a_single_class_is_certain_everywhere():
    ranking = rank(Given(np.zeros((3, 1)), ["only"]), None, "only")
    assert ranking.rows.tolist() == [0, 1, 2]
    assert (ranking.log_odds == np.inf).all()


def test_top():
    every = rank(MODEL, X, "b")
    for top in (1, 7, np.int64(7), 1000):
        assert rank(MODEL, X, "b", top).rows.tolist() == every.rows[:top].tolist()
    for top in (0, -1, 2.0, "3", True):
        with pytest.raises(OptionError, match=r"top=.*1 or more"):
            rank(MODEL, X, "b", top=top)


def test_what_it_is_not_asked_of():
    with pytest.raises(OptionError, match=r"'cc' is not a class. Did you mean 'c'\? .* 'a', 'b', 'c'"):
        rank(MODEL, X, "cc")
    with pytest.raises(NotAJointError, match="ComplementNB"):
        rank(ComplementNB().fit(np.abs(X), Y), X, "a")
    with pytest.raises(NotFittedError):
        rank(BayesDecision(GaussianNB()), X, "a")


def test_a_label_is_found_by_how_it_is_written():
    model = GaussianNB().fit(X, np.repeat([0, 1, 2], 20))
    ranking = rank(model, X, "2", top=3)
    assert ranking.label == 2
    assert ranking.rows.tolist() == rank(model, X, 2, top=3).rows.tolist()


def test_models_without_logarithms_and_decisions_are_ranked():
    neighbours = KNeighborsClassifier(5).fit(X, Y)
    posterior = neighbours.predict_proba(X)[:, 0]
    assert rank(neighbours, X, "a").rows.tolist() == np.argsort(-posterior, kind="stable").tolist()
    assert rank(BayesDecision(MODEL), X, "a").rows.tolist() == rank(MODEL, X, "a").rows.tolist()


def test_as_a_table():
    table = rank(MODEL, X, "b", top=5).to_table()
    assert table.column_names == ["row", "probability", "log_odds"]
    assert table.num_rows == 5


def test_for_a_person():
    model = GaussianNB().fit(X, np.repeat(["[red]", "好瓜", "[/red]"], 20))
    page = as_text(rank(model, X, "[red]", top=2), width=80)
    lines = page.splitlines()
    assert lines[0].split("  ") == ["rank", "row", "P([red])", "log odds"]
    assert len(lines) == 4
    assert "P(好瓜)" in str(rank(model, X, "好瓜"))
    assert str(rank(model, X, "好瓜")).endswith("... and 10 more rows")
    assert repr(rank(model, X, "[/red]")) == "<Ranking of 60 rows by P([/red])>"

from __future__ import annotations

import pickle
import tracemalloc

import numpy as np
import pytest
from scipy import sparse

import tallybayes as tb
from tallybayes import errors
from tallybayes.errors import NotFittedError
from tallybayes.sources import Source

ROWS = [{"sky": "blue", "play": "yes"}, {"sky": "grey", "play": "no"}, {"sky": "blue", "play": "yes"}]


def test_the_target_is_named_where_it_is_a_column():
    model = tb.NaiveBayes().fit(ROWS, y="play")
    assert model.target_ == "play"
    assert (model + model).target_ == "play"


def test_the_target_has_no_name_where_the_labels_come_beside_the_rows(tmp_path):
    model = tb.NaiveBayes().fit([{"sky": row["sky"]} for row in ROWS], ["yes", "no", "yes"])
    assert model.target_ is None
    model.save(tmp_path / "x.tally")
    assert tb.load(tmp_path / "x.tally").target_ is None


def test_nothing_has_a_target_before_fit():
    with pytest.raises(NotFittedError):
        tb.NaiveBayes().target_  # noqa: B018


def test_options_that_need_other_counts_are_refused_after_fit() -> None:
    X, y = [[0.5], [4.0], [2.0], [0.0]], [0, 1, 1, 0]
    model = tb.BernoulliNB(binarize=0).fit(X, y).set_params(binarize=3)
    for ask in (lambda: model.predict_proba(X), lambda: model.forget(X[:1], y[:1]), lambda: model.partial_fit(X, y)):
        with pytest.raises(errors.OptionError, match="Call fit again"):
            ask()
    table = [{"zip": 1 + i % 3, "x": i / 7} for i in range(20)]
    mixed = tb.NaiveBayes().fit(table, [0, 1] * 10).set_params(columns={"zip": "numeric"})
    with pytest.raises(errors.OptionError, match=r"'zip'.*has changed since fit.*learned as categorical"):
        mixed.predict(table)
    with pytest.raises(errors.ColumnError, match="'zap'"):
        mixed.set_params(columns={"zap": "numeric"}).partial_fit(table, [0, 1] * 10)


def test_an_option_changed_in_its_place_is_seen() -> None:
    alpha = np.array([1.0, 1.0])
    model = tb.MultinomialNB(alpha=alpha).fit([[3, 1], [0, 2]], ["a", "b"])
    before = model.predict_proba([[1, 0]])
    alpha[0] = 50.0
    assert np.abs(model.predict_proba([[1, 0]]) - before).max() > 0.1


def test_a_sum_of_one_model_is_another_model() -> None:
    model = tb.GaussianNB().fit([[0.0], [1.0]], ["a", "b"])
    total = sum([model])
    total.partial_fit([[5.0]], ["b"])
    assert model.tallies_["classes"].n_rows == 2
    assert total.tallies_["classes"].n_rows == 3


class Nothing(Source):
    """A source of one's own without any rows."""

    names, named, target = ("x",), True, "y"

    def rows(self):
        return iter(())


def test_a_source_without_rows_is_one_clear_error() -> None:
    model = tb.NaiveBayes().fit([{"x": 1.5}, {"x": 2.5}], ["a", "b"])
    for ask in (tb.NaiveBayes().fit, model.predict, model.predict_proba, model.explain, model.partial_fit):
        with pytest.raises(errors.EmptyDataError, match="has no rows"):
            ask(Nothing())
    with pytest.raises(errors.EmptyDataError, match="has no rows"):
        model.log_likelihood(Nothing(), None)


def test_a_class_is_found_as_it_is_written() -> None:
    X = [[0.0], [1.0], [4.0], [5.0]]
    model = tb.GaussianNB().fit(X, [0, 0, 1, 1])
    assert model.odds(X, "1", 0).tolist() == model.odds(X, 1, 0).tolist()
    assert model.explain(X, label="1").log_odds.tolist() == model.explain(X, label=1).log_odds.tolist()
    with pytest.raises(errors.OptionError, match=r"'2' is not a class. The classes are 0, 1"):
        model.explain(X, label="2")
    with pytest.raises(errors.OptionError, match="two different classes"):
        model.explain(X, label="1", against=1)


@pytest.mark.slow
def test_wide_sparse_rows_are_explained_in_short_blocks() -> None:
    X = sparse.random(400, 20_000, density=1e-3, format="csr", random_state=0)
    X.data[:] = 1.0
    model = tb.MultinomialNB().fit(X, np.arange(400) % 3)
    tracemalloc.start()
    found = model.explain(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    log_odds = model.predict_log_proba(X)
    assert found.log_odds == pytest.approx(np.sort(log_odds)[:, -1] - np.sort(log_odds)[:, -2], rel=1e-9, abs=1e-9)
    assert found.rows.tolist() == list(range(400))
    assert peak < 600e6  # the evidence itself has a number and a cell for each of 8,000,000 cells


def test_what_an_engine_would_send_is_plain() -> None:
    model = tb.NaiveBayes().fit(ROWS, y="play")
    encoder = model._encoder(model._learned)
    assert pickle.loads(pickle.dumps(encoder)) == encoder

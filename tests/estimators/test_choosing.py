"""Fits of more than one pass: what is chosen before and after counting is kept, saved, added and chosen again."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import tallybayes as tb
from tallybayes import errors
from tallybayes.estimators import _registry
from tallybayes.estimators._base import TallyClassifier
from tallybayes.estimators._reselect import Reselecting
from tallybayes.factors.categorical import CategoricalFactor
from tallybayes.learn.passes import Passes
from tallybayes.models.naive import NaiveModel
from tallybayes.models.prior import Prior
from tallybayes.schema.field import Schema
from tallybayes.schema.infer import infer
from tallybayes.sources import Source, open_source, open_stream
from tests.sources.asking import refused


class Halves(Reselecting, TallyClassifier):
    """Cuts each column at its mean, and then puts the last column first; reads the rows three times."""

    def _check_options(self):
        pass

    def _schema_of(self, first, named):
        return infer(first, None, named)

    def _model(self, schema):
        raise AssertionError("what fit chose was forgotten")

    def _chosen_model(self, schema, chosen):
        names = chosen.get("kept", chosen["order"])
        declared = {name: schema[name].declared for name in names}
        return NaiveModel(Prior(), {"bins": CategoricalFactor(tuple(names), 1.0, declared)})

    def _rereads(self, schema):
        return True

    def _prepared(self, schema, passes, target_type):
        assert all(field.edges is None for field in schema)
        cells = [np.column_stack([column.to_numpy() for column in rows.cells.columns]) for rows in passes.rows()]
        means = np.concatenate(cells).mean(axis=0)
        fields = [replace(field, edges=(float(m),)) for field, m in zip(schema, means, strict=True)]
        return Schema(tuple(fields), schema.named), {"order": list(schema.names)}

    def _selected(self, learned, passes):
        assert sum(len(rows) for rows in passes.rows()) == learned.tallies["classes"].n_rows
        return replace(learned, chosen={**learned.chosen, "kept": learned.chosen["order"][::-1]})


def table(seed=0, n=40):
    rng = np.random.default_rng(seed)
    return pa.table({"x": rng.normal(size=n), "z": rng.normal(seed, size=n)}), rng.integers(0, 2, n).tolist()


def edges(model):
    return [field.edges for field in model.schema_]


def test_edges_are_chosen_once_and_then_kept():
    X, y = table()
    model = Halves().fit(X, y)
    expected = [(float(np.mean(column.to_numpy())),) for column in X.columns]
    np.testing.assert_allclose(edges(model), expected, rtol=1e-15)
    before = edges(model)
    more, labels = table(5)
    model.partial_fit(more, labels)
    assert edges(model) == before
    assert model.tallies_["classes"].n_rows == 80
    model.forget(more, labels)
    assert edges(model) == before
    np.testing.assert_array_equal(model.tallies_["bins"].rows, Halves().fit(X, y).tallies_["bins"].rows)
    model.reselect(more, labels)
    assert edges(model) == edges(Halves().fit(more, labels))
    assert model.tallies_["classes"].n_rows == 40


def test_the_first_partial_fit_chooses():
    X, y = table()
    assert edges(Halves().partial_fit(X, y)) == edges(Halves().fit(X, y))


def test_reselect_keeps_kinds_target_and_classes_and_needs_a_fitted_model():
    X, y = table()
    named = X.append_column("y", pa.array(y))
    model = Halves().partial_fit(named, "y", classes=[0, 1, 2])
    model.reselect(named)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.target_ == "y"
    refused(
        lambda: model.reselect(pa.table({"x": ["a"] * 40, "z": [1.0] * 40}), y),
        "'x' was numeric",
        kind=errors.KindError,
    )
    with pytest.raises(errors.NotFittedError):
        Halves().reselect(X, y)


def test_a_failing_reselect_changes_nothing():
    X, y = table()
    model = Halves().fit(X, y)
    before = model._learned
    with pytest.raises(errors.TargetError):
        model.reselect(X, [None] * 40)
    assert model._learned is before


def test_models_that_chose_otherwise_do_not_add():
    (X, y), (Z, w) = table(), table(1)
    one, other = Halves().fit(X, y), Halves().fit(Z, w)
    refused(lambda: one + other, "'x' has 2 bins, cut at", kind=errors.MergeError)
    both = one + copy.deepcopy(one).partial_fit(Z, w).forget(X, y)
    assert edges(both) == edges(one)
    assert both.tallies_["classes"].n_rows == 80
    other = copy.deepcopy(one)
    other._adopt(replace(one._learned, chosen={"order": ["x", "z"], "kept": ["x", "z"]}))
    refused(lambda: one + other, "kept ['z', 'x'] in the first and ['x', 'z'] in the second", kind=errors.MergeError)


def test_what_was_chosen_is_in_the_model_file(tmp_path, monkeypatch):
    monkeypatch.setitem(_registry.MODELS, "Halves", "halves")
    monkeypatch.setattr("tallybayes.estimators._model_file.estimator", lambda name: Halves)
    X, y = table()
    model = Halves().fit(X, y)
    model.save(tmp_path / "x.tally")
    again = tb.load(tmp_path / "x.tally")
    assert edges(again) == edges(model)
    assert again._learned.chosen == model._learned.chosen == {"order": ["x", "z"], "kept": ["z", "x"]}
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert (again + model).tallies_["classes"].n_rows == 80


class Once(Source):
    """A source of one's own whose rows are handed out a single time."""

    def __init__(self, given):
        self._rows = open_source(*given).rows()
        self.names, self.named, self.calls = ("x", "z"), True, 0

    def rows(self):
        self.calls += 1
        assert self.calls == 1
        return self._rows


def test_a_stream_is_read_once_and_a_table_again():
    X, y = table(n=200)
    expected = Halves().fit(X, y)
    streamed = Halves().fit(X.append_column("y", pa.array(y)).to_reader(max_chunksize=30), "y")
    own = Halves().fit(Once((X, y)))
    for model in (streamed, own):
        assert edges(model) == edges(expected)
        np.testing.assert_array_equal(model.tallies_["bins"].rows, expected.tallies_["bins"].rows)


def test_a_file_is_not_kept_in_memory(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("x,z,y\n" + "".join(f"{i / 7},{i},{i % 2}\n" for i in range(100)))
    source = open_source(path, "y")
    assert not source.once
    pieces = source.rows()
    passes = Passes(source, next(pieces), pieces)
    passes.several = True
    assert [sum(map(len, passes.rows())) for _ in range(2)] == [100, 100]
    assert passes._kept is None


def test_which_sources_are_read_once(tmp_path):
    X, _ = table()
    (tmp_path / "x.csv").write_text("x,y\n1,a\n2,b\n")
    with open(tmp_path / "x.csv", "rb") as file:
        assert open_stream(file, "csv", "y").once
    assert open_source(X.to_reader(), None).once
    for again in (X, np.ones((2, 2)), [[1.0], [2.0]], str(tmp_path / "x.csv"), X.to_pandas()):
        assert not open_source(again).once

"""KDB as an estimator: what it chooses, keeps, saves and refuses."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import tallybayes as tb
from tallybayes.errors import MergeError, ModelFileError, OptionError, TooLargeError
from tallybayes.models.graph_joint import GraphJoint
from tallybayes.storage.file import load_model, save_model

NAMES = ["a", "b", "c", "d"]


def made(rng, n):
    """Rows of texts that depend on one another, numbers, a missing cell here and there, and labels."""
    y = rng.integers(0, 2, n)
    a = np.where(rng.random(n) < 0.8, y, rng.integers(0, 3, n))
    b = (a + y + (rng.random(n) < 0.1)) % 3
    c = np.where(rng.random(n) < 0.7, b, rng.integers(0, 3, n))
    d = rng.normal(2 * y + a, 1, n)
    cells = [np.array(["u", "v", "w"], dtype=object)[column] for column in (a, b, c)]
    for column in cells:
        column[rng.random(n) < 0.05] = None
    X = pa.table({"a": pa.array(cells[0]), "b": pa.array(cells[1]), "c": pa.array(cells[2]), "d": pa.array(d)})
    return X, np.array(["no", "yes"])[y]


def some(X, y, start, stop):
    return X.slice(start, stop - start), y[start:stop]


@pytest.fixture
def rows(rng):
    return made(rng, 400)


def information(X, y, name, given=None):
    """Return I(name; y), or I(name; given | y), from definitions."""
    other = y.tolist() if given is None else X.column(given).to_pylist()
    context = [None] * len(y) if given is None else y.tolist()
    there = [t for t in zip(X.column(name).to_pylist(), other, context, strict=True) if None not in t[:2]]
    n, total = len(there), 0.0
    for u, v, c in set(there):
        own = [t for t in there if t[2] == c]
        both = own.count((u, v, c))
        total += both / n * math.log(both * len(own) / (sum(t[0] == u for t in own) * sum(t[1] == v for t in own)))
    return total


def test_parents_are_those_that_say_most(rows):
    X, y = rows
    X = X.select(["a", "b", "c"])
    model = tb.KDB(k=1, select=False).fit(X, y)
    order = sorted(X.column_names, key=lambda name: -information(X, y, name))
    assert list(model.parents_) == order
    for place, name in enumerate(order):
        before = sorted(order[:place], key=lambda other: -information(X, y, name, other))
        assert model.parents_[name] == tuple(before[:1])
    assert [edge for edge in model.network().edges if edge[0] in X.column_names] == [
        (those[0], name) for name, those in sorted(model.parents_.items()) if those
    ]


def test_none_of_the_columns_depending_on_another_is_naive_bayes(rows):
    X, y = rows
    model = tb.KDB(k=0, select=False, smoothing=1.0).fit(X, y)
    naive = tb.NaiveBayes(numeric="bins", prior_smoothing=1.0).fit(X, y)
    np.testing.assert_allclose(model.predict_joint_log_proba(X), naive.predict_joint_log_proba(X), rtol=1e-12)
    assert model.network().edges == tuple(("class", name) for name in NAMES)


@pytest.mark.filterwarnings("ignore::tallybayes.errors.ZeroProbabilityWarning")
@pytest.mark.parametrize("smoothing", [1.0, 0.0])
def test_one_parent_of_all_is_a_spode(rng, smoothing):
    X, y = made(rng, 60)
    X = X.select(["a", "b"])
    model = tb.KDB(k=1, select=False, smoothing=smoothing).fit(X, y)
    first = next(iter(model.parents_))
    spode = tb.SPODE(superparent=first, prior="empirical", smoothing=smoothing).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), spode.predict_proba(X), rtol=1e-12)
    np.testing.assert_allclose(model.leave_one_out(X, y), spode.leave_one_out(X, y), rtol=1e-10)


# What is kept --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("select", [False, True])
def test_what_was_chosen_is_kept(rows, select):
    X, y = rows
    first, second, third = some(X, y, 0, 250), some(X, y, 250, 330), some(X, y, 330, 400)
    model = tb.KDB(select=select).fit(*first)
    chosen, before = model.parents_, model.predict_proba(X)
    schema = model.schema_
    model.partial_fit(*second).partial_fit(*third)
    assert model.parents_ == chosen
    assert model.schema_ == schema
    everything = model.predict_proba(X)
    assert not np.allclose(everything, before)
    model.forget(*third).forget(*second)
    np.testing.assert_array_equal(model.predict_proba(X), before)

    parts = [tb.KDB(select=select).fit(*first).partial_fit(*piece).forget(*first) for piece in (second, third)]
    total = tb.KDB(select=select).fit(*first) + parts[0] + parts[1]
    np.testing.assert_allclose(total.predict_proba(X), everything, rtol=1e-12)


def test_models_of_other_structures_do_not_add(rng):
    X, y = made(rng, 300)
    one = tb.KDB(discretize={"d": [1.0]}).fit(*some(X, y, 0, 150))
    shuffled = X.select(["c", "d", "a", "b"]).rename_columns([*NAMES[:3], "e"])
    with pytest.raises(MergeError):
        one + tb.KDB().fit(shuffled, y)
    flipped = X.set_column(0, "a", pa.array(rng.permutation(X.column("a").to_pylist())))
    other = tb.KDB(discretize={"d": [1.0]}).fit(flipped, y)
    with pytest.raises(MergeError, match="differ in what fit chose: order"):
        one + other


def test_reselect_chooses_again(rng):
    X, y = made(rng, 300)
    noise = X.set_column(0, "a", pa.array(rng.permutation(X.column("a").to_pylist())))
    model = tb.KDB(k=1, select=False).fit(noise, y)
    assert list(model.parents_)[-1] == "a"
    model.partial_fit(X, y)
    assert list(model.parents_)[-1] == "a"
    model.reselect(X, y)
    assert model.parents_ == tb.KDB(k=1, select=False).fit(X, y).parents_
    np.testing.assert_allclose(model.predict_proba(X), tb.KDB(k=1, select=False).fit(X, y).predict_proba(X))
    model.set_params(k=2)
    with pytest.raises(OptionError, match="chosen by have changed"):
        model.predict(X)
    assert model.reselect(X, y).parents_["c"]


def test_a_model_file_has_all(rows, tmp_path):
    X, y = rows
    model = tb.KDB(k=2, missing="category").fit(X, y)
    model.save(tmp_path / "k.tally")
    loaded = tb.load(tmp_path / "k.tally")
    assert loaded.parents_ == model.parents_
    np.testing.assert_array_equal(loaded.losses_, model.losses_)
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    loaded.partial_fit(X, y)
    np.testing.assert_array_equal(loaded.predict_proba(X), model.partial_fit(X, y).predict_proba(X))
    assert str(loaded.summary())


@pytest.mark.parametrize(
    "change",
    [
        lambda chosen: chosen.pop("order"),
        lambda chosen: chosen.update(factor=-1.0),
        lambda chosen: chosen.update(asked=None),
        lambda chosen: chosen["order"].reverse(),
        lambda chosen: chosen["order"].append("z"),
        lambda chosen: chosen["parents"].append([]),
        lambda chosen: chosen["parents"][-1].append(chosen["order"][-1]),
        lambda chosen: chosen["parents"][-1].append(chosen["parents"][-1][0]),
        lambda chosen: chosen["parents"].__setitem__(0, "ab"),
        lambda chosen: chosen["parents"][-1].append([]),
        lambda chosen: chosen["parents"][-1].pop(),
        lambda chosen: chosen.update(asked={"k": 2, "select": True, "criterion": "log-loss"}),
    ],
)
def test_a_forged_graph_is_refused(rows, tmp_path, change):
    X, y = rows
    tb.KDB(k=2, select=False).fit(X, y).save(tmp_path / "k.tally")
    header, arrays = load_model(tmp_path / "k.tally")
    change(header["chosen"])
    save_model(tmp_path / "forged.tally", header, arrays)
    with pytest.raises(ModelFileError):
        tb.load(tmp_path / "forged.tally")


def test_nothing_was_compared(rows):
    with pytest.raises(AttributeError, match="select=True"):
        tb.KDB(select=False).fit(*rows).losses_  # noqa: B018


def test_files_and_streams_are_read_as_often_as_needed(rows, tmp_path):
    X, y = rows
    whole = X.append_column("y", pa.array(y))
    pa.csv.write_csv(whole, tmp_path / "rows.csv")
    model = tb.KDB().fit(X, y)
    for source in (tmp_path / "rows.csv", whole.to_reader(max_chunksize=70)):
        other = tb.KDB().fit(source, "y")
        assert other.parents_ == model.parents_
        np.testing.assert_allclose(other.predict_proba(X), model.predict_proba(X), rtol=1e-12)
        np.testing.assert_allclose(other.losses_, model.losses_, rtol=1e-12)


def test_values_that_come_later_belong(rows):
    X, y = rows
    model = tb.KDB(select=False).fit(X, y)
    later = pa.table({"a": ["new", "new"], "b": ["u", None], "c": ["other", "u"], "d": [0.5, None]})
    model.partial_fit(later, ["yes", "never"])
    assert model.classes_.tolist() == ["never", "no", "yes"]
    assert np.isfinite(model.predict_joint_log_proba(later)).all()
    np.testing.assert_allclose(model.predict_proba(later).sum(axis=1), 1.0)


# Other columns -------------------------------------------------------------------------------------------------


def test_numbers_and_texts_stand_beside_and_are_always_asked(rng):
    X, y = made(rng, 300)
    words = [f"{'good' if label == 'yes' else 'bad'} {i % 7}" if i % 2 else "so so" for i, label in enumerate(y)]
    X = X.append_column("note", pa.array(words))
    model = tb.KDB(numeric="gaussian", columns={"note": "text"}).fit(X, y)
    assert "d" not in model.parents_
    assert "note" not in model.parents_
    kept = list(model.parents_)
    loss = model.losses_[max(map(len, model.parents_.values())), len(kept)]
    own = np.searchsorted(model.classes_, y)
    posterior = model.leave_one_out(X, y)
    assert loss == pytest.approx(-np.log(posterior[np.arange(len(y)), own]).mean(), rel=1e-10)
    found = model.explain(X.slice(0, 3))
    assert {"d", "note"} <= set(found.table.column("column").to_pylist())


@pytest.mark.parametrize("smoothing", [0.5, "hierarchical"])
def test_the_loss_of_what_was_selected_is_that_of_leave_one_out(rows, smoothing):
    X, y = rows
    for criterion in ("log-loss", "accuracy", "rmse"):
        model = tb.KDB(k=2, criterion=criterion, smoothing=smoothing).fit(X, y)
        own = np.searchsorted(model.classes_, y)
        posterior = model.leave_one_out(X, y)
        mine = posterior[np.arange(len(y)), own]
        expected = {
            "log-loss": -np.log(mine).mean(),
            "accuracy": (posterior.argmax(axis=1) != own).mean(),
            "rmse": np.sqrt(((1 - mine) ** 2).mean()),
        }
        assert model.losses_[:, 1:].min() == pytest.approx(expected[criterion], rel=1e-10)


def test_no_column_that_is_read_as_categories(rng):
    X = pa.table({"d": pa.array(rng.normal(size=40))})
    y = np.where(X.column("d").to_numpy() > 0, "p", "n")
    model = tb.KDB(numeric="gaussian").fit(X, y)
    assert model.parents_ == {}
    naive = tb.NaiveBayes(prior_smoothing=1.0).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), naive.predict_proba(X), rtol=1e-12)


# What is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"k": -1}, "k=-1 should be a whole number"),
        ({"k": 1.5}, "k=1.5 should be a whole number"),
        ({"k": True}, "k=True should be"),
        ({"select": 1}, "select=1 should be True or False"),
        ({"criterion": "loss"}, "criterion='loss' is not one of"),
        ({"smoothing": "hierarchic"}, "Did you mean 'hierarchical'"),
        ({"smoothing": -1}, "smoothing=-1 should be"),
        ({"prior_smoothing": -1}, "prior_smoothing=-1"),
    ],
)
def test_options_that_are_none(rows, options, words):
    with pytest.raises(OptionError, match=words):
        tb.KDB(**options).fit(*rows)


def test_memory_is_known_beforehand(rows, monkeypatch):
    X, y = rows
    model = tb.KDB(k=3, select=False).fit(X, y)
    need = model.table_bytes_
    assert need == model.tallies_["together"].rows.nbytes * 2
    tb.KDB(k=3, select=False, memory_limit=need).fit(X, y)
    monkeypatch.setattr(GraphJoint, "__init__", None)  # nothing is estimated
    with pytest.raises(TooLargeError, match="memory_limit="):
        tb.KDB(k=3, select=False, memory_limit=need - 1).fit(X, y)


def test_gaussians_given_a_parent_have_no_tables_to_lean_on(rows):
    X, y = rows
    with pytest.raises(OptionError, match="'d'"):
        tb.SPODE(superparent="a", numeric="gaussian", smoothing="hierarchical").fit(X, y)
    assert tb.TAN(numeric="gaussian", smoothing="hierarchical").fit(X, y).tree_weight_ > 0

"""Numbers into bins, as a transformer: the edges, the bins, files and frames, and what is refused."""

from __future__ import annotations

import datetime as dt
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer

import tallybayes as tb
from tallybayes import errors
from tests.sources.asking import refused

IRIS, SPECIES = load_iris(return_X_y=True)


def test_890_lies_in_the_third_of_five_bins():
    cutter = tb.Discretizer(method="edges", edges=[400, 800, 1200, 1600]).fit([[0.5]])
    assert cutter.transform([[890]]).tolist() == [[2]]
    assert cutter.transform([[400.0], [399.999], [1600.0]]).ravel().tolist() == [1, 0, 4]
    assert cutter.transform([[890.0]]).dtype.kind == "i"
    assert cutter.bins_ == {0: ["< 400", "[400, 800)", "[800, 1200)", "[1200, 1600)", ">= 1600"]}


def test_iris_by_the_rule_of_fayyad_and_irani():
    cutter = tb.Discretizer().fit(IRIS, SPECIES)
    expected = {0: (5.55, 6.15), 1: (2.95, 3.35), 2: (2.45, 4.75), 3: (0.8, 1.75)}
    assert {name: tuple(round(edge, 9) for edge in edges) for name, edges in cutter.edges_.items()} == expected
    bins = cutter.transform(IRIS)
    for j, edges in cutter.edges_.items():
        np.testing.assert_array_equal(bins[:, j], np.searchsorted(edges, IRIS[:, j], side="right"))
    again = make_pipeline(tb.Discretizer(), CategoricalNB()).fit(IRIS, SPECIES)
    ours = tb.NaiveBayes(numeric="bins").fit(IRIS, SPECIES)
    np.testing.assert_allclose(again.predict_proba(IRIS), ours.predict_proba(IRIS), rtol=1e-9)


@pytest.mark.parametrize("n_bins", [2, 5, 9])
def test_equal_widths_are_those_of_scikit_learn(n_bins, rng):
    X = rng.normal(size=(500, 3))
    peer = KBinsDiscretizer(n_bins, encode="ordinal", strategy="uniform", subsample=None).fit(X)
    ours = tb.Discretizer(method="width", n_bins=n_bins).fit(X)
    for j in range(3):
        np.testing.assert_allclose(ours.edges_[j], peer.bin_edges_[j][1:-1], rtol=1e-12)
    np.testing.assert_array_equal(ours.transform(X), peer.transform(X))


def test_equal_weights(rng):
    X = rng.lognormal(size=(1000, 2))
    cutter = tb.Discretizer(method="quantile", n_bins=8).fit(X)
    for j in range(2):
        assert np.bincount(cutter.transform(X)[:, j]).tolist() == [125] * 8
    # Few different numbers: no bin is empty.
    cutter = tb.Discretizer(method="quantile", n_bins=4).fit([[0.0]] * 9 + [[1.0]] * 2 + [[2.0]])
    assert cutter.edges_ == {0: (0.5,)}


def test_weights_count_and_those_of_zero_do_not():
    X = np.array([[1.0], [2.0], [3.0], [4.0], [1e9]])
    weights = [1, 1, 1, 9, 0]
    assert tb.Discretizer(method="quantile", n_bins=2).fit(X, sample_weight=weights).edges_ == {0: (3.5,)}
    assert tb.Discretizer(method="width", n_bins=3).fit(X, sample_weight=weights).edges_ == {0: (2.0, 3.0)}


def test_labels_play_no_part_where_they_are_not_asked():
    X, y = IRIS[:, :2], [None if i % 2 else "a" for i in range(150)]
    for method in ("quantile", "width"):
        assert tb.Discretizer(method=method).fit(X, y).edges_ == tb.Discretizer(method=method).fit(X).edges_
    # For the rule of Fayyad and Irani, a row without a label takes no part.
    labels = [None if i < 30 else str(SPECIES[i]) for i in range(150)]
    ours, rest = tb.Discretizer().fit(X, labels), tb.Discretizer().fit(X[30:], labels[30:])
    assert ours.edges_ == rest.edges_


def test_a_missing_cell_has_a_bin_of_its_own_or_stays_missing_or_is_refused():
    X = [[1.0], [np.nan], [3.0]]

    def cutter(missing):
        return tb.Discretizer(method="edges", edges=[2], missing=missing).fit([[1.0]])

    assert cutter("own").transform(X).ravel().tolist() == [0, 2, 1]
    kept = cutter("keep").transform(X)
    np.testing.assert_array_equal(kept, [[0.0], [np.nan], [1.0]])
    assert kept.dtype == np.float64
    assert cutter("keep").transform([[1.0]]).dtype == np.float64  # whatever the rows are
    refused(lambda: cutter("error").transform(X), "no value (NaN or empty) in row 2")
    # What stays missing is marginalised by the models of this library.
    model = tb.CategoricalNB().fit(cutter("keep").transform([[1.0], [3.0], [1.0]]), ["a", "b", "b"])
    np.testing.assert_allclose(model.predict_proba(kept)[1], [1 / 3, 2 / 3])


FRAME = pd.DataFrame(
    {
        "age": [17.0, 40.0, np.nan, 71.0],
        "town": ["rome", None, "oslo", "rome"],
        "rooms": [1, 2, 3, 3],
        "owner": [True, False, True, True],
        "id": ["a", "b", "c", "d"],
    },
    index=[7, 8, 9, 10],
)


def test_columns_that_are_no_numbers_pass():
    cutter = tb.Discretizer(
        method="edges", edges={"age": [18, 65], "rooms": [3]}, columns={"id": "ignored", "rooms": "numeric"}
    ).fit(FRAME)
    assert cutter.get_feature_names_out().tolist() == ["age", "town", "rooms", "owner"]
    rows = cutter.transform(FRAME)
    assert rows.dtype == object
    assert rows.tolist() == [[0, "rome", 0, True], [1, None, 0, False], [3, "oslo", 1, True], [2, "rome", 1, True]]


def test_numbers_without_edges_pass_where_edges_alone_count():
    X = np.array([[1.5, 2.0], [3.0, np.nan], [1.0, 5.0]])
    cutter = tb.Discretizer(method="edges", edges={0: [2]}).fit(X)
    np.testing.assert_array_equal(cutter.transform(X), [[0, 2.0], [1, np.nan], [0, 5.0]])
    np.testing.assert_array_equal(
        cutter.inverse_transform(cutter.transform(X)), [[1.5, 2.0], [2.5, np.nan], [1.5, 5.0]]
    )
    assert cutter.bins_ == {0: ["< 2", ">= 2"]}
    np.testing.assert_array_equal(tb.Discretizer(method="edges", edges={}).fit(X).transform(X), X)


def test_texts_pass_however_different_they_are(tmp_path):
    X = pa.table({"x": [float(i) for i in range(40)], "id": [f"k{i}" for i in range(40)], "size": [7, 8] * 20})
    cutter = tb.Discretizer(method="width", n_bins=2).fit(X)
    assert [str(field.kind) for field in cutter.schema_] == ["numeric", "categorical", "numeric"]
    assert cutter.transform(X).tolist()[20] == [1, "k20", 0]
    assert str(cutter.schema_["id"].reason) == "texts"
    mixed = X.append_column("z", pa.array(["1.5"] * 38 + ["2", "2,5"]))
    pa.csv.write_csv(mixed, (path := tmp_path / "x.csv"))
    refused(lambda: tb.Discretizer(method="width").fit(path), "'2,5'", kind=errors.KindError)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_frame_comes_out_where_one_is_wanted(kind):
    cutter = tb.Discretizer(method="edges", edges={"age": [18, 65], "rooms": [3]}, columns={"rooms": "numeric"})
    X = FRAME if kind == "pandas" else pl.from_pandas(FRAME)
    found = cutter.set_output(transform=kind).fit(X).transform(X)
    assert isinstance(found, pd.DataFrame if kind == "pandas" else pl.DataFrame)
    assert list(found.columns) == ["age", "town", "rooms", "owner", "id"]
    assert found["age"].to_list() == [0, 1, 3, 2]
    assert str(found["age"].dtype).lower() == "int64"
    assert found["owner"].to_list() == [True, False, True, True]
    if kind == "pandas":
        assert found.index.tolist() == [7, 8, 9, 10]
    rows = [{"age": 20.0, "town": "oslo", "rooms": 1, "owner": None, "id": "x"}]
    assert cutter.transform(rows)["town"].to_list() == ["oslo"]
    numbers = cutter.set_params(edges={"age": [18]}, columns=None).fit(X[["age"]]).transform(X[["age"]])
    assert numbers["age"].to_list() == [0, 1, 2, 1]


def test_integers_are_cut_however_few_there_are_unless_it_is_said_otherwise():
    X = np.array([[1, 5], [2, 3], [4, 7], [4, 7]] * 10)
    assert tb.Discretizer(method="width", n_bins=2).fit(X).edges_ == {0: (2.5,), 1: (5.0,)}
    with_codes = tb.Discretizer(method="width", n_bins=2, columns={1: "categorical"}).fit(X)
    assert with_codes.edges_ == {0: (2.5,)}
    assert with_codes.transform(X[:2]).tolist() == [[0, 5], [0, 3]]
    assert tb.Discretizer(method="width", n_bins=2).fit(X >= 4).edges_[1] == (0.5,)


def test_a_file_is_read_in_pieces_and_gives_the_same(tmp_path, rng):
    n = 70_000
    x = np.round(rng.normal(size=n), 2)
    labels = np.where(np.abs(x) < 1, "near", "far")
    whole = pa.table({"x": x, "y": labels})
    pa.csv.write_csv(whole, tmp_path / "x.csv")
    expected = tb.Discretizer().fit(x[:, None], labels).edges_[0]
    np.testing.assert_allclose(expected, [-0.995, 0.995], atol=1e-12)
    cutter = tb.Discretizer().fit(tmp_path / "x.csv", "y")
    assert cutter.edges_ == {"x": expected}
    stream = tb.Discretizer().fit(whole.to_reader(max_chunksize=1000), "y")
    assert stream.edges_ == {"x": expected}
    with pytest.warns(errors.DataWarning, match="without the column 'y'"):
        bins = cutter.transform(tmp_path / "x.csv")
    np.testing.assert_array_equal(np.bincount(bins[:, 0])[1], (np.abs(x) < 1).sum())


def test_a_few_columns_are_exact_with_many_different_numbers(rng):
    x = np.round(rng.normal(size=100_000), 4)
    assert len(np.unique(x[x <= 0.3])) > 20_000
    labels = x > 0.3
    cutter = tb.Discretizer().fit(x[:, None], labels)
    below, above = x[x <= 0.3].max(), x[x > 0.3].min()
    assert cutter.edges_ == {0: (below / 2 + above / 2,)}


@pytest.mark.parametrize("method", ["mdlp", "quantile", "width"])
def test_rows_may_come_in_parts(method, rng):
    X, y = rng.normal(size=(300, 2)), rng.integers(0, 2, 300)
    X[y == 1] += 1.5
    whole = tb.Discretizer(method=method, n_bins=4).fit(X, y)
    parts = tb.Discretizer(method=method, n_bins=4)
    for rows in (slice(0, 10), slice(10, 200), slice(200, None)):
        parts.partial_fit(X[rows], y[rows])
    assert parts.edges_ == whole.edges_
    assert any(whole.edges_.values())
    again = pickle.loads(pickle.dumps(parts))
    assert again.partial_fit(X, y).edges_ == parts.partial_fit(X, y).edges_
    np.testing.assert_array_equal(again.transform(X), parts.transform(X))
    refused(
        lambda: parts.set_params(method="width" if method != "width" else "quantile").partial_fit(X, y),
        "Call fit again",
        kind=errors.OptionError,
    )


@given(st.lists(st.floats(-1e9, 1e9), max_size=6, unique=True), st.booleans())
@example([1e9, 999999999.9999999], False)
def test_a_number_of_each_bin_lies_in_it(edges, keep):
    cutter = tb.Discretizer(method="edges", edges=sorted(edges), missing="keep" if keep else "own").fit([[1.0]])
    X = [*[[x] for x in edges], [-1e10], [1e10], [np.nan]]
    bins = cutter.transform(X)
    middles = cutter.inverse_transform(bins)
    assert np.isnan(middles[-1, 0])
    np.testing.assert_array_equal(cutter.transform(middles), bins)


def test_the_middles_of_bins():
    cutter = tb.Discretizer(method="edges", edges=[0, 10, 30]).fit([[1.0]])
    assert cutter.inverse_transform([[0], [1], [2], [3]]).ravel().tolist() == [-5.0, 5.0, 20.0, 40.0]
    mixed = tb.Discretizer(method="edges", edges={"age": [18]}).fit(FRAME[["age", "town"]])
    assert mixed.inverse_transform(mixed.transform(FRAME[["age", "town"]])).tolist()[0] == [17.5, "rome"]
    for odd in ([[5]], [[-1]], [[0.5]]):
        refused(lambda odd=odd: cutter.inverse_transform(odd), "has bins from 0 to 3", kind=errors.OptionError)
    refused(lambda: cutter.inverse_transform([[0, 1]]), "shape (1, 2)", kind=errors.ColumnError)


def test_sparse_matrices_and_dates():
    X = sparse.csr_array(np.array([[0.0, 2.0], [5.0, 0.0], [1.0, 1.0]]))
    cutter = tb.Discretizer(method="edges", edges=[1.0]).fit(X)
    assert cutter.transform(X).tolist() == [[0, 1], [1, 0], [1, 1]]
    days = pa.table({"day": [dt.date(2024, 1, day) for day in range(1, 9)]})
    cutter = tb.Discretizer(method="width", n_bins=7).fit(days)
    assert cutter.bins_["day"][:2] == ["< 2024-01-02", "[2024-01-02, 2024-01-03)"]
    assert cutter.transform(days).ravel().tolist() == [0, 1, 2, 3, 4, 5, 6, 6]


def test_columns_are_found_by_name():
    X = pd.DataFrame({"a": [1.0, 9.0], "b": [100.0, 900.0]})
    cutter = tb.Discretizer(method="edges", edges={"a": [5], "b": [500, 600]}).fit(X)
    np.testing.assert_array_equal(cutter.transform(X[["b", "a"]]), [[0, 0], [1, 2]])
    refused(lambda: cutter.transform(X[["a"]]), "no column 'b'", kind=errors.ColumnError)


@pytest.mark.parametrize(
    ("options", "words", "kind"),
    [
        ({"method": "mdl"}, "method='mdl' is not one of", errors.OptionError),
        ({"method": "edges"}, "method='edges' needs the edges", errors.OptionError),
        ({"edges": [2, 1]}, "each above the one before", errors.OptionError),
        ({"edges": {"xx": [1]}}, "Did you mean 'x'?", errors.ColumnError),
        ({"edges": {"t": [1]}}, "names 't', which is no column that is cut", errors.ColumnError),
        ({"n_bins": 1}, "n_bins=1 should be", errors.OptionError),
        ({"n_bins": None}, "n_bins=None should be", errors.OptionError),
        ({"max_bins": 0}, "max_bins=0 should be", errors.OptionError),
        ({"missing": "nan"}, "missing='nan' is not one of", errors.OptionError),
        ({"columns": {"x": "ignored"}}, "No column holds numbers", errors.KindError),
    ],
)
def test_options_that_no_data_make_right(options, words, kind):
    X = pa.table({"x": [1.5, 2.5, 3.5] * 10, "t": ["a", "b", "a"] * 10})
    refused(lambda: tb.Discretizer(**options).fit(X, ["p", "q", "p"] * 10), words, kind=kind)


def test_rows_that_cannot_be_cut():
    X = np.arange(4.0)[:, None]
    refused(lambda: tb.Discretizer().fit(X), "requires y to be passed", kind=errors.TargetError)
    refused(lambda: tb.Discretizer().fit(X, [None] * 4), "No row is left", kind=errors.TargetError)
    for method in ("quantile", "width"):
        refused(
            lambda method=method: tb.Discretizer(method=method).fit([[1.0], [np.inf]]),
            "holds inf in row 2",
            kind=errors.ValueRangeError,
        )
    assert tb.Discretizer(method="edges", edges=[0]).fit(X).transform([[np.inf], [-np.inf]]).tolist() == [[1], [0]]
    with pytest.raises(errors.NotFittedError):
        tb.Discretizer().transform(X)
    with pytest.raises(errors.NotFittedError):
        tb.Discretizer().edges_  # noqa: B018
    refused(lambda: tb.Discretizer().fit(np.empty((0, 2)), []), "0 sample", kind=errors.EmptyDataError)


def test_a_failing_partial_fit_changes_nothing():
    cutter = tb.Discretizer(method="quantile").fit(IRIS)
    before = cutter.edges_
    refused(lambda: cutter.partial_fit(np.full((3, 4), np.inf)), "inf", kind=errors.ValueRangeError)
    refused(lambda: cutter.partial_fit([["a"] * 4] * 3), "numeric", kind=errors.KindError)
    assert cutter.edges_ == before
    assert cutter.partial_fit(IRIS).edges_ == before

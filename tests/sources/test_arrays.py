from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from scipy import sparse

import tallybayes as tb
from tallybayes import errors
from tallybayes.sources import open_source
from tests.sources.asking import refused, table_of

NUMBERS = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "g"]


def first_piece(X):
    return next(open_source(X).rows()).cells


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers_of_every_type_and_byte_order(kind, order):
    dtype = np.dtype(kind).newbyteorder(order)
    X = np.array([[0, 1], [1, 0], [1, 1]], dtype=dtype)
    cells = first_piece(X)
    assert cells.dtype.isnative
    assert cells.dtype.kind == dtype.kind
    assert cells.dtype.itemsize in ((4, 8) if dtype.kind == "f" else (dtype.itemsize,))
    np.testing.assert_array_equal(cells, X)


@pytest.mark.parametrize("kind", ["i1", "u1", "i4", "u8", "i8", "f4", "f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_matrix_is_passed_on_and_not_copied(kind, order):
    X = np.zeros((100, 7), dtype=kind, order=order)
    for view in (X, X[:, ::2], X[::-1], X[3:50, 1:4]):
        assert np.shares_memory(first_piece(view), X)


def test_the_extremes_of_the_integers_stay_what_they_are():
    for kind in ("i8", "u8"):
        low, high = np.iinfo(kind).min, np.iinfo(kind).max
        X = np.array([[low], [high]] * 20, dtype=kind)
        model = tb.NaiveBayes().fit(X, ["a", "b"] * 20)
        assert [f.kind for f in model.schema_] == ["categorical"]
        assert model.predict(X).tolist() == ["a", "b"] * 20
        near = np.array([[low + 1], [high - 1]], dtype=kind)  # other values, though as floats they would be the same
        np.testing.assert_allclose(model.predict_proba(near), 0.5)


@pytest.mark.parametrize(
    ("unit", "ticks", "days"),
    [
        ("Y", 1, 365),
        ("M", 1, 31),
        ("W", 1, 7),
        ("D", 1, 1),
        ("h", 6, 0.25),
        ("m", 90, 0.0625),
        ("s", 86400, 1),
        ("ms", 43_200_000, 0.5),
        ("us", 86_400_000_000, 1),
        ("ns", 86_400_000_000_000, 1),
        ("ps", 10**15 * 216, 2.5),
    ],
)
def test_dates_in_every_unit_are_days(unit, ticks, days):
    X = np.array([[0], [ticks], ["NaT"]], dtype=f"M8[{unit}]")
    model = tb.NaiveBayes().fit(X, [0, 0, 1])
    assert model.schema_[0].reason == "dates, as days since 1970-01-01"
    [found] = model.summary().to_dict()["columns"]
    assert found["factors"][0]["mean"][0] == pytest.approx(days / 2, rel=1e-12)


def test_an_object_array_has_a_type_for_each_column():
    X = np.empty((4, 5), dtype=object)
    X[:, 0] = ["a", None, "c", "a"]
    X[:, 1] = [1, 2, None, 2**40]
    X[:, 2] = [1, 2.5, float("nan"), np.float32(4)]
    X[:, 3] = [True, None, np.bool_(False), True]
    X[:, 4] = [dt.date(2020, 1, 1), None, np.datetime64("2020-01-02"), dt.date(2020, 1, 3)]
    days = [dt.datetime(2020, 1, 1), None, dt.datetime(2020, 1, 2), dt.datetime(2020, 1, 3)]
    expected = {
        0: ["a", None, "c", "a"],
        1: [1, 2, None, 2**40],
        2: [1.0, 2.5, None, 4.0],
        3: [True, None, False, True],
        4: days,
    }
    assert table_of(X) == expected


def test_arrays_of_texts_and_bytes():
    assert table_of(np.array([["a", ""], ["é", "b"]])) == {0: ["a", "é"], 1: ["", "b"]}
    assert table_of(np.array([[b"a", b"b"]])) == {0: ["a"], 1: ["b"]}


def test_the_fields_of_a_structured_array_are_its_columns():
    X = np.array([(1, 2.5, "p"), (3, np.nan, "q")], dtype=[("n", "i4"), ("x", "f8"), ("y", "U1")])
    expected = {"n": [1, 3], "x": [2.5, None], "target": ["p", "q"]}
    assert table_of(X, "y") == expected
    assert table_of(X.view(np.recarray), "y") == expected
    masked = np.ma.array(X, mask=[(True, False, False), (False, False, False)])
    assert table_of(masked, "y") == expected | {"n": [None, 3]}


def test_masked_cells_are_missing():
    mask = [[True, False], [False, False]]
    assert table_of(np.ma.array([[1.5, 2.5], [3.5, 4.5]], mask=mask)) == {0: [None, 3.5], 1: [2.5, 4.5]}
    assert table_of(np.ma.array([[1, 2], [3, 4]], mask=mask)) == {0: [None, 3], 1: [2, 4]}
    assert table_of(np.ma.array([[1, 2], [3, 4]])) == {0: [1, 3], 1: [2, 4]}


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.zeros((2, 2), complex), ["Complex data not supported", "complex128"]),
        (np.zeros((2, 2), "V4"), ["|V4"]),
        (np.zeros(2, [("a", "f8", (2,))]), ["no cells"]),
        (np.zeros((2, 0)), ["0 feature(s)"]),
        (np.zeros((0, 2)), ["0 sample(s)"]),
        (np.zeros((0, 0)), ["0 sample(s)"]),
        (np.zeros((2, 2), object) + 1j, ["Complex data not supported", "row 1", "columns={0: 'ignored'}"]),
    ],
    ids=lambda value: "",
)
def test_arrays_that_are_no_tables(X, words):
    refused(lambda: tb.NaiveBayes().fit(X, [0, 1][: len(X)]), *words, kind=errors.TallyBayesError)


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_a_numpy_matrix():
    refused(lambda: open_source(np.matrix([[1, 2]])), "np.asarray", kind=errors.UnsupportedDataError)


# Sparse --------------------------------------------------------------------------------------------------


def test_duplicates_of_a_sparse_matrix_are_added_and_the_users_matrix_stays_as_it_is():
    X = sparse.coo_array(([1.0, 2.0, 4.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2)).tocsr(copy=True)
    raw = sparse.csr_array((np.array([1.0, 2.0, 4.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    assert raw.nnz == 3
    np.testing.assert_array_equal(first_piece(raw).toarray(), X.toarray())
    assert raw.nnz == 3


def test_a_sparse_matrix_is_passed_on_in_pieces_that_go_by_what_it_stores():
    X = sparse.csr_array((np.ones(200_000), np.arange(200_000) % 100_000, np.arange(200_001)), shape=(200_000, 100_000))
    pieces = [piece.cells for piece in open_source(X).rows()]
    assert [piece.shape for piece in pieces] == [(65536, 100_000)] * 3 + [(3392, 100_000)]
    np.testing.assert_array_equal(np.concatenate([piece.indices for piece in pieces]), X.indices)


def test_sparse_matrices_of_no_numbers():
    refused(lambda: open_source(sparse.csr_array(np.eye(2) * 1j)), "Complex")
    refused(lambda: open_source(sparse.coo_array(np.arange(3))), "Expected 2D array")
    refused(lambda: open_source(sparse.csr_array((0, 3))), "0 sample(s)", kind=errors.EmptyDataError)
    refused(lambda: open_source(sparse.csr_array((3, 0))), "0 feature(s)", kind=errors.EmptyDataError)


@pytest.mark.parametrize("kind", ["?", "i1", "u8", "i8", "f4", "f8", "g"])
def test_sparse_numbers_of_every_type(kind):
    dense = np.array([[0, 1, 0], [1, 0, 0], [1, 1, 0]]).astype(kind)
    np.testing.assert_array_equal(first_piece(sparse.csc_array(dense)).toarray(), dense)

"""Numbers read as bins, and rare values as one: in every form of the rows, and in words."""

from __future__ import annotations

import bisect
import copy
import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import sparse

from tallybayes.errors import MergeError, ModelFileError
from tallybayes.kernels import binning
from tallybayes.schema.agree import united
from tallybayes.schema.bins import bins_of, drawn_within, edges_in_words, interval
from tallybayes.schema.encode import encode
from tallybayes.schema.field import OTHER, Field, Schema
from tallybayes.schema.rows import Rows
from tallybayes.schema.values import Values
from tests.sources.asking import refused

numbers = st.floats(-1e300, 1e300) | st.sampled_from([0.0, -0.0, 1.0, 1.5, -2.0, np.inf, -np.inf])
edges = st.lists(st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1.0, 1.5, -2.0]), max_size=8, unique=True).map(
    lambda items: tuple(sorted(items))
)


@given(st.lists(numbers | st.just(np.nan), max_size=30), edges)
@example([0.0, -0.0, -5e-324], (-0.0, 1.0))
def test_a_bin_is_the_number_of_edges_that_are_at_most_the_number(cells, cuts):
    expected = [-1 if x != x else bisect.bisect_right(cuts, x) for x in cells]
    assert bins_of(np.array(cells, dtype=float), cuts).tolist() == expected


@pytest.mark.parametrize("several", [0, 1, binning._FEW, binning._FEW + 1, 1000])
def test_many_rows_and_many_edges(rng, several):
    cuts = np.sort(rng.integers(0, 10 * several + 1, several * 2).astype(float))
    cuts = tuple(np.unique(cuts)[:several].tolist())
    cells = np.concatenate([rng.uniform(-1, 10 * several + 2, 3000), cuts, np.nextafter(cuts, -np.inf)])
    np.testing.assert_array_equal(bins_of(cells, cuts), np.searchsorted(cuts, cells, side="right"))


def test_890_lies_in_the_third_of_five_bins():
    assert bins_of(np.array([890.0]), (400, 800, 1200, 1600)).tolist() == [2]
    assert interval((400.0, 800.0, 1200.0, 1600.0), 2) == "[800, 1200)"


TABLE = {
    "x": [0.5, 1.0, None, 7.0],
    "town": ["rome", None, "oslo", "bonn"],
    "n": [3, 4, 5, 6],
    "plain": ["a", "b", "a", None],
}
SCHEMA = Schema(
    (
        Field("x", "numeric", "number", "numbers", edges=(1.0, 5.0)),
        Field("town", "categorical", "string", "texts", kept=Values(["bonn", "rome"])),
        Field("n", "count", "number", "counts", edges=(4.0,)),
        Field("plain", "categorical", "string", "texts"),
    ),
    True,
)


def read(batch, names):
    block = batch.codes(names)
    found = []
    for j, values in enumerate(block.values):
        places = (block.codes[:, j].astype(np.int64) - block.low[j]).tolist()
        found.append([None if place < 0 else values[place] for place in places])
    return found


def test_a_table_mixes_bins_pooled_values_and_plain_ones():
    batch = encode(Rows(pa.RecordBatch.from_pydict(TABLE), tuple(TABLE)), SCHEMA)
    expected = {
        "x": [0, 1, None, 2],
        "town": ["rome", None, OTHER, "bonn"],
        "n": [0, 1, 1, 1],
        "plain": ["a", "b", "a", None],
    }
    for names in (["x", "town", "n", "plain"], ["plain", "n"], ["town"], ["n", "x"], ["plain"]):
        assert read(batch, names) == [expected[name] for name in names]
    # Each bin, and each value that is kept, is known from the first row on.
    assert [*map(list, batch.codes(["x", "town", "n"]).values)] == [[0, 1, 2], [OTHER, "bonn", "rome"], [0, 1]]
    np.testing.assert_array_equal(batch.numbers(["x"])[:, 0], [0.5, 1.0, np.nan, 7.0])


@pytest.mark.parametrize("make", [np.ascontiguousarray, np.asfortranarray, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8])
def test_matrices_dense_and_sparse(make, dtype):
    cells = np.array([[0, 0, 9], [1, 7, 0], [6, 0, 9], [5, 8, 2]], dtype=dtype)
    fields = (
        Field(0, "numeric", "number", "", edges=(1.0, 5.0)),
        Field(1, "categorical", "integer", "", kept=Values([0])),
        Field(2, "categorical", "integer", ""),
    )
    batch = encode(Rows(make(cells), (0, 1, 2)), Schema(fields, False))
    expected = [[0, 1, 2, 2], [0, OTHER, 0, OTHER], [9, 0, 9, 2]]
    for names in ([0, 1, 2], [2, 0], [1], [0]):
        assert read(batch, names) == [expected[name] for name in names]


def test_missing_cells_and_infinities_in_a_matrix():
    cells = np.array([[np.nan], [np.inf], [-np.inf], [1.0]])
    batch = encode(Rows(cells, (0,)), Schema((Field(0, "numeric", "number", "", edges=(1.0,)),), False))
    assert read(batch, [0]) == [[None, 1, 0, 1]]


def test_one_bin_and_no_rows():
    schema = Schema((Field(0, "numeric", "number", "", edges=()),), False)
    assert read(encode(Rows(np.array([[3.0], [np.nan]]), (0,)), schema), [0]) == [[0, None]]
    assert read(encode(Rows(np.empty((0, 1)), (0,)), schema), [0]) == [[]]


def test_the_other_values_are_one_even_where_one_is_called_so():
    schema = Schema((Field("t", "categorical", "string", "", kept=Values(["a"])),), True)
    batch = encode(Rows(pa.RecordBatch.from_pydict({"t": [OTHER, "a", "z"]}), ("t",)), schema)
    assert read(batch, ["t"]) == [[OTHER, "a", OTHER]]
    assert schema["t"].declared == Values(["a", OTHER])


def test_a_field_says_what_its_values_are_and_what_is_known_of_it():
    x, town, _, plain = SCHEMA
    assert (x.coded, town.coded, plain.coded, Field("y", "numeric", "number").coded) == (True, True, True, False)
    assert list(x.declared) == [0, 1, 2]
    assert plain.declared is None
    assert [x.shown(code) for code in x.declared] == ["< 1", "[1, 5)", ">= 5"]
    assert town.shown("rome") == "rome"
    days = Field("d", "numeric", "time", "dates", time="dates", edges=(19723.0,))
    assert days.shown(1) == ">= 2024-01-01"
    assert str(SCHEMA).splitlines() == [
        "x      numeric      numbers; 3 bins, cut at 1 and 5",
        "town   categorical  texts; the 2 most frequent values kept, the others one",
        "n      count        counts; 2 bins, cut at 4",
        "plain  categorical  texts",
    ]
    many = Field("x", "numeric", "number", "", edges=tuple(map(float, range(9))))
    assert many.why == "10 bins, cut at 0, 1, 2, 3, 4, 5 and 3 more"


def test_words_tell_edges_apart():
    close = (1.0, 1.0 + 2**-52, 2.0)
    assert len({*edges_in_words(close)}) == 3
    assert edges_in_words((0.1 + 0.2, 0.5)) == ["0.3", "0.5"]
    assert edges_in_words((1e9, 2e9), dates=True) == ["1000000000", "2000000000"]  # beyond the year 9999


@given(edges, st.booleans(), st.integers(0, 99))
@example((0.25, 0.75), True, 0)
@example((1.0, 1.0 + 2**-52, 2.0), False, 0)
@example((1e300,), False, 0)
def test_what_is_drawn_lies_in_its_bin(cuts, whole, seed):
    codes = np.repeat(np.arange(-1, len(cuts) + 1), 3).astype(np.int32)
    drawn = drawn_within(cuts, codes, np.random.default_rng(seed), whole=whole)
    assert bins_of(drawn, cuts).tolist() == codes.tolist()


def test_whole_numbers_are_drawn_where_a_bin_has_some(rng):
    drawn = drawn_within((0.5, 3.5, 3.75), np.repeat([0, 1, 2, 3], 50).astype(np.int32), rng, whole=True)
    assert {*drawn[50:100].tolist()} == {1.0, 2.0, 3.0}
    assert (np.rint(drawn[:50]) == drawn[:50]).any()


def test_edges_and_kept_values_come_back_from_json():
    again = Schema.from_dict(json.loads(json.dumps(SCHEMA.to_dict())))
    assert again == SCHEMA
    assert "edges" not in SCHEMA.to_dict()["fields"][3]
    nothing = Schema((Field("x", "numeric", "number", edges=()),), True)
    assert Schema.from_dict(json.loads(json.dumps(nothing.to_dict()))) == nothing


@pytest.mark.parametrize(
    ("column", "key", "value"),
    [
        (0, "edges", "12"),
        (0, "edges", [2.0, 1.0]),
        (0, "edges", [1.0, 1.0]),
        (0, "edges", [float("nan")]),
        (0, "edges", [float("inf")]),
        (0, "edges", [None]),
        (0, "edges", [True]),
        (0, "edges", [10**400]),
        (1, "edges", [1.0]),
        (0, "kept", ["a"]),
        (1, "kept", ["b", "a"]),
        (1, "kept", "ab"),
        (1, "kept", [OTHER]),
        (1, "kept", [None]),
    ],
)
def test_edges_that_nobody_vouches_for(column, key, value):
    data = copy.deepcopy(SCHEMA.to_dict())
    data["fields"][column][key] = value
    refused(lambda: Schema.from_dict(data), "damaged", kind=ModelFileError)


def test_models_with_other_edges_do_not_add():
    def with_(**changes):
        return Schema((Field("x", "numeric", "number", "numbers", **changes),), True)

    assert united(with_(edges=(1.0,)), with_(edges=(1.0,)))["x"].edges == (1.0,)
    one = with_(edges=(1.0,))
    refused(lambda: united(one, with_(edges=(2.0,))), "'x' has 2 bins, cut at 1 in the first", kind=MergeError)
    refused(lambda: united(one, with_()), "no edges in the second", kind=MergeError)
    kept = [
        Schema((Field("t", "categorical", "string", "", kept=Values([value])),), True) for value in ("rome", "oslo")
    ]
    refused(lambda: united(*kept), "1 values kept, 'rome' in the first", "'oslo' in the second", kind=MergeError)

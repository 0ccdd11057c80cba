from __future__ import annotations

import copy
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes.errors import ColumnError, ModelFileError
from tallybayes.schema.field import CELL_TYPES, KINDS, Field, Schema, listed
from tallybayes.schema.values import Values
from tests.sources.asking import refused

values = st.one_of(
    st.none(), *(st.lists(s).map(Values) for s in (st.text(max_size=3), st.integers(), st.booleans(), st.floats(-9, 9)))
)
fields = st.builds(
    Field,
    st.text(max_size=4),
    st.sampled_from(KINDS),
    st.sampled_from(CELL_TYPES),
    st.text(max_size=5),
    values,
    st.none() | st.integers(0, 99),
)
schemas = st.lists(fields, max_size=4, unique_by=lambda f: f.name).map(lambda fs: Schema(tuple(fs), named=True))


@given(schemas)
def test_a_schema_comes_back_from_json(schema):
    assert Schema.from_dict(json.loads(json.dumps(schema.to_dict()))) == schema


GOOD = Schema(
    (Field("a", "categorical", "string", "texts", Values("xy"), 3), Field("b", "numeric", "number")), True
).to_dict()


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("named", 1),
        ("named", False),
        ("fields", {}),
        ("name", None),
        ("name", "b"),
        ("name", 0),
        ("kind", "categoric"),
        ("type", "text"),
        ("reason", None),
        ("seen", -1),
        ("seen", True),
        ("values", "xy"),
        ("values", ["y", "x"]),
        ("values", ["x", "x"]),
        ("values", [None]),
        ("values", [float("nan")]),
    ],
)
def test_a_schema_that_nobody_vouches_for(where, value):
    data = copy.deepcopy(GOOD)
    (data if where in data else data["fields"][0])[where] = value
    refused(lambda: Schema.from_dict(data), "damaged", kind=ModelFileError)
    for odd in (None, [], "x", {"named": True}):
        refused(lambda odd=odd: Schema.from_dict(odd), "damaged", kind=ModelFileError)


def test_a_schema_is_printed_one_line_a_column_or_a_run_of_positions():
    named = Schema((Field("色泽", "categorical", "string", "texts"), Field("x", "numeric", "number", "numbers")), True)
    assert str(named) == "色泽  categorical  texts\nx     numeric      numbers"
    array = Schema(
        (*(Field(j, "numeric", "number", "numbers") for j in range(12)), Field(12, "count", "integer")), False
    )
    assert str(array) == "0 to 11  numeric  numbers\n12       count"
    assert array.of_kind("count") == (12,)
    assert len(array.used()) == 13


def test_a_column_that_is_not_there():
    schema = Schema((Field("size", "numeric", "number"),), True)
    refused(lambda: schema["sise"], "Did you mean 'size'?", kind=ColumnError)
    assert listed(tuple("abcdefghijklmnop")).endswith("'l' and 4 more")


@given(st.lists(st.integers() | st.text(max_size=3)), st.lists(st.integers() | st.text(max_size=3)))
def test_values_are_a_sorted_set(one, two):
    a, b = Values(one), Values(two)
    both, ours, theirs = a.union(b)
    assert both == Values([*one, *two]) == b.union(a)[0]
    assert set(both) == {*one, *two}
    assert [both[k] for k in ours] == list(a)
    assert [both[k] for k in theirs] == list(b)
    numbers = [v for v in both if not isinstance(v, str)]
    assert list(both) == sorted(numbers) + sorted(v for v in both if isinstance(v, str))
    assert a.places_in(b).tolist() == [b.index.get(v, -1) for v in a]
    assert (a == b) == (set(one) == set(two))
    assert hash(both) == hash(Values([*two, *one]))


@given(st.lists(st.integers(-(2**63), 2**64 - 1), min_size=1) | st.lists(st.text(max_size=2), min_size=1))
def test_values_as_an_array_lose_no_digit(items):
    array = Values(items).to_array()
    assert array.tolist() == sorted(set(items))
    assert array.dtype.kind in "iuUO"
    assert np.array_equal(array, Values(array.tolist()).to_array())

from __future__ import annotations

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import errors
from tallybayes.schema.field import Field, Schema
from tallybayes.schema.match import match, positional, refuse_repeated
from tests.sources.asking import refused

SCHEMA = Schema(
    (Field("a", "numeric", "number"), Field("b", "ignored", "string"), Field("c", "categorical", "string")), named=True
)
ARRAY = Schema(tuple(Field(j, "numeric", "number") for j in range(3)), named=False)


def test_names_in_any_order_and_columns_too_many():
    assert match(("a", "b", "c"), SCHEMA, warn=True).tolist() == [0, 1, 2]
    assert match(("c", "a", "b"), SCHEMA, warn=True).tolist() == [1, 2, 0]
    assert match(("c", "a"), SCHEMA, warn=True).tolist() == [1, -1, 0]
    with pytest.warns(errors.DataWarning, match="this model was fitted without the columns 'x', 'y', which") as caught:
        assert match(("x", "c", "a", "y"), SCHEMA, warn=True).tolist() == [2, -1, 1]
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        match(("x", "c", "a", "y"), SCHEMA, warn=False)


def test_columns_too_few():
    words = "no column 'a', which GaussianNB was fitted with. Did you mean 'A'? It has the columns 'c', 'A'."
    refused(lambda: match(("c", "A"), SCHEMA, warn=True, estimator="GaussianNB"), words, kind=errors.ColumnError)
    refused(lambda: match(("b",), SCHEMA, warn=True), "no column 'a', 'c'", kind=errors.ColumnError)


def test_positions():
    assert match((0, 1, 2), ARRAY, warn=True).tolist() == [0, 1, 2]
    assert match(("x", "y", "z"), ARRAY, warn=True).tolist() == [0, 1, 2]
    assert match((0, 1, 2), SCHEMA, warn=True).tolist() == [0, 1, 2]
    for names in ((0, 1), ("x", "y"), (0, 1, 2, 3)):
        words = f"X has {len(names)} features, but this model is expecting 3 features as input"
        refused(lambda names=names: match(names, ARRAY, warn=True), words, kind=errors.ColumnError)
    assert positional((0, 1))
    assert not positional((1, 0))
    assert not positional(("0",))
    assert not positional(())


def test_a_column_that_is_there_twice_matters_where_it_is_used():
    refused(lambda: match(("a", "c", "a"), SCHEMA, warn=True), "'a'", kind=errors.ColumnError)
    with pytest.warns(errors.DataWarning, match="'x', 'x'"):
        assert match(("a", "x", "c", "x"), SCHEMA, warn=True).tolist() == [0, -1, 2]
    refused(lambda: refuse_repeated(["u", "v", "u"], "t.csv"), "t.csv", "'u'", kind=errors.ColumnError)


@given(st.permutations(["a", "b", "c", "x", "y"]))
def test_every_column_is_where_it_is_said_to_be(names):
    places = match(tuple(names), SCHEMA, warn=False).tolist()
    assert [names[place] for place in places] == ["a", "b", "c"]

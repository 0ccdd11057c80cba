"""The pass before the counting: which columns it looks at, what it pools, and when there is none."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes import errors
from tallybayes.learn.cut import cut
from tallybayes.learn.encoder import Encoder
from tallybayes.learn.passes import Passes
from tallybayes.schema.encode import encode
from tallybayes.schema.field import OTHER, Schema
from tallybayes.schema.infer import infer
from tallybayes.schema.rows import Rows
from tallybayes.schema.values import Values
from tallybayes.sources import open_source
from tallybayes.sources.base import Source
from tallybayes.structure.cuts import Cutting
from tests.sources.asking import refused


class Counted(Source):
    """A source that counts how often it is read, in small pieces."""

    once = False

    def __init__(self, X, y, weights=None, most=7):
        self._table, self._y, self._weights, self._most, self.reads = X, y, weights, most, 0
        self.names, self.named = tuple(X.column_names), True

    def rows(self):
        self.reads += 1
        for start in range(0, len(self._y), self._most):
            part = self._table.slice(start, self._most).combine_chunks().to_batches()[0]
            weights = None if self._weights is None else np.array(self._weights[start : start + self._most], float)
            yield Rows(part, self.names, pa.array(self._y[start : start + self._most]), weights, start)


def cut_of(X, y, numeric=(), *, weights=None, columns=None, max_values=None, most=7, **cutting):
    """Return the cut schema, and how often the rows were read."""
    source = Counted(X, y, weights, most)
    pieces = source.rows()
    first = next(pieces)
    schema = infer(first, columns, named=True)
    passes = Passes(source, first, pieces)
    encoder = Encoder(schema, "string", False, "this model")
    said = cutting.pop("discretize", "mdlp")
    found = cut(passes, encoder, numeric, Cutting.of(said, **cutting), max_values=max_values)
    assert sum(len(rows) for rows in passes.rows()) == len(y)  # and there are rows left to be counted
    return found, source.reads


TOWNS = ["rome"] * 9 + ["oslo"] * 6 + ["bonn"] * 3 + ["kyiv"] * 3 + ["riga"]
LABELS = ["a", "b"] * 11


def table(**columns):
    return pa.table({"x": [float(i) for i in range(22)], **columns})


def test_rare_values_are_pooled_and_of_equally_frequent_ones_the_first_is_kept():
    # In an order in which the first seven rows show many of them.
    towns = TOWNS[::-1]
    schema, reads = cut_of(table(town=towns), LABELS, max_values=4)
    assert schema["town"].kept == Values(["rome", "oslo", "bonn"])
    assert schema["town"].declared == Values(["rome", "oslo", "bonn", OTHER])
    assert reads == 2
    cells = Rows(pa.record_batch({"x": [0.0] * 3, "town": ["riga", "oslo", "unheard of"]}), ("x", "town"))
    block = encode(cells, schema).codes(["town"])
    assert [block.values[0][code] for code in block.codes[:, 0]] == [OTHER, "oslo", OTHER]
    assert "the 3 most frequent values kept, the others one" in str(schema)


def test_there_is_no_pass_where_nothing_asks_for_one():
    few = ["rome", "oslo"] * 11
    schema, reads = cut_of(table(town=few), LABELS, max_values=4)
    assert (schema["town"].kept, reads) == (None, 1)
    schema, reads = cut_of(table(town=few), LABELS, ["x"], discretize={"x": [3, 9]})
    assert (schema["x"].edges, reads) == ((3.0, 9.0), 1)
    assert cut_of(table(town=few), LABELS, ["x"], discretize="width")[1] == 2


def test_just_as_many_values_as_there_may_be_are_all_kept():
    schema, reads = cut_of(table(town=TOWNS[::-1]), LABELS, max_values=5)
    assert (schema["town"].kept, reads) == (None, 2)


def test_rows_without_a_label_or_of_no_weight_do_not_count():
    towns = TOWNS[::-1]
    labels = [None if town == "rome" else "a" for town in towns]
    weights = [0.0 if town == "oslo" else 5.0 if town == "riga" else 1.0 for town in towns]
    schema, _ = cut_of(table(town=towns), labels, weights=weights, max_values=2)
    assert schema["town"].kept == Values(["riga"])


def test_whole_numbers_and_declared_values_are_pooled_too():
    codes = [1, 2, 3, 4, 5, 6, 7] + [7] * 8 + [6] * 7
    said = {"code": "categorical"}
    schema, _ = cut_of(table(code=codes), LABELS, columns=said, max_values=3)
    assert schema["code"].kept == Values([6, 7])
    declared = cut_of(table(code=codes), LABELS, columns={"code": list(range(9))}, max_values=8)[0]["code"]
    assert declared.kept == Values([1, 2, 3, 4, 5, 6, 7])
    assert cut_of(table(code=codes), LABELS, columns={"code": list(range(9))}, max_values=9)[0]["code"].kept is None
    matrix = np.array([codes]).T + 1000
    source = open_source(matrix, LABELS)
    pieces = source.rows()
    first = next(pieces)
    encoder = Encoder(infer(first, {0: "categorical"}, named=False), "string", False, "m")
    found = cut(Passes(source, first, pieces), encoder, [], Cutting(), max_values=3)
    assert found[0].kept == Values([1006, 1007])


def test_a_value_that_is_called_like_the_others_is_one_of_them():
    towns = [OTHER] * 12 + TOWNS[12:]
    schema, _ = cut_of(table(town=towns), LABELS, max_values=3, most=30)
    assert schema["town"].kept == Values(["bonn", "kyiv"])


@pytest.mark.filterwarnings("ignore:Some columns are set aside or of no use:tallybayes.errors.DataWarning")
@given(st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=60), st.integers(2, 6), st.integers(1, 30))
def test_the_most_frequent_values_are_kept_however_rows_come(values, max_values, most):
    X = pa.table({"t": values})
    schema = cut_of(X, ["a"] * len(values), columns={"t": "categorical"}, max_values=max_values, most=most)[0]
    kept, counts = schema["t"].kept, Counter(values)
    shown = len({*values[:most]})
    if 2 * shown <= max_values or len(counts) <= max_values:
        assert kept is None
    else:
        order = sorted(counts, key=lambda value: (-counts[value], value))
        assert set(kept) == {*order[: max_values - 1]}


def test_columns_are_cut_each_in_its_way_from_one_pass():
    X = pa.table({name: [float(i) for i in range(22)] for name in "abcd"})
    y = ["p"] * 8 + ["q"] * 14
    how = {"b": "quantile", "c": "width", "d": [4]}
    schema, reads = cut_of(X, y, ["a", "b", "c", "d"], discretize=how, bins=2)
    assert [schema[name].edges for name in "abcd"] == [(7.5,), (10.5,), (10.5,), (4.0,)]
    assert reads == 2
    schema, _ = cut_of(X, [None] * 4 + y[4:], ["b", "c"], discretize={"b": "quantile", "c": "width"}, bins=2)
    assert [schema[name].edges for name in "bc"] == [(12.5,), (12.5,)]


def test_missing_numbers_say_nothing():
    X = pa.table({"x": [None, 1.0, 2.0, None, 5.0], "z": pa.array([None] * 5, pa.float64())})
    with pytest.warns(errors.DataWarning, match="no value"):
        schema, _ = cut_of(X, list("ababa"), ["x", "z"], discretize="width", bins=2)
    assert (schema["x"].edges, schema["z"].edges) == ((3.0,), ())


def test_edges_are_those_of_the_rows_however_they_come(rng):
    n = 500
    X = pa.table({"x": rng.normal(size=n), "z": rng.integers(0, 50, n).astype(float)})
    y = np.where((X["x"].to_numpy() > 0.3) ^ (rng.random(n) < 0.1), "a", "b").tolist()
    for how in ("mdlp", "quantile", "width"):
        found = [cut_of(X, y, ["x", "z"], discretize=how, bins=4, most=most)[0] for most in (7, 100, 500)]
        assert found[0]["x"].edges
        assert len({tuple(field.edges for field in schema) for schema in found}) == 1


def test_infinite_numbers_are_named():
    X = pa.table({"x": [1.0, 2.0, float("-inf")]})
    for how in ("mdlp", "quantile", "width"):
        refused(
            lambda how=how: cut_of(X, list("aba"), ["x"], discretize=how),
            "'x' holds -inf in row 3",
            kind=errors.ValueRangeError,
        )


def test_a_schema_that_is_cut_again_loses_what_it_had():
    schema = cut_of(table(town=TOWNS[::-1]), LABELS, ["x"], max_values=3, discretize="width")[0]
    assert schema["x"].edges
    assert schema["town"].kept
    assert schema.uncut() == Schema(tuple(replace(field, edges=None, kept=None) for field in schema.fields), named=True)

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from tallybayes.errors import ValueRangeError
from tallybayes.factors.categorical import MOST_VALUES, CategoricalFactor, code_places
from tallybayes.schema.encode import encode
from tallybayes.schema.field import Field, Schema
from tallybayes.schema.rows import Rows
from tallybayes.schema.values import Values

SCHEMA = Schema((Field("x", "categorical", "unknown"),), named=True)
AB = Values(["a", "b"])


def batch(cells, labels=None, weights=None):
    column = pa.RecordBatch.from_pydict({"x": pa.array(cells)})
    target = pa.array(["a"] * len(cells) if labels is None else list(labels))
    return encode(Rows(column, ("x",), target, None if weights is None else np.array(weights, float)), SCHEMA)


def estimate(cells, labels, weights=None, *, classes=AB, **options):
    factor = CategoricalFactor(("x",), **options)
    return factor.estimate(factor.tally().count(batch(cells, labels, weights)), classes)


def probability(conditional, cells):
    out = np.zeros((len(cells), len(conditional.classes)))
    asked = batch(cells)
    conditional.add_log_prob(asked, out)
    np.testing.assert_array_equal(conditional.contributions(asked)[:, 0], out)
    return np.exp(out)


def test_counts_plus_smoothing_over_rows_plus_values():
    found = estimate(["u", "u", "v", "w", None, "u"], "aaabbb")
    np.testing.assert_allclose(
        probability(found, ["u", "v", "w", "new", None]),
        [[3 / 6, 2 / 5], [2 / 6, 1 / 5], [1 / 6, 2 / 5], [1 / 6, 1 / 5], [1, 1]],
    )


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 2.5])
def test_any_smoothing(smoothing):
    found = estimate(["u", "u", "v", "u"], "aaab", smoothing=smoothing)
    expected = [[(2 + smoothing) / (3 + 2 * smoothing), (1 + smoothing) / (1 + 2 * smoothing)]]
    np.testing.assert_allclose(probability(found, ["u"]), expected)
    np.testing.assert_allclose(
        probability(found, ["new"]), [[smoothing / (3 + 2 * smoothing), smoothing / (1 + 2 * smoothing)]]
    )


def test_weights_are_counts():
    found = estimate(["u", "v", "w"], "aaa", [0.5, 2.0, 0.0], classes=Values(["a"]))
    np.testing.assert_allclose(probability(found, ["u", "v", "w"]), [[1.5 / 4.5], [3 / 4.5], [1 / 4.5]])


def test_declared_values_are_in_the_denominator_and_undeclared_ones_join_them():
    declared = {"x": Values(["u", "v", "never"])}
    found = estimate(["u", "v", "odd"], "aab", declared=declared)
    np.testing.assert_allclose(
        probability(found, ["u", "never", "odd", "new"]),
        [[2 / 6, 1 / 5], [1 / 6, 1 / 5], [1 / 6, 2 / 5], [1 / 6, 1 / 5]],
    )


def test_a_class_that_never_has_the_column_takes_the_values_of_all_where_nothing_smooths():
    found = estimate(["u", "u", "v", None], "aaab", smoothing=0.0)
    np.testing.assert_allclose(probability(found, ["u", "v", "new"]), [[2 / 3, 2 / 3], [1 / 3, 1 / 3], [0, 0]])
    smoothed = estimate(["u", "u", "v", None], "aaab")
    np.testing.assert_allclose(probability(smoothed, ["u", "v"]), [[3 / 5, 1 / 2], [2 / 5, 1 / 2]])


def test_a_column_without_values_says_nothing():
    found = estimate(pa.array([None, None], pa.string()), "ab")
    np.testing.assert_array_equal(probability(found, ["u", None]), np.ones((2, 2)))


def test_missing_as_a_value():
    found = estimate(["u", None, None, "u", "v"], "aaabb", missing_is_value=True)
    np.testing.assert_allclose(
        probability(found, ["u", "v", None, "new"]), [[2 / 6, 2 / 5], [1 / 6, 2 / 5], [3 / 6, 1 / 5], [1 / 6, 1 / 5]]
    )
    # Where no cell was ever missing, it is no value: one that is now scores as one that was never seen.
    complete = estimate(["u", "u", "v"], "aab", missing_is_value=True)
    np.testing.assert_allclose(probability(complete, ["u", None]), [[3 / 4, 1 / 3], [1 / 4, 1 / 3]])


def test_codes_count_from_zero_to_the_largest():
    found = estimate([0, 3, 3], "aab", least=0)
    np.testing.assert_allclose(
        probability(found, [0, 1, 3, 99]), [[2 / 6, 1 / 5], [1 / 6, 1 / 5], [2 / 6, 2 / 5], [1 / 6, 1 / 5]]
    )
    wider = estimate([0, 3, 3], "aab", least=10)
    np.testing.assert_allclose(probability(wider, [0, 9]), [[2 / 12, 1 / 11], [1 / 12, 1 / 11]])


def test_codes_are_not_negative():
    factor = CategoricalFactor(("x",), least=0)
    tally = factor.tally().count(batch([0, -2], "ab"))
    with pytest.raises(ValueRangeError, match="'x' has the code -2"):
        factor.estimate(tally, AB)
    fine = factor.estimate(factor.tally().count(batch([0, 2], "ab")), AB)
    with pytest.raises(ValueRangeError, match="Negative values in data"):
        probability(fine, [-1])


def test_texts_and_fractions_among_codes_get_places_of_their_own():
    assert code_places(Values([0, 2, 2.5, "z"])) == [0, 2, 3, 4]
    assert code_places(Values(["p", "q"])) == [0, 1]


def test_probabilities_sum_to_one(rng):
    cells = [None if k == 9 else int(k) for k in rng.integers(0, 10, 300)]
    labels = rng.choice(["a", "b"], 300)
    for options in ({}, {"smoothing": 0.0}, {"missing_is_value": True}, {"least": 20}):
        found = estimate(cells, labels, **options)
        asked = list(range(20)) if "least" in options else list(range(9))
        total = probability(found, [*asked, *([None] if "missing_is_value" in options else [])]).sum(axis=0)
        np.testing.assert_allclose(total, 1.0)


def test_samples_follow_the_table(rng):
    found = estimate(["u", "u", "v", "w", None, "u"], "aaabbb", missing_is_value=True)
    classes = np.repeat([0, 1], 30_000)
    drawn = found.sample(classes, rng)["x"]
    expected = probability(found, ["u", "v", "w", None])
    for c in (0, 1):
        own = drawn[classes == c]
        shares = [np.mean([x == v for x in own]) for v in ("u", "v", "w", None)]
        np.testing.assert_allclose(shares, expected[:, c], atol=0.012)


def test_a_digest_has_the_likeliest_values():
    values = [f"v{i:02}" for i in range(20) for _ in range(i + 1)]
    digest = estimate(values, "a" * len(values), classes=Values(["a"])).digest()["x"]
    assert digest["distinct"] == 20
    assert [value for value, _ in digest["values"]] == [f"v{i:02}" for i in range(19, 19 - MOST_VALUES, -1)]
    assert digest["values"][0][1] == pytest.approx([21 / 230])


def test_one_smoothing_for_each_column():
    schema = Schema((Field("x", "categorical", "unknown"), Field("y", "categorical", "unknown")), named=True)
    cells = pa.RecordBatch.from_pydict({"x": ["u", "v"], "y": ["u", "v"]})
    rows = encode(Rows(cells, ("x", "y"), pa.array(["a", "a"])), schema)
    factor = CategoricalFactor(("x", "y"), smoothing=np.array([0.0, 1.0]))
    found = factor.estimate(factor.tally().count(rows), Values(["a"]))
    table = found.log_table[:, 0]
    assert table[[1, 2, 4, 5]].tolist() == pytest.approx([math.log(0.5)] * 4)
    assert found.log_unseen[:, 0].tolist() == pytest.approx([-math.inf, math.log(0.25)])

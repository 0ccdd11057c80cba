from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tallybayes.decision.costs import check_reject_cost, cost_matrix
from tallybayes.errors import CostError, OptionError

CLASSES = ["ham", "spam", "virus"]


def test_no_costs_are_0_1():
    assert cost_matrix(None, CLASSES).tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]


def test_named_pairs_are_predicted_then_true_and_the_others_0_1():
    costs = cost_matrix({("ham", "virus"): 50, ("spam", "spam"): -0.5}, CLASSES)
    assert costs.tolist() == [[0, 1, 50], [1, -0.5, 1], [1, 1, 0]]


def test_pairs_find_classes_by_how_they_are_written():
    assert cost_matrix({("0", "1"): 5}, np.array([0, 1])).tolist() == [[0, 5], [1, 0]]
    assert cost_matrix({("0", "1"): 5}, np.array([0.0, 1.0])).tolist() == [[0, 5], [1, 0]]
    assert cost_matrix({("false", "True"): 5}, np.array([False, True])).tolist() == [[0, 5], [1, 0]]


@pytest.mark.parametrize("costs", [[[0, 2, 3], [4, 0, 6], [7, 8, 0]], np.arange(9).reshape(3, 3)], ids=type)
def test_a_matrix_is_taken_as_it_is_and_copied(costs):
    matrix = cost_matrix(costs, CLASSES)
    np.testing.assert_array_equal(matrix, costs)
    matrix[0, 0] = 99
    assert costs[0][0] == 0


def test_a_frame_goes_by_its_labels():
    costs = pd.DataFrame(
        [[0, 50, 3], [1, 0, 2], [5, 6, 7]], index=["spam", "ham", "virus"], columns=["virus", "ham", "spam"]
    )
    expected = cost_matrix({(i, j): costs.loc[i, j] for i in CLASSES for j in CLASSES}, CLASSES)
    assert cost_matrix(costs, CLASSES).tolist() == expected.tolist() == [[0, 2, 1], [50, 3, 0], [6, 7, 5]]
    by_text = pd.DataFrame([[0, 5], [1, 0]], index=["1", "0"], columns=["1", "0"])
    assert cost_matrix(by_text, [0, 1]).tolist() == [[0, 1], [5, 0]]


@pytest.mark.parametrize(
    "costs",
    [
        pd.DataFrame([[0, 2, 3], [4, 0, 6], [7, 8, 0]]),
        pd.DataFrame([[0, 2, 3], [4, 0, 6], [7, 8, 0]], columns=CLASSES),
        pd.DataFrame([[0, 2, 3], [4, 0, 6], [7, 8, 0]], index=CLASSES),
        pl.DataFrame([[0, 2, 3], [4, 0, 6], [7, 8, 0]], orient="row"),
        pl.DataFrame([[0, 2, 3], [4, 0, 6], [7, 8, 0]], orient="row", schema=CLASSES),
        pa.table({"ham": [0, 4, 7], "spam": [2, 0, 8], "virus": [3, 6, 0]}),
    ],
    ids=lambda costs: type(costs).__module__,
)
def test_what_has_no_labels_or_those_in_order_goes_by_position(costs):
    assert cost_matrix(costs, CLASSES).tolist() == [[0, 2, 3], [4, 0, 6], [7, 8, 0]]


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        (pd.DataFrame(np.eye(3), columns=["spam", "ham", "virus"]), "names its columns in another order"),
        (pd.DataFrame(np.eye(3), index=["spam", "ham", "virus"]), "names its rows in another order"),
        (pl.DataFrame(np.eye(3), schema=["spam", "ham", "virus"]), "names its columns in another order"),
        (pd.DataFrame(np.eye(3), index=CLASSES, columns=["ham", "spma", "virus"]), "'spma'.*Did you mean 'spam'"),
        (pd.DataFrame(np.eye(3), index=CLASSES, columns=["ham", "ham", "virus"]), "two rows or columns for 'ham'"),
    ],
    ids=["pandas columns", "pandas index", "polars", "unknown", "twice"],
)
def test_labels_that_leave_the_order_open(costs, words):
    with pytest.raises(CostError, match=words):
        cost_matrix(costs, CLASSES)


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        (np.zeros((2, 2)), ["(2, 2)", "3 x 3", "'ham', 'spam', 'virus'", "rows: predicted"]),
        ([1, 2, 3], ["(3,)", "3 x 3"]),
        (np.zeros((3, 3, 1)), ["(3, 3, 1)"]),
        (5.0, ["()"]),
        ([[0, 1], [1]], ["no matrix of numbers", "('predicted', 'true')"]),
        ("expensive", ["no matrix of numbers"]),
        ([[0, 1, 1], [1, 0, np.nan], [1, 1, 0]], ["predicting 'spam' when 'virus' is true", "nan", "finite"]),
        ([[0, 1, 1], [1, 0, 1], [np.inf, 1, 0]], ["predicting 'virus' when 'ham' is true", "inf"]),
        ({("ham", "spam"): np.nan}, ["predicting 'ham' when 'spam' is true", "nan"]),
        ({("ham", "spam"): -np.inf}, ["-inf"]),
        ({("ham", "spam"): 10**400}, ["finite"]),
        ({("ham", "spam"): None}, ["None"]),
        ({("ham", "spma"): 2}, ["'spma'", "Did you mean 'spam'?", "'ham', 'spam', 'virus'"]),
        ({("ham", 7): 2}, ["7, which is no class"]),
        ({"ham": 2}, ["'ham'", "a pair ('predicted', 'true')"]),
        ({("ham", "spam", "virus"): 2}, ["a pair ('predicted', 'true')"]),
        ({("ham", ("spam",)): 2}, ["('spam',), which is no class"]),
    ],
    ids=str,
)
def test_wrong_costs_say_what_to_do(costs, words):
    with pytest.raises(CostError, match="cost") as caught:
        cost_matrix(costs, CLASSES)
    for word in words:
        assert word in str(caught.value)


def test_a_pair_that_is_named_twice_in_two_spellings():
    with pytest.raises(CostError, match="twice"):
        cost_matrix({(0, 1): 2, ("0", "1"): 3}, [0, 1])


@pytest.mark.parametrize("cost", [np.nan, np.inf, "much", "0.5", [0.5, 0.5], 10**400], ids=str)
def test_a_reject_cost_is_a_finite_number(cost):
    with pytest.raises(OptionError, match="reject_cost"):
        check_reject_cost(cost)


@pytest.mark.parametrize("cost", [None, 0, 0.5, -1, np.float32(0.25), np.int64(2)])
def test_good_reject_costs(cost):
    check_reject_cost(cost)

"""Smoothing by hand, and the files of language models in small."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tallybayes.models.arpa import unit_keys
from tallybayes.models.names import NAMES, escaped, unescaped
from tallybayes.models.smoothing import FALLBACK, Level, continuations, discounts, estimate
from tallybayes.text.analyzer import Analyzer
from tests.models.language_reference import Reference


def level(counts: list[int], context: list[int], suffix: list[int]) -> Level:
    return Level(np.array(counts, np.int64), *(np.array(column, np.int32) for column in (context, suffix)))


# The text "a b a b b", with no boundaries: a 2, b 3; ab 2, ba 1, bb 1.
SINGLES = level([2, 3], [0, 0], [0, 0])
PAIRS = level([2, 1, 1], [0, 1, 1], [1, 0, 1])


def test_maximum_likelihood_by_hand() -> None:
    found = estimate([SINGLES, PAIRS], "mle", vocabulary=2, boundaries=False)
    np.testing.assert_allclose(np.exp(found.log_prob[0]), [2 / 5, 3 / 5])
    np.testing.assert_allclose(np.exp(found.log_prob[1]), [1, 1 / 2, 1 / 2])


def test_witten_bell_by_hand() -> None:
    found = estimate([SINGLES, PAIRS], "witten-bell", vocabulary=2, boundaries=False)
    # One unit: (c + 2 / 3) / (5 + 2), <unk> having a third of the two that were seen.
    a, b = (2 + 2 / 3) / 7, (3 + 2 / 3) / 7
    np.testing.assert_allclose(np.exp(found.log_prob[0]), [a, b])
    assert math.exp(found.log_unknown) == pytest.approx((2 / 3) / 7)
    # After a, one kind: (c + P) / (2 + 1); after b, two kinds: (c + 2 P) / (2 + 2).
    np.testing.assert_allclose(np.exp(found.log_prob[1]), [(2 + b) / 3, (1 + 2 * a) / 4, (1 + 2 * b) / 4])
    np.testing.assert_allclose(np.exp(found.log_rest[1]), [1 / 3, 2 / 4])


def test_absolute_discounting_by_hand() -> None:
    found = estimate([SINGLES, PAIRS], "absolute", vocabulary=2, boundaries=False)
    # Pairs: two of count 1, one of 2: D = 2 / (2 + 2) = 1/2. Units: none of count 1, so D = 1/2 is the fallback.
    a, b = (1.5 + 1 / 3) / 5, (2.5 + 1 / 3) / 5
    np.testing.assert_allclose(np.exp(found.log_prob[0]), [a, b])
    np.testing.assert_allclose(np.exp(found.log_prob[1]), [(1.5 + 0.5 * b) / 2, (0.5 + a) / 2, (0.5 + b) / 2])


def test_kneser_ney_by_hand() -> None:
    # b comes after a and b: 2 ways. a comes after b and begins the text: 2 ways, or 1 and its count as a beginning.
    assert continuations(SINGLES, PAIRS, boundaries=False).tolist() == [2, 2]
    found = estimate([SINGLES, PAIRS], "kneser-ney", vocabulary=2, boundaries=False)
    single = (2 - 1 + 2 / 3) / 4  # the fallback takes 1 from a count of 2
    np.testing.assert_allclose(np.exp(found.log_prob[0]), [single, single])
    expected = [(2 - 1 + single) / 2, (1 - 0.5 + single) / 2, (1 - 0.5 + single) / 2]
    np.testing.assert_allclose(np.exp(found.log_prob[1]), expected)


def test_stupid_backoff_by_hand() -> None:
    found = estimate([SINGLES, PAIRS], "stupid-backoff", vocabulary=2, boundaries=False)
    np.testing.assert_allclose(np.exp(found.log_prob[1]), [1, 1 / 2, 1 / 2])
    np.testing.assert_allclose(np.exp(found.log_rest[1]), 0.4)
    assert math.exp(found.log_unknown) == pytest.approx(0.4 / 3)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        # n1..n4 = 4 2 2 1: Y = 1/2, D1 = 1 - 2/2 * 2/4, D2 = 2 - 3/2 * 2/2, D3 = 3 - 4/2 * 1/2
        ([1] * 4 + [2] * 2 + [3] * 2 + [4] + [9] * 3 + [0] * 5, [0, 0.5, 0.5, 2.0]),
        ([1] * 4 + [2] * 2 + [3] * 2 + [9], FALLBACK),  # none of count 4
        ([1] * 2 + [2] + [3] * 9 + [4], FALLBACK),  # D2 would be below 0
        ([1, 2, 3] + [4] * 9, FALLBACK),  # D3 would be below 0
        ([1] * 4 + [2, 3, 4], FALLBACK),  # D2 would be 0
        ([], FALLBACK),
    ],
)
def test_modified_discounts(counts: list[int], expected: list[float]) -> None:
    np.testing.assert_allclose(discounts(np.array(counts, np.int64), modified=True), expected)


def test_single_discount() -> None:
    np.testing.assert_allclose(discounts(np.array([1, 1, 2, 5]), modified=False), [0, 0.5, 0.5, 0.5])
    np.testing.assert_allclose(discounts(np.array([1, 1, 2, 2, 2, 5]), modified=False)[1:], 0.25)
    np.testing.assert_allclose(discounts(np.array([7]), modified=False)[1:], 0.5)


def test_the_reference_agrees_with_the_hand() -> None:
    reference = Reference([list("ababb")], 2, "witten-bell", boundaries=False)
    a, b = (2 + 2 / 3) / 7, (3 + 2 / 3) / 7
    assert [math.exp(log) for log in reference.log_probs(list("abb"))] == pytest.approx(
        [a, (2 + b) / 3, (1 + 2 * b) / 4]
    )


@pytest.mark.parametrize(
    "unit",
    ["a", " ", "", "%", "100%", "%20", "%%20", "%2", "<s>", "</s>", "<unk>", "a\u3000b", "\n", "%3Cs>", "<", "好"],
)
def test_a_unit_comes_back_from_an_arpa_file(unit: str) -> None:
    word = escaped(unit)
    assert len(word.split()) == 1
    assert word not in NAMES
    assert unescaped(word) == unit


@pytest.mark.parametrize("analyzer", [Analyzer(), Analyzer(analyzer="char"), Analyzer(analyzer=str.split)])
def test_keys_of_many_units_are_those_of_each(analyzer: Analyzer) -> None:
    texts = ["a", "New", "好", " ", "don't", "é", "a b", "-", "a", ""]
    assert unit_keys(texts, analyzer) == [analyzer.key(text) for text in texts]

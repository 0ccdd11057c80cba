"""A term that was never seen, where rare terms are passed over."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tallybayes as tb

TEXTS = ["a a b", "a b c", "a b d", "a b b b e e e e"]
LABELS = ["p", "p", "q", "q"]


@pytest.mark.parametrize("event", ["multinomial", "binary", "bernoulli"])
@pytest.mark.parametrize("choice", [{"min_df": 2}, {"max_terms": 2}])
def test_is_passed_over_as_rare_ones_are(event: Any, choice: dict[str, int]) -> None:
    model = tb.TextNB(event=event, **choice).fit(TEXTS, LABELS)
    rare, unseen, neither = model.predict_joint_log_proba(["a c", "a never seen", "a"])
    np.testing.assert_array_equal(rare, neither)
    np.testing.assert_array_equal(unseen, neither)


@pytest.mark.parametrize("choice", [{}, {"max_df": 0.9}, {"min_df": 1}])
def test_scores_a_count_of_zero_where_they_are_kept(choice: dict[str, float]) -> None:
    model = tb.TextNB(**choice).fit(TEXTS, LABELS)
    difference = np.diff(model.predict_joint_log_proba(["c", "c never"]), axis=0)[0]
    terms = {"p": ["a", "a", "b", "a", "b", "c"], "q": [*"abd", *"abbbeeee"]}
    kept = [t for t in "abcde" if choice.get("max_df") is None or t not in "ab"]
    whole = [sum(t in kept for t in terms[c]) + len(kept) for c in "pq"]
    np.testing.assert_allclose(difference, -np.log(whole), rtol=1e-12)


def test_a_term_of_one_text_weighs_as_little_without_that_text_as_one_never_seen() -> None:
    texts = [*TEXTS, *TEXTS, "a only here"]
    labels = [*LABELS, *LABELS, "p"]
    model = tb.TextNB(min_df=2).fit(texts, labels)
    rest = tb.TextNB(min_df=2).fit(texts[:-1], labels[:-1])
    np.testing.assert_allclose(model.leave_one_out(texts[-1:], ["p"]), rest.predict_proba(texts[-1:]), rtol=1e-12)

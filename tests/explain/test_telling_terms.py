from __future__ import annotations

import json
import math

import numpy as np
import pytest

import tallybayes as tb

TEXTS = ["a a b", "a c", "b d", "d d e", "e f", "f a"]
LABELS = ["x", "x", "y", "y", "z", "z"]


@pytest.mark.parametrize("options", [{}, {"event": "binary"}, {"event": "bernoulli"}, {"prior": "uniform"}], ids=str)
def test_the_log_odds_of_every_term(options: dict) -> None:
    model = tb.TextNB(**options).fit(TEXTS, LABELS)
    prior = [1 / 3] * 3
    dictionary = "abcdef"
    probability = {}
    for label in "xyz":
        own = [text.split() for text, c in zip(TEXTS, LABELS, strict=True) if c == label]
        if options.get("event") in ("binary", "bernoulli"):
            own = [[*dict.fromkeys(words)] for words in own]
        words = [word for text in own for word in text]
        whole = len(own) + 2 if options.get("event") == "bernoulli" else len(words) + 6
        probability[label] = {term: (words.count(term) + 1) / whole for term in dictionary}
    found = model.telling_terms()
    assert found.labels == ("x", "y", "z")
    for c, label in enumerate("xyz"):
        others = [other for other in "xyz" if other != label]
        expected = {
            term: math.log(
                probability[label][term] / (sum(prior[0] * probability[o][term] for o in others) / (2 * prior[0]))
            )
            for term in dictionary
        }
        assert dict(zip(found.terms[c], found.log_odds[c].tolist(), strict=True)) == pytest.approx(expected, abs=1e-12)
        assert (np.diff(found.log_odds[c]) <= 1e-12).all()
        rows = [(label, *counts) for counts in zip(found.terms[c], found.texts[c], found.others[c], strict=True)]
        for _, term, texts, elsewhere in rows:
            having = [c for text, c in zip(TEXTS, LABELS, strict=True) if term in text.split()]
            assert (texts, texts + elsewhere) == (having.count(label), len(having))


def test_priors_weigh_the_other_classes() -> None:
    model = tb.TextNB(prior={"x": 0.5, "y": 0.4, "z": 0.1}).fit(TEXTS, LABELS)
    found = model.telling_terms("x")
    a = found.terms[0].index("a")
    # V = 6; of 5 terms of x three are a; of y none in 5, of z one in 4.
    rest = (0.4 * 1 / 11 + 0.1 * 2 / 10) / 0.5
    assert found.log_odds[0][a] == pytest.approx(math.log(4 / 11 / rest), rel=1e-12)


def test_the_top_and_how_ties_are_broken() -> None:
    model = tb.TextNB().fit(["e d c b a", "z"], ["x", "y"])
    for top in range(1, 6):
        assert model.telling_terms("x", top=top).terms == (tuple("abcde"[:top]),)
    assert model.telling_terms("x").terms == (("a", "b", "c", "d", "e", "z"),)
    # Alike in their odds, more texts come first.
    model = tb.TextNB().fit(["a a", "b", "b", "z"], ["x", "x", "x", "y"])
    found = model.telling_terms("x", top=1)
    assert (found.terms, found.texts[0].tolist()) == ((("b",),), [2])


def test_terms_that_are_passed_over_and_zero_probabilities() -> None:
    model = tb.TextNB(min_df=2).fit(TEXTS, LABELS)
    assert set(model.telling_terms("x").terms[0]) == set("abdef")
    sharp = tb.TextNB(smoothing=0).fit(["a b", "b c"], ["x", "y"]).telling_terms()
    assert sharp.terms == (("a", "b", "c"), ("c", "b", "a"))
    assert sharp.log_odds[0].tolist() == [math.inf, 0.0, -math.inf]
    assert sharp.to_dict()["classes"][0]["terms"][0] == {"term": "a", "log_odds": "Infinity", "texts": 1, "others": 0}
    json.dumps(sharp.to_dict(), allow_nan=False)


def test_coins_that_are_certain() -> None:
    found = tb.TextNB(event="bernoulli", smoothing=0).fit(["a b", "a", "b"], ["x", "x", "y"]).telling_terms("x")
    # P(a|x) = 1 and P(a|y) = 0; P(b|x) = 1/2 and P(b|y) = 1.
    assert found.terms == (("a", "b"),)
    assert found.log_odds[0].tolist() == [math.inf, pytest.approx(math.log(1 / 2))]


def test_as_a_table_and_for_people() -> None:
    model = tb.TextNB().fit(["cheap [red]pills\x07", "lunch 好", "cheap\x07"], [1, 0, 1])
    found = model.telling_terms(1, top=2)
    assert found.table.to_pylist() == [
        {"label": 1, "term": "cheap", "log_odds": found.log_odds[0][0], "texts": 2, "others": 0},
        {"label": 1, "term": "pills", "log_odds": found.log_odds[0][1], "texts": 1, "others": 0},
    ]
    assert str(found).splitlines()[0].split() == ["1", "log", "odds", "odds", "texts", "others"]
    assert len(str(found).splitlines()) == 4
    assert repr(found) == "<TellingTerms of 1 classes>"
    both = str(model.telling_terms(top=1)).splitlines()
    assert [line.split()[0] for line in both if line and "─" not in line] == ["0", "lunch", "1", "cheap"]
    odd = tb.TextNB(analyzer=str.split).fit(["a\x1b[31m", "[red]b"], [0, 1]).telling_terms(top=1)
    assert "a\\x1b[31m" in str(odd)
    assert "[red]b" in str(odd)


def test_a_model_of_one_class() -> None:
    with pytest.warns(tb.errors.DataWarning):
        model = tb.TextNB().fit(["a b", "a"], ["x", "x"])
    found = model.telling_terms()
    assert found.terms == (("a", "b"),)
    assert found.log_odds[0].tolist() == [0.0, 0.0]

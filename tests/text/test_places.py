from __future__ import annotations

import pytest
from hypothesis import given

from tallybayes.text.analyzer import Analyzer
from tallybayes.text.places import locate
from tests.text.strategies import ANALYZERS, TEXTS


def spans(text: str, analyzer: Analyzer) -> list[tuple[str, str]]:
    found = locate(text, analyzer)
    places = zip(found.begins.tolist(), found.ends.tolist(), strict=True)
    return [(term, text[a:b] if a >= 0 else "-") for term, (a, b) in zip(found.terms, places, strict=True)]


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("Groß, Ⅷ x", {}, [("gross", "Groß"), ("ⅷ", "Ⅷ"), ("x", "x")]),
        ("天气 好", {}, [("天", "天"), ("天气", "天气"), ("气", "气"), ("好", "好")]),
        ("Né à Zürich", {"strip_accents": True}, [("ne", "Né"), ("a", "à"), ("zurich", "Zürich")]),
        ("a THE b", {"ngrams": (2, 2), "stop_words": ["the"]}, [("a b", "a THE b")]),
        ("Éa", {"analyzer": "char", "ngrams": (1, 2)}, [("é", "É"), ("éa", "Éa"), ("a", "a")]),
        ("ß", {"analyzer": "char"}, [("s", "ß"), ("s", "ß")]),
        ("to be TO", {"analyzer": str.split}, [("to", "to"), ("be", "be"), ("TO", "TO")]),
        ("b ab", {"analyzer": lambda text: text.split()[::-1]}, [("ab", "ab"), ("b", "-")]),
        ("ab", {"analyzer": lambda text: [text.upper(), "", "b"]}, [("AB", "-"), ("", "-"), ("b", "b")]),
        ("👍🏽 ok http://a.b", {"urls": "mark"}, [("👍", "👍"), ("ok", "ok"), ("<url>", "http://a.b")]),
        ("", {}, []),
    ],
)
def test_where_terms_stand(text: str, options: dict, expected: list[tuple[str, str]]) -> None:
    assert spans(text, Analyzer(**options)) == expected


@pytest.mark.parametrize("analyzer", ANALYZERS)
@given(text=TEXTS)
def test_places_of_any_text(analyzer: Analyzer, text: str) -> None:
    found = locate(text, analyzer)
    assert found.terms == analyzer.terms(text)
    for key, begin, end in zip(found.keys.tolist(), found.begins.tolist(), found.ends.tolist(), strict=True):
        assert key > 0
        assert 0 <= begin <= end <= len(text)
    if analyzer.analyzer == "word" and analyzer.ngrams == (1, 1) and analyzer.html == "text":
        for term, begin, end in zip(found.terms, found.begins.tolist(), found.ends.tolist(), strict=True):
            assert term in analyzer.terms(text[begin:end])

from __future__ import annotations

import io
import math
from html.parser import HTMLParser

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import tallybayes as tb
from tallybayes.errors import NotAJointError, OptionError, UnsupportedDataError
from tallybayes.explain.highlight import ABSENT

MAILS = ["cheap pills now", "lunch at noon", "cheap cheap watches", "see you at noon", "the minutes of noon"]
KINDS = ["spam", "ham", "spam", "ham", "work"]

OPTIONS = [
    {},
    {"tf": "log", "norm": True},
    {"norm": True, "idf": True},
    {"event": "binary", "vocabulary": "per-class", "prior": "tokens"},
    {"event": "bernoulli"},
    {"event": "bernoulli", "min_df": 2, "smoothing": 0.3},
    {"ngrams": (1, 3), "min_df": 2, "stop_words": ["at"]},
    {"analyzer": "char_wb", "ngrams": (2, 4)},
    {"analyzer": str.split, "idf": True},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@given(text=st.lists(st.sampled_from([*" ".join(MAILS).split(), "new", "new", "at noon", "好", "!"])).map(" ".join))
def test_contributions_add_up_to_the_log_odds(options: dict, text: str) -> None:
    model = tb.TextNB(**options).fit(MAILS, KINDS)
    logs = model.predict_log_proba([text])[0]
    classes = model.classes_.tolist()
    for label, against in (("spam", "ham"), ("work", None), (None, "spam"), (None, None)):
        found = model.highlight(text, label=label, against=against)
        expected = logs[classes.index(found.label)] - logs[classes.index(found.against)]
        assert found.log_odds == pytest.approx(expected, abs=1e-9)
        parts = found.table["contribution"].to_pylist()
        assert math.fsum(parts) == pytest.approx(expected, abs=1e-9)
        explained = model.explain([text], label=label, against=against)
        assert (found.label, found.against) == (explained.label[0], explained.against[0])
        assert found.evidence.probability[0] == pytest.approx(explained.probability[0], rel=1e-12)


def test_one_text_by_hand() -> None:
    model = tb.TextNB().fit(["cheap pills", "lunch at noon", "cheap watches"], ["spam", "ham", "spam"])
    found = model.highlight("Cheap lunch, CHEAP words!")
    # V = 6; of 4 terms of spam two are cheap; ham has 3 terms. Both priors are those of the texts.
    cheap, lunch, words = math.log((3 / 10) / (1 / 9)), math.log((1 / 10) / (2 / 9)), math.log((1 / 10) / (1 / 9))
    assert found.terms == ("cheap", "lunch", "cheap", "words")
    assert [found.text[a:b] for a, b in zip(found.begins, found.ends, strict=True)] == [
        "Cheap",
        "lunch",
        "CHEAP",
        "words",
    ]
    assert found.contributions == pytest.approx([cheap, lunch, cheap, words], rel=1e-12)
    assert found.evidence.names == ("cheap", "lunch", "words")
    assert found.evidence.values == (["2 times"], [""], [""])
    assert found.evidence.prior[0] == pytest.approx(math.log(2))
    assert found.log_odds == pytest.approx(math.log(2) + 2 * cheap + lunch + words, rel=1e-12)
    assert found.strength[:13] == pytest.approx([cheap] * 5 + [0] + [lunch] * 5 + [0, 0], rel=1e-12)
    assert found.table.slice(0, 2).to_pylist() == [
        {"term": "(prior)", "begin": None, "end": None, "contribution": pytest.approx(math.log(2))},
        {"term": "cheap", "begin": 0, "end": 5, "contribution": pytest.approx(cheap)},
    ]
    assert found.to_dict()["terms"][1] == {
        "term": "lunch",
        "begin": 6,
        "end": 11,
        "contribution": found.contributions[1],
    }


def test_coins_say_something_by_what_a_text_lacks() -> None:
    model = tb.TextNB(event="bernoulli", prior="uniform").fit(["a b", "a", "c"], ["x", "x", "y"])
    found = model.highlight("a a", label="x", against="y")
    # P(a|x) = 3/4, P(a|y) = 1/3; absent: b with 1/2 and 1/3, c with 1/4 and 2/3. Two places of one coin.
    a = math.log((3 / 4) / (1 / 3))
    assert found.contributions == pytest.approx([a / 2, a / 2], rel=1e-12)
    absent = math.log((1 / 2) / (2 / 3)) + math.log((3 / 4) / (1 / 3))
    assert found.evidence.names == ("a", ABSENT)
    assert found.evidence.contributions[0] == pytest.approx([a, absent], rel=1e-12)
    assert found.table["term"].to_pylist() == ["(prior)", ABSENT, "a", "a"]


def test_terms_that_rule_a_class_out() -> None:
    model = tb.TextNB(smoothing=0).fit(["a b", "b c"], ["x", "y"])
    found = model.highlight("b a a")
    assert found.contributions.tolist() == [0.0, math.inf, math.inf]
    assert found.log_odds == math.inf
    assert "y is ruled out by a." in str(found)
    assert '"Infinity"' in __import__("json").dumps(found.to_dict(), allow_nan=False)
    both = model.highlight("a c")  # 0/0: the prior answers
    assert both.contributions.tolist() == [0.0, 0.0]
    assert (both.log_odds, bool(both.evidence.set_aside[0])) == (0.0, True)
    coins = tb.TextNB(event="bernoulli", smoothing=0).fit(["a b", "a", "b", "b"], ["x", "x", "y", "y"])
    lacking = coins.highlight("b")  # every text of x has a
    assert (lacking.label, lacking.log_odds) == ("y", math.inf)
    assert lacking.evidence.contributions[0, -1] == math.inf


def test_terms_that_are_passed_over_are_not_there() -> None:
    model = tb.TextNB(min_df=2).fit(MAILS, KINDS)
    found = model.highlight("cheap lunch at unseen noon", label="spam", against="ham")
    assert found.terms == ("cheap", "at", "unseen", "noon")


def test_a_model_of_one_class() -> None:
    with pytest.warns(tb.errors.DataWarning):
        model = tb.TextNB().fit(["a b"], ["x"])
    found = model.highlight("a b")
    assert (found.label, found.against) == ("x", None)
    assert found.contributions.tolist() == [0.0, 0.0]
    assert "only class" in str(found)
    assert "None" not in found.html()


def test_on_a_terminal() -> None:
    model = tb.TextNB().fit(MAILS[:4], KINDS[:4])
    found = model.highlight("cheap [b]lunch[/b]\x1b[31m\nat")
    plain = str(found)
    assert plain.startswith("cheap [b]lunch[/b]\\x1b[31m\nat\n")
    assert "row 0" not in plain
    assert plain.splitlines()[3].startswith(f"{found.label} rather than {found.against}")
    sheet = io.StringIO()
    Console(file=sheet, force_terminal=True, color_system="standard", width=80).print(found)
    first, second = sheet.getvalue().splitlines()[:2]
    spam_first = found.label == "spam"
    assert first.startswith("\x1b[1;7;32mcheap" if spam_first else "\x1b[1;7;31mcheap")
    assert "\x1b[31mlunch" not in plain
    assert ("31mlunch" if spam_first else "32mlunch") in first
    assert second.strip("\x1b[0123456789;m") == "at"


class Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.tags.add(tag)
        assert {name for name, _ in attrs} <= {"style", "title"}

    def handle_data(self, data: str) -> None:
        self.text += data


@given(
    text=st.lists(st.sampled_from(["cheap", "<script>", "noon", "&amp;", '"', "'><b>", "好", "\0", "\n"])).map(" ".join)
)
def test_html_is_escaped_and_whole(text: str) -> None:
    model = tb.TextNB().fit([*MAILS, "script amp b"], ["<i>spam</i>", "ham", "<i>spam</i>", "ham", "ham", "ham"])
    found = model.highlight(text)
    page = Page()
    page.feed(found.html())
    assert page.text.endswith(text)
    assert page.tags <= {"div", "p", "strong", "span"}


def test_html_marks_the_words() -> None:
    model = tb.TextNB().fit(MAILS[:4], KINDS[:4])
    found = model.highlight("cheap lunch", label="spam", against="ham")
    page = found.html()
    cheap, lunch = found.contributions
    assert f'title="{cheap:+.2f}">cheap</span> <span' in page
    assert f'title="{lunch:+.2f}">lunch</span>' in page
    assert page.index("46,160,67") < page.index(">cheap<") < page.index("218,54,51") < page.index(">lunch<")
    assert f"log odds {found.log_odds:+.2f}" in page


def test_whatever_columns_it_was_trained_with() -> None:
    table = pa.table({"n": range(4), "body": MAILS[:4]})
    expected = tb.TextNB().fit(MAILS[:4], KINDS[:4]).highlight("cheap noon")
    for model in (tb.TextNB(text="body").fit(table, KINDS[:4]), tb.TextNB().fit(pa.array(MAILS[:4]), KINDS[:4])):
        found = model.highlight("cheap noon")
        np.testing.assert_array_equal(found.contributions, expected.contributions)
        assert found.log_odds == expected.log_odds


def test_halves_of_surrogate_pairs_and_an_empty_text() -> None:
    model = tb.TextNB().fit(MAILS[:4], KINDS[:4])
    assert model.highlight("cheap \ud800 noon").terms == ("cheap", "noon")
    empty = model.highlight("")
    assert (empty.terms, empty.log_odds) == ((), 0.0)
    assert str(empty).strip()
    assert empty.html()


@pytest.mark.parametrize(
    ("ask", "kind", "said"),
    [
        (lambda model: model.highlight(["a"]), UnsupportedDataError, "one text, not list"),
        (lambda model: model.highlight(None), UnsupportedDataError, "NoneType"),
        (lambda model: model.highlight("a", label="eggs"), OptionError, "eggs"),
        (lambda model: model.highlight("a", label="spam", against="spam"), OptionError, "both"),
        (lambda model: model.telling_terms("eggs"), OptionError, "eggs"),
        (lambda model: model.telling_terms(top=0), OptionError, "top=0"),
        (lambda model: model.telling_terms(top=True), OptionError, "top=True"),
        (lambda model: model.set_params(event="complement").highlight("a"), NotAJointError, "complement"),
        (lambda model: model.set_params(event="complement").telling_terms(), NotAJointError, "complement"),
    ],
)
def test_mistakes(ask, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        ask(tb.TextNB().fit(MAILS, KINDS))

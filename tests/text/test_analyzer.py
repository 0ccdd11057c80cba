from __future__ import annotations

import json
import pickle
import sys
import types

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes.errors import DataError, MissingExtraError, ModelFileError, OptionError
from tallybayes.text.analyzer import Analyzer
from tallybayes.text.segment import jieba_cut
from tallybayes.text.stop_words import ENGLISH
from tests.text import reference
from tests.text.strategies import ANALYZERS


def test_ngrams_come_in_the_order_of_their_first_word():
    assert Analyzer(ngrams=(1, 3)).terms("to be or not") == [
        "to", "to be", "to be or", "be", "be or", "be or not", "or", "or not", "not",
    ]  # fmt: skip
    assert Analyzer(ngrams=(2, 2)).terms("to be or not") == ["to be", "be or", "or not"]
    assert Analyzer(ngrams=(3, 5)).terms("to be") == []


def test_dense_letters_go_one_further_than_words():
    assert Analyzer(ngrams=(1, 2)).terms("好天气ok") == [
        "好", "好天", "好天气", "天", "天气", "气", "气 ok", "ok",
    ]  # fmt: skip
    assert Analyzer(ngrams=(2, 2)).terms("天气好 ok") == ["天气", "天气好", "气好", "好 ok"]


def test_letters_that_stand_close_are_another_term_than_letters_apart():
    analyzer = Analyzer(ngrams=(1, 2))
    assert analyzer.terms("你好") == ["你", "你好", "好"]
    assert analyzer.terms("你 好") == ["你", "你 好", "好"]
    assert analyzer.key("你好") != analyzer.key("你 好")
    assert analyzer.key("to be") != analyzer.key("be to")


def test_characters():
    assert Analyzer(analyzer="char", ngrams=(2, 3)).terms("Ab \n c") == ["ab", "ab ", "b ", "b c", " c"]
    assert Analyzer(analyzer="char").terms("Maß") == ["m", "a", "s", "s"]
    assert Analyzer(analyzer="char", lowercase=False).terms(" ’Ⓐ好") == [" ", "’", "Ⓐ", "好"]


def test_characters_of_words_in_blanks():
    analyzer = Analyzer(analyzer="char_wb", ngrams=(3, 4))
    assert analyzer.terms(" ab  c! ") == [" ab", " ab ", "ab ", " c!", " c! ", "c! "]
    assert Analyzer(analyzer="char_wb", ngrams=(5, 6)).terms("ab c") == [" ab ", " c "]


@given(st.text("ab,'9 ", max_size=20), st.integers(1, 4), st.integers(0, 3))
def test_characters_are_those_of_scikit_learn(text, low, more):
    from sklearn.feature_extraction.text import CountVectorizer

    for name in ("char", "char_wb"):
        theirs = CountVectorizer(analyzer=name, ngram_range=(low, low + more)).build_analyzer()(text)
        assert sorted(Analyzer(analyzer=name, ngrams=(low, low + more)).terms(text)) == sorted(theirs)


@given(st.text("abCD 9.,!\n-", max_size=40), st.integers(1, 3), st.integers(0, 2))
def test_words_of_plain_ascii_are_those_of_scikit_learn(text, low, more):
    from sklearn.feature_extraction.text import CountVectorizer

    theirs = CountVectorizer(token_pattern=r"(?u)\b\w+\b", ngram_range=(low, low + more)).build_analyzer()(text)
    assert sorted(Analyzer(ngrams=(low, low + more)).terms(text)) == sorted(theirs)


def test_stop_words_are_left_out_before_ngrams_are_made():
    analyzer = Analyzer(ngrams=(1, 2), stop_words=["The", "OF", "don’t", "", "...", "unseen"])
    assert analyzer.terms("the king of don't Spain") == ["king", "king spain", "spain"]
    assert Analyzer(stop_words=["的", "我们"]).terms("我的书 我们") == ["我", "书", "我", "们"]
    assert Analyzer(stop_words=["new york"], ngrams=(1, 2)).terms("new york x") == ["new", "york", "york x", "x"]
    assert Analyzer(analyzer=str.split, stop_words=["A"]).terms("a A b") == ["a", "b"]
    assert Analyzer(stop_words=[]).terms("a b") == ["a", "b"]


def test_english_stop_words():
    assert Analyzer(stop_words="english").terms("It's not the end of this") == ["not", "end"]
    assert all(Analyzer().terms(word) == [word] for word in ENGLISH)
    many = Analyzer(stop_words=[f"w{i}" for i in range(5000)])
    assert many.terms("w0 w4999 w5000 w77 x") == ["w5000", "x"]


def test_a_callable_says_what_the_terms_are():
    assert Analyzer(analyzer=str.split).terms("好 棒 Ok, don’t") == ["好", "棒", "Ok,", "don’t"]
    assert Analyzer(analyzer=lambda text: text.split(","), ngrams=(1, 2)).terms("A,,b\0") == [
        "A", "A ", "", " b\0", "b\0",
    ]  # fmt: skip
    assert Analyzer(analyzer=lambda text: ["\ud800", "x\ud800"]).terms("?") == ["\ud800", "x\ud800"]
    assert Analyzer(analyzer=iter).terms(b"a\xffb") == ["a", "\ufffd", "b"]
    assert Analyzer(analyzer=str.split).key("Ok,") == reference.hash_of(b"Ok,")
    assert Analyzer(analyzer=list).key("") == reference.hash_of(b"")


@pytest.mark.parametrize("result", ["text", 3, None, [b"bytes"], ["good", 7]])
def test_a_callable_has_to_return_strings(result):
    with pytest.raises(DataError, match="returned"):
        Analyzer(analyzer=lambda text: result).terms("x")


@pytest.fixture
def fake_jieba(monkeypatch):
    levels: list[int] = []
    module = types.ModuleType("jieba")
    module.setLogLevel = levels.append
    module.lcut = lambda text: text.split("|")
    monkeypatch.setitem(sys.modules, "jieba", module)
    jieba_cut.cache_clear()
    yield levels
    jieba_cut.cache_clear()


def test_jieba_cuts_and_its_words_are_folded(fake_jieba):
    analyzer = Analyzer(analyzer="jieba", ngrams=(1, 2), stop_words=["的"])
    assert analyzer.terms("天气|，| |Python|的|c++|Don’t|👍|\u200d好") == [
        "天气", "天气 python", "python", "python c++", "c++", "c++ don't", "don't", "don't 👍", "👍", "👍 好", "好",
    ]  # fmt: skip
    assert analyzer.key("天气") == reference.hash_of("天气".encode())
    assert fake_jieba == [30]


def test_without_jieba_the_message_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "jieba", None)
    jieba_cut.cache_clear()
    with pytest.raises(MissingExtraError, match=r"pip install 'tallybayes\[jieba\]'"):
        Analyzer(analyzer="jieba").terms("x")


@given(st.text(max_size=30))
def test_the_key_of_a_word_is_the_hash_of_its_folded_text(text):
    for analyzer in (Analyzer(), Analyzer(strip_accents=True)):
        for term in analyzer.terms(text):
            if len(reference.units(term, True, analyzer.strip_accents)) == 1:
                assert analyzer.key(term) == reference.hash_of(term.encode())


def test_keys_of_markers():
    analyzer = Analyzer(html="mark", urls="mark", numbers="mark", ngrams=(1, 2))
    for term in ("<b>", "<url>", "<number>"):
        assert analyzer.key(term) == reference.hash_of(term.encode())
    assert analyzer.terms("see 7") == ["see", "see <number>", "<number>"]
    marked = [reference.Unit("see"), reference.Unit("<number>")]
    assert analyzer.key("see <number>") == reference.key_of(marked)
    assert Analyzer().key("...") == 0


@pytest.mark.parametrize("analyzer", ANALYZERS)
def test_options_go_into_a_model_file_and_back(analyzer):
    again = Analyzer.from_dict(json.loads(json.dumps(analyzer.to_dict())))
    assert again == analyzer
    assert again.terms("Été a <b> 好 7") == analyzer.terms("Été a <b> 好 7")


def own(text):
    return text.split("-")


def test_a_callable_is_not_read_from_a_file():
    data = Analyzer(analyzer=own).to_dict()
    assert data["analyzer"] == {"callable": f"{__name__}.own"}
    absent = Analyzer.from_dict(data)
    assert absent.to_dict() == data
    with pytest.raises(OptionError, match=r"Give it again: model\.set_params\(analyzer=.*own\)"):
        absent.terms("x")
    assert Analyzer.from_dict(data, analyzer=own).terms("a-b") == ["a", "b"]
    evil = Analyzer.from_dict(data | {"analyzer": {"callable": "os.system"}})
    with pytest.raises(OptionError, match=r"os\.system"):
        evil.terms("exit 1")


@pytest.mark.parametrize(
    "change",
    [
        {"more": 1},
        {"ngrams": [0, 1]},
        {"ngrams": "12"},
        {"analyzer": "wrod"},
        {"analyzer": {"callable": 3}},
        {"analyzer": ["word"]},
        {"stop_words": 3},
        {"lowercase": "yes"},
    ],
)
def test_damaged_options_are_refused(change):
    with pytest.raises(ModelFileError, match="damaged"):
        Analyzer.from_dict(Analyzer().to_dict() | change)
    with pytest.raises(ModelFileError, match="damaged"):
        Analyzer.from_dict([])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"analyzer": "wrod"}, "Did you mean 'word'"),
        ({"analyzer": 3}, "callable"),
        ({"ngrams": (2, 1)}, "ngrams"),
        ({"ngrams": (0, 1)}, "ngrams"),
        ({"ngrams": (1, 101)}, "100"),
        ({"ngrams": 2}, "ngrams"),
        ({"ngrams": (1.0, 2)}, "ngrams"),
        ({"ngrams": (True, 2)}, "ngrams"),
        ({"lowercase": 1}, "lowercase"),
        ({"strip_accents": "ascii"}, "strip_accents"),
        ({"html": True}, "html"),
        ({"urls": "marked"}, "Did you mean 'mark'"),
        ({"numbers": "skip", "analyzer": "char"}, "needs analyzer='word'"),
        ({"stop_words": "german"}, "english"),
        ({"stop_words": [1]}, "stop_words"),
        ({"stop_words": 7}, "stop_words"),
        ({"stop_words": ["a"], "analyzer": "char_wb"}, "stop_words"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(OptionError, match=message):
        Analyzer(**options)


def test_an_analyzer_is_a_value():
    assert Analyzer(ngrams=[1, 2], stop_words={"b", "a"}) == Analyzer(ngrams=(1, 2), stop_words=("a", "b"))
    assert hash(Analyzer(stop_words=["a"])) == hash(Analyzer(stop_words=("a",)))
    used = Analyzer(stop_words=["a"])
    used.terms("a b")
    assert pickle.loads(pickle.dumps(used)) == used

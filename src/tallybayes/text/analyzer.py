"""How texts become terms: the options, and their form for the kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from tallybayes.errors import OptionError
from tallybayes.kernels.hashing import bucket
from tallybayes.kernels.terms import terms_of
from tallybayes.kernels.texts import (
    AS_TEXT,
    CHARS,
    MARKED,
    PADDED,
    PIECES,
    SKIPPED,
    TERMS,
    WORDS,
    Plan,
    Texts,
    make_room,
)
from tallybayes.text.callables import from_name, name_of
from tallybayes.text.keys import NO_STOPS, key_of, stop_table, text_of
from tallybayes.text.options import (
    check_treatment,
    check_truth,
    check_word,
    checked_hashed,
    checked_ngrams,
    checked_stops,
    damaged,
    plain_options,
)
from tallybayes.text.read import Cells, cut_texts, read_texts
from tallybayes.text.segment import jieba_cut
from tallybayes.text.stop_words import ENGLISH
from tallybayes.text.tables import load_tables

Named: TypeAlias = Literal["word", "char", "char_wb", "jieba"]
Treatment: TypeAlias = Literal["text", "skip", "mark"]

_MODES = {"word": WORDS, "char": CHARS, "char_wb": PADDED, "jieba": PIECES}
_TREATED = {"text": AS_TEXT, "skip": SKIPPED, "mark": MARKED}


@dataclass(frozen=True, kw_only=True)
class Analyzer:
    """How texts become terms.

    Parameters
    ----------
    analyzer : {"word", "char", "char_wb", "jieba"} or callable
        - ``"word"``: letters, digits and marks in a row. An apostrophe between letters and a single connector such as _
          between letters or digits are part of the word. In scripts without blanks between words (Han, Kana, Thai,
          Lao, Khmer, Myanmar and the like) terms are the letters, each with its marks, and all pairs of neighbours. A
          picture such as an emoji is a word.
        - ``"char"``: characters, runs of blanks as one blank.
        - ``"char_wb"``: characters of each text between blanks with a blank put on both sides.
        - ``"jieba"``: the words of the segmenter jieba, an extra.
        - a callable from a text to its terms, such as ``str.split``, which are taken as they are.
    ngrams : (int, int)
        The least and the largest number of units in a term; letters of dense scripts go one further.
    lowercase : bool
        Fold case, in full: ß is ss, and ς is σ. Terms of a callable are left alone.
    strip_accents : bool
        Leave accents out and take compatibility forms for what they stand for. Terms of a callable are left alone.
    stop_words : None, "english" or sequence of str
        Terms to leave out. Words are left out before n-grams are made of what remains.
    hashed : int, optional
        Keep of each term only so many bits of its hash, 1 to 31, and no text, so that there are at most ``2**hashed``
        terms however long a stream is. Terms that share them count as one, which is called ``#`` and their number.
    html, urls, numbers : {"text", "skip", "mark"}
        What becomes of HTML tags, URLs, and words of digits alone (with the . and , inside): text like any other,
        nothing, or a marker term such as ``<img>``, ``<url>``, ``<number>``. Of HTML, comments, scripts, styles, end
        tags and character references are then nothing at all. For ``"word"`` only.

    Examples
    --------
    >>> Analyzer(ngrams=(1, 2)).terms("Don't PANIC")
    ["don't", "don't panic", 'panic']
    >>> Analyzer().terms("Groß, 天气好")
    ['gross', '天', '天气', '气', '气好', '好']
    >>> Analyzer(html="mark", urls="mark").terms("<b>Win</b> at www.example.com!")
    ['<b>', 'win', 'at', '<url>']
    >>> Analyzer(analyzer=str.split).terms("好 棒")
    ['好', '棒']
    """

    analyzer: Named | Callable[[str], Iterable[str]] = "word"
    ngrams: tuple[int, int] = (1, 1)
    lowercase: bool = True
    strip_accents: bool = False
    stop_words: Literal["english"] | Sequence[str] | None = None
    html: Treatment = "text"
    urls: Treatment = "text"
    numbers: Treatment = "text"
    hashed: int | None = None

    def __post_init__(self) -> None:
        if not callable(self.analyzer):
            check_word("analyzer", self.analyzer, (*_MODES,), " It may also be a callable such as str.split.")
        check_truth("lowercase", self.lowercase)
        check_truth("strip_accents", self.strip_accents)
        for name in ("html", "urls", "numbers"):
            check_treatment(name, getattr(self, name), (*_TREATED,), self.analyzer)
        object.__setattr__(self, "ngrams", checked_ngrams(self.ngrams))
        object.__setattr__(self, "hashed", checked_hashed(self.hashed))
        object.__setattr__(self, "stop_words", checked_stops(self.stop_words, self.analyzer))

    @cached_property
    def plan(self) -> Plan:
        """The options as the kernels need them."""
        if self.stop_words is None:
            return self._plan
        words = ENGLISH if self.stop_words == "english" else self.stop_words
        return self._plan._replace(stops=stop_table([key_of(word, self._plan) for word in words]))

    @cached_property
    def _plan(self) -> Plan:
        """The plan without stop words."""
        mode = TERMS if callable(self.analyzer) else _MODES[self.analyzer]
        tables = load_tables(lowercase=bool(self.lowercase), strip_accents=bool(self.strip_accents))
        low, high = self.ngrams
        html, urls, numbers = (_TREATED[name] for name in (self.html, self.urls, self.numbers))
        return Plan(mode, low, high, html, urls, numbers, NO_STOPS, tables, self.hashed or 0)

    def read(self, cells: Cells) -> Texts:
        """Return documents as the kernels read them, cut into terms already where Python does that."""
        if callable(self.analyzer):
            return cut_texts(cells, self.analyzer)
        return cut_texts(cells, jieba_cut()) if self.analyzer == "jieba" else read_texts(cells)

    def terms(self, text: str | bytes) -> list[str]:
        """Return the terms of one text, in the order in which they begin."""
        texts = self.read([text])
        n, room = terms_of(texts, 0, self.plan, make_room(64, 64))
        return [text_of(texts, room, term, self.plan) for term in range(n)]

    def key(self, term: str) -> int:
        """Return the key of a term, given as its text is written, or 0 where the text holds none.

        Examples
        --------
        >>> Analyzer().key("new york") == Analyzer().key("NEW YORK")
        True
        """
        key = key_of(term, self._plan)
        return int(bucket(np.uint64(key), self.hashed)) if self.hashed and key else key

    def bucket_name(self, key: int) -> str:
        """Return what the term of a key is called that is hashed, whose text nobody knows.

        Examples
        --------
        >>> Analyzer(hashed=10).bucket_name(Analyzer(hashed=10).key("spam"))
        '#791'
        """
        return f"#{key % (1 << (self.hashed or 0))}"

    def to_dict(self) -> dict[str, Any]:
        """Return the options as plain values, for a model file; a callable as its name.

        Examples
        --------
        >>> Analyzer(analyzer=str.split).to_dict()["analyzer"]
        {'callable': 'str.split'}
        """
        plain: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        if callable(self.analyzer):
            plain["analyzer"] = {"callable": name_of(self.analyzer)}
        if self.hashed is None:
            del plain["hashed"]  # as it was before there was such an option
        stops = self.stop_words
        return plain | {"ngrams": list(self.ngrams), "stop_words": list(stops) if isinstance(stops, tuple) else stops}

    @classmethod
    def from_dict(cls, data: object, *, analyzer: Callable[[str], Iterable[str]] | None = None) -> Analyzer:
        """Return the analyzer that `to_dict` described.

        Of callables only methods of str such as ``str.split`` are found by their names, since opening a file runs no
        code. Any other has to be given as `analyzer`; without it the model can be looked at, and reading a text says
        what is missing.
        """
        if isinstance(data, dict):
            data = {"hashed": None} | data
        plain = plain_options(data, {field.name for field in fields(cls)})
        chosen = plain["analyzer"]
        if isinstance(chosen, Mapping):
            plain["analyzer"] = analyzer or from_name(chosen.get("callable"))
        try:
            return cls(**plain)
        except OptionError as error:
            raise damaged(str(error)) from error

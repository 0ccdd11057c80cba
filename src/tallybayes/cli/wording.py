"""The library's messages in the words of the command line."""

from __future__ import annotations

import re
import shlex

_OPTIONS = {
    "alpha": "smoothing",
    "columns": "columns",
    "costs": "costs",
    "ddof": "ddof",
    "decimal": "decimal",
    "delimiter": "delimiter",
    "encoding": "encoding",
    "factors": "factors",
    "missing": "missing",
    "numeric": "numeric",
    "prior": "prior",
    "prior_smoothing": "prior-smoothing",
    "reject_cost": "reject",
    "sample_weight": "weights",
    "smoothing": "smoothing",
    "text": "text",
    "top": "top",
}
"""What options of the library are called here."""

_SET = (
    "amount", "analyzer", "boundaries", "event", "hashed", "html", "idf", "lowercase", "max_df", "max_terms", "min_df",
    "ngrams", "norm", "numbers", "order", "ranking", "stop_words", "strip_accents", "tf", "unit", "urls", "vocabulary",
)  # fmt: skip
"""The options that ``--set`` gives."""

_OPTIONS |= {name: f"set {name}" for name in _SET}

_NAMES = "|".join(_OPTIONS)
_DICT = re.compile(rf"\b({_NAMES})=\{{([^}}]*)\}}")
_PAIR = re.compile(r"('[^']*'|\w+): ('[^']*'|[-+.\w]+|\[[^]]*\])")
_WORD = re.compile(rf"(?<!-)(?<!--set )\b({_NAMES})=('[^']*'|\([^()]*\)|[-+.\w]*\w)?")

_PHRASES = (
    (re.compile(r"\bopen the file by (?=CsvSource)"), "give "),
    (re.compile(r"\bCsvSource\((?:path|'[^']*'|\"[^\"]*\"), ([^)]*)\)"), r"\1"),
    (re.compile(r"(\b(?:delimiter|decimal|encoding)='[^']*'), (?=\w+=)"), r"\1 "),
    (re.compile(r"\bto take y from\b"), "to take the target from"),
    (re.compile(r"\bto take sample_weight from\b"), "to take the weights from"),
    (re.compile(r"^X has\b"), "DATA has"),
    (re.compile(r", or None (?=to always decide|for all rows)"), ", or leave it out "),
    (re.compile(r"\bexplain\(\)"), "'tallybayes explain'"),
    (re.compile(r"\bMake them the same with set_params before adding\b"), "Train both with the same options"),
    (re.compile(r"\bcall fit (again|with rows and labels first)\b"), "train it again"),
)


def in_options(message: str) -> str:
    """Return a message with Python's options as options of the command line.

    Examples
    --------
    >>> in_options("To drop it, say columns={'zip': 'ignored', '色泽': 'count'}.")
    "To drop it, say --columns zip=ignored --columns '色泽=count'."
    >>> in_options("Choose missing='category', or give CsvSource('a.csv', delimiter=';').")
    "Choose --missing category, or give --delimiter ';'."
    >>> in_options("ngrams=(2, 1) and min_df='x' go with event='binary'; say which has the texts: text=.")
    '--set ngrams=2,1 and --set min_df=x go with --set event=binary; say which has the texts: --text.'
    """
    for pattern, words in _PHRASES:
        message = pattern.sub(words, message)
    return _WORD.sub(_option, _DICT.sub(_pairs, message))


def _pairs(found: re.Match[str]) -> str:
    """Return a dict as one option for each of its pairs."""
    pairs = [f"{_bare(key)}={_listed(value)}" for key, value in _PAIR.findall(found[2])]
    return " ".join(f"--{_OPTIONS[found[1]]} {shlex.quote(pair)}" for pair in pairs)


def _option(found: re.Match[str]) -> str:
    """Return an option, with its value where it has one."""
    option, value = f"--{_OPTIONS[found[1]]}", found[2] or ""
    plain = shlex.quote(_listed(value) if value.startswith("(") else _bare(value)) if value else ""
    if found[1] in _SET:
        return f"{option}={plain}"
    return f"{option} {plain}" if plain else option


def _listed(value: str) -> str:
    """Return a list as its items with commas between them."""
    return ",".join(map(_bare, value[1:-1].split(", "))) if value.startswith(("[", "(")) else _bare(value)


def _bare(text: str) -> str:
    return text[1:-1] if text.startswith("'") else text

"""The options of an analyzer, checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tallybayes.errors import ModelFileError, OptionError, did_you_mean

MOST = 100
"""The longest n-gram."""

MOST_BITS = 31
"""The most bits of hashed terms."""


def check_word(name: str, value: Any, words: Sequence[str], more: str = "") -> None:
    """Refuse a word that is not one of `words`."""
    if not isinstance(value, str) or value not in words:
        raise OptionError(f"{name}={value!r} is not one of {list(words)}.{did_you_mean(value, words)}{more}")


def check_truth(name: str, value: Any) -> None:
    """Refuse what is neither true nor false."""
    if not isinstance(value, bool | np.bool_):
        raise OptionError(f"{name}={value!r} should be True or False.")


def check_treatment(name: str, value: Any, words: Sequence[str], analyzer: Any) -> None:
    """Refuse a treatment that is none, or one that the analyzer cannot give."""
    check_word(name, value, words)
    if value != "text" and analyzer != "word":
        raise OptionError(
            f"{name}={value!r} needs analyzer='word'. Use that, or prepare the texts and leave {name} out."
        )


def checked_ngrams(ngrams: Any) -> tuple[int, int]:
    """Return the least and the largest number of units in a term."""
    try:
        low, high = ngrams
        fit = all(isinstance(n, int | np.integer) and not isinstance(n, bool) for n in (low, high))
    except (TypeError, ValueError):
        fit = False
    if not fit or not 1 <= low <= high <= MOST:
        raise OptionError(
            f"ngrams={ngrams!r} should be the least and the largest number of units in a term, such as (1, 2), "
            f"from 1 to {MOST}."
        )
    return int(low), int(high)


def checked_stops(stops: Any, analyzer: Any) -> Any:
    """Return stop words as None, ``"english"`` or a sorted tuple."""
    if stops is None:
        return None
    if analyzer in ("char", "char_wb"):
        raise OptionError(f"stop_words are words, and analyzer={analyzer!r} has none. Leave them out.")
    if isinstance(stops, str):
        check_word("stop_words", stops, ["english"], " It may also be a list of words.")
        return stops
    words = list(stops) if isinstance(stops, Iterable) else None
    if words is None or not all(isinstance(word, str) for word in words):
        raise OptionError(f"stop_words={stops!r} should be None, 'english' or a list of words.")
    return tuple(sorted(set(words)))


def checked_hashed(bits: Any) -> int | None:
    """Return how many bits of a term are kept, None for its text and all of them."""
    if bits is None:
        return None
    if not isinstance(bits, int | np.integer) or isinstance(bits, bool) or not 1 <= bits <= MOST_BITS:
        raise OptionError(
            f"hashed={bits!r} should be a number of bits from 1 to {MOST_BITS}, such as 18 for at most 262,144 terms, "
            "or None to keep the terms themselves."
        )
    return int(bits)


def plain_options(data: object, names: set[str]) -> dict[str, Any]:
    """Return the options that a model file holds, if they are those that there are."""
    if not isinstance(data, dict) or set(data) != names:
        raise damaged(f"its options are not {sorted(names)}")
    return dict(data)


def damaged(what: str) -> ModelFileError:
    """Return the error for a model file whose analyzer makes no sense."""
    return ModelFileError(
        f"The model file is damaged: of how texts are read, {what}. Train the model again or fetch an intact copy."
    )

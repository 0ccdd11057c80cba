"""Segmenters that are extras."""

from __future__ import annotations

import importlib
import logging
import warnings
from collections.abc import Callable, Iterable
from functools import cache

from tallybayes.errors import MissingExtraError


@cache
def jieba_cut() -> Callable[[str], Iterable[str]]:
    """Return jieba's function from a text to its words."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of its own code
            jieba = importlib.import_module("jieba")
    except ImportError as error:
        raise MissingExtraError(
            "analyzer='jieba' needs the segmenter jieba: pip install 'tallybayes[jieba]'. Or use analyzer='word', "
            "which takes the characters of Chinese and their pairs and needs nothing else."
        ) from error
    jieba.setLogLevel(logging.WARNING)  # it reports on standard error that it reads its dictionary
    cut: Callable[[str], Iterable[str]] = jieba.lcut
    return cut

"""The options that all language models have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, get_args

import numpy as np

from tallybayes._types import Name
from tallybayes.errors import ColumnError, OptionError, did_you_mean
from tallybayes.estimators._options import check_amount, check_flag, check_word
from tallybayes.estimators._texts import as_rows, in_column
from tallybayes.models.sequences import LanguageFactor
from tallybayes.models.smoothing import Smoothing
from tallybayes.schema.field import Field, Schema, listed
from tallybayes.tallies.sequences import MOST_UNITS
from tallybayes.text.analyzer import Analyzer

Unit = Literal["word", "char"]
Cut = Literal["jieba"] | Callable[[str], Iterable[str]] | None


def check_language(model: Any) -> None:
    """Refuse options that no text could make right."""
    if isinstance(model.order, bool) or not isinstance(model.order, int | np.integer):
        raise OptionError(f"order={model.order!r} should be a whole number, such as 3 for trigrams.")
    if not 1 <= model.order <= MOST_UNITS:
        raise OptionError(f"order={model.order!r} should be from 1 to {MOST_UNITS}.")
    check_word("unit", model.unit, ("word", "char"))
    check_word("smoothing", model.smoothing, get_args(Smoothing))
    check_flag("boundaries", model.boundaries)
    check_flag("lowercase", model.lowercase)
    check_amount("amount", model.amount)
    language_factor(model, ("text",))


def language_factor(model: Any, names: tuple[Name, ...]) -> LanguageFactor:
    """Return what the options of a model describe."""
    if model.analyzer is not None and model.unit == "char":
        raise OptionError("unit='char' cuts texts by itself. Leave analyzer out, or use unit='word'.")
    if not (model.analyzer is None or model.analyzer == "jieba" or callable(model.analyzer)):
        raise OptionError(f"analyzer={model.analyzer!r} should be None, 'jieba' or a callable such as str.split.")
    analyzer = Analyzer(analyzer=model.analyzer or model.unit, lowercase=model.lowercase)
    return LanguageFactor(
        names, analyzer, int(model.order), model.smoothing, bool(model.boundaries), float(model.amount)
    )


def text_schema(names: Sequence[Name], named: bool, text: str | None) -> Schema:
    """Return the schema of the one column that has the texts."""
    if text is None and len(names) != 1:
        raise ColumnError(f"There are {len(names)} columns, {listed(tuple(names))}. Say which has the texts: text=.")
    if text is not None and text not in names:
        raise ColumnError(
            f"text={text!r} is no column.{did_you_mean(text, names)} The columns are {listed(tuple(names))}."
        )
    return Schema((Field(names[0] if text is None else text, "text", "string", "the texts"),), named)


def as_texts(X: Any, name: Name | None) -> Any:
    """Return plain texts as a table of one column with the name that is asked for, anything else as it is."""
    return in_column(as_rows(X), name if isinstance(name, str) else None)

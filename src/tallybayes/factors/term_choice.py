"""Which terms of a dictionary are kept: by the texts that have them, and the most telling or the most frequent ones."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal, get_args

import numpy as np

from tallybayes._types import Bools, Codes, Counts, Floats
from tallybayes.errors import OptionError

Ranking = Literal["frequency", "chi2", "mutual-information"]


@dataclass(frozen=True)
class TermChoice:
    """A choice among terms, made when parameters are estimated; the tally keeps all of them.

    Attributes
    ----------
    min_df, max_df
        In how many texts a term has to be and may be at least and at most: a number, or, as a float up to 1.0, a share.
    max_terms
        How many terms are kept, None for all.
    ranking
        Which ones: the most frequent, or by chi-square or the mutual information of class and presence.
    """

    min_df: int | float = 1
    max_df: int | float = 1.0
    max_terms: int | None = None
    ranking: Ranking = "frequency"

    def __post_init__(self) -> None:
        for name in ("min_df", "max_df"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Real) or not float(value) >= 0:
                raise OptionError(f"{name}={value!r} should be a number of texts, or a share such as 0.5.")
        if self.max_terms is not None and (not isinstance(self.max_terms, Integral) or self.max_terms < 1):
            raise OptionError(f"max_terms={self.max_terms!r} should be how many terms to keep, or None for all.")
        if self.ranking not in get_args(Ranking):
            raise OptionError(f"ranking={self.ranking!r} should be one of {list(get_args(Ranking))}.")

    @property
    def is_all(self) -> bool:
        """Whether every term is kept that a text has, whatever the texts are."""
        return self.keeps_rare and isinstance(self.max_df, float) and self.max_df == 1.0

    @property
    def keeps_rare(self) -> bool:
        """Whether a term is kept that hardly any text has; else one that was never seen is passed over as well."""
        return self.max_terms is None and self.min_df <= (0.0 if isinstance(self.min_df, float) else 1)

    def kept(self, rows: Counts, texts: Counts, group: Codes | None = None) -> Bools:
        """Return which terms are kept, from the texts that have them, shape (terms, classes), and all texts by class.

        With `group`, the rows are those of groups of terms, and it says which group each term is of.

        Examples
        --------
        >>> rows = np.array([[3, 0], [1, 1], [0, 1]])
        >>> TermChoice(min_df=2).kept(rows, np.array([3, 2])).tolist()
        [True, True, False]
        >>> TermChoice(max_terms=1, ranking="chi2").kept(rows, np.array([3, 2])).tolist()
        [True, False, False]
        """
        each = slice(None) if group is None else group
        total, everything = rows.sum(axis=1)[each], int(texts.sum())
        least, most = (_as_number(limit, everything) for limit in (self.min_df, self.max_df))
        kept: Bools = (total >= max(least, 1)) & (total <= most)
        if self.max_terms is None or int(kept.sum()) <= self.max_terms:
            return kept
        scores = {"frequency": _frequency, "chi2": _chi2, "mutual-information": _information}[self.ranking](
            rows, texts
        )[each]
        best = np.argsort(np.where(kept, -scores, np.inf), kind="stable")[: self.max_terms]
        chosen = np.zeros(len(kept), bool)
        chosen[best] = True
        return chosen


def _as_number(limit: float, texts: int) -> float:
    return limit if limit > 1.0 or not isinstance(limit, float) else limit * texts


def _frequency(rows: Counts, texts: Counts) -> Floats:
    total: Floats = rows.sum(axis=1).astype(np.float64)
    return total


def _expected(rows: Counts, texts: Counts) -> Floats:
    """Return in how many texts of each class each term would be if it said nothing."""
    expected: Floats = rows.sum(axis=1, keepdims=True) * (texts / max(int(texts.sum()), 1))
    return expected


def _chi2(rows: Counts, texts: Counts) -> Floats:
    total, expected = 0.0, _expected(rows, texts)
    for seen, awaited in ((rows, expected), (texts - rows, texts - expected)):
        total = total + np.divide((seen - awaited) ** 2, awaited, out=np.zeros(rows.shape), where=awaited > 0).sum(
            axis=1
        )
    return np.asarray(total)


def _information(rows: Counts, texts: Counts) -> Floats:
    total, expected = 0.0, _expected(rows, texts)
    for seen, awaited in ((rows, expected), (texts - rows, texts - expected)):
        ratio = np.divide(seen, awaited, out=np.ones(rows.shape), where=(awaited > 0) & (seen > 0))
        total = total + (seen * np.log(ratio)).sum(axis=1)
    return np.asarray(total)

"""Texts as log-count ratios, for linear models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin

from tallybayes._types import AnyArray, Floats
from tallybayes.decision.unfitted import unfitted
from tallybayes.errors import TargetError
from tallybayes.estimators._options import check_flag
from tallybayes.estimators._texts import as_table
from tallybayes.estimators.text_nb import TextNB
from tallybayes.factors.base import logarithm
from tallybayes.models.text import TEXT
from tallybayes.sources.open import open_source
from tallybayes.text.analyzer import Named
from tallybayes.text.numbering import Numbering, vocabulary_of


class NBLogCountRatio(TransformerMixin, BaseEstimator):
    """Make of each text its terms, each weighed by how much more it is one class's than the others'.

    The weight of term t for class c is log((s + n_tc) / (s + n_c)) - log((s + m_tc) / (s + m_c)), scaled so that the
    shares of all terms sum to 1, with n the counts of the class and m those of all others (Wang and Manning, "Baselines
    and bigrams: simple, good sentiment and topic classification", ACL 2012). Behind it stands a linear model, such as
    scikit-learn's LogisticRegression or LinearSVC. With two classes there is a column for each term, with more of them
    one for each term and class.

    Parameters
    ----------
    analyzer, ngrams, lowercase, stop_words
        How texts become terms; see `tallybayes.text.analyzer.Analyzer`.
    smoothing : float
        Added to every count.
    binary : bool
        Count each term once in a text, as the paper finds better.
    min_df, max_df, max_terms
        Which terms are kept; see `TextNB`.

    Attributes
    ----------
    classes_ : array
        The classes.
    ratios_ : array of shape (terms, classes), or (terms, 1) for two classes
        The weights; for two classes those of the second.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from tallybayes import NBLogCountRatio
    >>> texts, labels = ["not bad", "not good", "very good", "so bad", "good fun", "bad luck"], [1, 0, 1, 0, 1, 0]
    >>> model = make_pipeline(NBLogCountRatio(ngrams=(1, 2)), LogisticRegression(C=10)).fit(texts, labels)
    >>> model.predict(["not bad", "bad"]).tolist()
    [1, 0]
    """

    def __init__(
        self,
        *,
        analyzer: Named | Callable[[str], Iterable[str]] = "word",
        ngrams: tuple[int, int] = (1, 1),
        lowercase: bool = True,
        stop_words: Literal["english"] | Sequence[str] | None = None,
        smoothing: float = 1.0,
        binary: bool = True,
        min_df: float = 1,
        max_df: float = 1.0,
        max_terms: int | None = None,
    ) -> None:
        self.analyzer = analyzer
        self.ngrams = ngrams
        self.lowercase = lowercase
        self.stop_words = stop_words
        self.smoothing = smoothing
        self.binary = binary
        self.min_df = min_df
        self.max_df = max_df
        self.max_terms = max_terms

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the ratios from texts and their labels."""
        check_flag("binary", self.binary)
        counter = TextNB(
            event="binary" if self.binary else "multinomial",
            analyzer=self.analyzer,
            ngrams=self.ngrams,
            lowercase=self.lowercase,
            stop_words=self.stop_words,
            smoothing=self.smoothing,
            min_df=self.min_df,
            max_df=self.max_df,
            max_terms=self.max_terms,
        ).fit(X, y)
        if len(counter.classes_) < 2:
            raise TargetError("One class alone has no ratio to others. Give texts of two classes or more.")
        tally: Any = counter.tallies_[TEXT]
        factor = counter._factor(tally.names)
        terms = factor.kept(tally, counter._learned.classes)
        kept = terms.group < len(terms.sums)
        sums = terms.sums[terms.group[kept]]
        counts = sums + self.smoothing
        others = sums.sum(axis=1, keepdims=True) - sums + self.smoothing
        with np.errstate(invalid="ignore"):
            ratios = logarithm(counts / counts.sum(axis=0)) - logarithm(others / others.sum(axis=0))
        self.classes_ = counter.classes_
        self.ratios_: Floats = np.nan_to_num(ratios[:, 1:] if ratios.shape[1] == 2 else ratios)
        self._analyzer, self._known = factor.analyzer, vocabulary_of(np.array(tally.counted.keys[kept]))
        self._terms = np.array([tally.term(place) for place in np.flatnonzero(kept)], dtype=object)
        return self

    def transform(self, X: Any) -> sparse.csr_array:
        """Return texts as a sparse matrix of weighted terms, those of one class after those of another."""
        if not hasattr(self, "ratios_"):
            raise unfitted(self)
        rows, terms, n = [], [], 0
        for piece in open_source(as_table(X)).rows():
            texts = self._analyzer.read(piece.column(0))
            for block in Numbering(self._analyzer, self._known).blocks(texts):
                lengths = np.diff(block.bounds)
                known = block.numbers >= 0
                first = n + block.first
                rows.append(np.repeat(np.arange(first, first + len(lengths)), lengths)[known])
                terms.append(block.numbers[known])
            n += len(piece)
        shape = (n, len(self._terms))
        found = np.concatenate(rows or [np.zeros(0, np.int64)]), np.concatenate(terms or [np.zeros(0, np.int32)])
        # liblinear takes small indices alone.
        small = max(*shape, self.ratios_.shape[1] * max(shape[1], len(found[0]))) < 2**31
        integer: type[np.signedinteger[Any]] = np.int32 if small else np.int64
        i, j = (array.astype(integer) for array in found)
        counts = sparse.csr_array(sparse.coo_array((np.ones(len(i)), (i, j)), shape=shape))
        counts.sum_duplicates()
        if self.binary:
            counts.data[:] = 1.0
        weighed = [sparse.csr_array(counts.multiply(ratio[None, :])) for ratio in self.ratios_.T]
        return weighed[0] if len(weighed) == 1 else sparse.csr_array(sparse.hstack(weighed))

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        """Return the term of each column, and the class where there are more than two."""
        if not hasattr(self, "ratios_"):
            raise unfitted(self)
        if self.ratios_.shape[1] == 1:
            return self._terms
        return np.array([f"{term} {label}" for label in self.classes_ for term in self._terms], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        tags.target_tags.required = True
        return tags

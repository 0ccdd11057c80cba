"""Naive Bayes for mixed tables."""

from __future__ import annotations

from typing import Any

from tallybayes.estimators._base import TallyClassifier
from tallybayes.estimators._mixed_learner import MixedLearner


class NaiveBayes(MixedLearner, TallyClassifier):
    """Naive Bayes for strings, numbers, truth values, counts and missing cells together.

    p(x, c) = P(c) prod_j p(x_j | c), with one factor per column, chosen by what the column means.

    Parameters
    ----------
    columns : dict, optional
        What columns mean, where the inferred kind is not it: ``{"zip": "categorical"}``, or the values of a
        categorical one, ``{"size": ["S", "M", "L"]}``. Columns of arrays are named by position.
    factors : dict, optional
        The distribution of single columns: "categorical", "bernoulli", "multinomial" (all columns of that
        name together), "poisson", "gaussian", "kernel", "histogram" or "bins".
    numeric : {"gaussian", "kernel", "histogram", "bins"}
        The distribution of the other numeric columns; "bins" cuts them at edges, and counts bins as categories.
    smoothing : float
        Added to every count: 1 is Laplace's rule, 0 is maximum likelihood.
    prior : {"empirical", "uniform"}, dict or array
        P(c); a dict ``{label: probability}`` or a Series of that kind, or an array in the order of ``classes_``.
    prior_smoothing : float
        Added to the count of every class in the empirical prior.
    missing : {"marginalize", "category", "error"}
        A missing cell is left out of the product; or is a value of its own, which on a numeric column adds
        P(missing | c); or is refused.
    ddof : float
        0 for the maximum-likelihood variance, 1 for the unbiased one.
    discretize : {"mdlp", "quantile", "width"} or dict
        Where columns of bins are cut: where the classes change (Fayyad and Irani, 1993), so that bins weigh alike, or
        so that they are equally wide; ``{"age": [18, 65], "pay": "quantile"}`` speaks of single columns, which are cut
        whatever `numeric` says. `fit` chooses the edges in a pass of its own, `partial_fit`, ``+`` and `forget` keep
        them, and `reselect` chooses again.
    max_bins : int, optional
        The most bins of "mdlp", which otherwise makes as many as it finds; the number of those of the other two, 10
        unless said otherwise.

    Attributes
    ----------
    classes_ : array
        The classes seen, sorted.
    schema_ : Schema
        What the columns mean, and why.
    tallies_ : dict
        What was counted; parameters are computed from it when they are first needed.

    Examples
    --------
    >>> from tallybayes import NaiveBayes
    >>> rows = [{"sky": "blue", "wind": 3.5}, {"sky": "grey", "wind": 9.0}, {"sky": "blue", "wind": None}]
    >>> model = NaiveBayes().fit(rows, ["sail", "stay", "sail"])
    >>> model.predict([{"sky": "blue", "wind": 4.0}]).tolist()
    ['sail']
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        return tags

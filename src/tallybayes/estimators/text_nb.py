"""Naive Bayes on raw texts."""

from __future__ import annotations

from tallybayes.estimators._base import TallyClassifier
from tallybayes.estimators._text_learner import TextLearner


class TextNB(TextLearner, TallyClassifier):
    """Naive Bayes on texts: from raw strings to classes.

    Parameters
    ----------
    event : {"multinomial", "bernoulli", "binary", "complement"}
        What a text is: a die thrown for each of its terms; a coin thrown for each term of the dictionary; a die thrown
        for each of its different terms; or the complement's score, which is no joint distribution.
    analyzer, ngrams, lowercase, strip_accents, stop_words, html, urls, numbers, hashed
        How texts become terms; see `tallybayes.text.analyzer.Analyzer`. ``analyzer`` is ``"word"``, ``"char"``,
        ``"char_wb"``, ``"jieba"`` or a callable such as ``str.split``.
    smoothing : float
        Added to every count.
    vocabulary : {"shared", "per-class"}
        Whether the dictionary whose size stands in the denominator is that of all classes or the class's own.
    prior : {"empirical", "uniform", "tokens"}, dict or array
        P(c); ``"tokens"`` in proportion to the smoothed numbers of terms of the classes.
    prior_smoothing : float
        Added to the count of every class in the empirical prior.
    tf : {"count", "log", "presence"}
        What a text adds for a term that it has f times: f, log(1 + f), which does not go with coins or different terms,
        or 1. A die with ``"presence"`` is ``event="binary"``.
    norm : bool
        Scale what a text adds for all its terms to the Euclidean length 1, so that long texts say no more than short
        ones; not with coins.
    idf : bool or "smooth"
        Weigh a term by log(texts / texts that have it), or, smooth, by 1 + log((1 + texts) / (1 + texts that have it)),
        when parameters are estimated; not with coins. Unlike in the paper, `norm` goes by the length of a text without
        these weights, so that counts add up over any batches.
    min_df, max_df : int or float
        In how many texts a term has to be and may be, as a number or, up to 1.0, a share.
    max_terms : int, optional
        How many terms are kept, by `ranking`: the most frequent, or by chi-square or mutual information.
    text : str, optional
        The column of the texts, where there are other columns too.

    Examples
    --------
    >>> from tallybayes import TextNB
    >>> model = TextNB().fit(["cheap pills", "lunch at noon?", "cheap watches", "see you at noon"], ["spam", "ham"] * 2)
    >>> model.predict(["lunch with you?", "cheap cheap watches"]).tolist()
    ['ham', 'spam']
    """

"""Generative Bayesian classification, trained by counting."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tallybayes.estimators._registry import ESTIMATORS

if TYPE_CHECKING:
    from tallybayes import errors as errors
    from tallybayes.decision.bayes_decision import BayesDecision as BayesDecision
    from tallybayes.decision.evaluate import evaluate as evaluate
    from tallybayes.decision.evaluation import Evaluation as Evaluation
    from tallybayes.decision.rank import Ranking as Ranking
    from tallybayes.decision.rank import rank as rank
    from tallybayes.decision.threshold import threshold as threshold
    from tallybayes.estimators._model_file import load as load
    from tallybayes.estimators.aode import AODE as AODE
    from tallybayes.estimators.auto_bayes import AutoBayes as AutoBayes
    from tallybayes.estimators.bernoulli_nb import BernoulliNB as BernoulliNB
    from tallybayes.estimators.categorical_nb import CategoricalNB as CategoricalNB
    from tallybayes.estimators.complement_nb import ComplementNB as ComplementNB
    from tallybayes.estimators.discretizer import Discretizer as Discretizer
    from tallybayes.estimators.gaussian_nb import GaussianNB as GaussianNB
    from tallybayes.estimators.kdb import KDB as KDB
    from tallybayes.estimators.kernel_nb import KernelNB as KernelNB
    from tallybayes.estimators.language_model import LanguageModel as LanguageModel
    from tallybayes.estimators.multinomial_nb import MultinomialNB as MultinomialNB
    from tallybayes.estimators.naive_bayes import NaiveBayes as NaiveBayes
    from tallybayes.estimators.nb_log_count_ratio import NBLogCountRatio as NBLogCountRatio
    from tallybayes.estimators.ngram_classifier import NGramClassifier as NGramClassifier
    from tallybayes.estimators.spode import SPODE as SPODE
    from tallybayes.estimators.tan import TAN as TAN
    from tallybayes.estimators.text_nb import TextNB as TextNB
    from tallybayes.explain.evidence import Evidence as Evidence
    from tallybayes.schema.field import Schema as Schema

_HOMES = {name: f"estimators.{module}" for name, module in ESTIMATORS.items()} | {
    "BayesDecision": "decision.bayes_decision",
    "Discretizer": "estimators.discretizer",
    "Evaluation": "decision.evaluation",
    "Evidence": "explain.evidence",
    "LanguageModel": "estimators.language_model",
    "NBLogCountRatio": "estimators.nb_log_count_ratio",
    "Ranking": "decision.rank",
    "Schema": "schema.field",
    "evaluate": "decision.evaluate",
    "load": "estimators._model_file",
    "rank": "decision.rank",
    "threshold": "decision.threshold",
}
"""Where each name lives; nothing is imported before it is asked for."""

__all__ = [
    "AODE",
    "KDB",
    "SPODE",
    "TAN",
    "AutoBayes",
    "BayesDecision",
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "Discretizer",
    "Evaluation",
    "Evidence",
    "GaussianNB",
    "KernelNB",
    "LanguageModel",
    "MultinomialNB",
    "NBLogCountRatio",
    "NGramClassifier",
    "NaiveBayes",
    "Ranking",
    "Schema",
    "TextNB",
    "errors",
    "evaluate",
    "load",
    "rank",
    "threshold",
]


def __getattr__(name: str) -> Any:
    if name == "errors":
        return import_module("tallybayes.errors")
    if name not in _HOMES:
        raise AttributeError(f"module 'tallybayes' has no attribute {name!r}")
    value = getattr(import_module(f"tallybayes.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__

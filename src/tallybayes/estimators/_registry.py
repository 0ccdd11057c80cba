"""Which estimators there are, and where each lives; a model file and the command line name nothing else."""

from __future__ import annotations

from importlib import import_module
from typing import Any

ESTIMATORS = {
    "AODE": "aode",
    "AutoBayes": "auto_bayes",
    "BernoulliNB": "bernoulli_nb",
    "CategoricalNB": "categorical_nb",
    "ComplementNB": "complement_nb",
    "GaussianNB": "gaussian_nb",
    "KDB": "kdb",
    "KernelNB": "kernel_nb",
    "MultinomialNB": "multinomial_nb",
    "NGramClassifier": "ngram_classifier",
    "NaiveBayes": "naive_bayes",
    "SPODE": "spode",
    "TAN": "tan",
    "TextNB": "text_nb",
}
"""The module of each classifier."""

MODELS = ESTIMATORS | {"LanguageModel": "language_model"}
"""The module of everything that a model file may hold."""


def estimator(name: str) -> Any:
    """Return a class by its name, imported when it is asked for."""
    return getattr(import_module(f"tallybayes.estimators.{MODELS[name]}"), name)


LEARNERS = {
    "NaiveBayes": ("_mixed_learner", "MixedLearner"),
    "TextNB": ("_text_learner", "TextLearner"),
}
"""The module and the class of those that can do without scikit-learn."""


def unfaced(name: str, **options: Any) -> Any:
    """Return what learns and answers for an estimator with some options, without scikit-learn's face if it can."""
    if name not in LEARNERS:
        return estimator(name)(**options)
    module, own = LEARNERS[name]
    model = getattr(import_module(f"tallybayes.estimators.{module}"), own)(**options)
    model._face = name
    return model

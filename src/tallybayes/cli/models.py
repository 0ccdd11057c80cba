"""Models: made from the options of ``train``, opened from their files, and saved."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tallybayes._types import Value
from tallybayes.cli.reading import STANDARD
from tallybayes.errors import ColumnError, ModelFileError, OptionError, did_you_mean

CLASSES = {
    "auto": "AutoBayes",
    "nb": "NaiveBayes",
    "text": "TextNB",
    "ngram": "NGramClassifier",
    "gaussian": "GaussianNB",
    "bernoulli": "BernoulliNB",
    "multinomial": "MultinomialNB",
    "complement": "ComplementNB",
    "categorical": "CategoricalNB",
    "kernel": "KernelNB",
    "tan": "TAN",
    "spode": "SPODE",
    "aode": "AODE",
    "kdb": "KDB",
}
"""What each model is called in the library."""

OF_NAIVE_BAYES = ("factors", "numeric", "smoothing", "prior_smoothing", "ddof")
"""Who gives one of these and names no model means naive Bayes; the others choose for themselves."""

_RENAMED = {name: {"smoothing": "alpha"} for name in ("bernoulli", "multinomial", "complement", "categorical")}
"""The options that scikit-learn's drop-ins have under another name."""


def new_model(name: str, options: Mapping[str, Any], settings: Sequence[str] | None = None) -> Any:
    """Return an unfitted model with the options that were given, which are those that are not None.

    Parameters
    ----------
    name
        One of `CLASSES`.
    options
        By their names in the library, but for those of `_RENAMED`.
    settings
        Others as they were written, such as ``ngrams=1,2``.
    """
    from tallybayes.estimators._registry import estimator

    if name not in CLASSES:
        raise OptionError(f"--model {name} is not one of {', '.join(CLASSES)}.{did_you_mean(name, CLASSES)}")
    known = _options_of(estimator(CLASSES[name]))
    given = {_RENAMED.get(name, {}).get(key, key): value for key, value in options.items() if value is not None}
    for key, value in _settings(settings, known):
        if key in given:
            raise OptionError(f"--set {key}={value} gives {key}= a second time; keep one of the two.")
        given[key] = _setting(value, known.get(key))
        if key == "stop_words" and isinstance(given[key], str) and value != "english":
            given[key] = [value]  # a single word is a list of words, too
    for key in given:
        if key not in known:
            fit = [other for other in CLASSES if key in _options_of(estimator(CLASSES[other]))]
            other = f"leave it out, or take --model {' or '.join(fit)}." if fit else f"it has {', '.join(known)}."
            raise OptionError(f"--model {name} has no option {key}=; {other}{did_you_mean(key, known)}")
    return estimator(CLASSES[name])(**given)


def model_named(name: str | None, options: Mapping[str, Any]) -> str:
    """Return the model that is meant: the one that is named, naive Bayes by its options, or the best of all."""
    if name is not None:
        return name
    return "nb" if any(options.get(key) is not None for key in OF_NAIVE_BAYES) else "auto"


def _options_of(kind: Any) -> Mapping[str, Any]:
    """Return the options of a model, with what they are by default."""
    options: Mapping[str, Any] = kind().get_params(deep=False)
    return options


def _settings(given: Sequence[str] | None, known: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the names and the values that ``--set`` gives."""
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise OptionError(f"--set {text} is no pair; write it like --set ngrams=1,2.{did_you_mean(name, known)}")
        yield name.replace("-", "_"), value


def _setting(text: str, usual: Any) -> Any:
    """Return a value as Python has it: a number, a truth value, None, a text, or several of these between commas.

    Examples
    --------
    >>> _setting("0.5", 1.0), _setting("true", False), _setting("1,2", (1, 1)), _setting("the,a", None)
    (0.5, True, (1, 2), ['the', 'a'])
    """
    if "," in text:
        parts = [_setting(part, None) for part in text.split(",")]
        return tuple(parts) if isinstance(usual, tuple) else parts
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    return _values([text])[0]


def open_model(path: str, *, faced: bool = True) -> Any:
    """Return the model in a file, with scikit-learn's face or, which is there sooner, without."""
    from tallybayes.estimators._model_file import load, opened

    if path == STANDARD:
        raise ModelFileError("A model is read from a file, and not from standard input; give its path.")
    model = (load if faced else opened)(path)
    if not hasattr(model, "classes_"):
        raise ModelFileError(
            f"{path!r} holds a {type(model).__name__}, and the commands are about classes. Open it in Python: "
            f"tallybayes.load({path!r})."
        )
    return model


def save_model(model: Any, path: str) -> str:
    """Write a model to a file, whole or not at all; return the size of the file in words."""
    model.save(path)
    return size_of(path)


def size_of(path: str) -> str:
    """Return the size of a file in words."""
    size = os.path.getsize(path)
    return f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{max(size / 1e3, 0.1):,.1f} kB"


def rows_of(model: Any) -> int:
    """Return how many rows a model has learned."""
    from tallybayes.models.base import class_tally

    return class_tally(model.tallies_).n_rows


def contents(model: Any) -> str:
    """Return what a model has learned, in words."""
    from tallybayes.cli.writing import counted, named

    classes = counted(len(model.classes_), "class", "classes") if len(model.classes_) else "no class"
    names = f" ({named(model.classes_)})" if len(model.classes_) else ""
    return f"{counted(rows_of(model), 'row')} of {classes}{names}"


def decision_of(model: Any, costs_path: str | None, reject: float | None) -> Any:
    """Return a model's decision of least risk; None where neither costs nor a rejection are asked for."""
    from tallybayes.decision.bayes_decision import BayesDecision
    from tallybayes.decision.cost_file import read_costs

    if costs_path is None and reject is None:
        return None
    return BayesDecision(model, costs=None if costs_path is None else read_costs(costs_path), reject_cost=reject)


def check_place(path: str) -> None:
    """Refuse a place where no model can be written, before the work is done rather than after."""
    folder = os.path.dirname(os.path.abspath(path))
    if path == STANDARD:
        raise ModelFileError("A model is written to a file, and not to standard output; give a path with -o.")
    if not os.path.isdir(folder):
        raise ModelFileError(f"There is no folder {folder!r} to write {path!r} to; create it first.")
    if os.path.isdir(path) or not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise ModelFileError(f"{path!r} cannot be written; choose another place with -o.")


def target_of(model: Any, path: str, asked: str | None) -> str:
    """Return the column of labels: the one that is asked for, or the one that the model was trained with."""
    target = model.target_ if asked is None else asked
    if target is None:
        raise ColumnError(f"{path!r} does not say which column its labels came from; name it with --target.")
    return str(target)


def pairs(given: Sequence[str] | None, option: str, example: str) -> dict[str, str] | None:
    """Return ``name=value`` options as a dict; a name may have ``=`` in it, and a value none."""
    if not given:
        return None
    found: dict[str, str] = {}
    for text in given:
        name, equals, value = text.rpartition("=")
        if not equals or not name or not value:
            raise OptionError(f"{option} {text} is no pair; write it like {option} {example}.")
        if name in found:
            raise OptionError(f"{option} names {name!r} twice; keep one of the two.")
        found[name] = value
    return found


def column_options(given: Sequence[str] | None) -> dict[str | int, Any] | None:
    """Return what ``--columns`` says: a kind, or, where there are commas, the values of a column."""
    said = pairs(given, "--columns", "zip=categorical, or size=S,M,L")
    if said is None:
        return None
    return {name: _values(text.split(",")) if "," in text else text for name, text in said.items()}


def prior_option(given: Sequence[str] | None) -> str | dict[str, float] | None:
    """Return what ``--prior`` says: one word, or a probability for each label as it is written."""
    if given and len(given) == 1 and "=" not in given[0]:
        return given[0]
    said = pairs(given, "--prior", "ham=0.8 --prior spam=0.2")
    try:
        return None if said is None else {label: float(share) for label, share in said.items()}
    except ValueError:
        raise OptionError(f"--prior {' --prior '.join(given or ())} has a probability that is no number.") from None


def class_of(model: Any, label: str) -> Any:
    """Return the class that is written so; the text itself where there is none, for the library to say so."""
    from tallybayes.decision.labels import ClassIndex

    index = ClassIndex(model.classes_)
    place = index.find(label)
    return label if place is None else index.classes[place]


def _values(texts: list[str]) -> list[Value]:
    """Return texts as a text file's reader takes them: as numbers where all of them are."""
    for kind in (int, float):
        try:
            return [kind(text) for text in texts]
        except ValueError:
            continue
    return [text.strip() for text in texts]

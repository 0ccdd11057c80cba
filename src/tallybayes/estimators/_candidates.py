"""The candidates that `AutoBayes` compares: estimators with their options, the simplest first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from tallybayes.errors import OptionError, did_you_mean
from tallybayes.estimators._dependent import Dependent
from tallybayes.estimators._memo import same
from tallybayes.estimators._mixed_learner import MixedLearner
from tallybayes.estimators.aode import AODE
from tallybayes.estimators.kdb import KDB
from tallybayes.estimators.naive_bayes import NaiveBayes
from tallybayes.estimators.spode import SPODE
from tallybayes.estimators.tan import TAN
from tallybayes.schema.field import Schema
from tallybayes.structure.cuts import Cutting

CandidateName = Literal["naive", "spode", "tan", "aode", "kdb", "a2de"]
CANDIDATES: tuple[CandidateName, ...] = get_args(CandidateName)
"""The kinds of models, the simplest first."""

DEFAULT = "default"

SHARED = ("columns", "discretize", "max_bins", "max_values", "missing", "memory_limit")
"""The options that all candidates have from `AutoBayes`; besides these the prior, where it says one."""

MOST_PARENTS = 5
"""How many parents the candidates of k dependences have at most."""

MOST_COLUMNS = 60
"""With more columns A2DE takes long: its time grows with their third power."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """An estimator that may be chosen.

    Attributes
    ----------
    name, family
        What it is called, and the kind of models of which one is shown.
    model
        The estimator, with its options and those that all candidates share.
    origin
        Its place among the candidates.
    part
        Which of several models it is that are learned together, if any.
    """

    name: str
    family: str
    model: Any
    origin: int = 0
    part: int | None = None

    @property
    def key(self) -> tuple[int, int | None]:
        """What tells it from all others."""
        return self.origin, self.part

    @property
    def cuts(self) -> bool:
        """Whether it reads numbers as bins."""
        model = self.model
        if isinstance(model, Dependent):
            return model.numeric == "bins"
        return model.numeric == "bins" or "bins" in (model.factors or {}).values()


def candidates_of(given: Any, schema: Schema, shared: Mapping[str, Any]) -> list[Candidate]:
    """Return the candidates for some columns.

    Parameters
    ----------
    given
        "default", or a list of names and estimators.
    schema
        What the columns mean.
    shared
        The options that all of them have.
    """
    found: list[Candidate] = []
    for one in CANDIDATES if given == DEFAULT else given:
        if isinstance(one, str):
            found += _FAMILIES[one](schema)
        else:
            found.append(Candidate(labelled(one), labelled(one), one))
    return [replace(one, model=with_shared(one.model, shared), origin=place) for place, one in enumerate(found)]


def with_shared(model: Any, shared: Mapping[str, Any]) -> Any:
    """Return a copy of an estimator with those of the shared options that it has."""
    options = model.get_params(deep=False)
    return type(model)(**options | {name: value for name, value in shared.items() if name in options})


def own_options(model: Any) -> dict[str, Any]:
    """Return the options of an estimator that are its own, and not what they are by default."""
    usual = type(model)().get_params(deep=False)
    options = model.get_params(deep=False)
    return {name: value for name, value in options.items() if name not in SHARED and not same(value, usual[name])}


def labelled(model: Any) -> str:
    """Return what an estimator is called.

    Examples
    --------
    >>> labelled(AODE(smoothing=0.1)), labelled(AODE(order=2))
    ('AODE smoothing=0.1', 'A2DE')
    """
    options = own_options(model)
    name = type(model).__name__
    if isinstance(model, AODE) and options.get("order") == 2:
        name = "A2DE"
        del options["order"]
    return " ".join([name, *(f"{key}={value}" for key, value in options.items() if key != "factors")])


def check_candidates(given: Any) -> None:
    """Refuse what is no list of names and of estimators that can be compared."""
    if isinstance(given, str) and given == DEFAULT:
        return
    if isinstance(given, str) or not isinstance(given, Sequence) or not len(given):
        raise OptionError(f"candidates={given!r} should be 'default' or a list such as ['naive', 'tan', AODE()].")
    for one in given:
        if isinstance(one, str):
            if one not in CANDIDATES:
                raise OptionError(
                    f"candidates= names {one!r}, which is not one of {list(CANDIDATES)}.{did_you_mean(one, CANDIDATES)}"
                )
        elif not isinstance(one, Dependent | MixedLearner):
            raise OptionError(
                f"candidates= has {one!r}. What can be compared are names of {list(CANDIDATES)}, and the estimators "
                "NaiveBayes, SPODE, TAN, AODE and KDB."
            )


def numbers_of(schema: Schema) -> list[Any]:
    """Return the columns of numbers and of counts."""
    return [field.name for field in schema if field.kind in ("numeric", "count")]


def cutting_of(discretize: Any, max_bins: int | None) -> Cutting:
    """Return how columns are cut, by the options."""
    return Cutting.of(discretize, bins=max_bins or 10, most=max_bins)


def _of(models: Iterable[Any]) -> list[Candidate]:
    found = []
    for model in models:
        name = labelled(model)
        found.append(Candidate(name, name.partition(" ")[0], model))
    return found


def _naive(schema: Schema) -> list[Candidate]:
    numbers = numbers_of(schema)
    if not numbers:
        return [_named("NaiveBayes", {}), _named("NaiveBayes", {"smoothing": 0.1})]
    counts = {name: "bins" for name in numbers if schema[name].kind == "count"}
    bins: dict[str, Any] = {"numeric": "bins", "factors": counts} if counts else {"numeric": "bins"}
    some = [{"numeric": "gaussian"}, {"numeric": "kernel"}, bins, {**bins, "smoothing": 0.1}]
    return [_named(f"NaiveBayes {options['numeric']}", options) for options in some]


def _named(family: str, options: Mapping[str, Any]) -> Candidate:
    """Return naive Bayes in which a class that is seen once is still possible without that row, as in the others."""
    smoothing = f" smoothing={options['smoothing']}" if "smoothing" in options else ""
    return Candidate(f"{family}{smoothing}", family, NaiveBayes(prior_smoothing=1.0, **options))


_FAMILIES: Mapping[str, Callable[[Schema], list[Candidate]]] = {
    "naive": _naive,
    "spode": lambda schema: _of([SPODE()]),
    "tan": lambda schema: _of([TAN(), TAN(smoothing="hierarchical")]),
    "aode": lambda schema: _of([AODE(), AODE(min_count=1), AODE(smoothing=0.1)]),
    "kdb": lambda schema: _of([KDB(k=MOST_PARENTS)]),
    "a2de": lambda schema: _of([AODE(order=2), AODE(order=2, smoothing=0.1)]),
}

"""Hyperparameters, checked when they are first needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from tallybayes._types import Floats
from tallybayes.errors import OptionError, TallyBayesWarning, did_you_mean, warn
from tallybayes.models.prior import Prior
from tallybayes.schema.labelled import labels_along
from tallybayes.schema.said import declared_values
from tallybayes.text.callables import from_name, name_of

MOST = 1e100
"""The largest amount that anything is smoothed by."""

MOST_BINS = 4096
"""The largest number of bins of a column."""

LEAST_ALPHA = 1e-10
"""What scikit-learn raises a smaller alpha to, unless ``force_alpha`` keeps it."""


def check_word(name: str, value: Any, words: Sequence[str]) -> None:
    """Refuse a word that is not one of `words`."""
    if not isinstance(value, str) or value not in words:
        raise OptionError(f"{name}={value!r} is not one of {list(words)}.{did_you_mean(value, words)}")


def check_amount(name: str, value: Any) -> None:
    """Refuse what is not a number of at least 0, or so large that sums of it overflow."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= MOST:
        raise OptionError(f"{name}={value!r} should be a number, 0 or more, and not above {MOST:g}.")


def check_bins(name: str, value: Any) -> None:
    """Refuse what is neither a number of bins, 2 at least, nor None."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 2 <= value <= MOST_BINS:
        raise OptionError(f"{name}={value!r} should be a whole number from 2 to {MOST_BINS}.")


def check_flag(name: str, value: Any) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise OptionError(f"{name}={value!r} should be True or False.")


def check_threshold(name: str, value: Any) -> None:
    """Refuse what is neither a finite number nor None."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, Real) or not np.isfinite(float(value))):
        raise OptionError(f"{name}={value!r} should be a number, or None for cells that are 0 and 1 already.")


def check_alpha(alpha: Any) -> None:
    """Refuse what is neither an amount nor one amount for each column."""
    if isinstance(alpha, Real | str) or alpha is None:
        check_amount("alpha", alpha)
        return
    amounts = np.asarray(alpha)
    if amounts.dtype.kind not in "iuf" or not ((amounts >= 0) & (amounts <= MOST)).all():
        raise OptionError(f"alpha={alpha!r} should be a number, 0 or more, or one such number for each column.")


def warn_small(alpha: float | Floats) -> None:
    """Warn where ``force_alpha`` is off and an alpha is small enough to be raised."""
    if np.min(alpha) < LEAST_ALPHA:
        warn(
            f"alpha too small will result in numeric errors, setting alpha = {LEAST_ALPHA:.1e}. "
            "Use `force_alpha=True` to keep alpha unchanged.",
            TallyBayesWarning,
        )


def smoothing_of(alpha: Any, columns: int, *, force_alpha: bool) -> float | Floats:
    """Return scikit-learn's ``alpha`` as a smoothing, raised to 1e-10 where ``force_alpha`` is off."""
    if isinstance(alpha, Real):
        smoothing: Any = float(alpha)
    else:
        smoothing = np.asarray(alpha, dtype=np.float64)
        if smoothing.shape != (columns,):
            raise OptionError(
                "When alpha is an array, it should contains `n_features`. "
                f"Got {list(smoothing.shape)} elements instead of {columns}; give one for each column."
            )
    if not force_alpha:
        smoothing = np.maximum(smoothing, LEAST_ALPHA)
    return smoothing  # type: ignore[no-any-return]


def plain_option(name: str, value: Any) -> Any:
    """Return a parameter as a model file keeps it: a Series as a dict where its labels count, or as an array."""
    if name == "columns" and isinstance(value, Mapping):
        return {key: said if isinstance(said, str) else declared_values(said) for key, said in value.items()}
    if name == "analyzer" and callable(value):
        return {"callable": name_of(value)}
    if name == "candidates" and not isinstance(value, str):
        return [one if isinstance(one, str) else _plain_estimator(one) for one in value]
    if isinstance(value, np.ndarray | np.generic) or not hasattr(value, "__array__"):
        return value
    labels = labels_along(value, "index") if name == "prior" else None
    return np.asarray(value) if labels is None else dict(zip(labels, np.asarray(value).tolist(), strict=True))


def option_of(name: str, plain: Any) -> Any:
    """Return a parameter from what a model file kept."""
    if name == "candidates" and isinstance(plain, list):
        return [_estimator_of(one) if isinstance(one, Mapping) else one for one in plain]
    return from_name(plain.get("callable")) if name == "analyzer" and isinstance(plain, Mapping) else plain


def _plain_estimator(model: Any) -> dict[str, Any]:
    """Return an estimator that is an option of another, by its name and options."""
    options = {name: plain_option(name, value) for name, value in model.get_params(deep=False).items()}
    return {"estimator": type(model).__name__, "options": options}


def _estimator_of(plain: Mapping[str, Any]) -> Any:
    """Return such an estimator again; `OptionError` where there is none of that name."""
    from tallybayes.estimators._registry import ESTIMATORS, estimator

    name, options = plain.get("estimator"), plain.get("options")
    if name not in ESTIMATORS or not isinstance(options, Mapping):
        raise OptionError(f"candidates= has {name!r}, which is no estimator of this library.")
    return estimator(name)(**{key: option_of(key, value) for key, value in options.items()})


def class_prior(given: Any, *, fit_prior: bool, smoothing: float = 0.0) -> Prior:
    """Return the prior that scikit-learn's ``class_prior`` and ``fit_prior`` describe."""
    if given is not None:
        return Prior(given, proper=False, by_position=True)
    return Prior("empirical" if fit_prior else "uniform", smoothing)

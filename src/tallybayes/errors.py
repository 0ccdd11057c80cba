"""Everything that tallybayes raises or warns about.

Each message names the thing that is wrong and what to do next. The tree::

    TallyBayesError
    ├── DataError(ValueError)             the rows cannot be used as they are
    │   ├── EmptyDataError                no rows, or no columns
    │   ├── TargetError                   the target is missing, or is not a set of classes
    │   ├── ColumnError                   a column is missing, repeated or misspelt
    │   ├── KindError                     a column's values do not fit its kind
    │   ├── ValueRangeError               infinite, negative or otherwise impossible numbers
    │   ├── WeightError                   weights that are negative, missing or of another length
    │   ├── TooLargeError                 tables that would take more memory than they may
    │   └── SourceError                   a file that cannot be read as what it claims to be
    ├── UnsupportedDataError(TypeError)   a type that no source reads
    ├── OptionError(ValueError)           a hyperparameter outside its range
    │   └── CostError                     a cost matrix of the wrong shape or content
    ├── MergeError(ValueError)            two models, or a model and rows, that do not add or subtract
    ├── NotAJointError(TypeError, AttributeError)
    │                                     a score was asked for what only a joint distribution can give
    ├── LeaveOneOutError(TypeError)       a model that single rows cannot be taken out of
    ├── NotFittedError(ValueError, AttributeError)
    │   └── UnfittedError                 the same, as scikit-learn's own tools recognise it
    ├── ModelFileError(ValueError)        a model file that is damaged, foreign, newer or hostile
    └── MissingExtraError(ImportError)    an optional dependency; the message has the pip line

    TallyBayesWarning(UserWarning)
    ├── DataWarning                       rows or columns that are set aside, and why
    └── ZeroProbabilityWarning            every class has probability zero for a row
"""

from __future__ import annotations

import difflib
import sys
import warnings
from collections.abc import Iterable


class TallyBayesError(Exception):
    """Base of every error that tallybayes raises on purpose."""


class DataError(TallyBayesError, ValueError):
    """The rows cannot be used as they are."""


class EmptyDataError(DataError):
    """There are no rows, or no columns, to learn from."""


class TargetError(DataError):
    """The target is missing altogether, or does not name classes."""


class ColumnError(DataError):
    """A column is missing, repeated or misspelt."""


class KindError(DataError):
    """A column holds values that do not fit its kind."""


class ValueRangeError(DataError):
    """A number is infinite, negative or otherwise outside what the model can use."""


class WeightError(DataError):
    """Sample weights are negative, not finite or of the wrong length."""


class TooLargeError(DataError):
    """The tables that a model needs would take more memory than they may."""


class SourceError(DataError):
    """A file or stream cannot be read as what it claims to be."""


class UnsupportedDataError(TallyBayesError, TypeError):
    """The data is of a type that no source reads."""


class OptionError(TallyBayesError, ValueError):
    """A hyperparameter is outside its range."""


class CostError(OptionError):
    """A cost matrix has the wrong shape or content."""


class MergeError(TallyBayesError, ValueError):
    """Two models, or a model and rows, do not add or subtract."""


class NotAJointError(TallyBayesError, TypeError, AttributeError):
    """A score was asked for what only a joint distribution p(x, c) can give."""


class LeaveOneOutError(TallyBayesError, TypeError):
    """A model cannot say what it would be without one of its rows."""


class NotFittedError(TallyBayesError, ValueError, AttributeError):
    """The estimator has not been fitted yet."""


class ModelFileError(TallyBayesError, ValueError):
    """A model file is damaged, truncated, foreign, newer or hostile."""


class MissingExtraError(TallyBayesError, ImportError):
    """An optional dependency is not installed."""


class TallyBayesWarning(UserWarning):
    """Base of every warning that tallybayes gives."""


class DataWarning(TallyBayesWarning):
    """Rows or columns are set aside, or are of no use; the message says which and why."""


class ZeroProbabilityWarning(TallyBayesWarning):
    """Every class has probability zero for some row, so the prior answers for it."""


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """Return ``" Did you mean 'x'?"`` for the closest known name, or an empty string."""
    words = {str(k).casefold(): str(k) for k in known}  # what differs in case alone is closest of all
    close = difflib.get_close_matches(str(name).casefold(), words, n=1, cutoff=0.6)
    return f" Did you mean {words[close[0]]!r}?" if close else ""


def warn(message: str, category: type[Warning] = DataWarning) -> None:
    """Warn at the line of the user's code that called into the library, however deep the reason lies."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_OURS):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


_OURS = ("tallybayes.", "sklearn.")

"""The posterior: the log joint of a row, normalised over the classes.

    log P(c|x) = log p(x, c) - log p(x),    log p(x) = log sum_c p(x, c)

by log-sum-exp, so that nothing underflows. A row that every class gives probability zero is a 0/0, and the
prior answers for it.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from tallybayes._types import Counts, Floats
from tallybayes.errors import ZeroProbabilityWarning, warn
from tallybayes.kernels.normalise import lower_rows, scale_rows, shift_rows


def normalise_rows(table: Floats, log_prior: npt.ArrayLike, scale: Literal["log", "plain"]) -> int:
    """Turn a block of log p(x, c) into its posterior, in place; return how many rows the prior answered for.

    Threads may work on several blocks at the same time; the caller adds the counts up and calls
    `warn_impossible` once.

    Parameters
    ----------
    table
        A writable float64 array of shape (n, n_classes) in C order. -inf is a probability of zero; densities
        that overflowed to +inf are taken as equal.
    log_prior : array-like of shape (n_classes,)
        What answers for rows that every class gives probability zero.
    scale
        Whether to leave log P(c|x) or P(c|x) in the table.

    Examples
    --------
    >>> table = np.log([[0.1, 0.3]])
    >>> normalise_rows(table, np.log([0.5, 0.5]), "plain"), table.round(4)
    (0, array([[0.25, 0.75]]))
    """
    # A copy, because a read-only array is another type to the compiler.
    impossible = int(shift_rows(table, np.array(log_prior, dtype=np.float64)))
    if scale == "plain":
        np.exp(table, out=table)
        scale_rows(table)
    else:
        lower_rows(table, np.exp(table))
    return impossible


def first_choice(table: Floats, log_prior: npt.ArrayLike) -> tuple[Counts, int]:
    """Return the place of each row's most probable class, and how many rows the prior answered for.

    The first of several classes that are equally probable wins. `table` holds log p(x, c) and is overwritten.

    Examples
    --------
    >>> first_choice(np.log([[0.1, 0.3], [0.2, 0.2]]), np.log([0.5, 0.5]))
    (array([1, 0]), 0)
    """
    impossible = int(shift_rows(table, np.array(log_prior, dtype=np.float64)))
    return table.argmax(axis=1), impossible


def log_evidence(log_joint: Floats) -> Floats:
    """Return log p(x) for every row: log sum_c p(x, c), -inf where every class gives probability zero.

    Examples
    --------
    >>> np.exp(log_evidence(np.log([[0.1, 0.3]]))).round(4)
    array([0.4])
    """
    top = log_joint.max(axis=1, initial=-np.inf)
    anchor = np.where(np.isfinite(top), top, 0.0)
    # Beside an entry of +inf, which is the whole answer, the others may overflow.
    with np.errstate(divide="ignore", over="ignore"):
        evidence: Floats = anchor + np.log(np.exp(log_joint - anchor[:, np.newaxis]).sum(axis=1))
    return evidence


def warn_impossible(rows: int) -> None:
    """Give the one warning for all `rows` that every class gives probability zero, if there are any."""
    if rows:
        warn(
            ("1 row has" if rows == 1 else f"{rows:,} rows have")
            + " probability zero under every class, so the prior answers; explain() names the columns that rule the "
            "classes out. Where it is a value that a class never had, smooth the model (smoothing=1.0, or alpha=1.0); "
            "where it is a number far from all that was learned, correct it or leave it missing.",
            ZeroProbabilityWarning,
        )

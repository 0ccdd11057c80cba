"""The one scan of the data: rows are encoded, counted block by block and added up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tallybayes._types import Name
from tallybayes.engines.threads import in_order
from tallybayes.errors import TargetError, warn
from tallybayes.models.base import CLASSES, Tallies
from tallybayes.schema.batch import Batch
from tallybayes.schema.rows import Rows

Encoder = Callable[[Rows], Batch]
"""What gives raw rows the meaning of a schema."""


@dataclass(frozen=True)
class _Counted:
    tallies: Tallies
    rows: int
    unlabelled: int


def fold(rows: Iterable[Rows], encode: Encoder, needs: Tallies, *, target: Name | None = None) -> Tallies:
    """Return the tallies of all rows, in one pass.

    Each block is counted on its own, on whatever thread is free, and the results are added in the order of
    the blocks: the sums do not depend on the number of threads.

    Parameters
    ----------
    rows
        Blocks of raw rows.
    encode
        What makes a batch of a block.
    needs
        The empty tallies, by name.
    target
        The column of labels, where it has a name, for messages.
    """

    def count(block: Rows) -> _Counted:
        batch = encode(block)
        counted = {key: tally.count(batch) for key, tally in needs.items()}
        return _Counted(counted, len(block), batch.unlabelled)

    total = needs
    seen = unlabelled = 0
    for part in in_order(count, rows):
        total = {key: tally + part.tallies[key] for key, tally in total.items()}
        seen += part.rows
        unlabelled += part.unlabelled
    if not total[CLASSES].classes:
        raise TargetError(_nothing(seen, unlabelled, "target" if target is None else f"target {target!r}"))
    if unlabelled:
        warn(f"{unlabelled} of {seen} rows have no label and were set aside.")
    return total


def _nothing(seen: int, unlabelled: int, target: str) -> str:
    if unlabelled == seen:
        return f"The {target} is missing in all {seen} rows; there is no class to learn. Check the target column."
    return (
        f"No row is left to learn from: of {seen} rows, {unlabelled} have no label and the others have the "
        f"weight zero. Check the {target} and sample_weight."
    )

"""The one scan of the data: rows are encoded, counted block by block and added up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tallybayes._types import Name
from tallybayes.engines.threads import in_order
from tallybayes.errors import TargetError, WeightError, warn
from tallybayes.learn.pile import Pile
from tallybayes.models.base import Tallies, class_tally
from tallybayes.schema.batch import Batch
from tallybayes.schema.rows import Rows

HEAVIEST = 1e100
"""The most that weights may sum to: beyond it, sums of weighted numbers overflow."""

Encode = Callable[[Rows], Batch]
"""What gives raw rows the meaning of a schema."""


@dataclass(frozen=True)
class _Counted:
    tallies: Tallies
    rows: int
    unlabelled: int


@dataclass(frozen=True)
class _Count:
    """Counts one piece; a plain value, like all that an engine may have to send."""

    encode: Encode
    needs: Tallies

    def __call__(self, block: Rows) -> _Counted:
        batch = self.encode(block)
        counted = {key: tally.count(batch) for key, tally in self.needs.items()}
        return _Counted(counted, len(block), batch.unlabelled)


def fold(rows: Iterable[Rows], encode: Encode, needs: Tallies, *, target: Name | None = None) -> Tallies:
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
    piles = {key: Pile(tally) for key, tally in needs.items()}
    seen = unlabelled = 0
    for part in in_order(_Count(encode, needs), rows):
        for key, pile in piles.items():
            pile.add(part.tallies[key])
        seen += part.rows
        unlabelled += part.unlabelled
    total = {key: pile.total() for key, pile in piles.items()}
    counted = class_tally(total)
    if not counted.weights.sum() <= HEAVIEST:
        raise WeightError(f"The weights sum to more than {HEAVIEST:g}. Scale them down; only their ratios matter.")
    if not counted.classes:
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

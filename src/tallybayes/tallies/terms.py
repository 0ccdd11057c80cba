"""How often each term of a column of texts occurs, by class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np

from tallybayes._types import AnyArray, Codes, Counts, Floats, Name
from tallybayes.kernels.counting import order_by_class
from tallybayes.kernels.merge_terms import Counted
from tallybayes.kernels.numbers import COUNT, LOGARITHM, PRESENCE, count_measured, count_plain
from tallybayes.kernels.texts import Texts
from tallybayes.schema.batch import Batch
from tallybayes.schema.values import Values
from tallybayes.tallies.base import State, Tally, never_counted
from tallybayes.tallies.layout import aligner, checked, damaged, spread, stored_classes, stored_names
from tallybayes.tallies.stored_terms import stored_terms, term_arrays
from tallybayes.tallies.term_sets import added, narrow, no_terms, terms_met, without
from tallybayes.text.analyzer import Analyzer
from tallybayes.text.numbering import Block, Numbering

Measure = Literal["count", "presence", "log"]
"""What a document adds for a term that it has f times: f, 1, or log(1 + f)."""

_MEASURES: Mapping[str, int] = {"count": COUNT, "presence": PRESENCE, "log": LOGARITHM}

_TERMS = 1 << 15


@dataclass(frozen=True, eq=False)
class TermTally(Tally):
    """The terms of one column, sorted by their keys, each with its text and an entry for each class that has it.

    A missing text leaves no trace; an empty one is a document without terms. Numbers of documents are exact, and so are
    the sums of counts and presences without weights.

    Attributes
    ----------
    names
        The one column.
    analyzer, measure, norm
        How texts become terms, what a document adds for a term, and whether what it adds for all of them is scaled to
        the Euclidean length 1.
    counted
        The terms and their entries; see `tallybayes.kernels.merge_terms.Counted`.
    n_rows, weights
        How many documents each class has, and their weight.
    """

    grows = True

    names: tuple[Name, ...]
    classes: Values
    analyzer: Analyzer
    measure: Measure
    norm: bool
    counted: Counted
    n_rows: Counts
    weights: Floats

    @classmethod
    def empty(cls, name: Name, analyzer: Analyzer, *, measure: Measure = "count", norm: bool = False) -> TermTally:
        """Return the tally of no rows."""
        return cls((name,), Values(), analyzer, measure, norm, no_terms(), np.zeros(0, np.int64), np.zeros(0))

    def count(self, batch: Batch) -> TermTally:
        labels, column = batch.labels, batch.texts(self.names[0])
        codes = labels.codes
        if column.null_count:
            codes = np.where(column.is_valid().to_numpy(zero_copy_only=False), codes, -1)
        classes = len(labels.values)
        order, bounds = np.empty(len(codes), np.int64), np.zeros(classes + 1, np.int64)
        order_by_class(codes, order, bounds)
        weights = np.zeros(0) if batch.weights is None else batch.weights
        counted = self._counted(self.analyzer.read(column), order, bounds, weights)
        n_rows = np.diff(bounds)
        mass: Floats = n_rows.astype(np.float64)
        if batch.weights is not None:
            there = codes >= 0
            mass = np.bincount(codes[there], weights[there], minlength=classes).astype(np.float64)
        whole = replace(self, classes=labels.values, counted=counted, n_rows=n_rows, weights=mass)
        return whole._supported()

    def _counted(self, texts: Texts, order: Counts, bounds: Counts, weights: Floats) -> Counted:
        """Count the texts class by class: those of class c are ``order[bounds[c]:bounds[c + 1]]``."""
        numbering = Numbering(self.analyzer)
        counter = _Counter(_MEASURES[self.measure], self.norm, bool(len(weights)))
        found = []
        for begin, end in pairwise(bounds.tolist()):
            own = order[begin:end]
            some = weights[own] if len(weights) else weights
            texts_of_class = texts._replace(begins=texts.begins[own], ends=texts.ends[own])
            for block in numbering.blocks(texts_of_class):
                counter.add(block, len(numbering), some[block.first : block.first + len(block.bounds) - 1])
            found.append(counter.taken())
        if not found:
            return no_terms()
        terms, rows, sums = (np.concatenate([part[k] for part in found]) for k in range(3))
        classes = np.repeat(np.arange(len(found), dtype=np.int32), [len(part[0]) for part in found])
        return terms_met(numbering, terms, classes, narrow(rows), sums.astype(np.float64))

    def __add__(self, other: TermTally) -> TermTally:
        other = other.like(self)
        classes, here, there = self.classes.union(other.classes)
        n_rows = spread(self.n_rows, 0, here, len(classes)) + spread(other.n_rows, 0, there, len(classes))
        counted = added(self.counted, here, other.counted, there, int(n_rows.max(initial=0)))
        weights = spread(self.weights, 0, here, len(classes)) + spread(other.weights, 0, there, len(classes))
        return replace(self, classes=classes, counted=counted, n_rows=n_rows, weights=weights)

    def __sub__(self, other: TermTally) -> TermTally:
        other = other.like(self)
        there = other.classes.places_in(self.classes)
        if (there < 0).any():
            raise never_counted(f"class {other.classes.keep(there < 0)[0]!r} was never seen")
        n_rows = self.n_rows - spread(other.n_rows, 0, there, len(self.classes))
        if (n_rows < 0).any():
            raise never_counted(f"class {self.classes[int(np.argmin(n_rows))]!r} has fewer texts than that")
        counted, missing = without(self.counted, other.counted, there, len(self.classes))
        if missing >= 0:
            raise never_counted(f"the term {other.term(missing)!r} is in fewer texts than that")
        weights = self.weights - spread(other.weights, 0, there, len(self.classes))
        weights = np.where(n_rows > 0, np.maximum(weights, 0.0), 0.0)
        return replace(self, counted=counted, n_rows=n_rows, weights=weights)._supported()

    def agrees(self, classes: Values, rows: Counts) -> bool:
        known = self.classes.places_in(classes)
        return bool((known >= 0).all() and (self.n_rows <= rows[known]).all())  # a missing text is no text

    def options(self) -> Mapping[str, Any]:
        return {"hashed": self.analyzer.hashed, "analyzer": self.analyzer, "measure": self.measure, "norm": self.norm}

    def __len__(self) -> int:
        return len(self.counted.keys)

    @property
    def entries(self) -> int:
        return len(self.counted.rows)

    def term(self, number: int) -> str:
        """Return the text of a term, or what a hashed one is called."""
        if self.analyzer.hashed:
            return self.analyzer.bucket_name(int(self.counted.keys[number]))
        begin, end = self.counted.text_at[number : number + 2].tolist()
        return self.counted.text[begin:end].tobytes().decode("utf-8", "surrogatepass")

    def terms(self) -> list[str]:
        """Return the texts of all terms, in the order of their keys."""
        if self.analyzer.hashed:
            return list(map(self.analyzer.bucket_name, self.counted.keys.tolist()))
        data, at = self.counted.text.tobytes(), self.counted.text_at.tolist()
        return [data[begin:end].decode("utf-8", "surrogatepass") for begin, end in pairwise(at)]

    def rows_of(self, classes: Values) -> Counts:
        """Return the number of documents that have each term, shape (terms, classes); other classes have zeros."""
        rows: Counts = self._table(self.counted.rows, classes, np.int64)
        return rows

    def sums_of(self, classes: Values) -> Floats:
        """Return the weighted sums of the measure, shape (terms, classes)."""
        sums: Floats = self._table(self.counted.sums, classes, np.float64)
        return sums

    def rows_with_each(self) -> Counts:
        """Return the number of documents of all classes that have each term."""
        counted = self.counted
        rows: Counts = np.zeros(0, np.int64)
        return np.add.reduceat(counted.rows, counted.start[:-1], dtype=np.int64) if len(self) else rows

    def texts_of(self, classes: Values) -> tuple[Counts, Floats]:
        """Return the number of documents of each class, and their weight."""
        put = aligner(self.classes, classes, 0)
        return put(self.n_rows), put(self.weights)

    def _table(self, entries: Any, classes: Values, dtype: type) -> Any:
        table: AnyArray = np.zeros((len(self), len(classes)), dtype)
        places, start = self.classes.places_in(classes), self.counted.start
        for first in range(0, len(self), _TERMS):  # the places of all entries at once take more than the table
            bounds = start[first : first + _TERMS + 1]
            some = slice(bounds[0], bounds[-1])
            terms = np.repeat(np.arange(first, first + len(bounds) - 1), np.diff(bounds))
            columns = places[self.counted.classes[some]]
            kept = columns >= 0
            table[terms[kept], columns[kept]] = entries[some][kept]
        return table

    def state(self) -> State:
        header = {
            "names": list(self.names),
            "classes": list(self.classes),
            "analyzer": self.analyzer.to_dict(),
            "measure": self.measure,
            "norm": self.norm,
        }
        return State(header, {**term_arrays(self.counted), "n_rows": self.n_rows, "weights": self.weights})

    @classmethod
    def from_state(cls, state: State) -> TermTally:
        names, classes, header = stored_names(state), stored_classes(state), state.header
        if (
            len(names) != 1
            or header.get("measure") not in get_args(Measure)
            or not isinstance(header.get("norm"), bool)
        ):
            raise damaged("the counts of terms do not say what they are of")
        per_class = (len(classes),)
        n_rows, weights = checked(state, "n_rows", per_class, np.int64), checked(state, "weights", per_class)
        counted = stored_terms(state, len(classes))
        if (n_rows == 0).any() or (counted.rows > n_rows[counted.classes]).any():
            raise damaged("terms have texts, classes or counts that no texts have")
        analyzer = Analyzer.from_dict(header.get("analyzer"))
        if analyzer.hashed and (len(counted.text) or (counted.keys > 1 << analyzer.hashed).any()):
            raise damaged("terms have texts or bits that hashed ones do not have")
        return cls(names, classes, analyzer, header["measure"], header["norm"], counted, n_rows, weights)

    def _supported(self) -> TermTally:
        kept = self.n_rows > 0
        if kept.all():
            return self
        places = (np.cumsum(kept) - 1).astype(np.int32)
        counted = self.counted._replace(classes=places[self.counted.classes])
        return replace(
            self,
            classes=self.classes.keep(kept),
            counted=counted,
            n_rows=self.n_rows[kept],
            weights=self.weights[kept],
        )


class _Counter:
    """The counts of the class at hand, by the numbers of terms."""

    def __init__(self, measure: int, norm: bool, weighted: bool) -> None:
        self._measure, self._norm = measure, norm
        self._plain = measure != LOGARITHM and not norm and not weighted
        self._state, self._sums = np.zeros((0, 3), np.int64), np.zeros(0)
        self._met, self._touched = np.empty(0, np.int32), np.empty(0, np.int32)
        self._width = self._texts = 0

    def add(self, block: Block, terms: int, weights: Floats) -> None:
        """Count some texts of the class, by now of so many terms."""
        if terms > len(self._state):
            more = 2 * terms - len(self._state)
            self._state = np.concatenate([self._state, np.zeros((more, 3), np.int64)])
            self._touched = np.concatenate([self._touched, np.empty(more, np.int32)])
            if not self._plain:
                self._sums = np.concatenate([self._sums, np.zeros(more)])
        # The texts are numbered from 1 on: a term that no text has had says 0.
        first = self._texts + 1
        self._texts += len(block.bounds) - 1
        if self._plain:
            self._width = count_plain(block.numbers, block.bounds, first, self._state, self._touched, self._width)
            return
        longest = int(np.diff(block.bounds).max())
        if longest > len(self._met):
            self._met = np.empty(2 * longest, np.int32)
        self._width = count_measured(
            block.numbers, block.bounds, first, weights, self._measure, self._norm,
            self._state, self._sums, self._met, self._touched, self._width,
        )  # fmt: skip

    def taken(self) -> tuple[Codes, Counts, AnyArray]:
        """Return the terms of the class with their texts and sums, and begin another class."""
        terms = self._touched[: self._width].copy()
        rows = self._state[terms, 1]
        sums: AnyArray = rows
        if not self._plain:
            sums = self._sums[terms]
            self._sums[terms] = 0.0
        elif self._measure == COUNT:
            sums = self._state[terms, 2]
        self._state[terms, 1:] = 0
        self._width = 0
        return terms, rows, sums

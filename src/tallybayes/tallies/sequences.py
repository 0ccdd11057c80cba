"""How often each n-gram of a column of texts occurs, by class: what language models are estimated from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from tallybayes._types import Counts, Floats, Name
from tallybayes.errors import WeightError
from tallybayes.kernels.counting import order_by_class
from tallybayes.kernels.merge_terms import Counted
from tallybayes.kernels.sequences import BEGIN, END, Grams, join_all
from tallybayes.kernels.texts import Texts
from tallybayes.schema.batch import Batch
from tallybayes.schema.values import Values
from tallybayes.tallies.base import State, Tally, never_counted
from tallybayes.tallies.grams import GramCounter, Links, Tables, merged, no_grams, places_of, table_of, texts_of
from tallybayes.tallies.layout import MOST_ROWS, aligner, checked, damaged, spread, stored_classes, stored_names
from tallybayes.tallies.pages import room_for
from tallybayes.tallies.stored_terms import stored_array, stored_terms, term_arrays
from tallybayes.tallies.term_sets import added, narrow, no_terms, terms_met, without
from tallybayes.text.analyzer import Analyzer
from tallybayes.text.numbering import Numbering

MOST_UNITS = 10
"""The longest n-gram that is counted."""


@dataclass(frozen=True, eq=False)
class SequenceTally(Tally):
    """The n-grams of one column, of every length up to `order`.

    All counts are whole numbers, so that they add and subtract exactly; weights have to be whole numbers for that. A
    missing text leaves no trace. What is derived from counts, such as in how many contexts an n-gram continues, is
    never kept. Beginnings and ends of texts are counted in n-grams with `boundaries`, and alone by `texts`.

    Attributes
    ----------
    names
        The one column.
    analyzer
        How texts become units; its n-grams do not matter.
    order, boundaries
        The longest n-gram, and whether a text stands between its beginning and its end.
    units
        The single units with their texts and their counts by class; see `tallybayes.kernels.merge_terms.Counted`.
    grams
        By class, the n-grams of 2 to `order` units.
    n_rows, texts
        How many texts each class has, and their weight.
    """

    grows = True

    names: tuple[Name, ...]
    classes: Values
    analyzer: Analyzer
    order: int
    boundaries: bool
    units: Counted
    grams: tuple[Tables, ...]
    n_rows: Counts
    texts: Counts

    @classmethod
    def empty(cls, name: Name, analyzer: Analyzer, *, order: int = 3, boundaries: bool = True) -> SequenceTally:
        """Return the tally of no rows."""
        none = np.zeros(0, np.int64)
        return cls((name,), Values(), analyzer, order, boundaries, no_terms(), (), none, none)

    def count(self, batch: Batch) -> SequenceTally:
        labels, column = batch.labels, batch.texts(self.names[0])
        codes = labels.codes
        if column.null_count:
            codes = np.where(column.is_valid().to_numpy(zero_copy_only=False), codes, -1)
        classes = len(labels.values)
        order, bounds = np.empty(len(codes), np.int64), np.zeros(classes + 1, np.int64)
        order_by_class(codes, order, bounds)
        weights = whole_weights(batch.weights)
        units, grams = self._counted(self.analyzer.read(column), order, bounds, weights)
        n_rows = np.diff(bounds)
        texts = n_rows
        if len(weights):
            texts = np.array([weights[order[begin:end]].sum() for begin, end in pairwise(bounds)], np.int64)
        return replace(self, classes=labels.values, units=units, grams=grams, n_rows=n_rows, texts=texts)._supported()

    def _counted(
        self, texts: Texts, order: Counts, bounds: Counts, weights: Counts
    ) -> tuple[Counted, tuple[Tables, ...]]:
        """Count the texts class by class: those of class c are ``order[bounds[c]:bounds[c + 1]]``."""
        numbering = Numbering(self.analyzer, single=True)
        found: list[tuple[Counts, Counts]] = []
        grams = []
        for begin, end in pairwise(bounds.tolist()):
            own = order[begin:end]
            counter = GramCounter(self.order, self.boundaries)
            for block in numbering.blocks(texts._replace(begins=texts.begins[own], ends=texts.ends[own])):
                some = weights[own[block.first : block.first + len(block.bounds) - 1]] if len(weights) else weights
                counter.add(block.numbers, block.bounds, some, numbering.known.keys, len(numbering))
            found.append(counter.singles())
            grams.append(counter.tables())
        if not found:
            return no_terms(), ()
        terms, counts = (np.concatenate([part[k] for part in found]) for k in range(2))
        classes = np.repeat(np.arange(len(found), dtype=np.int32), [len(part[0]) for part in found])
        units = terms_met(numbering, terms.astype(np.int32), classes, narrow(counts), counts.astype(np.float64))
        return units, tuple(grams)

    def __add__(self, other: SequenceTally) -> SequenceTally:
        other = other.like(self)
        classes, here, there = self.classes.union(other.classes)
        most = self.units.rows.max(initial=0) + other.units.rows.max(initial=0)
        units = added(self.units, here, other.units, there, int(most))
        ours, theirs = self._spread(here, len(classes)), other._spread(there, len(classes))
        grams = tuple(
            tuple(merged(a, b, 1)[0] for a, b in both)
            for both in (zip(a, b, strict=True) for a, b in zip(ours, theirs, strict=True))
        )
        n_rows, texts = (
            spread(getattr(self, name), 0, here, len(classes)) + spread(getattr(other, name), 0, there, len(classes))
            for name in ("n_rows", "texts")
        )
        return replace(self, classes=classes, units=units, grams=grams, n_rows=n_rows, texts=texts)

    def __sub__(self, other: SequenceTally) -> SequenceTally:
        other = other.like(self)
        there = other.classes.places_in(self.classes)
        if (there < 0).any():
            raise never_counted(f"class {other.classes.keep(there < 0)[0]!r} was never seen")
        n_rows, texts = (
            getattr(self, name) - spread(getattr(other, name), 0, there, len(self.classes))
            for name in ("n_rows", "texts")
        )
        if (n_rows < 0).any() or (texts < 0).any():
            raise never_counted(f"class {self.classes[int(np.argmin(np.minimum(n_rows, texts)))]!r} has fewer texts")
        units, missing = without(self.units, other.units, there, len(self.classes))
        if missing >= 0:
            raise never_counted(f"{other.text_of(missing)!r} occurs less often")
        grams = []
        for ours, theirs in zip(self.grams, other._spread(there, len(self.classes)), strict=True):
            left = [merged(a, b, -1) for a, b in zip(ours, theirs, strict=True)]
            if any(short for _, short in left):
                raise never_counted("some of their units never stood in this order")
            grams.append(tuple(table for table, _ in left))
        return replace(self, units=units, grams=tuple(grams), n_rows=n_rows, texts=texts)._supported()

    def agrees(self, classes: Values, rows: Counts) -> bool:
        known = self.classes.places_in(classes)
        return bool((known >= 0).all() and (self.n_rows <= rows[known]).all())  # a missing text is no text

    def options(self) -> Mapping[str, Any]:
        return {"analyzer": self.analyzer, "order": self.order, "boundaries": self.boundaries}

    @property
    def entries(self) -> int:
        return len(self) + sum(len(table.keys) for tables in self.grams for table in tables)

    def __len__(self) -> int:
        return len(self.units.keys)

    def text_of(self, unit: int) -> str:
        """Return the text of a unit."""
        begin, end = self.units.text_at[unit : unit + 2].tolist()
        return self.units.text[begin:end].tobytes().decode("utf-8", "surrogatepass")

    def unit_texts(self) -> list[str]:
        """Return the texts of all units, in the order of their keys."""
        return texts_of(self.units.text, self.units.text_at)

    def units_of(self, code: int) -> tuple[Counts, Counts]:
        """Return the units that a class has, as places among all, and how often each occurs there."""
        entries = np.flatnonzero(self.units.classes == code)
        return np.searchsorted(self.units.start, entries, "right") - 1, self.units.rows[entries]

    def links(self, code: int) -> list[Links]:
        """Return the n-grams of a class with the places of their parts, those of one unit first.

        With boundaries, the end of a text is unit ``len(self)``, and its beginning the one after that, which is there
        as a context and has the count 0. The class -1 is one without texts.

        Raises
        ------
        ModelFileError
            Where a part is missing, as it may be in a file that was made by hand.
        """
        units, counts = self.units_of(code) if code >= 0 else (np.zeros(0, np.int64), np.zeros(0, np.int64))
        if self.boundaries and code >= 0:
            units = np.concatenate([units, [len(self), len(self) + 1]])
            counts = np.concatenate([counts, [self.texts[code], 0]])
        every = np.concatenate([self.units.keys, np.array([END, BEGIN], np.uint64)])
        zeros = np.zeros(len(units), np.int32)
        found, keys = [Links(counts.astype(np.int64), zeros, zeros, units.astype(np.int32))], [every[units]]
        of_units, of_last = table_of(every), table_of(keys[0])
        for table in self.grams[code] if code >= 0 else ():
            context, last = places_of(table.contexts, of_last), places_of(table.units, of_units)
            wanted = table.units
            if len(keys) > 1 and len(wanted):
                # The suffix of hw is the suffix of h followed by w.
                wanted = room_for(len(table.keys), np.uint64)
                join_all(keys[-2][found[-1].suffix[np.maximum(context, 0)]], table.units, wanted)
            suffix = places_of(wanted, of_last)
            if (context < 0).any() or (suffix < 0).any() or (last < 0).any():
                raise damaged("n-grams are there without their parts")
            found.append(Links(table.counts, context, suffix, last))
            keys.append(table.keys)
            if len(found) < self.order:
                of_last = table_of(table.keys)
        return found

    def texts_of(self, classes: Values) -> Counts:
        """Return the weight of the texts of each class."""
        counts: Counts = aligner(self.classes, classes, 0)(self.texts)
        return counts

    def state(self) -> State:
        header = {
            "names": list(self.names),
            "classes": list(self.classes),
            "analyzer": self.analyzer.to_dict(),
            "order": self.order,
            "boundaries": self.boundaries,
        }
        tables = [table for tables in self.grams for table in tables]
        none = no_grams()
        # The keys follow from contexts and units.
        arrays = {
            f"gram_{name}": np.concatenate([getattr(none, name), *(getattr(table, name) for table in tables)])
            for name in ("contexts", "units", "counts")
        }
        sizes = np.array([len(table.keys) for table in tables], np.int64)
        arrays |= {"sizes": sizes, "n_rows": self.n_rows, "texts": self.texts}
        return State(header, {**term_arrays(self.units), **arrays})

    @classmethod
    def from_state(cls, state: State) -> SequenceTally:
        names, classes, header = stored_names(state), stored_classes(state), state.header
        order, boundaries = header.get("order"), header.get("boundaries")
        if len(names) != 1 or type(order) is not int or not 1 <= order <= MOST_UNITS or type(boundaries) is not bool:
            raise damaged("the counts of n-grams do not say what they are of")
        units = stored_terms(state, len(classes))
        n_rows, texts = (checked(state, name, (len(classes),), np.int64) for name in ("n_rows", "texts"))
        if (n_rows == 0).any() or (texts == 0).any() or (units.rows != units.sums).any():
            raise damaged("texts or units have counts that no texts have")
        sizes = checked(state, "sizes", (len(classes) * (order - 1),), np.int64)
        whole = (int(sizes.sum()),)
        contexts, last = (stored_array(state, f"gram_{name}", np.uint64) for name in ("contexts", "units"))
        counts = checked(state, "gram_counts", whole, np.int64)
        if len(contexts) != len(last) or len(last) != whole[0] or (counts == 0).any() or counts.sum() > MOST_ROWS:
            raise damaged("n-grams have counts that no texts have")
        keys = np.empty(whole, np.uint64)
        join_all(np.array(contexts), np.array(last), keys)
        at = np.cumsum([0, *sizes])
        tables = [
            # Copies that can be written to, so that the kernels need compiling only for such.
            Grams(keys[a:b].copy(), np.array(contexts[a:b]), np.array(last[a:b]), np.array(counts[a:b]))
            for a, b in pairwise(at.tolist())
        ]
        if any((table.keys[1:] <= table.keys[:-1]).any() for table in tables):
            raise damaged("n-grams do not stand in their order")
        grams = tuple(tuple(tables[c * (order - 1) : (c + 1) * (order - 1)]) for c in range(len(classes)))
        analyzer = Analyzer.from_dict(header.get("analyzer"))
        tally = cls(names, classes, analyzer, order, boundaries, units, grams, n_rows, texts)
        for code in range(len(classes)):
            tally.links(code)
        return tally

    def _spread(self, places: Counts, size: int) -> list[Tables]:
        """Return the tables of other classes, with nothing for those that we lack."""
        tables: list[Tables] = [(no_grams(),) * (self.order - 1)] * size
        for place, own in zip(places.tolist(), self.grams, strict=True):
            tables[place] = own
        return tables

    def _supported(self) -> SequenceTally:
        kept = self.n_rows > 0
        if kept.all():
            return self
        units = self.units._replace(classes=(np.cumsum(kept) - 1).astype(np.int32)[self.units.classes])
        grams = tuple(table for table, there in zip(self.grams, kept.tolist(), strict=True) if there)
        n_rows, texts = self.n_rows[kept], self.texts[kept]
        return replace(self, classes=self.classes.keep(kept), units=units, grams=grams, n_rows=n_rows, texts=texts)


def whole_weights(weights: Floats | None) -> Counts:
    """Return weights as whole numbers; `WeightError` where they are none."""
    if weights is None:
        return np.zeros(0, np.int64)
    whole = weights.astype(np.int64) if (weights <= MOST_ROWS).all() else np.full(len(weights), -1)
    if (whole != weights).any():
        raise WeightError(
            f"A weight is {weights[whole != weights][0]:g}, and n-grams are counted in whole numbers, since smoothing "
            "goes by what occurs once and twice. Give whole weights, or leave sample_weight out."
        )
    return whole

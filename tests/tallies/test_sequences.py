"""The tally of n-grams: brute force, the laws of a monoid, and stored tallies that no texts have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallybayes.errors import MergeError, ModelFileError, WeightError
from tallybayes.kernels.sequences import BEGIN, END, Grams
from tallybayes.schema.coded import Labels
from tallybayes.schema.values import Values
from tallybayes.tallies.base import State
from tallybayes.tallies.sequences import SequenceTally
from tallybayes.text.analyzer import Analyzer

SPLIT = Analyzer(analyzer=str.split)
Row = tuple[str | None, str | None, int]
"""A text, its class, and its weight."""


class Batch:
    """Texts with labels, as a tally sees them."""

    def __init__(self, rows: Sequence[Row], *, weighted: bool = False) -> None:
        values = Values(label for _, label, weight in rows if label is not None and weight)
        codes = [values.index.get(label, -1) if weight else -1 for _, label, weight in rows]
        self.labels = Labels(np.array(codes, np.int64), values)
        self.weights = np.array([float(weight) for _, _, weight in rows]) if weighted else None
        self._texts = pa.array([text for text, _, _ in rows], pa.string())

    def texts(self, name: object) -> pa.Array:
        return self._texts


def empty(order: int = 3, boundaries: bool = True, analyzer: Analyzer = SPLIT) -> SequenceTally:
    return SequenceTally.empty("text", analyzer, order=order, boundaries=boundaries)


def count(tally: SequenceTally, rows: Sequence[Row], *, weighted: bool = False) -> SequenceTally:
    batch: Any = Batch(rows, weighted=weighted)
    return tally.count(batch)


def identical(a: SequenceTally, b: SequenceTally) -> None:
    ours, theirs = a.state(), b.state()
    assert ours.header == theirs.header
    assert ours.arrays.keys() == theirs.arrays.keys()
    for name, array in ours.arrays.items():
        np.testing.assert_array_equal(array, theirs.arrays[name], err_msg=name)
    for one, two in zip(a.grams, b.grams, strict=True):
        for table, other in zip(one, two, strict=True):
            np.testing.assert_array_equal(table.keys, other.keys)


def as_counters(tally: SequenceTally) -> dict[Any, Counter[tuple[str, ...]]]:
    """Return the n-grams of each class as tuples of texts, found again from contexts and last units alone."""
    texts = dict(zip(tally.units.keys.tolist(), tally.unit_texts(), strict=True)) | {
        int(BEGIN): "<s>",
        int(END): "</s>",
    }
    found: dict[Any, Counter[tuple[str, ...]]] = {}
    for code, label in enumerate(tally.classes):
        counter: Counter[tuple[str, ...]] = Counter()
        units, counts = tally.units_of(code)
        counter.update({(tally.text_of(int(u)),): int(n) for u, n in zip(units, counts, strict=True)})
        grams = {key: (text,) for key, text in texts.items()}
        for table in tally.grams[code]:
            longer = {}
            for key, context, unit, n in zip(*(column.tolist() for column in table), strict=True):
                longer[key] = (*grams[context], texts[unit])
                counter[longer[key]] = n
            grams = longer
        found[label] = counter
    return found


def brute(rows: Sequence[Row], order: int, boundaries: bool) -> dict[Any, Counter[tuple[str, ...]]]:
    found: dict[Any, Counter[tuple[str, ...]]] = {}
    for text, label, weight in rows:
        if text is None or label is None or not weight:
            continue
        words = ["<s>", *text.split(), "</s>"] if boundaries else text.split()
        counter = found.setdefault(label, Counter())
        for k in range(1, order + 1):
            for i in range(len(words) - k + 1):
                gram = tuple(words[i : i + k])
                if k > 1 or gram[0] not in ("<s>", "</s>"):
                    counter[gram] += weight
    return found


ROWS = st.lists(
    st.tuples(
        st.none() | st.lists(st.sampled_from(["a", "b", "好", "c"]), max_size=6).map(" ".join),
        st.sampled_from(["x", "y"]) | st.none(),
        st.just(1),
    ),
    max_size=10,
)
WEIGHTED = ROWS.flatmap(
    lambda rows: st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)).map(
        lambda weights: [(text, label, w) for (text, label, _), w in zip(rows, weights, strict=True)]
    )
)
OPTIONS = st.tuples(st.integers(1, 4), st.booleans())


@settings(max_examples=80)
@given(WEIGHTED, OPTIONS)
def test_every_ngram_is_counted(rows: list[Row], options: tuple[int, bool]) -> None:
    tally = count(empty(*options), rows, weighted=True)
    assert as_counters(tally) == brute(rows, *options)
    there = [row for row in rows if row[0] is not None and row[1] is not None and row[2]]
    assert tally.n_rows.tolist() == [sum(y == label for _, y, _ in there) for label in tally.classes]
    assert tally.texts.tolist() == [sum(w for _, y, w in there if y == label) for label in tally.classes]
    for table in (table for tables in tally.grams for table in tables):
        assert (np.diff(table.keys.astype(object)) > 0).all()


@settings(max_examples=60)
@given(ROWS, ROWS, ROWS, OPTIONS)
def test_it_is_a_monoid(one: list[Row], two: list[Row], three: list[Row], options: tuple[int, bool]) -> None:
    zero = empty(*options)
    a, b, c = (count(zero, rows) for rows in (one, two, three))
    identical(reduce(lambda x, y: x + y, [a, b, c]), count(zero, [*one, *two, *three]))
    identical((a + b) + c, a + (b + c))
    identical(a + b, b + a)
    for sum_ in (a + zero, zero + a, a - zero, (a + b) - b):
        identical(sum_, a)
    identical(a - a, zero)


@given(WEIGHTED, OPTIONS)
def test_a_weight_is_how_often_a_text_counts(rows: list[Row], options: tuple[int, bool]) -> None:
    repeated = [(text, label, 1) for text, label, weight in rows for _ in range(weight)]
    weighed, plain = count(empty(*options), rows, weighted=True), count(empty(*options), repeated)
    assert as_counters(weighed) == as_counters(plain)
    np.testing.assert_array_equal(weighed.texts, plain.texts)


@given(ROWS, OPTIONS)
def test_the_state_comes_back(rows: list[Row], options: tuple[int, bool]) -> None:
    tally = count(empty(*options), rows)
    state = tally.state()
    again = SequenceTally.from_state(State(dict(state.header), dict(state.arrays)))
    identical(again, tally)
    identical(again + tally, tally + tally)


def test_long_texts_and_many_units_outgrow_every_room() -> None:
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in rng.zipf(1.3, 300_000) % 40_000]
    rows: list[Row] = [(" ".join(words[:200_000]), "x", 1), *((w, "y", 1) for w in words[200_000:220_000])]
    rows += [(" ".join(words[220_000:]), "y", 1)]
    assert as_counters(count(empty(2), rows)) == brute(rows, 2, True)


def test_units_are_single_whatever_the_analyzer_says() -> None:
    rows: list[Row] = [("天气 New York", "x", 1)]
    for ngrams in ((1, 1), (1, 2), (2, 3)):
        tally = count(empty(1, analyzer=Analyzer(ngrams=ngrams)), rows)
        assert sorted(tally.unit_texts()) == ["new", "york", "天", "气"]
    characters = count(empty(2, False, Analyzer(analyzer="char")), [("ab  a", "x", 1)])
    assert as_counters(characters)["x"] == Counter(
        {("a",): 2, ("b",): 1, (" ",): 1, ("a", "b"): 1, ("b", " "): 1, (" ", "a"): 1}
    )


def test_what_does_not_add() -> None:
    one = count(empty(), [("a b", "x", 1)])
    for other in (empty(2), empty(3, False), empty(3, True, Analyzer())):
        with pytest.raises(MergeError, match="do not add"):
            one + other
    for rows, said in (
        ([("a b", "y", 1)], "'y'"),
        ([("a b", "x", 1)] * 2, "fewer texts"),
        ([("c", "x", 1)], "'c'"),
        ([("b a", "x", 1)], "order"),
    ):
        with pytest.raises(MergeError, match=said):
            one - count(empty(), rows)
    batch: Any = Batch([("a", "x", 1)], weighted=True)
    batch.weights = np.array([1.5])
    with pytest.raises(WeightError, match=r"1\.5.*whole"):
        empty().count(batch)


def _set(name: str, change: Callable[[Any], Any]) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    def forge(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        into = arrays if name in arrays else header
        into[name] = change(into[name])

    return forge


@pytest.mark.parametrize(
    "forge",
    [
        _set("order", lambda _: 2),
        _set("order", lambda _: 99),
        _set("boundaries", lambda _: 1),
        _set("names", lambda _: []),
        _set("gram_counts", lambda a: a - 1),
        _set("gram_counts", lambda a: a.astype(float)),
        _set("gram_counts", lambda a: a + 2**53),
        _set("gram_units", lambda a: a[:-1]),
        _set("gram_contexts", lambda a: a[::-1].copy()),
        _set("sizes", lambda a: a + 1),
        _set("sizes", lambda a: a[::-1].copy()),
        _set("n_rows", lambda a: a - a),
        _set("texts", lambda a: a - a),
        _set("entry_sums", lambda a: a + 1),
        _set("keys", lambda a: a[::-1].copy()),
        _set("text", lambda a: a - a + 255),
    ],
)
def test_a_stored_tally_that_no_texts_have_is_refused(
    forge: Callable[[dict[str, Any], dict[str, Any]], None],
) -> None:
    state = count(empty(), [("a b c a b", "x", 1), ("c b", "y", 1), ("a", "y", 1)]).state()
    header, arrays = dict(state.header), dict(state.arrays)
    forge(header, arrays)
    with pytest.raises(ModelFileError):
        SequenceTally.from_state(State(header, arrays))


@pytest.mark.parametrize("part", ["contexts", "units", "keys"])
def test_ngrams_without_their_parts_are_refused(part: str) -> None:
    # The keys are in order and follow from the parts, but the parts are nowhere.
    tally = count(empty(2), [("a b", "x", 1)])
    state = tally.state()
    arrays = dict(state.arrays)
    if part == "keys":
        arrays["keys"] = arrays["keys"] + np.uint64(1)
    else:
        strange = Grams(*(column[:1].copy() for column in tally.grams[0][0]))
        getattr(strange, part)[0] = 12345
        arrays |= {f"gram_{name}": getattr(strange, name) for name in ("contexts", "units", "counts")}
        arrays["sizes"] = np.array([1])
    with pytest.raises(ModelFileError, match="parts"):
        SequenceTally.from_state(State(dict(state.header), arrays))

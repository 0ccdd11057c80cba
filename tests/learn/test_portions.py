from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tallybayes as tb
from tallybayes.learn import portions as portions_file
from tallybayes.learn.encoder import Encoder
from tallybayes.learn.portions import PORTION, portions
from tallybayes.schema.field import Field, Schema
from tallybayes.schema.rows import Rows
from tallybayes.sources.base import CHUNK_ROWS

SCHEMA = Schema((Field("n", "numeric", "number", "numbers"), Field("body", "text", "string", "texts")), named=True)
ENCODER = Encoder(SCHEMA, "string", False, "NaiveBayes")


def rows(texts: list[str | None], kind: pa.DataType | None = None, *, weighted: bool = False, first: int = 0) -> Rows:
    n = len(texts)
    cells = pa.RecordBatch.from_arrays(
        [pa.array(texts, pa.string()).cast(kind or pa.string()), pa.array(np.arange(n, dtype=float))],
        names=["body", "n"],
    )
    labels = pa.array([f"c{i % 3}" for i in range(n)])
    return Rows(cells, ("body", "n"), labels, np.arange(n) / 2 if weighted else None, first)


def size(piece: Rows) -> int:
    return sum(len((text or "").encode()) for text in piece.column(0).to_pylist())


KINDS = (pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string()))


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_pieces_are_cut_by_their_text_and_nothing_is_lost(kind: pa.DataType) -> None:
    rng = np.random.default_rng(1)
    texts: list[str | None] = ["好" * k for k in rng.integers(0, 40, 500).tolist()]
    texts[7] = texts[400] = None
    whole = rows(texts, kind, weighted=True, first=1000)
    found = list(portions([whole], ENCODER, most=1000))
    assert [text for piece in found for text in piece.column(0).to_pylist()] == texts
    assert [number for piece in found for number in piece.column(1).to_pylist()] == list(range(500))
    assert [label for piece in found for label in piece.target.to_pylist()] == whole.target.to_pylist()
    np.testing.assert_array_equal(np.concatenate([piece.weights for piece in found]), whole.weights)
    starts = np.cumsum([1000, *map(len, found)])
    assert [piece.first for piece in found] == starts[:-1].tolist()
    sizes = [size(piece) for piece in found]
    assert sum(sizes) == size(whole)
    assert len(sizes) == -(-sum(sizes) // 1000)
    share = sum(sizes) / len(sizes)
    assert max(abs(bytes_ - share) for bytes_ in sizes) <= 3 * 40  # one row at the most


def test_portions_are_even() -> None:
    found = list(portions([rows(["ab cd ef g"] * 101)], ENCODER, most=1000))
    assert [len(piece) for piece in found] == [51, 50]
    found = list(portions([rows(["ab cd ef g"] * 150)], ENCODER, most=1000))
    assert [len(piece) for piece in found] == [75, 75]
    found = list(portions([rows(["ab cd ef g"] * 200 + [None] * 5)], ENCODER, most=1000))
    assert [len(piece) for piece in found] == [100, 105]


def test_a_text_longer_than_a_portion() -> None:
    found = list(portions([rows(["a", "b" * 5000, "c", None, ""])], ENCODER, most=100))
    assert [piece.column(0).to_pylist() for piece in found] == [["a"], ["b" * 5000], ["c", None, ""]]


def test_short_pieces_and_those_without_texts_stay_as_they_are() -> None:
    piece = rows(["a b", None])
    assert list(portions([piece], ENCODER)) == [piece]
    numbers = Encoder(Schema((Field("n", "numeric", "number", "numbers"),), named=True), "string", False, "NaiveBayes")
    long = rows(["a" * 500] * 20)
    assert list(portions([long], numbers, most=10)) == [long]


def test_twenty_thousand_documents_are_shared() -> None:
    text = "x" * 3000
    found = [len(piece) for piece in portions([rows([text] * 20_000)], ENCODER)]
    assert sum(found) == 20_000 < CHUNK_ROWS
    assert len(found) == -(-60_000_000 // PORTION) == 10
    assert max(found) - min(found) <= 1
    assert max(found) * 3000 <= PORTION


WORDS = np.array([f"w{i}" for i in range(300)])


def corpus(seed: int, n: int = 400) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(seed)
    texts = [" ".join(WORDS[np.minimum(rng.geometric(0.02, rng.integers(0, 30)), 299)]) for _ in range(n)]
    return texts, rng.choice(["a", "b", "c"], n).tolist()


@pytest.mark.parametrize("event", ["multinomial", "bernoulli"])
def test_the_counts_are_those_of_one_piece(event: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, labels = corpus(1)
    whole = tb.TextNB(event=event, ngrams=(1, 2)).fit(texts, labels)
    answers = whole.predict_log_proba(texts)
    asked: list[int] = []
    monkeypatch.setattr(portions, "__kwdefaults__", {"most": 700})
    monkeypatch.setattr(
        portions_file, "run", lambda *at, cut=portions_file.run: asked.append(at[2] - at[1]) or cut(*at)
    )
    found = {}
    for threads in ("1", "2"):
        monkeypatch.setenv("TALLYBAYES_THREADS", threads)
        asked.clear()
        model = tb.TextNB(event=event, ngrams=(1, 2)).fit(texts, labels)
        assert len(asked) > 20
        assert sum(asked) == len(texts)
        found[threads] = model
        for part in ("keys", "text_at", "text", "start", "classes", "rows", "sums"):
            ours, theirs = (getattr(each.tallies_["text"].counted, part) for each in (model, whole))
            np.testing.assert_array_equal(ours, theirs, err_msg=part)
        np.testing.assert_array_equal(model.predict_log_proba(texts), answers)
        np.testing.assert_array_equal(model.predict(texts), whole.predict(texts))
        model.forget(texts[100:], labels[100:])
        few = tb.TextNB(event=event, ngrams=(1, 2)).fit(texts[:100], labels[:100])
        np.testing.assert_array_equal(model.predict_log_proba(texts), few.predict_log_proba(texts))


@pytest.mark.parametrize("options", [{}, {"weights": True}])
def test_beside_other_columns_and_with_weights(options: dict, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, labels = corpus(2)
    rng = np.random.default_rng(3)
    table = pa.table({"body": texts, "x": rng.standard_normal(len(texts))})
    weights = rng.uniform(0.1, 3, len(texts)) if options else None
    monkeypatch.setattr(portions, "__kwdefaults__", {"most": 900})
    answers = []
    for threads in ("1", "2"):
        monkeypatch.setenv("TALLYBAYES_THREADS", threads)
        model = tb.NaiveBayes(columns={"body": "text"}).fit(table, labels, weights)
        answers.append((model.predict_log_proba(table), model.explain(table[:50]).contributions))
    for one, two in zip(*answers, strict=True):
        np.testing.assert_array_equal(one, two)  # to the last bit
    monkeypatch.setattr(portions, "__kwdefaults__", {"most": PORTION})
    whole = tb.NaiveBayes(columns={"body": "text"}).fit(table, labels, weights)
    np.testing.assert_allclose(answers[0][0], whole.predict_log_proba(table), rtol=1e-10)

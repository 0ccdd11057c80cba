from __future__ import annotations

import pyarrow as pa
import pytest

from tallybayes.errors import DataError
from tallybayes.sources.base import CHUNK_BYTES
from tallybayes.sources.open import open_source
from tallybayes.sources.texts import TextList, text_column


def test_texts_come_in_pieces_of_about_so_many_bytes() -> None:
    texts = [f"{i} " * 200 for i in range(30_000)]
    total = sum(map(len, texts))
    labels = [str(i) for i in range(30_000)]
    pieces = list(open_source(TextList(texts, "body"), labels).rows())
    assert [text for piece in pieces for text in piece.column(0).to_pylist()] == texts
    assert [label for piece in pieces for label in piece.target.to_pylist()] == labels
    assert {piece.names for piece in pieces} == {("body",)}
    sizes = [piece.cells.nbytes for piece in pieces]
    assert len(sizes) == -(-30_000 // len(pieces[0])) > total // (CHUNK_BYTES // 6)
    assert max(sizes) < 1.3 * CHUNK_BYTES / 6


def test_short_texts_come_in_pieces_of_the_usual_length() -> None:
    assert [len(piece) for piece in open_source(TextList(["a"] * 70_000, "body"), ["x"] * 70_000).rows()] == [
        65_536,
        70_000 - 65_536,
    ]


@pytest.mark.parametrize("texts", [[None, None], ["", None], [""]])
def test_texts_without_a_character(texts: list[str | None]) -> None:
    (piece,) = open_source(TextList(texts, "t")).rows()
    assert piece.column(0).to_pylist() == texts


def test_bytes_and_what_is_no_utf8() -> None:
    assert text_column(["a", b"b", None]).to_pylist() == ["a", "b", None]
    assert text_column([b"a\xff", "\ud800b", None]).to_pylist() == ["a\ufffd", "\ufffdb", None]
    assert text_column([]).type == pa.large_string()


def test_another_name_and_a_target_of_another_length() -> None:
    assert TextList(["a"], "t").called("body").names == ("body",)
    with pytest.raises(DataError, match="inconsistent numbers"):
        list(open_source(TextList(["a", "b"], "t"), ["x"]).rows())

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes.text import numbering
from tallybayes.text.analyzer import Analyzer
from tallybayes.text.lookup import looked_up
from tallybayes.text.numbering import Numbering, vocabulary_of

WORDS = ["to", "be", "or", "not", "中文", "é", "Lunch", "42"]
ANALYZER = Analyzer(ngrams=(1, 2))
texts_of = st.lists(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), max_size=6)


def keys_of(texts: list[str]) -> np.ndarray:
    known = Numbering(ANALYZER)
    for _ in known.blocks(ANALYZER.read(texts)):
        pass
    return np.sort(known.known.keys[: len(known)])


@given(texts_of, texts_of)
def test_numbers_are_those_of_a_table_of_all_terms(learned: list[str], asked: list[str]) -> None:
    keys, texts = keys_of(learned), ANALYZER.read(asked)
    ours = [(b.first, b.numbers.tolist(), b.bounds.tolist()) for b in looked_up(ANALYZER, keys, texts)]
    whole = Numbering(ANALYZER, vocabulary_of(keys)).blocks(texts)
    assert ours == [(b.first, b.numbers.tolist(), b.bounds.tolist()) for b in whole]


def test_many_blocks_go_on_with_the_same_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbering, "_BLOCK_TEXTS", 2)
    asked = [" ".join([*WORDS[k % 8 :], f"w{k}"]) for k in range(9)]
    keys, texts = keys_of(asked[::2]), ANALYZER.read(asked)
    ours = np.concatenate([b.numbers.copy() for b in looked_up(ANALYZER, keys, texts)])
    whole = np.concatenate([b.numbers.copy() for b in Numbering(ANALYZER, vocabulary_of(keys)).blocks(texts)])
    assert ours.tolist() == whole.tolist()
    assert (ours < 0).any()
    assert (ours >= 0).any()

"""Kernels that Python runs give what compiled ones do, bit by bit."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes.kernels import _interpreted
from tallybayes.kernels._jit import fma, jit, leading_zeros, load_eight

READ = """
import json, sys
if sys.argv[1] == "interpreted":
    from tallybayes.kernels import _mode
    assert _mode.interpret()
import random
from tallybayes.text.analyzer import Analyzer
from tallybayes.text.numbering import Numbering

rng = random.Random(5)
parts = [*"abcXYZ 019.,'_-<>&;/:=\\n\\t", "http://", "www.", "<b>", "</script>", "<script", "<!--", "-->", "&nbsp;"]
parts += ["é", "ß", "İ", "中", "文", "の", "ก", "\\u0301", "😀", "ﬁ", "\\u200d", "３", "long words of ASCII "]
texts = ["".join(rng.choices(parts, k=rng.randint(0, 60))).encode() for _ in range(150)]
texts += [bytes(rng.choices(range(256), k=rng.randint(0, 60))) for _ in range(60)]
found = []
for options in (
    {},
    {"ngrams": (1, 2), "html": "skip", "urls": "mark", "numbers": "mark"},
    {"html": "mark", "urls": "skip", "numbers": "skip", "strip_accents": True},
    {"lowercase": False, "stop_words": ["the", "of"], "ngrams": (1, 3)},
    {"analyzer": "char", "ngrams": (1, 2)},
    {"analyzer": "char_wb", "ngrams": (2, 3)},
    {"analyzer": str.split},
):
    analyzer = Analyzer(**options)
    numbering = Numbering(analyzer)
    numbers = [block.numbers.tolist() for block in numbering.blocks(analyzer.read(texts))]
    known, n = numbering.known, len(numbering)
    found.append([numbers, known.keys[:n].tolist(), known.text[: known.text_at[n]].tobytes().hex()])
assert ("numba" in sys.modules) == (sys.argv[1] == "compiled")
json.dump(found, sys.stdout)
"""


def test_texts_are_read_alike() -> None:
    ours, theirs = (
        json.loads(subprocess.run([sys.executable, "-c", READ, how], capture_output=True, check=True).stdout)
        for how in ("interpreted", "compiled")
    )
    assert len(ours) == 7
    assert all(len(keys) > 100 for _, keys, _ in ours)
    assert ours == theirs


@jit
def instructions(data: np.ndarray, a: float, b: float, c: float) -> tuple[int, int, float]:
    return load_eight(data, 1), leading_zeros(load_eight(data, 1)), fma(a, b, c)


finite = st.floats(allow_nan=False, allow_infinity=False)


@given(st.binary(min_size=9, max_size=9), finite, finite, finite)
def test_single_instructions(data: bytes, a: float, b: float, c: float) -> None:
    given = np.frombuffer(data, np.uint8)
    eight, zeros, product = instructions(given, a, b, c)
    assert int(eight) == int(_interpreted.load_eight(given, 1))
    assert int(zeros) == int(_interpreted.leading_zeros(np.uint64(int.from_bytes(data[1:], "big"))))
    assert np.array(_interpreted.fma(a, b, c)).tobytes() == np.array(product).tobytes()


@pytest.mark.parametrize("numbers", [(np.inf, 2.0, 1.0), (np.nan, 1.0, 1.0), (0.0, -1.0, 0.0), (-0.0, 1.0, -0.0)])
def test_the_fused_product_of_odd_numbers(numbers: tuple[float, float, float]) -> None:
    wanted = np.array(instructions(np.zeros(9, np.uint8), *numbers)[2])
    np.testing.assert_array_equal(_interpreted.fma(*numbers), wanted)
    assert np.signbit(_interpreted.fma(*numbers)) == np.signbit(wanted) or np.isnan(wanted)

"""ARPA files: how other programs write them, what is wrong with them and where, and models without counts in files."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallybayes as tb
from tallybayes import errors
from tallybayes.kernels.arpa import NEVER, _number, _put_number
from tallybayes.models import arpa, arpa_lines
from tallybayes.models.stored_language import language_from, stored_language
from tallybayes.tallies.base import State

TEXTS = ["a b c a b", "b a", "c c a b d", "d a b", "a", "好 a b 好"] * 2

PRUNED = """\\data\\
ngram 1=6
ngram 2=2
ngram 3=1

\\1-grams:
-1\t<unk>
-99\t<s>\t-0.5
-0.9\t</s>
-0.6\ta\t-0.25
-0.7\tb\t-0.125
-0.8\tc

\\2-grams:
-0.2\t<s> a\t-0.1
-0.3\ta b\t-0.05

\\3-grams:
-0.01\t<s> a c

\\end\\
"""


def read(tmp_path: Path, content: str | bytes) -> tb.LanguageModel:
    path = tmp_path / "x.arpa"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return tb.LanguageModel.from_arpa(path)


def logs(model: tb.LanguageModel, text: str) -> list[float]:
    return [round(log / math.log(10), 9) for _, log in model.unit_log_probs(text)]


def test_ngrams_whose_ends_were_pruned(tmp_path: Path) -> None:
    model = read(tmp_path, PRUNED)
    # "a c" is not there though "<s> a c" is; after c nothing is known, and it costs nothing to say so.
    assert logs(model, "a c b") == [-0.2, -0.01, -0.7, -0.125 - 0.9]
    # "<s> a b" is not there: the rest of "<s> a", and "a b".
    assert logs(model, "a b") == [-0.2, -0.1 - 0.3, -0.05 - 0.125 - 0.9]
    assert logs(model, "b zz") == [-0.5 - 0.7, -0.125 - 1.0, -0.9]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\t", " "),
        lambda text: text.replace("\n", "\n \t\n"),
        lambda text: "\ufeff" + text,
        lambda text: "made by another program\n\n" + text,
        lambda text: text.rstrip("\n"),
        lambda text: (
            text.replace("-0.125", "-1.25e-1").replace("-0.6\t", "-6E-01\t").replace("-1\t", "-1.0000000000000000\t")
        ),
        lambda text: text.replace("-0.5", "-.5").replace("-99", "-inf"),
        lambda text: text.replace("ngram 1=6", "ngram  1 = 6 "),
        lambda text: text.replace("-0.01", "-00.0100"),
    ],
    ids=[
        "returns",
        "blanks",
        "empty lines",
        "mark",
        "preface",
        "no last end",
        "exponents",
        "points",
        "counts",
        "zeros",
    ],
)
def test_how_other_programs_write(change: Callable[[str], str], tmp_path: Path) -> None:
    expected, found = (read(tmp_path, text) for text in (PRUNED, change(PRUNED)))
    for text in ("a c b", "a b", "b zz", "c a", ""):
        np.testing.assert_allclose(found.log_prob(text), expected.log_prob(text), rtol=1e-15)
    assert found.vocabulary_ == expected.vocabulary_


@pytest.mark.parametrize(
    ("old", "new", "said", "line"),
    [
        ("-0.3\ta b", "-0.3.1\ta b", "no numbers", 16),
        ("-0.3\ta b", "0x3\ta b", "no numbers", 16),
        ("-0.3\ta b", "-0.3e\ta b", "no numbers", 16),
        ("-0.3\ta b\t-0.05", "-0.3\ta b\tx", "no numbers", 16),
        ("-0.3\ta b\t-0.05", "-0.3\ta b\t-0.05\t1", "length 2 with its logarithm", 16),
        ("-0.3\ta b\t-0.05", "-0.3\ta b\t1e9", "length 2 with its logarithm", 16),
        ("-0.3\ta b\t-0.05", "-0.3\ta", "length 2 with its logarithm", 16),
        ("-0.3\ta b\t-0.05", "-0.3", "length 2 with its logarithm", 16),
        ("-0.3\ta b", "0.3\ta b", "length 2 with its logarithm", 16),
        ("-0.01\t<s> a c", "-0.01\t<s> a c\t-1", "length 3 with its logarithm", 19),
        ("-0.7\tb\t-0.125", "-0.7", "length 1 with its logarithm", 11),
        ("-0.7\tb", "x\tb", "no numbers", 11),
        ("-0.01\t<s> a c", "-0.01\t<s> b c", "'<s> b c' is there, and a part of it is not", 19),
        ("-0.01\t<s> a c", "-0.01\t<s> a x", "'<s> a x' is there, and a part of it is not", 19),
        ("-0.3\ta b", "-0.3\t<s> a", "'<s> a' stands there twice", 16),
        ("-0.7\tb", "-0.7\ta", "'a' stands there twice", 11),
        ("ngram 2=2", "ngram 2=1", "more n-grams of length 2, and there should be 1", 16),
        ("ngram 2=2", "ngram 2=3", "2 n-grams of length 2, and there should be 3", 17),
        ("ngram 1=6", "ngram 1=5", "more n-grams of length 1", 12),
        ("ngram 2=2", "ngram 2=99999999999", "too short", 3),
        ("ngram 3=1", "ngram 3=1\nngram 5=1", "do not stand in order", 5),
        ("\\3-grams:", "\\4-grams:", "length 3 are not there", 18),
        ("\\end\\", "\\4-grams:", "there is more", 21),
        ("\\end\\", "", "ends too soon", 21),
        ("\\2-grams:", "", "no numbers", 15),
    ],
)
def test_what_is_wrong_and_where(old: str, new: str, said: str, line: int, tmp_path: Path) -> None:
    assert old in PRUNED
    with pytest.raises(errors.SourceError, match=said) as found:
        read(tmp_path, PRUNED.replace(old, new, 1))
    assert f"(line {line})" in str(found.value)


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"\xff\xfe\x00", b"\\data\\\n", b"\\data\\\nngram 1=0\n", b"\0" * 9_999]
)
def test_what_is_no_arpa_file(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(errors.SourceError, match="no ARPA file"):
        read(tmp_path, content)


def test_an_order_beyond_what_there_may_be(tmp_path: Path) -> None:
    header = "".join(f"ngram {k}=1\n" for k in range(1, 12))
    with pytest.raises(errors.SourceError, match="up to 11 units, and 10 is the most"):
        read(tmp_path, f"\\data\\\n{header}{' ' * 999}")


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_pages_may_end_anywhere(size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tb.LanguageModel(order=4, analyzer=str.split).fit(TEXTS)
    model.to_arpa(tmp_path / "m.arpa")
    whole = tb.LanguageModel.from_arpa(tmp_path / "m.arpa")
    monkeypatch.setattr(arpa_lines, "_PAGE", size)
    monkeypatch.setattr(arpa, "_PAGE", 3)
    monkeypatch.setattr(arpa, "_WRITTEN", size)
    again = tb.LanguageModel.from_arpa(tmp_path / "m.arpa")
    np.testing.assert_array_equal(again.log_probs(TEXTS), whole.log_probs(TEXTS))
    model.to_arpa(tmp_path / "n.arpa")
    assert (tmp_path / "n.arpa").read_bytes() == (tmp_path / "m.arpa").read_bytes()
    lines = (tmp_path / "m.arpa").read_text().split("\n")
    bad = next(k for k, line in enumerate(lines) if line.startswith("\\3-grams")) + 5
    lines[bad] = "-1\tnever a b"
    with pytest.raises(errors.SourceError, match=rf"'never a b' is there.*line {bad + 1}\)"):
        read(tmp_path, "\n".join(lines))


@given(
    st.floats(-98.9, 1e5, allow_nan=False) | st.sampled_from([0.0, -0.0, -1e-12, -5e-10, -0.999999999999, 9.9999999999])
)
def test_numbers_are_written_and_read(ten: float) -> None:
    out = np.empty(24, np.uint8)
    end = _put_number(ten * math.log(10), out, 0)
    written = out[:end].tobytes().decode()
    assert float(written) == pytest.approx(ten, abs=5.1e-10, rel=1e-15)
    assert not written.startswith("-0") or float(written) != 0
    value, right = _number(out, 0, end)
    assert right
    assert value == pytest.approx(float(written), rel=1e-15)


@given(st.floats(allow_nan=False, allow_infinity=False) | st.decimals(-1000, 1000, places=20).map(float))
def test_numbers_of_other_programs(number: float) -> None:
    for written in (repr(number), f"{number:.7g}", f"{number:+.12e}"):
        data = np.frombuffer(written.encode(), np.uint8).copy()
        value, right = _number(data, 0, len(data))
        assert right
        if abs(float(written)) < 1e290 and abs(float(written)) > 1e-270:
            assert value == pytest.approx(float(written), rel=1e-14)


@given(st.text("+-.0123456789eEinfax", max_size=8))
def test_what_is_no_number(written: str) -> None:
    data = np.frombuffer(written.encode(), np.uint8).copy()
    value, right = _number(data, 0, len(data))
    try:
        expected = float(written)
    except ValueError:
        expected = None
    if written.lower().lstrip("+-") not in ("infinity",):
        assert bool(right) == (expected is not None)
    if right and expected is not None and math.isfinite(expected) and 1e-290 < abs(expected) < 1e290:
        assert value == pytest.approx(expected, rel=1e-14)


def test_what_never_happens_is_written() -> None:
    out = np.empty(24, np.uint8)
    for log in (-math.inf, -1e9, NEVER * math.log(10)):
        assert out[: _put_number(log, out, 0)].tobytes() == b"-99"


# Models without counts in model files ---------------------------------------------------------------------------------


def state_of(tmp_path: Path) -> State:
    tb.LanguageModel(order=3).fit(TEXTS).to_arpa(tmp_path / "m.arpa")
    return stored_language(tb.LanguageModel.from_arpa(tmp_path / "m.arpa")._language())


def _set(name: str, change: Callable[[Any], Any]) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    def forge(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        into = arrays if name in arrays else header
        into[name] = change(np.array(into[name]) if name in arrays else into[name])

    return forge


def _at(place: int, value: Any) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        array[place] = value
        return array

    return change


@pytest.mark.parametrize(
    "forge",
    [
        _set("boundaries", lambda _: 1),
        _set("boundaries", lambda _: False),
        _set("analyzer", lambda _: {"analyzer": "words"}),
        _set("sizes", lambda a: a[:0]),
        _set("sizes", lambda a: a + 1),
        _set("sizes", lambda a: -a),
        _set("sizes", lambda a: a[::-1]),
        _set("sizes", lambda a: np.array([2**62, 2**62, len(a)])),
        _set("edges", lambda a: a[:-1]),
        _set("edges", _at(-1, 2**64 - 1)),
        _set("edges", _at(0, (1 << 32) | 1)),
        _set("edges", lambda a: np.repeat(a[:1], len(a))),
        _set("edges", lambda a: a.astype(np.int64)),
        _set("edges", lambda a: a + np.uint64(1 << 32)),
        _set("edges", lambda a: a | np.uint64(0xFFFF)),
        _set("log_prob", lambda a: -a),
        _set("log_prob", _at(3, math.nan)),
        _set("log_rest", _at(3, math.nan)),
        _set("log_rest", lambda a: a[1:]),
        _set("keys", lambda a: a - a),
        _set("keys", lambda a: a - a + np.uint64(7)),
        _set("keys", lambda a: a[1:]),
        _set("text_at", lambda a: a[::-1]),
        _set("text_at", lambda a: a + 1),
        _set("text", lambda a: a | np.uint8(0x80)),
    ],
)
def test_a_stored_model_that_cannot_be_is_refused(
    forge: Callable[[dict[str, Any], dict[str, Any]], None], tmp_path: Path
) -> None:
    state = state_of(tmp_path)
    header, arrays = dict(state.header), dict(state.arrays)
    language_from(State(dict(header), dict(arrays)))
    forge(header, arrays)
    with pytest.raises((errors.ModelFileError, errors.OptionError)):
        language_from(State(header, arrays))


def test_a_file_of_a_model_without_counts_for_another_estimator(tmp_path: Path) -> None:
    from tallybayes.estimators._model_file import save_language

    options = tb.NGramClassifier().get_params()
    save_language(tmp_path / "m.tally", "NGramClassifier", options, state_of(tmp_path))
    with pytest.raises(errors.ModelFileError, match="no model that this version can use"):
        tb.load(tmp_path / "m.tally")
    options = tb.LanguageModel(order=2).get_params()
    save_language(tmp_path / "m.tally", "LanguageModel", options, state_of(tmp_path))
    with pytest.raises(errors.ModelFileError, match="no model that this version can use"):
        tb.load(tmp_path / "m.tally")

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from safetensors import safe_open

from tallybayes.errors import ModelFileError, UnsupportedDataError
from tallybayes.storage import envelope
from tallybayes.storage import file as file_module
from tallybayes.storage.envelope import pack
from tallybayes.storage.file import header_of, load_model, save_model

DTYPES = sorted(envelope.DTYPES, key=str)
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers()
texts = st.text(st.characters(codec=None), max_size=8)  # half surrogate pairs too
json_values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=10,
)
headers = st.dictionaries(texts, json_values, max_size=4)
names = st.text(st.characters(codec="utf-8"), max_size=8).filter(str.isprintable)
arrays = st.dictionaries(
    names,
    st.sampled_from(DTYPES).flatmap(
        lambda dtype: npst.arrays(dtype, npst.array_shapes(min_dims=0, min_side=0, max_dims=3, max_side=4))
    ),
    max_size=4,
)
HEADER = {"estimator": "NaiveBayes", "values": ["青绿", "\n", '"'], "smoothing": 0.1}
ARRAYS = {
    "rows": np.array([[3, 1], [4, 1]]),
    "seen": np.array([True, False, True]),
    "weights": np.array([0.5, np.inf, np.nan]),
    "none": np.zeros((0, 5)),
}


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("file") / "x.tally"


@given(headers, arrays)
def test_everything_comes_back_as_it_was(scratch: Path, header: dict[str, Any], arrays: dict[str, Any]) -> None:
    save_model(scratch, header, arrays)
    read, found = load_model(scratch)
    assert json.dumps(read) == json.dumps(header)
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert found[name].tobytes() == array.tobytes()


def test_equal_content_gives_equal_bytes_whatever_the_layout_in_memory(tmp_path: Path) -> None:
    a = np.arange(6, dtype=np.float64).reshape(2, 3)
    save_model(tmp_path / "a", {}, {"x": a})
    save_model(tmp_path / "b", {}, {"x": np.asfortranarray(a)})
    save_model(tmp_path / "c", {}, {"x": a.astype(">f8")})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() == (tmp_path / "c").read_bytes()


def test_format_1_is_written_as_it_was_when_it_was_first_released(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(envelope, "library_version", lambda: "0.1.0")
    content = b"".join(pack({"a": "é"}, {"n": np.array([1, 2]), "p": np.array([True])}))
    head = (
        r'{"__metadata__":{"tallybayes":"{\"checksum\":'
        r"\"79dda212d7255c403ce6f63dc7955abedbede7191b36eac754591e39a786f209\","
        r'\"format\":1,\"library\":\"0.1.0\",\"header\":{\"a\":\"é\"}}"},'
        r'"n":{"dtype":"I64","shape":[2],"data_offsets":[0,16]},'
        r'"p":{"dtype":"BOOL","shape":[1],"data_offsets":[16,17]}}'
    ).encode()
    head += b" " * (-len(head) % 8)
    assert content == len(head).to_bytes(8, "little") + head + b"\1" + 7 * b"\0" + b"\2" + 7 * b"\0" + b"\1"


def test_any_safetensors_reader_reads_the_arrays(tmp_path: Path) -> None:
    save_model(tmp_path / "x.tally", HEADER, ARRAYS)
    with safe_open(tmp_path / "x.tally", framework="np") as file:
        assert sorted(file.keys()) == sorted(ARRAYS)
        np.testing.assert_array_equal(file.get_tensor("rows"), ARRAYS["rows"])
        assert json.loads(file.metadata()["tallybayes"])["header"] == HEADER


def test_loaded_arrays_are_one_s_own(tmp_path: Path) -> None:
    save_model(tmp_path / "x.tally", HEADER, ARRAYS)
    arrays = load_model(tmp_path / "x.tally")[1]
    assert all(array.flags.owndata and array.flags.aligned for array in arrays.values())
    # The compiler takes arrays that are not to be written to for another type, and compiles every kernel again.
    arrays["rows"][...] = 0
    assert load_model(tmp_path / "x.tally")[1]["rows"].tolist() == [[3, 1], [4, 1]]


def test_a_file_that_changes_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.tally"
    save_model(path, HEADER, ARRAYS)
    whole = path.read_bytes()
    unpack = file_module._unpack

    def meanwhile(*args: Any) -> Any:
        path.write_bytes(whole[:-1] + b"?")
        return unpack(*args)

    monkeypatch.setattr(file_module, "_unpack", meanwhile)
    with pytest.raises(ModelFileError, match="changed while it was read"):
        load_model(path)


@pytest.mark.parametrize(
    "header",
    [
        {"a": float("nan")},
        {"a": [float("inf")]},
        {"a": {1: 2}},
        {"a": {None: 2}},
        {"a": object()},
        {"a": np.float32(1)},
        {"a": b"x"},
    ],
)
def test_a_header_that_json_does_not_hold_is_refused_before_anything_is_written(
    tmp_path: Path, header: dict[str, Any]
) -> None:
    (tmp_path / "x.tally").write_bytes(b"old")
    with pytest.raises(UnsupportedDataError, match="to_plain"):
        save_model(tmp_path / "x.tally", header, {})
    assert (tmp_path / "x.tally").read_bytes() == b"old"


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("x", np.array(["a"])),
        ("x", np.array([None])),
        ("x", np.array([1j])),
        ("x", np.array(["2024"], dtype="M8[Y]")),
        ("__metadata__", np.zeros(1)),
        ("\ud800", np.zeros(1)),
        ("a\nb", np.zeros(1)),
    ],
)
def test_arrays_that_a_file_does_not_hold_are_refused(tmp_path: Path, name: str, array: Any) -> None:
    with pytest.raises(UnsupportedDataError, match="array"):
        save_model(tmp_path / "x.tally", {}, {name: array})
    assert os.listdir(tmp_path) == []


def test_a_header_that_refers_to_itself_is_refused(tmp_path: Path) -> None:
    header: dict[str, Any] = {}
    header["a"] = header
    with pytest.raises(UnsupportedDataError, match="to_plain"):
        save_model(tmp_path / "x.tally", header, {})


def test_a_header_longer_than_safetensors_allows_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(envelope, "LONGEST_HEADER", 1000)
    with pytest.raises(ModelFileError, match="identifiers"):
        save_model(tmp_path / "x.tally", {"values": ["x" * 900]}, {})


@pytest.mark.parametrize(
    ("name", "words"),
    [("absent", "no file"), ("", "folder"), ("nul\0l", "no name"), ("n" * 300, "cannot be read")],
)
def test_a_path_that_is_no_file_is_refused(tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(ModelFileError, match=words):
        load_model(os.path.join(tmp_path, name))


@pytest.mark.skipif(os.name != "posix", reason="needs named pipes")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="no regular file"):
        load_model(tmp_path / "pipe")


def test_threads_that_save_at_once_leave_one_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "x.tally"
    threads = [threading.Thread(target=save_model, args=(path, {"i": i}, {"x": np.full(1000, i)})) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    header, arrays = load_model(path)
    assert (arrays["x"] == header["i"]).all()
    assert os.listdir(tmp_path) == ["x.tally"]


def test_the_header_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.tally"
    save_model(path, HEADER, ARRAYS)
    assert header_of(path) == HEADER
    damaged = bytearray(path.read_bytes())
    damaged[-1] ^= 1  # in the arrays, which nobody looks at
    path.write_bytes(damaged)
    assert header_of(path) == HEADER
    for content, words in ((b"", "empty"), (b"a,b\n1,2\n" * 9, "another kind of file"), (damaged[:200], "cut short")):
        path.write_bytes(content)
        with pytest.raises(ModelFileError, match=words):
            header_of(path)
    with pytest.raises(ModelFileError, match="There is no file"):
        header_of(tmp_path / "none.tally")

"""Files that are damaged, foreign or made to do harm: one clear error each, and nothing allocated for their
claims."""

from __future__ import annotations

import json
import pickle
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save as save_safetensors

from tallybayes.errors import ModelFileError
from tallybayes.storage.envelope import BLANK, CHECKSUM_AT, FORMAT, LENGTH, MAGIC, SHORTEST, checksum, pack
from tallybayes.storage.file import load_model

GOOD = b"".join(pack({"a": ["x", 1.5]}, {"n": np.arange(3), "w": np.array([0.5])}))


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile") / "x.tally"


def refused(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(ModelFileError) as caught:
        load_model(path)
    assert repr(str(path)) in str(caught.value)
    return str(caught.value)


def sealed(head: str, data: bytes = b"") -> bytes:
    """Return a file with a header of somebody's own making, and the right checksum."""
    top = head.encode("utf-8", "surrogatepass")
    content = LENGTH.pack(len(top)) + top + data
    assert content[LENGTH.size : CHECKSUM_AT] == MAGIC
    return content[:CHECKSUM_AT] + checksum(content) + content[SHORTEST:]


def forged(own: str = '"format":1,"library":"x","header":{}', tensors: str = "", data: bytes = b"") -> bytes:
    """Return such a file, given the inner JSON behind the checksum and the outer JSON behind the metadata."""
    inner = json.dumps('{"checksum":"' + BLANK.decode() + '",' + own + "}", ensure_ascii=False)
    return sealed('{"__metadata__":{"tallybayes":' + inner + "}" + tensors + "}", data)


def tensor(name: str, dtype: str, shape: list[int], begin: int, end: int) -> str:
    place = {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}
    return f',"{name}":' + json.dumps(place)


def test_the_forger_can_write_a_good_file(scratch: Path) -> None:
    scratch.write_bytes(forged(tensors=tensor("x", "F64", [1], 0, 8), data=bytes(8)))
    header, arrays = load_model(scratch)
    assert (header, arrays["x"].tolist()) == ({}, [0.0])


# Damage ---------------------------------------------------------------------------------------------------


def test_every_flipped_bit_is_noticed(scratch: Path) -> None:
    for at in range(len(GOOD)):
        for bit in range(8):
            refused(scratch, GOOD[:at] + bytes([GOOD[at] ^ 1 << bit]) + GOOD[at + 1 :])


def test_every_truncation_is_noticed(scratch: Path) -> None:
    for length in range(len(GOOD)):
        refused(scratch, GOOD[:length])


@given(st.data())
def test_whatever_is_replaced_inserted_or_left_out_is_noticed(scratch: Path, data: st.DataObject) -> None:
    begin = data.draw(st.integers(0, len(GOOD)))
    end = data.draw(st.integers(begin, len(GOOD)))
    changed = GOOD[:begin] + data.draw(st.binary(max_size=40)) + GOOD[end:]
    if changed != GOOD:
        refused(scratch, changed)


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(scratch: Path, content: bytes) -> None:
    refused(scratch, content)


@given(st.text(st.characters(codec=None), max_size=200), st.binary(max_size=40))
def test_any_text_behind_the_beginning_of_a_model_is_refused(scratch: Path, text: str, data: bytes) -> None:
    refused(scratch, sealed((MAGIC + BLANK).decode() + text, data))


# Foreign files ----------------------------------------------------------------------------------------------


def a_zip(path: Path) -> bytes:
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("a", "b" * 100)
    return path.read_bytes()


def a_numpy_file(path: Path) -> bytes:
    with path.open("wb") as file:
        np.save(file, np.arange(100))
    return path.read_bytes()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (lambda path: b"", "is empty"),
        (lambda path: b"a,b\n1,2\n" * 50, "another kind of file"),
        (a_zip, "another kind of file"),
        (a_numpy_file, "another kind of file"),
        (lambda path: pickle.dumps(list(range(100))), "another kind of file"),
        (lambda path: save_safetensors({"x": np.zeros(9)}), "another safetensors file"),
        (lambda path: save_safetensors({}, {"tallybayes": "1"}), "another safetensors file"),
        (lambda path: save_safetensors({}, {"format": "pt"}), "another safetensors file"),
    ],
)
def test_a_foreign_file_is_called_so(scratch: Path, content: Callable[[Path], bytes], words: str) -> None:
    assert words in refused(scratch, content(scratch))


def test_a_newer_file_says_how_to_upgrade(scratch: Path) -> None:
    own = f'"format":{FORMAT + 1},"library":"9.9","header":{{}},"new":1'
    message = refused(scratch, forged(own))
    assert "9.9" in message
    assert "pip install --upgrade tallybayes" in message


def test_a_pickle_in_the_file_is_never_run(scratch: Path, tmp_path: Path) -> None:
    class Bomb:
        def __reduce__(self) -> Any:
            return (tmp_path.joinpath("boom").touch, ())

    refused(scratch, GOOD + pickle.dumps(Bomb()))
    refused(scratch, pickle.dumps(Bomb()))
    assert list(tmp_path.iterdir()) == []


# Hostile files, whose checksum is right
# -----------------------------------------------------------------------

GIGABYTES = 2 * 2**30


@pytest.mark.parametrize(
    "tensors",
    [
        tensor("x", "F64", [GIGABYTES // 8], 0, GIGABYTES),
        tensor("x", "F64", [GIGABYTES // 8], 0, 8),
        tensor("x", "F64", [2**62, 2**62], 0, 8),
        tensor("x", "F64", [2**63, 2], 0, 0),
        tensor("x", "F64", [0, 2**63], 0, 0),
        tensor("x", "F64", [1] * 1000, 0, 8),
        tensor("x", "F64", [-1], 0, 8),
        tensor("x", "F64", [1], 8, 0),
        tensor("x", "F64", [1], -8, 0),
        tensor("x", "F64", [2], 0, 8),
        tensor("x", "F64", [1], 4, 12),
        tensor("x", "U8", [4], 0, 4),
        tensor("x", "U8", [9], 0, 9),
        tensor("x", "BF16", [4], 0, 8),
        tensor("x", "F8_E4M3", [8], 0, 8),
        tensor("x", "C64", [1], 0, 8),
        tensor("x", "O", [1], 0, 8),
        tensor("x", "U8", [8], 0, 8) + tensor("y", "U8", [8], 0, 8),
        tensor("x", "U8", [5], 0, 5) + tensor("y", "U8", [5], 3, 8),
        tensor("x", "U8", [3], 0, 3) + tensor("y", "U8", [3], 5, 8),
        tensor("x", "U8", [8], 0, 8) + tensor("x", "U8", [8], 0, 8),
        tensor("x", "U8", [4], 0, 4) + tensor("y", "F32", [1], 4, 8) + tensor("z", "U8", [0], 9, 9),
        tensor("x", "U8", [2], 0, 2) + tensor("y", "U32", [1], 2, 6) + tensor("z", "U8", [2], 6, 8),
        tensor("x", "U8", [True, 8], 0, 8),
        ',"x":{"dtype":"U8","shape":[8],"data_offsets":[0,8],"more":1}',
        ',"x":{"dtype":"U8","shape":[8.0],"data_offsets":[0,8]}',
        ',"x":{"dtype":"U8","shape":[8],"data_offsets":[0,8,8]}',
        ',"x":{}',
        ',"x":[]',
        ',"x":null',
        ',"x":{"dtype":"U8","shape":[8],"data_offsets":[0,1e400]}',
        ',"x":{"dtype":"U8","shape":[NaN],"data_offsets":[0,8]}',
        ',"__metadata__":{}',
        "",  # and eight bytes that belong to nothing
    ],
)
def test_tensors_that_are_not_what_they_claim_are_refused(scratch: Path, tensors: str) -> None:
    content = forged(tensors=tensors, data=b"\7" * 8)
    assert len(content) < 5000
    tracemalloc.start()
    try:
        message = refused(scratch, content)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "no valid model file" in message
    assert peak < 2**20


@pytest.mark.parametrize("shape", [[0, 2**63], [2**62, 0], [0, 2**40, 2**40], [0] * 33])
def test_shapes_without_a_number_that_no_array_has(scratch: Path, shape: list[int]) -> None:
    assert "no valid model file" in refused(scratch, forged(tensors=tensor("x", "U8", shape, 0, 0)))


def test_truth_values_are_zeros_and_ones(scratch: Path) -> None:
    content = forged(tensors=tensor("x", "BOOL", [2], 0, 2), data=b"\1\2")
    assert "truth values" in refused(scratch, content)


@pytest.mark.parametrize(
    "own",
    [
        "",
        '"format":1',
        '"format":1,"library":"x"',
        '"format":1,"library":"x","header":[]',
        '"format":1,"library":"x","header":null',
        '"format":1,"library":"x","header":{},"more":1',
        '"format":1,"library":"x","header":{"a":NaN}',
        '"format":1,"library":"x","header":{"a":Infinity}',
        '"format":1,"library":"x","header":{"a":-1e999}',
        '"format":1,"library":"x","header":{"a":1,"a":2}',
        '"format":1,"library":"x","header":{"a":' + "9" * 5000 + "}",
        '"format":1,"format":1,"library":"x","header":{}',
        '"format":0,"library":"x","header":{}',
        '"format":-1,"library":"x","header":{}',
        '"format":true,"library":"x","header":{}',
        '"format":"1","library":"x","header":{}',
        '"format":1.0,"library":"x","header":{}',
        '"format":1,"library":"x","header":{"a":' + "[" * 200_000 + "]" * 200_000 + "}",
        '"format":1,"library":"x","header":{"a":' + '{"a":' * 100_000 + "1" + "}" * 100_000 + "}",
    ],
    ids=lambda own: own[:60],
)
def test_headers_that_nobody_wrote_are_refused(scratch: Path, own: str) -> None:
    assert "no valid model file" in refused(scratch, forged(own))


def test_deep_nesting_around_the_header_is_refused(scratch: Path) -> None:
    deep = ',"x":' + "[" * 200_000 + "]" * 200_000
    assert "no valid model file" in refused(scratch, forged(tensors=deep))


def test_a_header_that_claims_gigabytes_is_refused_before_it_is_read(scratch: Path) -> None:
    for claim in (GIGABYTES, 2**63, 2**64 - 1, len(GOOD)):
        message = refused(scratch, LENGTH.pack(claim) + GOOD[LENGTH.size :])
        assert "cut short or damaged" in message
        assert f"{claim:,}" in message


def test_a_long_file_of_something_else_is_not_read_to_its_end(scratch: Path) -> None:
    with scratch.open("wb") as file:
        file.truncate(GIGABYTES)  # sparse: takes no room on the disk
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match="another kind of file"):
            load_model(scratch)
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()
        scratch.unlink()


def test_loading_takes_little_more_than_the_file(scratch: Path) -> None:
    size = 8_000_000
    scratch.write_bytes(b"".join(pack({}, {"x": np.zeros(size // 8)})))
    tracemalloc.start()
    try:
        load_model(scratch)
        assert tracemalloc.get_traced_memory()[1] < 1.1 * size
    finally:
        tracemalloc.stop()
        scratch.unlink()

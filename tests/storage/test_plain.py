from __future__ import annotations

import contextlib
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from tallybayes.errors import ModelFileError, UnsupportedDataError
from tallybayes.storage.plain import from_plain, to_plain

KINDS = ["bool", "int8", "int64", "uint8", "uint64", "float16", "float32", "float64"]
words = st.text(max_size=8) | st.sampled_from(["$float", "$dict", "$x", "$"])
scalars = st.none() | st.booleans() | st.integers() | st.floats() | words
numpy_numbers = st.sampled_from(KINDS).flatmap(lambda kind: npst.from_dtype(np.dtype(kind)))
arrays = st.sampled_from(KINDS).flatmap(
    lambda kind: npst.arrays(kind, npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3))
)
strings = st.lists(words, max_size=5).map(lambda items: np.array(items, dtype=np.str_))
keys = words | st.integers() | st.booleans() | st.floats(allow_nan=False) | st.tuples(words, words)
parameters = st.recursive(
    scalars | numpy_numbers | arrays | strings,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(keys, inner, max_size=4)
        | st.lists(inner, max_size=4).map(lambda items: np.fromiter(items, object, len(items)))
    ),
    max_leaves=12,
)


def same(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and all(map(same, a.ravel(), b.ravel()))
    if isinstance(a, dict):
        return list(map(repr, a)) == list(map(repr, b)) and all(map(same, a.values(), b.values()))
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float | np.floating):
        return bool(a == b and math.copysign(1, a) == math.copysign(1, b)) or bool(a != a and b != b)
    return bool(a == b)


@given(parameters)
def test_what_is_written_as_json_comes_back_as_it_was(parameter: Any) -> None:
    text = json.dumps(to_plain(parameter), allow_nan=False)
    assert same(from_plain(json.loads(text)), parameter)


@given(st.recursive(scalars.filter(lambda x: x == x), lambda inner: st.lists(inner) | st.dictionaries(words, inner)))
def test_any_json_is_read_or_refused(content: Any) -> None:
    with contextlib.suppress(ModelFileError):
        from_plain(content)


def test_plain_json_is_written_as_it_is() -> None:
    parameter = {"a": [1, 2.5, None, True, "x"], "b": {}}
    assert to_plain(parameter) == parameter


def test_an_array_of_floats_keeps_its_last_bits_and_its_infinities() -> None:
    array = np.array([0.1, -0.0, math.inf, -math.inf, 5e-324])
    back = from_plain(json.loads(json.dumps(to_plain(array), allow_nan=False)))
    assert back.tobytes() == array.tobytes()


def test_foreign_byte_order_and_strides_come_back_native() -> None:
    array = np.arange(6, dtype=">f8").reshape(2, 3).T
    back = from_plain(to_plain(array))
    assert back.dtype == np.float64
    assert back.tolist() == array.tolist()


LOOP: list[Any] = []
LOOP.append(LOOP)


@pytest.mark.parametrize(
    ("parameter", "words"),
    [
        (len, "builtin_function"),
        ({"a": [object()]}, "object"),
        ({1, 2}, "set"),
        (b"bytes", "bytes"),
        (1j, "complex"),
        (np.complex128(1), "complex"),
        (np.datetime64("2024-01-01"), "datetime64"),
        (np.array(["2024-01-01"], dtype="M8[D]"), "datetime64"),
        (np.array([b"x"]), "array of"),
        (np.zeros(1, dtype=[("a", int)]), "array of"),
        (LOOP, "nested too deeply"),
        (np.array(["a"] * 99 + ["b" * 10_000]), "pass a list"),
    ],
)
def test_what_a_file_does_not_keep_is_refused_by_name(parameter: Any, words: str) -> None:
    with pytest.raises(UnsupportedDataError, match=words) as caught:
        to_plain(parameter, "prior=")
    assert str(caught.value).startswith("prior=")


@pytest.mark.parametrize(
    "plain",
    [
        {"$float": "1e3"},
        {"$float": 1},
        {"$float": "inf", "more": 1},
        {"$tuple": 1},
        {"$unknown": 1},
        {"$dict": [[1, 2], [1, 3]]},
        {"$dict": [[[1], 2]]},
        {"$dict": [1]},
        {"$scalar": ["object", 1]},
        {"$scalar": ["uint8", 300]},
        {"$scalar": ["float64", "1"]},
        {"$scalar": ["float64", [1, 2]]},
        {"$array": ["float64", [3], [1]]},
        {"$array": ["float64", [2], [[1], [2]]]},
        {"$array": ["float64", [2**62, 2**62], []]},
        {"$array": ["float64", ["1"], [1]]},
        {"$array": ["void", [1], [1]]},
        {"$array": ["O", [1], [1]]},
        {"$array": ["str", [1], [1]]},
        {"$array": ["str", [1001], [""] * 1000 + ["x" * 1_000_000]]},
    ],
)
def test_parameters_that_nobody_saved_are_refused(plain: Any) -> None:
    with pytest.raises(ModelFileError, match="no model was saved with"):
        from_plain(plain)


def test_a_deep_file_is_refused() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ModelFileError, match="RecursionError"):
        from_plain(deep)

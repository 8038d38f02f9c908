"""Every function of the NumPy face and of the runtime with arguments that no one should pass."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dmlc
from robustness import hostile
from robustness.processes import run_python

MODES = st.sampled_from(["constant", "edge", "reflect", "symmetric", "wrap", "mean", ""])

ARRAYS = st.lists(hostile.arrays, max_size=3) | hostile.modest_arrays

# function: (positional arguments, arguments by keyword); each is left out at times, if by keyword.
SIGNATURES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "pad": (
        {"array": hostile.arrays, "pad_width": hostile.integer_lists},
        {"mode": MODES | hostile.junk, "constant_values": hostile.values, "out": hostile.outs},
    ),
    "one_hot": (
        {"indices": hostile.arrays, "depth": hostile.any_integer},
        {
            "axis": hostile.any_integer,
            "on_value": hostile.values,
            "off_value": hostile.values,
            "dtype": hostile.dtypes,
            # "error" searches the indices: see test_claimed_indices_are_refused_...
            "negative": st.sampled_from(["wrap", "off", "no"]) | hostile.junk,
            "out": hostile.outs,
        },
    ),
    "slice": (
        {
            "array": hostile.arrays,
            "offsets": hostile.integer_lists,
            "sizes": hostile.integer_lists,
            "strides": hostile.integer_lists,
        },
        {"output_sizes": hostile.integer_lists, "out": hostile.outs},
    ),
    "copy": ({"array": hostile.arrays}, {"out": hostile.outs}),
    "flip": ({"array": hostile.arrays}, {"axis": hostile.integer_lists, "out": hostile.outs}),
    "eye": (
        {"N": hostile.any_integer},
        {
            "M": hostile.any_integer,
            "k": hostile.any_integer,
            "dtype": hostile.dtypes,
            "order": st.sampled_from("CFKA") | hostile.junk,
            "device": st.sampled_from(["cpu", "gpu"]) | hostile.junk,
            "like": hostile.arrays,
            "out": hostile.outs,
        },
    ),
    "tri": (
        {"N": hostile.any_integer},
        {
            "M": hostile.any_integer,
            "k": hostile.any_integer,
            "dtype": hostile.dtypes,
            "like": hostile.arrays,
            "out": hostile.outs,
        },
    ),
    "tril": ({"m": hostile.arrays}, {"k": hostile.any_integer, "out": hostile.outs}),
    "triu": ({"m": hostile.arrays}, {"k": hostile.any_integer, "out": hostile.outs}),
    "diagonal_matrix": (
        {"shape": hostile.integer_lists},
        {
            "begin": hostile.any_integer,
            "end": hostile.any_integer,
            "value": hostile.values,
            "dtype": hostile.dtypes,
            "out": hostile.outs,
        },
    ),
    "fill_band": (
        {
            "array": hostile.arrays,
            "begin": hostile.any_integer,
            "end": hostile.any_integer,
            "value": hostile.values,
        },
        {"out": hostile.outs},
    ),
    "causal_mask": (
        {"n": hostile.any_integer},
        {
            "m": hostile.any_integer,
            "window": hostile.any_integer,
            "value": hostile.values,
            "dtype": hostile.dtypes,
            "out": hostile.outs,
        },
    ),
    "pad_sequence": (
        {"arrays": ARRAYS},
        {
            "side": st.sampled_from(["left", "right", "up"]) | hostile.junk,
            "value": hostile.values,
            "multiple_of": hostile.any_integer,
            "return_mask": st.booleans() | hostile.junk,
            "out": hostile.outs,
        },
    ),
    "window": (
        {
            "array": hostile.arrays,
            "start": hostile.integer_lists,
            "shape": hostile.integer_lists,
        },
        {"mode": MODES | hostile.junk, "constant_values": hostile.values, "out": hostile.outs},
    ),
    "roll": (
        {"array": hostile.arrays, "shift": hostile.integer_lists},
        {"axis": hostile.integer_lists, "out": hostile.outs},
    ),
    "frames": (
        {"array": hostile.arrays, "length": hostile.any_integer, "hop": hostile.any_integer},
        {
            "axis": hostile.any_integer,
            "center": st.booleans() | hostile.junk,
            "mode": MODES | hostile.junk,
            "out": hostile.outs,
        },
    ),
    "tile": (
        {"array": hostile.arrays, "reps": hostile.integer_lists},
        {"out": hostile.outs},
    ),
    "repeat": (
        {"array": hostile.arrays, "repeats": hostile.integer_lists},
        {"axis": hostile.any_integer, "out": hostile.outs},
    ),
    "stack": (
        {"arrays": ARRAYS},
        {"axis": hostile.any_integer, "out": hostile.outs},
    ),
    "collate": (
        {"arrays": ARRAYS},
        {
            "shape": hostile.integer_lists,
            "mode": MODES | hostile.junk,
            "value": hostile.values,
            "align": st.sampled_from(["start", "end", "center", "up"]) | hostile.junk,
            "return_mask": st.booleans() | hostile.junk,
            "out": hostile.outs,
        },
    ),
}


def test_every_function_is_here() -> None:
    functions = {name for name in dmlc.__all__ if name.islower() and not name.startswith("_")}
    runtime = {
        "clear_output_cache",
        "get_include",
        "get_num_threads",
        "num_threads",
        "set_num_threads",
        "set_output_cache",
        "show_config",
    }
    assert functions == SIGNATURES.keys() | runtime


@pytest.mark.parametrize("name", SIGNATURES)
@settings(max_examples=2 * settings().max_examples)
@given(st.data())
def test_hostile_arguments(name: str, data: st.DataObject) -> None:
    positional, named = SIGNATURES[name]
    arguments = data.draw(st.fixed_dictionaries(positional))
    keywords = data.draw(st.fixed_dictionaries({}, optional=named))
    out = keywords.get("out")
    if isinstance(out, np.ndarray) and out.size < 10_000 and out.flags.owndata:
        keywords["out"] = out = copy.copy(out)
    result = hostile.call(getattr(dmlc, name), arguments, keywords)
    if isinstance(result, BaseException):
        return
    arrays = result if isinstance(result, tuple) else (result,)  # a batch and its mask
    if out is not None:
        assert arrays[0] is out
    for array in arrays:
        assert isinstance(array, np.ndarray)
        assert not array.dtype.hasobject


@pytest.mark.parametrize(
    "attempt",
    [
        lambda: dmlc.diagonal_matrix(hostile.EndlessSequence()),
        lambda: dmlc.slice([1], hostile.EndlessSequence(), (1,), (1,)),
        lambda: dmlc.slice([1], (0,), (1,), (1,), output_sizes=hostile.EndlessSequence()),
        lambda: dmlc.flip([1], hostile.EndlessSequence()),
        lambda: dmlc.window([1], hostile.EndlessSequence(), (1,)),
        lambda: dmlc.window([1], (0,), hostile.EndlessSequence()),
        lambda: dmlc.roll([1], hostile.EndlessSequence(), 0),
        lambda: dmlc.roll([1], 1, hostile.EndlessSequence()),
        lambda: dmlc.stack(hostile.EndlessSequence()),
        lambda: dmlc.tile([1], hostile.EndlessSequence()),
        lambda: dmlc.repeat([1], hostile.EndlessSequence()),
        lambda: dmlc.collate(hostile.EndlessSequence()),
        lambda: dmlc.collate([[1]], shape=hostile.EndlessSequence()),
        lambda: dmlc.pad([1], {0: hostile.EndlessSequence()}),  # type: ignore[dict-item]
        lambda: dmlc.BufferTensorDesc(dmlc.TensorDataType.INT8, hostile.EndlessSequence()),
        lambda: dmlc.BufferTensorDesc(dmlc.TensorDataType.INT8, (1,), hostile.EndlessSequence()),
    ],
)
def test_sequences_longer_than_a_shape_are_not_read_on(attempt: Callable[[], Any]) -> None:
    with pytest.raises((TypeError, ValueError, MemoryError)):
        attempt()


CLAIMS = """
import numpy as np
import dmlc

def refused(attempt):
    try:
        attempt()
    except (MemoryError, ValueError, OverflowError):
        return
    raise AssertionError("not refused")

for dtype in ("u1", "f8", "i4"):
    huge = np.broadcast_to(np.array(1, dtype), (2**24, 2**24))
    refused(lambda: dmlc.copy(huge))
    refused(lambda: dmlc.flip(huge))
    refused(lambda: dmlc.pad(huge, 1, "reflect"))
    refused(lambda: dmlc.tril(huge))
    refused(lambda: dmlc.fill_band(huge, 0, 1, 1))
    refused(lambda: dmlc.slice(huge, (0, 0), huge.shape, (1, -1)))
    refused(lambda: dmlc.pad_sequence([huge, huge]))
    refused(lambda: dmlc.window(huge, (-1, 0), huge.shape))
    refused(lambda: dmlc.roll(huge, 1))
    refused(lambda: dmlc.frames(huge, 4, 2))
    refused(lambda: dmlc.tile(huge, 2))
    refused(lambda: dmlc.repeat(huge, 2))
    refused(lambda: dmlc.repeat(huge, 2, 1))
    refused(lambda: dmlc.roll(huge, 1, 0))
    refused(lambda: dmlc.stack([huge, huge]))
    refused(lambda: dmlc.collate([huge, huge], return_mask=True))
    refused(lambda: dmlc.collate([huge, huge], shape=(2**24, 2**24), mode="wrap"))
refused(lambda: dmlc.pad([1], 2**48))
refused(lambda: dmlc.pad([1], 2**48, "wrap"))
refused(lambda: dmlc.eye(2**30))
refused(lambda: dmlc.tri(2**62, 2**62))
refused(lambda: dmlc.eye(2**62, 2**62))
refused(lambda: dmlc.causal_mask(2**30))
refused(lambda: dmlc.diagonal_matrix((2**20,) * 3))
refused(lambda: dmlc.one_hot([1], 2**48))
refused(lambda: dmlc.one_hot([1], 2**63))
refused(lambda: dmlc.one_hot(huge, 2**62))
refused(lambda: dmlc.pad_sequence([[1], [2]], multiple_of=2**48))
refused(lambda: dmlc.pad_sequence([[1], [2]], multiple_of=2**62))
refused(lambda: dmlc.window([1], 0, 2**48))
refused(lambda: dmlc.window([1], -(2**62), 2**60, "wrap"))
refused(lambda: dmlc.collate([[1], [2]], shape=2**48))
refused(lambda: dmlc.frames([1], 2**48, 1))
refused(lambda: dmlc.frames([1], 2**62, 1))
refused(lambda: dmlc.tile([1], 2**48))
refused(lambda: dmlc.tile([1], (2**62, 2**62)))
refused(lambda: dmlc.repeat([1], 2**48))
refused(lambda: dmlc.repeat([1, 2], 2**62))
"""


def test_claimed_sizes_are_refused_at_once() -> None:
    """2^48 elements would take days to walk over: a walk is a hang, and a hang a failure."""
    run_python(CLAIMS)


def test_claimed_indices_are_refused_before_they_are_searched() -> None:
    run_python(
        """
import numpy as np
import dmlc

try:
    dmlc.one_hot(np.broadcast_to(np.int8(1), (2**48,)), 2, negative="error")
except (MemoryError, ValueError):
    pass
else:
    raise AssertionError("not refused")
"""
    )


def test_claimed_sequences_are_refused_before_they_are_read() -> None:
    """A range and a broadcast array claim any length; reading so many entries would take days."""
    run_python(
        """
import numpy as np
import dmlc

def refused(function, *arguments, **keywords):
    try:
        function(*arguments, **keywords)
    except (MemoryError, ValueError, TypeError):
        return
    raise AssertionError("not refused")

int8 = dmlc.TensorDataType.INT8
tensor = dmlc.BufferTensorDesc(int8, (1,))
pair = np.zeros((2, 2))
# So many objects fit into memory, and would take minutes; so many bytes do not.
for long in (range(2**31), range(2**60), np.broadcast_to(np.int8(1), 2**31), np.broadcast_to(1, 2**48)):
    refused(dmlc.BufferTensorDesc, int8, long)
    refused(dmlc.BufferTensorDesc, int8, (1,), long)
    refused(dmlc.PaddingOperatorDesc, tensor, tensor, dmlc.PaddingMode.EDGE, 0.0, long, (0,))
    refused(dmlc.Slice1OperatorDesc, tensor, tensor, (0,), long, (1,))
    refused(dmlc.pad, pair, long)
    refused(dmlc.pad, pair, 1, constant_values=long)
    refused(dmlc.pad, pair, {0: long})
    refused(dmlc.flip, pair, long)
    refused(dmlc.slice, pair, long, (1, 1), (1, 1))
    refused(dmlc.diagonal_matrix, long)
    refused(dmlc.fill_band, pair, 0, 1, long)
    refused(dmlc.one_hot, [0], 2, on_value=long)
    refused(dmlc.pad_sequence, long)
    refused(dmlc.window, pair, long, (1, 1))
    refused(dmlc.window, pair, (0, 0), long)
    refused(dmlc.roll, pair, long)
    refused(dmlc.roll, pair, 1, long)
    refused(dmlc.stack, long)
    refused(dmlc.tile, pair, long)
    refused(dmlc.repeat, pair, long)
    refused(dmlc.collate, long)
    refused(dmlc.collate, [pair], shape=long)
"""
    )


def test_subarray_dtypes_are_refused() -> None:
    """NumPy turns their inner shape into more axes of the result, which no kernel was told of."""
    run_python(
        """
import numpy as np
import dmlc

for dtype in ("(2,)i2", "(4,)i1", np.dtype(("i1", (2, 2))), np.dtype(("f4", 4))):
    for attempt in (
        lambda: dmlc.one_hot([0, 1], 3, dtype=dtype),
        lambda: dmlc.eye(3, dtype=dtype),
        lambda: dmlc.eye(3, dtype=dtype, order="F"),
        lambda: dmlc.tri(3, dtype=dtype),
        lambda: dmlc.causal_mask(3, dtype=dtype),
        lambda: dmlc.diagonal_matrix((2, 3), dtype=dtype),
    ):
        try:
            result = attempt()
        except TypeError:
            continue
        raise AssertionError(f"{dtype}: not refused, but {result.shape} of {result.dtype}")
"""
    )


def test_claimed_sizes_of_nothing_are_fine() -> None:
    nothing = np.empty((2**40, 0, 2**15), np.uint8)
    assert dmlc.copy(nothing).shape == nothing.shape
    assert dmlc.flip(nothing).shape == nothing.shape
    assert dmlc.pad(nothing, 0, "edge").shape == nothing.shape
    assert dmlc.tril(nothing).shape == nothing.shape
    assert dmlc.one_hot(np.empty((2**40, 0), np.int8), 7).shape == (2**40, 0, 7)


VAST = 10**5000


@pytest.mark.parametrize(
    ("call", "rule"),
    [
        (lambda: dmlc.one_hot([1], -VAST), "depth must be at least 0"),
        (lambda: dmlc.one_hot([1], 3, on_value=VAST, dtype=int), "on_value must be one value"),
        (lambda: dmlc.frames([1], -VAST, 1), "length must be at least 1"),
        (lambda: dmlc.frames([1], VAST, 1, center=False), "array must have at least"),
        (lambda: dmlc.pad_sequence([[1]], multiple_of=-VAST), "multiple_of must be at least 1"),
        (lambda: dmlc.collate([[1]], shape=-VAST), r"shape\[0\] must be at least 0"),
        (lambda: dmlc.window([1], 0, -VAST), r"shape\[0\] must be at least 0"),
        (lambda: dmlc.slice([1], [VAST], [1], [1]), r"offsets\[0\] must be at most"),
        (lambda: dmlc.causal_mask(3, window=-VAST), "window must be at least 1"),
        (lambda: dmlc.set_num_threads(VAST), "threads must be 1 to"),
        (lambda: dmlc.set_output_cache(VAST), "nbytes must be 0 to"),
    ],
)
def test_integers_of_thousands_of_digits_are_shown(call: Callable[[], Any], rule: str) -> None:
    """Python refuses to print them in decimal; the complaint about one says its rule all the same."""
    with pytest.raises((ValueError, OverflowError), match=f"{rule}.*0x"):
        call()


@pytest.mark.parametrize("name", ["set_num_threads", "num_threads", "set_output_cache"])
@given(number=hostile.any_integer)
def test_hostile_settings(name: str, number: Any) -> None:
    threads, cache = dmlc.get_num_threads(), dmlc.show_config()["output_cache"]
    try:
        result = hostile.call(getattr(dmlc, name), {"number": number}, {})
        if name == "num_threads" and not isinstance(result, BaseException):

            def enter() -> None:
                with result:
                    pass

            hostile.call(enter, {}, {})
            assert dmlc.get_num_threads() == threads
    finally:
        dmlc.set_num_threads(threads)
        dmlc.set_output_cache(cache)

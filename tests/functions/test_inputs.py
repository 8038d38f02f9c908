"""What every function takes as an array, and what it refuses."""

from __future__ import annotations

import array as python_array
from typing import Any

import numpy as np
import pytest

import dmlc
from arrays import HAS_GUARD_PAGES, WIDTH_DTYPES, assert_same, guard_pages
from functions.calls import CALLS, Call

MOVERS = [call for call in CALLS if call.has_input and not call.index_input]
every_mover = pytest.mark.parametrize("call", MOVERS, ids=str)


class OnlyDlpack:
    """A foreign array that offers nothing but the DLPack protocol."""

    def __init__(self, values: Any) -> None:
        self._values = values

    def __dlpack__(self, **keywords: Any) -> Any:
        return self._values.__dlpack__(**keywords)

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self._values.__dlpack_device__()
        return device


class OnlyArrayProtocol:
    def __init__(self, values: Any) -> None:
        self._values = values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self._values


class Subclass(np.ndarray):
    pass


def test_nested_lists() -> None:
    assert_same(dmlc.pad([[1, 2], [3, 4]], 1), np.pad([[1, 2], [3, 4]], 1))
    assert_same(dmlc.flip([1, 2, 3]), np.array([3, 2, 1]))
    assert_same(dmlc.copy((1.5, 2)), np.array([1.5, 2]))
    assert_same(dmlc.tril([[1, 2], [3, 4]]), np.array([[1, 0], [3, 4]]))
    assert_same(dmlc.slice(range(5), (1,), (3,), (2,)), np.array([1, 3]))
    assert_same(dmlc.copy(7), np.array(7))


@every_mover
def test_foreign_arrays(call: Call) -> None:
    values = call.make_input(np.dtype(np.float32))
    expected = call.run(values)
    assert_same(call.run(values.view(Subclass)), expected)
    if call.name != "copy_transposed":
        assert_same(call.run(OnlyDlpack(values)), expected)
        assert_same(call.run(OnlyArrayProtocol(values)), expected)
        assert_same(call.run(memoryview(values.data)), expected)


def test_dlpack_views_keep_their_strides() -> None:
    values = np.arange(24, dtype=np.int16).reshape(4, 6)
    view = values[::2, ::3]
    assert_same(dmlc.copy(OnlyDlpack(view)), view.copy())
    assert_same(dmlc.pad(OnlyDlpack(values.T), 1, "wrap"), np.pad(values, 1, "wrap").T.copy())


def test_dlpack_indices() -> None:
    assert_same(dmlc.one_hot(OnlyDlpack(np.array([1, 0])), 2), np.eye(2, dtype="f4")[[1, 0]])


def test_python_buffers() -> None:
    assert_same(dmlc.flip(python_array.array("h", [1, 2, 3])), np.array([3, 2, 1], np.int16))


def test_inputs_are_never_written() -> None:
    for call in MOVERS:
        array = call.make_input(np.dtype(np.int32))
        before = array.copy()
        array.flags.writeable = False
        call.run(array)
        assert_same(array, before)


REFUSED_DTYPES = [
    object,
    "S3",
    "U3",
    "V5",
    np.dtype([("a", "O")]),
    np.dtype([("a", "O"), ("b", "i8")]),
]


@every_mover
@pytest.mark.parametrize("dtype", REFUSED_DTYPES, ids=repr)
def test_refused_dtypes(dtype: Any, call: Call) -> None:
    with pytest.raises(TypeError):
        call.run(np.zeros((3, 4, 5), dtype))


@pytest.mark.parametrize("dtype", REFUSED_DTYPES, ids=repr)
def test_refused_result_dtypes(dtype: Any) -> None:
    for call in CALLS:
        if not call.has_input:
            with pytest.raises((TypeError, ValueError)):
                call.run(np.zeros(3, dtype))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: dmlc.causal_mask(3, dtype=int),
            OverflowError,
            "causal_mask: value .* int64 .*, got -inf: ",
        ),
        (
            lambda: dmlc.fill_band(np.eye(3, dtype=int), 0, 1, np.nan),
            ValueError,
            "fill_band: value .*, got nan: ",
        ),
        (
            lambda: dmlc.one_hot([0], 3, on_value=-1, dtype="u1"),
            OverflowError,
            "one_hot: on_value .*, got -1: ",
        ),
        (
            lambda: dmlc.window(np.zeros(2), 0, 3, constant_values="x"),
            ValueError,
            "window: constant_values .*'x'",
        ),
        (
            lambda: dmlc.window(np.zeros(2), 0, 3, constant_values=[7, 8]),
            ValueError,
            "window: .* got list: ",
        ),
    ],
)
def test_values_that_the_dtype_cannot_hold_are_named(
    call: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        call()
    assert type(caught.value) is error


def test_ragged_lists_raise_what_numpy_raises() -> None:
    with pytest.raises(ValueError):
        dmlc.pad([[1, 2], [3]], 1)


@pytest.mark.skipif(not HAS_GUARD_PAGES, reason="guard pages are set with Linux's mprotect")
@pytest.mark.parametrize("at", ["start", "end"])
@pytest.mark.parametrize("call", CALLS, ids=str)
def test_no_byte_beyond_the_arrays_is_touched(call: Call, at: str) -> None:
    for dtype in WIDTH_DTYPES:
        for shape in [(3, 4, 5), (3, 5, 37), (3, 4, 64), (3, 7, 131)]:
            array = call.make_input(dtype, shape)
            keywords: dict[str, Any] = {"dtype": dtype} if call.index_input else {}
            expected = call.run(array, **keywords)
            with guard_pages(array, at) as source, guard_pages(expected, at) as out:
                out[...] = 0
                call.run(source, out=out, **keywords)
                same = out.tobytes() == expected.tobytes()
                del source, out
            assert same


@pytest.mark.skipif(not HAS_GUARD_PAGES, reason="guard pages are set with Linux's mprotect")
@pytest.mark.parametrize("at", ["start", "end"])
@pytest.mark.parametrize("stride", [2, 3, 4, 5, -1, -2, -3, -4, -7])
def test_no_byte_beyond_a_strided_view_is_touched(stride: int, at: str) -> None:
    for dtype in WIDTH_DTYPES:
        for length in [*range(1, 40), 63, 64, 65, 127, 128, 129]:
            size = (length - 1) * abs(stride) + 1
            values = np.arange(2 * size, dtype=np.uint16).astype(dtype).reshape(2, size)
            with guard_pages(values, at) as source:
                result = dmlc.copy(source[:, ::stride])
                del source
            assert_same(result, values[:, ::stride].copy())

"""`out=` of every function: any strides, guarded gaps, overlap with the input, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlc
import strategies
from arrays import (
    LAYOUTS,
    WIDTH_DTYPES,
    WRITABLE_LAYOUTS,
    Array,
    Target,
    assert_same,
    lay_out,
    random_values,
)
from functions.calls import CALLS, Call
from reference import one_hot, padding

every_call = pytest.mark.parametrize("call", CALLS, ids=str)


@every_call
@pytest.mark.parametrize("layout", WRITABLE_LAYOUTS)
def test_writes_through_any_strides_and_keeps_the_gaps(layout: str, call: Call) -> None:
    for dtype in WIDTH_DTYPES:
        array = call.make_input(dtype)
        keywords = {"dtype": dtype} if call.index_input else {}
        expected = call.run(array, **keywords)
        target = Target(expected.shape, dtype, layout)
        assert call.run(array, out=target.view, **keywords) is target.view
        assert_same(np.array(target.view, order="C"), expected)
        target.assert_gaps_untouched()


@pytest.mark.parametrize("out_layout", WRITABLE_LAYOUTS)
def test_any_input_layout_with_any_output_layout(out_layout: str) -> None:
    for layout in LAYOUTS:
        array = lay_out(random_values((3, 4, 5), np.dtype(np.int32), 1), layout)
        for call in CALLS:
            if call.index_input or not call.has_input:
                continue
            expected = call.run(np.array(array, order="C"))
            target = Target(expected.shape, array.dtype, out_layout)
            call.run(array, out=target.view)
            assert_same(np.array(target.view, order="C"), expected)
            target.assert_gaps_untouched()


@given(st.data())
def test_pad_into_any_array(data: st.DataObject) -> None:
    shape = data.draw(strategies.shapes(max_rank=5))
    mode = data.draw(strategies.modes)
    widths = data.draw(strategies.pad_widths(shape, mode))
    array = data.draw(strategies.laid_out(st.just(shape)))
    expected = padding.pad(array, widths, mode)
    target = Target(expected.shape, array.dtype, data.draw(strategies.writable_layouts))
    dmlc.pad(array, widths if shape else 0, mode, out=target.view)
    assert_same(np.array(target.view, order="C"), expected)
    target.assert_gaps_untouched()


@given(st.data())
def test_copy_into_any_array(data: st.DataObject) -> None:
    array = data.draw(strategies.laid_out(strategies.shapes()))
    target = Target(array.shape, array.dtype, data.draw(strategies.writable_layouts))
    dmlc.copy(array, out=target.view)
    assert_same(np.array(target.view, order="C"), np.array(array, order="C"))
    target.assert_gaps_untouched()


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(("dtype", "depth"), [("u1", 300), ("u2", 65_600), ("f4", 300)])
def test_one_hot_deeper_than_its_elements_can_count(dtype: str, depth: int, axis: int) -> None:
    """Indices of such a depth do not fit into an element of the output."""
    indices = np.array([0, 255, 256, 299, depth - 1, depth, -1, -depth, -depth - 1])
    expected = one_hot.one_hot(indices, depth, axis, np.array(1, dtype), np.array(0, dtype))
    for layout in WRITABLE_LAYOUTS:
        target = Target(expected.shape, np.dtype(dtype), layout)
        dmlc.one_hot(indices, depth, axis=axis, dtype=dtype, out=target.view)
        assert_same(np.array(target.view, order="C"), expected)
        target.assert_gaps_untouched()


# --- refusals -----------------------------------------------------------------------------------


def keywords_of(call: Call) -> dict[str, Any]:
    return {"dtype": np.float32} if call.index_input else {}


@every_call
def test_wrong_shape(call: Call) -> None:
    array = call.make_input(np.dtype(np.float32))
    right = call.run(array, **keywords_of(call)).shape
    wrong_shapes = [(*right[:-1], right[-1] + 1), right[:-1], (*right, 1), (0,), right[::-1][:1]]
    for shape in wrong_shapes:
        if shape == right:
            continue  # of one dimension
        with pytest.raises(ValueError):
            call.run(array, out=np.zeros(shape, np.float32), **keywords_of(call))


@every_call
@pytest.mark.parametrize("dtype", ["int32", "float64", ">f4", "bool", object])
def test_wrong_dtype(call: Call, dtype: Any) -> None:
    array = call.make_input(np.dtype(np.float32))
    right = call.run(array, **keywords_of(call)).shape
    with pytest.raises(TypeError):
        call.run(array, out=np.zeros(right, dtype), **keywords_of(call))


@every_call
def test_read_only(call: Call) -> None:
    array = call.make_input(np.dtype(np.float32))
    out = np.zeros(call.run(array, **keywords_of(call)).shape, np.float32)
    out.flags.writeable = False
    with pytest.raises(ValueError):
        call.run(array, out=out, **keywords_of(call))
    assert not out.any()


@every_call
def test_no_array(call: Call) -> None:
    array = call.make_input(np.dtype(np.float32))
    for out in ([0.0], bytearray(4000), 5):
        with pytest.raises(TypeError):
            call.run(array, out=out, **keywords_of(call))


def test_a_refused_call_writes_nothing() -> None:
    out = np.full((5,), 7, np.float32)
    with pytest.raises(ValueError):
        dmlc.pad(np.zeros(3, np.float32), 2, out=out)
    assert (out == 7).all()


# --- overlap: as if the input had been copied first -----------------------------------------------


@pytest.mark.parametrize("call", [c for c in CALLS if c.has_input and not c.index_input], ids=str)
def test_overlap_with_the_input(call: Call) -> None:
    for dtype in WIDTH_DTYPES:
        shape = call.run(call.make_input(dtype)).shape
        for shift in range(-60, 90, 7):
            memory = random_values((40_000,), np.dtype(np.uint8), 3)
            step = dtype.itemsize
            array: Array = np.ndarray((3, 4, 5), dtype, memory.data, 2048)
            out: Array = np.ndarray(shape, dtype, memory.data, 2048 + shift * step)
            expected = call.run(array.copy())
            before = memory.copy()
            call.run(array, out=out)
            assert_same(out.copy(), expected)
            inside = np.zeros(memory.size, np.bool_)
            start = out.ctypes.data - memory.ctypes.data
            inside[start : start + out.nbytes] = True
            assert (memory == before)[~inside].all()


def test_overlap_with_strange_strides() -> None:
    for dtype in WIDTH_DTYPES:
        matrix = random_values((9, 9), dtype, 1)
        for view in (matrix.T, matrix[::-1], matrix[:, ::-1], matrix[::-1, ::-1].T, matrix):
            memory = matrix.copy()
            source: Array = np.ndarray(
                view.shape,
                dtype,
                memory.data,
                view.ctypes.data - matrix.ctypes.data,
                view.strides,
            )
            expected = np.array(source, order="C")
            dmlc.copy(source, out=memory)
            assert_same(memory, expected)


def test_overlap_by_one_byte() -> None:
    memory = random_values((100,), np.dtype(np.uint8), 1)
    array: Array = np.ndarray((10,), np.uint32, memory.data, 0)
    out: Array = np.ndarray((10,), np.uint32, memory.data, 39)
    expected = array[::-1].copy()
    dmlc.flip(array, out=out)
    assert_same(out.copy(), expected)


@pytest.mark.parametrize("axis", [0, 1, None])
def test_flip_in_place(axis: Any) -> None:
    for dtype in WIDTH_DTYPES:
        for shape in [(2, 2), (5, 7), (64, 33)]:
            array = random_values(shape, dtype, 1)
            expected = np.flip(array, axis).copy()
            dmlc.flip(array, axis, out=array)
            assert_same(array, expected)


def test_one_hot_over_its_own_indices() -> None:
    memory = np.array([2, 0, 1, 1, 9, -1, 0, 0], np.int32)
    indices, out = memory[:2], memory[:6].reshape(2, 3)
    expected = dmlc.one_hot(indices.copy(), 3, dtype=np.int32)
    dmlc.one_hot(indices, 3, dtype=np.int32, out=out)
    assert_same(out.copy(), expected)

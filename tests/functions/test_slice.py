"""dmlc.slice, dmlc.copy and dmlc.flip."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlc
import specification_examples
import strategies
from arrays import (
    ALL_DTYPES,
    LAYOUTS,
    WIDTH_DTYPES,
    assert_fresh,
    assert_same,
    lay_out,
    random_values,
)
from functions.outcomes import assert_same_outcome
from reference import slice as slices
from specification_examples import Example


@pytest.mark.parametrize("example", specification_examples.SLICE, ids=str)
def test_specification_example(example: Example) -> None:
    fields = example.fields
    result = dmlc.slice(
        example.inputs["input_tensor"],
        fields["input_window_offsets"],
        fields["input_window_sizes"],
        fields["input_window_strides"],
    )
    assert_same(result, example.output)


# --- slice --------------------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [4, 2**70])
def test_offsets_beyond_the_array_are_named(offset: int) -> None:
    with pytest.raises(
        ValueError, match=rf"slice: offsets\[0\] must be at most the array's 3, got {offset}"
    ):
        dmlc.slice(np.zeros(3), [offset], [0], [1])
    assert dmlc.slice(np.zeros(3), [3], [0], [1]).shape == (0,)


@given(st.data())
def test_slice_is_the_twin(data: st.DataObject) -> None:
    shape = data.draw(strategies.shapes(min_side=1))
    array = data.draw(strategies.laid_out(st.just(shape)))
    offsets, sizes, strides, outputs = data.draw(strategies.windows(shape))
    result = dmlc.slice(array, offsets, sizes, strides, output_sizes=outputs)
    assert_same(result, slices.slice_window(array, offsets, sizes, strides, outputs))
    assert_fresh(result)
    whole = dmlc.slice(array, offsets, sizes, strides)
    assert_same(whole, slices.slice_window(array, offsets, sizes, strides))


def test_decision_2_magnitude_of_the_stride_and_the_dimensions_own_size() -> None:
    array = np.arange(20).reshape(2, 10)
    result = dmlc.slice(array, (0, 1), (2, 8), (-1, -3))
    assert_same(result, array[::-1, 8:0:-3].copy())


@pytest.mark.parametrize(
    ("offsets", "sizes", "strides", "output_sizes"),
    [
        ((0,), (4, 4), (1, 1), None),
        ((0, 0), (4,), (1, 1), None),
        ((0, 0), (4, 4), (1,), None),
        ((0, 0), (4, 4), (1, 1), (4,)),
        ((0, 0), (4, 5), (1, 1), None),
        ((0, 1), (4, 4), (1, 1), None),
        ((0, 4), (4, 1), (1, 1), None),
        ((0, -1), (4, 2), (1, 1), None),
        ((0, 0), (4, -1), (1, 1), None),
        ((0, 0), (4, 4), (1, 0), None),
        ((0, 0), (4, 4), (1, 2), (4, 3)),
        ((0, 0), (4, 4), (1, 1), (4, -1)),
        ((2**63, 0), (4, 4), (1, 1), None),
        ((0, 2**63 - 1), (4, 2**63 - 1), (1, 1), None),
    ],
)
def test_wrong_windows(offsets: Any, sizes: Any, strides: Any, output_sizes: Any) -> None:
    array = np.zeros((4, 4))
    with pytest.raises((ValueError, OverflowError)):
        dmlc.slice(array, offsets, sizes, strides, output_sizes=output_sizes)


def test_fields_that_are_no_integers() -> None:
    array = np.zeros(4)
    with pytest.raises(TypeError):
        dmlc.slice(array, (0.5,), (1,), (1,))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        dmlc.slice(array, (0,), ("1",), (1,))  # type: ignore[arg-type]


def test_extreme_strides_read_one_element() -> None:
    array = np.arange(5)
    for stride in (2**31 - 1, 2**40, 2**63 - 1):
        assert_same(dmlc.slice(array, (1,), (4,), (stride,)), array[1:2].copy())
        assert_same(dmlc.slice(array, (1,), (4,), (-stride,)), array[4:5].copy())
    assert_same(dmlc.slice(array, (1,), (4,), (-(2**63),)), array[4:5].copy())


# --- copy ---------------------------------------------------------------------------------------


@given(strategies.laid_out(strategies.shapes()))
def test_copy_is_a_packed_copy(array: Any) -> None:
    result = dmlc.copy(array)
    assert_same(result, np.array(array, order="C"))
    assert_fresh(result)
    assert not np.shares_memory(result, array)


@given(st.data())
def test_copy_of_transposed_windows(data: st.DataObject) -> None:
    shape = data.draw(strategies.shapes(min_rank=1))
    array = data.draw(strategies.laid_out(st.just(shape)))
    steps = [data.draw(st.sampled_from([1, 1, 2, 3, -1, -2, -3])) for _ in shape]
    view = array[tuple(slice(None, None, step) for step in steps)]
    view = view.transpose(data.draw(st.permutations(range(len(shape)))))
    assert_same(dmlc.copy(view), np.array(view, order="C"))


@pytest.mark.parametrize("dtype", WIDTH_DTYPES, ids=str)
@pytest.mark.parametrize("stride", [1, 2, 3, 4, 5, 7, 8, 9, 16, -1, -2, -3, -4, -5, -8])
def test_copy_of_strided_rows_around_every_vector_width(stride: int, dtype: Any) -> None:
    """Each length on its own and in a block of rows, at several alignments."""
    memory = random_values((4, 2500), dtype, 5)
    for length in [*range(1, 70), 95, 96, 97, 127, 128, 129, 150]:
        for start in (0, 1, 5):
            stop = start + length * abs(stride)
            rows = memory[:, start:stop][:, ::stride]
            assert_same(dmlc.copy(rows), np.array(rows, order="C"))
            assert_same(dmlc.copy(rows[0]), np.array(rows[0], order="C"))


@pytest.mark.parametrize("dtype", WIDTH_DTYPES, ids=str)
def test_copy_of_channels_and_pixels(dtype: Any) -> None:
    for channels, pixels in itertools.product(range(1, 10), [1, 2, 5, 16, 21, 43, 64, 65]):
        image = random_values((3, pixels, channels), dtype, pixels)
        views = [
            image[..., ::-1],
            image[:, ::-1],
            image[:, ::-1, ::-1],
            image[..., 1:],
            image[..., ::2],
            image[..., 1::2],
            image[:, ::2, : channels - 1],
            image[..., 0],
            np.moveaxis(image, -1, 0),
            image.transpose(1, 0, 2),
            image.T,
        ]
        for view in views:
            assert_same(dmlc.copy(view), np.array(view, order="C"))


@pytest.mark.parametrize("dtype", WIDTH_DTYPES, ids=str)
def test_copy_of_transposed_matrices(dtype: Any) -> None:
    for height, width in itertools.product([1, 2, 3, 7, 8, 9, 15, 16, 17, 33, 65], repeat=2):
        matrix = random_values((2, height, width), dtype, height)
        for view in (matrix.transpose(0, 2, 1), matrix.transpose(0, 2, 1)[:, ::-1]):
            assert_same(dmlc.copy(view), np.array(view, order="C"))


@pytest.mark.parametrize("dtype", WIDTH_DTYPES, ids=str)
def test_copy_of_a_few_long_columns(dtype: Any) -> None:
    """Kernels list 1024 of their elements at a time; a few more are left over."""
    for columns, length in itertools.product(
        range(1, 10), [1023, 1025, 1026, 1027, 1029, 1036, 2052, 3078]
    ):
        matrix = random_values((columns, length), dtype, columns)
        assert_same(dmlc.copy(matrix.T), np.array(matrix.T, order="C"))
        assert_same(dmlc.stack(list(matrix), axis=-1), np.array(matrix.T, order="C"))


@pytest.mark.parametrize("dtype", WIDTH_DTYPES, ids=str)
@pytest.mark.parametrize("row_bytes", [2048, 4096, 8192])
def test_copy_of_transposed_matrices_in_wide_rows(row_bytes: int, dtype: Any) -> None:
    """Lines a power of two apart, of more and of fewer elements than kernels take at once."""
    for rows, columns in ((31, 65), (130, 70), (259, 133), (515, 3), (257, 261)):
        wide = random_values((rows, row_bytes // dtype.itemsize), dtype, 5)
        array = wide[:, 1 : columns + 1]
        memory = np.zeros((array.shape[1], row_bytes // dtype.itemsize), dtype)
        if rows > memory.shape[1]:
            continue
        out = memory[:, -rows:]
        assert_same(dmlc.copy(array.T, out=out), np.array(array.T, order="C"))
        assert not memory[:, :-rows].any()
        assert_same(dmlc.copy(array.T), np.array(array.T, order="C"))


def test_copy_of_many_dimensions() -> None:
    """More dimensions than DirectML's eight, none of which merge."""
    array = random_values((3,) * 10, np.dtype(np.int16), 0)[(slice(None, None, 2),) * 10]
    assert_same(dmlc.copy(array), np.array(array, order="C"))
    assert_same(dmlc.copy(array.T), np.array(array.T, order="C"))
    assert_same(dmlc.copy(np.zeros((1,) * 64)), np.zeros((1,) * 64))


# --- flip ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", WIDTH_DTYPES, ids=str)
@pytest.mark.parametrize("step", [-7, -3, -1, 1, 3, 7])
def test_flip_of_many_rows(dtype: Any, step: int) -> None:
    """So many bytes that rows which go down in the input may be walked from the other end."""
    wide = random_values((700, abs(step) * (1 << 22) // 700 // dtype.itemsize), dtype, 6)
    array = wide[:, 2:-2:step] if step > 0 else wide[:, -2:2:step]
    with dmlc.num_threads(1):
        assert_same(dmlc.flip(array, 0), np.array(array[::-1], order="C"))


@given(st.data())
def test_flip_is_numpys(data: st.DataObject) -> None:
    shape = data.draw(strategies.shapes())
    array = data.draw(strategies.laid_out(st.just(shape)))
    rank = len(shape)
    axis: Any = None
    if rank and data.draw(st.booleans()):
        axes = data.draw(st.lists(st.integers(0, rank - 1), unique=True))
        axis = tuple(axis - rank * data.draw(st.booleans()) for axis in axes)
        if len(axis) == 1 and data.draw(st.booleans()):
            axis = axis[0]
    result = dmlc.flip(array, axis)
    assert_same(result, np.array(np.flip(array, axis), array.dtype, order="C"))
    assert_fresh(result)


@pytest.mark.parametrize(
    "axis",
    [None, 0, -1, 1, (0, 1), (), [0], (0, -1), np.int64(1), np.array([0, 2]), np.array(1)],
    ids=repr,
)
def test_flip_axis_forms(axis: Any) -> None:
    array = np.arange(24).reshape(2, 3, 4)
    assert_same_outcome(
        lambda: np.flip(array, axis).copy(order="C"), lambda: dmlc.flip(array, axis)
    )


@pytest.mark.parametrize("axis", [3, -4, (0, 3), (0, 0), (1, -2), 0.5, "0"], ids=repr)
def test_flip_wrong_axis_raises_what_numpy_raises(axis: Any) -> None:
    array = np.arange(24).reshape(2, 3, 4)
    assert_same_outcome(
        lambda: np.flip(array, axis).copy(order="C"), lambda: dmlc.flip(array, axis)
    )


def test_flip_of_a_scalar() -> None:
    assert_same(dmlc.flip(np.array(3)), np.array(3))
    with pytest.raises(np.exceptions.AxisError):
        dmlc.flip(np.array(3), 0)


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_dtype_and_layout(layout: str, dtype: Any) -> None:
    for shape in [(), (0, 3), (7,), (3, 5), (2, 3, 4)]:
        array = lay_out(random_values(shape, dtype, 4), layout)
        assert_same(dmlc.copy(array), np.array(array, order="C"))
        # Of a 0-d array np.flip makes a scalar, which forgets the byte order.
        flipped = np.array(np.flip(array), dtype=array.dtype, order="C")
        assert_same(dmlc.flip(array), flipped)

"""dmlc.one_hot."""

from __future__ import annotations

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
    INDEX_DTYPES,
    LAYOUTS,
    WIDTH_DTYPES,
    assert_fresh,
    assert_same,
    lay_out,
    random_values,
)
from reference import one_hot
from specification_examples import Example


@pytest.mark.parametrize("example", specification_examples.ONE_HOT, ids=str)
def test_specification_example(example: Example) -> None:
    axis = example.fields["axis"]
    on, off = one_hot.on_and_off_values(example.inputs["values_tensor"])
    result = dmlc.one_hot(
        example.inputs["indices_tensor"].squeeze(axis),
        example.output.shape[axis],
        axis=axis,
        on_value=on,
        off_value=off,
    )
    assert_same(result, example.output)


def assert_one_hot(
    indices: Any, depth: int, axis: int, dtype: Any, negative: Any = "wrap", seed: int = 0
) -> None:
    """dmlc equals the twin, with the on and off values the type's own random bits."""
    on, off = random_values((2,), np.dtype(dtype), seed)[:, ...]
    on, off = np.asarray(on, dtype), np.asarray(off, dtype)
    result = dmlc.one_hot(
        indices, depth, axis=axis, on_value=on, off_value=off, dtype=dtype, negative=negative
    )
    place = axis % (indices.ndim + 1)
    assert_same(result, one_hot.one_hot(indices, depth, place, on, off, negative))
    assert_fresh(result)


@given(st.data())
def test_one_hot_is_the_twin(data: st.DataObject) -> None:
    shape = data.draw(strategies.shapes(max_elements=400))
    depth = data.draw(st.integers(0, 40))
    index_dtype = data.draw(strategies.index_dtypes)
    values = strategies.index_values(shape, index_dtype, depth, data.draw(strategies.seeds))
    indices = lay_out(values, data.draw(strategies.layouts))
    axis = data.draw(st.integers(-len(shape) - 1, len(shape)))
    dtype = data.draw(st.sampled_from(["u1", "u2", "f4", "i8", "c16", "?", "f8"]))
    negative = data.draw(st.sampled_from(["wrap", "off"]))
    assert_one_hot(indices, depth, axis, dtype, negative, data.draw(strategies.seeds))


@pytest.mark.parametrize("index_dtype", INDEX_DTYPES, ids=str)
@pytest.mark.parametrize("negative", ["wrap", "off"])
def test_every_index_type_at_its_limits(index_dtype: Any, negative: Any) -> None:
    for depth in (1, 2, 3, 4, 8, 16, 100, 127, 128, 129, 255, 256, 300):
        indices = strategies.index_values((50,), index_dtype, depth, depth)
        for dtype in WIDTH_DTYPES:
            assert_one_hot(indices, depth, -1, dtype, negative)
            assert_one_hot(indices, depth, 0, dtype, negative)


def test_index_beyond_32_bits_is_off() -> None:
    """2^32 must not be taken for 0, nor 2^64 - 1 for -1."""
    for value, dtype in [(2**32, "i8"), (2**32, "u8"), (-(2**32), "i8"), (2**64 - 1, "u8")]:
        assert not dmlc.one_hot(np.array([value], dtype), 4).any()
        assert not dmlc.one_hot(np.array([value], dtype), 4, axis=0).any()


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=str)
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_every_output_type(axis: int, dtype: Any) -> None:
    indices = strategies.index_values((5, 7), np.dtype(np.int32), 6, 1)
    if dtype.byteorder == ">":
        result = dmlc.one_hot(indices, 6, axis=axis, dtype=dtype)
        expected = one_hot.one_hot(indices, 6, axis, np.array(1, dtype), np.array(0, dtype))
        assert_same(result, expected)
    else:
        assert_one_hot(indices, 6, axis, dtype)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout(layout: str) -> None:
    for index_dtype in INDEX_DTYPES:
        for shape in [(), (0, 3), (7,), (3, 5), (2, 3, 4)]:
            values = strategies.index_values(shape, index_dtype, 5, 3)
            for axis in range(len(shape) + 1):
                assert_one_hot(lay_out(values, layout), 5, axis, np.float32)


def test_depths_and_counts_around_every_vector_width() -> None:
    for depth in [*range(1, 34), 63, 64, 65, 127, 128, 129, 1000]:
        for count in (1, 2, 3, 15, 16, 17, 63, 64, 65, 130):
            indices = strategies.index_values((count,), np.dtype(np.int64), depth, count)
            dtype = WIDTH_DTYPES[(depth + count) % len(WIDTH_DTYPES)]
            assert_one_hot(indices, depth, -1, dtype)
            assert_one_hot(indices, depth, 0, dtype)
            assert_one_hot(indices.reshape(1, count, 1), depth, 1, dtype)


@pytest.mark.parametrize("inside", [2, 3, 8, 31, 32, 33])
def test_a_few_positions_inside_the_depth(inside: int) -> None:
    for depth in (1, 2, 3, 17, 64):
        indices = strategies.index_values((300, inside), np.dtype(np.int64), depth, inside)
        assert_one_hot(indices, depth, 1, WIDTH_DTYPES[(depth + inside) % len(WIDTH_DTYPES)])


@pytest.mark.parametrize("inside", [1, 5, 100])
def test_few_positions_and_many_planes(inside: int) -> None:
    for dtype in WIDTH_DTYPES:
        indices = strategies.index_values((2, inside), np.dtype(np.int64), 1500, inside)
        assert_one_hot(indices, 1500, 1, dtype)
        assert_one_hot(indices, 1500, 0, dtype)


def test_defaults() -> None:
    assert_same(dmlc.one_hot([0, 2, -1], 3), np.eye(3, dtype=np.float32)[[0, 2, 2]])


def test_negative_off_and_error() -> None:
    indices = np.array([1, -1])
    assert_same(dmlc.one_hot(indices, 2, negative="off"), np.array([[0, 1], [0, 0]], np.float32))
    with pytest.raises(ValueError):
        dmlc.one_hot(indices, 2, negative="error")
    with pytest.raises(ValueError):
        dmlc.one_hot(np.array([[0] * 500 + [-5]], np.int8), 2, axis=0, negative="error")
    assert_same(dmlc.one_hot([1, 0], 2, negative="error"), np.eye(2, dtype=np.float32)[[1, 0]])
    big = np.array([2**63], np.uint64)
    assert not dmlc.one_hot(big, 2, negative="error").any()


def test_depth_zero_and_empty_indices() -> None:
    assert_same(dmlc.one_hot([0, 1], 0), np.zeros((2, 0), np.float32))
    assert_same(dmlc.one_hot([0, 1], 0, axis=0), np.zeros((0, 2), np.float32))
    empty = np.zeros((0, 3), np.int32)
    assert_same(dmlc.one_hot(empty, 4, axis=1), np.zeros((0, 4, 3), np.float32))


def test_a_scalar_index() -> None:
    assert_same(dmlc.one_hot(np.int16(1), 3), np.array([0, 1, 0], np.float32))


@pytest.mark.parametrize("indices", [[1.0, 2.0], np.float32(1), [1j], ["1"], [None]], ids=repr)
def test_indices_that_are_no_integers(indices: Any) -> None:
    with pytest.raises(TypeError):
        dmlc.one_hot(indices, 3)


@pytest.mark.parametrize("axis", [2, -3, 100])
def test_axis_outside(axis: int) -> None:
    with pytest.raises(np.exceptions.AxisError):
        dmlc.one_hot([0, 1], 3, axis=axis)


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError):
        dmlc.one_hot([0], -1)
    with pytest.raises(TypeError):
        dmlc.one_hot([0], 2.0)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        dmlc.one_hot([0], 2, axis=0.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        dmlc.one_hot([0], 2, negative="nonsense")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        dmlc.one_hot([0], 2, dtype=object)

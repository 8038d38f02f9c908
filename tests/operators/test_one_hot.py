"""ONE_HOT against the twin."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import dmlc
import strategies
from arrays import assert_same
from operators.running import DEVICE, assert_dispatch, tensor_desc
from reference import one_hot


@given(st.data())
def test_one_hot_is_the_twin(data: st.DataObject) -> None:
    dtype = data.draw(strategies.element_dtypes)
    index_dtype = data.draw(strategies.tensor_index_dtypes)
    sizes = list(data.draw(strategies.shapes(min_rank=1, min_side=1, max_elements=600)))
    axis = data.draw(st.integers(0, len(sizes) - 1))
    depth = sizes[axis]
    index_sizes = [*sizes[:axis], 1, *sizes[axis + 1 :]]
    values_sizes = [data.draw(st.integers(1, 3)) for _ in sizes]
    if max(values_sizes) == 1:
        values_sizes[data.draw(st.integers(0, len(sizes) - 1))] = 2

    indices = data.draw(strategies.input_tensors(index_sizes, index_dtype))
    chosen = strategies.index_values(index_sizes, index_dtype, depth, data.draw(strategies.seeds))
    index_memory = indices.memory_of(chosen)
    values = data.draw(strategies.input_tensors(values_sizes, dtype))
    values_memory = values.memory(data.draw(strategies.seeds))
    on, off = one_hot.on_and_off_values(values.read(values_memory))
    found = indices.read(index_memory).squeeze(axis)
    expected = one_hot.one_hot(found, depth, axis, on, off)
    output = data.draw(strategies.output_tensors(sizes, dtype))
    desc = dmlc.OneHotOperatorDesc(indices.desc(), values.desc(), output.desc(), axis)
    assert_dispatch(desc, [(indices, index_memory), (values, values_memory)], output, expected)


def test_on_value_stands_along_the_fastest_changing_dimension() -> None:
    indices = np.array([[[[1]]]], np.uint32)
    expected = np.array([[[[0, 0]]]], np.int32)
    for shape, on in [((2, 3, 4, 5), 1), ((2, 3, 4, 1), 1), ((2, 1, 3, 1), 1), ((7, 1, 1, 1), 1)]:
        values = np.arange(np.prod(shape), dtype=np.int32).reshape(shape) * 10
        expected[...] = [[[[0, 10 * on]]]]
        desc = dmlc.OneHotOperatorDesc(
            tensor_desc(indices), tensor_desc(values), tensor_desc(expected), 3
        )
        assert_same(DEVICE.compile_operator(desc)(indices, values), expected)


def test_values_of_zero_stride_make_on_and_off_equal() -> None:
    indices = np.array([0, 1], np.int64).reshape(2, 1)
    values = strategies.Tensor(np.dtype(np.int8), (1, 2), (0, 0))
    output = strategies.Tensor(np.dtype(np.int8), (2, 2))
    packed = strategies.Tensor(indices.dtype, (2, 1))
    desc = dmlc.OneHotOperatorDesc(packed.desc(), values.desc(), output.desc(), 1)
    result = DEVICE.compile_operator(desc)(indices, bytes([5, 6, 7, 8]))
    assert_same(result, np.full((2, 2), 5, np.int8))

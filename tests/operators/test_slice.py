"""SLICE1 and SLICE against the twin."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import dmlc
import strategies
from arrays import assert_same
from operators.running import DEVICE, assert_dispatch, tensor_desc
from reference import slice as slices

INT32_MAX = 2**31 - 1


@given(st.data())
def test_slice1_is_the_twin(data: st.DataObject) -> None:
    dtype = data.draw(strategies.element_dtypes)
    sizes = data.draw(strategies.shapes(min_rank=1, min_side=1, max_elements=600))
    source = data.draw(strategies.input_tensors(sizes, dtype))
    memory = source.memory(data.draw(strategies.seeds))
    offsets, window_sizes, strides, outputs = data.draw(strategies.windows(sizes))
    array = source.read(memory)
    expected = slices.slice_window(array, offsets, window_sizes, strides, outputs)
    output = data.draw(strategies.output_tensors(outputs, dtype))
    desc = dmlc.Slice1OperatorDesc(source.desc(), output.desc(), offsets, window_sizes, strides)
    assert_dispatch(desc, [(source, memory)], output, expected)


@given(st.data())
def test_slice_is_the_twin(data: st.DataObject) -> None:
    dtype = data.draw(strategies.element_dtypes)
    sizes = data.draw(strategies.shapes(min_rank=1, min_side=1, max_elements=600))
    source = data.draw(strategies.input_tensors(sizes, dtype))
    memory = source.memory(data.draw(strategies.seeds))
    offsets, windows, strides, outputs = data.draw(strategies.windows(sizes))
    strides = tuple(abs(stride) for stride in strides)
    array = source.read(memory)
    expected = slices.slice_window(array, offsets, windows, strides, outputs)
    output = data.draw(strategies.output_tensors(outputs, dtype))
    desc = dmlc.SliceOperatorDesc(source.desc(), output.desc(), offsets, outputs, strides)
    assert_dispatch(desc, [(source, memory)], output, expected)


def test_decision_2_each_dimension_uses_its_own_window_size() -> None:
    array = np.arange(15, dtype=np.float32).reshape(3, 5)
    expected = array[::-1, 4:0:-2].copy()
    desc = dmlc.Slice1OperatorDesc(
        tensor_desc(array), tensor_desc(expected), (0, 1), (3, 4), (-1, -2)
    )
    assert_same(DEVICE.compile_operator(desc)(array), expected)


def test_extreme_strides_reach_one_element() -> None:
    array = np.arange(5, dtype=np.int8)
    for stride, expected in [(INT32_MAX, array[1:2]), (-(2**31), array[4:5])]:
        desc = dmlc.Slice1OperatorDesc(
            tensor_desc(array), tensor_desc(expected), (1,), (4,), (stride,)
        )
        assert_same(DEVICE.compile_operator(desc)(array), expected.copy())

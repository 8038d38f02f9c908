"""DIAGONAL_MATRIX1 and DIAGONAL_MATRIX against the twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlc
import strategies
from arrays import ELEMENT_DTYPES, assert_same, random_values
from operators.running import DEVICE, assert_dispatch, tensor_desc
from reference import buffers, diagonal_matrix, scalars

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1
bounds = st.integers(-20, 20) | st.sampled_from(
    [INT32_MIN, INT32_MIN + 1, INT32_MAX, INT32_MAX - 1]
)
matrix_sizes = strategies.shapes(min_rank=2, max_rank=4, min_side=1)


@given(st.data())
def test_matrix1_is_the_twin(data: st.DataObject) -> None:
    dtype = data.draw(strategies.element_dtypes)
    sizes = data.draw(matrix_sizes)
    begin, end = data.draw(bounds), data.draw(bounds)
    value: Any = np.asarray(random_values((1,), dtype, data.draw(strategies.seeds))[0], dtype)
    output = data.draw(strategies.output_tensors(sizes, dtype))
    if data.draw(st.booleans()):
        source = data.draw(strategies.input_tensors(sizes, dtype))
        memory = source.memory(data.draw(strategies.seeds))
        inputs = [(source, memory)]
        input_desc = source.desc()
        expected = diagonal_matrix.fill_band(source.read(memory), begin, end, value)
    else:
        inputs, input_desc = [], None
        expected = diagonal_matrix.diagonal_matrix(sizes, begin, end, value)
    desc = dmlc.DiagonalMatrix1OperatorDesc(
        input_tensor=input_desc,
        output_tensor=output.desc(),
        value_data_type=dmlc.TensorDataType.from_dtype(dtype),
        value=value[()],
        diagonal_fill_begin=begin,
        diagonal_fill_end=end,
    )
    assert_dispatch(desc, inputs, output, expected)


@given(
    data=st.data(),
    sizes=matrix_sizes,
    offset=bounds,
    dtype=strategies.element_dtypes,
    value=st.floats(width=32, allow_nan=False),
)
def test_matrix_is_the_twin(
    data: st.DataObject, sizes: tuple[int, ...], offset: int, dtype: Any, value: float
) -> None:
    element = scalars.float_to_element(value, dtype)
    expected = diagonal_matrix.diagonal_matrix(sizes, offset, offset + 1, element)
    output = data.draw(strategies.output_tensors(sizes, dtype))
    desc = dmlc.DiagonalMatrixOperatorDesc(output.desc(), offset, value)
    assert_dispatch(desc, [], output, expected)


@pytest.mark.parametrize("dtype", ELEMENT_DTYPES, ids=str)
@pytest.mark.parametrize("value", [10.6, -10.6, 1e20, -1e20, 2051.0, float("inf")])
def test_decision_4_float_value_of_every_type(value: float, dtype: Any) -> None:
    element = scalars.float_to_element(value, dtype)
    expected = diagonal_matrix.diagonal_matrix((3, 3), 1, 2, element)
    desc = dmlc.DiagonalMatrixOperatorDesc(tensor_desc(expected), 1, value)
    assert_same(DEVICE.compile_operator(desc)(), expected)


@pytest.mark.parametrize("begin", [INT32_MIN, -1, 0, 1, INT32_MAX])
@pytest.mark.parametrize("end", [INT32_MIN, -1, 0, 1, INT32_MAX])
def test_bounds_reach_the_limits_of_int32(begin: int, end: int) -> None:
    array = np.arange(12, dtype=np.int32).reshape(3, 4)
    expected = diagonal_matrix.fill_band(array, begin, end, np.array(99, np.int32))
    desc = dmlc.DiagonalMatrix1OperatorDesc(
        input_tensor=tensor_desc(array),
        output_tensor=tensor_desc(array),
        value_data_type=dmlc.TensorDataType.INT32,
        value=99,
        diagonal_fill_begin=begin,
        diagonal_fill_end=end,
    )
    assert_same(DEVICE.compile_operator(desc)(array), expected)


@given(st.data())
def test_decision_6_matrix1_runs_in_place(data: st.DataObject) -> None:
    """One flat buffer, one layout: the band is written and everything else stays."""
    sizes = data.draw(matrix_sizes)
    dtype = data.draw(strategies.element_dtypes)
    tensor = data.draw(strategies.output_tensors(sizes, dtype))
    memory = tensor.memory(data.draw(strategies.seeds))
    begin, end = data.draw(bounds), data.draw(bounds)
    value: Any = np.asarray(random_values((1,), dtype, 1)[0], dtype)
    expected = memory.copy()
    filled = diagonal_matrix.fill_band(tensor.read(memory), begin, end, value)
    buffers.write(expected, filled, tensor.strides)
    desc = dmlc.DiagonalMatrix1OperatorDesc(
        input_tensor=tensor.desc(),
        output_tensor=tensor.desc(),
        value_data_type=dmlc.TensorDataType.from_dtype(dtype),
        value=value[()],
        diagonal_fill_begin=begin,
        diagonal_fill_end=end,
    )
    DEVICE.compile_operator(desc)(memory, out=memory)
    np.testing.assert_array_equal(memory, expected)

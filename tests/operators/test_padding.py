"""PADDING and PADDING1 against the twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.padding import MODES

import dmlc
import strategies
from arrays import ELEMENT_DTYPES, assert_same, random_values
from operators.running import DEVICE, assert_dispatch, tensor_desc
from reference import padding, scalars

MODE_NUMBERS = dict(zip(MODES, dmlc.PaddingMode, strict=True))


@given(st.data())
def test_padding1_is_the_twin(data: st.DataObject) -> None:
    dtype = data.draw(strategies.element_dtypes)
    sizes = data.draw(strategies.shapes(min_rank=1, min_side=1, max_elements=300))
    mode = data.draw(strategies.modes)
    widths = data.draw(strategies.pad_widths(sizes, mode, max_elements=4000))
    source = data.draw(strategies.input_tensors(sizes, dtype))
    memory = source.memory(data.draw(strategies.seeds))
    fill: Any = np.asarray(random_values((1,), dtype, data.draw(strategies.seeds))[0], dtype)
    expected = padding.pad(source.read(memory), widths, mode, fill)
    output = data.draw(strategies.output_tensors(expected.shape, dtype))
    desc = dmlc.Padding1OperatorDesc(
        source.desc(),
        output.desc(),
        MODE_NUMBERS[mode],
        dmlc.TensorDataType.from_dtype(dtype),
        fill[()],
        [before for before, _ in widths],
        [after for _, after in widths],
    )
    assert_dispatch(desc, [(source, memory)], output, expected)


FLOATS = [0.0, -0.0, 10.6, -10.6, 300.0, -1.0, 1e10, -1e10, 1e39, 65520.0, 2049.0, 2051.0]
FLOATS += [float("inf"), float("-inf"), float("nan"), 0.1, 2.0**31, 2.0**63, 2.0**64, 16777217.0]


@pytest.mark.parametrize("dtype", ELEMENT_DTYPES, ids=str)
@pytest.mark.parametrize("value", FLOATS)
def test_decision_4_float_padding_value_of_every_type(value: float, dtype: Any) -> None:
    array = random_values((2, 3), dtype, 1)
    fill = scalars.float_to_element(value, dtype)
    expected = padding.pad(array, [(1, 0), (0, 2)], "constant", fill)
    desc = dmlc.PaddingOperatorDesc(
        tensor_desc(array), tensor_desc(expected), dmlc.PaddingMode.CONSTANT, value, (1, 0), (0, 2)
    )
    result = DEVICE.compile_operator(desc)(array)
    if np.isnan(value):
        np.testing.assert_array_equal(result[0], fill)
    else:
        assert_same(result, expected)


def test_decision_3_reflection_of_a_dimension_of_size_1_repeats_it() -> None:
    array = np.array([[7], [8]], np.int16)
    expected = np.array([[7] * 6, [8] * 6], np.int16)
    desc = dmlc.PaddingOperatorDesc(
        tensor_desc(array),
        tensor_desc(expected),
        dmlc.PaddingMode.REFLECTION,
        0.0,
        (0, 2),
        (0, 3),
    )
    assert_same(DEVICE.compile_operator(desc)(array), expected)


def test_padding1_keeps_exact_64_bit_integers_and_nan_payloads() -> None:
    payload = np.array(0x7FF0_0000_DEAD_BEEF, np.uint64).view(np.float64)
    values: list[Any] = [np.int64(2**53 + 1), np.uint64(2**64 - 1), payload[()]]
    for value in values:
        array = np.zeros(1, value.dtype)
        expected = np.array([value, 0, value], value.dtype)
        desc = dmlc.Padding1OperatorDesc(
            tensor_desc(array),
            tensor_desc(expected),
            dmlc.PaddingMode.CONSTANT,
            dmlc.TensorDataType.from_dtype(value.dtype),
            value,
            (1,),
            (1,),
        )
        assert_same(DEVICE.compile_operator(desc)(array), expected)

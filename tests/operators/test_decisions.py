"""The decisions of the specification, one test each (3, 4 and 6 stand with their operators)."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import dmlc
from arrays import assert_same, random_values
from operators.running import DEVICE, tensor_desc
from strategies import Tensor

INT8 = np.dtype(np.int8)


def copy_into(output: Tensor) -> dmlc.Slice1OperatorDesc:
    source = Tensor(output.dtype, output.sizes)
    rank = len(output.sizes)
    return dmlc.Slice1OperatorDesc(
        source.desc(), output.desc(), (0,) * rank, output.sizes, (1,) * rank
    )


def test_decision_1_the_pseudocode_is_right_not_the_example() -> None:
    output = np.zeros((4, 5), np.float32)
    desc = dmlc.DiagonalMatrix1OperatorDesc(
        output_tensor=tensor_desc(output),
        value_data_type=dmlc.TensorDataType.FLOAT32,
        value=7.0,
        diagonal_fill_begin=0,
        diagonal_fill_end=1,
    )
    result = DEVICE.compile_operator(desc)()
    assert_same(result, 7 * np.eye(4, 5, dtype=np.float32))


def test_decision_2_the_output_may_use_the_strides_magnitude() -> None:
    array = np.arange(7, dtype=np.int8)
    expected = array[::-3].copy()
    desc = dmlc.Slice1OperatorDesc(tensor_desc(array), tensor_desc(expected), (0,), (7,), (-3,))
    assert_same(DEVICE.compile_operator(desc)(array), expected)
    longer = dmlc.BufferTensorDesc(dmlc.TensorDataType.INT8, (4,))
    complaints = DEVICE.check(
        dmlc.Slice1OperatorDesc(tensor_desc(array), longer, (0,), (7,), (-3,))
    )
    assert [complaint.field for complaint in complaints] == ["output_tensor.sizes[0]"]


@pytest.mark.parametrize(
    ("sizes", "strides"),
    [
        ((2, 3), (2, 1)),
        ((2, 3), (0, 1)),
        ((2, 3), (1, 1)),
        ((3, 2), (1, 2)),
        ((2, 2, 2), (3, 2, 1)),
        ((4,), (0,)),
    ],
)
def test_decision_5_output_strides_that_may_collide_are_invalid(
    sizes: tuple[int, ...], strides: tuple[int, ...]
) -> None:
    desc = copy_into(Tensor(INT8, sizes, strides))
    complaints = DEVICE.check(desc)
    assert complaints
    assert all(c.field.startswith("output_tensor.strides") for c in complaints)
    with pytest.raises(dmlc.InvalidDescriptorError) as error:
        DEVICE.compile_operator(desc)
    assert str(error.value) == str(complaints[0])


@pytest.mark.parametrize(
    ("sizes", "strides"),
    [((2, 3), (3, 1)), ((2, 3), (1, 2)), ((2, 3), (100, 7)), ((2, 1, 3), (3, 1, 1))],
)
def test_decision_5_output_strides_that_cannot_collide_are_valid(
    sizes: tuple[int, ...], strides: tuple[int, ...]
) -> None:
    assert DEVICE.check(copy_into(Tensor(INT8, sizes, strides))) == []


def test_decision_5_inputs_may_collide() -> None:
    source = Tensor(INT8, (2, 3), (1, 1))
    output = Tensor(INT8, (2, 3))
    desc = dmlc.Slice1OperatorDesc(source.desc(), output.desc(), (0, 0), (2, 3), (1, 1))
    result = DEVICE.compile_operator(desc)(bytes([1, 2, 3, 4]))
    assert_same(result, np.array([[1, 2, 3], [2, 3, 4]], np.int8))


def test_decision_7_zero_sizes_are_invalid_in_descriptors_and_fine_for_functions() -> None:
    complaints = DEVICE.check(copy_into(Tensor(INT8, (0, 3))))
    assert "output_tensor.sizes[0]" in [complaint.field for complaint in complaints]
    assert_same(dmlc.copy(np.zeros((0, 3), np.int8)), np.zeros((0, 3), np.int8))


def test_decision_8_functions_take_any_fixed_width_type_and_rank() -> None:
    for dtype in (bool, "complex128", "datetime64[D]", ml_dtypes.bfloat16, ml_dtypes.float8_e5m2):
        array = random_values((2,) * 11, np.dtype(dtype), 8)
        assert_same(dmlc.flip(array), np.flip(array).copy())
    with pytest.raises(TypeError):
        dmlc.TensorDataType.from_dtype(np.dtype(bool))
    nine = dmlc.BufferTensorDesc(dmlc.TensorDataType.INT8, (1,) * 9)
    desc = dmlc.Slice1OperatorDesc(nine, nine, (0,) * 9, (1,) * 9, (1,) * 9)
    assert DEVICE.check(desc)

"""Descriptors that no one should write, and bindings that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlc
from robustness import hostile

types = st.sampled_from(list(dmlc.TensorDataType)) | hostile.any_integer
integer_lists = (
    st.lists(st.integers(0, 4), min_size=1, max_size=5)
    | st.lists(hostile.integers, max_size=9)
    | hostile.integer_lists
)
tensors = st.builds(
    lambda data_type, sizes, strides: _tensor(data_type, sizes, strides),
    st.sampled_from(list(dmlc.TensorDataType)),
    st.lists(st.integers(1, 4), min_size=1, max_size=5)
    | st.lists(st.sampled_from([0, 1, 2**31, 2**32 - 1, 2**32, 2**64]), max_size=9),
    st.none() | st.lists(st.integers(0, 9), max_size=5),
)
tensor_fields = tensors | st.none() | hostile.junk
modes = st.sampled_from(list(dmlc.PaddingMode)) | hostile.any_integer
values = st.sampled_from([0, 1, -1, 2**70, np.nan, np.inf, 1e400]) | hostile.values

FIELDS: dict[str, dict[str, Any]] = {
    "BufferTensorDesc": {
        "data_type": types,
        "sizes": integer_lists,
        "strides": integer_lists,
        "flags": hostile.any_integer,
        "total_tensor_size_in_bytes": hostile.any_integer,
        "guaranteed_base_offset_alignment": hostile.any_integer,
    },
    "PaddingOperatorDesc": {
        "input_tensor": tensor_fields,
        "output_tensor": tensor_fields,
        "padding_mode": modes,
        "padding_value": values,
        "start_padding": integer_lists,
        "end_padding": integer_lists,
    },
    "Padding1OperatorDesc": {
        "input_tensor": tensor_fields,
        "output_tensor": tensor_fields,
        "padding_mode": modes,
        "padding_value_data_type": types,
        "padding_value": values,
        "start_padding": integer_lists,
        "end_padding": integer_lists,
    },
    "OneHotOperatorDesc": {
        "indices_tensor": tensor_fields,
        "values_tensor": tensor_fields,
        "output_tensor": tensor_fields,
        "axis": hostile.any_integer,
    },
    "Slice1OperatorDesc": {
        "input_tensor": tensor_fields,
        "output_tensor": tensor_fields,
        "input_window_offsets": integer_lists,
        "input_window_sizes": integer_lists,
        "input_window_strides": integer_lists,
    },
    "SliceOperatorDesc": {
        "input_tensor": tensor_fields,
        "output_tensor": tensor_fields,
        "offsets": integer_lists,
        "sizes": integer_lists,
        "strides": integer_lists,
    },
    "DiagonalMatrix1OperatorDesc": {
        "input_tensor": tensor_fields,
        "output_tensor": tensor_fields,
        "value_data_type": types,
        "value": values,
        "diagonal_fill_begin": hostile.any_integer,
        "diagonal_fill_end": hostile.any_integer,
    },
    "DiagonalMatrixOperatorDesc": {
        "output_tensor": tensor_fields,
        "offset": hostile.any_integer,
        "value": values,
    },
}


def _tensor(data_type: Any, sizes: Any, strides: Any) -> Any:
    return dmlc.BufferTensorDesc(data_type, sizes, strides)


def test_every_descriptor_is_here() -> None:
    assert {name for name in dmlc.__all__ if name.endswith("Desc")} == FIELDS.keys()


@pytest.mark.parametrize("name", FIELDS)
@given(st.data())
def test_hostile_fields(name: str, data: st.DataObject) -> None:
    """Made or refused; what was made is judged; what is right is compiled."""
    fields = data.draw(st.fixed_dictionaries(FIELDS[name]))
    desc = hostile.call(getattr(dmlc, name), {}, fields)
    if isinstance(desc, BaseException):
        assert not isinstance(desc, MemoryError)
        return
    repr(desc)
    hash(desc)
    assert desc == desc
    if name == "BufferTensorDesc":
        return
    complaints = dmlc.Device().check(desc)
    for complaint in complaints:
        assert isinstance(complaint, dmlc.InvalidDescriptorError)
        assert complaint.operator == name
        assert str(complaint)
    if complaints:
        with pytest.raises(dmlc.InvalidDescriptorError):
            dmlc.Device().compile_operator(desc)
    else:
        dmlc.Device().compile_operator(desc)


@given(desc=hostile.values | hostile.dtypes)
def test_what_is_no_descriptor(desc: Any) -> None:
    for use in (dmlc.Device().check, dmlc.Device().compile_operator):
        with pytest.raises((TypeError, dmlc.InvalidDescriptorError, hostile.Deliberate)):
            use(desc)


@given(level=hostile.any_integer)
def test_hostile_feature_levels(level: Any) -> None:
    hostile.call(dmlc.Device, {"feature_level": level}, {})


def _tensor_of(shape: tuple[int, ...], name: str = "FLOAT32") -> Any:
    return dmlc.BufferTensorDesc(dmlc.TensorDataType[name], shape)


def _operators() -> dict[str, Any]:
    square, wide = _tensor_of((2, 3)), _tensor_of((4, 3))
    edge = dmlc.PaddingMode.EDGE
    float32 = dmlc.TensorDataType.FLOAT32
    descs: list[Any] = [
        dmlc.PaddingOperatorDesc(square, wide, edge, 0.0, (1, 0), (1, 0)),
        dmlc.Padding1OperatorDesc(square, wide, edge, float32, 0.0, (1, 0), (1, 0)),
        dmlc.OneHotOperatorDesc(
            _tensor_of((2, 1), "INT32"), _tensor_of((1, 2)), _tensor_of((2, 3)), 1
        ),
        dmlc.Slice1OperatorDesc(wide, square, (0, 0), (4, 3), (2, -1)),
        dmlc.SliceOperatorDesc(wide, square, (0, 0), (2, 3), (1, 1)),
        dmlc.DiagonalMatrix1OperatorDesc(
            input_tensor=square,
            output_tensor=square,
            value_data_type=float32,
            value=1.0,
            diagonal_fill_begin=0,
            diagonal_fill_end=1,
        ),
        dmlc.DiagonalMatrixOperatorDesc(square, 0, 1.0),
    ]
    return {type(desc).__name__: dmlc.Device().compile_operator(desc) for desc in descs}


OPERATORS = _operators()
_flat = st.sampled_from([0, 1, 8, 23, 24, 25, 48, 100]).map(lambda count: np.zeros(count, np.uint8))
_buffers = st.sampled_from([b"", b"12345678", bytes(24), bytearray(48), memoryview(bytes(99))])
bound = hostile.arrays | hostile.outs | _flat | _buffers


@pytest.mark.parametrize("name", OPERATORS)
@given(inputs=st.lists(bound, max_size=3), out=bound)
def test_hostile_bindings(name: str, inputs: list[Any], out: Any) -> None:
    arguments = {str(place): value for place, value in enumerate(inputs)}
    result = hostile.call(OPERATORS[name], arguments, {"out": out})
    assert isinstance(result, BaseException) or out is None or result is out

"""Descriptors as DxDispatch's JSON: out and back again to an equal descriptor."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from dmlc import (
    BufferTensorDesc,
    DiagonalMatrix1OperatorDesc,
    DiagonalMatrixOperatorDesc,
    DmlcError,
    OneHotOperatorDesc,
    Padding1OperatorDesc,
    PaddingMode,
    PaddingOperatorDesc,
    Slice1OperatorDesc,
    SliceOperatorDesc,
    TensorDataType,
    TensorFlags,
)

UINT32 = st.integers(0, 2**32 - 1)
INT32 = st.integers(-(2**31), 2**31 - 1)
known_types = st.sampled_from([member for member in TensorDataType if member.value])
floats = st.floats() | st.integers() | st.floats(width=32).map(np.float32)


@st.composite
def tensors(draw: st.DrawFn, rank: int | None = None, data_type: Any = None) -> BufferTensorDesc:
    """What a tensor's fields can hold as unsigned integers, valid or not."""
    rank = draw(st.integers(0, 9)) if rank is None else rank
    sizes = draw(st.lists(UINT32, min_size=rank, max_size=rank))
    return BufferTensorDesc(
        data_type or draw(st.sampled_from(TensorDataType)),
        sizes,
        draw(st.none() | st.lists(UINT32, min_size=rank, max_size=rank)),
        flags=draw(st.sampled_from(TensorFlags)),
        total_tensor_size_in_bytes=draw(st.none() | st.integers(1, 2**64 - 1)),
        guaranteed_base_offset_alignment=draw(UINT32),
    )


def arrays(rank: int, entry: st.SearchStrategy[int] = UINT32) -> st.SearchStrategy[list[int]]:
    return st.lists(entry, min_size=rank, max_size=rank)


@st.composite
def scalars(draw: st.DrawFn, data_type: TensorDataType) -> Any:
    """Every value that JSON can say: for FLOAT16 also each NaN."""
    if data_type.integer_range is not None:
        return draw(st.integers(data_type.integer_range[0], data_type.integer_range[-1]))
    if data_type == TensorDataType.FLOAT16:
        return data_type.from_bits(draw(st.integers(0, 2**16 - 1)))
    return draw(floats.filter(lambda value: not _is_odd_nan(value)))


def _is_odd_nan(value: Any) -> bool:
    if isinstance(value, int) or not math.isnan(value):
        return False
    kind = type(value)
    return np.array(value).tobytes() != np.array(kind(math.nan)).tobytes()


default_floats = floats.filter(lambda value: not _is_odd_nan(value))


@st.composite
def operators(draw: st.DrawFn) -> Any:
    rank = draw(st.integers(0, 8))
    tensor = tensors(rank)
    kind = draw(st.integers(0, 6))
    data_type = draw(known_types)
    padding = (draw(arrays(rank)), draw(arrays(rank)))
    mode = draw(st.sampled_from(PaddingMode))
    if kind == 0:
        value = draw(default_floats)
        return PaddingOperatorDesc(draw(tensor), draw(tensor), mode, value, *padding)
    if kind == 1:
        value = draw(scalars(data_type))
        return Padding1OperatorDesc(draw(tensor), draw(tensor), mode, data_type, value, *padding)
    if kind == 2:
        return OneHotOperatorDesc(draw(tensors()), draw(tensors()), draw(tensors()), draw(UINT32))
    if kind == 3:
        windows = (draw(arrays(rank)), draw(arrays(rank)), draw(arrays(rank, INT32)))
        return Slice1OperatorDesc(draw(tensor), draw(tensor), *windows)
    if kind == 4:
        windows = (draw(arrays(rank)), draw(arrays(rank)), draw(arrays(rank)))
        return SliceOperatorDesc(draw(tensor), draw(tensor), *windows)
    if kind == 5:
        return DiagonalMatrixOperatorDesc(draw(tensors()), draw(INT32), draw(default_floats))
    return DiagonalMatrix1OperatorDesc(
        input_tensor=draw(st.none() | tensors()),
        output_tensor=draw(tensors()),
        value_data_type=data_type,
        value=draw(scalars(data_type)),
        diagonal_fill_begin=draw(INT32),
        diagonal_fill_end=draw(INT32),
    )


@given(operators() | tensors())
def test_out_and_back_is_equal(desc: Any) -> None:
    document = desc.to_json()
    assert type(desc).from_json(document) == desc
    # By way of text as well, which holds no NaN that JSON does not have.
    assert type(desc).from_json(json.dumps(document, allow_nan=False)) == desc


TENSOR = BufferTensorDesc(TensorDataType.FLOAT32, (2, 3))
SLICE = SliceOperatorDesc(TENSOR, TENSOR, (0, 0), (2, 3), (1, 1))


def test_the_form_is_a_dispatchable() -> None:
    assert SLICE.to_json() == {
        "type": "DML_OPERATOR_SLICE",
        "desc": {
            "InputTensor": {"DataType": "FLOAT32", "Sizes": [2, 3]},
            "OutputTensor": {"DataType": "FLOAT32", "Sizes": [2, 3]},
            "DimensionCount": 2,
            "Offsets": [0, 0],
            "Sizes": [2, 3],
            "Strides": [1, 1],
        },
    }


def test_a_dispatchable_in_other_forms() -> None:
    fields = SLICE.to_json()["desc"]
    for document in (
        {"type": "SLICE", **fields},
        {"Type": "SLICE", "Desc": fields, "note": 1},
        {"type": "SLICE", "desc": {"Type": "DML_OPERATOR_SLICE", "Desc": fields}},
        f'// mine\n{{"type": "SLICE", "desc": {json.dumps(fields)},}} the end',
    ):
        assert SliceOperatorDesc.from_json(document) == SLICE  # type: ignore[arg-type]


def _cyclic() -> dict[str, Any]:
    document: dict[str, Any] = {"type": "SLICE"}
    document["desc"] = document
    return document


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("{", "line 1, column 2: the file ends inside the document"),
        ("[" * 100_000, "line 1, column 1: arrays and objects are nested too deeply"),
        ("3", "must be an object, got 3"),
        (None, "must be an object, got null"),
        (b"{}", "must be an object, got a bytes, which JSON does not have"),
        ({1: 2}, "must have strings for names, got 1"),
        ({}, "type is required"),
        (
            {"type": "DML_OPERATOR_PADDING"},
            (
                "type: must be DML_OPERATOR_SLICE, as this is SliceOperatorDesc, "
                'got "DML_OPERATOR_PADDING"'
            ),
        ),
        ({"type": "SLICE", "desc": {}}, "desc: InputTensor is required"),
        ({"type": "SLICE", "desc": 1j}, "desc: must be an object, got a complex"),
        (_cyclic(), 'desc.desc: has no member "type"'),
    ],
)
def test_other_documents_are_refused_with_their_place(document: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}") as caught:
        SliceOperatorDesc.from_json(document)
    assert isinstance(caught.value, DmlcError)


@pytest.mark.parametrize("value", [10**400, "x", True, [1], None, 1j])
def test_numbers_that_are_none(value: Any) -> None:
    document = DiagonalMatrixOperatorDesc(TENSOR, 0, 0).to_json()
    document["desc"]["Value"] = value
    with pytest.raises(ValueError, match=r"^desc.Value: must be a number"):
        DiagonalMatrixOperatorDesc.from_json(document)


@pytest.mark.parametrize(
    ("data_type", "bits"),
    [
        (TensorDataType.FLOAT32, 0xFFC00000),
        (TensorDataType.FLOAT32, 0x7F800001),
        (TensorDataType.FLOAT64, 0x7FF0000000000001),
    ],
)
def test_a_nan_that_json_cannot_say_is_refused(data_type: TensorDataType, bits: int) -> None:
    value: Any = data_type.from_bits(bits)
    tensor = BufferTensorDesc(data_type, (1,))
    desc = Padding1OperatorDesc(tensor, tensor, PaddingMode.EDGE, data_type, value, (0,), (0,))
    with pytest.raises(ValueError, match=r"^Padding1OperatorDesc.padding_value: must be a NaN"):
        desc.to_json()
    with pytest.raises(ValueError, match=r"^DiagonalMatrixOperatorDesc.value: must be a NaN"):
        DiagonalMatrixOperatorDesc(tensor, 0, np.float32(-np.float32("nan"))).to_json()


def test_values_that_a_type_does_not_hold_are_written_as_they_are() -> None:
    tensor = BufferTensorDesc(TensorDataType.UINT8, (1,))
    desc = Padding1OperatorDesc(
        tensor, tensor, PaddingMode.EDGE, TensorDataType.UINT8, 300, (0,), (0,)
    )
    assert desc.to_json()["desc"]["PaddingValue"] == 300
    with pytest.raises(ValueError, match=r"^desc.PaddingValue: must be from 0 to 255, got 300"):
        Padding1OperatorDesc.from_json(desc.to_json())


@given(st.data())
def test_valid_descriptors_stay_valid(data: st.DataObject) -> None:
    """The strides, sizes and flags of what runs, drawn as the operators' tests draw them."""
    dtype = data.draw(strategies.element_dtypes)
    sizes = data.draw(strategies.shapes(min_rank=1, min_side=1))
    tensor = data.draw(strategies.output_tensors(sizes, dtype)).desc()
    again = BufferTensorDesc.from_json(json.dumps(tensor.to_json()))
    assert again == tensor
    assert again.size_in_bytes == tensor.size_in_bytes

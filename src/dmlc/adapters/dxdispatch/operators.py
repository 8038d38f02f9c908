"""DirectML's operator descriptors in JSON: one row per operator, one reader per kind of field."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np

from dmlc.adapters.dxdispatch.model import BindPoint
from dmlc.adapters.dxdispatch.place import INT32_RANGE, UINT32_RANGE, UINT64_RANGE, Place, quote
from dmlc.adapters.dxdispatch.values import (
    read_data_type,
    read_enumeration,
    read_flags,
    read_known_data_type,
    read_scalar_union,
)
from dmlc.descriptors import (
    BufferTensorDesc,
    DiagonalMatrix1OperatorDesc,
    DiagonalMatrixOperatorDesc,
    OneHotOperatorDesc,
    OperatorDesc,
    Padding1OperatorDesc,
    PaddingOperatorDesc,
    Slice1OperatorDesc,
    SliceOperatorDesc,
)
from dmlc.enums import PaddingMode, TensorFlags

# Reads the field `name` of the descriptor at a place.
FieldReader = Callable[[Place, str], Any]

OPERATOR_PREFIX = "DML_OPERATOR_"
TENSOR_TYPE_PREFIX = "DML_TENSOR_TYPE_"
TENSOR_FLAG_PREFIX = "DML_TENSOR_FLAG_"
PADDING_MODE_PREFIX = "DML_PADDING_MODE_"


@dataclass(frozen=True, slots=True)
class Operator:
    """A descriptor class and its fields by DirectML's names, in DirectML's order."""

    desc_class: type[OperatorDesc]
    fields: Mapping[str, FieldReader]


@dataclass(frozen=True, slots=True)
class ReadOperator:
    """A descriptor, where its fields stand in the file, and its tensors in field order."""

    desc: OperatorDesc
    places: Mapping[str, str]
    bind_points: tuple[BindPoint, ...]


def read_operator(place: Place, operator: Operator, no_fields: AbstractSet[str]) -> ReadOperator:
    """Read a descriptor.

    Parameters
    ----------
    place : Place
        The object whose members are the fields.
    operator : Operator
    no_fields : set of str
        Members of that object that are no fields.
    """
    place = place.without(no_fields)
    place.only_members(operator.fields)
    values: dict[str, Any] = {}
    places: dict[str, str] = {}
    bind_points = []
    for name, read in operator.fields.items():
        value = read(place, name)
        if read is _dimension_count:
            continue
        field = snake_case(name)
        values[field] = value
        places[field] = place.member(name).path if place.has(name) else place.path
        if isinstance(value, BufferTensorDesc):
            places[field] = _tensor_fields(place.member(name)).path
            bind_points.append(BindPoint(name, field, value, is_output=name == "OutputTensor"))
    return ReadOperator(operator.desc_class(**values), places, tuple(bind_points))


def read_tensor(place: Place) -> BufferTensorDesc:
    """Read a tensor's descriptor, with or without the `Type` and `Desc` around it."""
    fields = _tensor_fields(place)
    if place.has("Type"):
        kind = place.member("Type")
        if kind.string().removeprefix(TENSOR_TYPE_PREFIX) != "BUFFER":
            kind.expect(f"BUFFER (or {TENSOR_TYPE_PREFIX}...)")
    fields.only_members(_TENSOR_MEMBERS)
    sizes = fields.member("Sizes").integers(UINT32_RANGE)
    strides = fields.optional("Strides")
    flags = fields.optional("Flags")
    total_size = fields.optional("TotalTensorSizeInBytes")
    alignment = fields.optional("GuaranteedBaseOffsetAlignment")
    if fields.has("DimensionCount"):
        _dimension_count(fields, "DimensionCount")
    return BufferTensorDesc(
        read_data_type(fields.member("DataType")),
        sizes,
        strides.integers(UINT32_RANGE) if strides else None,
        flags=read_flags(flags, TensorFlags, TENSOR_FLAG_PREFIX) if flags else TensorFlags.NONE,
        # DxDispatch infers a total size of 0 as it does a missing one.
        total_tensor_size_in_bytes=(total_size.integer(UINT64_RANGE) if total_size else 0) or None,
        guaranteed_base_offset_alignment=alignment.integer(UINT32_RANGE) if alignment else 0,
    )


def snake_case(name: str) -> str:
    """Return the descriptor's name of a field: ``InputWindowSizes``, ``input_window_sizes``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def camel_case(field: str) -> str:
    """Return DirectML's name of a field path: ``sizes[2]``, ``Sizes[2]``."""
    return "".join(word[:1].upper() + word[1:] for word in field.split("_"))


_TENSOR_MEMBERS = (
    "Type",
    "DataType",
    "Flags",
    "DimensionCount",
    "Sizes",
    "Strides",
    "TotalTensorSizeInBytes",
    "GuaranteedBaseOffsetAlignment",
)


def _tensor_fields(place: Place) -> Place:
    if not place.has("Desc"):
        return place
    place.only_members(["Type", "Desc"])
    return place.member("Desc")


def _tensor(place: Place, name: str) -> BufferTensorDesc:
    return read_tensor(place.member(name))


def _optional_tensor(place: Place, name: str) -> BufferTensorDesc | None:
    tensor = place.optional(name)
    return read_tensor(tensor) if tensor else None


def _dimension_count(place: Place, name: str) -> None:
    """Check the count against every array beside it: the descriptors take it from the arrays."""
    count = place.member(name).integer(UINT32_RANGE)
    for _, array in place.members():
        if isinstance(array.value, list) and len(array.value) != count:
            array.fail(f"must have DimensionCount = {count} entries, got {len(array.value)}")


def _data_type(place: Place, name: str) -> Any:
    return read_known_data_type(place.member(name))


def _scalar_of(data_type_name: str) -> FieldReader:
    def read(place: Place, name: str) -> np.generic:
        data_type = read_known_data_type(place.member(data_type_name))
        return read_scalar_union(place.member(name), data_type)

    return read


def _padding_mode(place: Place, name: str) -> PaddingMode:
    return read_enumeration(place.member(name), PaddingMode, PADDING_MODE_PREFIX)


def _float(place: Place, name: str) -> float:
    return place.member(name).number()


def _unsigned(place: Place, name: str) -> int:
    return place.member(name).integer(UINT32_RANGE)


def _signed(place: Place, name: str) -> int:
    return place.member(name).integer(INT32_RANGE)


def _unsigned_array(place: Place, name: str) -> tuple[int, ...]:
    return place.member(name).integers(UINT32_RANGE)


def _signed_array(place: Place, name: str) -> tuple[int, ...]:
    return place.member(name).integers(INT32_RANGE)


OPERATORS: Mapping[str, Operator] = {
    "PADDING": Operator(
        PaddingOperatorDesc,
        {
            "InputTensor": _tensor,
            "OutputTensor": _tensor,
            "PaddingMode": _padding_mode,
            "PaddingValue": _float,
            "DimensionCount": _dimension_count,
            "StartPadding": _unsigned_array,
            "EndPadding": _unsigned_array,
        },
    ),
    "PADDING1": Operator(
        Padding1OperatorDesc,
        {
            "InputTensor": _tensor,
            "OutputTensor": _tensor,
            "PaddingMode": _padding_mode,
            "PaddingValueDataType": _data_type,
            "PaddingValue": _scalar_of("PaddingValueDataType"),
            "DimensionCount": _dimension_count,
            "StartPadding": _unsigned_array,
            "EndPadding": _unsigned_array,
        },
    ),
    "ONE_HOT": Operator(
        OneHotOperatorDesc,
        {
            "IndicesTensor": _tensor,
            "ValuesTensor": _tensor,
            "OutputTensor": _tensor,
            "Axis": _unsigned,
        },
    ),
    "SLICE": Operator(
        SliceOperatorDesc,
        {
            "InputTensor": _tensor,
            "OutputTensor": _tensor,
            "DimensionCount": _dimension_count,
            "Offsets": _unsigned_array,
            "Sizes": _unsigned_array,
            "Strides": _unsigned_array,
        },
    ),
    "SLICE1": Operator(
        Slice1OperatorDesc,
        {
            "InputTensor": _tensor,
            "OutputTensor": _tensor,
            "DimensionCount": _dimension_count,
            "InputWindowOffsets": _unsigned_array,
            "InputWindowSizes": _unsigned_array,
            "InputWindowStrides": _signed_array,
        },
    ),
    "DIAGONAL_MATRIX": Operator(
        DiagonalMatrixOperatorDesc,
        {"OutputTensor": _tensor, "Offset": _signed, "Value": _float},
    ),
    "DIAGONAL_MATRIX1": Operator(
        DiagonalMatrix1OperatorDesc,
        {
            "InputTensor": _optional_tensor,
            "OutputTensor": _tensor,
            "ValueDataType": _data_type,
            "Value": _scalar_of("ValueDataType"),
            "DiagonalFillBegin": _signed,
            "DiagonalFillEnd": _signed,
        },
    ),
}


def find_operator(kind: Place) -> Operator:
    """Return the row for a dispatchable's type, ``DML_OPERATOR_PADDING`` or ``PADDING``."""
    name = kind.string().removeprefix(OPERATOR_PREFIX)
    if name not in OPERATORS:
        known = ", ".join(OPERATORS)
        kind.fail(f"must be one of dmlc's operators, {known}, got {quote(kind.value)}")
    return OPERATORS[name]

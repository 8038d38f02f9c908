"""DirectML's operators in JSON: one row per operator, and how a row is read."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

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
from dmlc.descriptors.json.field_kinds import (
    DATA_TYPE,
    DIMENSION_COUNT,
    FLOAT,
    OPTIONAL_TENSOR,
    PADDING_MODE,
    SIGNED,
    SIGNED_ARRAY,
    TENSOR,
    UNSIGNED,
    UNSIGNED_ARRAY,
    FieldKind,
    scalar_of,
    snake_case,
)
from dmlc.descriptors.json.place import Complaints, Place, quote
from dmlc.descriptors.json.tensors import tensor_fields

OPERATOR_PREFIX = "DML_OPERATOR_"


@dataclass(frozen=True, slots=True)
class Operator:
    """A descriptor class and its fields by DirectML's names, in DirectML's order."""

    desc_class: type[OperatorDesc]
    fields: Mapping[str, FieldKind]


@dataclass(frozen=True, slots=True)
class BindPoint:
    """A tensor field of a descriptor: `name` is DirectML's, `field` the descriptor's own."""

    name: str
    field: str
    tensor: BufferTensorDesc
    is_output: bool


@dataclass(frozen=True, slots=True)
class ReadOperator:
    """A descriptor, where its fields stand in the file, and its tensors in field order."""

    desc: OperatorDesc
    places: Mapping[str, str]
    bind_points: tuple[BindPoint, ...]


OPERATORS: Mapping[str, Operator] = {
    "PADDING": Operator(
        PaddingOperatorDesc,
        {
            "InputTensor": TENSOR,
            "OutputTensor": TENSOR,
            "PaddingMode": PADDING_MODE,
            "PaddingValue": FLOAT,
            "DimensionCount": DIMENSION_COUNT,
            "StartPadding": UNSIGNED_ARRAY,
            "EndPadding": UNSIGNED_ARRAY,
        },
    ),
    "PADDING1": Operator(
        Padding1OperatorDesc,
        {
            "InputTensor": TENSOR,
            "OutputTensor": TENSOR,
            "PaddingMode": PADDING_MODE,
            "PaddingValueDataType": DATA_TYPE,
            "PaddingValue": scalar_of("PaddingValueDataType"),
            "DimensionCount": DIMENSION_COUNT,
            "StartPadding": UNSIGNED_ARRAY,
            "EndPadding": UNSIGNED_ARRAY,
        },
    ),
    "ONE_HOT": Operator(
        OneHotOperatorDesc,
        {
            "IndicesTensor": TENSOR,
            "ValuesTensor": TENSOR,
            "OutputTensor": TENSOR,
            "Axis": UNSIGNED,
        },
    ),
    "SLICE": Operator(
        SliceOperatorDesc,
        {
            "InputTensor": TENSOR,
            "OutputTensor": TENSOR,
            "DimensionCount": DIMENSION_COUNT,
            "Offsets": UNSIGNED_ARRAY,
            "Sizes": UNSIGNED_ARRAY,
            "Strides": UNSIGNED_ARRAY,
        },
    ),
    "SLICE1": Operator(
        Slice1OperatorDesc,
        {
            "InputTensor": TENSOR,
            "OutputTensor": TENSOR,
            "DimensionCount": DIMENSION_COUNT,
            "InputWindowOffsets": UNSIGNED_ARRAY,
            "InputWindowSizes": UNSIGNED_ARRAY,
            "InputWindowStrides": SIGNED_ARRAY,
        },
    ),
    "DIAGONAL_MATRIX": Operator(
        DiagonalMatrixOperatorDesc,
        {"OutputTensor": TENSOR, "Offset": SIGNED, "Value": FLOAT},
    ),
    "DIAGONAL_MATRIX1": Operator(
        DiagonalMatrix1OperatorDesc,
        {
            "InputTensor": OPTIONAL_TENSOR,
            "OutputTensor": TENSOR,
            "ValueDataType": DATA_TYPE,
            "Value": scalar_of("ValueDataType"),
            "DiagonalFillBegin": SIGNED,
            "DiagonalFillEnd": SIGNED,
        },
    ),
}


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
    complaints = Complaints()
    complaints.read(place.only_members, operator.fields)
    read = {name: complaints.read(kind.read, place, name) for name, kind in operator.fields.items()}
    complaints.raise_first()
    values: dict[str, Any] = {}
    places: dict[str, str] = {}
    bind_points = []
    for name, value in read.items():
        if operator.fields[name] is DIMENSION_COUNT:
            continue
        field = snake_case(name)
        values[field] = value
        places[field] = place.member(name).path if place.has(name) else place.path
        if isinstance(value, BufferTensorDesc):
            places[field] = tensor_fields(place.member(name)).path
            bind_points.append(BindPoint(name, field, value, is_output=name == "OutputTensor"))
    return ReadOperator(operator.desc_class(**values), places, tuple(bind_points))


def find_operator(kind: Place) -> Operator:
    """Return the row for a dispatchable's type, ``DML_OPERATOR_PADDING`` or ``PADDING``."""
    name = kind.string().removeprefix(OPERATOR_PREFIX)
    if name not in OPERATORS:
        known = ", ".join(OPERATORS)
        kind.fail(f"must be one of dmlc's operators, {known}, got {quote(kind.value)}")
    return OPERATORS[name]

"""DirectML's operator descriptors in JSON: one row per operator, one way to read and to write
each kind of field.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import IntFlag
from typing import Any, NoReturn

import numpy as np

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
from dmlc.descriptors.json.place import (
    INT32_RANGE,
    UINT32_RANGE,
    UINT64_RANGE,
    Complaints,
    ModelError,
    Place,
    quote,
)
from dmlc.descriptors.json.relaxed_json import RelaxedJSONError, parse
from dmlc.descriptors.json.values import (
    read_data_type,
    read_enumeration,
    read_flags,
    read_known_data_type,
    read_scalar_union,
    write_number,
)
from dmlc.descriptors.scalar import float_identity, is_representable, scalar_to_element
from dmlc.enums import PaddingMode, TensorDataType, TensorFlags


@dataclass(frozen=True, slots=True)
class Kind:
    """How a kind of field is read and written.

    Parameters
    ----------
    read : callable
        Returns the value of the field of a DirectML name of the descriptor at a place.
    write : callable
        Returns, as JSON, a descriptor's value of the field of its own name.
    """

    read: Callable[[Place, str], Any]
    write: Callable[[Any, str], Any]


OPERATOR_PREFIX = "DML_OPERATOR_"
TENSOR_TYPE_PREFIX = "DML_TENSOR_TYPE_"
TENSOR_FLAG_PREFIX = "DML_TENSOR_FLAG_"
PADDING_MODE_PREFIX = "DML_PADDING_MODE_"


@dataclass(frozen=True, slots=True)
class Operator:
    """A descriptor class and its fields by DirectML's names, in DirectML's order."""

    desc_class: type[OperatorDesc]
    fields: Mapping[str, Kind]


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
        if operator.fields[name] is _DIMENSION_COUNT:
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
    complaints = Complaints()
    complaints.read(fields.only_members, _TENSOR_MEMBERS)

    def read(name: str, reader: Callable[[Place], Any]) -> Any:
        value = complaints.read(fields.optional, name)
        return complaints.read(reader, value) if value else None

    data_type = complaints.read(lambda: read_data_type(fields.member("DataType")))
    sizes = complaints.read(lambda: fields.member("Sizes").integers(UINT32_RANGE))
    strides = read("Strides", lambda place: place.integers(UINT32_RANGE))
    flags = read("Flags", lambda place: read_flags(place, TensorFlags, TENSOR_FLAG_PREFIX))
    total_size = read("TotalTensorSizeInBytes", lambda place: place.integer(UINT64_RANGE))
    alignment = read("GuaranteedBaseOffsetAlignment", lambda place: place.integer(UINT32_RANGE))
    if fields.has("DimensionCount"):
        complaints.read(_read_dimension_count, fields, "DimensionCount")
    complaints.raise_first()
    return BufferTensorDesc(
        data_type,
        sizes,
        strides,
        flags=flags or TensorFlags.NONE,
        # DxDispatch infers a total size of 0 as it does a missing one.
        total_tensor_size_in_bytes=total_size or None,
        guaranteed_base_offset_alignment=alignment or 0,
    )


def write_tensor(tensor: BufferTensorDesc) -> dict[str, Any]:
    """Return a tensor's descriptor as JSON, without the members that say nothing new."""
    members: dict[str, Any] = {"DataType": tensor.data_type.name}
    if tensor.flags:
        members["Flags"] = tensor.flags.name
    members["Sizes"] = list(tensor.sizes)
    if tensor.strides is not None:
        members["Strides"] = list(tensor.strides)
    if tensor.total_tensor_size_in_bytes is not None:
        members["TotalTensorSizeInBytes"] = tensor.total_tensor_size_in_bytes
    if tensor.guaranteed_base_offset_alignment:
        members["GuaranteedBaseOffsetAlignment"] = tensor.guaranteed_base_offset_alignment
    return members


def snake_case(name: str) -> str:
    """Return the descriptor's name of a field: ``InputWindowSizes``, ``input_window_sizes``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def camel_case(field: str) -> str:
    """Return DirectML's name of a field path: ``sizes[2]``, ``Sizes[2]``."""
    return "".join(word[:1].upper() + word[1:] for word in field.split("_"))


_DISPATCHABLE_MEMBERS = frozenset(
    ("type", "Type", "desc", "Desc", "dmlCompileType", "executionFlags", "bindings")
)
_GPU_KINDS = ("hlsl", "onnx", "dmlSerializedGraph")


class _ExecutionFlags(IntFlag):
    NONE = 0
    ALLOW_HALF_PRECISION_COMPUTATION = 1
    DISABLE_META_COMMANDS = 2
    DESCRIPTORS_VOLATILE = 4


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


def _read_optional_tensor(place: Place, name: str) -> BufferTensorDesc | None:
    tensor = place.optional(name)
    return read_tensor(tensor) if tensor else None


def _write_optional_tensor(desc: Any, field: str) -> dict[str, Any] | None:
    tensor = getattr(desc, field)
    return None if tensor is None else write_tensor(tensor)


def _read_dimension_count(place: Place, name: str) -> None:
    """Check the count against every array beside it: the descriptors take it from the arrays."""
    count = place.member(name).integer(UINT32_RANGE)
    for _, array in place.members():
        if isinstance(array.value, list) and len(array.value) != count:
            array.fail(f"must have DimensionCount = {count} entries, got {len(array.value)}")


def _write_float(desc: Any, field: str) -> int | float | str:
    value = getattr(desc, field)
    if math.isnan(value) and float_identity(value) != float_identity(math.nan):
        _refuse_nan(desc, field)
    return write_number(value)


def _scalar_of(data_type_name: str) -> Kind:
    """A DML_SCALAR_UNION of the type that another field names."""

    def read(place: Place, name: str) -> np.generic:
        data_type = read_known_data_type(place.member(data_type_name))
        return read_scalar_union(place.member(name), data_type)

    def write(desc: Any, field: str) -> Any:
        value, data_type = getattr(desc, field), getattr(desc, snake_case(data_type_name))
        if not is_representable(value, data_type):
            return write_number(value)
        element = np.frombuffer(scalar_to_element(value, data_type), data_type.numpy_dtype)
        if (
            math.isnan(element[0])
            and element.tobytes() != data_type.numpy_dtype.type(math.nan).tobytes()
        ):
            if data_type != TensorDataType.FLOAT16:
                _refuse_nan(desc, field)
            return {"UInt16": int(element.view(np.uint16)[0])}
        return write_number(element[0].item())

    return Kind(read, write)


def _refuse_nan(desc: Any, field: str) -> NoReturn:
    raise ValueError(
        f"{type(desc).__name__}.{field}: must be a NaN that JSON can say, the default one, "
        f"got one of other bits"
    )


def _scalar(
    read: Callable[[Place], Any], write: Callable[[Any], Any] = lambda value: value
) -> Kind:
    """A field whose value is read and written by itself."""
    return Kind(
        lambda place, name: read(place.member(name)),
        lambda desc, field: write(getattr(desc, field)),
    )


_TENSOR = _scalar(read_tensor, write_tensor)
_OPTIONAL_TENSOR = Kind(_read_optional_tensor, _write_optional_tensor)
_DIMENSION_COUNT = Kind(_read_dimension_count, lambda desc, _: desc.output_tensor.dimension_count)
_DATA_TYPE = _scalar(read_known_data_type, lambda value: value.name)
_PADDING_MODE = _scalar(
    lambda place: read_enumeration(place, PaddingMode, PADDING_MODE_PREFIX),
    lambda value: value.name,
)
_FLOAT = Kind(lambda place, name: place.member(name).number(), _write_float)
_UNSIGNED = _scalar(lambda place: place.integer(UINT32_RANGE))
_SIGNED = _scalar(lambda place: place.integer(INT32_RANGE))
_UNSIGNED_ARRAY = _scalar(lambda place: place.integers(UINT32_RANGE), list)
_SIGNED_ARRAY = _scalar(lambda place: place.integers(INT32_RANGE), list)


OPERATORS: Mapping[str, Operator] = {
    "PADDING": Operator(
        PaddingOperatorDesc,
        {
            "InputTensor": _TENSOR,
            "OutputTensor": _TENSOR,
            "PaddingMode": _PADDING_MODE,
            "PaddingValue": _FLOAT,
            "DimensionCount": _DIMENSION_COUNT,
            "StartPadding": _UNSIGNED_ARRAY,
            "EndPadding": _UNSIGNED_ARRAY,
        },
    ),
    "PADDING1": Operator(
        Padding1OperatorDesc,
        {
            "InputTensor": _TENSOR,
            "OutputTensor": _TENSOR,
            "PaddingMode": _PADDING_MODE,
            "PaddingValueDataType": _DATA_TYPE,
            "PaddingValue": _scalar_of("PaddingValueDataType"),
            "DimensionCount": _DIMENSION_COUNT,
            "StartPadding": _UNSIGNED_ARRAY,
            "EndPadding": _UNSIGNED_ARRAY,
        },
    ),
    "ONE_HOT": Operator(
        OneHotOperatorDesc,
        {
            "IndicesTensor": _TENSOR,
            "ValuesTensor": _TENSOR,
            "OutputTensor": _TENSOR,
            "Axis": _UNSIGNED,
        },
    ),
    "SLICE": Operator(
        SliceOperatorDesc,
        {
            "InputTensor": _TENSOR,
            "OutputTensor": _TENSOR,
            "DimensionCount": _DIMENSION_COUNT,
            "Offsets": _UNSIGNED_ARRAY,
            "Sizes": _UNSIGNED_ARRAY,
            "Strides": _UNSIGNED_ARRAY,
        },
    ),
    "SLICE1": Operator(
        Slice1OperatorDesc,
        {
            "InputTensor": _TENSOR,
            "OutputTensor": _TENSOR,
            "DimensionCount": _DIMENSION_COUNT,
            "InputWindowOffsets": _UNSIGNED_ARRAY,
            "InputWindowSizes": _UNSIGNED_ARRAY,
            "InputWindowStrides": _SIGNED_ARRAY,
        },
    ),
    "DIAGONAL_MATRIX": Operator(
        DiagonalMatrixOperatorDesc,
        {"OutputTensor": _TENSOR, "Offset": _SIGNED, "Value": _FLOAT},
    ),
    "DIAGONAL_MATRIX1": Operator(
        DiagonalMatrix1OperatorDesc,
        {
            "InputTensor": _OPTIONAL_TENSOR,
            "OutputTensor": _TENSOR,
            "ValueDataType": _DATA_TYPE,
            "Value": _scalar_of("ValueDataType"),
            "DiagonalFillBegin": _SIGNED,
            "DiagonalFillEnd": _SIGNED,
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


def read_dispatchable(place: Place) -> tuple[Place, ReadOperator]:
    """Read an operator as a model's dispatchables have it, in each of its forms.

    Returns
    -------
    Place
        The object whose members are the fields.
    ReadOperator
    """
    kind = _either(place, "type", "Type")
    for gpu_kind in _GPU_KINDS:
        if kind.string().lower() == gpu_kind.lower():
            kind.fail(f"{quote(gpu_kind)} dispatchables run on a GPU only, not in dmlc")
    operator = find_operator(kind)
    if place.has("dmlCompileType"):
        compile_type = place.member("dmlCompileType")
        if compile_type.string() not in ("DmlCompileOp", "DmlCompileGraph"):
            compile_type.expect("DmlCompileOp or DmlCompileGraph")
    if place.has("executionFlags"):
        read_flags(place.member("executionFlags"), _ExecutionFlags, "DML_EXECUTION_FLAG_")

    desc = place
    for _ in range(2):
        if not (desc.has("Desc") or desc.has("desc")):
            break
        desc = _either(desc, "desc", "Desc")
        if desc.has("Type") and find_operator(desc.member("Type")) is not operator:
            desc.member("Type").expect(f"the dispatchable's type {quote(kind.value)}")
    place.no_misspelt_members(_DISPATCHABLE_MEMBERS | operator.fields.keys())
    return desc, read_operator(desc, operator, _DISPATCHABLE_MEMBERS if desc is place else {"Type"})


def read_desc(desc_class: type[Any], document: object) -> Any:
    """Read a descriptor of one class from JSON text or what `json.loads` returns for it."""
    try:
        place = Place(parse(document) if isinstance(document, str) else document)
    except RelaxedJSONError as error:
        raise ModelError("", str(error)) from None
    if desc_class is BufferTensorDesc:
        return read_tensor(place)
    kind = _either(place, "type", "Type")
    if find_operator(kind).desc_class is not desc_class:
        kind.expect(f"{OPERATOR_PREFIX}{_name_of(desc_class)}, as this is {desc_class.__name__}")
    return read_dispatchable(place)[1].desc


def write_desc(desc: Any) -> dict[str, Any]:
    """Return a descriptor as `read_desc` reads it: a tensor's, or an operator's dispatchable."""
    if isinstance(desc, BufferTensorDesc):
        return write_tensor(desc)
    name = _name_of(type(desc))
    members = {
        field: kind.write(desc, snake_case(field)) for field, kind in OPERATORS[name].fields.items()
    }
    return {"type": f"{OPERATOR_PREFIX}{name}", "desc": members}


def _name_of(desc_class: type[Any]) -> str:
    return next(name for name, row in OPERATORS.items() if row.desc_class is desc_class)


def _either(place: Place, name: str, other: str) -> Place:
    return place.member(other if place.has(other) and not place.has(name) else name)

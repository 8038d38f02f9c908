"""A tensor's descriptor in JSON, as an operator's fields have it or by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dmlc.descriptors import BufferTensorDesc
from dmlc.descriptors.json.place import UINT32_RANGE, UINT64_RANGE, Complaints, Place
from dmlc.descriptors.json.values import read_data_type, read_flags
from dmlc.enums import TensorFlags

TENSOR_TYPE_PREFIX = "DML_TENSOR_TYPE_"
TENSOR_FLAG_PREFIX = "DML_TENSOR_FLAG_"

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


def read_tensor(place: Place) -> BufferTensorDesc:
    """Read a tensor's descriptor, with or without the `Type` and `Desc` around it."""
    fields = tensor_fields(place)
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
        complaints.read(read_dimension_count, fields, "DimensionCount")
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


def tensor_fields(place: Place) -> Place:
    """Return the object whose members are the tensor's fields, `Desc` or the place itself."""
    if not place.has("Desc"):
        return place
    place.only_members(["Type", "Desc"])
    return place.member("Desc")


def read_dimension_count(place: Place, name: str) -> None:
    """Check the count against every array beside it: the descriptors take it from the arrays."""
    count = place.member(name).integer(UINT32_RANGE)
    for _, array in place.members():
        if isinstance(array.value, list) and len(array.value) != count:
            array.fail(f"must have DimensionCount = {count} entries, got {len(array.value)}")

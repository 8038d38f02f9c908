"""Descriptors as whole JSON documents: an operator's, in each form a model has it, or a tensor's."""

from __future__ import annotations

from enum import IntFlag
from typing import Any

from dmlc.descriptors import BufferTensorDesc
from dmlc.descriptors.json.field_kinds import snake_case
from dmlc.descriptors.json.operators import (
    OPERATOR_PREFIX,
    OPERATORS,
    ReadOperator,
    find_operator,
    read_operator,
)
from dmlc.descriptors.json.place import ModelError, Place, quote
from dmlc.descriptors.json.relaxed_json import RelaxedJSONError, parse
from dmlc.descriptors.json.tensors import read_tensor, write_tensor
from dmlc.descriptors.json.values import read_flags

_DISPATCHABLE_MEMBERS = frozenset(
    ("type", "Type", "desc", "Desc", "dmlCompileType", "executionFlags", "bindings")
)
_GPU_KINDS = ("hlsl", "onnx", "dmlSerializedGraph")


class _ExecutionFlags(IntFlag):
    NONE = 0
    ALLOW_HALF_PRECISION_COMPUTATION = 1
    DISABLE_META_COMMANDS = 2
    DESCRIPTORS_VOLATILE = 4


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
    for name, row in OPERATORS.items():
        if row.desc_class is desc_class:
            return name
    raise TypeError(f"must be one of dmlc's own descriptors, got {desc_class.__name__}")


def _either(place: Place, name: str, other: str) -> Place:
    return place.member(other if place.has(other) and not place.has(name) else name)

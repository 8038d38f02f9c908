"""The kinds of fields that operators have: how each is read from JSON and written to it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from dmlc.descriptors import BufferTensorDesc
from dmlc.descriptors.json.place import INT32_RANGE, UINT32_RANGE, Place
from dmlc.descriptors.json.tensors import read_dimension_count, read_tensor, write_tensor
from dmlc.descriptors.json.values import (
    read_enumeration,
    read_known_data_type,
    read_scalar_union,
    write_number,
)
from dmlc.descriptors.scalar import float_identity, is_representable, scalar_to_element
from dmlc.enums import PaddingMode, TensorDataType

PADDING_MODE_PREFIX = "DML_PADDING_MODE_"


@dataclass(frozen=True, slots=True)
class FieldKind:
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


def snake_case(name: str) -> str:
    """Return the descriptor's name of a field: ``InputWindowSizes``, ``input_window_sizes``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def camel_case(field: str) -> str:
    """Return DirectML's name of a field path: ``sizes[2]``, ``Sizes[2]``."""
    return "".join(word[:1].upper() + word[1:] for word in field.split("_"))


def _read_optional_tensor(place: Place, name: str) -> BufferTensorDesc | None:
    tensor = place.optional(name)
    return read_tensor(tensor) if tensor else None


def _write_optional_tensor(desc: Any, field: str) -> dict[str, Any] | None:
    tensor = getattr(desc, field)
    return None if tensor is None else write_tensor(tensor)


def _write_float(desc: Any, field: str) -> int | float | str:
    value = getattr(desc, field)
    if math.isnan(value) and float_identity(value) != float_identity(math.nan):
        _refuse_nan(desc, field)
    return write_number(value)


def scalar_of(data_type_name: str) -> FieldKind:
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

    return FieldKind(read, write)


def _refuse_nan(desc: Any, field: str) -> NoReturn:
    raise ValueError(
        f"{type(desc).__name__}.{field}: must be a NaN that JSON can say, the default one, "
        f"got one of other bits"
    )


def _scalar(
    read: Callable[[Place], Any], write: Callable[[Any], Any] = lambda value: value
) -> FieldKind:
    """A field whose value is read and written by itself."""
    return FieldKind(
        lambda place, name: read(place.member(name)),
        lambda desc, field: write(getattr(desc, field)),
    )


TENSOR = _scalar(read_tensor, write_tensor)
OPTIONAL_TENSOR = FieldKind(_read_optional_tensor, _write_optional_tensor)
DIMENSION_COUNT = FieldKind(
    read_dimension_count, lambda desc, _: desc.output_tensor.dimension_count
)
DATA_TYPE = _scalar(read_known_data_type, lambda value: value.name)
PADDING_MODE = _scalar(
    lambda place: read_enumeration(place, PaddingMode, PADDING_MODE_PREFIX),
    lambda value: value.name,
)
FLOAT = FieldKind(lambda place, name: place.member(name).number(), _write_float)
UNSIGNED = _scalar(lambda place: place.integer(UINT32_RANGE))
SIGNED = _scalar(lambda place: place.integer(INT32_RANGE))
UNSIGNED_ARRAY = _scalar(lambda place: place.integers(UINT32_RANGE), list)
SIGNED_ARRAY = _scalar(lambda place: place.integers(INT32_RANGE), list)

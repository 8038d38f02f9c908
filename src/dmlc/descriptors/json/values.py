"""Enumerations and numbers as DxDispatch's JSON writes them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import IntEnum, IntFlag
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from dmlc.descriptors.json.place import Place
from dmlc.enums import TensorDataType

_Enum = TypeVar("_Enum", bound=IntEnum)
_Flags = TypeVar("_Flags", bound=IntFlag)

DATA_TYPE_PREFIX = "DML_TENSOR_DATA_TYPE_"


def read_enumeration(place: Place, enumeration: type[_Enum], prefix: str) -> _Enum:
    """Read ``DML_PADDING_MODE_EDGE`` or ``EDGE``."""
    name = place.string().removeprefix(prefix)
    if name not in enumeration.__members__:
        place.expect(f"{_alternatives(list(enumeration.__members__))} (or {prefix}...)")
    return enumeration[name]


def read_flags(place: Place, flags: type[_Flags], prefix: str) -> _Flags:
    """Read one flag's name, or a list of them."""
    value = flags(0)
    for item in place.elements() if isinstance(place.value, list) else [place]:
        name = item.string().removeprefix(prefix)
        if name not in flags.__members__:
            item.expect(f"{_alternatives(list(flags.__members__))} (or {prefix}...)")
        value |= flags[name]
    return value


def read_data_type(place: Place) -> TensorDataType:
    """Read a DML_TENSOR_DATA_TYPE, with or without the prefix."""
    return read_enumeration(place, TensorDataType, DATA_TYPE_PREFIX)


def read_known_data_type(place: Place) -> TensorDataType:
    """Read a data type other than UNKNOWN."""
    data_type = read_data_type(place)
    if data_type == TensorDataType.UNKNOWN:
        place.expect("a data type that elements can have")
    return data_type


def read_element(place: Place, data_type: TensorDataType) -> np.generic:
    """Read one number of a type: in range and whole for integers, rounded for floating point."""
    return read_elements([place], data_type)[0]  # type: ignore[no-any-return]


def read_elements(places: Sequence[Place], data_type: TensorDataType) -> npt.NDArray[Any]:
    """Read numbers as elements of a type: integers within its range, floats rounded."""
    limits = data_type.integer_range
    if limits is None:
        return round_elements([place.number() for place in places], data_type)
    bounds = (limits.start, limits.stop - 1)
    return np.array([place.integer(bounds) for place in places], dtype=data_type.numpy_dtype)


def read_scalar_union(place: Place, data_type: TensorDataType) -> np.generic:
    """Read a DML_SCALAR_UNION: a number of the type, or an object with the type's member.

    FLOAT16 has no member of its own: its bits go into UInt16.
    """
    if not isinstance(place.value, dict):
        return read_element(place, data_type)
    if data_type == TensorDataType.FLOAT16:
        name, member_type = "UInt16", TensorDataType.UINT16
    else:
        name = data_type.name.title().replace("Uint", "UInt")
        member_type = data_type
    place.only_members([name])
    element = read_element(place.member(name), member_type)
    return element.view(data_type.numpy_dtype)  # type: ignore[no-any-return]


def write_number(value: float) -> int | float | str:
    """Return a number as `Place.number` reads it: those that JSON has no word for by name."""
    if isinstance(value, int) and -(2**63) <= value < 2**64:
        return int(value)
    try:
        number = float(value)
    except OverflowError:  # an integer of more than 1024 bits
        number = math.inf if value > 0 else -math.inf
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return number


def round_elements(values: Sequence[float], data_type: TensorDataType) -> npt.NDArray[Any]:
    """Round numbers to elements of a floating type, as DxDispatch does it."""
    doubles = np.array(values, dtype=np.float64)
    # FLOAT16 is rounded from FLOAT32, as DxDispatch does; too large is an infinity.
    narrow = doubles if data_type == TensorDataType.FLOAT64 else _narrow(doubles, np.float32)
    return _narrow(narrow, data_type.numpy_dtype)


def _narrow(values: npt.NDArray[Any], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    with np.errstate(over="ignore", under="ignore"):
        return values.astype(dtype, copy=False)


def _alternatives(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"

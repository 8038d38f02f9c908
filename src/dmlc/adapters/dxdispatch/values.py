"""Enumerations, numbers and initializers as model files write them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import IntEnum, IntFlag
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from dmlc.adapters.dxdispatch import files
from dmlc.adapters.dxdispatch.folders import Folders
from dmlc.adapters.dxdispatch.place import UINT32_RANGE, Place
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
        return _round([place.number() for place in places], data_type)
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


def read_initial_values(
    place: Place, data_type: TensorDataType, folders: Folders
) -> tuple[npt.NDArray[Any], ...]:
    """Read any of the five initializers; see `Resource.initial_values` for what is returned.

    Parameters
    ----------
    place : Place
        The member ``initialValues``.
    data_type : TensorDataType
        UNKNOWN where the resource does not say.
    folders : Folders
        Where source files are looked up.
    """
    if isinstance(place.value, list) and not place.value:
        place.fail("must hold at least one value")
    if isinstance(place.value, list) and data_type == TensorDataType.UNKNOWN:
        return tuple(_read_list_item(item) for item in place.elements())
    if isinstance(place.value, list):
        return (_read_array(place, data_type),)
    if not isinstance(place.value, dict):
        place.expect("an array or an object")
    if place.has("sourcePath"):
        place.only_members(["sourcePath"])
        return (files.read_source(place.member("sourcePath"), data_type, folders),)
    if data_type == TensorDataType.UNKNOWN:
        place.fail("needs initialValuesDataType beside it, other than UNKNOWN")
    if place.has("value"):
        return (_read_constant(place, data_type),)
    if place.has("valueStart"):
        return (_read_sequence(place, data_type),)
    place.fail('must have "value", "valueStart" or "sourcePath"')


def _read_array(place: Place, data_type: TensorDataType) -> npt.NDArray[Any]:
    values = place.value
    limits = data_type.integer_range
    # Long arrays of plain numbers are read at once; anything else, one by one with its place.
    if (
        limits is None
        and set(map(type, values)) <= {int, float}
        and max(map(abs, values)) < math.inf
    ):
        return _round(values, data_type)
    if limits is not None and set(map(type, values)) == {int}:
        extremes = (min(values), max(values))
        if extremes[0] in limits and extremes[1] in limits:
            return np.array(values, dtype=data_type.numpy_dtype)
    return read_elements(place.elements(), data_type)


def _read_list_item(place: Place) -> npt.NDArray[Any]:
    place.only_members(["name", "type", "value"])
    data_type = read_known_data_type(place.member("type"))
    return read_elements([place.member("value")], data_type)


def _read_constant(place: Place, data_type: TensorDataType) -> npt.NDArray[Any]:
    place.only_members(["valueCount", "value"])
    value = read_element(place.member("value"), data_type)
    return _full(place.member("valueCount"), value)


def _read_sequence(place: Place, data_type: TensorDataType) -> npt.NDArray[Any]:
    place.only_members(["valueCount", "valueStart", "valueDelta"])
    start = read_element(place.member("valueStart"), data_type)
    delta = read_element(place.member("valueDelta"), data_type)
    values = _full(place.member("valueCount"), delta)
    values[0] = start
    # Every sum is rounded (or wrapped) to the type, as DxDispatch's running value is.
    with np.errstate(over="ignore", invalid="ignore"):
        return np.add.accumulate(values, dtype=values.dtype)


def _full(count: Place, value: np.generic) -> npt.NDArray[Any]:
    try:
        return np.full(count.integer((1, UINT32_RANGE[1])), value, dtype=value.dtype)
    except MemoryError:
        count.expect(f"as many {value.dtype} elements as memory can hold")


def _round(values: Sequence[float], data_type: TensorDataType) -> npt.NDArray[Any]:
    doubles = np.array(values, dtype=np.float64)
    # FLOAT16 is rounded from FLOAT32, as DxDispatch does; too large is an infinity.
    narrow = doubles if data_type == TensorDataType.FLOAT64 else _narrow(doubles, np.float32)
    return _narrow(narrow, data_type.numpy_dtype)


def _narrow(values: npt.NDArray[Any], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    with np.errstate(over="ignore", under="ignore"):
        return values.astype(dtype, copy=False)


def _alternatives(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"

"""The initial values of a resource as model files write them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlc.adapters.dxdispatch import files
from dmlc.adapters.dxdispatch.folders import Folders
from dmlc.descriptors.json.place import UINT32_RANGE, Place, compact
from dmlc.descriptors.json.values import (
    read_element,
    read_elements,
    read_known_data_type,
    round_elements,
)
from dmlc.enums import TensorDataType


def read_initial_values(
    place: Place,
    data_type: TensorDataType,
    folders: Folders,
    resample_size: tuple[int, ...] | None = None,
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
    resample_size : tuple of int, optional
        The shape (1, C, H, W) that an image is brought to.
    """
    if isinstance(place.value, list) and not place.value:
        place.fail("must hold at least one value")
    if isinstance(place.value, list) and data_type == TensorDataType.UNKNOWN:
        return tuple(_read_list_item(item) for item in place.elements())
    if isinstance(place.value, list):
        return (_read_array(place, data_type),)
    if not isinstance(place.value, dict):
        place.expect('an array, an object or "deferred"')
    if place.has("sourcePath"):
        place.only_members(["sourcePath"])
        return (files.read_source(place.member("sourcePath"), data_type, folders, resample_size),)
    if data_type == TensorDataType.UNKNOWN:
        place.fail("needs initialValuesDataType beside it, other than UNKNOWN")
    if place.has("value"):
        return (_read_constant(place, data_type),)
    if place.has("valueStart"):
        return (_read_sequence(place, data_type),)
    place.fail('must have "value", "valueStart" or "sourcePath"')


def read_resampling(place: Place) -> tuple[int, ...] | None:
    """Read ``resampleSize`` and ``resampleMode`` of a resource, which say how large images are."""
    mode = place.optional("resampleMode")
    if mode and mode.string() != "scale":
        mode.expect('"scale"')
    size = place.optional("resampleSize")
    if size is None:
        return None
    shape = size.integers((1, UINT32_RANGE[1]))
    if len(shape) != 4 or shape[0] != 1 or shape[1] not in (3, 4):
        size.fail(f"must be [1, C, H, W] with 3 or 4 channels, got {compact(list(shape[:8]))}")
    return shape


def _read_array(place: Place, data_type: TensorDataType) -> npt.NDArray[Any]:
    values = place.value
    limits = data_type.integer_range
    # Long arrays of plain numbers are read at once; anything else, one by one with its place.
    if (
        limits is None
        and set(map(type, values)) <= {int, float}
        and max(map(abs, values)) < math.inf
    ):
        return round_elements(values, data_type)
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

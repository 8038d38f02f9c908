"""A resource against what was expected of it: bit for bit, or within some units in the last place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlc.adapters.dxdispatch.files import read_array
from dmlc.adapters.dxdispatch.formatting import format_bits
from dmlc.adapters.dxdispatch.model import Model
from dmlc.adapters.dxdispatch.running import ModelRun
from dmlc.descriptors.json.place import ModelError, printable, quote
from dmlc.enums import TensorDataType


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a comparison found.

    Parameters
    ----------
    resource, expected : str
        The names of the resource (or file) and of the file that it was compared with.
    elements, differing : int
        How many there are, and how many of them differ.
    ulp : int or None
        The units in the last place that elements may differ by; None compares bits.
    coordinates : tuple of int or None
        Of the first element that differs.
    value, expected_value : numpy scalar or None
        That element and what was expected of it.
    """

    resource: str
    expected: str
    elements: int
    differing: int
    ulp: int | None
    coordinates: tuple[int, ...] | None = None
    value: np.generic | None = None
    expected_value: np.generic | None = None

    @property
    def is_equal(self) -> bool:
        """Whether nothing differs."""
        return self.differing == 0

    def line(self) -> str:
        """Return the finding as a line to print."""
        resource, expected = printable(self.resource), printable(self.expected)
        if self.value is None or self.expected_value is None:
            how = "bit for bit" if self.ulp is None else f"within {self.ulp} ulp"
            return f"Resource '{resource}' equals '{expected}': {self.elements} elements, {how}"
        more = "" if self.ulp is None else f" by more than {self.ulp} ulp"
        return (
            f"Resource '{resource}' differs from '{expected}' at {list(self.coordinates or ())}: "
            f"got {_with_bits(self.value)}, expected {_with_bits(self.expected_value)}; "
            f"{self.differing} of {self.elements} elements differ{more}"
        )


def compare_resource(
    run: ModelRun,
    resource: str,
    name: str,
    expected: npt.NDArray[Any],
    ulp: int | None = None,
) -> Comparison:
    """Compare what a resource holds after a run with what was expected of it.

    Parameters
    ----------
    run : ModelRun
        Its events have all happened.
    resource : str
    name : str
        What `expected` is called in the finding.
    expected : numpy.ndarray
        Of the shape that the resource was last bound with, it is compared with that tensor; of one
        dimension, with all elements of the resource, gaps included.
    ulp : int, optional
        How far elements may be apart; by default their bits must be the same.

    Raises
    ------
    ModelError
        If there is no such resource, or it has another type or shape.
    """
    check_resource(run.model, resource)
    if run.model.resources[resource].is_deferred and resource not in run.tensors:
        raise ModelError("", f"resource {quote(resource)} is deferred, and no dispatch writes it")
    actual = _actual(run, resource, expected)
    return _compare(f"resource {quote(resource)}", resource, actual, name, expected, ulp)


def check_resource(model: Model, resource: str) -> None:
    """Raise ModelError if a model has no resource of a name."""
    if resource not in model.resources:
        raise ModelError("", f"has no resource {quote(resource)} to compare")


def compare_files(result: str, expected: str, ulp: int | None = None) -> Comparison:
    """Compare an ``.npy`` file with another, as `compare_resource` does."""
    return _compare("it", result, read_array(result), expected, read_array(expected), ulp)


def _compare(
    what: str,
    name: str,
    actual: npt.NDArray[Any],
    expected: str,
    array: npt.NDArray[Any],
    ulp: int | None,
) -> Comparison:
    if actual.dtype != array.dtype:
        raise ModelError(
            "",
            f"{what} holds {TensorDataType.from_dtype(actual.dtype).name}, "
            f"{quote(expected)} holds {TensorDataType.from_dtype(array.dtype).name}",
        )
    if actual.shape != array.shape:
        raise ModelError(
            "",
            f"{what} has shape {list(actual.shape)}, {quote(expected)} has {list(array.shape)}",
        )
    differs = ~_equal(actual, array, ulp)
    count = int(np.count_nonzero(differs))
    if not count:
        return Comparison(name, expected, array.size, 0, ulp)
    first = np.unravel_index(int(np.argmax(differs)), array.shape)
    coordinates = tuple(int(index) for index in first)
    return Comparison(
        name, expected, array.size, count, ulp, coordinates, actual[first], array[first]
    )


def _actual(run: ModelRun, resource: str, expected: npt.NDArray[Any]) -> npt.NDArray[Any]:
    tensor = run.tensors.get(resource)
    if tensor is not None and (tensor.shape == expected.shape or expected.ndim != 1):
        return tensor
    arrays = run.typed_values(resource)
    if len(arrays) > 1:
        raise ModelError("", f"resource {quote(resource)} has a list, not one data type")
    flat = arrays[0]
    if tensor is not None and (flat.shape != expected.shape or flat.dtype != expected.dtype):
        return tensor.reshape(-1)
    return flat.reshape(expected.shape) if flat.size == expected.size else flat


def _equal(first: npt.NDArray[Any], second: npt.NDArray[Any], ulp: int | None) -> npt.NDArray[Any]:
    bits = np.dtype(f"u{first.itemsize}")
    raw = [np.ascontiguousarray(array).view(bits) for array in (first, second)]
    if ulp is None:
        return np.asarray(raw[0] == raw[1])
    if first.dtype.kind == "f":
        both_nan = np.isnan(first) & np.isnan(second)
        one_nan = np.isnan(first) ^ np.isnan(second)
        return np.asarray(both_nan | (~one_nan & (_distance(*map(_ordered, raw)) <= ulp)))
    if first.dtype.kind == "i":  # the same order as the numbers', without a sign
        raw = [array ^ bits.type(1 << (8 * first.itemsize - 1)) for array in raw]
    return np.asarray(_distance(*raw) <= ulp)


def _ordered(bits: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Number the floats in their order, -0 and 0 alike, by unsigned integers."""
    sign = bits.dtype.type(1 << (8 * bits.itemsize - 1))
    magnitude = bits & ~sign
    return np.asarray(np.where(bits & sign, sign - magnitude, sign + magnitude))


def _distance(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.asarray(np.where(first > second, first - second, second - first))


def _with_bits(value: np.generic) -> str:
    return f"{value!s} ({format_bits([np.array([value])])[0]})"

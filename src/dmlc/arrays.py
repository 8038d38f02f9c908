"""What arrays may come in and go out: widths, protocols, overlap."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, SupportsIndex, TypeAlias

import numpy as np

from dmlc import _core

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = [
    "MOST_DIMENSIONS",
    "AnyArray",
    "ArrayInput",
    "SupportsDLPack",
    "apart",
    "as_array",
    "check_dtype",
    "copy_into",
    "empty",
    "index",
    "indices",
    "one_element",
    "output_for",
    "share_memory",
]

AnyArray: TypeAlias = np.ndarray[Any, np.dtype[Any]]


class SupportsDLPack(Protocol):
    """What NumPy's ``from_dlpack`` takes: another library's array on a CPU."""

    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any:
        """Export the memory."""

    def __dlpack_device__(self, *args: Any, **kwargs: Any) -> Any:
        """Say where the memory is."""


# What a function takes for an array.
ArrayInput: TypeAlias = "npt.ArrayLike | SupportsDLPack"

MOST_DIMENSIONS = 64
_MOST_BYTES = np.iinfo(np.intp).max

_WIDTHS = frozenset((1, 2, 4, 8, 16))

_COPY = _core.Copy()


def check_dtype(function: str, argument: str, dtype: np.dtype[Any]) -> None:
    """Refuse elements that are not plain bytes of a width that the kernels have."""
    if dtype.hasobject or dtype.subdtype is not None or dtype.itemsize not in _WIDTHS:
        raise TypeError(
            f"{function}: {argument} must have a fixed-width dtype of 1, 2, 4, 8 or 16 bytes, "
            f"got {dtype!r} of {dtype.itemsize} bytes"
        )


def as_array(function: str, argument: str, value: object) -> AnyArray:
    """Return what NumPy understands, or what has ``__dlpack__``, as an array that shares its memory."""
    if type(value) is np.ndarray:
        array = value
    elif (
        hasattr(value, "__dlpack__")
        and not hasattr(value, "__array__")
        and not hasattr(value, "__array_interface__")
    ):
        array = np.from_dlpack(value)
    else:
        array = np.asarray(value)
    check_dtype(function, argument, array.dtype)
    return array


def one_element(value: object, dtype: np.dtype[Any]) -> bytes:
    """Return a value as an element's bytes, converted as NumPy converts it when it is assigned."""
    cell = np.zeros((), dtype=dtype)
    cell[...] = value
    return cell.tobytes()


def share_memory(first: AnyArray, second: AnyArray) -> bool:
    """Whether two arrays have a byte in common, or it cannot be told in reasonable time."""
    if not np.may_share_memory(first, second):
        return False
    most_work: Any = 10_000  # NumPy's declarations differ from release to release
    try:
        return np.shares_memory(first, second, max_work=most_work)
    except np.exceptions.TooHardError:
        return True


def empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> AnyArray:
    """Return a new C-contiguous array of undefined elements, aligned to 64 bytes.

    Sizes that do not fit raise what ``numpy.empty`` raises.
    """
    # Of zero-size arrays NumPy limits the product without the zeros.
    nonzero = math.prod(size for size in shape if size != 0) * dtype.itemsize
    if len(shape) > MOST_DIMENSIONS or not 0 <= nonzero <= _MOST_BYTES or min(shape, default=0) < 0:
        return np.empty(shape, dtype=dtype)
    return _core.empty(shape, dtype)


def output_for(
    function: str,
    out: AnyArray | None,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
) -> AnyArray:
    """Return ``out`` if it can hold the result, or a new array."""
    if out is None:
        return empty(shape, dtype)
    if not isinstance(out, np.ndarray):
        raise TypeError(f"{function}: out must be a NumPy array, got {type(out).__name__}")
    if out.dtype != dtype:
        raise TypeError(f"{function}: out must have dtype {dtype}, got {out.dtype}")
    if out.shape != shape:
        raise ValueError(f"{function}: out must have shape {shape}, got {out.shape}")
    if not out.flags.writeable:
        raise ValueError(f"{function}: out must be writeable, got a read-only array")
    if not _core.elements_are_distinct(out):
        raise ValueError(
            f"{function}: out must have elements of its own, got strides {out.strides} "
            f"for shape {out.shape}, which make some share memory"
        )
    return out


def copy_into(out: AnyArray, array: AnyArray) -> AnyArray:
    """Copy an array into another of the same shape and width that shares no memory with it."""
    _COPY.run(out, array)
    return out


def apart(array: AnyArray, out: AnyArray | None) -> AnyArray:
    """Return the array, or a copy where the output is about to write over it."""
    if out is None or not share_memory(array, out):
        return array
    return copy_into(empty(array.shape, array.dtype), array)


def index(function: str, argument: str, value: SupportsIndex) -> int:
    """Return an integer, or say whose it should have been."""
    if type(value) is int:
        return value
    try:
        return value.__index__()
    except (AttributeError, TypeError):
        raise TypeError(
            f"{function}: {argument} must be an integer, got {type(value).__name__}"
        ) from None


def indices(function: str, argument: str, values: Iterable[SupportsIndex], most: int) -> list[int]:
    """Return the integers of a sequence; of a longer one than ``most`` only one more is read."""
    try:
        entries = list(islice(values, most + 1))
    except TypeError:
        raise TypeError(
            f"{function}: {argument} must be a sequence of integers, got {type(values).__name__}"
        ) from None
    return [index(function, f"{argument}[{i}]", entry) for i, entry in enumerate(entries)]

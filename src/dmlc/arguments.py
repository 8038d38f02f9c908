"""Arguments of functions that are not plain, for the binding to ask: what NumPy takes for them as Python's own numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from dmlc.arrays import (
    MOST_DIMENSIONS,
    AnyArray,
    bounded,
    check_dtype,
    check_kind,
    claimed_entries,
    index,
    indices,
    members,
    one_element,
    sequence_of,
)

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = [
    "Values",
    "axes_to_flip",
    "common_dtype",
    "entries_of_batch",
    "native_indices",
    "promoted",
    "repeats",
    "reps",
    "shape_of_matrices",
    "shifts",
    "value_pairs",
    "width_pairs",
]

# What stands before and after each axis, as the bytes of an element.
Values = tuple[tuple[bytes, bytes], ...]

# More shifts than this are a claim, not a roll; so many repeats are read before they are found to be too many.
_MOST_SHIFTS = 1 << 16
_LEAST_REPEATS = 1 << 16


def width_pairs(pad_width: Any, ndim: int) -> tuple[tuple[int, int], ...]:
    """Broadcast ``pad_width`` to one pair an axis, by NumPy's rules."""
    if isinstance(pad_width, Mapping):
        by_axis = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            pair = width if isinstance(width, tuple) else (width, width)
            if len(pair) != 2:
                raise ValueError(
                    f"pad: pad_width[{axis}] must be one or two integers, got {width!r}"
                )
            before, after = pair
            by_axis[normalize_axis_index(axis, ndim)] = (
                index("pad", f"pad_width[{axis}]", before),
                index("pad", f"pad_width[{axis}]", after),
            )
        return tuple(by_axis)
    widths = np.asarray(_beginning("pad_width", pad_width, ndim))
    if widths.dtype.kind != "i":
        raise TypeError("`pad_width` must be of integral type.")
    pairs = _broadcast_pairs(widths, ndim)
    return tuple((int(before), int(after)) for before, after in pairs)


def _beginning(argument: str, values: Any, ndim: int) -> Any:
    """Cut a sequence that is too long for so many axes, a range of any length, down to just too long."""
    enough = max(ndim, 2) + 1
    is_sequence = isinstance(values, Sequence) and not isinstance(values, memoryview)
    cut = values[:enough] if is_sequence and len(values) > enough else values
    return bounded("pad", argument, cut, 3)


def _broadcast_pairs(values: AnyArray, ndim: int) -> Iterable[tuple[Any, Any]]:
    # A value for all, or a pair for all; but ((1,), (2,)) is a value an axis.
    if values.ndim < 3 and values.size == 1:
        return ((values.flat[0], values.flat[0]),) * ndim
    if values.ndim < 3 and values.size == 2 and values.shape != (2, 1):
        return ((values.flat[0], values.flat[1]),) * ndim
    # NumPy assigns these as Python's numbers, which must fit, and those above as its own.
    pairs: list[tuple[Any, Any]] = np.broadcast_to(values, (ndim, 2)).tolist()
    return pairs


def value_pairs(constant_values: npt.ArrayLike, dtype: np.dtype[Any], ndim: int) -> Values:
    """Broadcast ``constant_values`` to the elements before and after each axis, by NumPy's rules."""
    check_kind("pad", "constant_values", constant_values)
    pairs = _broadcast_pairs(np.asarray(_beginning("constant_values", constant_values, ndim)), ndim)

    def element(value: Any) -> bytes:
        return one_element("pad", "constant_values", value, dtype)

    return tuple((element(before), element(after)) for before, after in pairs)


def shifts(shift: npt.ArrayLike, axis: Any, ndim: int) -> list[int]:
    """How far to roll along each axis, by NumPy's rules; without an axis, along the one row of all elements."""
    given: Any = 0 if axis is None else axis
    shift = bounded("roll", "shift", shift, 2, _MOST_SHIFTS)
    given = bounded("roll", "axis", given, 1, _MOST_SHIFTS)
    if np.iterable(given) and not isinstance(given, Sequence):
        given = tuple(islice(given, _MOST_SHIFTS + 1))
    for argument, values in (("shift", shift), ("axis", given)):
        claimed = claimed_entries(values)
        if claimed > _MOST_SHIFTS:
            raise ValueError(
                f"roll: {argument} must have at most {_MOST_SHIFTS} entries, got {claimed}"
            )
    axes = normalize_axis_tuple(given, ndim, allow_duplicate=True)
    if np.ndim(shift) > 1:
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    distances = [0] * ndim
    # 2^62 - 1 beside 2^63 would become a float, and another shift.
    if isinstance(shift, (list, tuple)) and all(
        isinstance(entry, (int, np.integer)) for entry in shift
    ):
        shift = np.asarray(shift, object)
    for distance, place in np.broadcast(shift, axes):
        distances[place] += int(distance)
    return distances


def axes_to_flip(axis: SupportsIndex | Iterable[SupportsIndex], ndim: int) -> tuple[int, ...]:
    """The axes of one or more integers, by NumPy's rules."""
    given = indices("flip", "axis", sequence_of(axis), ndim)
    axes: tuple[int, ...] = normalize_axis_tuple(given, ndim)
    return axes


def reps(reps: SupportsIndex | Iterable[SupportsIndex]) -> tuple[int, ...]:
    """How often an array is tiled along its last axes."""
    given = list(islice(reps, MOST_DIMENSIONS + 1)) if np.iterable(reps) else [reps]
    if len(given) > MOST_DIMENSIONS:
        raise ValueError(f"tile: reps must have at most {MOST_DIMENSIONS} entries, got more")
    return tuple(index("tile", f"reps[{i}]", count) for i, count in enumerate(given))


def repeats(repeats: npt.ArrayLike, size: int) -> npt.NDArray[np.intp]:
    """How often each of so many elements is repeated, or all of them, by NumPy's rules, as a row of numbers.

    A sequence that claims too many entries is refused unread.
    """
    if isinstance(repeats, np.ndarray) and not np.can_cast(repeats.dtype, np.intp):
        raise TypeError(f"repeat: repeats must be integers, got dtype {repeats.dtype}")
    most = max(size, _LEAST_REPEATS)
    repeats = bounded("repeat", "repeats", repeats, 2, most)
    claimed = claimed_entries(repeats)
    if claimed > most:
        raise ValueError(f"repeat: repeats must have at most {size} entries, got {claimed}")
    counts = np.array(repeats, dtype=np.intp)
    if counts.ndim > 1:
        raise ValueError(f"repeat: repeats must have at most 1 dimension, got {counts.ndim}")
    return counts.reshape(-1)


def native_indices(array: AnyArray, refuse_negative: bool) -> AnyArray:
    """Indices of the one type of their width: aliases such as longlong and the foreign byte order become it."""
    if refuse_negative and (least := int(array.min())) < 0:
        raise ValueError(f"one_hot: indices must not be negative, got {least}")
    return array.astype(np.dtype(f"{array.dtype.kind}{array.itemsize}"), copy=False)


def shape_of_matrices(
    function: str, shape: SupportsIndex | Sequence[SupportsIndex]
) -> tuple[int, ...]:
    """The sizes of a batch of matrices, of which the last two are theirs."""
    entries = shape if isinstance(shape, Sequence | np.ndarray) else (shape,)
    sizes = indices(function, "shape", entries, MOST_DIMENSIONS)
    if not 2 <= len(sizes) <= MOST_DIMENSIONS:
        raise ValueError(
            f"{function}: shape must have at least 2 sizes and at most {MOST_DIMENSIONS}, "
            f"got {len(sizes) if len(sizes) < 2 else 'more'}"
        )
    return tuple(sizes)


def entries_of_batch(function: str, arrays: Iterable[Any]) -> Iterator[Any]:
    """What a batch is made of, no more than it says; pad_sequence takes it from an iterator too."""
    has_entries = hasattr(arrays, "__getitem__")
    if function == "pad_sequence":
        is_right, rule = has_entries or hasattr(arrays, "__iter__"), "iterable"
    else:
        is_right = has_entries and hasattr(arrays, "__len__")
        rule = "a sequence such as a list or a tuple"
    if not is_right:
        raise TypeError(f"{function}: arrays must be {rule}, got {type(arrays).__name__}")
    return members(function, "arrays", arrays)


def common_dtype(function: str, rows: tuple[AnyArray, ...], native: bool) -> np.dtype[Any]:
    """The dtype that NumPy promotes all to, which is never of the foreign byte order where there are several."""
    dtypes = {row.dtype for row in rows}
    dtype = np.result_type(*dtypes) if native or len(dtypes) > 1 else rows[0].dtype
    check_dtype(function, "arrays", dtype)
    return dtype


def promoted(
    given: tuple[Any, ...], rows: tuple[AnyArray, ...], dtype: np.dtype[Any]
) -> tuple[tuple[Any, ...], tuple[AnyArray, ...]]:
    """The rows in a dtype; those that had another one are arrays of their own."""
    now = [np.asarray(v) if isinstance(v, np.ndarray) else row for v, row in zip(given, rows)]
    right = [row.astype(dtype, casting="same_kind", copy=False) for row in now]
    kept = [v if row is was else row for v, row, was in zip(given, right, now)]
    return tuple(kept), tuple(right)

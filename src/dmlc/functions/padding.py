"""``pad``, ``window`` and ``roll``: PADDING on arrays, of which all are windows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from dmlc import _dmlc
from dmlc.arrays import (
    AnyArray,
    ArrayInput,
    Input,
    apart,
    bounded,
    check_kind,
    copy_into,
    empty,
    entries,
    index,
    one_element,
    output_for,
)
from dmlc.enums import PaddingMode

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = [
    "MODES",
    "Mode",
    "Values",
    "arguments_of_pad",
    "arguments_of_window",
    "pad",
    "pad_constant",
    "roll",
    "run_window",
    "starts_of_roll",
    "window",
]

_Pairs = tuple[tuple[int, int], ...]
# What stands before and after each axis, as the bytes of an element.
Values = tuple[tuple[bytes, bytes], ...]
Mode = Literal["constant", "edge", "reflect", "symmetric", "wrap"]

MODES = {
    "constant": PaddingMode.CONSTANT,
    "edge": PaddingMode.EDGE,
    "reflect": PaddingMode.REFLECTION,
    "symmetric": PaddingMode.SYMMETRIC,
    "wrap": PaddingMode.WRAP,
}


@_dmlc.with_plain_pad
def pad(
    array: ArrayInput,
    pad_width: npt.ArrayLike | Mapping[int, int | tuple[int, int]],
    mode: Mode = "constant",
    *,
    constant_values: npt.ArrayLike = 0,
    out: AnyArray | None = None,
) -> AnyArray:
    """Grow an array at its edges, as ``numpy.pad`` does.

    ::

        constant    v v v [a b c d] v v v     constant_values
        edge        a a a [a b c d] d d d     the nearest element
        reflect     d c b [a b c d] c b a     a mirror on the edge element
        symmetric   c b a [a b c d] d c b     a mirror outside the edge element
        wrap        b c d [a b c d] a b c     the array again

    Parameters
    ----------
    array : array_like
        Any shape and strides; a fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    pad_width : int, array_like of int, or dict
        Elements to add before and after each axis: ``n``, ``(before, after)``,
        ``((before, after),)``, one pair an axis, or ``{axis: (before, after)}``. May exceed the
        array: mirrors and wraps go on periodically. A negative width crops, before anything is
        added.
    mode : {"constant", "edge", "reflect", "symmetric", "wrap"}
    constant_values : scalar or array_like
        What ``"constant"`` adds, in the same forms as ``pad_width``; converted to the array's
        dtype as assignment does.
    out : ndarray, optional
        Where to write: the result's shape and dtype, any strides. It may overlap ``array``.

    Returns
    -------
    ndarray
        ``out``, or a new C-contiguous array of the same dtype.

    Raises
    ------
    TypeError
        If ``pad_width`` is not integral, or a dtype cannot be handled.
    ValueError
        If ``mode`` is unknown, ``pad_width`` does not fit the axes or crops more than there is,
        an empty axis would have to be extended from nothing, or ``out`` does not fit.

    Notes
    -----
    Semantics are those of ``numpy.pad`` and of DirectML's ``DML_PADDING_OPERATOR_DESC``.

    Examples
    --------
    >>> import dmlc
    >>> dmlc.pad([1, 2, 3], 2, mode="reflect")
    array([3, 2, 1, 2, 3, 2, 1])
    >>> dmlc.pad([1, 2, 3], (1, -1), constant_values=9)
    array([9, 1, 2])
    """
    source = Input("pad", "array", array)
    kept, widths, number, values = arguments_of_pad(
        source.shape, source.dtype, pad_width, mode, constant_values
    )
    window: list[Any] = [np.s_[begin:end] for begin, end in kept]
    inner = source.settle()[(*window, ...)]
    shape = tuple(before + size + after for size, (before, after) in zip(inner.shape, widths))
    result = output_for("pad", out, shape, inner.dtype)
    inner = apart(inner, result, out)
    if values is None:
        _run(result, inner, widths, number, None)
    else:
        pad_constant(result, inner, widths, values)
    return result if out is None else out


def arguments_of_pad(
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    pad_width: npt.ArrayLike | Mapping[int, int | tuple[int, int]],
    mode: str,
    constant_values: npt.ArrayLike,
) -> tuple[_Pairs, _Pairs, PaddingMode, Values | None]:
    """Return what is kept of each axis, how wide that is extended, how, and by which values."""
    widths = _width_pairs(pad_width, len(shape))
    number = MODES.get(mode) if isinstance(mode, str) else None
    if number is None:
        raise ValueError(f"mode '{mode}' is not supported")
    if number is not PaddingMode.CONSTANT and not _is_default(constant_values):
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {{'constant_values'}}")
    values = None
    if number is PaddingMode.CONSTANT:
        values = _value_pairs(constant_values, dtype, len(shape))
    kept = _crop(shape, widths)
    widths = tuple((max(before, 0), max(after, 0)) for before, after in widths)
    if values is None:
        for axis, ((begin, end), width) in enumerate(zip(kept, widths)):
            if begin == end and any(width):
                raise ValueError(
                    f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
                )
    return kept, widths, number, values


def _is_default(constant_values: npt.ArrayLike) -> bool:
    return isinstance(constant_values, int) and constant_values == 0


def _width_pairs(pad_width: Any, ndim: int) -> _Pairs:
    """Broadcast ``pad_width`` to one pair an axis, by NumPy's rules."""
    if isinstance(pad_width, Mapping):
        by_axis = [(0, 0)] * ndim
        for axis, width in pad_width.items():
            before, after = width if isinstance(width, tuple) else (width, width)
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


def _value_pairs(constant_values: npt.ArrayLike, dtype: np.dtype[Any], ndim: int) -> Values:
    check_kind("pad", "constant_values", constant_values)
    pairs = _broadcast_pairs(np.asarray(_beginning("constant_values", constant_values, ndim)), ndim)

    def element(value: Any) -> bytes:
        return one_element("pad", "constant_values", value, dtype)

    return tuple((element(before), element(after)) for before, after in pairs)


def _crop(shape: tuple[int, ...], widths: _Pairs) -> _Pairs:
    """Return the range of each axis that negative widths leave."""
    kept = []
    for axis, (size, (before, after)) in enumerate(zip(shape, widths)):
        begin, end = max(-before, 0), size - max(-after, 0)
        if begin > end:
            raise ValueError(
                f"pad: pad_width[{axis}] must crop at most the axis' {size} elements, "
                f"got {(before, after)}"
            )
        kept.append((begin, end))
    return tuple(kept)


def _run(
    out: AnyArray, array: AnyArray, widths: _Pairs, mode: PaddingMode, value: bytes | None
) -> None:
    pairs = np.array(widths, dtype=np.int64).reshape(-1, 2)
    _dmlc.Padding(pairs[:, 0], pairs[:, 1], mode).run(out, array, value)


def pad_constant(out: AnyArray, array: AnyArray, widths: _Pairs, values: Values) -> None:
    """Write an array and values of their own at each of its ends; they share no memory."""
    distinct = {value for pair in values for value in pair}
    if len(distinct) < 2:
        _run(out, array, widths, PaddingMode.CONSTANT, next(iter(distinct), None))
        return
    _run(out, array, widths, PaddingMode.CONSTANT, None)
    # Axis by axis, over what the axes before it have filled: the last axis' values stand in the
    # corners.
    inside = tuple(np.s_[before : before + size] for size, (before, _) in zip(array.shape, widths))
    for axis, ((before, after), pair) in enumerate(zip(widths, values)):
        size = out.shape[axis]
        for border, value in zip((np.s_[:before], np.s_[size - after :]), pair):
            region = out[(np.s_[:],) * axis + (border, *inside[axis + 1 :])]
            element: AnyArray = np.ndarray((), array.dtype, value)
            copy_into(region, np.broadcast_to(element, region.shape))


@_dmlc.with_plain_window
def window(
    array: ArrayInput,
    start: SupportsIndex | Sequence[SupportsIndex],
    shape: SupportsIndex | Sequence[SupportsIndex],
    mode: Mode = "constant",
    *,
    constant_values: Any = 0,
    out: AnyArray | None = None,
) -> AnyArray:
    """Copy any window of an array that goes on without end, as `pad` extends it.

    ``result[o] = extended[o + start]``: the window may lie inside the array, overlap it, or lie
    wholly outside. Cropping and padding are one pass.

    Parameters
    ----------
    array : array_like
        Any shape and strides; a fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    start : int or sequence of int
        The window's first element along each axis, counted from the array's first: any sign, any
        distance. An integer is a sequence of one.
    shape : int or sequence of int
        The window's size along each axis.
    mode : {"constant", "edge", "reflect", "symmetric", "wrap"}
        How the array goes on; see `pad`.
    constant_values : scalar
        What is outside in mode ``"constant"``; converted to the array's dtype as assignment does.
    out : ndarray, optional
        Where to write: the given shape and the array's dtype, any strides. It may overlap
        ``array``.

    Returns
    -------
    ndarray
        ``out``, or a new C-contiguous array of the same dtype.

    Raises
    ------
    TypeError
        If an entry is not an integer or the dtype cannot be handled.
    ValueError
        If the entries are not one an axis, a size is negative, ``mode`` is unknown, an empty axis
        would have to be extended from nothing, or ``out`` does not fit.

    Examples
    --------
    >>> import dmlc
    >>> dmlc.window([1, 2, 3], -2, 4)
    array([0, 0, 1, 2])
    >>> dmlc.window([[1, 2, 3], [4, 5, 6]], (1, 5), (2, 3), "wrap")
    array([[6, 4, 5],
           [3, 1, 2]])
    """
    source = Input("window", "array", array)
    starts, sizes, number, value = arguments_of_window(
        source.shape, source.dtype, start, shape, mode, constant_values
    )
    inner = source.settle()
    result = output_for("window", out, tuple(sizes), inner.dtype)
    run_window(result, apart(inner, result, out), starts, number, value)
    return result if out is None else out


def arguments_of_window(
    extents: tuple[int, ...],
    dtype: np.dtype[Any],
    start: SupportsIndex | Sequence[SupportsIndex],
    shape: SupportsIndex | Sequence[SupportsIndex],
    mode: str,
    constant_values: Any,
) -> tuple[list[int], list[int], PaddingMode, bytes]:
    """Return where a window starts, its sizes, how an array of these extents goes on, and by which value."""
    starts = entries("window", "start", start, len(extents))
    sizes = entries("window", "shape", shape, len(extents))
    number = MODES.get(mode) if isinstance(mode, str) else None
    if number is None:
        raise ValueError(f"window: mode must be one of {', '.join(MODES)}, got {mode!r}")
    if number is not PaddingMode.CONSTANT and not _is_default(constant_values):
        raise ValueError(
            f"window: constant_values must be left out unless mode is 'constant', got mode {mode!r}"
        )
    for axis, size in enumerate(sizes):
        if size < 0:
            raise ValueError(f"window: shape[{axis}] must be at least 0, got {size}")
        if size > 0 and extents[axis] == 0 and number is not PaddingMode.CONSTANT:
            raise ValueError(
                f"window: shape[{axis}] must be 0 in mode {mode!r}, since array has no element "
                f"along axis {axis}, got {size}"
            )
    value = one_element("window", "constant_values", constant_values, dtype)
    return starts, sizes, number, value


def run_window(
    out: AnyArray, array: AnyArray, starts: Sequence[int], mode: PaddingMode, value: bytes | None
) -> AnyArray:
    """Write a window of an array that shares no memory with it; starts may be any integers."""
    near = [_nearest(*axis, mode) for axis in zip(starts, array.shape, out.shape)]
    _dmlc.Window(np.array(near, dtype=np.int64), mode).run(out, array, value)
    return out


def _nearest(start: int, size: int, count: int, mode: PaddingMode) -> int:
    """Return where the same elements are read next to the array, whose axis has so many."""
    if size > 0 and mode is PaddingMode.WRAP:
        return start % size
    if size > 0 and mode is PaddingMode.SYMMETRIC:
        return start % (2 * size)
    if size > 0 and mode is PaddingMode.REFLECTION:
        return start % max(2 * (size - 1), 1)
    return min(max(start, -count), size)


# More shifts than this are a claim, not a roll.
_MOST_SHIFTS = 1 << 16


@_dmlc.with_plain_roll
def roll(
    array: ArrayInput,
    shift: npt.ArrayLike,
    axis: SupportsIndex | Sequence[SupportsIndex] | None = None,
    *,
    out: AnyArray | None = None,
) -> AnyArray:
    """Move elements along axes, those that leave at one end back in at the other, as ``numpy.roll``.

    Parameters
    ----------
    array : array_like
        Any shape and strides; a fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    shift : int or sequence of int
        How far, of any sign; broadcast against ``axis``. At most 65536 entries.
    axis : int or sequence of int, optional
        Along which axes; what is given of one axis adds up. None rolls all elements as if they
        stood in one row.
    out : ndarray, optional
        Where to write: the same shape and dtype, any strides. It may overlap ``array``.

    Returns
    -------
    ndarray
        ``out``, or a new C-contiguous array.

    Raises
    ------
    TypeError, ValueError
        As ``numpy.roll``, or if the dtype cannot be handled or ``out`` does not fit.
    numpy.exceptions.AxisError
        If an axis is outside the array.

    Examples
    --------
    >>> import dmlc
    >>> dmlc.roll([[0, 1, 2], [3, 4, 5]], (1, -1), axis=(0, 1))
    array([[4, 5, 3],
           [1, 2, 0]])
    """
    source = Input("roll", "array", array)
    starts = starts_of_roll(shift, axis, source.ndim)
    inner = source.settle()
    result = output_for("roll", out, inner.shape, inner.dtype)
    inner = apart(inner, result, out)
    if axis is not None:
        run_window(result, inner, starts, PaddingMode.WRAP, None)
    elif result.flags.c_contiguous:
        run_window(result.reshape(-1), inner.reshape(-1), starts, PaddingMode.WRAP, None)
    else:
        row = empty((inner.size,), inner.dtype)
        run_window(row, inner.reshape(-1), starts, PaddingMode.WRAP, None)
        copy_into(result, row.reshape(inner.shape))
    return result if out is None else out


def starts_of_roll(
    shift: npt.ArrayLike, axis: SupportsIndex | Sequence[SupportsIndex] | None, ndim: int
) -> list[int]:
    """Return where along each axis a roll reads its first element; without axes, along all as one row."""
    ndim = 1 if axis is None else ndim
    given: Any = 0 if axis is None else axis
    shift = bounded("roll", "shift", shift, 2, _MOST_SHIFTS)
    given = bounded("roll", "axis", given, 1, _MOST_SHIFTS)
    if np.iterable(given) and not isinstance(given, Sequence):
        given = tuple(islice(given, _MOST_SHIFTS + 1))
    for argument, values in (("shift", shift), ("axis", given)):
        claimed = len(values) if isinstance(values, Sequence) else np.size(values)
        if claimed > _MOST_SHIFTS:
            raise ValueError(
                f"roll: {argument} must have at most {_MOST_SHIFTS} entries, got {claimed}"
            )
    axes = normalize_axis_tuple(given, ndim, allow_duplicate=True)
    if np.ndim(shift) > 1:
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    starts = [0] * ndim
    for distance, place in np.broadcast(shift, axes):
        starts[place] -= int(distance)
    return starts

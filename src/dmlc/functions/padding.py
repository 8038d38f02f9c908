"""``pad`` and ``pad_sequence``: PADDING on arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, overload

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from dmlc import _core
from dmlc.arrays import (
    AnyArray,
    ArrayInput,
    Input,
    apart,
    check_kind,
    copy_into,
    empty,
    index,
    one_element,
    output_for,
)
from dmlc.enums import PaddingMode

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["pad", "pad_sequence"]

_Pairs = tuple[tuple[int, int], ...]
_Mode = Literal["constant", "edge", "reflect", "symmetric", "wrap"]

_MODES = {
    "constant": PaddingMode.CONSTANT,
    "edge": PaddingMode.EDGE,
    "reflect": PaddingMode.REFLECTION,
    "symmetric": PaddingMode.SYMMETRIC,
    "wrap": PaddingMode.WRAP,
}


@_core.with_plain_pad
def pad(
    array: ArrayInput,
    pad_width: npt.ArrayLike | Mapping[int, int | tuple[int, int]],
    mode: _Mode = "constant",
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
    widths = _width_pairs(pad_width, source.ndim)
    number = _MODES.get(mode) if isinstance(mode, str) else None
    if number is None:
        raise ValueError(f"mode '{mode}' is not supported")
    if number is not PaddingMode.CONSTANT and not _is_default(constant_values):
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {{'constant_values'}}")
    values = None
    if number is PaddingMode.CONSTANT:
        values = _value_pairs(constant_values, source.dtype, source.ndim)
    inner, widths = _crop(source.settle(), widths)
    shape = tuple(before + size + after for size, (before, after) in zip(inner.shape, widths))
    if values is None:
        for axis, width in enumerate(widths):
            if inner.shape[axis] == 0 and any(width):
                raise ValueError(
                    f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
                )
    result = output_for("pad", out, shape, inner.dtype)
    inner = apart(inner, result, out)
    if values is None:
        _run(result, inner, widths, number, None)
    else:
        _pad_constant(result, inner, widths, values)
    return result if out is None else out


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
    widths = np.asarray(_beginning(pad_width, ndim))
    if widths.dtype.kind != "i":
        raise TypeError("`pad_width` must be of integral type.")
    pairs = _broadcast_pairs(widths, ndim)
    return tuple((int(before), int(after)) for before, after in pairs)


def _beginning(values: Any, ndim: int) -> Any:
    """Cut a sequence that is too long for so many axes, a range of any length, down to just too long."""
    enough = max(ndim, 2) + 1
    is_sequence = isinstance(values, Sequence) and not isinstance(values, memoryview)
    return values[:enough] if is_sequence and len(values) > enough else values


def _broadcast_pairs(values: AnyArray, ndim: int) -> Iterable[tuple[Any, Any]]:
    # A value for all, or a pair for all; but ((1,), (2,)) is a value an axis.
    if values.ndim < 3 and values.size == 1:
        return ((values.flat[0], values.flat[0]),) * ndim
    if values.ndim < 3 and values.size == 2 and values.shape != (2, 1):
        return ((values.flat[0], values.flat[1]),) * ndim
    # NumPy assigns these as Python's numbers, which must fit, and those above as its own.
    pairs: list[tuple[Any, Any]] = np.broadcast_to(values, (ndim, 2)).tolist()
    return pairs


def _value_pairs(
    constant_values: npt.ArrayLike, dtype: np.dtype[Any], ndim: int
) -> tuple[tuple[bytes, bytes], ...]:
    check_kind("pad", "constant_values", constant_values)
    pairs = _broadcast_pairs(np.asarray(_beginning(constant_values, ndim)), ndim)

    def element(value: Any) -> bytes:
        return one_element("pad", "constant_values", value, dtype)

    return tuple((element(before), element(after)) for before, after in pairs)


def _crop(array: AnyArray, widths: _Pairs) -> tuple[AnyArray, _Pairs]:
    """Cut off what negative widths ask for; what is left of the widths is not negative."""
    if all(before >= 0 and after >= 0 for before, after in widths):
        return array, widths
    window = []
    for axis, (size, (before, after)) in enumerate(zip(array.shape, widths)):
        begin, end = max(-before, 0), size - max(-after, 0)
        if begin > end:
            raise ValueError(
                f"pad: pad_width[{axis}] must crop at most the axis' {size} elements, "
                f"got {(before, after)}"
            )
        window.append(np.s_[begin:end])
    return array[tuple(window)], tuple((max(b, 0), max(a, 0)) for b, a in widths)


def _run(
    out: AnyArray, array: AnyArray, widths: _Pairs, mode: PaddingMode, value: bytes | None
) -> None:
    pairs = np.array(widths, dtype=np.int64).reshape(-1, 2)
    _core.Padding(pairs[:, 0], pairs[:, 1], mode).run(out, array, value)


def _pad_constant(
    out: AnyArray, array: AnyArray, widths: _Pairs, values: tuple[tuple[bytes, bytes], ...]
) -> None:
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


@overload
def pad_sequence(
    arrays: Iterable[ArrayInput],
    *,
    side: Literal["right", "left"] = "right",
    value: Any = 0,
    multiple_of: SupportsIndex = 1,
    return_mask: Literal[False] = False,
) -> AnyArray: ...


@overload
def pad_sequence(
    arrays: Iterable[ArrayInput],
    *,
    side: Literal["right", "left"] = "right",
    value: Any = 0,
    multiple_of: SupportsIndex = 1,
    return_mask: Literal[True],
) -> tuple[AnyArray, npt.NDArray[np.bool_]]: ...


def pad_sequence(
    arrays: Iterable[ArrayInput],
    *,
    side: Literal["right", "left"] = "right",
    value: Any = 0,
    multiple_of: SupportsIndex = 1,
    return_mask: bool = False,
) -> AnyArray | tuple[AnyArray, npt.NDArray[np.bool_]]:
    """Stack arrays of different lengths into one batch, padded to the longest.

    Parameters
    ----------
    arrays : iterable of array_like
        At least one; each of shape ``(length, *rest)`` with the same ``rest``. Different dtypes
        are promoted as ``numpy.result_type`` does.
    side : {"right", "left"}
        Where the padding goes.
    value : scalar
        What it is, converted to the batch's dtype as assignment does.
    multiple_of : int
        The length is rounded up to a multiple of this.
    return_mask : bool
        Whether to return the mask too.

    Returns
    -------
    batch : ndarray, shape (batch, length, \\*rest)
    mask : ndarray of bool, shape (batch, length)
        True where ``batch`` holds an element, False where padding; with ``return_mask`` only.

    Raises
    ------
    ValueError
        If there are no arrays, one has no dimension, their ``rest`` differ, ``side`` is unknown,
        or ``multiple_of`` is less than 1.

    Examples
    --------
    >>> import dmlc
    >>> batch, mask = dmlc.pad_sequence([[7, 8, 9], [5]], return_mask=True)
    >>> batch
    array([[7, 8, 9],
           [5, 0, 0]])
    >>> mask
    array([[ True,  True,  True],
           [ True, False, False]])
    """
    # A list holds what it claims; of anything else no more is read than is right.
    rows: list[Any] = list(arrays) if isinstance(arrays, list | tuple) else []
    plain = _core.common_length(rows) >= 0
    inputs = [] if plain else _as_rows(rows or arrays)
    if not (rows or inputs):
        raise ValueError("pad_sequence: arrays must hold at least one array, got none")
    if side not in ("right", "left"):
        raise ValueError(f"pad_sequence: side must be 'right' or 'left', got {side!r}")
    multiple = index("pad_sequence", "multiple_of", multiple_of)
    if multiple < 1:
        raise ValueError(f"pad_sequence: multiple_of must be at least 1, got {multiple}")
    dtype = rows[0].dtype if plain else _common_dtype(inputs)
    element = one_element("pad_sequence", "value", value, dtype)
    if not plain:
        rows = [row.settle().astype(dtype, copy=False) for row in inputs]
    longest = _core.common_length(rows) if plain else max(row.shape[0] for row in rows)
    if longest < 0:
        raise ValueError("pad_sequence: arrays must stay as they are while value is converted")
    length = -(-longest // multiple) * multiple
    batch = empty((len(rows), length, *rows[0].shape[1:]), dtype)
    mask = empty((len(rows), length), np.dtype(np.bool_)) if return_mask else None
    _core.stack(rows, batch, side == "left", element, mask)
    return batch if mask is None else (batch, mask)


def _as_rows(values: Iterable[Any]) -> list[Input]:
    """Return arrays that agree in all sizes but the first."""
    rows: list[Input] = []
    for i, value in enumerate(values):
        row = Input("pad_sequence", f"arrays[{i}]", value)
        rest = rows[0].shape[1:] if rows else row.shape[1:]
        if row.ndim == 0 or row.shape[1:] != rest:
            raise ValueError(
                f"pad_sequence: arrays[{i}] must have shape (length, *{rest}), got {row.shape}"
            )
        rows.append(row)
    return rows


def _common_dtype(rows: list[Input]) -> np.dtype[Any]:
    dtypes = {row.dtype for row in rows}
    return rows[0].dtype if len(dtypes) == 1 else np.result_type(*dtypes)

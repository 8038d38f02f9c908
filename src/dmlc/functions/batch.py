"""``stack``, ``collate`` and ``pad_sequence``: many arrays into one, each through a window of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, overload

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from dmlc import _dmlc
from dmlc._dmlc import Input, apart, empty, output_for
from dmlc.arrays import (
    AnyArray,
    ArrayInput,
    all_as_arrays,
    entries,
    index,
    members,
    one_element,
)
from dmlc.functions.padding import Mode

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["collate", "pad_sequence", "stack"]

_ALIGNMENTS = ("start", "end", "center")


@_dmlc.with_plain_stack
def stack(
    arrays: Sequence[ArrayInput], axis: SupportsIndex = 0, *, out: AnyArray | None = None
) -> AnyArray:
    """Join arrays along a new axis, as ``numpy.stack`` does, all in one go.

    Parameters
    ----------
    arrays : sequence of array_like
        At least one, all of one shape, of any strides; a fixed-width dtype of 1, 2, 4, 8 or 16
        bytes. Different dtypes are promoted as ``numpy.result_type`` does.
    axis : int
        Where the new axis stands in the result.
    out : ndarray, optional
        Where to write: the result's shape and dtype, any strides. It may overlap the arrays.

    Returns
    -------
    ndarray
        ``out``, or a new C-contiguous array.

    Raises
    ------
    TypeError, ValueError
        As ``numpy.stack``, or if a dtype cannot be handled or ``out`` does not fit.
    numpy.exceptions.AxisError
        If the axis is outside the result.

    Notes
    -----
    All arrays are copied by one team of threads, so that a batch of small ones is shared too.
    They may be views: ``dmlc.stack([image.transpose(2, 0, 1) for image in images])`` puts channels
    first on the way.

    Examples
    --------
    >>> import dmlc
    >>> dmlc.stack([[1, 2, 3], [4, 5, 6]], axis=1)
    array([[1, 4],
           [2, 5],
           [3, 6]])
    """
    if (plain := all_as_arrays(arrays)) is not None:
        return stack(plain, axis, out=out)
    rows = _members("stack", arrays)
    if not rows:
        raise ValueError("need at least one array to stack")
    shape = rows[0].shape
    if any(row.shape != shape for row in rows):
        raise ValueError("all input arrays must have the same shape")
    place = normalize_axis_index(index("stack", "axis", axis), len(shape) + 1)
    # NumPy's result is never of the foreign byte order.
    dtype = np.result_type(*{row.dtype for row in rows})
    inner = [row.settle().astype(dtype, copy=False) for row in rows]
    result = output_for("stack", out, (*shape[:place], len(rows), *shape[place:]), dtype)
    settled = tuple([apart(row, result, out) for row in inner])
    _dmlc.collate(settled, result, place, 0, "start", None, None)
    return result if out is None else out


@overload
def collate(
    arrays: Sequence[ArrayInput],
    *,
    shape: SupportsIndex | Sequence[SupportsIndex] | None = None,
    mode: Mode = "constant",
    value: Any = 0,
    align: Literal["start", "end", "center"] = "start",
    return_mask: Literal[False] = False,
    out: AnyArray | None = None,
) -> AnyArray: ...


@overload
def collate(
    arrays: Sequence[ArrayInput],
    *,
    shape: SupportsIndex | Sequence[SupportsIndex] | None = None,
    mode: Mode = "constant",
    value: Any = 0,
    align: Literal["start", "end", "center"] = "start",
    return_mask: Literal[True],
    out: AnyArray | None = None,
) -> tuple[AnyArray, npt.NDArray[np.bool_]]: ...


@_dmlc.with_plain_collate
def collate(
    arrays: Sequence[ArrayInput],
    *,
    shape: SupportsIndex | Sequence[SupportsIndex] | None = None,
    mode: Mode = "constant",
    value: Any = 0,
    align: Literal["start", "end", "center"] = "start",
    return_mask: bool = False,
    out: AnyArray | None = None,
) -> AnyArray | tuple[AnyArray, npt.NDArray[np.bool_]]:
    """Bring arrays of different sizes into one batch: pad the small ones, crop the large ones.

    Parameters
    ----------
    arrays : sequence of array_like
        At least one, all of one rank, of any strides; a fixed-width dtype of 1, 2, 4, 8 or 16
        bytes. Different dtypes are promoted as ``numpy.result_type`` does.
    shape : int or sequence of int, optional
        What each item of the batch measures, one size for each axis of an array; the largest
        along each axis by default. An array that is larger is cropped.
    mode : {"constant", "edge", "reflect", "symmetric", "wrap"}
        How the smaller arrays are extended; see `pad`.
    value : scalar
        What ``"constant"`` adds, converted to the batch's dtype as assignment does.
    align : {"start", "end", "center"}
        Which ends of an array and of its item meet: what is added or cropped is at the other ones,
        or half of it on both sides, an odd element at the end.
    return_mask : bool
        Whether to return the mask too.
    out : ndarray, optional
        Where to write the batch: its shape and dtype, any strides. It may overlap the arrays.

    Returns
    -------
    batch : ndarray, shape (batch, \\*shape)
        ``out``, or a new C-contiguous array.
    mask : ndarray of bool, shape (batch, \\*shape)
        True where ``batch`` holds an array's element, False where it was added; with
        ``return_mask`` only.

    Raises
    ------
    TypeError, ValueError
        If there are no arrays, their ranks differ, a dtype cannot be handled, ``shape`` is not a
        size for each axis, ``mode`` or ``align`` is unknown, an empty axis would have to be
        extended from nothing, or ``out`` does not fit.

    Notes
    -----
    All arrays are written by one team of threads in one pass, views as well. This crops, flips
    from left to right and from BGR to RGB, puts the channels first, pads and makes the batch, and
    reads and writes each element once::

        dmlc.collate([image[y : y + 224, 223::-1, ::-1].transpose(2, 0, 1) for image in images])

    Examples
    --------
    >>> import dmlc
    >>> batch, mask = dmlc.collate([[[1, 2]], [[3], [4]]], value=9, return_mask=True)
    >>> batch
    array([[[1, 2],
            [9, 9]],
    <BLANKLINE>
           [[3, 9],
            [4, 9]]])
    >>> mask[1]
    array([[ True, False],
           [ True, False]])
    """
    if (plain := all_as_arrays(arrays)) is not None:
        return collate(  # type: ignore[call-overload, no-any-return]
            plain,
            shape=shape,
            mode=mode,
            value=value,
            align=align,
            return_mask=return_mask,
            out=out,
        )
    rows = _members("collate", arrays)
    if not rows:
        raise ValueError("collate: arrays must hold at least one array, got none")
    ndim = rows[0].ndim
    for i, row in enumerate(rows):
        if row.ndim != ndim:
            raise ValueError(
                f"collate: arrays[{i}] must have as many dimensions as arrays[0], {ndim}, "
                f"got {row.ndim}"
            )
    if not isinstance(mode, str) or mode not in _dmlc.padding_modes:
        names = ", ".join(_dmlc.padding_modes)
        raise ValueError(f"collate: mode must be one of {names}, got {mode!r}")
    if mode != "constant" and not (isinstance(value, int) and value == 0):
        raise ValueError(
            f"collate: value must be left out unless mode is 'constant', got mode {mode!r}"
        )
    if not isinstance(align, str) or align not in _ALIGNMENTS:
        raise ValueError(f"collate: align must be one of {', '.join(_ALIGNMENTS)}, got {align!r}")
    sizes = _item_shape(rows, shape)
    if mode != "constant":
        _check_extended(rows, sizes, mode)
    return _collate("collate", rows, tuple(sizes), mode, value, align, ndim, return_mask, out)


def _item_shape(
    rows: list[Input], shape: SupportsIndex | Sequence[SupportsIndex] | None
) -> list[int]:
    ndim = rows[0].ndim
    if shape is None:
        return [max(row.shape[axis] for row in rows) for axis in range(ndim)]
    sizes = entries("collate", "shape", shape, ndim)
    for axis, size in enumerate(sizes):
        if size < 0:
            raise ValueError(f"collate: shape[{axis}] must be at least 0, got {size}")
    return sizes


def _check_extended(rows: list[Input], sizes: list[int], mode: str) -> None:
    for i, row in enumerate(rows):
        for axis, size in enumerate(sizes):
            if row.shape[axis] == 0 and size > 0:
                raise ValueError(
                    f"collate: arrays[{i}] must have an element along axis {axis} to be extended "
                    f"to {size} in mode {mode!r}, got shape {row.shape}"
                )


@overload
def pad_sequence(
    arrays: Iterable[ArrayInput],
    *,
    side: Literal["right", "left"] = "right",
    value: Any = 0,
    multiple_of: SupportsIndex = 1,
    return_mask: Literal[False] = False,
    out: AnyArray | None = None,
) -> AnyArray: ...


@overload
def pad_sequence(
    arrays: Iterable[ArrayInput],
    *,
    side: Literal["right", "left"] = "right",
    value: Any = 0,
    multiple_of: SupportsIndex = 1,
    return_mask: Literal[True],
    out: AnyArray | None = None,
) -> tuple[AnyArray, npt.NDArray[np.bool_]]: ...


@_dmlc.with_plain_pad_sequence
def pad_sequence(
    arrays: Iterable[ArrayInput],
    *,
    side: Literal["right", "left"] = "right",
    value: Any = 0,
    multiple_of: SupportsIndex = 1,
    return_mask: bool = False,
    out: AnyArray | None = None,
) -> AnyArray | tuple[AnyArray, npt.NDArray[np.bool_]]:
    """Stack arrays of different lengths into one batch, padded to the longest.

    Parameters
    ----------
    arrays : iterable of array_like
        At least one; each of shape ``(length, *rest)`` with the same ``rest``. Different dtypes
        are promoted as ``numpy.result_type`` does. What has no length, as a generator, may
        have a million, 2**20.
    side : {"right", "left"}
        Where the padding goes.
    value : scalar
        What it is, converted to the batch's dtype as assignment does.
    multiple_of : int
        The length is rounded up to a multiple of this.
    return_mask : bool
        Whether to return the mask too.
    out : ndarray, optional
        Where to write the batch: its shape and dtype, any strides. It may overlap the arrays.

    Returns
    -------
    batch : ndarray, shape (batch, length, \\*rest)
        ``out``, or a new C-contiguous array.
    mask : ndarray of bool, shape (batch, length)
        True where ``batch`` holds an element, False where padding; with ``return_mask`` only.

    Raises
    ------
    TypeError, ValueError
        If there are no arrays or they do not end, one has no dimension, their ``rest`` differ,
        ``side`` is unknown, ``multiple_of`` is less than 1, or ``out`` does not fit.

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
    if (plain := all_as_arrays(arrays)) is not None:
        return pad_sequence(  # type: ignore[call-overload, no-any-return]
            plain,
            side=side,
            value=value,
            multiple_of=multiple_of,
            return_mask=return_mask,
            out=out,
        )
    rows: list[Input] = []
    for i, entry in enumerate(members("pad_sequence", "arrays", arrays)):
        # Each is judged as it comes: of what claims any length no more is read than is right.
        row = Input("pad_sequence", f"arrays[{i}]", entry)
        rest = rows[0].shape[1:] if rows else row.shape[1:]
        if row.ndim == 0 or row.shape[1:] != rest:
            raise ValueError(
                f"pad_sequence: arrays[{i}] must have shape (length, *{rest}), got {row.shape}"
            )
        rows.append(row)
    if not rows:
        raise ValueError("pad_sequence: arrays must hold at least one array, got none")
    if side not in ("right", "left"):
        raise ValueError(f"pad_sequence: side must be 'right' or 'left', got {side!r}")
    multiple = index("pad_sequence", "multiple_of", multiple_of)
    if multiple < 1:
        raise ValueError(f"pad_sequence: multiple_of must be at least 1, got {multiple}")
    length = -(-max(row.shape[0] for row in rows) // multiple) * multiple
    shape = (length, *rows[0].shape[1:])
    align = "end" if side == "left" else "start"
    return _collate("pad_sequence", rows, shape, "constant", value, align, 1, return_mask, out)


def _members(function: str, arrays: Sequence[ArrayInput]) -> list[Input]:
    """Return what a sequence holds as arrays; one that claims too many is not read."""
    if not hasattr(arrays, "__getitem__") or not hasattr(arrays, "__len__"):
        raise TypeError(
            f"{function}: arrays must be a sequence such as a list or a tuple, "
            f"got {type(arrays).__name__}"
        )
    rows = members(function, "arrays", arrays)
    return [Input(function, f"arrays[{i}]", value) for i, value in enumerate(rows)]


def _collate(
    function: str,
    rows: list[Input],
    shape: tuple[int, ...],
    mode: Mode,
    value: Any,
    align: str,
    mask_ndim: int,
    return_mask: bool,
    out: AnyArray | None,
) -> AnyArray | tuple[AnyArray, npt.NDArray[np.bool_]]:
    """Write the rows' windows; the mask says what is real along the first axes."""
    dtypes = {row.dtype for row in rows}
    dtype = rows[0].dtype if len(dtypes) == 1 else np.result_type(*dtypes)
    element = one_element(function, "value", value, dtype)
    inner = [row.settle().astype(dtype, copy=False) for row in rows]
    full = (len(rows), *shape)
    batch = output_for(function, out, full, dtype)
    mask = empty(full[: 1 + mask_ndim], np.dtype(np.bool_)) if return_mask else None
    settled = tuple([apart(row, batch, out) for row in inner])
    _dmlc.collate(settled, batch, 0, _dmlc.padding_modes.index(mode), align, element, mask)
    result = batch if out is None else out
    return result if mask is None else (result, mask)

"""``stack``, ``collate`` and ``pad_sequence``: many arrays into one, each through a window of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, overload

from dmlc import _dmlc
from dmlc.arrays import AnyArray, ArrayInput
from dmlc.functions.padding import Mode

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["collate", "pad_sequence", "stack"]


@_dmlc.compiled
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
    raise NotImplementedError


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


@overload
def collate(
    arrays: Sequence[ArrayInput],
    *,
    shape: SupportsIndex | Sequence[SupportsIndex] | None = None,
    mode: Mode = "constant",
    value: Any = 0,
    align: Literal["start", "end", "center"] = "start",
    return_mask: bool,
    out: AnyArray | None = None,
) -> AnyArray | tuple[AnyArray, npt.NDArray[np.bool_]]: ...


@_dmlc.compiled
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
    raise NotImplementedError


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


@overload
def pad_sequence(
    arrays: Iterable[ArrayInput],
    *,
    side: Literal["right", "left"] = "right",
    value: Any = 0,
    multiple_of: SupportsIndex = 1,
    return_mask: bool,
    out: AnyArray | None = None,
) -> AnyArray | tuple[AnyArray, npt.NDArray[np.bool_]]: ...


@_dmlc.compiled
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
    raise NotImplementedError

"""The functions: those of `dmlc` from a file to a file, with their arguments and errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

from dmlc.functions.padding import Mode
from dmlc.out_of_core.stores import Out, Progress, Source, into, opened
from dmlc.regions import flipped, padded, rolled, sliced, windowed

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["copy", "flip", "pad", "roll", "slice", "window"]


def pad(
    source: Source,
    pad_width: npt.ArrayLike | Mapping[int, int | tuple[int, int]],
    mode: Mode = "constant",
    *,
    constant_values: npt.ArrayLike = 0,
    out: Out,
    memory: int | str = "256 MiB",
    progress: bool | Progress = False,
) -> Out:
    """Grow an array at its edges, as `dmlc.pad` does, box by box.

    Parameters
    ----------
    source : memory map, or anything with shape, dtype and slices
        A fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    pad_width : int, array_like of int, or dict
        As in `dmlc.pad`: may exceed the array in every mode; a negative width crops.
    mode : {"constant", "edge", "reflect", "symmetric", "wrap"}
    constant_values : scalar or array_like
        What ``"constant"`` adds, in the same forms as ``pad_width``.
    out : memory map, or anything with shape, dtype and assignment to slices
        Where to write: the padded shape and the source's dtype. It shares no memory with
        ``source``.
    memory : int or str
        The most bytes for boxes that are being made: a number, or such as ``"256 MiB"``. What a
        store needs for its own chunks comes on top.
    progress : bool or function
        Whether to draw a bar on the standard error stream, or what to call with the number of
        elements that are done and that there are.

    Returns
    -------
    memory map or store
        ``out``.

    Raises
    ------
    TypeError, ValueError
        As `dmlc.pad`, or if ``source`` or ``out`` is not as above, or ``memory`` is less than
        three chunks of ``out`` take.

    Examples
    --------
    >>> import numpy as np
    >>> import dmlc.out_of_core
    >>> out = np.empty(7, int)  # or a memory map, or an array of Zarr
    >>> dmlc.out_of_core.pad(np.arange(3), 2, "wrap", out=out, memory=48)
    array([1, 2, 0, 1, 2, 0, 1])
    """
    shape, dtype = opened("pad", source)
    result = padded(shape, dtype, pad_width, mode, constant_values)
    return into("pad", result, source, out, memory, progress)


def window(
    source: Source,
    start: SupportsIndex | Sequence[SupportsIndex],
    shape: SupportsIndex | Sequence[SupportsIndex],
    mode: Mode = "constant",
    *,
    constant_values: Any = 0,
    out: Out,
    memory: int | str = "256 MiB",
    progress: bool | Progress = False,
) -> Out:
    """Copy any window of an array that goes on without end, as `dmlc.window` does, box by box.

    Parameters
    ----------
    source : memory map, or anything with shape, dtype and slices
        A fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    start : int or sequence of int
        The window's first element along each axis: any sign, any distance.
    shape : int or sequence of int
        The window's size along each axis.
    mode : {"constant", "edge", "reflect", "symmetric", "wrap"}
        How the array goes on; see `dmlc.pad`.
    constant_values : scalar
        What is outside in mode ``"constant"``.
    out : memory map, or anything with shape, dtype and assignment to slices
        Where to write: the given shape and the source's dtype. It shares no memory with
        ``source``.
    memory : int or str
        The most bytes for boxes that are being made: a number, or such as ``"256 MiB"``. What a
        store needs for its own chunks comes on top.
    progress : bool or function
        Whether to draw a bar on the standard error stream, or what to call with the number of
        elements that are done and that there are.

    Returns
    -------
    memory map or store
        ``out``.

    Raises
    ------
    TypeError, ValueError
        As `dmlc.window`, or if ``source`` or ``out`` is not as above, or ``memory`` is less than
        three chunks of ``out`` take.

    Examples
    --------
    >>> import numpy as np
    >>> import dmlc.out_of_core
    >>> dmlc.out_of_core.window(np.arange(3), -2, 4, out=np.empty(4, int))
    array([0, 0, 0, 1])
    """
    extents, dtype = opened("window", source)
    result = windowed(extents, dtype, start, shape, mode, constant_values)
    return into("window", result, source, out, memory, progress)


def roll(
    source: Source,
    shift: npt.ArrayLike,
    axis: SupportsIndex | Sequence[SupportsIndex] | None = None,
    *,
    out: Out,
    memory: int | str = "256 MiB",
    progress: bool | Progress = False,
) -> Out:
    """Move elements along axes, those that leave at one end back in at the other, as `dmlc.roll`.

    Parameters
    ----------
    source : memory map, or anything with shape, dtype and slices
        A fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    shift : int or sequence of int
        How far, of any sign; broadcast against ``axis``.
    axis : int or sequence of int, optional
        Along which axes. None rolls all elements as if they stood in one row.
    out : memory map, or anything with shape, dtype and assignment to slices
        Where to write: the same shape and the source's dtype. It shares no memory with
        ``source``.
    memory : int or str
        The most bytes for boxes that are being made: a number, or such as ``"256 MiB"``. What a
        store needs for its own chunks comes on top.
    progress : bool or function
        Whether to draw a bar on the standard error stream, or what to call with the number of
        elements that are done and that there are.

    Returns
    -------
    memory map or store
        ``out``.

    Raises
    ------
    TypeError, ValueError
        As `dmlc.roll`, or if ``source`` or ``out`` is not as above, or ``memory`` is less than
        three chunks of ``out`` take.

    Examples
    --------
    >>> import numpy as np
    >>> import dmlc.out_of_core
    >>> dmlc.out_of_core.roll(np.arange(4), 1, out=np.empty(4, int))
    array([3, 0, 1, 2])
    """
    shape, _ = opened("roll", source)
    result = rolled(shape, shift, axis)
    return into("roll", result, source, out, memory, progress)


def flip(
    source: Source,
    axis: SupportsIndex | Iterable[SupportsIndex] | None = None,
    *,
    out: Out,
    memory: int | str = "256 MiB",
    progress: bool | Progress = False,
) -> Out:
    """Reverse the order of elements along axes, as `dmlc.flip` does, box by box.

    Parameters
    ----------
    source : memory map, or anything with shape, dtype and slices
        A fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    axis : int or iterable of int, optional
        The axes to reverse; None for all.
    out : memory map, or anything with shape, dtype and assignment to slices
        Where to write: the same shape and the source's dtype. It shares no memory with
        ``source``.
    memory : int or str
        The most bytes for boxes that are being made: a number, or such as ``"256 MiB"``. What a
        store needs for its own chunks comes on top.
    progress : bool or function
        Whether to draw a bar on the standard error stream, or what to call with the number of
        elements that are done and that there are.

    Returns
    -------
    memory map or store
        ``out``.

    Raises
    ------
    TypeError, ValueError
        As `dmlc.flip`, or if ``source`` or ``out`` is not as above, or ``memory`` is less than
        three chunks of ``out`` take.

    Examples
    --------
    >>> import numpy as np
    >>> import dmlc.out_of_core
    >>> dmlc.out_of_core.flip(np.arange(4), out=np.empty(4, int))
    array([3, 2, 1, 0])
    """
    shape, _ = opened("flip", source)
    result = flipped(shape, axis)
    return into("flip", result, source, out, memory, progress)


def slice(
    source: Source,
    offsets: Sequence[SupportsIndex],
    sizes: Sequence[SupportsIndex],
    strides: Sequence[SupportsIndex],
    *,
    output_sizes: Sequence[SupportsIndex] | None = None,
    out: Out,
    memory: int | str = "256 MiB",
    progress: bool | Progress = False,
) -> Out:
    """Copy a strided window; a negative stride starts at the window's end, as in `dmlc.slice`.

    Parameters
    ----------
    source : memory map, or anything with shape, dtype and slices
        A fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    offsets, sizes : sequence of int
        The window's first element and its extent, one an axis; it lies inside the source.
    strides : sequence of int
        Elements to advance inside the window, one an axis; any sign, not 0.
    output_sizes : sequence of int, optional
        Elements to copy along each axis; all that the window has by default.
    out : memory map, or anything with shape, dtype and assignment to slices
        Where to write: the result's shape and the source's dtype. It shares no memory with
        ``source``.
    memory : int or str
        The most bytes for boxes that are being made: a number, or such as ``"256 MiB"``. What a
        store needs for its own chunks comes on top.
    progress : bool or function
        Whether to draw a bar on the standard error stream, or what to call with the number of
        elements that are done and that there are.

    Returns
    -------
    memory map or store
        ``out``.

    Raises
    ------
    TypeError, ValueError
        As `dmlc.slice`, or if ``source`` or ``out`` is not as above, or ``memory`` is less than
        three chunks of ``out`` take.

    Examples
    --------
    >>> import numpy as np
    >>> import dmlc.out_of_core
    >>> dmlc.out_of_core.slice(np.arange(6), [1], [4], [-2], out=np.empty(2, int))
    array([4, 2])
    """
    shape, _ = opened("slice", source)
    result = sliced(shape, offsets, sizes, strides, output_sizes)
    return into("slice", result, source, out, memory, progress)


def copy(
    source: Source,
    *,
    out: Out,
    memory: int | str = "256 MiB",
    progress: bool | Progress = False,
) -> Out:
    """Copy an array, box by box: from one kind of store to another, or into other chunks.

    Parameters
    ----------
    source : memory map, or anything with shape, dtype and slices
        A fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    out : memory map, or anything with shape, dtype and assignment to slices
        Where to write: the same shape and the source's dtype. It shares no memory with
        ``source``.
    memory : int or str
        The most bytes for boxes that are being made: a number, or such as ``"256 MiB"``. What a
        store needs for its own chunks comes on top.
    progress : bool or function
        Whether to draw a bar on the standard error stream, or what to call with the number of
        elements that are done and that there are.

    Returns
    -------
    memory map or store
        ``out``.

    Raises
    ------
    TypeError, ValueError
        As `dmlc.copy`, or if ``source`` or ``out`` is not as above, or ``memory`` is less than
        three chunks of ``out`` take.

    Examples
    --------
    >>> import numpy as np
    >>> import dmlc.out_of_core
    >>> dmlc.out_of_core.copy(np.arange(3), out=np.empty(3, int))
    array([0, 1, 2])
    """
    shape, _ = opened("copy", source)
    result = flipped(shape, ())
    return into("copy", result, source, out, memory, progress)

"""``frames``: windows on a signal, one every so many samples."""

from __future__ import annotations

from typing import SupportsIndex

from dmlc import _dmlc
from dmlc.arrays import AnyArray, ArrayInput
from dmlc.functions.padding import Mode

__all__ = ["frames"]


@_dmlc.compiled
def frames(
    array: ArrayInput,
    length: SupportsIndex,
    hop: SupportsIndex,
    *,
    axis: SupportsIndex = -1,
    center: bool = True,
    mode: Mode = "reflect",
    out: AnyArray | None = None,
) -> AnyArray:
    """Cut a signal into overlapping frames, those at its ends extended, in one pass.

    Frame ``f`` begins at sample ``f * hop``, or with ``center`` half a frame before it: at
    ``f * hop - length // 2``. So are signals framed before a short-time Fourier transform.

    Parameters
    ----------
    array : array_like
        Signals, of any shape and strides; a fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    length, hop : int
        Samples in a frame, and from one frame to the next; at least 1.
    axis : int
        The axis of the samples; the others come first in the result.
    center : bool
        Whether frames are centred on their samples, and the signal goes on at both ends as if by
        ``pad(array, length // 2, mode)``. Without, frames lie inside the signal.
    mode : {"constant", "edge", "reflect", "symmetric", "wrap"}
        How the signal goes on; see `pad`. ``"constant"`` adds zeros.
    out : ndarray, optional
        Where to write: the result's shape and dtype, any strides. It may overlap ``array``.

    Returns
    -------
    ndarray, shape (..., count, length)
        ``out``, or a new C-contiguous array. ``count`` is ``1 + (n - length) // hop`` of ``n``
        samples; with ``center``, ``n + 2 * (length // 2)`` stand in for them, so that a frame of
        even length is there for every ``hop`` samples: ``1 + n // hop``.

    Raises
    ------
    TypeError, ValueError
        If ``length`` or ``hop`` is no integer or less than 1, ``mode`` is unknown, there are too
        few samples for a frame, the dtype cannot be handled, or ``out`` does not fit.
    numpy.exceptions.AxisError
        If the axis is outside the array.

    Examples
    --------
    >>> import dmlc
    >>> dmlc.frames([1, 2, 3, 4, 5], 4, 2)
    array([[3, 2, 1, 2],
           [1, 2, 3, 4],
           [3, 4, 5, 4]])
    """
    raise NotImplementedError

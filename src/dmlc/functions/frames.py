"""``frames``: windows on a signal, one every so many samples."""

from __future__ import annotations

from typing import SupportsIndex

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from dmlc import _dmlc
from dmlc._dmlc import Input, apart, empty, output_for
from dmlc.arrays import AnyArray, ArrayInput, index
from dmlc.functions.padding import Mode

__all__ = ["frames"]


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
    source = Input("frames", "array", array)
    size, step = index("frames", "length", length), index("frames", "hop", hop)
    for argument, value in (("length", size), ("hop", step)):
        if value < 1:
            raise ValueError(f"frames: {argument} must be at least 1, got {value}")
    place = normalize_axis_index(index("frames", "axis", axis), source.ndim)
    if not isinstance(mode, str) or mode not in _dmlc.padding_modes:
        names = ", ".join(_dmlc.padding_modes)
        raise ValueError(f"frames: mode must be one of {names}, got {mode!r}")
    half = size // 2 if center else 0
    samples = source.shape[place]
    if samples == 0 and mode != "constant":
        raise ValueError(
            f"frames: array must have a sample along axis {place} in mode {mode!r}, got none"
        )
    if samples + 2 * half < size:
        raise ValueError(
            f"frames: array must have at least length {size} samples along axis {place}, "
            f"{2 * half} added ones among them, got {samples}"
        )
    count = 1 + (samples + 2 * half - size) // step
    inner = source.settle()
    signal = np.moveaxis(inner, place, -1)
    result = output_for("frames", out, (*signal.shape[:-1], count, size), inner.dtype)
    signal = apart("frames", signal, result, out)
    # Those inside the signal are read where they are. Of the others there are a few at each end: what they
    # read is written out for them once.
    first = min(-(-half // step), count)
    last = max((samples + half - size) // step + 1, first)
    outside = np.zeros((), signal.dtype) if mode == "constant" else 0
    framing = _dmlc.Frames(min(step, np.iinfo(np.int64).max))
    for begin, end in ((0, first), (last, count)):
        if begin < end:
            span = (end - begin - 1) * step + size
            ends = empty((*signal.shape[:-1], span), signal.dtype)
            starts = [0] * (signal.ndim - 1) + [begin * step - half]
            _dmlc.window(signal, starts, ends.shape, mode, constant_values=outside, out=ends)
            framing.run(result[..., begin:end, :], ends)
    if first < last:
        framing.run(result[..., first:last, :], signal[..., first * step - half :])
    return result if out is None else out

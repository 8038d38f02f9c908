"""``one_hot``: ONE_HOT on arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

import numpy as np

from dmlc import _dmlc
from dmlc.arrays import AnyArray, ArrayInput

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["one_hot"]


@_dmlc.compiled
def one_hot(
    indices: ArrayInput,
    depth: SupportsIndex,
    *,
    axis: SupportsIndex = -1,
    on_value: Any = 1,
    off_value: Any = 0,
    dtype: npt.DTypeLike = np.float32,
    negative: Literal["wrap", "off", "error"] = "wrap",
    out: AnyArray | None = None,
) -> AnyArray:
    """Turn each index into a sequence of ``depth`` elements, on at the index and off elsewhere.

    Parameters
    ----------
    indices : array_like of integers
        Any shape, strides and integer dtype. An index that is not less than ``depth`` turns
        nothing on.
    depth : int
        The length of a sequence; at least 0.
    axis : int
        Where the new axis stands in the result.
    on_value, off_value : scalar
        Converted to ``dtype`` as assignment does.
    dtype : dtype_like
        Of the result: a fixed width of 1, 2, 4, 8 or 16 bytes.
    negative : {"wrap", "off", "error"}
        A negative index counts from the end (as in DirectML and ONNX), turns nothing on (as in
        JAX and TensorFlow), or is an error.
    out : ndarray, optional
        Where to write: the result's shape and dtype, any strides.

    Returns
    -------
    ndarray
        ``out``, or a new C-contiguous array: the shape of ``indices`` with ``depth`` inserted at
        ``axis``.

    Raises
    ------
    TypeError
        If ``indices`` are not integers or a dtype cannot be handled.
    ValueError
        If ``depth`` is negative, an index is negative with ``negative="error"``, or ``out`` does
        not fit.
    numpy.exceptions.AxisError
        If ``axis`` is outside the result.

    Notes
    -----
    Semantics are those of DirectML's ``DML_ONE_HOT_OPERATOR_DESC``.

    Examples
    --------
    >>> import dmlc
    >>> dmlc.one_hot([0, 2, -1], 3, dtype=int)
    array([[1, 0, 0],
           [0, 0, 1],
           [0, 0, 1]])
    """
    raise NotImplementedError

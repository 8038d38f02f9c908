"""``one_hot``: ONE_HOT on arrays."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from dmlc import _dmlc
from dmlc.arrays import (
    AnyArray,
    ArrayInput,
    Input,
    apart,
    check_dtype,
    index,
    one_element,
    output_for,
)

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["one_hot"]


@_dmlc.with_plain_one_hot
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
    source = Input("one_hot", "indices", indices)
    # An empty list says nothing of its type.
    untyped = math.prod(source.shape) == 0 and not isinstance(indices, np.ndarray)
    if source.dtype.kind not in "iu" and not untyped:
        raise TypeError(f"one_hot: indices must be integers, got dtype {source.dtype}")
    depth = index("one_hot", "depth", depth)
    if depth < 0:
        raise ValueError(f"one_hot: depth must be at least 0, got {depth}")
    place = normalize_axis_index(index("one_hot", "axis", axis), source.ndim + 1)
    element_type = np.dtype(dtype)
    check_dtype("one_hot", "dtype", element_type)
    if negative not in ("wrap", "off", "error"):
        raise ValueError(f"one_hot: negative must be 'wrap', 'off' or 'error', got {negative!r}")
    off = one_element("one_hot", "off_value", off_value, element_type)
    on = one_element("one_hot", "on_value", on_value, element_type)
    shape = (*source.shape[:place], depth, *source.shape[place:])
    result = output_for("one_hot", out, shape, element_type)
    array = source.settle()
    # Only now, as indices that claim more than there is memory for are refused by then.
    if negative == "error" and array.size > 0 and (least := int(array.min())) < 0:
        raise ValueError(f"one_hot: indices must not be negative, got {least}")
    # Aliases such as longlong and the foreign byte order become the one type of their width.
    kind = f"{array.dtype.kind}{array.itemsize}" if array.dtype.kind in "iu" else np.intp
    array = apart(array.astype(np.dtype(kind), copy=False), result, out)
    _dmlc.OneHot(array.dtype, negative == "wrap", place).run(result, array, off, on)
    return result if out is None else out

"""``pad`` for functions that Numba compiles, which lacks ``numpy.pad``.

Needs the package ``numba``: ``pip install "dmlc[numba]"``.

>>> import numba
>>> import numpy as np
>>> from dmlc.compat.numba import pad
>>> @numba.njit
... def framed_sum(image):
...     return pad(image, 1, "edge").sum()
>>> framed_sum(np.ones((2, 3)))
20.0
"""

# Where numba is not installed its types are unknown.
# mypy: allow-untyped-decorators, disable-error-code="import-not-found,import-untyped"

from __future__ import annotations

from typing import Any

import numpy as np

try:
    from numba.core import types
    from numba.core.errors import TypingError
    from numba.cpython.unsafe.tuple import tuple_setitem
    from numba.extending import overload, register_jitable
except ModuleNotFoundError as error:
    if (error.name or "").split(".")[0] != "numba":
        raise
    raise ModuleNotFoundError(
        'dmlc.compat.numba needs the package numba: pip install "dmlc[numba]"', name="numba"
    ) from None

from dmlc import functions
from dmlc.compat import c_functions

__all__ = ["overload_numpy", "pad"]

_MOST = 1 << 61  # the sum of two widths and a size does not overflow

_plan_padding = c_functions.function("dmlc_plan_padding")
_plan_free = c_functions.function("dmlc_plan_free")
_run = c_functions.function("dmlc_run")
_threads = c_functions.function("dmlc_threads")


def pad(array: Any, pad_width: Any, mode: Any = "constant", constant_values: Any = 0) -> Any:
    """Grow an array at its edges, in compiled code as in Python.

    Compiled code that calls it cannot be cached on disk: the address of a function is part of it.

    Parameters
    ----------
    array : array
        At least one dimension, any strides, numbers or truth values.
    pad_width : int, tuple of int, tuple of tuple of int, or array of int
        ``n``, ``(before, after)``, or one pair an axis; not negative.
    mode : {"constant", "edge", "reflect", "symmetric", "wrap"}
    constant_values : scalar
        What ``"constant"`` adds, converted to the array's type as assignment does.

    Returns
    -------
    array
        New and C-contiguous.

    Raises
    ------
    ValueError
        If ``mode`` is unknown, ``pad_width`` does not fit the axes or is negative, or an empty axis
        would have to be extended from nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from dmlc.compat.numba import pad
    >>> pad(np.array([1, 2, 3]), (2, 1), "wrap")
    array([2, 3, 1, 2, 3, 1])
    """
    keywords = {"constant_values": constant_values} if mode == "constant" else {}
    return functions.pad(array, pad_width, mode, **keywords)


def overload_numpy() -> None:
    """Have ``numpy.pad`` mean `pad` in all functions that Numba compiles from now on.

    Examples
    --------
    >>> import numba
    >>> import numpy as np
    >>> import dmlc.compat.numba
    >>> dmlc.compat.numba.overload_numpy()
    >>> numba.njit(lambda x: np.pad(x, 1))(np.array([1, 2]))
    array([0, 1, 2, 0])
    """
    overload(np.pad, strict=False)(_compiled_pad)


def _pairs(pad_width: Any, rank: Any) -> Any:
    """Widths as an array of one pair an axis; in compiled code alone."""
    raise NotImplementedError


@overload(_pairs)
def _compiled_pairs(pad_width: Any, rank: Any) -> Any:
    is_tuple = isinstance(pad_width, types.UniTuple)
    is_array = isinstance(pad_width, types.Array)
    of_integers = (is_tuple or is_array) and isinstance(pad_width.dtype, types.Integer)

    def of_a_number(pad_width: Any, rank: Any) -> Any:
        return np.full((rank, 2), pad_width, np.int64)

    def of_a_pair(pad_width: Any, rank: Any) -> Any:
        return _one_pair_an_axis(np.array([pad_width]), rank)

    def of_an_array_of_one_pair(pad_width: Any, rank: Any) -> Any:
        return _one_pair_an_axis(pad_width.reshape((1, -1)), rank)

    def of_an_array(pad_width: Any, rank: Any) -> Any:
        return _one_pair_an_axis(pad_width, rank)

    def of_pairs(pad_width: Any, rank: Any) -> Any:
        return _one_pair_an_axis(np.array(pad_width), rank)

    if isinstance(pad_width, types.Integer):
        return of_a_number
    if is_array and of_integers and pad_width.ndim in (1, 2):
        return of_an_array if pad_width.ndim == 2 else of_an_array_of_one_pair
    if is_tuple and of_integers:
        return of_a_pair
    if is_tuple and isinstance(pad_width.dtype, types.UniTuple):
        return of_pairs
    raise TypingError(
        "pad: pad_width must be an integer, a pair, a pair for each axis, or an array of these, "
        f"got {pad_width}"
    )


@register_jitable
def _one_pair_an_axis(widths: Any, rank: Any) -> Any:
    if widths.shape[1] != 2 or (widths.shape[0] != rank and widths.shape[0] != 1):
        raise ValueError("pad: pad_width must be a pair, or a pair for each axis")
    pairs = np.empty((rank, 2), np.int64)
    pairs[:] = widths
    return pairs


@register_jitable
def _mode_number(mode: Any) -> Any:
    if mode == "constant":
        return 0
    if mode == "edge":
        return 1
    if mode == "reflect":
        return 2
    if mode == "symmetric":
        return 3
    if mode == "wrap":
        return 4
    raise ValueError("pad: mode must be constant, edge, reflect, symmetric or wrap")


@overload(pad)
def _compiled_pad(
    array: Any, pad_width: Any, mode: Any = "constant", constant_values: Any = 0
) -> Any:
    if not isinstance(array, types.Array) or array.ndim == 0:
        raise TypingError(f"pad: array must be an array of at least one dimension, got {array}")
    if not isinstance(array.dtype, types.Number | types.Boolean):
        raise TypingError(f"pad: array must be of numbers or truth values, got {array.dtype}")

    def compiled(
        array: Any, pad_width: Any, mode: Any = "constant", constant_values: Any = 0
    ) -> Any:
        number = _mode_number(mode)
        pairs = _pairs(pad_width, array.ndim)
        shape = array.shape
        # Sizes, strides in and out, widths before and after: a row each.
        layout = np.empty((5, array.ndim), np.int64)
        stride = array.itemsize
        for axis in range(array.ndim - 1, -1, -1):
            before, after = pairs[axis]
            if before < 0 or after < 0:
                raise ValueError("pad: pad_width must not be negative")
            if before >= _MOST or after >= _MOST:
                raise ValueError("pad: pad_width must be less than 2**61")
            size = before + array.shape[axis] + after
            layout[0, axis] = array.shape[axis]
            layout[1, axis] = array.strides[axis]
            layout[2, axis] = stride
            layout[3, axis] = before
            layout[4, axis] = after
            shape = tuple_setitem(shape, axis, size)  # type: ignore[call-arg, unused-ignore]
            stride *= size
        result = np.empty(shape, array.dtype)
        value = np.empty(1, array.dtype)
        value[0] = constant_values
        operands = np.zeros(4, np.uintp)
        operands[0] = result.ctypes.data
        operands[1] = array.ctypes.data
        operands[2] = value.ctypes.data
        plan = np.zeros(1, np.uintp)
        rows = layout.ctypes.data
        row = np.uintp(8 * array.ndim)
        status = _plan_padding(
            plan.ctypes.data,
            array.itemsize,
            array.ndim,
            rows,
            rows + row,
            rows + np.uintp(2) * row,
            rows + np.uintp(3) * row,
            rows + np.uintp(4) * row,
            number,
        )
        if status == 3:
            raise MemoryError("pad: no memory for the plan")
        if status != 0:
            raise ValueError("pad: an empty axis can be extended in mode constant only")
        _run(plan[0], operands.ctypes.data, _threads())
        _plan_free(plan[0])
        # Numba frees an array after its last use, and an address is none.
        if layout.size + value.size + operands.size < 0:
            raise AssertionError
        return result

    return compiled

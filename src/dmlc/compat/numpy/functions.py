"""NumPy's functions as dmlc runs them, and where it leaves them to NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dmlc import functions
from dmlc.arrays import AnyArray

NAMES = ("eye", "pad", "repeat", "roll", "stack", "tile", "tri", "tril", "triu")
# What NumPy does; kept, as the names in NumPy may come to mean the functions here.
NUMPYS_OWN: dict[str, Callable[..., Any]] = {name: getattr(np, name) for name in NAMES}

_PAD_MODES = frozenset(("constant", "edge", "reflect", "symmetric", "wrap"))
_FAR = 1 << 31


def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    """``numpy.pad``: dmlc has its modes constant, edge, reflect, symmetric and wrap.

    Parameters
    ----------
    array, pad_width, mode, **kwargs
        As NumPy takes them. NumPy runs other modes, odd reflection, dictionaries, and arrays in
        Fortran's order.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import dmlc.compat.numpy
    >>> dmlc.compat.numpy.pad(dmlc.copy([1, 2]), (1, 2), constant_values=(8, 9))
    array([8, 1, 2, 9, 9])
    """
    if _is_plain(array) and not array.flags.fnc and type(mode) is str and mode in _PAD_MODES:
        keywords = kwargs
        if mode in ("reflect", "symmetric") and kwargs.keys() == {"reflect_type"}:
            kind = kwargs["reflect_type"]
            keywords = {} if type(kind) is str and kind == "even" else kwargs
        fits = not keywords or (mode == "constant" and keywords.keys() == {"constant_values"})
        if fits and _are_counts(pad_width):
            result = _by_dmlc(functions.pad, array, pad_width, mode, **keywords)
            if result is not None:
                return result
    return NUMPYS_OWN["pad"](array, pad_width, mode, **kwargs)


def eye(
    N: Any,
    M: Any = None,
    k: Any = 0,
    dtype: Any = float,
    order: Any = "C",
    **kwargs: Any,
) -> Any:
    """``numpy.eye`` of numbers.

    Parameters
    ----------
    N, M, k, dtype, order, **kwargs
        As NumPy takes them.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import dmlc.compat.numpy
    >>> dmlc.compat.numpy.eye(2, 3, k=1, dtype=int)
    array([[0, 1, 0],
           [0, 0, 1]])
    """
    if not kwargs and _is_near(N) and (M is None or _is_near(M)) and _is_near(k):
        result = _of_numbers(functions.eye, dtype, N, M, k, dtype, order)
        if result is not None:
            return result
    return NUMPYS_OWN["eye"](N, M, k, dtype, order, **kwargs)


def tri(N: Any, M: Any = None, k: Any = 0, dtype: Any = float, **kwargs: Any) -> Any:
    """``numpy.tri`` of numbers.

    Parameters
    ----------
    N, M, k, dtype, **kwargs
        As NumPy takes them.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import dmlc.compat.numpy
    >>> dmlc.compat.numpy.tri(2, 3, dtype=int)
    array([[1, 0, 0],
           [1, 1, 0]])
    """
    if not kwargs and _is_near(N) and (M is None or _is_near(M)) and _is_near(k):
        result = _of_numbers(functions.tri, dtype, N, M, k, dtype)
        if result is not None:
            return result
    return NUMPYS_OWN["tri"](N, M, k, dtype, **kwargs)


def tril(m: Any, k: Any = 0) -> Any:
    """``numpy.tril`` of arrays in C's order.

    Parameters
    ----------
    m, k
        As NumPy takes them.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import numpy as np
    >>> import dmlc.compat.numpy
    >>> dmlc.compat.numpy.tril(np.full((2, 3), 7))
    array([[7, 0, 0],
           [7, 7, 0]])
    """
    if _is_plain(m) and m.flags.c_contiguous and _is_near(k):
        result = _by_dmlc(functions.tril, m, k)
        if result is not None:
            return result
    return NUMPYS_OWN["tril"](m, k)


def triu(m: Any, k: Any = 0) -> Any:
    """``numpy.triu`` of arrays in C's order.

    Parameters
    ----------
    m, k
        As NumPy takes them.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import numpy as np
    >>> import dmlc.compat.numpy
    >>> dmlc.compat.numpy.triu(np.full((2, 3), 7))
    array([[7, 7, 7],
           [0, 7, 7]])
    """
    if _is_plain(m) and m.flags.c_contiguous and _is_near(k):
        result = _by_dmlc(functions.triu, m, k)
        if result is not None:
            return result
    return NUMPYS_OWN["triu"](m, k)


def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """``numpy.roll`` of arrays in C's order.

    Parameters
    ----------
    a, shift, axis
        As NumPy takes them.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import numpy as np
    >>> import dmlc.compat.numpy
    >>> dmlc.compat.numpy.roll(np.arange(5), 2)
    array([3, 4, 0, 1, 2])
    """
    if (
        _is_plain(a)
        and a.flags.c_contiguous
        and _are_whole(shift)
        and _are_whole(axis)
        and axis != ()
    ):
        result = _by_dmlc(functions.roll, a, shift, axis)
        if result is not None:
            return result
    return NUMPYS_OWN["roll"](a, shift, axis)


def stack(arrays: Any, axis: Any = 0, out: Any = None, **kwargs: Any) -> Any:
    """``numpy.stack`` of a list or tuple of arrays of one type, in C's order.

    Parameters
    ----------
    arrays, axis, out, **kwargs
        As NumPy takes them.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import numpy as np
    >>> import dmlc.compat.numpy
    >>> dmlc.compat.numpy.stack([np.array([1, 2]), np.array([3, 4])], axis=1)
    array([[1, 3],
           [2, 4]])
    """
    if (
        out is None
        and not kwargs
        and type(axis) is int
        and type(arrays) in (list, tuple)
        and all(_is_plain(array) and array.flags.c_contiguous for array in arrays)
        and all(array.dtype == arrays[0].dtype for array in arrays)
    ):
        result = _by_dmlc(functions.stack, arrays, axis)
        if result is not None:
            return result
    return NUMPYS_OWN["stack"](arrays, axis, out, **kwargs)


def tile(A: Any, reps: Any) -> Any:
    """``numpy.tile``.

    Parameters
    ----------
    A, reps
        As NumPy takes them.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import numpy as np
    >>> import dmlc.compat.numpy
    >>> dmlc.compat.numpy.tile(np.array([1, 2]), (2, 2))
    array([[1, 2, 1, 2],
           [1, 2, 1, 2]])
    """
    times = (reps,) if type(reps) is int else reps
    if (
        _is_plain(A)
        and type(times) in (tuple, list)
        and all(type(count) is int and count >= 0 for count in times)
        and A.size > 0
        and any(count != 1 for count in times)  # else NumPy keeps the layout
    ):
        result = _by_dmlc(functions.tile, A, times)
        if result is not None:
            return result
    return NUMPYS_OWN["tile"](A, reps)


def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """``numpy.repeat`` with one number of repeats.

    Parameters
    ----------
    a, repeats, axis
        As NumPy takes them.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import numpy as np
    >>> import dmlc.compat.numpy
    >>> dmlc.compat.numpy.repeat(np.array([1, 2]), 2)
    array([1, 1, 2, 2])
    """
    one_axis = axis is None or type(axis) is int
    if _is_plain(a) and type(repeats) is int and one_axis:
        result = _by_dmlc(functions.repeat, a, repeats, axis)
        if result is not None:
            return result
    return NUMPYS_OWN["repeat"](a, repeats, axis)


def _by_dmlc(function: Callable[..., AnyArray], *arguments: Any, **keywords: Any) -> Any:
    """Return the result, or None where dmlc refuses: NumPy then does it, or says what is wrong."""
    try:
        return function(*arguments, **keywords)
    except Exception:  # noqa: BLE001
        return None


def _of_numbers(function: Callable[..., AnyArray], dtype: Any, *arguments: Any) -> Any:
    try:
        element_type = np.dtype(dtype)
    except Exception:  # noqa: BLE001
        return None
    if element_type.kind not in "biufc" or not element_type.isnative:
        return None
    return _by_dmlc(function, *arguments)


def _is_plain(array: Any) -> bool:
    if type(array) is not np.ndarray:
        return False
    dtype = array.dtype
    known = dtype.kind in "biufcmM" or dtype.isbuiltin == 2  # 2: another package's, as bfloat16
    return known and dtype.isnative and dtype.metadata is None


def _is_near(number: Any) -> bool:
    """Whether it is Python's integer and so small that NumPy's sums with it do not overflow."""
    return type(number) is int and -_FAR < number < _FAR


def _are_whole(values: Any) -> bool:
    if type(values) is tuple:
        return all(map(_is_near, values))
    return values is None or _is_near(values)


def _are_counts(values: Any) -> bool:
    """Whether these are integers from 0 on, in a tuple or list or one of such, or an array."""
    if type(values) is int:
        return 0 <= values < _FAR
    if type(values) in (tuple, list):
        return all(map(_are_counts, values))
    if type(values) is np.ndarray:
        return values.dtype.kind == "i" and values.size > 0 and int(values.min()) >= 0
    return False

"""NumPy's functions, run by dmlc wherever the result is exactly NumPy's, and by NumPy otherwise.

dmlc takes plain arrays (``type(a) is numpy.ndarray``) of numbers, truth values and times in the
machine's byte order, whole numbers that are Python's, and the arguments that it has a kernel for.
All else is NumPy's: subclasses, objects, strings, structures, statistics as padding, ``like=``,
``out=``, layouts that NumPy would keep. So is whatever is wrong, which NumPy says in its own words.

`flip` and `rot90` are NumPy's own: they return views, which move nothing. For a packed copy there
is `dmlc.flip`.

>>> import numpy as np
>>> from dmlc.compat.numpy import pad
>>> pad(np.array([1, 2, 3]), 2, mode="reflect")
array([3, 2, 1, 2, 3, 2, 1])
>>> pad(np.array([1, 2, 3]), 2, mode="mean")
array([2, 2, 1, 2, 3, 2, 2])
"""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy import flip, rot90

from dmlc import functions
from dmlc.arrays import AnyArray

__all__ = [
    "Patch",
    "eye",
    "flip",
    "pad",
    "patched",
    "repeat",
    "roll",
    "rot90",
    "stack",
    "tile",
    "tri",
    "tril",
    "triu",
]

_NAMES = ("eye", "pad", "repeat", "roll", "stack", "tile", "tri", "tril", "triu")
# What NumPy does; kept, as the names in NumPy may come to mean the functions here.
_numpy: dict[str, Callable[..., Any]] = {name: getattr(np, name) for name in _NAMES}

_PAD_MODES = frozenset(("constant", "edge", "reflect", "symmetric", "wrap"))
_FAR = 1 << 31
# NumPy's tile and repeat take as long, or less, up to so many bytes of a result.
_FEW_BYTES = 1 << 18


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
    return _numpy["pad"](array, pad_width, mode, **kwargs)


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
    return _numpy["eye"](N, M, k, dtype, order, **kwargs)


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
    return _numpy["tri"](N, M, k, dtype, **kwargs)


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
    return _numpy["tril"](m, k)


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
    return _numpy["triu"](m, k)


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
    return _numpy["roll"](a, shift, axis)


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
    return _numpy["stack"](arrays, axis, out, **kwargs)


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
        and A.nbytes * math.prod(times) >= _FEW_BYTES
    ):
        result = _by_dmlc(functions.tile, A, times)
        if result is not None:
            return result
    return _numpy["tile"](A, reps)


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
    if _is_plain(a) and type(repeats) is int and repeats * a.nbytes >= _FEW_BYTES and one_axis:
        result = _by_dmlc(functions.repeat, a, repeats, axis)
        if result is not None:
            return result
    return _numpy["repeat"](a, repeats, axis)


class Patch:
    """What `patched` did to NumPy.

    Attributes
    ----------
    functions : tuple of str
        The names that are replaced in ``numpy``.
    """

    functions = _NAMES

    @property
    def active(self) -> bool:
        """Whether every one of these names in ``numpy`` now means the function here."""
        return all(getattr(np, name) is _ours(name) for name in _NAMES)

    def missed(self) -> list[str]:
        """Return where modules hold a function of NumPy's that they took before.

        Only names of modules are looked at, not those in functions, classes or lists.
        """
        ours = {id(function): name for name, function in _numpy.items()}
        found = []
        for module_name, module in list(sys.modules.items()):
            if module_name.partition(".")[0] in ("dmlc", "numpy"):
                continue
            for name, value in list(getattr(module, "__dict__", {}).items()):
                if id(value) in ours:
                    found.append(f"{module_name}.{name}")
        return sorted(found)

    def __repr__(self) -> str:
        state = "active" if self.active else "not active"
        return f"<numpy's {', '.join(self.functions)} by dmlc: {state}>"


_patch_lock = threading.Lock()
_patch_depth = 0
_displaced: dict[str, Any] = {}


@contextmanager
def patched() -> Iterator[Patch]:
    """Have ``numpy.pad`` and the others mean the functions here, for code that cannot be changed.

    It is for the whole process: every thread sees it, until the last of those that entered has
    left, in whatever order. A function that a module took before, by ``from numpy import pad``,
    stays NumPy's: `Patch.missed` says where. NumPy itself calls its own. Whoever replaces a name
    meanwhile and leaves it so keeps it.

    What looks functions of NumPy's up by identity does not know these: have Numba compile, and
    import packages that register functions for ``__array_function__``, outside.

    Yields
    ------
    Patch
        Its state, at any time.

    Examples
    --------
    >>> import numpy as np
    >>> import dmlc.compat.numpy
    >>> with dmlc.compat.numpy.patched() as patch:
    ...     np.pad is dmlc.compat.numpy.pad, patch.active
    (True, True)
    >>> np.pad is dmlc.compat.numpy.pad, patch.active
    (False, False)
    """
    global _patch_depth
    with _patch_lock:
        if _patch_depth == 0:
            _displaced.update((name, getattr(np, name)) for name in _NAMES)
            for name in _NAMES:
                setattr(np, name, _ours(name))
        _patch_depth += 1
    try:
        yield Patch()
    finally:
        with _patch_lock:
            _patch_depth -= 1
            if _patch_depth == 0:
                for name, before in _displaced.items():
                    if getattr(np, name) is _ours(name):
                        setattr(np, name, before)
                _displaced.clear()


def _ours(name: str) -> Any:
    return globals()[name]


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
        return values.dtype.kind == "i" and (values.size == 0 or int(values.min()) >= 0)
    return False

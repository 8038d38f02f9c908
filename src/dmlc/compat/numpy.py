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

import itertools
import math
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy import flip, rot90

from dmlc import functions
from dmlc.arrays import AnyArray, copy_into, empty

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
# Below so many bytes of a result, the functions that NumPy has in C or as a few copies take as long there.
_FEW_BYTES = 1 << 16


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
        and a.nbytes >= _FEW_BYTES
        and a.flags.c_contiguous
        and _are_whole(shift)
        and _are_whole(axis)
    ):
        result = _by_dmlc(_roll, a, shift, axis)
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
        and len(arrays) > 0
        and getattr(arrays[0], "nbytes", 0) * len(arrays) >= _FEW_BYTES
        and all(_is_plain(array) and array.flags.c_contiguous for array in arrays)
    ):
        result = _by_dmlc(_stack, arrays, axis)
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
        and A.nbytes * math.prod(times) >= _FEW_BYTES
    ):
        result = _by_dmlc(_tile, A, tuple(times))
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
        result = _by_dmlc(_repeat, a, repeats, axis)
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


def _roll(a: AnyArray, shift: Any, axis: Any) -> AnyArray:
    if axis is None:
        return _roll(a.reshape(-1), shift, 0).reshape(a.shape)
    if axis == ():
        raise ValueError
    shifts = [0] * a.ndim
    for amount, along in np.broadcast(shift, axis):
        if not -a.ndim <= along < a.ndim:
            raise ValueError
        shifts[along] += int(amount)
    result = empty(a.shape, a.dtype)
    if a.size == 0:
        return result
    # Along each axis two pieces change places: where one stands in the result, where in the array.
    pieces: list[list[tuple[slice, slice]]] = []
    for size, amount in zip(a.shape, shifts):
        cut = amount % size
        first = slice(cut, None), slice(None, size - cut)
        last = slice(None, cut), slice(size - cut, None)
        pieces.append([first, last] if cut else [first])
    for piece in itertools.product(*pieces):
        target: list[Any] = [part[0] for part in piece]
        source: list[Any] = [part[1] for part in piece]
        copy_into(result[(*target, ...)], a[(*source, ...)])
    return result


def _stack(arrays: Any, axis: int) -> AnyArray:
    first = arrays[0]
    rank = first.ndim + 1
    if not -rank <= axis < rank:
        raise ValueError
    place = axis % rank
    if any(array.shape != first.shape or array.dtype != first.dtype for array in arrays):
        raise ValueError
    result = empty((*first.shape[:place], len(arrays), *first.shape[place:]), first.dtype)
    along = (slice(None),) * place
    for i, array in enumerate(arrays):
        copy_into(result[(*along, i, ...)], array)
    return result


def _tile(array: AnyArray, times: tuple[int, ...]) -> AnyArray:
    rank = max(array.ndim, len(times))
    times = (1,) * (rank - len(times)) + times
    if array.size == 0 or all(count == 1 for count in times):
        raise ValueError  # NumPy keeps the layout of what it does not repeat
    source = array.reshape((1,) * (rank - array.ndim) + array.shape)
    widths = [(0, size * (count - 1)) for size, count in zip(source.shape, times)]
    return functions.pad(source, widths, "wrap")


def _repeat(array: AnyArray, repeats: int, axis: int | None) -> AnyArray:
    if axis is None:
        array, axis = array.reshape(-1), 0
    if not -array.ndim <= axis < array.ndim:
        raise ValueError
    place = axis % array.ndim
    before, after = array.shape[: place + 1], array.shape[place + 1 :]
    once = array.reshape(*before, 1, *after)
    shape = (*array.shape[:place], array.shape[place] * repeats, *after)
    return functions.copy(np.broadcast_to(once, (*before, repeats, *after))).reshape(shape)

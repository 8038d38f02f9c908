"""The functions of dmlc.h as addresses, for what calls C by address: Numba, ctypes, cffi, LLVM.

>>> import dmlc
>>> from dmlc.compat import c_functions
>>> c_functions.function("dmlc_version")().decode() == dmlc.__version__
True
"""

from __future__ import annotations

import ctypes
from ctypes import c_char_p, c_int32, c_int64, c_size_t
from typing import Any

from dmlc import _dmlc

__all__ = ["FUNCTIONS", "address", "function"]

_CAPSULE = b"dmlc._dmlc.c_api"
_ABI = 1
# Arrays, plans and elements are passed as the numbers that their addresses are: Numba has no other pointers.
_POINTER = c_size_t

# Result and parameters of each, in the order of include/dmlc_python.h, by which an address is found.
FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "dmlc_version": (c_char_p,),
    "dmlc_status_message": (c_char_p, c_int32),
    "dmlc_plan_padding": (c_int32, _POINTER, c_int64, c_int32, *[_POINTER] * 5, c_int32),
    "dmlc_plan_slice": (c_int32, _POINTER, c_int64, c_int32, *[_POINTER] * 5),
    "dmlc_plan_one_hot": (
        *(c_int32, _POINTER, c_int64, c_int32, c_int32, c_int32, *[_POINTER] * 3, c_int32),
    ),
    "dmlc_plan_diagonal_matrix": (
        *(c_int32, _POINTER, c_int64, c_int32, *[_POINTER] * 3, c_int64, c_int64, c_int32),
    ),
    "dmlc_plan_free": (None, _POINTER),
    "dmlc_plan_bytes": (c_int64, _POINTER),
    "dmlc_run": (None, _POINTER, _POINTER, c_int32),
    "dmlc_threads": (c_int32,),
    "dmlc_set_threads": (None, c_int32),
    "dmlc_set_thread_threads": (c_int32, c_int32),
    "dmlc_has_openmp": (c_int32,),
    "dmlc_isa_name": (c_char_p, c_int32),
    "dmlc_isa": (c_char_p,),
    "dmlc_set_isa": (c_int32, c_char_p),
    "dmlc_plan_window": (c_int32, _POINTER, c_int64, c_int32, *[_POINTER] * 5, c_int32),
    "dmlc_run_many": (None, _POINTER, _POINTER, c_int32, c_int32),
    "dmlc_copy": (c_int32, c_int64, c_int32, *[_POINTER] * 5, c_int32),
}


def address(name: str) -> int:
    """Return where a function of dmlc.h is in this process.

    Parameters
    ----------
    name : str
        One of ``FUNCTIONS``.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If there is no such function.

    Examples
    --------
    >>> from dmlc.compat import c_functions
    >>> c_functions.address("dmlc_run") > 0
    True
    """
    if name not in FUNCTIONS:
        raise ValueError(f"address: name must be one of {', '.join(FUNCTIONS)}, got {name!r}")
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, c_char_p)
    table = get_pointer(_dmlc.c_api, _CAPSULE)
    abi, size = (c_int32 * 2).from_address(table)
    first = 2 * ctypes.sizeof(c_int32)
    place = first + list(FUNCTIONS).index(name) * ctypes.sizeof(ctypes.c_void_p)
    if abi != _ABI or place >= size:
        raise ImportError(f"the table of C functions must have ABI {_ABI}, got {abi}")
    return c_size_t.from_address(table + place).value


def function(name: str) -> Any:
    """Return a function of dmlc.h for ctypes, which Numba calls from compiled code too.

    Parameters
    ----------
    name : str
        One of ``FUNCTIONS``.

    Returns
    -------
    ctypes function
        Pointers are passed as integers: ``array.ctypes.data``.

    Raises
    ------
    ValueError
        If there is no such function.

    Examples
    --------
    >>> from dmlc.compat import c_functions
    >>> c_functions.function("dmlc_threads")() >= 1
    True
    """
    where = address(name)
    prototype = ctypes.CFUNCTYPE(*FUNCTIONS[name])
    return prototype(where)

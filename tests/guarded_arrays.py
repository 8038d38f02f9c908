"""Every array that NumPy makes lies next to a page that no one may touch.

A read or a write past the array's first or last byte then ends the process, which no other check of the
tests sees: an array's own gaps and the allocator's spare bytes hide it. ``DMLC_GUARD_ARRAYS=1 pytest``
turns it on, for Linux and a C compiler. Results keep their own memory, `out=` and inputs are NumPy's.
"""

from __future__ import annotations

import ctypes
import os
import shlex
import subprocess
import tempfile
from pathlib import Path

import numpy as np

SOURCE = Path(__file__).with_name("guarded_arrays.c")

# Where PyDataMem_SetHandler stands in NumPy's table of C functions, since 1.22.
SET_HANDLER = 304


def install() -> None:
    """Guard all arrays that this context makes from now on."""
    with tempfile.TemporaryDirectory() as directory:
        library = Path(directory) / "guarded_arrays.so"
        compiler = shlex.split(os.environ.get("CC", "cc"))
        command = [*compiler, "-O1", "-g", "-shared", "-fPIC", str(SOURCE), "-o", str(library)]
        # The compiler needs none of what a sanitizer has Python load.
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        subprocess.run(command, check=True, env=environment)
        guards = ctypes.CDLL(str(library))
    guards.guarded_arrays_begin()
    new_capsule = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
    )(("PyCapsule_New", ctypes.pythonapi))
    pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", ctypes.pythonapi)
    )
    table = pointer_of(np._core._multiarray_umath._ARRAY_API, None)
    functions = ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))
    set_handler = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(functions[SET_HANDLER])
    handler = ctypes.addressof(ctypes.c_char.in_dll(guards, "guarded_arrays"))
    name = ctypes.addressof(ctypes.c_char.in_dll(guards, "guarded_arrays_name"))
    set_handler(new_capsule(handler, name, None))
    if np._core.multiarray.get_handler_name(np.empty(1)) != "guarded":
        raise RuntimeError("NumPy did not take the handler")

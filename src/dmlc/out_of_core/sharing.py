"""What a source and an ``out`` share: memory, the bytes of a file, or a store."""

from __future__ import annotations

import mmap
import os
from typing import Any, NamedTuple

import numpy as np

from dmlc.arrays import AnyArray

__all__ = ["check_arrays_apart", "is_same_store", "shared_map"]


class _FileBytes(NamedTuple):
    """The bytes [begin, end) of a file."""

    file: str
    begin: int
    end: int


def check_arrays_apart(function: str, source: AnyArray, out: AnyArray) -> None:
    """Refuse an ``out`` whose elements are the source's, in memory or in a file that two maps show."""
    if np.may_share_memory(source, out):
        raise ValueError(f"{function}: out must share no memory with source")
    read, written = _file_bytes(source), _file_bytes(out)
    if read is None or written is None or _is_private(_root(out)):
        return
    if read.begin < written.end and written.begin < read.end and _is_same_file(read, written):
        raise ValueError(
            f"{function}: out must share no bytes of a file with source, got two maps of "
            f"{written.file!r}: bytes {read.begin} to {read.end} and {written.begin} to {written.end}"
        )


def is_same_store(source: Any, out: Any) -> bool:
    """Return whether both are one store, or handles of one, which h5py's and Zarr's say when compared.

    Arrays that compute compare element by element: they are not asked.
    """
    if out is source:
        return True
    return type(out) is type(source) and not hasattr(out, "__add__") and (out == source) is True


def shared_map(array: Any) -> mmap.mmap | None:
    """Return the map of a file that an array lies in, if its pages are the file's."""
    root = _root(array)
    # Of a private map pages that were written are nowhere else.
    if root is None or _is_private(root):
        return None
    base = root.base
    return base if isinstance(base, mmap.mmap) and hasattr(base, "madvise") else None


def _root(array: Any) -> np.memmap[Any, Any] | None:
    """Return the memory map that an array is a view of, as it was opened."""
    root = None
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap):
            root = array
        array = array.base
    return root if isinstance(array, mmap.mmap) else None


def _is_private(root: np.memmap[Any, Any] | None) -> bool:
    """Return whether what is written to a memory map does not reach its file."""
    return root is not None and root.mode == "c"


def _file_bytes(array: AnyArray) -> _FileBytes | None:
    root = _root(array)
    if root is None or root.filename is None:
        return None
    first = root.offset - root.ctypes.data
    begin, end = np.lib.array_utils.byte_bounds(array)
    return _FileBytes(os.fspath(root.filename), first + begin, first + end)


def _is_same_file(one: _FileBytes, other: _FileBytes) -> bool:
    try:
        return os.path.samefile(one.file, other.file)
    except OSError:  # it has no name any longer
        return one.file == other.file

"""Threads and what the library was built with."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, SupportsIndex

import numpy as np

from dmlc import _core
from dmlc.arrays import index

__all__ = ["get_include", "get_num_threads", "num_threads", "set_num_threads", "show_config"]

# More than any machine has; what an OpenMP runtime can count.
_MOST_THREADS = 1 << 16


def _threads(function: str, threads: SupportsIndex) -> int:
    number = index(function, "threads", threads)
    if not 1 <= number <= _MOST_THREADS:
        raise ValueError(f"{function}: threads must be 1 to {_MOST_THREADS}, got {number}")
    return number


def get_num_threads() -> int:
    """Return how many threads an operator called from this thread may use.

    Returns
    -------
    int
        What `num_threads` or else `set_num_threads` said, or else ``OMP_NUM_THREADS``, or else
        the processors that this process may run on. 1 in a build without OpenMP, unless set.

    Examples
    --------
    >>> import dmlc
    >>> dmlc.get_num_threads() >= 1
    True
    """
    return _core.get_threads()


def set_num_threads(threads: SupportsIndex) -> None:
    """Set how many threads an operator may use, in every thread that is not inside `num_threads`.

    Parameters
    ----------
    threads : int
        At least 1. Results do not depend on it.

    Raises
    ------
    TypeError, ValueError
        If ``threads`` is not an integer of at least 1.

    Examples
    --------
    >>> import dmlc
    >>> before = dmlc.get_num_threads()
    >>> dmlc.set_num_threads(1)
    >>> dmlc.get_num_threads()
    1
    >>> dmlc.set_num_threads(before)
    """
    _core.set_threads(_threads("set_num_threads", threads))


@contextmanager
def num_threads(threads: SupportsIndex) -> Iterator[None]:
    """Set how many threads the operators in a ``with`` block may use, for the calling thread alone.

    Parameters
    ----------
    threads : int
        At least 1.

    Raises
    ------
    TypeError, ValueError
        If ``threads`` is not an integer of at least 1.

    Examples
    --------
    >>> import dmlc
    >>> with dmlc.num_threads(1):
    ...     dmlc.get_num_threads()
    1
    """
    before = _core.set_thread_threads(_threads("num_threads", threads))
    try:
        yield
    finally:
        _core.set_thread_threads(before)


def get_include() -> str:
    """Return the directory of ``dmlc.h``, the header of the C API.

    Examples
    --------
    >>> import dmlc
    >>> dmlc.get_include().endswith("include")
    True
    """
    return str(Path(__file__).parent / "include")


def show_config() -> dict[str, Any]:
    """Return what the library is, what it was built with and what it runs on.

    Returns
    -------
    dict
        ``version``, ``numpy``, ``python``, ``machine``, ``openmp``, ``threads``, ``isa`` (the
        kernels in use) and ``isas`` (those that this machine can run, best first).

    Examples
    --------
    >>> import dmlc
    >>> dmlc.show_config()["isa"] in dmlc.show_config()["isas"]
    True
    """
    return {
        "version": version("dmlc"),
        "numpy": np.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "openmp": _core.has_openmp(),
        "threads": get_num_threads(),
        "isa": _core.isa(),
        "isas": _core.isa_names(),
    }

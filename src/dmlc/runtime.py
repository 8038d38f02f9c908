"""Threads and what the library was built with."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, SupportsIndex

import numpy as np

from dmlc import _dmlc
from dmlc.arrays import index, printed

__all__ = [
    "clear_output_cache",
    "get_include",
    "get_num_threads",
    "num_threads",
    "set_num_threads",
    "set_output_cache",
    "show_config",
]

# More than any machine has.
_MOST_THREADS = 1 << 16

_MOST_BYTES = (1 << 62) - 1


def _threads(function: str, threads: SupportsIndex) -> int:
    number = index(function, "threads", threads)
    if not 1 <= number <= _MOST_THREADS:
        raise ValueError(f"{function}: threads must be 1 to {_MOST_THREADS}, got {printed(number)}")
    return number


def get_num_threads() -> int:
    """Return how many threads an operator called from this thread may use.

    It uses no more than there are processors to run them, and no more than its work is worth.

    Returns
    -------
    int
        What `num_threads` or else `set_num_threads` said, or else OpenMP's number as it is for
        this thread now (``OMP_NUM_THREADS``, threadpoolctl, joblib, or else the processors that
        this process may run on), within ``OMP_THREAD_LIMIT`` and a container's quota. 1 in a
        build without OpenMP, unless set.

    Examples
    --------
    >>> import dmlc
    >>> dmlc.get_num_threads() >= 1
    True
    """
    return _dmlc.get_threads()


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
    _dmlc.set_threads(_threads("set_num_threads", threads))


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
    before = _dmlc.set_thread_threads(_threads("num_threads", threads))
    try:
        yield
    finally:
        _dmlc.set_thread_threads(before)


def set_output_cache(nbytes: SupportsIndex) -> None:
    """Set how much memory of freed results is kept for new ones.

    Pages of a fresh large array fault in many times slower than an operator writes them, so the
    memory of a result that is freed serves the next one of about its size.

    Parameters
    ----------
    nbytes : int
        The most bytes to keep; 0 keeps nothing. The default is the smaller of 512 MiB and a
        sixteenth of the memory that the machine, the container and the process' resource limits
        leave it, or what the environment's ``DMLC_OUTPUT_CACHE`` says.

    Raises
    ------
    TypeError, ValueError
        If ``nbytes`` is not an integer of at least 0.

    Examples
    --------
    >>> import dmlc
    >>> before = dmlc.show_config()["output_cache"]
    >>> dmlc.set_output_cache(0)
    >>> dmlc.set_output_cache(before)
    """
    number = index("set_output_cache", "nbytes", nbytes)
    if not 0 <= number <= _MOST_BYTES:
        raise ValueError(
            f"set_output_cache: nbytes must be 0 to {_MOST_BYTES}, got {printed(number)}"
        )
    _dmlc.set_memory_limit(number)


def clear_output_cache() -> None:
    """Give the memory that is kept for results back to the system.

    Examples
    --------
    >>> import dmlc
    >>> dmlc.clear_output_cache()
    """
    _dmlc.clear_memory()


def read_environment(environment: Mapping[str, str]) -> None:
    """Apply ``DMLC_ISA`` and ``DMLC_OUTPUT_CACHE``; called once, at import."""
    _dmlc.set_isa(environment.get("DMLC_ISA") or None)
    cache = environment.get("DMLC_OUTPUT_CACHE")
    if cache:
        is_number = cache.isascii() and cache.isdigit() and len(cache) <= len(str(_MOST_BYTES))
        if not is_number or int(cache) > _MOST_BYTES:
            raise ValueError(f"DMLC_OUTPUT_CACHE: must be 0 to {_MOST_BYTES} bytes, got {cache!r}")
        set_output_cache(int(cache))


def get_include() -> str:
    """Return the directory of the headers: ``dmlc.h``, the C API, ``dmlc_python.h`` for extensions.

    Examples
    --------
    >>> import dmlc
    >>> dmlc.get_include().endswith("include")
    True
    """
    return os.path.join(os.path.dirname(__file__), "include")  # pathlib takes 2 ms to import


def show_config() -> dict[str, Any]:
    """Return what the library is, what it was built with and what it runs on.

    Returns
    -------
    dict
        ``version``, ``numpy``, ``python``, ``machine``, ``openmp``, ``threads``, ``isa`` (the
        kernels in use), ``output_cache`` (the most bytes kept) and ``isas`` (those that this machine can run, best first).

    Examples
    --------
    >>> import dmlc
    >>> dmlc.show_config()["isa"] in dmlc.show_config()["isas"]
    True
    """
    return {
        "version": _dmlc.version(),
        "numpy": np.__version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "openmp": _dmlc.has_openmp(),
        "threads": get_num_threads(),
        "isa": _dmlc.isa(),
        "output_cache": _dmlc.memory_limit(),
        "isas": _dmlc.isa_names(),
    }

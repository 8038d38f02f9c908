"""Calling NumPy and dmlc alike: the same result, or the same kind of exception."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import dmlc
from arrays import Array, assert_fresh, assert_same

Outcome = Array | type[Exception]


def outcome(call: Callable[[], Any]) -> Outcome:
    """The result of `call`, or the class of the exception that it raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return np.asarray(call())
        except Exception as error:
            return type(error)


def fresh_result(call: Callable[[], Array], expected: Array) -> Array:
    """The result of `call` on memory that holds garbage.

    A freed result of the same size may still hold the right elements, and its memory is what the
    next result gets; so one that is all garbage is freed first.
    """
    garbage = dmlc.copy(expected)
    garbage.view(np.uint8).fill(0x5A)
    del garbage
    return call()


def assert_same_outcome(numpy_call: Callable[[], Any], dmlc_call: Callable[[], Any]) -> None:
    """`dmlc_call` returns what `numpy_call` returns, or raises what it raises (or a subclass)."""
    expected = outcome(numpy_call)
    actual = outcome(dmlc_call)
    if isinstance(expected, type):
        assert isinstance(actual, type), f"NumPy raises {expected.__name__}, dmlc returned"
        assert issubclass(actual, expected), (
            f"NumPy raises {expected.__name__}, dmlc {actual.__name__}"
        )
        return
    assert not isinstance(actual, type), f"NumPy returns, dmlc raises {actual.__name__}"
    assert_same(actual, expected)
    assert_fresh(actual)

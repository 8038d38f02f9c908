"""What a case is: one use of one operator, and how each library computes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

Form = Literal["fresh", "out"]
"""A call returns memory of its own ("fresh") or writes memory that the caller keeps ("out")."""


class UnsupportedError(Exception):
    """A library lacks what a case needs; the message says what."""


@dataclass(frozen=True)
class Call:
    """One way to compute a case. `run()` returns the result; the form "out" returns `out`."""

    form: Form
    expression: str
    run: Callable[[], Any]


def fresh(expression: str, run: Callable[[], Any]) -> Call:
    return Call("fresh", expression, run)


def into(expression: str, run: Callable[[], Any]) -> Call:
    return Call("out", expression, run)


Factory = Callable[[Any, Array, Array], Iterable[Call]]
"""factory(library, x, out): the calls a library offers, its operands prepared beforehand.

Several calls of one form are rivals: the fastest stands for the library.
"""


@dataclass(frozen=True)
class Case:
    """One line of the table.

    `bytes_read` and `bytes_written` are what any implementation has to move: whole cache lines
    where elements are picked out of them, nothing for an output that no input decides. `kind` is the
    line of the chart. With `kept_only`, nobody is asked for memory of their own who can do without.
    """

    name: str
    operator: str
    kind: str
    make_input: Callable[[], Array]
    output_shape: tuple[int, ...]
    output_dtype: np.dtype[Any]
    twin: Callable[[Array], Array]
    libraries: Mapping[str, Factory]
    bytes_read: int
    bytes_written: int
    in_place: bool = False
    kept_only: bool = False

    @property
    def output_bytes(self) -> int:
        return int(np.prod(self.output_shape, dtype=np.int64)) * self.output_dtype.itemsize


def size_of(shape: Iterable[int], dtype: str) -> int:
    """Bytes of a packed array."""
    return int(np.prod(tuple(shape), dtype=np.int64)) * np.dtype(dtype).itemsize


def pattern(shape: tuple[int, ...], dtype: str) -> Array:
    """Reproducible elements without a short period and without NaN (libraries may quieten one)."""
    block = np.random.default_rng(0).integers(0, 256, 65_521).astype(np.uint8)
    return np.resize(block, shape).astype(dtype)


def indices_below(depth: int, shape: tuple[int, ...], dtype: str) -> Array:
    """Reproducible indices in [0, depth)."""
    block = np.random.default_rng(0).integers(0, depth, 65_521)
    return np.resize(block, shape).astype(dtype)


def no_input() -> Array:
    """The input of an operator that only generates."""
    return np.empty(0, np.uint8)


def element(value: float, dtype: np.dtype[Any]) -> Array:
    """A 0-d array, as the reference twins take a value."""
    return np.array(value).astype(dtype)

"""One call of every function that has `out=`, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from reference.padding import MODES

import dmlc
from arrays import Array, Dtype, random_values


@dataclass(frozen=True)
class Call:
    """`run(array, out=...)`; functions without an input ignore `array` but for its dtype."""

    name: str
    run: Callable[..., Array]
    has_input: bool = True
    index_input: bool = False

    def __str__(self) -> str:
        return self.name

    def make_input(self, dtype: Dtype, shape: tuple[int, ...] = (3, 4, 5)) -> Array:
        if self.index_input:
            return np.array(random_values(shape, np.dtype(np.int8), 1) % 7, np.int64) - 1
        return random_values(shape, dtype, 1)


def _generate(name: str, *arguments: Any) -> Callable[..., Array]:
    def run(array: Array, **keywords: Any) -> Array:
        result: Array = getattr(dmlc, name)(*arguments, dtype=array.dtype, **keywords)
        return result

    return run


def _pad(mode: Any) -> Callable[..., Array]:
    def run(array: Array, **keywords: Any) -> Array:
        return dmlc.pad(array, [(1, 2), (7, 0), (3, 6)], mode, **keywords)

    return run


def _window(mode: Any) -> Callable[..., Array]:
    def run(array: Array, **keywords: Any) -> Array:
        return dmlc.window(array, (-1, 2, -9), (5, 6, 13), mode, **keywords)

    return run


def _array(array: Any) -> Array:
    """What has no views is copied."""
    return array if isinstance(array, np.ndarray) else dmlc.copy(array)


def _items(values: Any) -> list[Array]:
    """Views of one rank and dtype, of other sizes and strides, that may overlap."""
    array = _array(values)
    return [array[0], array[1, 1:], array[-1, ::-1, ::-1], array[0, :2, 1:]]


def _rows(values: Any) -> list[Array]:
    array = _array(values)
    return [array, array[1:], array[:0], array[::-1]]


CALLS = [
    *(Call(f"pad_{mode}", _pad(mode)) for mode in MODES),
    Call("pad_crop", lambda a, **k: dmlc.pad(a, (-1, -1), **k)),
    *(Call(f"window_{mode}", _window(mode)) for mode in MODES),
    Call("window_inside", lambda a, **k: dmlc.window(a, (0, 1, 2), (2, 2, 3), **k)),
    Call("roll", lambda a, **k: dmlc.roll(a, (1, -2), (0, 2), **k)),
    Call("roll_all", lambda a, **k: dmlc.roll(a, 7, **k)),
    Call("stack", lambda a, **k: dmlc.stack([a, _array(a)[::-1], a], **k)),
    Call("stack_last", lambda a, **k: dmlc.stack([a, _array(a)[::-1]], -1, **k)),
    Call("collate", lambda a, **k: dmlc.collate(_items(a), value=3, align="center", **k)),
    Call("collate_wrap", lambda a, **k: dmlc.collate(_items(a), shape=(3, 9), mode="wrap", **k)),
    Call("pad_sequence", lambda a, **k: dmlc.pad_sequence(list(_array(a)), side="left", **k)),
    Call("pad_sequence_ragged", lambda a, **k: dmlc.pad_sequence(_rows(a), value=1, **k)),
    Call("frames", lambda a, **k: dmlc.frames(a, 6, 2, **k)),
    Call("frames_inside", lambda a, **k: dmlc.frames(a, 2, 1, axis=1, center=False, **k)),
    Call("tile", lambda a, **k: dmlc.tile(a, (2, 1, 3), **k)),
    Call("repeat", lambda a, **k: dmlc.repeat(a, 3, 1, **k)),
    Call("repeat_all", lambda a, **k: dmlc.repeat(a, 2, **k)),
    Call("repeat_by_element", lambda a, **k: dmlc.repeat(a, np.arange(len(_array(a))), 0, **k)),
    Call("one_hot_last", lambda a, **k: dmlc.one_hot(a, 5, **k), index_input=True),
    Call("one_hot_first", lambda a, **k: dmlc.one_hot(a, 5, axis=0, **k), index_input=True),
    Call("one_hot_inner", lambda a, **k: dmlc.one_hot(a, 6, axis=1, **k), index_input=True),
    Call("slice", lambda a, **k: dmlc.slice(a, (0, 1, 0), (3, 3, 5), (2, -1, -2), **k)),
    Call("copy", dmlc.copy),
    Call("copy_transposed", lambda a, **k: dmlc.copy(a.T, **k)),
    Call("flip", dmlc.flip),
    Call("flip_middle", lambda a, **k: dmlc.flip(a, 1, **k)),
    Call("tril", dmlc.tril),
    Call("triu", lambda a, **k: dmlc.triu(a, 1, **k)),
    Call("fill_band", lambda a, **k: dmlc.fill_band(a, -1, 2, 3, **k)),
    Call("fill_band_inverted", lambda a, **k: dmlc.fill_band(a, 2, -1, 3, **k)),
    Call("eye", _generate("eye", 5, 7, 1), has_input=False),
    Call("tri", _generate("tri", 5, 7, 1), has_input=False),
    Call("diagonal_matrix", _generate("diagonal_matrix", (2, 5, 7), -1, 2, 3), has_input=False),
    Call("causal_mask", lambda a, **k: _generate("causal_mask", 5, 7)(a, value=3, **k), False),
]

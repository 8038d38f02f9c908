"""Any function on any array, into any memory, the input's own too: what the twin says, and not a byte else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import arrays
import dmlc
import strategies
from arrays import Array, assert_same
from reference import diagonal_matrix, one_hot, padding, slice

# A call of dmlc, which also takes `out=`, and what its result shall be; both take the input.
Drawn = tuple[Callable[..., Array], Callable[[Array], Array]]

diagonals = st.integers(-12, 12) | st.sampled_from([-(2**62), 2**62, 2**70, -(2**70)])


def value_of(data: st.DataObject, dtype: Any) -> Array:
    """Random bits of one element."""
    return np.asarray(arrays.random_values((1,), dtype, data.draw(strategies.seeds))[0], dtype)


def pad(data: st.DataObject, array: Array) -> Drawn:
    mode = data.draw(strategies.modes)
    widths = data.draw(strategies.pad_widths(array.shape, mode, crop=True, max_elements=4000))
    keywords: dict[str, Any] = {}
    fill = None
    if mode == "constant" and data.draw(st.booleans()):
        fill = value_of(data, array.dtype)
        keywords["constant_values"] = fill
    form = np.array(widths, np.int64).reshape(-1, 2) if data.draw(st.booleans()) else widths
    if array.ndim == 0:
        form = 0
    elif len(set(widths)) == 1 and data.draw(st.booleans()):
        form = widths[0]
    return (
        lambda a, **out: dmlc.pad(a, form, mode, **keywords, **out),
        lambda a: padding.pad(a, widths, mode, fill),
    )


def encode(data: st.DataObject, array: Array) -> Drawn:
    depth, place = data.draw(st.integers(0, 40)), data.draw(st.integers(0, array.ndim))
    dtype = data.draw(strategies.all_dtypes)
    on, off = value_of(data, dtype), value_of(data, dtype)
    negative: Any = data.draw(st.sampled_from(["wrap", "off"]))
    keywords: Any = {"on_value": on, "off_value": off, "dtype": dtype, "negative": negative}
    return (
        lambda a, **out: dmlc.one_hot(a, depth, axis=place, **keywords, **out),
        lambda a: one_hot.one_hot(a, depth, place, on, off, negative),
    )


def window(data: st.DataObject, array: Array) -> Drawn:
    offsets, sizes, strides, outputs = data.draw(strategies.windows(array.shape))
    return (
        lambda a, **out: dmlc.slice(a, offsets, sizes, strides, output_sizes=outputs, **out),
        lambda a: slice.slice_window(a, offsets, sizes, strides, outputs),
    )


def copy(data: st.DataObject, array: Array) -> Drawn:
    return dmlc.copy, np.array


def flip(data: st.DataObject, array: Array) -> Drawn:
    axes = st.lists(st.sampled_from(range(array.ndim)), unique=True) if array.ndim else st.nothing()
    axis = data.draw(st.none() | axes.map(tuple))
    return lambda a, **out: dmlc.flip(a, axis, **out), lambda a: np.array(np.flip(a, axis), a.dtype)


def triangle(data: st.DataObject, array: Array) -> Drawn:
    diagonal, zero = data.draw(diagonals), np.zeros((), array.dtype)
    if data.draw(st.booleans()):
        return (
            lambda a, **out: dmlc.tril(a, diagonal, **out),
            lambda a: diagonal_matrix.fill_band(a, diagonal + 1, 2**80, zero),
        )
    return (
        lambda a, **out: dmlc.triu(a, diagonal, **out),
        lambda a: diagonal_matrix.fill_band(a, -(2**80), diagonal, zero),
    )


def band(data: st.DataObject, array: Array) -> Drawn:
    begin, end = data.draw(diagonals), data.draw(diagonals)
    value = value_of(data, array.dtype)
    return (
        lambda a, **out: dmlc.fill_band(a, begin, end, value, **out),
        lambda a: diagonal_matrix.fill_band(a, begin, end, value),
    )


def generated(data: st.DataObject, array: Array) -> Drawn:
    begin, end = data.draw(diagonals), data.draw(diagonals)
    value, shape = value_of(data, array.dtype), array.shape
    return (
        lambda a, **out: dmlc.diagonal_matrix(shape, begin, end, value, dtype=a.dtype, **out),
        lambda a: diagonal_matrix.diagonal_matrix(shape, begin, end, value),
    )


# Each with the least rank and the least size of its input.
DRAWS = {pad: (0, 0), encode: (0, 0), window: (0, 1), copy: (0, 0), flip: (0, 0)}
DRAWS |= {triangle: (2, 0), band: (2, 0), generated: (2, 0)}


def draw_input(data: st.DataObject, draw: Any) -> Array:
    least_rank, least_size = DRAWS[draw]
    shapes = strategies.shapes(least_rank, 5, least_size, 300)
    if draw is not encode:
        return data.draw(strategies.laid_out(shapes))
    shape = data.draw(shapes)
    indices = strategies.index_values(shape, data.draw(strategies.index_dtypes), 9, 1)
    return arrays.lay_out(indices, data.draw(strategies.layouts))


@given(st.data())
def test_a_call_is_its_twin(data: st.DataObject) -> None:
    draw = data.draw(st.sampled_from(list(DRAWS)))
    array = draw_input(data, draw)
    call, twin = draw(data, array)
    expected = twin(array)
    memory = data.draw(st.sampled_from(["new", "out", "shared"]))
    if memory == "new":
        assert_same(call(array), expected)
    elif memory == "out":
        layout = data.draw(strategies.writable_layouts)
        target = arrays.Target(expected.shape, expected.dtype, layout)
        assert call(array, out=target.view) is target.view
        assert_same(np.array(target.view, order="C"), expected)
        target.assert_gaps_untouched()
    else:
        run_on_shared_memory(data, call, twin, array, expected)


def run_on_shared_memory(
    data: st.DataObject,
    call: Callable[..., Array],
    twin: Callable[[Array], Array],
    array: Array,
    expected: Array,
) -> None:
    """Both lie anywhere in the same memory; the output is in the order of its axes or reversed."""
    size = array.nbytes + expected.nbytes
    shared = arrays.random_values((size + 1,), np.dtype(np.uint8), data.draw(strategies.seeds))
    places = [data.draw(st.integers(0, size - part)) for part in (array.nbytes, expected.nbytes)]
    source: Array = np.ndarray(array.shape, array.dtype, shared.data, places[0])
    out: Array = np.ndarray(expected.shape, expected.dtype, shared.data, places[1])
    source[...] = array
    if out.ndim and data.draw(st.booleans()):
        out = out[::-1]
    expected = twin(source.copy())
    before = shared.copy()
    assert call(source, out=out) is out
    assert_same(np.array(out, order="C"), expected)
    before[places[1] : places[1] + expected.nbytes] = shared[places[1] :][: expected.nbytes]
    assert np.array_equal(shared, before), "bytes written outside the output"

"""dmlc.dask: every function equal to the eager one, for drawn shapes, chunks and modes; one task a chunk."""

from __future__ import annotations

import pickle
from collections import UserList
from collections.abc import Iterator
from itertools import pairwise, repeat
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlc
from arrays import Array, assert_same, random_values
from strategies import all_dtypes, index_values, modes, pad_widths, seeds, shapes, windows

dask: Any = pytest.importorskip("dask", reason="Dask is not installed")
da: Any = pytest.importorskip("dask.array", reason="Dask is not installed")

import dmlc.dask as lazy

MODES = ("constant", "edge", "reflect", "symmetric", "wrap")


def chunks_of(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Any chunks, empty ones among them, few enough along each axis."""
    chunks = []
    for size in shape:
        cuts = draw(st.lists(st.integers(0, size), max_size=4 if len(shape) < 4 else 1))
        bounds = [0, *sorted(cuts), size]
        chunks.append(tuple(end - begin for begin, end in pairwise(bounds)))
    return tuple(chunks)


def requested(draw: st.DrawFn, shape: tuple[int, ...]) -> Any:
    """None for the default, a size for all axes, or any chunks."""
    every = st.integers(max(max(shape, default=1) // 4, 1), max(max(shape, default=1), 1))
    return draw(st.one_of(st.none(), every, st.just("any"))) if shape else None


@st.composite
def lazy_arrays(draw: st.DrawFn, **sizes: int) -> tuple[Array, Any]:
    shape = draw(shapes(max_rank=sizes.pop("max_rank", 4), max_elements=300, **sizes))
    values = random_values(shape, draw(all_dtypes), draw(seeds))
    return values, da.from_array(values, chunks=chunks_of(draw, shape))


def tasks_of(result: Any) -> int:
    """Tasks of the function itself, without its inputs'."""
    return len(result.dask.layers[result.name])


def check(result: Any, expected: Array) -> None:
    """Equal, of the chunks that it says, one task each, the same when it is pickled."""
    assert isinstance(result, da.Array)
    assert result.shape == expected.shape
    assert result.dtype == expected.dtype
    assert tasks_of(result) == np.prod([len(along) for along in result.chunks], dtype=int)
    blocks = dask.compute(*result.to_delayed().ravel(), scheduler="sync")
    for number, block in zip(np.ndindex(*result.numblocks), blocks, strict=True):
        assert block.dtype == expected.dtype
        assert block.shape == tuple(c[at] for c, at in zip(result.chunks, number, strict=True))
    computed = np.asarray(pickle.loads(pickle.dumps(result)).compute(scheduler="sync"))
    # Where Dask puts chunks together, NumPy makes the byte order the machine's.
    assert_same(computed.astype(expected.dtype, copy=False), expected)


@given(st.data())
def test_pad(data: st.DataObject) -> None:
    values, array = data.draw(lazy_arrays())
    mode = data.draw(modes)
    widths: Any = data.draw(pad_widths(values.shape, mode, crop=True, max_elements=2000)) or 0
    expected = dmlc.pad(values, widths, mode)
    chunks = requested(data.draw, expected.shape)
    if chunks == "any":
        chunks = chunks_of(data.draw, expected.shape)
    result = lazy.pad(array, widths, mode, chunks=chunks)
    check(result, expected)
    if chunks is None:
        for along, own in zip(result.chunks, array.chunks, strict=True):
            assert max(along) <= (max(own) or max(along))


@given(st.data())
def test_pad_with_values(data: st.DataObject) -> None:
    """Values of each end, the last axis' in the corners, whichever chunks they fall into."""
    values, array = data.draw(lazy_arrays(min_rank=1, max_rank=3))
    values, array = values.view(np.uint8), None
    array = da.from_array(values, chunks=chunks_of(data.draw, values.shape))
    widths = data.draw(pad_widths(values.shape, "constant", crop=True, max_elements=2000))
    byte = st.integers(0, 255)
    ends = [(data.draw(byte), data.draw(byte)) for _ in values.shape]
    expected = dmlc.pad(values, widths, constant_values=ends)
    chunks = chunks_of(data.draw, expected.shape) if data.draw(st.booleans()) else None
    check(lazy.pad(array, widths, constant_values=ends, chunks=chunks), expected)


@given(st.data())
def test_window(data: st.DataObject) -> None:
    values, array = data.draw(lazy_arrays(max_rank=3, min_side=1))
    mode = data.draw(modes)
    starts = [data.draw(st.integers(-40, 40)) for _ in values.shape]
    sizes = [data.draw(st.integers(0, 12)) for _ in values.shape]
    expected = dmlc.window(values, starts, sizes, mode)
    chunks = chunks_of(data.draw, expected.shape) if data.draw(st.booleans()) else None
    check(lazy.window(array, starts, sizes, mode, chunks=chunks), expected)


@pytest.mark.parametrize("mode", MODES)
def test_far_windows(mode: Any) -> None:
    values = np.arange(7)
    array = da.from_array(values, chunks=2)
    for start in (10**15 + 3, -(10**15) - 3, -(2**70)):
        check(lazy.window(array, start, 25, mode), dmlc.window(values, start, 25, mode))


@given(st.data())
def test_roll(data: st.DataObject) -> None:
    values, array = data.draw(lazy_arrays())
    result = lazy.roll(array, shift := data.draw(st.integers(-400, 400)))
    check(result, dmlc.roll(values, shift))
    assert result.chunks == array.chunks
    if values.ndim:
        axes = data.draw(st.lists(st.integers(-values.ndim, values.ndim - 1), max_size=3))
        shifts = [data.draw(st.integers(-20, 20)) for _ in axes]
        check(lazy.roll(array, shifts, axes), dmlc.roll(values, shifts, axes))


@given(st.data())
def test_slice(data: st.DataObject) -> None:
    values, array = data.draw(lazy_arrays(min_side=1))
    window = data.draw(windows(values.shape))
    *first, outputs = window
    result = lazy.slice(array, *first, output_sizes=outputs)
    check(result, dmlc.slice(values, *first, output_sizes=outputs))
    # A chunk reads one chunk.
    layer = result.dask.layers[result.name]
    assert all(len(task.dependencies) == 1 for task in layer.values())


@given(st.data())
def test_flip_and_copy(data: st.DataObject) -> None:
    values, array = data.draw(lazy_arrays())
    check(lazy.flip(array), dmlc.flip(values))
    check(lazy.copy(array), dmlc.copy(values))
    if values.ndim:
        axis = data.draw(st.integers(-values.ndim, values.ndim - 1))
        check(lazy.flip(array, axis), dmlc.flip(values, axis))


@given(st.data())
def test_stack(data: st.DataObject) -> None:
    shape = data.draw(shapes(max_rank=3, max_elements=100))
    kinds = data.draw(st.lists(st.sampled_from(["u1", "i4", ">i4", "f8"]), min_size=1, max_size=4))
    values = [random_values(shape, np.dtype(kind), i) for i, kind in enumerate(kinds)]
    values = [np.nan_to_num(part) for part in values]
    arrays = [da.from_array(part, chunks=chunks_of(data.draw, shape)) for part in values]
    axis = data.draw(st.integers(-len(shape) - 1, len(shape)))
    expected = dmlc.stack(values, axis)
    result = lazy.stack(arrays, axis)
    check(result, expected)
    assert result.chunks[axis] == (1,) * len(values)
    check(lazy.stack(arrays, axis, chunks=chunks_of(data.draw, expected.shape)), expected)


@given(st.data())
def test_one_hot(data: st.DataObject) -> None:
    shape = data.draw(shapes(max_rank=3, max_elements=60))
    depth = data.draw(st.integers(0, 9))
    kind = np.dtype(data.draw(st.sampled_from(["i1", "u1", "i4", "i8", "u8", ">i2"])))
    values = index_values(shape, kind.newbyteorder("="), depth, data.draw(seeds)).astype(kind)
    array = da.from_array(values, chunks=chunks_of(data.draw, shape))
    axis = data.draw(st.integers(-len(shape) - 1, len(shape)))
    keywords: Any = {
        "negative": data.draw(st.sampled_from(["wrap", "off"])),
        "dtype": data.draw(st.sampled_from(["f4", "i1", "c16"])),
        "on_value": data.draw(st.integers(0, 9)),
    }
    expected = dmlc.one_hot(values, depth, axis=axis, **keywords)
    for chunks in ("auto", chunks_of(data.draw, (depth,))[0]):
        check(lazy.one_hot(array, depth, axis=axis, chunks=chunks, **keywords), expected)


@given(st.data())
def test_matrices(data: st.DataObject) -> None:
    n, m = data.draw(st.integers(0, 12)), data.draw(st.integers(0, 12))
    far = st.sampled_from([2**62, -(2**62), 2**80, -(2**80)])
    k = data.draw(st.integers(-15, 15) | far)
    end = data.draw(st.integers(-15, 15) | far)
    chunks = chunks_of(data.draw, (n, m))
    check(lazy.eye(n, m, k, "i2", chunks=chunks), dmlc.eye(n, m, k, "i2"))
    check(lazy.tri(n, m, k, chunks=chunks), dmlc.tri(n, m, k))
    shape = (2, n, m)
    expected = dmlc.diagonal_matrix(shape, k, end, 5)
    check(lazy.diagonal_matrix(shape, k, end, 5, chunks=((1, 1), *chunks)), expected)
    window = data.draw(st.none() | st.integers(1, 20))
    expected = dmlc.causal_mask(n, m, window=window)
    check(lazy.causal_mask(n, m, window=window, chunks=chunks), expected)


@given(st.data())
def test_bands_of_arrays(data: st.DataObject) -> None:
    values, array = data.draw(lazy_arrays(min_rank=1, max_rank=3))
    k, end = data.draw(st.integers(-9, 9)), data.draw(st.integers(-9, 9))
    check(lazy.tril(array, k), dmlc.tril(values, k))
    check(lazy.triu(array, k), dmlc.triu(values, k))
    if values.ndim > 1:
        check(lazy.fill_band(array, k, end, 1), dmlc.fill_band(values, k, end, 1))


def test_orders() -> None:
    matrix = lazy.eye(4, order="F", chunks=4)
    assert made(matrix).flags.f_contiguous
    assert made(lazy.eye(4, chunks=4)).flags.c_contiguous


def made(result: Any, *chunks: Array) -> Array:
    """The only chunk of a result, by its task alone."""
    layer = result.dask.layers[result.name]
    (task,) = layer.values()
    value: Array = task(dict(zip(task.dependencies, chunks, strict=True)))
    return value


# --- what a graph is ----------------------------------------------------------------------------


def test_nothing_is_computed_before_it_is_asked_for() -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("computed")

    array = da.map_blocks(
        refuse, da.zeros((9, 9), chunks=3, dtype="i4"), dtype="i4", meta=np.empty((0, 0), "i4")
    )
    for result in (
        lazy.pad(array, 4, "wrap"),
        lazy.window(array, (1, -3), (4, 30), "reflect"),
        lazy.roll(array, 5),
        lazy.roll(array, 5, 0),
        lazy.one_hot(array, 3),
        lazy.slice(array, (0, 0), (9, 9), (2, -1)),
        lazy.copy(array),
        lazy.flip(array),
        lazy.stack([array, array]),
        lazy.tril(array),
        lazy.triu(array),
        lazy.fill_band(array, 0, 1, 2),
    ):
        with pytest.raises(AssertionError, match="computed"):
            result.compute(scheduler="sync")


def test_a_chunk_reads_only_the_chunks_that_it_shows() -> None:
    array = da.zeros((1000, 1000), chunks=100)
    padded = lazy.pad(array, 30, "reflect")
    layer = padded.dask.layers[padded.name]
    # Rows 0 to 29 and columns 100 to 199 come from rows 1 to 30: one chunk.
    assert padded.chunks[0][:3] == (30, 100, 100)
    assert [len(layer[padded.name, 0, at].dependencies) for at in range(4)] == [1, 1, 1, 1]
    rolled = lazy.roll(array, (50, 0), (0, 1))
    layer = rolled.dask.layers[rolled.name]
    assert {len(task.dependencies) for task in layer.values()} == {2}
    for mode in MODES:
        far = lazy.pad(da.zeros((50, 70), chunks=(13, 9)), 400, mode)
        layer = far.dask.layers[far.name]
        assert max(len(task.dependencies) for task in layer.values()) == 1
        assert max(far.chunks[0]) == 13
        assert max(far.chunks[1]) == 9
    outside = lazy.window(array, (2000, 0), (100, 100))
    assert all(not task.dependencies for task in outside.dask.layers[outside.name].values())


def test_a_short_axis_repeated_thousands_of_times_is_read_once() -> None:
    values = np.arange(7)
    array = da.from_array(values, chunks=3)
    result = lazy.window(array, -10_000, 30_000, "reflect", chunks=10_000)
    assert all(
        len(task.dependencies) == 3 and len(pickle.dumps(task)) < 2000
        for task in result.dask.layers[result.name].values()
    )
    assert_same(result.compute(), dmlc.window(values, -10_000, 30_000, "reflect"))


def test_large_borders_are_chunked_as_the_array_is() -> None:
    array = da.zeros((10, 30), chunks=(5, 10))
    result = lazy.pad(array, ((23, 3), (0, 4)), "symmetric")
    assert result.chunks == ((3, 5, 5, 5, 5, 5, 5, 3), (10, 10, 10, 4))
    constant = lazy.pad(array, ((23, 3), (0, 4)))
    assert constant.chunks == result.chunks
    # A reflection does not repeat the edge: cut where the array's chunks are, each reads one.
    reflected = lazy.pad(da.zeros(12, chunks=4), (9, 20), "reflect")
    assert reflected.chunks[0] == (2, 4, 3, 4, 4, 4, 3, 4, 3, 4, 4, 2)
    merged = lazy.pad(da.zeros(13, chunks=10), (0, 4))
    assert merged.chunks == ((10, 7),)


def test_chunks_of_some_axes() -> None:
    array = da.zeros((10, 30), chunks=(5, 10))
    assert lazy.pad(array, 1, chunks={1: 16}).chunks == ((1, 5, 5, 1), (16, 16))
    assert lazy.pad(array, 1, chunks={-1: -1}).chunks == ((1, 5, 5, 1), (32,))


def test_the_same_call_has_the_same_name() -> None:
    array = da.zeros((10, 30), chunks=(5, 10))
    assert lazy.pad(array, 1, "wrap").name == lazy.pad(array, 1, "wrap").name
    names = {
        lazy.pad(array, 1, "wrap").name,
        lazy.pad(array, 1, "edge").name,
        lazy.pad(array, 2, "wrap").name,
        lazy.pad(array, 1).name,
        lazy.pad(array, 1, constant_values=1).name,
        lazy.pad(array, 1, chunks=4).name,
        lazy.pad(array + 1, 1).name,
    }
    assert len(names) == 7


def test_a_chunk_that_stays_is_handed_on() -> None:
    values = np.arange(12).reshape(3, 4)
    array = da.from_array(values, chunks=(3, 4))
    assert made(lazy.pad(array, 0), values) is values
    assert made(lazy.roll(array, 0), values) is values
    assert made(lazy.window(array, (0, 1), (3, 3)), values) is not values
    packed = made(lazy.copy(array), values[:, :])
    assert packed is not values
    assert not np.shares_memory(packed, values)


def test_arrays_that_are_not_dasks_become_theirs() -> None:
    values = np.arange(6).reshape(2, 3)
    assert_same(lazy.pad(values, 1).compute(), dmlc.pad(values, 1))


# --- what is refused ----------------------------------------------------------------------------


def test_unknown_sizes_are_refused_by_name() -> None:
    array = da.from_array(np.arange(9), chunks=3)
    unknown = array[array > 4]
    with pytest.raises(ValueError, match=r"pad: array must have chunks of known sizes.*nan"):
        lazy.pad(unknown, 1)
    with pytest.raises(ValueError, match=r"stack: arrays\[1\] must have chunks of known sizes"):
        lazy.stack([array, unknown])
    with pytest.raises(ValueError, match="tril: m must have chunks of known sizes"):
        lazy.tril(unknown)


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("pad", (1, "mirror")),
        ("pad", (((-9, 0), (0, 0)),)),
        ("pad", ("x",)),
        ("window", ((1,), (2, 3))),
        ("window", ((1, 2), (-1, 3))),
        ("roll", (1, 5)),
        ("slice", ((0, 0), (9, 9), (1, 1))),
        ("flip", (2,)),
        ("one_hot", (-1,)),
        ("fill_band", (0, 1.5, 2)),
        ("fill_band", (0, 1, "x")),
        ("tril", (0.5,)),
    ],
)
def test_mistakes_raise_what_the_eager_functions_raise(name: str, arguments: Any) -> None:
    values = np.zeros((3, 4), np.int32)
    with pytest.raises(Exception) as eager:
        getattr(dmlc, name)(values, *arguments)
    with pytest.raises(type(eager.value)) as error:
        getattr(lazy, name)(da.from_array(values, chunks=2), *arguments)
    assert str(error.value) == str(eager.value)


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("eye", (-1,)),
        ("eye", (2, None, 0, object)),
        ("tri", (2.5,)),
        ("diagonal_matrix", ((3,),)),
        ("diagonal_matrix", ((3, -3),)),
        ("diagonal_matrix", ((2, -4, 5),)),
        ("causal_mask", (-3,)),
    ],
)
def test_mistakes_in_matrices(name: str, arguments: Any) -> None:
    with pytest.raises(Exception) as eager:
        getattr(dmlc, name)(*arguments)
    with pytest.raises(type(eager.value)) as error:
        getattr(lazy, name)(*arguments)
    assert str(error.value) == str(eager.value)


class Longer(UserList[Any]):
    """Goes on beyond what its length says."""

    def __iter__(self) -> Iterator[Any]:
        return repeat(self.data[0])


def test_a_sequence_that_never_ends_is_refused() -> None:
    with pytest.raises(ValueError, match="stack: arrays must end where its length says, after 2"):
        lazy.stack(Longer([da.zeros(2), da.ones(2)]))


def test_one_index_of_many_classes() -> None:
    """Without axes there is an index even in a model without elements: it is 0, and no class is made of it."""
    of_minus_seven = np.full((), -7)
    del of_minus_seven
    index = da.from_array(np.array(2))
    for negative in ("wrap", "off", "error"):
        assert lazy.one_hot(index, 3, negative=negative).compute().tolist() == [0, 0, 1]
    assert lazy.one_hot(index, 10**13, chunks=10**12).shape == (10**13,)


def test_other_refusals() -> None:
    with pytest.raises(ValueError, match="need at least one array"):
        lazy.stack([])
    with pytest.raises(ValueError, match="must have the same shape"):
        lazy.stack([da.zeros(3), da.zeros(4)])
    with pytest.raises(TypeError, match="must be integers"):
        lazy.one_hot(da.zeros(3), 2)
    with pytest.raises(TypeError, match="fixed-width dtype"):
        lazy.pad(da.from_array(np.array(["abc"])), 1)
    negative = lazy.one_hot(
        da.from_array(np.array([1, -1]), chunks=1), 3, negative="error", chunks=1
    )
    with pytest.raises(ValueError, match="must not be negative, got -1"):
        negative.compute(scheduler="sync")


@pytest.mark.parametrize("chunk", [np.zeros(3, "f8"), np.zeros(4, "f4"), np.zeros((3, 1), "f4")])
def test_chunks_that_are_not_what_dask_says(chunk: Array) -> None:
    wrong = da.map_blocks(
        lambda _: chunk, da.zeros(6, chunks=3, dtype="f4"), dtype="f4", meta=np.empty(0, "f4")
    )
    with pytest.raises(ValueError, match=r"pad: chunk \(\d,\) must be what Dask takes it for"):
        lazy.pad(wrong, (1, 0)).compute(scheduler="sync")


def test_with_query_planning_there_are_no_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(da, "array_expr_enabled", lambda: True)
    with pytest.raises(NotImplementedError, match="pad: Dask's array.query-planning must be off"):
        lazy.pad(da.zeros(3), 1)


def test_one_hot_of_a_scalar_in_chunks() -> None:
    """Dask's chunk of no axes may be a scalar of NumPy."""
    x = da.from_array(np.array([1, 5, 2]), chunks=2)
    assert_same(lazy.one_hot(x.argmax(), 6, chunks=3).compute(), dmlc.one_hot(1, 6))


def test_stack_refuses_a_promoted_dtype_at_once() -> None:
    whole, text = da.zeros(2, dtype=int), da.from_array(np.array(["a", "b"]))
    with pytest.raises(TypeError, match="stack: arrays"):
        lazy.stack([whole, text])

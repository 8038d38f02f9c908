"""Arguments that need no conversion are read where they are; everything else is converted first.

The two must not be told apart: a call means the same whatever its integers and its arrays are.
"""

from __future__ import annotations

import inspect
import warnings
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlc
from arrays import LAYOUTS, WIDTH_DTYPES, Array, assert_fresh, assert_same, lay_out, random_values
from dmlc import _dmlc
from functions.calls import CALLS, Call

FUNCTIONS = [
    *("pad", "copy", "flip", "slice", "one_hot"),
    *("diagonal_matrix", "fill_band", "eye", "tri", "tril", "triu"),
    *("window", "roll", "tile", "repeat", "frames", "stack", "collate", "pad_sequence"),
]
BATCHES = [*FUNCTIONS[-3:], "masks", "collate_masks"]

# Whose arguments after the first are integers, as many as this.
INTEGERS_OF = {
    "flip": 1,
    "slice": 3,
    "one_hot": 1,
    "fill_band": 2,
    "tril": 1,
    "triu": 1,
    "window": 2,
    "tile": 1,
    "repeat": 2,
    "frames": 2,
}

every_call = pytest.mark.parametrize("call", CALLS, ids=str)


class Integer:
    """What has ``__index__`` and is no number of Python's own."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


class Subclass(np.ndarray[Any, np.dtype[Any]]):
    """What means the same as an array of its memory."""


def unlike(value: Any) -> Any:
    """The same in a form that must be converted."""
    if type(value) is int:
        return Integer(value)
    if type(value) in (tuple, list):
        return type(value)(map(unlike, value))
    return value.view(Subclass) if type(value) is np.ndarray else value


def outcome(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """What a call returns, or the type and the text of what it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*arguments, **keywords)
        except Exception as error:
            return type(error), str(error)


def assert_both_ways(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> None:
    name = getattr(function, "__name__", "")
    first = 0 if name == "diagonal_matrix" else 1
    count = INTEGERS_OF.get(name, 0)
    converted = [
        unlike(value) if type(value) is np.ndarray or first <= i < first + count else value
        for i, value in enumerate(arguments)
    ]
    if name in BATCHES and type(arguments[0]) in (list, tuple):
        rows = arguments[0]
        converted[0] = [unlike(row) if type(row) is np.ndarray else row for row in rows]
    expected = outcome(function, *converted, **keywords)
    actual = outcome(function, *arguments, **keywords)
    if isinstance(expected, np.ndarray):
        assert isinstance(actual, np.ndarray), actual
        assert actual.dtype == expected.dtype
        assert_same(actual, expected)
    else:  # the text may name the converted argument
        assert actual[0] is expected[0], (actual, expected)


class Asked(Exception):
    """Python is asked to convert an argument, or for an error."""


class Refusing:
    """In place of a module of conversions."""

    def __getattr__(self, name: str) -> Any:
        raise Asked(name)


def is_plain(name: str, *arguments: Any, **keywords: Any) -> bool:
    """Whether nothing is converted in Python."""
    function = getattr(dmlc, name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_dmlc, "arrays", Refusing())
        patch.setattr(_dmlc, "arguments", Refusing())
        try:
            function(*arguments, **keywords)
        except Asked:
            return False
    return True


@pytest.mark.parametrize("name", FUNCTIONS)
def test_both_ways_have_one_signature(name: str) -> None:
    function = getattr(dmlc, name)
    general_way = inspect.signature(function)
    plain_way = inspect.signature(function, follow_wrapped=False)
    assert [(p.name, p.kind, p.default) for p in plain_way.parameters.values()] == [
        (p.name, p.kind, p.default) for p in general_way.parameters.values()
    ]


@every_call
@pytest.mark.parametrize("layout", LAYOUTS)
def test_both_ways_agree(layout: str, call: Call) -> None:
    for dtype in [*WIDTH_DTYPES, np.dtype(bool), np.dtype(">i4"), np.dtype("M8[s]")]:
        array = lay_out(call.make_input(dtype), layout)
        assert_both_ways(call.run, array)


@every_call
def test_both_ways_agree_on_out(call: Call) -> None:
    for dtype in WIDTH_DTYPES:
        array = call.make_input(dtype)
        keywords: dict[str, Any] = {"dtype": dtype} if call.index_input else {}
        right = call.run(array, **keywords)
        read_only = np.zeros_like(right)
        read_only.flags.writeable = False
        outs = [
            np.zeros_like(right),
            np.zeros_like(right)[::-1],
            np.zeros(right.shape, right.dtype, order="F"),
            np.zeros(right.shape + (1,), right.dtype),
            np.zeros(right.shape[1:], right.dtype),
            np.zeros(right.shape, right.dtype.newbyteorder()),
            np.zeros(right.shape, np.complex64),
            np.broadcast_to(right[:1], right.shape),
            read_only,
            right.tolist(),
        ]
        for out in outs:
            assert_both_ways(call.run, array, out=out, **keywords)


@every_call
def test_a_plain_call_fills_the_out_it_is_given(call: Call) -> None:
    array = call.make_input(np.dtype(np.float32))
    keywords: dict[str, Any] = {"dtype": np.float32} if call.index_input else {}
    expected = call.run(array, **keywords)
    assert_fresh(expected)
    out = np.full_like(expected, 77)
    assert call.run(array, out=out, **keywords) is out
    assert_same(out, expected)


NUMBERS = [0, 1, -1, 255, 300, -(2**63), 2**64, 1.5, -0.0, 1e300, float("nan"), True, 1j, -np.inf]
NO_NUMBERS: list[Any] = [None, "1", b"1", [1], (1, 2), np.float32(2.5), np.array([3]), np.uint8(7)]
DTYPES = [*"?bBhHiIlLqQefdFD", ">i4", "S4", "U1", "V8", "M8[s]", "m8[s]", "i2,i2", "(2,)i2"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_values(dtype: str) -> None:
    array = np.zeros((2, 3), dtype)
    for value in NUMBERS + NO_NUMBERS:
        assert_both_ways(dmlc.pad, array, 1, constant_values=value)
        assert_both_ways(dmlc.fill_band, array, 0, 1, value)
        assert_both_ways(dmlc.diagonal_matrix, (2, 3), value=value, dtype=dtype)
        assert_both_ways(dmlc.one_hot, [0, 1], 2, on_value=value, dtype=dtype)
        assert_both_ways(dmlc.one_hot, np.array([0, 1]), 2, off_value=value, dtype=dtype)


WIDTHS: list[Any] = [
    *(0, 1, True, -1, 1.0, 2**40 + 1, 2**70, "1", None, np.int64(1), np.uint8(1), np.array(2)),
    *((1,), (1, 2), [1, 2], (1, 2, 3), (1, -2), (True, 1), (1.0, 2), (2**63, 2**63), (), [], ((),)),
    *([[1, 2]], ((1, 2),), [(1, 2), [3, 4]], ((1, 2), (3, 4)), ((1,), (2,)), ((1, 2), (3,))),
    *(((1, 2), (3, 4), (5, 6)), ((1, -1), (0, 0)), {0: 1}, {-1: (1, 2)}, [(1, 2), 3], "12"),
]


@pytest.mark.parametrize("widths", WIDTHS, ids=repr)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 3), (1, 2, 3)], ids=str)
def test_pad_widths(shape: tuple[int, ...], widths: Any) -> None:
    array = random_values(shape, np.dtype(np.int16), 1)
    for mode in ("constant", "edge", "reflect", "symmetric", "wrap"):
        assert_both_ways(dmlc.pad, array, widths, mode)


@pytest.mark.parametrize("mode", ["mean", "", None, 1, b"edge", np.str_("edge"), ["edge"]])
def test_pad_modes(mode: Any) -> None:
    assert_both_ways(dmlc.pad, np.arange(3), 1, mode)


@pytest.mark.parametrize("values", [0, 0.0, False, 1, (0, 0), None])
def test_values_of_modes_that_have_none(values: Any) -> None:
    assert_both_ways(dmlc.pad, np.arange(3), 1, "edge", constant_values=values)


INTEGERS: list[Any] = [0, 1, -1, 2, -2, 5, True, 2.0, None, "1", 2**40, 2**62, -(2**70), np.int8(1)]


@pytest.mark.parametrize("one", INTEGERS, ids=repr)
def test_integer_arguments(one: Any) -> None:
    array = random_values((3, 4), np.dtype(np.int16), 1)
    indices = np.array([[0, 2, -1]], np.int16)
    assert_both_ways(dmlc.flip, array, one)
    assert_both_ways(dmlc.flip, array, (one, 0))
    assert_both_ways(dmlc.tril, array, one)
    assert_both_ways(dmlc.triu, array, one)
    assert_both_ways(dmlc.one_hot, indices, 3, axis=one)
    for other in INTEGERS:
        assert_both_ways(dmlc.diagonal_matrix, (3, 4), one, other)
        assert_both_ways(dmlc.fill_band, array, one, other, 7)
    if not isinstance(one, int) or one <= 5:
        # A larger one is asked of a machine that may have so much memory.
        assert_both_ways(dmlc.one_hot, indices, one)
        assert_both_ways(dmlc.eye, one)
        assert_both_ways(dmlc.tri, 3, one)
        assert_both_ways(dmlc.causal_mask, 3, one)
        assert_both_ways(dmlc.diagonal_matrix, (2, one))
        assert_both_ways(dmlc.diagonal_matrix, [one, 2, 2])


NAMES = [np.dtype(dtype).name for dtype in DTYPES[:17]]


@pytest.mark.parametrize("name", [*NAMES, ">i4", ">f2", ">f8", ">c16"])
def test_ones_of_named_types(name: str) -> None:
    if np.dtype(name).itemsize <= 16:
        expected = np.eye(3, dtype=name)
        assert_same(dmlc.eye(3, dtype=name), expected)
        assert_same(dmlc.one_hot(np.arange(3), 3, dtype=name), expected)


@pytest.mark.parametrize("dtype", [*DTYPES, *NAMES, None, float, np.int8, "no dtype", 5, object])
@pytest.mark.parametrize("negative", ["wrap", "off", "error", "", None, 0])
def test_one_hot_types(negative: Any, dtype: Any) -> None:
    for indices_dtype in [*"?bBhHiIlLqQf", ">i2", "m8[s]"]:
        indices = np.array([[0, 1], [2, 3]]).astype(indices_dtype)
        assert_both_ways(dmlc.one_hot, indices, 3, negative=negative, dtype=dtype)


slice_integers = st.lists(st.integers(-3, 6), min_size=1, max_size=3)


@given(slice_integers, slice_integers, slice_integers, st.none() | slice_integers)
def test_slices(offsets: Any, sizes: Any, strides: Any, output_sizes: Any) -> None:
    array = random_values((6, 5), np.dtype(np.int16), 1)
    assert_both_ways(dmlc.slice, array, offsets, tuple(sizes), strides, output_sizes=output_sizes)


@given(
    st.tuples(*[st.integers(0, 3)] * 2),
    st.tuples(*[st.integers(0, 4)] * 2),
    st.tuples(*[st.integers(-3, 3).filter(bool)] * 2),
)
def test_slices_of_windows_inside(offsets: Any, sizes: Any, strides: Any) -> None:
    array = random_values((6, 7), np.dtype(np.int16), 1)
    for view in (array, array[::-1], array.T[:6, ::-1]):
        sizes = tuple(min(s, n - o) for s, n, o in zip(sizes, view.shape, offsets))
        assert_both_ways(dmlc.slice, view, offsets, sizes, strides)


def test_band_in_place() -> None:
    for array in (np.ones((3, 3)), np.ones((3, 3)).T, np.ones((3, 6))[:, ::2]):
        expected = np.tril(array)
        assert dmlc.tril(array, out=array) is array
        assert_same(np.array(array, order="C"), expected)


def test_most_dimensions() -> None:
    array = random_values((1,) * 62 + (2, 3), np.dtype(np.int16), 1)
    assert_both_ways(dmlc.pad, array, 0)
    assert_both_ways(dmlc.flip, array)
    assert_both_ways(dmlc.tile, array, 2)
    assert_both_ways(dmlc.repeat, array, 2, -1)
    assert_both_ways(dmlc.repeat, array, 2)
    assert_both_ways(dmlc.frames, array, 2, 1)
    assert_both_ways(dmlc.frames, array[0], 2, 1)
    assert_both_ways(dmlc.tril, array)
    assert_both_ways(dmlc.one_hot, array, 2)
    assert_both_ways(dmlc.one_hot, array[0], 2)


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize("multiple", [1, 8])
def test_pad_sequence(side: Any, multiple: int) -> None:
    def rows(dtype: Any, rest: tuple[int, ...] = ()) -> list[Array]:
        return [random_values((n, *rest), np.dtype(dtype), n + 1) for n in (3, 0, 7, 1)]

    batches: list[list[Any]] = [
        *(rows(dtype) for dtype in WIDTH_DTYPES),
        rows("i4", (2, 3)),
        rows("i4", (0,)),
        [row[::-1] for row in rows("i4")],
        [row.T for row in random_values((4, 2, 5), np.dtype("i4"), 1)],
        [np.arange(200_000), np.arange(100_000)[::-1]],
        [*rows("i4"), *rows("f8")],
        [*rows("i4"), [1, 2]],
        [*rows("i4"), np.array(3)],
        [*rows("i4"), np.zeros((2, 2), "i4")],
        [np.zeros(0)],
    ]
    for batch in batches:
        for value in (0, -100, 1.5, "x"):
            assert_both_ways(dmlc.pad_sequence, batch, side=side, value=value, multiple_of=multiple)
        assert_both_ways(masks, batch, side=side, multiple_of=multiple)


STARTS: list[Any] = [
    (0, 0),
    [-1, 2],
    (1,),
    (1, 2, 3),
    1,
    (True, 1),
    (1.0, 1),
    (2**41, -(2**70)),
    "12",
    None,
]


@pytest.mark.parametrize("start", STARTS, ids=repr)
@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric", "wrap", "mean"])
def test_windows(mode: Any, start: Any) -> None:
    for shape in ((3, 4), (0, 4), (1, 1)):
        array = random_values(shape, np.dtype(np.int16), 1)
        for sizes in ((5, 6), [2, 0], (2,), (-1, 2), (2, 2.0), (2**62, 2**62), 3):
            assert_both_ways(dmlc.window, array, start, sizes, mode)
            assert_both_ways(dmlc.window, array, start, sizes, mode, constant_values=7)


@pytest.mark.parametrize("axis", [None, 0, -1, 2, True, (0, 1), (1, 1), [0, 1], (), (0, 5), 1.0])
@pytest.mark.parametrize(
    "shift", [0, 1, -7, 2**50, (1, 2), [1, -2], (1,), (1.5, 2), True, None, "1"]
)
def test_rolls(shift: Any, axis: Any) -> None:
    for shape in ((3, 4), (0, 4), ()):
        array = random_values(shape, np.dtype(np.int16), 1)
        assert_both_ways(dmlc.roll, array, shift, axis)
        assert_both_ways(dmlc.roll, array.T, shift, axis)


@pytest.mark.parametrize("length", [0, 1, 2, 5, 9, -1, 2**62, 2**70, True, None, 2.0])
@pytest.mark.parametrize("hop", [0, 1, 3, -1, 2**62, 2**70, True, None])
def test_frames(hop: Any, length: Any) -> None:
    for shape in ((3, 4), (0, 4), (4, 0), (1, 1), (7,), ()):
        array = random_values(shape, np.dtype(np.int16), 1)
        for mode in ("reflect", "constant", "mean", None):
            for center in (True, False):
                assert_both_ways(dmlc.frames, array, length, hop, mode=mode, center=center)
        for axis in (0, 1, -2, 2, True, None, 1.0):
            assert_both_ways(dmlc.frames, array.T, length, hop, axis=axis)


FEW_SHAPES = [(3, 4), (0, 4), (3, 0), (1, 2, 1), (5,), ()]


@pytest.mark.parametrize(
    "reps", [0, 1, 3, -1, 2**62, (2, 3), [0, -1], (-1, 1), (1, 2, 3), (), True, None, 2.0, (2, "1")]
)
def test_tiles(reps: Any) -> None:
    for shape in FEW_SHAPES:
        array = random_values(shape, np.dtype(np.int16), 1)
        assert_both_ways(dmlc.tile, array, reps)
        assert_both_ways(dmlc.tile, array.T, reps)


@pytest.mark.parametrize("axis", [None, 0, -1, 2, True, (0,), 1.0])
@pytest.mark.parametrize(
    "repeats", [0, 1, 3, -1, 2**62, -(2**70), True, None, 2.0, "2", [2], [1, 0, 2]]
)
def test_repeats(repeats: Any, axis: Any) -> None:
    for shape in FEW_SHAPES:
        array = random_values(shape, np.dtype(np.int16), 1)
        assert_both_ways(dmlc.repeat, array, repeats, axis)
        assert_both_ways(dmlc.repeat, array.T, repeats, axis)


def batches() -> list[Any]:
    a = random_values((3, 4), np.dtype(np.int16), 1)
    return [
        [a, a, a[::-1]],
        [a, a[:2], a[:, 1:]],
        (a, a[:0]),
        [a, a[0]],
        [a, a.astype(">i2")],
        [a.astype(">i2")] * 2,
        [a, a.astype("f4")],
        [a[0, 0, ...], a[1, 1, ...]],
        [a[:0], a[:0]],
        a,
        [],
        [a, None],
        [a, a.tolist()],
        [a.astype(object)],
        iter([a]),
    ]


@pytest.mark.parametrize("axis", [0, -1, 1, 3, True, None, 1.5])
def test_stacks(axis: Any) -> None:
    for i in range(len(batches())):
        assert_both_ways(dmlc.stack, batches()[i], axis)


@pytest.mark.parametrize(
    "shape", [None, (2, 3), [5, 6], (5,), (0, 3), (-1, 2), (1.5, 2), 3, (2**62, 2)]
)
@pytest.mark.parametrize("mode", ["constant", "edge", "wrap", "mean", None])
def test_collates(mode: Any, shape: Any) -> None:
    for batch in batches()[:-1]:
        for align in ("start", "end", "center", "middle", None):
            assert_both_ways(dmlc.collate, batch, shape=shape, mode=mode, align=align)
        for value in (0, 1, 1.5, 2**40, "x", (1, 2)):
            assert_both_ways(dmlc.collate, batch, shape=shape, mode=mode, value=value)
        assert_both_ways(collate_masks, batch, shape=shape, mode=mode, align="end")


def collate_masks(batch: list[Any], **keywords: Any) -> Array:
    return dmlc.collate(batch, return_mask=True, **keywords)[1]


def masks(batch: list[Any], **keywords: Any) -> Array:
    return dmlc.pad_sequence(batch, return_mask=True, **keywords)[1]


def test_what_is_plain() -> None:
    """Else the tests above would compare the general way with itself."""
    array = np.zeros((3, 4), np.float32)
    assert is_plain("pad", array, 1)
    assert is_plain("pad", array, [(1, 2), (3, 4)], out=np.zeros((6, 11), np.float32))
    assert is_plain("pad", array.T[::-1], (1, 2), "wrap")
    assert is_plain("copy", array)
    assert is_plain("copy", array.T)
    assert is_plain("copy", array, out=np.zeros((4, 3), np.float32).T)
    assert is_plain("copy", array, out=np.zeros((9, 4), np.float32)[::-3])
    assert is_plain("flip", array, -1)
    assert is_plain("flip", array, (0, -1))
    assert is_plain("flip", array, [])
    assert is_plain("slice", array, (0, 0), (2, 2), (1, -1))
    assert is_plain("one_hot", np.arange(3), 4)
    assert is_plain("diagonal_matrix", (3, 4))
    assert is_plain("fill_band", array, -(2**62), 1, 5.0, out=array)
    assert is_plain("eye", 3, 4, 1)
    assert is_plain("tri", 3)
    assert is_plain("tril", array)
    assert is_plain("triu", array, 1, out=array)
    assert is_plain("window", array, (-1, 2), [3, 3], "wrap")
    assert is_plain("roll", array, 1)
    assert is_plain("roll", array.T, (1, -2), (0, -1), out=np.zeros((4, 3), np.float32))
    assert is_plain("tile", array, 2)
    assert is_plain("tile", array.T, [2, 1, 3], out=np.zeros((2, 4, 9), np.float32))
    assert is_plain("repeat", array, 2)
    assert is_plain("repeat", array.T, 3, -1, out=np.zeros((4, 9), np.float32))
    assert is_plain("frames", array, 3, 2)
    assert is_plain(
        "frames", array.T, 3, 2, axis=0, center=False, out=np.zeros((3, 1, 3), np.float32)
    )
    assert is_plain("stack", [array, array[::-1]], -1, out=np.zeros((3, 4, 2), np.float32))
    assert is_plain("collate", [array, array[1:, ::2]], shape=(2, 9), align="center")
    assert is_plain("collate", (array,), mode="edge", return_mask=True)
    assert is_plain("pad_sequence", [array, array[1:], array[:0]], side="left", return_mask=True)


def test_what_is_not_plain() -> None:
    array = np.zeros((3, 4), np.float32)
    for other in (array.view(Subclass), array.tolist(), np.zeros((3, 4), object), None):
        assert not is_plain("pad", other, 1)
        assert not is_plain("copy", other)
        assert not is_plain("tril", other)
    assert not is_plain("pad", array, np.int64(1))
    assert not is_plain("pad", array, 1, constant_values=np.float32(1))
    for axes in ((0, 0), (0, -2), (0, 2), (0, True), np.array((0, 1)), range(2), (0,) * 65):
        assert not is_plain("flip", array, axes)
    for reps in (np.int64(2), (2, True), range(2), (1,) * 65):
        assert not is_plain("tile", array, reps)
    assert not is_plain("repeat", array, [2, 0, 1], 0)
    assert not is_plain("repeat", array, [2])
    assert not is_plain("repeat", array, 2, np.int64(0))
    assert not is_plain("frames", array, np.int64(3), 2)
    assert not is_plain("frames", array, 3, 2, axis=np.int64(0))
    assert not is_plain("window", array, np.array((0, 0)), (1, 3))
    assert not is_plain("copy", array[::-1], out=array.view(Subclass))
    assert not is_plain("copy", array[::-1], out=array)
    assert not is_plain("roll", array, 1, out=array)
    assert not is_plain("tile", array, 1, out=array)
    assert not is_plain("repeat", array, 1, 0, out=array)
    strided = np.lib.stride_tricks.as_strided
    shared = [
        strided(array, (3, 4), (4, 4)),
        strided(array, (3, 4), (0, 4)),
        strided(array, (3, 4), (12, 4)),
        strided(array, (3, 4), (2**62, 2**62)),
        strided(array, (3, 4), (-(2**63), 4)),
    ]
    for out in shared:
        with pytest.raises(ValueError, match="out must have .*elements"):
            dmlc.copy(array, out=out)
    others: list[Any] = [
        [array, array.tolist()],
        [array.view(Subclass)],
        [array, array.astype("f8")],
        array.reshape(2, 2, 3),
        deque([array]),
    ]
    for arrays in others:
        for name in BATCHES[:3]:
            assert not is_plain(name, arrays)
    assert not is_plain("stack", [array.astype(">f4")])
    assert is_plain("collate", [array.astype(">f4")])
    assert not is_plain("stack", [array[::-1]], out=array.reshape(1, 3, 4))
    assert not is_plain("collate", [array], value=np.float32(1))
    assert not is_plain("collate", [array], shape=np.array((3, 4)))
    assert not is_plain("pad_sequence", [array], multiple_of=Integer(2))

"""Arguments that no one should pass, and what may be raised for them.

Large sizes are either small enough to run or so large that no machine has the memory: nothing in
between, which would be slow and not wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

import dmlc

# NumPy raises OverflowError where a Python integer does not fit into an element or an index.
DOCUMENTED = (
    TypeError,
    ValueError,
    np.exceptions.AxisError,
    MemoryError,
    OverflowError,
    dmlc.DmlcError,
)


class Deliberate(Exception):
    """Raised by an argument's own methods; it must come out as it is."""


class LyingInterface:
    """An object whose ``__array_interface__`` is nonsense that NumPy can tell.

    It believes strides, and shapes larger than the buffer: no library above it can tell those.
    """

    def __init__(self, **changes: Any) -> None:
        self._memory = bytearray(range(12))
        self._changes = changes

    @property
    def __array_interface__(self) -> dict[str, Any]:
        described = {
            "shape": (12,),
            "typestr": "|u1",
            "data": memoryview(self._memory),
            "strides": None,
            "version": 3,
        }
        return described | self._changes


class RaisingInterface:
    @property
    def __array_interface__(self) -> dict[str, Any]:
        raise Deliberate


class LyingArray:
    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if self._answer is Deliberate:
            raise Deliberate
        return self._answer


class ItselfAsArray:
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self


class Unprintable:
    def __repr__(self) -> str:
        raise Deliberate


def _list_of_itself() -> Any:
    values: list[Any] = []
    values.append(values)
    return values


class LyingDlpack:
    def __init__(self, capsule: Any, device: Any = (1, 0)) -> None:
        self._capsule = capsule
        self._device = device

    def __dlpack__(self, **keywords: Any) -> Any:
        if self._capsule is Deliberate:
            raise Deliberate
        return self._capsule

    def __dlpack_device__(self) -> Any:
        if self._device is Deliberate:
            raise Deliberate
        return self._device


class LyingIndex:
    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def __index__(self) -> Any:
        if self._answer is Deliberate:
            raise Deliberate
        return self._answer


class EndlessSequence(Sequence[int]):
    """Claims 2^60 entries; whoever reads on beyond what a shape can have reads for ever."""

    def __len__(self) -> int:
        return 2**60

    def __getitem__(self, place: Any) -> Any:
        if place > 1000:
            raise AssertionError("reads on")
        return 0


class LyingSequence:
    """Longer or shorter than it says, or broken."""

    def __init__(self, length: int, entries: Any) -> None:
        self._length = length
        self._entries = entries

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, place: int) -> Any:
        if self._entries is Deliberate:
            raise Deliberate
        return self._entries[place]


def _used_capsule() -> Any:
    capsule = np.arange(3).__dlpack__()

    class Once:
        def __dlpack__(self, **keywords: Any) -> Any:
            return capsule

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

    np.from_dlpack(Once())
    return capsule


def _huge(dtype: str = "u1", ndim: int = 1) -> Any:
    """An array of one element that claims 2^48 or more."""
    return np.broadcast_to(np.array(1, dtype), (2**48,) + (2,) * (ndim - 1))


_JUNK: list[Callable[[], Any]] = [
    lambda: None,
    lambda: "text",
    lambda: "",
    lambda: b"\3\2",  # as a shape, a small one
    lambda: object(),
    lambda: ...,
    dict,
    lambda: {"a": 1},
    lambda: set(),
    list,
    lambda: (),
    lambda: [[]],
    lambda: [[1, 2], [3]],
    lambda: [1, "a"],
    lambda: [None],
    lambda: range(3),
    lambda: iter([1, 2]),
    lambda: slice(1, 2),
    lambda: lambda: 0,
    lambda: int,
    lambda: np,
    lambda: float("nan"),
    lambda: float("inf"),
    lambda: 1.5,
    lambda: 1j,
    lambda: True,
    lambda: np.bool_(True),
    lambda: np.float64(2),
    lambda: np.int8(-3),
    lambda: np.uint64(2**64 - 1),
    lambda: np.datetime64("NaT", "s"),
    lambda: np.str_("x"),
    lambda: LyingIndex("one"),
    lambda: LyingIndex(Deliberate),
    lambda: LyingIndex(2**70),
    lambda: LyingIndex(1),
    lambda: LyingSequence(3, [1]),
    lambda: LyingSequence(1, [1, 2, 3]),
    lambda: LyingSequence(2, Deliberate),
    lambda: memoryview(b"abcdefgh")[::3],
    lambda: range(2**40),
    _list_of_itself,
    Unprintable,
]

_HOSTILE_ARRAYS: list[Callable[[], Any]] = [
    lambda: np.array(None),
    lambda: np.array([object(), 1]),
    lambda: np.array(["a", "bcd"]),
    lambda: np.array(["a", "bcd"], np.dtypes.StringDType()),
    lambda: np.zeros(3, "V5"),
    lambda: np.zeros(3, "V0"),
    lambda: np.zeros(3, "S0"),
    lambda: np.zeros((2, 3), [("a", "u1"), ("b", "O")]),
    lambda: np.zeros((2, 3), [("a", "u1"), ("b", "u1")]),
    lambda: np.arange(6, dtype=">i2").reshape(2, 3),
    lambda: np.arange(6, dtype=">f8").reshape(2, 3),
    lambda: np.full((2, 3), np.nan),
    lambda: np.zeros((0, 3)),
    lambda: np.zeros((3, 0, 2), np.int8),
    lambda: np.zeros((1,) * 64, np.int8),
    lambda: np.zeros((2,) * 12, np.int8),
    lambda: np.array(5),
    lambda: np.ma.masked_array([1, 2], [True, False]),
    lambda: np.array([2**63], np.uint64),
    lambda: np.array([-(2**63)], np.int64),
    lambda: np.lib.stride_tricks.as_strided(np.zeros(1), (1, 1), (2**62, -(2**62))),
    RaisingInterface,
    lambda: LyingInterface(shape=(-1,)),
    lambda: LyingInterface(shape=(2**62, 2**62)),
    lambda: LyingInterface(shape="ab"),
    lambda: LyingInterface(shape=(3, 4)),
    lambda: LyingInterface(strides=(1, 1)),
    lambda: LyingInterface(typestr="|u3"),
    lambda: LyingInterface(typestr="nonsense"),
    lambda: LyingInterface(data=None),
    lambda: LyingInterface(data=(None, None)),
    lambda: LyingInterface(data="text"),
    lambda: LyingInterface(version=17),
    ItselfAsArray,
    lambda: LyingArray(Deliberate),
    lambda: LyingArray(None),
    lambda: LyingArray("text"),
    lambda: LyingArray([1, 2, 3]),
    lambda: LyingDlpack(Deliberate),
    lambda: LyingDlpack(None),
    lambda: LyingDlpack("text"),
    lambda: LyingDlpack(np.arange(3).__dlpack__(), (2, 0)),
    lambda: LyingDlpack(np.arange(3).__dlpack__(), "cpu"),
    lambda: LyingDlpack(np.arange(3).__dlpack__(), Deliberate),
    lambda: LyingDlpack(_used_capsule()),
]

# Arrays of one element that claim 2^48 and more.
_CLAIMED: list[Callable[[], Any]] = [
    _huge,
    lambda: _huge("f8"),
    lambda: _huge("u1", 2),
    lambda: _huge("i2", 3),
    lambda: _huge()[::-1],
]

_INTEGERS = [
    *range(-3, 4),
    64,
    65,
    -(2**31),
    2**48,
    -(2**48),
    -(2**62),
    2**62,
    2**63 - 1,
    -(2**63),
    2**63,
    2**64,
    2**200,
    -(2**200),
]

junk = st.sampled_from(_JUNK).map(lambda make: make())
integers = st.sampled_from(_INTEGERS)
small = st.integers(-1, 4)
any_integer = small | integers | junk


def _good_array(shape: tuple[int, ...], dtype: str, read_only: bool) -> Any:
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    array.flags.writeable = not read_only
    return array


good_arrays = st.builds(
    _good_array,
    st.sampled_from([(3,), (2, 3), (3, 2, 4), (3, 3)]),
    st.sampled_from(["u1", "i2", "i4", "f8", "c16", "i8"]),
    st.booleans(),
)
modest_arrays = good_arrays | st.sampled_from(_HOSTILE_ARRAYS).map(lambda make: make()) | junk
arrays = modest_arrays | st.sampled_from(_CLAIMED).map(lambda make: make())
integer_lists = (
    st.lists(small, max_size=4)
    | st.lists(small | integers, max_size=4)
    | st.lists(any_integer, max_size=3)
    | st.lists(st.lists(small | integers, max_size=3), max_size=3)
    | any_integer
    | modest_arrays
)
values = small | any_integer | arrays
dtypes = st.sampled_from(
    ["u1", "f2", "i4", "f8", "c16", ">i4", "O", "S3", "U1", "V3", "M8[s]", "nonsense", "u1,O"]
) | (st.none() | junk)


def hostile_out() -> Any:
    """Read-only, overlapping itself, of another class or type, or fine."""
    memory = np.arange(100, dtype=np.uint8)
    read_only = memory[:6].reshape(2, 3)
    read_only.flags.writeable = False
    as_strided = np.lib.stride_tricks.as_strided
    return st.sampled_from(
        [
            memory[:3],
            memory[:6].reshape(2, 3),
            memory[:9].reshape(3, 3),
            memory[1:9].view(np.int16)[:3],
            np.zeros((2, 3)),
            np.zeros((2, 3), object),
            np.zeros((2, 3), ">i4"),
            read_only,
            as_strided(memory, (2, 3), (1, 1)),
            as_strided(memory, (3, 3), (0, 1)),
            as_strided(memory, (2**48,), (0,)),
            np.ma.zeros((2, 3), np.uint8),
        ]
    )


outs = st.none() | hostile_out() | junk


def contents(out: Any) -> bytes | None:
    """What stands in an `out` argument; None of what has no memory of its own size."""
    if isinstance(out, np.ndarray) and out.size < 10_000 and not out.dtype.hasobject:
        return out.tobytes()
    return None


def numpy_raises(value: Any) -> tuple[type[BaseException], ...]:
    """What NumPy itself says of an array-like: that may come out too."""
    raised: list[type[BaseException]] = []
    for convert in (np.asarray, np.from_dlpack):
        try:
            convert(value)
        except BaseException as error:
            raised.append(type(error))
    return tuple(raised)


def call(function: Callable[..., Any], arguments: dict[str, Any], named: dict[str, Any]) -> Any:
    """Call; only documented exceptions may come out, and then nothing may stand in `out`.

    Returns the result, or the exception.
    """
    before = contents(named.get("out"))
    try:
        return function(*arguments.values(), **named)
    except (*DOCUMENTED, Deliberate) as error:
        assert contents(named.get("out")) == before, "written before the error"
        return error
    except Exception as error:
        everything = [*arguments.values(), *named.values()]
        assert any(isinstance(error, numpy_raises(value)) for value in everything), repr(error)
        assert contents(named.get("out")) == before, "written before the error"
        return error

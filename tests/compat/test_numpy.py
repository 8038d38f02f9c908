"""dmlc.compat.numpy against NumPy: the same results, layouts, types and errors for any argument."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from dmlc.compat import numpy as compat
from dmlc.compat.numpy import functions

MATRIX = np.arange(6).reshape(2, 3)
LARGE = np.arange(128 * 130, dtype=np.float64).reshape(128, 130)  # more than small results are


class Tagged(np.ndarray[Any, Any]):
    """A subclass, which functions of NumPy's keep or drop."""


class Duck:
    """An array to NumPy by `__array_function__` alone."""

    def __array_function__(self, function: Any, _types: Any, _args: Any, _kwargs: Any) -> Any:
        return np.array([function.__name__])


class Sequence:
    """An array to NumPy by `__array__` alone."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array([[1, 2], [3, 4]], dtype)


ARRAYS: dict[str, Any] = {
    "matrix": MATRIX,
    "vector": np.array([1.5, -0.0, np.nan]),
    "scalar": np.array(7),
    "empty": np.zeros((0, 3)),
    "batch": np.arange(24, dtype=np.int16).reshape(2, 3, 4),
    "one": np.ones((1, 1), np.uint8),
    "large": LARGE,
    "bool": MATRIX % 2 == 0,
    "complex": MATRIX * 1j,
    "float16": MATRIX.astype(np.float16),
    "long double": MATRIX.astype(np.longdouble),
    "bfloat16": MATRIX.astype(ml_dtypes.bfloat16),
    "times": MATRIX.astype("M8[s]"),
    "durations": MATRIX.astype("m8[ms]"),
    "big-endian": MATRIX.astype(">i4"),
    "with metadata": MATRIX.astype(np.dtype(np.int32, metadata={"a": 1})),
    "objects": MATRIX.astype(object),
    "strings": MATRIX.astype("U4"),
    "bytes": MATRIX.astype("S3"),
    "structures": MATRIX.astype([("a", "i4"), ("b", "i4")]),
    "void": MATRIX.astype("i8").view("V8"),
    "fortran": np.asfortranarray(MATRIX),
    "fortran batch": np.asfortranarray(np.arange(24.0).reshape(2, 3, 4)),
    "transposed batch": np.arange(24).reshape(2, 3, 4).transpose(1, 0, 2),
    "reversed": MATRIX[::-1, ::2],
    "large fortran": np.asfortranarray(LARGE),
    "large strided": LARGE[:, ::-1],
    "broadcast": np.broadcast_to(np.arange(3), (2, 3)),
    "read-only": np.frombuffer(b"123456", np.uint8).reshape(2, 3),
    "subclass": MATRIX.view(Tagged),
    "large subclass": LARGE.view(Tagged),
    "matrix class": MATRIX.view(np.matrix),
    "masked": np.ma.masked_equal(MATRIX, 3),
    "list": [[1, 2], [3, 4.5]],
    "number": 5,
    "duck": Duck(),
    "array interface": Sequence(),
    "nothing": None,
}
Arguments = tuple[tuple[Any, ...], dict[str, Any]]


def given(*arguments: Any, **keywords: Any) -> Arguments:
    return arguments, keywords


def statistics(vector: Any, widths: Any, _axis: int, keywords: Any) -> None:
    vector[: widths[0]] = keywords.get("padder", 10)


WITH_ARRAY: dict[str, list[Arguments]] = {
    "pad": [
        *(given(width) for width in (0, 2, -1, (1, 2), (-1, 3), [3], ((1, 2),), [[1], [2]], 1.5)),
        *(given(width) for width in (((0, 1), (2, 3)), ((1, 2), (3, 4), (0, 7)), True, None, "1")),
        *(given(width) for width in (np.array([1, 2]), np.uint8(3), np.int16(2), (), 2**70, [])),
        *(given(width) for width in ({0: 1}, {-1: (2, 3)}, {9: 1}, {0: -1}, {0: 1.5}, range(2))),
        *(given(3, mode) for mode in ("edge", "reflect", "symmetric", "wrap", "x", None)),
        *(given((7, 4), mode) for mode in ("edge", "reflect", "symmetric", "wrap")),
        *(given(2, mode) for mode in ("maximum", "mean", "median", "minimum", "linear_ramp")),
        *(given(2, mode, stat_length=2) for mode in ("maximum", "edge", "mean")),
        given(1, np.str_("edge")),
        given(2, statistics),
        given(2, statistics, padder=3),
        given(pad_width=1, mode="linear_ramp", end_values=(3, 4)),
        *(given(2, mode, reflect_type="odd") for mode in ("reflect", "symmetric", "edge")),
        *(given(2, mode, reflect_type="even") for mode in ("reflect", "symmetric", "wrap")),
        given(2, "reflect", reflect_type=np.array(["even", "odd"])),
        *(given(1, constant_values=v) for v in (3, (1, 2), ((1, 2),), [[1], [2]], 1.5, 300, -1)),
        *(given(1, constant_values=v) for v in ("text", None, 2**80, np.nan, 1j, b"x", (1, 2, 3))),
        given((1, 0), constant_values=(1, "text")),
        given(1, "constant", constant_values=np.datetime64(5, "s")),
        given(1, "edge", constant_values=0),
        given(1, "constant", stat_length=None),
        given(),
        given(1, "edge", None),
    ],
    "tril": [
        *(given(k) for k in (0, 1, -1, 5, -9, True, np.int64(1), 1.0, 0.5, None, "1", 2**70)),
        given(2**62),
        given(),
        given(k=1),
        given(0, 0),
    ],
    "roll": [
        *(given(shift) for shift in (0, 1, -1, 20000, 2**40, True, 1.7, None, "1", np.int8(3))),
        *(given(shift, 0) for shift in (1, -1, (1, 2), [1], 2**70, np.array([1, 2]))),
        *(given(1, axis) for axis in (0, 1, -1, 7, (0, 1), (0, 0), [0], None, 1.0, ())),
        given((1, 2), (0, 1)),
        given((1, 2, 3), (0, 1)),
        given((), ()),
        given(shift=3, axis=(1, 0)),
        given(),
    ],
    "tile": [
        *(given(reps) for reps in (0, 1, 2, -1, (2, 3), (1, 1), (1,), (), (2, 0), [2, 2], (2, -1))),
        *(
            given(reps)
            for reps in (np.array([2, 1]), (1, 2, 1, 2), True, 1.5, None, "2", ((1, 2),))
        ),
        given((1, 1, 1, 1)),
        given(reps=2),
        given(),
    ],
    "repeat": [
        *(given(count) for count in (0, 1, 2, -1, True, 1.5, None, [2], (1, 2), 2**70, "2")),
        *(given(count, 0) for count in (0, 1, 3, [1, 2], np.int64(2))),
        *(given(2, axis) for axis in (1, -1, 5, None, 1.0, (0,))),
        given(repeats=2, axis=-1),
        given(),
    ],
}
WITH_ARRAY["triu"] = WITH_ARRAY["tril"]
WITH_ARRAY["flip"] = [given(), given(0), given((0, 1)), given(9)]
WITH_ARRAY["rot90"] = [given(), given(3), given(1, (1, 0)), given(1, (0, 0))]

SIZES = (0, 1, 3, -1, True, np.int64(2), 2.0, 2.5, None, "3", 2**70, (2,), np.array(3))
TYPES = (float, None, int, bool, np.longdouble, ">f4", object, "U1", "S2", "M8[s]", "m8[s]", "V4")
TYPES += ("i4,i4", ml_dtypes.bfloat16, np.clongdouble, np.dtype(np.int32, metadata={"a": 1}), "no")
WITHOUT: dict[str, list[Arguments]] = {
    "tri": [
        *(given(size) for size in SIZES),
        *(given(3, size) for size in SIZES),
        *(given(3, 4, k) for k in (*SIZES, 7, -7, 2**62, -(2**62), 2**40)),
        *(given(2, dtype=dtype) for dtype in TYPES),
        given(2, like=MATRIX),
        given(2, like=Duck()),
        given(2, like=3),
        given(N=2, M=3, k=1, dtype=int),
        given(),
        given(1, 2, 3, int, None),
    ],
}
WITHOUT["eye"] = [
    *WITHOUT["tri"],
    *(given(2, 3, order=order) for order in ("C", "F", "A", "K", None, "x", "c")),
    *(given(3, 3, 1, int, order) for order in ("C", "F")),
    *(given(2, device=device) for device in ("cpu", None, "gpu")),
]
STACKS: dict[str, Any] = {
    **{f"two of {name}": [array, array] for name, array in ARRAYS.items()},
    "a tuple": (MATRIX, MATRIX + 1),
    "a tuple of large ones": (LARGE, LARGE + 1, LARGE),
    "large of two shapes": [LARGE, LARGE[1:]],
    "large of two types": [LARGE, LARGE.astype(np.float32)],
    "large and a list": [LARGE, LARGE.tolist()],
    "large and a subclass": [LARGE, LARGE.view(Tagged)],
    "one large": [LARGE],
    "an array": MATRIX,
    "a large array": LARGE,
    "nothing": [],
    "a number": 3,
    "columns": [np.zeros((20000, 1))] * 2,
}


def outcome(function: Callable[..., Any], arguments: tuple[Any, ...], keywords: Any) -> Any:
    """What a call gives, as values that compare: a result with its layout, or an error's words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = function(*arguments, **keywords)
        except Exception as error:
            # Python names a function by its name alone, here as there; NumPy by its own words.
            return type(error), str(error)
    if not isinstance(result, np.ndarray):
        return type(result), result
    # Long doubles have bytes that mean nothing.
    as_text = result.dtype.hasobject or result.dtype.char in "gG"
    data = repr(result.tolist()) if as_text else result.tobytes()
    masks = np.ma.getmaskarray(result).tolist() if isinstance(result, np.ma.MaskedArray) else None
    strides = tuple(s for s, n in zip(result.strides, result.shape) if n > 1)
    flags = result.flags.c_contiguous, result.flags.f_contiguous, result.flags.writeable
    layout = (strides, *flags) if result.size > 0 else flags
    return type(result), result.dtype, result.dtype.metadata, result.shape, layout, data, masks


def assert_same(name: str, arguments: tuple[Any, ...], keywords: Any) -> None:
    ours = outcome(getattr(compat, name), arguments, keywords)
    assert ours == outcome(getattr(np, name), arguments, keywords), (name, arguments, keywords)


@pytest.mark.parametrize("name", WITH_ARRAY)
@pytest.mark.parametrize("array", ARRAYS)
def test_functions_of_an_array(name: str, array: str) -> None:
    for arguments, keywords in WITH_ARRAY[name]:
        assert_same(name, (ARRAYS[array], *arguments), keywords)


def test_padding_of_any_values() -> None:
    result = compat.pad(MATRIX, 2, "empty")
    assert result.shape == (6, 7)
    assert (result[2:-2, 2:-2] == MATRIX).all()


@pytest.mark.parametrize("name", WITHOUT)
def test_functions_of_sizes(name: str) -> None:
    for arguments, keywords in WITHOUT[name]:
        assert_same(name, arguments, keywords)


@pytest.mark.parametrize("arrays", STACKS)
def test_stack(arrays: str) -> None:
    for axis in (0, 1, -1, 2, 9, True, 1.0, None, np.int8(1), (0,)):
        assert_same("stack", (STACKS[arrays], axis), {})
    for keywords in (
        {"dtype": np.float32},
        {"casting": "no"},
        {"dtype": "M8[s]"},
        {"casting": "x"},
    ):
        assert_same("stack", (STACKS[arrays],), keywords)


def test_stack_into_an_output() -> None:
    ours, numpys = np.zeros((2, 2, 3)), np.zeros((2, 2, 3))
    result = compat.stack([MATRIX, MATRIX], out=ours)
    assert result is ours
    np.stack([MATRIX, MATRIX], out=numpys)
    assert (ours == numpys).all()


@pytest.mark.parametrize("name", compat.__all__)
def test_signatures_are_numpys(name: str) -> None:
    if name in ("Patch", "patched"):
        return
    ours, numpys = inspect.signature(getattr(compat, name)), inspect.signature(getattr(np, name))
    named = [p for p in ours.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    theirs = list(numpys.parameters.values())[: len(named)]
    assert [(p.name, p.default) for p in named] == [(p.name, p.default) for p in theirs]
    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    rest = [p for p in list(numpys.parameters.values())[len(named) :] if p.kind is positional]
    assert rest == []


@pytest.mark.parametrize("array", ["large", "large strided"])
def test_flips_are_views(array: str) -> None:
    for name in ("flip", "rot90"):
        assert np.shares_memory(getattr(compat, name)(ARRAYS[array]), ARRAYS[array])


def test_dmlc_runs_what_it_should(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without NumPy at hand, these calls still work."""
    monkeypatch.setattr(functions, "NUMPYS_OWN", {})
    for mode in ("constant", "edge", "reflect", "symmetric", "wrap"):
        compat.pad(MATRIX, ((1, 2), (0, 3)), mode)
    compat.pad(MATRIX[::-1], np.array([1, 2]), constant_values=[[1, 2], [3, 4]])
    compat.pad(MATRIX, 1, "reflect", reflect_type="even")
    for function in (compat.eye, compat.tri):
        function(3)
        function(3, 4, 1, np.int8)
    for function in (compat.tril, compat.triu):
        function(MATRIX)
        function(LARGE, k=-3)
    for axis in (None, 0, -1):
        compat.roll(LARGE, 5, axis)
        compat.repeat(LARGE, 2, axis)
    compat.roll(LARGE, (1, 2), (0, 1))
    for reps in (2, (2, 1), (3, 1, 2), [2, 2]):
        compat.tile(LARGE, reps)
    for axis in (0, 1, -1):
        compat.stack([LARGE, LARGE], axis)
    with pytest.raises(KeyError):
        compat.pad(MATRIX, 1, "mean")

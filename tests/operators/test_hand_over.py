"""The binding compares arrays with what an operator implies: no caller in Python can get it wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dmlc import _dmlc


def integers(*values: int) -> Any:
    return np.array(values, np.int64)


def floats(*sizes: int) -> Any:
    return np.arange(np.prod(sizes, dtype=int), dtype=np.float32).reshape(sizes)


FLOAT32 = np.dtype(np.float32)
INT32 = np.dtype(np.int32)
PAD = _dmlc.Padding(integers(1, 0), integers(2, 1), 1)
SLICE = _dmlc.Slice(integers(1, 2), integers(2, -1))
COPY = _dmlc.Copy()
ONE_HOT = _dmlc.OneHot(INT32, False, 1)
BAND = _dmlc.DiagonalMatrix(0, 1)
FAR = np.iinfo(np.int64)
ONE = b"\1\0\0\0"

# Arrays that the operators take, and how their first element comes out.
RIGHT: list[tuple[_dmlc.Operator, tuple[Any, ...]]] = [
    (PAD, (floats(6, 4), floats(3, 3))),
    (SLICE, (floats(2, 3), floats(4, 3))),
    (SLICE, (floats(0, 9), floats(4, 3))),
    (_dmlc.Slice(integers(1), integers(FAR.min)), (floats(1), floats(2))),
    (COPY, (floats(2, 3), floats(2, 3))),
    (ONE_HOT, (floats(3, 5), np.zeros(3, np.int32), ONE, ONE)),
    (ONE_HOT, (floats(3, 5), np.zeros((3, 1), np.int32), ONE, ONE)),
    (BAND, (floats(2, 3), floats(2, 3), None, ONE)),
    (BAND, (floats(2, 3), None, None, ONE)),
]

WRONG: list[tuple[_dmlc.Operator, tuple[Any, ...]]] = [
    # The output is larger or smaller, has other axes, or is there alone.
    (PAD, (floats(6, 5), floats(3, 3))),
    (PAD, (floats(5, 4), floats(3, 3))),
    (PAD, (floats(6, 4), floats(3))),
    (PAD, (floats(6), floats(3))),
    (PAD, (floats(6, 4), floats(3, 3).astype("f8"))),
    (PAD, (floats(6, 4), None)),
    (_dmlc.Padding(integers(-1), integers(1), 1), (floats(3), floats(3))),
    (_dmlc.Padding(integers(FAR.max), integers(3), 1), (floats(1), floats(3))),
    (_dmlc.Padding(integers(1), integers(FAR.min), 1), (floats(3), floats(3))),
    # One element before, or after, the input.
    (SLICE, (floats(3, 3), floats(4, 3))),
    (SLICE, (floats(2, 4), floats(4, 3))),
    (SLICE, (floats(2, 3), floats(4, 2))),
    (SLICE, (floats(2, 3), floats(3, 3))),
    (SLICE, (floats(2, 3), None)),
    (SLICE, (floats(2, 3), floats(4))),
    (_dmlc.Slice(integers(-1), integers(1)), (floats(1), floats(2))),
    (_dmlc.Slice(integers(FAR.max), integers(1)), (floats(1), floats(2))),
    (_dmlc.Slice(integers(1), integers(FAR.min)), (floats(2), floats(2))),
    (_dmlc.Slice(integers(0), integers(FAR.max)), (floats(2), floats(2))),
    (COPY, (floats(2, 3), floats(3, 2))),
    (COPY, (floats(2, 3), floats(6))),
    (COPY, (floats(2, 3), None)),
    # Indices of another axis, width or number.
    (ONE_HOT, (floats(3, 5), np.zeros(4, np.int32))),
    (ONE_HOT, (floats(3, 5), np.zeros(2, np.int32))),
    (ONE_HOT, (floats(3, 5), np.zeros((3, 5), np.int32))),
    (ONE_HOT, (floats(3, 5), np.zeros((3, 1, 1), np.int32))),
    (ONE_HOT, (floats(3, 5), np.zeros((), np.int32))),
    (ONE_HOT, (floats(3), np.zeros((), np.int32))),
    (ONE_HOT, (floats(3, 5), np.zeros(3, np.int8))),
    (ONE_HOT, (floats(3, 5), np.zeros(3, np.int64))),
    (ONE_HOT, (floats(3, 5), None)),
    (_dmlc.OneHot(INT32, False, -1), (floats(3, 5), np.zeros(3, np.int32))),
    (_dmlc.OneHot(INT32, False, 2**31 - 1), (floats(3, 5), np.zeros(3, np.int32))),
    (_dmlc.OneHot(FLOAT32, False, 1), (floats(3, 5), np.zeros(3, np.int32))),
    (BAND, (floats(2, 3), floats(3, 2))),
    (BAND, (floats(2, 3), floats(3))),
    (BAND, (floats(6), None)),
    (BAND, (floats(), None)),
    (_dmlc.Operator(), (floats(2), floats(2))),
    # Elements of another width, and values.
    *((operator, (arrays[0], arrays[1].astype(np.float64))) for operator, arrays in RIGHT[:-1]),
    (BAND, (floats(2, 3), None, None, b"")),
    (BAND, (floats(2, 3), None, None, b"123")),
    (PAD, (floats(6, 4), floats(3, 3), b"12345")),
]


@pytest.mark.parametrize(("operator", "arrays"), RIGHT)
def test_arrays_that_fit(operator: _dmlc.Operator, arrays: tuple[Any, ...]) -> None:
    operator.run(*arrays)


@pytest.mark.parametrize(("operator", "arrays"), WRONG)
def test_arrays_that_do_not_fit(operator: _dmlc.Operator, arrays: tuple[Any, ...]) -> None:
    before = arrays[0].tobytes()
    with pytest.raises(ValueError, match="must|an argument breaks its rule|no such operator"):
        operator.run(*arrays)
    assert arrays[0].tobytes() == before


def test_the_message_has_the_rule_and_both_sizes() -> None:
    with pytest.raises(ValueError) as raised:
        PAD.run(floats(6, 5), floats(3, 3))
    assert str(raised.value) == (
        "Padding: output sizes must be input sizes + start + end, which are [1, 0] and [2, 1], "
        "got input (3, 3) of 4 bytes and output (6, 5) of 4 bytes"
    )


def test_read_only_outputs() -> None:
    output = floats(2, 3)
    output.flags.writeable = False
    with pytest.raises(ValueError, match="writeable"):
        COPY.run(output, floats(2, 3))


def test_axes_of_an_operator_agree() -> None:
    for make in (lambda *pair: _dmlc.Padding(*pair, 1), _dmlc.Slice):
        with pytest.raises(ValueError, match="equally many"):
            make(integers(1, 2), integers(1))
        with pytest.raises(ValueError, match="64"):
            make(integers(*range(65)), integers(*range(65)))


def typed(**changes: Any) -> Any:
    fields = {
        "operator": COPY,
        "output": _dmlc.Tensor(FLOAT32, integers(2, 3)),
        "input": _dmlc.Tensor(FLOAT32, integers(2, 3)),
        "values": None,
        "background": None,
        "value": None,
        "on_axis": 0,
    }
    return _dmlc.TypedOperator(*(fields | changes).values())


TYPED_WRONG: list[Callable[[], Any]] = [
    lambda: typed(input=None),
    lambda: typed(input=_dmlc.Tensor(FLOAT32, integers(3, 2))),
    lambda: typed(input=_dmlc.Tensor(FLOAT32, integers(6))),
    lambda: typed(input=_dmlc.Tensor(np.dtype(np.int8), integers(2, 3))),
    lambda: typed(background=b"1"),
    lambda: typed(value=b"12345"),
    lambda: typed(values=_dmlc.Tensor(FLOAT32, integers(1))),
    lambda: typed(values=_dmlc.Tensor(FLOAT32, integers(2)), on_axis=1),
    lambda: typed(values=_dmlc.Tensor(FLOAT32, integers(2)), on_axis=-1),
    lambda: typed(values=_dmlc.Tensor(np.dtype(np.int8), integers(2))),
    lambda: _dmlc.Tensor(FLOAT32, integers(-1)),
    lambda: _dmlc.Tensor(FLOAT32, integers(2**40, 2**40)),
    lambda: _dmlc.Tensor(FLOAT32, integers(*[1] * 65)),
]


@pytest.mark.parametrize("make", TYPED_WRONG)
def test_tensors_of_an_operator_agree(make: Callable[[], Any]) -> None:
    assert typed()(floats(2, 3)).tobytes() == floats(2, 3).tobytes()
    with pytest.raises(ValueError, match="must|at most"):
        make()


@pytest.mark.parametrize(
    ("output", "source", "values"),
    [
        (floats(2, 4), floats(2, 3), None),
        (floats(2, 3), floats(2, 4), None),
        (floats(6), floats(6), None),
        (floats(2, 3).astype("f8"), floats(2, 3), None),
        (floats(2, 3), floats(2, 3).astype("u1"), None),
        (floats(2, 3), None, None),
        (floats(2, 3), floats(2, 3), floats(2)),
    ],
)
def test_typed_arrays_that_do_not_fit(output: Any, source: Any, values: Any) -> None:
    with pytest.raises(ValueError, match="must be"):
        typed()._run(output, source, values)


def test_a_border_is_of_the_arrays_own_sizes() -> None:
    out, array = np.full((4, 4), 7, np.float32), floats(2, 3)
    values = ((ONE, ONE), (ONE, bytes(4)))
    right: tuple[Any, ...] = (out, array, ((1, 1), (0, 1)), values)
    read_only = out.copy()
    read_only.flags.writeable = False
    for place, wrong in [
        (0, floats(4, 5)),
        (0, floats(16)),
        (0, floats(4, 4).astype("i4")),
        (0, floats(4, 4).astype("f8")),
        (0, read_only),
        (0, None),
        (1, floats(2, 4)),
        (1, floats(6)),
        (1, floats(2, 3).astype("f8")),
        (1, None),
        (2, ((1, 1), (0, 2))),
        (2, ((1, 1), (-1, 1))),
        (2, ((1, 2**62), (0, 1))),
        (2, ((1, 1), (0, 1), (0, 0))),
        (2, ((2**63, -(2**63)), (0, 1))),
        (3, values[:1]),
        (3, values * 33),
        (3, ((ONE, ONE), (ONE, b"\1"))),
        (3, ((ONE, ONE), (ONE, None))),
        (3, ((ONE,), (ONE,))),
        (3, ((), ())),
        (3, (None, None)),
        (3, None),
    ]:
        arguments = list(right)
        arguments[place] = wrong
        with pytest.raises((ValueError, TypeError)):
            _dmlc.pad_constant(*arguments)
        assert (out == 7).all()
    _dmlc.pad_constant(*right)
    expected = np.pad(array, right[2], constant_values=np.array(1, np.int32).view(np.float32))
    expected[:, 3] = 0
    assert out.tobytes() == expected.tobytes()


SHAPES: list[Callable[[tuple[int, ...]], Any]] = [
    lambda shape: _dmlc.arguments_of_pad(shape, FLOAT32, 1, "edge", 0),
    lambda shape: _dmlc.arguments_of_window(shape, FLOAT32, shape, shape, "edge", 0),
    lambda shape: _dmlc.runs_of_slice(shape, shape, shape, shape, None),
]


@pytest.mark.parametrize("judge", SHAPES)
@pytest.mark.parametrize(
    "shape", [(1,) * 65, (2**62,), (-1,), (2**70, 1), (1.5,), (None,)], ids=str
)
def test_shapes_that_no_array_has(judge: Callable[[Any], Any], shape: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="array must|shape\\[0\\] must"):
        judge(shape)


@pytest.mark.parametrize("rank", [-1, 65, 2**31 - 1])
def test_numbers_of_axes_that_no_array_has(rank: int) -> None:
    for judge in (lambda: _dmlc.starts_of_roll(1, 0, rank), lambda: _dmlc.axes_of_flip(0, rank)):
        with pytest.raises(ValueError, match="at most 64 dimensions"):
            judge()


def test_a_shape_is_judged_as_an_array_of_it() -> None:
    assert _dmlc.arguments_of_pad((4, 3), INT32, ((1, -2), (0, 5)), "edge", 0) == (
        ((0, 2), (0, 3)),
        ((1, 0), (0, 5)),
        1,
        None,
    )
    assert _dmlc.arguments_of_pad((), INT32, 1, "constant", 1)[3] == ()
    assert _dmlc.arguments_of_pad((4,), INT32, 1, "constant", 1)[3] == ((ONE, ONE),)
    assert _dmlc.arguments_of_window((4,), INT32, -(2**70), 5, "wrap", 0) == (
        [-(2**70)],
        [5],
        4,
        None,
    )
    assert _dmlc.arguments_of_window((4,), INT32, 0, 5, "constant", 1)[3] == ONE
    assert _dmlc.runs_of_slice((9, 4), (1, 0), (7, 4), (-2, 3), (2, 2)) == [(7, -2, 2), (0, 3, 2)]
    assert _dmlc.starts_of_roll((1, 2**70), (0, 0), 2) == [-1 - 2**70, 0]
    assert _dmlc.starts_of_roll(3, None, 2) == [-3]
    assert _dmlc.axes_of_flip(None, 3) == (0, 1, 2)
    assert _dmlc.axes_of_flip((-1, 0), 3) == (0, 2)
    with pytest.raises(ValueError, match=r"sizes of less than 2\^62, got \(4611686018427387908,\)"):
        _dmlc.arguments_of_pad((4,), INT32, (0, 2**62), "edge", 0)


def test_new_arrays_are_of_plain_elements() -> None:
    for shape, dtype in [
        ((2,), np.dtype(object)),
        ((2,), np.dtype("V3")),
        ((2,), np.dtype(("i1", (2,)))),
        ((-1,), FLOAT32),
        ((1,) * 65, FLOAT32),
        ((2**40, 2**40), FLOAT32),
        (("a",), FLOAT32),
    ]:
        with pytest.raises((ValueError, TypeError, MemoryError)):
            _dmlc.empty(shape, dtype)


@pytest.mark.parametrize("dtype", [np.dtype("S90000"), np.dtype("V3"), np.dtype(object)], ids=str)
def test_elements_are_plain_wherever_their_dtype_is_taken(dtype: np.dtype[Any]) -> None:
    """An element's room is 16 bytes, and what refers to objects is not to be moved."""
    for take in (
        lambda: _dmlc.arguments_of_window((3,), dtype, 0, 3, "constant", 1),
        lambda: _dmlc.arguments_of_pad((3,), dtype, 1, "constant", 1),
        lambda: _dmlc.output_for("f", None, (3,), dtype),
        lambda: _dmlc.Tensor(dtype, np.array([3])),
        lambda: _dmlc.copy_into(np.zeros(3, dtype), np.zeros(3, dtype)),
    ):
        with pytest.raises(TypeError, match="must have a fixed-width dtype"):
            take()


def test_no_exchange_is_without_its_table() -> None:
    with pytest.raises(TypeError):
        _dmlc.TensorExchange.__new__(_dmlc.TensorExchange)


def test_elements_of_no_bytes_are_not_distinct() -> None:
    assert not _dmlc.elements_are_distinct(np.zeros(3, "V0"))
    with pytest.raises(TypeError):
        _dmlc.elements_are_distinct(None)

"""No descriptor is compiled unchecked, whoever made it and whatever became of it since."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dmlc
from robustness.processes import run_python

FLOAT32 = dmlc.TensorDataType.FLOAT32
EDGE = dmlc.PaddingMode.EDGE


def tensor(*sizes: int, **fields: Any) -> Any:
    return dmlc.BufferTensorDesc(FLOAT32, sizes, **fields)


BAD: dict[str, Any] = {
    "slice beyond its input": dmlc.SliceOperatorDesc(
        tensor(4), tensor(10), (1 << 20,), (10,), (1,)
    ),
    "slice1 beyond its input": dmlc.Slice1OperatorDesc(tensor(4), tensor(4), (0,), (40,), (-10,)),
    "small output of a padding": dmlc.PaddingOperatorDesc(
        tensor(1 << 20), tensor(4), EDGE, 0, (1 << 20,), (1 << 20,)
    ),
    "negative padding": dmlc.PaddingOperatorDesc(tensor(4), tensor(1 << 20), EDGE, 0, (-4,), (0,)),
    "indices too few": dmlc.OneHotOperatorDesc(
        dmlc.BufferTensorDesc(dmlc.TensorDataType.INT32, (2, 1)), tensor(1, 2), tensor(9999, 3), 1
    ),
    "values of another width": dmlc.OneHotOperatorDesc(
        dmlc.BufferTensorDesc(dmlc.TensorDataType.INT32, (2, 1)),
        dmlc.BufferTensorDesc(dmlc.TensorDataType.UINT8, (1, 2)),
        tensor(2, 3),
        1,
    ),
    "axis outside": dmlc.OneHotOperatorDesc(
        dmlc.BufferTensorDesc(dmlc.TensorDataType.INT32, (2, 1)), tensor(1, 2), tensor(2, 3), 99
    ),
    "input of a band is smaller": dmlc.DiagonalMatrix1OperatorDesc(
        input_tensor=tensor(2, 2),
        output_tensor=tensor(999, 999),
        value_data_type=FLOAT32,
        value=1,
        diagonal_fill_begin=0,
        diagonal_fill_end=1,
    ),
    "too many elements": dmlc.DiagonalMatrixOperatorDesc(tensor(2**32 - 1, 2**32 - 1), 0, 1),
    "no size": dmlc.SliceOperatorDesc(tensor(), tensor(), (), (), ()),
}
every_bad = pytest.mark.parametrize("name", BAD)


def good() -> Any:
    return dmlc.PaddingOperatorDesc(tensor(4), tensor(6), EDGE, 0.0, (1,), (1,))


@every_bad
def test_direct_construction_checks(name: str) -> None:
    first = dmlc.Device().check(BAD[name])[0]
    with pytest.raises(dmlc.InvalidDescriptorError) as raised:
        dmlc.CompiledOperator(BAD[name])
    assert str(raised.value) == str(first)


@every_bad
def test_unpickling_checks(name: str) -> None:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(dmlc.InvalidDescriptorError):
            pickle.loads(pickle.dumps(_Reduced(BAD[name]), protocol))


class _Reduced:
    """Pickled as a compiled operator of any descriptor."""

    def __init__(self, desc: Any) -> None:
        self._desc = desc

    def __reduce__(self) -> tuple[Any, ...]:
        return dmlc.CompiledOperator, (self._desc,)


@pytest.mark.parametrize("value", [None, 5, "desc", tensor(3), object(), dmlc.CompiledOperator])
def test_what_is_no_operator_descriptor(value: Any) -> None:
    with pytest.raises(TypeError, match="operator descriptor"):
        dmlc.CompiledOperator(value)


def test_direct_construction_has_the_newest_level_and_devices_their_own() -> None:
    wrap = dmlc.PaddingOperatorDesc(tensor(4), tensor(6), dmlc.PaddingMode.WRAP, 0.0, (1,), (1,))
    old = dmlc.Device(dmlc.FeatureLevel.LEVEL_5_0)
    with pytest.raises(dmlc.FeatureLevelError):
        old.compile_operator(wrap)
    operator = dmlc.CompiledOperator(wrap)
    again = pickle.loads(pickle.dumps(operator))
    assert again.desc == wrap
    values = np.arange(4, dtype=np.float32)
    np.testing.assert_array_equal(again(values), np.pad(values, 1, "wrap"))


def test_a_device_checks_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    check = dmlc.device.validation.check

    def counted(*arguments: Any) -> Any:
        calls.append(arguments)
        return check(*arguments)

    monkeypatch.setattr(dmlc.device.validation, "check", counted)
    dmlc.Device().compile_operator(good())
    assert len(calls) == 1


def change(target: Any, field: str, value: Any) -> None:
    object.__setattr__(target, field, value)


CHANGES: dict[str, Callable[[Any], None]] = {
    "sizes": lambda desc: change(desc.output_tensor, "sizes", (1 << 20,)),
    "a list of sizes": lambda desc: change(desc.output_tensor, "sizes", [1 << 20]),
    "paddings": lambda desc: change(desc, "start_padding", (1 << 20,)),
    "type": lambda desc: change(desc.input_tensor, "data_type", dmlc.TensorDataType.UINT8),
    "number of a type": lambda desc: change(desc.input_tensor, "data_type", 5),
    "no such type": lambda desc: change(desc.input_tensor, "data_type", "FLOAT32"),
    "mode": lambda desc: change(desc, "padding_mode", 17),
    "tensor": lambda desc: change(desc, "output_tensor", None),
    "strides": lambda desc: change(desc.output_tensor, "strides", (0,)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_descriptors_changed_behind_their_back(name: str) -> None:
    for make in (dmlc.CompiledOperator, dmlc.Device().compile_operator):
        desc = good()
        CHANGES[name](desc)
        with pytest.raises((dmlc.InvalidDescriptorError, TypeError, ValueError)):
            make(desc)


@pytest.mark.parametrize("name", CHANGES)
def test_an_operator_keeps_what_was_checked(name: str) -> None:
    desc = good()
    operator = dmlc.CompiledOperator(desc)
    CHANGES[name](desc)
    values = np.arange(4, dtype=np.float32)
    np.testing.assert_array_equal(operator(values), np.pad(values, 1, "edge"))
    np.testing.assert_array_equal(operator(values.tobytes()), np.pad(values, 1, "edge"))
    assert operator.desc == good()


class Changing(int):
    """A size that is one thing when it is checked and another when it is used."""

    def __index__(self) -> int:
        Changing.looks += 1
        return 1 << 20 if Changing.looks % 2 else 6

    __int__ = __index__
    looks = 0


class LyingTensor(dmlc.BufferTensorDesc):
    """Its sizes are others every time."""

    looks = 0

    @property
    def sizes(self) -> tuple[int, ...]:  # type: ignore[override]
        LyingTensor.looks += 1
        return (6 if LyingTensor.looks % 2 else 1 << 20,)

    @sizes.setter
    def sizes(self, value: Any) -> None:
        pass


def test_sizes_are_converted_once() -> None:
    for first in (0, 1):
        for place in ("input_tensor", "output_tensor"):
            Changing.looks = LyingTensor.looks = first
            desc = good()
            change(getattr(desc, place), "sizes", (Changing(6),))
            _use(desc)
            Changing.looks = LyingTensor.looks = first
            desc = good()
            change(desc, place, LyingTensor(FLOAT32, (6,)))
            _use(desc)


def _use(desc: Any) -> None:
    """Refused, or an operator of plain sizes that agree."""
    try:
        operator = dmlc.CompiledOperator(desc)
    except (ValueError, MemoryError):
        return
    own: Any = operator.desc
    for part in (own.input_tensor, own.output_tensor):
        assert type(part) is dmlc.BufferTensorDesc
        assert {type(size) for size in part.sizes} == {int}
    assert own.output_tensor.sizes == (own.input_tensor.sizes[0] + 2,)


def test_tensors_of_a_subclass_become_plain() -> None:
    class Named(dmlc.BufferTensorDesc):
        __slots__ = ("name",)

    named = Named(FLOAT32, (4,), (2,), guaranteed_base_offset_alignment=16)
    desc = dmlc.PaddingOperatorDesc(named, tensor(6), EDGE, 0.0, (1,), (1,))
    assert type(desc.input_tensor) is dmlc.BufferTensorDesc
    assert desc.input_tensor == tensor(4, strides=(2,), guaranteed_base_offset_alignment=16)


def test_subclasses_of_operator_descriptors_are_none() -> None:
    class Own(dmlc.PaddingOperatorDesc):
        pass

    desc = Own(tensor(4), tensor(6), EDGE, 0.0, (1,), (1,))
    for make in (dmlc.CompiledOperator, dmlc.Device().compile_operator, dmlc.Device().check):
        with pytest.raises(TypeError, match="operator descriptor"):
            make(desc)


def test_states_of_pickles_change_no_sizes() -> None:
    """A pickle may give an operator any attributes; what it runs on is not among them."""
    run_python(
        """
import numpy as np
import dmlc

def tensor(*sizes):
    return dmlc.BufferTensorDesc(dmlc.TensorDataType.FLOAT32, sizes)

def good():
    return dmlc.PaddingOperatorDesc(tensor(4), tensor(6), dmlc.PaddingMode.EDGE, 0.0, (1,), (1,))

small = np.zeros(1, np.float32)
for attribute, value in {
    "_output": tensor(1),
    "_inputs": [("input_tensor", tensor(1))],
    "_inputs": [],
    "_inputs": [("input_tensor", None)],
}.items():
    operator = dmlc.CompiledOperator(good())
    operator.__dict__[attribute] = value
    for call in (
        lambda: operator(small),
        lambda: operator(np.zeros(4, np.float32), out=small),
        lambda: operator(small.tobytes()),
        lambda: operator(),
        lambda: operator._run(small, small),
        lambda: operator._run(small),
        lambda: operator._run(np.zeros(6, np.float32), None),
        lambda: operator._run(np.zeros(6, np.float32), np.zeros(4, np.float32), small),
    ):
        try:
            call()
        except (ValueError, TypeError):
            continue
        raise AssertionError("not refused")
"""
    )

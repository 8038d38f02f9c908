"""Operators made in every way of descriptors that anyone may have changed: refused, or equal to their twins."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlc
import strategies
from operators.test_random_descriptors import VALID, changed, run_and_judge

NEWEST = dmlc.Device()


class Reduced:
    """Pickled as a compiled operator, of a descriptor that no one has checked."""

    def __init__(self, desc: Any) -> None:
        self._desc = desc

    def __reduce__(self) -> tuple[Any, ...]:
        return dmlc.CompiledOperator, (self._desc,)


# The pickler of C takes what an index of its memo claims for memory that it needs, gigabytes of it.
class PlainUnpickler(pickle._Unpickler):  # type: ignore[name-defined,misc]
    """Knows what a pickle of an operator names, and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if name == "CompiledOperator" or name.endswith("Desc") or name in ENUMS:
            return getattr(dmlc, name)
        if (module, name) == ("dmlc.descriptors.fields", "_rebuild"):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(name)


ENUMS = ("PaddingMode", "TensorDataType", "TensorFlags")


def loads(text: bytes) -> Any:
    return PlainUnpickler(io.BytesIO(text)).load()


WAYS: dict[str, Callable[[Any], Any]] = {
    "direct": dmlc.CompiledOperator,
    "device": NEWEST.compile_operator,
    "pickle": lambda desc: loads(pickle.dumps(Reduced(desc))),
}


def judge(operator: Any, seed: int) -> None:
    """What was made is right by the newest level, and does what its descriptor says."""
    assert NEWEST.check(operator.desc) == []
    run_and_judge(operator.desc, seed, operator)


def fields_of(desc: Any) -> dict[str, Any]:
    return {name: getattr(desc, name) for name in type(desc).__slots__}


@pytest.mark.parametrize("name", VALID)
@given(data=st.data(), seed=strategies.seeds)
def test_changed_behind_their_back(name: str, data: st.DataObject, seed: int) -> None:
    desc = pickle.loads(pickle.dumps(VALID[name]))
    other = data.draw(changed(VALID[name]))
    for field, value in fields_of(other).items():
        mine = getattr(desc, field)
        inner = type(mine) is type(value) is dmlc.BufferTensorDesc
        for part, into in fields_of(value).items() if inner else ():
            object.__setattr__(mine, part, data.draw(st.sampled_from([getattr(mine, part), into])))
        if not inner:
            object.__setattr__(desc, field, value)
    try:
        operator = WAYS[data.draw(st.sampled_from(sorted(WAYS)))](desc)
    except (dmlc.InvalidDescriptorError, TypeError, ValueError):
        return
    except pickle.UnpicklingError:
        return  # a field is of a class, NumPy's say, that no pickle of a descriptor names
    judge(operator, seed)


@pytest.mark.parametrize("name", VALID)
@given(data=st.data(), seed=strategies.seeds)
def test_changed_pickles(name: str, data: st.DataObject, seed: int) -> None:
    protocol = data.draw(st.integers(2, pickle.HIGHEST_PROTOCOL))
    text = bytearray(pickle.dumps(dmlc.CompiledOperator(VALID[name]), protocol))
    places = st.integers(0, len(text) - 1)
    for place, value in data.draw(st.lists(st.tuples(places, st.integers(0, 255)), max_size=4)):
        text[place] = value
    try:
        made = loads(bytes(text))
    except Exception:
        return  # what is no pickle raises anything
    if isinstance(made, dmlc.CompiledOperator) and vars(made).keys() >= {"_desc", "_inputs"}:
        judge(made, seed)

"""Every example of the reference pages through DirectML's face."""

from __future__ import annotations

import numpy as np
import pytest

import specification_examples
from arrays import WRITABLE_LAYOUTS, Target, assert_fresh, assert_same, lay_out
from operators.running import DEVICE, desc_of
from specification_examples import Example

every_example = pytest.mark.parametrize("example", specification_examples.ALL, ids=str)


@every_example
def test_typed_arrays(example: Example) -> None:
    desc = desc_of(example)
    assert DEVICE.check(desc) == []
    operator = DEVICE.compile_operator(desc)
    assert operator.desc == desc
    result = operator(*example.inputs.values())
    assert_same(result, example.output)
    assert_fresh(result)


@every_example
def test_flat_buffers(example: Example) -> None:
    operator = DEVICE.compile_operator(desc_of(example))
    memories = [array.tobytes() for array in example.inputs.values()]
    out = bytearray(example.output.nbytes)
    operator(*memories, out=out)
    assert bytes(out) == example.output.tobytes()


@every_example
@pytest.mark.parametrize("layout", WRITABLE_LAYOUTS)
def test_arrays_of_any_strides(layout: str, example: Example) -> None:
    operator = DEVICE.compile_operator(desc_of(example))
    target = Target(example.output.shape, example.output.dtype, layout)
    inputs = [lay_out(array, layout) for array in example.inputs.values()]
    assert operator(*inputs, out=target.view) is target.view
    assert_same(np.array(target.view, order="C"), example.output)
    target.assert_gaps_untouched()

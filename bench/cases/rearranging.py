"""What is called as NumPy's functions are: `flip`, `repeat`, `roll`, `stack`, `tile`. For the sweep."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from cases.case import Array, Call, Case, Factory, fresh, into, pattern, size_of

TORCH_NAMES = {"repeat": "repeat_interleave"}
"""Where they are not NumPy's."""


@dataclass(frozen=True)
class Rearrangement:
    """`function(x, *arguments)`; `stack` takes what stands along the first axis, item by item."""

    use: str
    shape: tuple[int, ...]
    dtype: str
    function: str
    arguments: tuple[Any, ...]

    def operand(self, x: Any) -> Any:
        return list(x) if self.function == "stack" else x

    def caller(self, library: Any, name: str, x: Any) -> Callable[..., Any]:
        function, operand = getattr(library, name), self.operand(x)
        return lambda **keywords: function(operand, *self.arguments, **keywords)

    def twin(self, x: Array) -> Array:
        return np.ascontiguousarray(self.caller(np, self.function, x)())

    def case(self) -> Case:
        output_shape = self.twin(np.empty(self.shape, np.uint8)).shape
        libraries: dict[str, Factory] = {
            "dmlc": partial(dmlc_calls, self),
            "numpy": partial(numpy_calls, self),
            "torch": partial(torch_calls, self),
        }
        return Case(
            name=f"{self.function}/{self.use}/{self.dtype}",
            operator=self.function,
            kind=self.function,
            make_input=partial(pattern, self.shape, self.dtype),
            output_shape=output_shape,
            output_dtype=np.dtype(self.dtype),
            twin=self.twin,
            libraries=libraries,
            bytes_read=size_of(self.shape, self.dtype),
            bytes_written=size_of(output_shape, self.dtype),
        )


def dmlc_calls(p: Rearrangement, dmlc: Any, x: Array, out: Array) -> Iterator[Call]:
    call = p.caller(dmlc, p.function, x)
    yield fresh(f"dmlc.{p.function}", call)
    yield into(f"dmlc.{p.function}(out=out)", lambda: call(out=out))


def numpy_calls(p: Rearrangement, numpy: Any, x: Array, out: Array) -> Iterator[Call]:
    call = p.caller(numpy, p.function, x)
    if p.function == "flip":  # a view
        yield fresh("np.flip(x).copy()", lambda: call().copy())
        return
    yield fresh(f"np.{p.function}", call)
    if p.function == "stack":
        yield into("np.stack(out=out)", lambda: call(out=out))


def torch_calls(p: Rearrangement, torch: Any, x: Array, out: Array) -> Iterator[Call]:
    name = TORCH_NAMES.get(p.function, p.function)
    yield fresh(f"torch.{name}", p.caller(torch, name, torch.from_numpy(x)))
    if p.function == "stack":
        call, target = p.caller(torch, name, torch.from_numpy(x)), torch.from_numpy(out)
        yield into("torch.stack(out=out)", lambda: call(out=target))

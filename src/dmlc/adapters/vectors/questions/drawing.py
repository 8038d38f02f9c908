"""Sizes, strides and bytes of a case, drawn from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dmlc.adapters.vectors.expected import Bytes
from dmlc.descriptors import BufferTensorDesc, OperatorDesc
from dmlc.enums import TensorDataType
from dmlc.validation import feature_levels

ALL_TYPES = tuple(sorted(feature_levels.PADDING.data_types))


class Draw:
    """Sizes, strides and bytes of one case."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def integer(self, least: int, most: int) -> int:
        """Any of [least, most]."""
        return least + self._random.getrandbits(64) % (most - least + 1)

    def sizes(self, rank: int, longest: int, given: Sequence[int] | None = None) -> tuple[int, ...]:
        """The sizes given or, without any, small ones."""
        if given is not None:
            return tuple(given)
        longest = longest if rank <= 5 else 3
        return tuple(self.integer(1, longest) for _ in range(rank))

    def element(self, data_type: TensorDataType) -> Any:
        """A number of a type that JSON can say: any integer, a float that is no odd NaN."""
        limits = data_type.integer_range
        if limits is not None:
            return self.integer(limits[0], limits[-1])
        return float(data_type.numpy_dtype.type(self.integer(-999, 999) / 8))

    def gaps(self, sizes: Sequence[int]) -> tuple[int, ...]:
        """Strides with gaps, of axes in any order: no two elements at one place."""
        strides = [0] * len(sizes)
        reach = 0
        for axis in sorted(range(len(sizes)), key=lambda axis: (self.integer(0, 999), axis)):
            strides[axis] = reach + 1 + self.integer(0, 2)
            reach += (sizes[axis] - 1) * strides[axis]
        return tuple(strides)

    def repeats(self, sizes: Sequence[int]) -> tuple[int, ...]:
        """Strides of an input, some of them 0: its elements repeat."""
        return tuple(self.integer(0, 1) * self.integer(1, 7) for _ in sizes)

    def gapped_tensor(
        self, data_type: TensorDataType, sizes: Sequence[int], strided: bool
    ) -> BufferTensorDesc:
        """A tensor packed or, if strided, with `gaps`."""
        return BufferTensorDesc(data_type, sizes, self.gaps(sizes) if strided else None)

    def repeating_tensor(
        self, data_type: TensorDataType, sizes: Sequence[int], strided: bool
    ) -> BufferTensorDesc:
        """An input packed or, if strided, with `repeats`."""
        return BufferTensorDesc(data_type, sizes, self.repeats(sizes) if strided else None)

    def buffer(self, tensor: BufferTensorDesc) -> Bytes:
        """Any bits, in the gaps too; odd NaNs and denormals are among them."""
        little = np.dtype(f"<u{tensor.data_type.itemsize}")
        elements = np.frombuffer(self._random.randbytes(_whole_elements(tensor)), little)
        return elements.astype(little.newbyteorder("=")).view(np.uint8)

    def indices(self, tensor: BufferTensorDesc, depth: int) -> Bytes:
        """Indices inside, from the end, just outside and at the limits of their type."""
        limits = tensor.data_type.integer_range or range(0)
        odd = [depth, depth + 1, -1, -depth, -depth - 1, limits[0], limits[-1], 2**32, 2**31]
        choices = [index for index in [*range(depth)] * 2 + odd if index in limits]
        count = _whole_elements(tensor) // tensor.data_type.itemsize
        drawn = [choices[self.integer(0, len(choices) - 1)] for _ in range(count)]
        return np.array(drawn, tensor.data_type.numpy_dtype).view(np.uint8)


def _whole_elements(tensor: BufferTensorDesc) -> int:
    """The size of a tensor's buffer, in bytes, rounded up to elements."""
    itemsize = tensor.data_type.itemsize
    return -(-tensor.size_in_bytes // itemsize) * itemsize


Question = tuple[str, str, Callable[[Draw], OperatorDesc]]
"""The name of a case, what it covers, and its descriptor, once it is drawn."""

"""What a conformance set asks: for each operator its types, dimension counts, modes and edges.

Every case draws from a generator of its own, seeded by the set's seed and the case's name: a case
that is added changes no other. Python's own generator gives the same bits on every machine.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dmlc.adapters.vectors.expected import Bytes
from dmlc.descriptors import (
    BufferTensorDesc,
    DiagonalMatrix1OperatorDesc,
    DiagonalMatrixOperatorDesc,
    OneHotOperatorDesc,
    OperatorDesc,
    Padding1OperatorDesc,
    PaddingOperatorDesc,
    Slice1OperatorDesc,
    SliceOperatorDesc,
)
from dmlc.enums import FeatureLevel, PaddingMode, TensorDataType
from dmlc.validation import check, feature_levels

_INT32 = (-(2**31), 2**31 - 1)
_INDEX_TYPES = tuple(feature_levels.ONE_HOT_INDICES.data_types)
_ALL_TYPES = tuple(sorted(feature_levels.PADDING.data_types))


@dataclass(frozen=True, slots=True)
class Case:
    """A question to an implementation.

    Parameters
    ----------
    operator, name : str
        DirectML's name of the operator, and one that no other case of it has.
    covers : str
        What it asks about, in words.
    desc : operator descriptor
    inputs : mapping of str to numpy.ndarray
        The buffers of the input tensors, by the descriptor's names.
    in_place : bool
        Whether the output goes to the input's buffer.
    """

    operator: str
    name: str
    covers: str
    desc: OperatorDesc
    inputs: Mapping[str, Bytes]
    in_place: bool

    @property
    def feature_level(self) -> FeatureLevel:
        """The lowest level that has what is asked."""
        return next(level for level in FeatureLevel if not check(self.desc, level))


def cases(seed: int) -> Iterator[Case]:
    """Yield every case of the set of a seed."""
    for operator, questions in _QUESTIONS.items():
        for name, covers, make in questions():
            draw = _Draw(f"{seed}/{operator}/{name}")
            desc = make(draw)
            inputs = {
                field: draw.buffer(tensor)
                for field, tensor in ((field, getattr(desc, field, None)) for field in _INPUTS)
                if tensor is not None
            }
            if isinstance(desc, OneHotOperatorDesc):
                depth = desc.output_tensor.sizes[desc.axis]
                inputs["indices_tensor"] = draw.indices(desc.indices_tensor, depth)
            yield Case(operator, name, covers, desc, inputs, name == "in-place")


_INPUTS = ("input_tensor", "indices_tensor", "values_tensor")
_Question = tuple[str, str, Callable[["_Draw"], OperatorDesc]]


class _Draw:
    """Sizes, strides and bytes of one case."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def integer(self, least: int, most: int) -> int:
        return least + self._random.getrandbits(64) % (most - least + 1)

    def sizes(self, rank: int, longest: int = 5) -> tuple[int, ...]:
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


# Padding: every type in every mode, every dimension count, edges in every mode


def _padding_questions(*, typed_value: bool) -> Callable[[], Iterator[_Question]]:
    def desc(
        tensor: BufferTensorDesc,
        output: BufferTensorDesc,
        mode: PaddingMode,
        value: Any,
        start: Sequence[int],
        end: Sequence[int],
    ) -> OperatorDesc:
        if typed_value:
            return Padding1OperatorDesc(tensor, output, mode, tensor.data_type, value, start, end)
        return PaddingOperatorDesc(tensor, output, mode, value, start, end)

    def make(
        data_type: TensorDataType,
        mode: PaddingMode,
        rank: int,
        *,
        most: int = 3,
        sizes: Sequence[int] | None = None,
        value: Any = None,
        strided: bool = False,
    ) -> Callable[[_Draw], OperatorDesc]:
        def draw_desc(draw: _Draw) -> OperatorDesc:
            shape = tuple(sizes) if sizes is not None else draw.sizes(rank, 4)
            limit = most if len(shape) <= 5 else 1
            start = tuple(draw.integer(0, limit) for _ in shape)
            end = tuple(draw.integer(0, limit) for _ in shape)
            padded = tuple(map(sum, zip(shape, start, end, strict=True)))
            number = value
            if number is None:
                number = draw.element(data_type) if typed_value else draw.integer(-300, 300) / 4
            return desc(
                draw.repeating_tensor(data_type, shape, strided),
                draw.gapped_tensor(data_type, padded, strided),
                mode,
                number,
                start,
                end,
            )

        return draw_desc

    def questions() -> Iterator[_Question]:
        for data_type in _ALL_TYPES:
            for mode in PaddingMode:
                name = f"{data_type.name}-{mode.name}".lower()
                yield name, f"{data_type.name}, {mode.name}", make(data_type, mode, 4)
        for rank in range(1, 9):
            mode = PaddingMode(rank % len(PaddingMode))
            covers = f"{rank} dimensions"
            yield f"rank-{rank}", covers, make(TensorDataType.FLOAT32, mode, rank)
        for mode in PaddingMode:
            name = mode.name.lower()
            half, byte = TensorDataType.FLOAT16, TensorDataType.UINT8
            yield f"beyond-{name}", "padding larger than the input", make(half, mode, 4, most=11)
            yield f"none-{name}", "no padding", make(half, mode, 4, most=0)
            one = make(half, mode, 4, sizes=(1, 1, 1, 1))
            yield f"single-{name}", "an input of one element", one
            long = make(byte, mode, 4, sizes=(1, 2, 3, 301))
            yield f"long-{name}", "long rows", long
            strided = make(half, mode, 4, strided=True)
            yield f"strided-{name}", "repeating input, output with gaps", strided
        values: list[tuple[str, TensorDataType, Any]] = [
            ("nan", TensorDataType.FLOAT32, math.nan),
            ("infinity", TensorDataType.FLOAT16, -math.inf),
            ("negative-zero", TensorDataType.FLOAT32, -0.0),
        ]
        if typed_value:
            for data_type in _ALL_TYPES:
                limits = data_type.integer_range
                if limits is not None:
                    least = f"least-{data_type.name}".lower()
                    values += [(least, data_type, limits[0])]
                    values += [(least.replace("least", "most"), data_type, limits[-1])]
            values += [
                ("odd-nan", TensorDataType.FLOAT16, TensorDataType.FLOAT16.from_bits(0xFD01))
            ]
        else:
            values += [
                ("truncated", TensorDataType.INT32, 10.6),
                ("truncated-negative", TensorDataType.INT8, -10.6),
                ("saturated", TensorDataType.UINT8, 300),
                ("saturated-negative", TensorDataType.UINT64, -1),
                ("saturated-64", TensorDataType.INT64, 1e30),
                ("nan-integer", TensorDataType.INT16, math.nan),
                ("rounded", TensorDataType.FLOAT16, 2051),
                ("overflow", TensorDataType.FLOAT16, 1e6),
                ("single", TensorDataType.FLOAT64, 0.1),
            ]
        for name, data_type, value in values:
            covers = f"padding value {value} of {data_type.name}"
            ask = make(data_type, PaddingMode.CONSTANT, 4, value=value)
            yield f"value-{name}", covers, ask

    return questions


# One-hot


def _one_hot_questions() -> Iterator[_Question]:
    def make(
        index_type: TensorDataType,
        data_type: TensorDataType,
        rank: int,
        *,
        axis: int | None = None,
        depth: int | None = None,
        values: Sequence[int] | None = None,
        strided: bool = False,
    ) -> Callable[[_Draw], OperatorDesc]:
        def draw_desc(draw: _Draw) -> OperatorDesc:
            sizes = list(draw.sizes(rank, 4))
            along = draw.integer(0, rank - 1) if axis is None else axis
            sizes[along] = draw.integer(1, 7) if depth is None else depth
            of_indices = [1 if i == along else size for i, size in enumerate(sizes)]
            of_values = [1] * (rank - 1) + [2] if values is None else list(values)
            return OneHotOperatorDesc(
                draw.gapped_tensor(index_type, of_indices, strided),
                draw.gapped_tensor(data_type, of_values, strided),
                draw.gapped_tensor(data_type, sizes, strided),
                along,
            )

        return draw_desc

    for data_type in _ALL_TYPES:
        for index_type in _INDEX_TYPES:
            name = f"{index_type.name}-{data_type.name}".lower()
            covers = f"{index_type.name} indices, {data_type.name} values"
            yield name, covers, make(index_type, data_type, 4)
    int32, float32 = TensorDataType.INT32, TensorDataType.FLOAT32
    for rank in range(1, 9):
        yield f"rank-{rank}", f"{rank} dimensions", make(int32, float32, rank)
    for axis in range(4):
        yield f"axis-{axis}", f"axis {axis} of 4", make(int32, float32, 4, axis=axis, depth=5)
    yield "depth-1", "one class", make(TensorDataType.INT64, float32, 4, depth=1)
    yield "depth-300", "many classes", make(int32, TensorDataType.UINT8, 4, axis=3, depth=300)
    more = make(int32, TensorDataType.INT16, 4, values=(1, 3, 2, 1))
    yield "values-inner", "on stands along the last dimension that has two elements", more
    outer = make(int32, TensorDataType.INT16, 4, values=(3, 1, 1, 1))
    yield "values-outer", "on stands along the first dimension, more values follow", outer
    yield "strided", "gaps in all three tensors", make(int32, float32, 4, strided=True)


# Slices


def _slice1_questions() -> Iterator[_Question]:
    def make(
        data_type: TensorDataType,
        rank: int,
        *,
        strides: Sequence[int] | None = None,
        sizes: Sequence[int] | None = None,
        early: bool = False,
        strided: bool = False,
    ) -> Callable[[_Draw], OperatorDesc]:
        def draw_desc(draw: _Draw) -> OperatorDesc:
            shape = tuple(sizes) if sizes is not None else draw.sizes(rank, 6)
            offsets = [draw.integer(0, (size - 1) // 2) for size in shape]
            windows = [
                draw.integer(1, size - offset) if sizes is None else size - offset
                for size, offset in zip(shape, offsets, strict=True)
            ]
            steps = [
                draw.integer(1, 3) * (1 - 2 * draw.integer(0, 1))
                if strides is None
                else strides[axis]
                for axis in range(len(shape))
            ]
            outputs = [
                1 + (window - 1) // abs(step) for window, step in zip(windows, steps, strict=True)
            ]
            if early:
                outputs = [draw.integer(1, count) for count in outputs]
            return Slice1OperatorDesc(
                draw.repeating_tensor(data_type, shape, strided),
                draw.gapped_tensor(data_type, outputs, strided),
                offsets,
                windows,
                steps,
            )

        return draw_desc

    for data_type in _ALL_TYPES:
        yield data_type.name.lower(), data_type.name, make(data_type, 4)
        long = make(data_type, 4, sizes=(1, 2, 3, 150))
        yield f"long-{data_type.name}".lower(), f"{data_type.name}, long rows", long
    float32 = TensorDataType.FLOAT32
    for rank in range(1, 9):
        yield f"rank-{rank}", f"{rank} dimensions", make(float32, rank)
    for step in (1, -1, 2, -2, 3, -3, 1000, -1000):
        name = f"stride-{'minus-' if step < 0 else ''}{abs(step)}"
        ask = make(float32, 4, strides=(1, 1, 1, step), sizes=(1, 2, 3, 40))
        yield name, f"stride {step} along the last dimension", ask
    yield "window", "a window without steps", make(float32, 4, strides=(1, 1, 1, 1))
    yield "early", "an output that stops early", make(float32, 4, sizes=(5, 6, 7, 8), early=True)
    yield "strided", "repeating input, output with gaps", make(float32, 4, strided=True)


def _slice_questions() -> Iterator[_Question]:
    def make(
        data_type: TensorDataType,
        rank: int,
        *,
        sizes: Sequence[int] | None = None,
        strided: bool = False,
    ) -> Callable[[_Draw], OperatorDesc]:
        def draw_desc(draw: _Draw) -> OperatorDesc:
            shape = tuple(sizes) if sizes is not None else draw.sizes(rank, 6)
            steps = [draw.integer(1, 3) for _ in shape]
            offsets = [draw.integer(0, (size - 1) // 2) for size in shape]
            outputs = [
                draw.integer(1, 1 + (size - 1 - offset) // step)
                for size, offset, step in zip(shape, offsets, steps, strict=True)
            ]
            return SliceOperatorDesc(
                draw.repeating_tensor(data_type, shape, strided),
                draw.gapped_tensor(data_type, outputs, strided),
                offsets,
                outputs,
                steps,
            )

        return draw_desc

    for data_type in _ALL_TYPES:
        yield data_type.name.lower(), data_type.name, make(data_type, 4)
    for rank in range(1, 9):
        yield f"rank-{rank}", f"{rank} dimensions", make(TensorDataType.FLOAT32, rank)
    long = make(TensorDataType.UINT16, 4, sizes=(1, 2, 3, 200))
    yield "long", "long rows", long
    strided = make(TensorDataType.FLOAT16, 4, strided=True)
    yield "strided", "repeating input, output with gaps", strided


# Diagonal matrices


def _diagonal_matrix1_questions() -> Iterator[_Question]:
    def make(
        data_type: TensorDataType,
        *,
        rank: int = 4,
        band: tuple[int, int] | None = None,
        with_input: bool = True,
        sizes: Sequence[int] | None = None,
        value: Any = None,
        strided: bool = False,
    ) -> Callable[[_Draw], OperatorDesc]:
        def draw_desc(draw: _Draw) -> OperatorDesc:
            shape = tuple(sizes) if sizes is not None else draw.sizes(rank, 7)
            begin, end = band or (draw.integer(-5, 5), draw.integer(-5, 5))
            given = draw.repeating_tensor(data_type, shape, strided)
            return DiagonalMatrix1OperatorDesc(
                input_tensor=given if with_input else None,
                output_tensor=draw.gapped_tensor(data_type, shape, strided),
                value_data_type=data_type,
                value=draw.element(data_type) if value is None else value,
                diagonal_fill_begin=begin,
                diagonal_fill_end=end,
            )

        return draw_desc

    for data_type in _ALL_TYPES:
        name = data_type.name.lower()
        yield name, data_type.name, make(data_type)
        yield f"{name}-alone", f"{data_type.name} without input", make(data_type, with_input=False)
    float32, shape = TensorDataType.FLOAT32, (2, 2, 6, 8)
    for rank in (2, 3, 4):
        yield f"rank-{rank}", f"{rank} dimensions", make(float32, rank=rank)
    least, most = _INT32
    bands = {
        "main": (0, 1),
        "wide": (-2, 3),
        "inverted": (3, -2),
        "empty": (2, 2),
        "lower": (least, 1),
        "upper": (0, most),
        "everything": (least, most),
        "inverted-limits": (most, least),
        "right-of-all": (100, 200),
        "left-of-all": (-200, -100),
    }
    for name, band in bands.items():
        covers = f"band [{band[0]}, {band[1]})"
        yield f"band-{name}", covers, make(float32, band=band, sizes=shape)
    yield "tall", "more rows than columns", make(float32, band=(-3, 2), sizes=(1, 1, 40, 3))
    yield "broad", "more columns than rows", make(float32, band=(-3, 2), sizes=(1, 1, 3, 170))
    odd = TensorDataType.FLOAT16.from_bits(0xFD01)
    yield "odd-nan", "a NaN with a payload", make(TensorDataType.FLOAT16, band=(0, 2), value=odd)
    yield "strided", "repeating input, output with gaps", make(float32, strided=True)
    yield "in-place", "the output in the input's buffer", make(float32, band=(-1, 2), sizes=shape)


def _diagonal_matrix_questions() -> Iterator[_Question]:
    def make(
        data_type: TensorDataType,
        *,
        rank: int = 4,
        offset: int | None = None,
        sizes: Sequence[int] | None = None,
        value: Any = None,
        strided: bool = False,
    ) -> Callable[[_Draw], OperatorDesc]:
        def draw_desc(draw: _Draw) -> OperatorDesc:
            shape = tuple(sizes) if sizes is not None else draw.sizes(rank, 7)
            number = draw.integer(-300, 300) / 4 if value is None else value
            along = draw.integer(-5, 5) if offset is None else offset
            output = draw.gapped_tensor(data_type, shape, strided)
            return DiagonalMatrixOperatorDesc(output, along, number)

        return draw_desc

    for data_type in _ALL_TYPES:
        yield data_type.name.lower(), data_type.name, make(data_type)
    float32 = TensorDataType.FLOAT32
    for rank in (2, 3, 4):
        yield f"rank-{rank}", f"{rank} dimensions", make(float32, rank=rank)
    for offset in (0, 1, -1, 5, -5, 100, -100):
        name = f"offset-{'minus-' if offset < 0 else ''}{abs(offset)}"
        yield name, f"offset {offset}", make(float32, offset=offset, sizes=(1, 2, 6, 6))
    values = {
        "truncated": (TensorDataType.INT8, -2.5),
        "saturated": (TensorDataType.UINT16, 1e9),
        "nan-integer": (TensorDataType.INT32, math.nan),
        "infinity": (TensorDataType.FLOAT16, math.inf),
        "rounded": (TensorDataType.FLOAT16, 2051),
    }
    for name, (data_type, value) in values.items():
        covers = f"value {value} of {data_type.name}"
        ask = make(data_type, offset=0, value=value)
        yield f"value-{name}", covers, ask
    yield "strided", "output with gaps", make(float32, strided=True)


_QUESTIONS: dict[str, Callable[[], Iterator[_Question]]] = {
    "PADDING": _padding_questions(typed_value=False),
    "PADDING1": _padding_questions(typed_value=True),
    "ONE_HOT": _one_hot_questions,
    "SLICE": _slice_questions,
    "SLICE1": _slice1_questions,
    "DIAGONAL_MATRIX": _diagonal_matrix_questions,
    "DIAGONAL_MATRIX1": _diagonal_matrix1_questions,
}

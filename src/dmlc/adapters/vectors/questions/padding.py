"""Paddings: every type in every mode, every dimension count, edges in every mode."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dmlc.adapters.vectors.questions.drawing import ALL_TYPES, Draw, Question
from dmlc.descriptors import (
    BufferTensorDesc,
    OperatorDesc,
    Padding1OperatorDesc,
    PaddingOperatorDesc,
)
from dmlc.enums import PaddingMode, TensorDataType


def padding_questions(*, typed_value: bool) -> Callable[[], Iterator[Question]]:
    """Return what yields what is asked of PADDING1, which has a typed value, or of PADDING."""

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
    ) -> Callable[[Draw], OperatorDesc]:
        def draw_desc(draw: Draw) -> OperatorDesc:
            shape = draw.sizes(rank, 4, sizes)
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

    def questions() -> Iterator[Question]:
        for data_type in ALL_TYPES:
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
            for data_type in ALL_TYPES:
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

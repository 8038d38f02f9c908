"""Diagonal matrices: types, dimension counts, bands of every kind."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dmlc.adapters.vectors.questions.drawing import ALL_TYPES, Draw, Question
from dmlc.descriptors import DiagonalMatrix1OperatorDesc, DiagonalMatrixOperatorDesc, OperatorDesc
from dmlc.enums import TensorDataType

_INT32 = (-(2**31), 2**31 - 1)


def diagonal_matrix1_questions() -> Iterator[Question]:
    """Yield what is asked of DIAGONAL_MATRIX1."""

    def make(
        data_type: TensorDataType,
        *,
        rank: int = 4,
        band: tuple[int, int] | None = None,
        with_input: bool = True,
        sizes: Sequence[int] | None = None,
        value: Any = None,
        strided: bool = False,
    ) -> Callable[[Draw], OperatorDesc]:
        def draw_desc(draw: Draw) -> OperatorDesc:
            shape = draw.sizes(rank, 7, sizes)
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

    for data_type in ALL_TYPES:
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


def diagonal_matrix_questions() -> Iterator[Question]:
    """Yield what is asked of DIAGONAL_MATRIX."""

    def make(
        data_type: TensorDataType,
        *,
        rank: int = 4,
        offset: int | None = None,
        sizes: Sequence[int] | None = None,
        value: Any = None,
        strided: bool = False,
    ) -> Callable[[Draw], OperatorDesc]:
        def draw_desc(draw: Draw) -> OperatorDesc:
            shape = draw.sizes(rank, 7, sizes)
            number = draw.integer(-300, 300) / 4 if value is None else value
            along = draw.integer(-5, 5) if offset is None else offset
            output = draw.gapped_tensor(data_type, shape, strided)
            return DiagonalMatrixOperatorDesc(output, along, number)

        return draw_desc

    for data_type in ALL_TYPES:
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

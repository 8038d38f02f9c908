"""Slices: types, dimension counts, windows, strides in both directions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from dmlc.adapters.vectors.questions.drawing import ALL_TYPES, Draw, Question
from dmlc.descriptors import OperatorDesc, Slice1OperatorDesc, SliceOperatorDesc
from dmlc.enums import TensorDataType


def slice1_questions() -> Iterator[Question]:
    """Yield what is asked of SLICE1."""

    def make(
        data_type: TensorDataType,
        rank: int,
        *,
        strides: Sequence[int] | None = None,
        sizes: Sequence[int] | None = None,
        early: bool = False,
        strided: bool = False,
    ) -> Callable[[Draw], OperatorDesc]:
        def draw_desc(draw: Draw) -> OperatorDesc:
            shape = draw.sizes(rank, 6, sizes)
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

    for data_type in ALL_TYPES:
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


def slice_questions() -> Iterator[Question]:
    """Yield what is asked of SLICE."""

    def make(
        data_type: TensorDataType,
        rank: int,
        *,
        sizes: Sequence[int] | None = None,
        strided: bool = False,
    ) -> Callable[[Draw], OperatorDesc]:
        def draw_desc(draw: Draw) -> OperatorDesc:
            shape = draw.sizes(rank, 6, sizes)
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

    for data_type in ALL_TYPES:
        yield data_type.name.lower(), data_type.name, make(data_type, 4)
    for rank in range(1, 9):
        yield f"rank-{rank}", f"{rank} dimensions", make(TensorDataType.FLOAT32, rank)
    long = make(TensorDataType.UINT16, 4, sizes=(1, 2, 3, 200))
    yield "long", "long rows", long
    strided = make(TensorDataType.FLOAT16, 4, strided=True)
    yield "strided", "repeating input, output with gaps", strided

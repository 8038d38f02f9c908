"""One-hot: types of indices and values, axes, values of every shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from dmlc.adapters.vectors.questions.drawing import ALL_TYPES, Draw, Question
from dmlc.descriptors import OneHotOperatorDesc, OperatorDesc
from dmlc.enums import TensorDataType
from dmlc.validation import feature_levels

_INDEX_TYPES = tuple(feature_levels.ONE_HOT_INDICES.data_types)


def one_hot_questions() -> Iterator[Question]:
    """Yield what is asked of ONE_HOT."""

    def make(
        index_type: TensorDataType,
        data_type: TensorDataType,
        rank: int,
        *,
        axis: int | None = None,
        depth: int | None = None,
        values: Sequence[int] | None = None,
        strided: bool = False,
    ) -> Callable[[Draw], OperatorDesc]:
        def draw_desc(draw: Draw) -> OperatorDesc:
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

    for data_type in ALL_TYPES:
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

"""Which feature level allows what: DirectML's tables of tensor support, as data.

A table has one row for each level at which an operator learned something. A device has the newest
row that is not above its level. Rows only ever grow, so the level that a dimension count (or a data
type) needs is that of the oldest row that has it.
"""

from __future__ import annotations

from typing import NamedTuple

from dmlc.enums import FeatureLevel, PaddingMode, TensorDataType

__all__ = [
    "DIAGONAL_MATRIX",
    "DIAGONAL_MATRIX1",
    "ONE_HOT_INDICES",
    "ONE_HOT_VALUES",
    "PADDING",
    "PADDING1",
    "PADDING_MODES",
    "SLICE",
    "SLICE1",
    "Support",
]


class Row(NamedTuple):
    """From ``level`` on, these dimension counts and data types."""

    level: FeatureLevel
    dimension_counts: range
    data_types: frozenset[TensorDataType]


class Support:
    """A table of tensor support, turned around: what needs which level.

    Parameters
    ----------
    *rows : Row
        In any order.
    """

    def __init__(self, *rows: Row) -> None:
        oldest_first = sorted(rows)
        self.introduced = oldest_first[0].level
        self.dimension_counts: dict[int, FeatureLevel] = {}
        self.data_types: dict[TensorDataType, FeatureLevel] = {}
        for row in oldest_first:
            for count in row.dimension_counts:
                self.dimension_counts.setdefault(count, row.level)
            for data_type in sorted(row.data_types):
                self.data_types.setdefault(data_type, row.level)


def _types(names: str) -> frozenset[TensorDataType]:
    return frozenset(TensorDataType[name] for name in names.split())


_ALL = _types("FLOAT64 FLOAT32 FLOAT16 INT64 INT32 INT16 INT8 UINT64 UINT32 UINT16 UINT8")
_UP_TO_32_BITS = _types("FLOAT32 FLOAT16 INT32 INT16 INT8 UINT32 UINT16 UINT8")
_SLICE_1_0 = _types("FLOAT32 FLOAT16 INT32 INT16 UINT32 UINT16")
_FLOATS = _types("FLOAT32 FLOAT16")
_INDICES = _types("INT64 INT32 UINT64 UINT32")
_UINT32 = _types("UINT32")

_1_TO_8 = range(1, 9)
_2_TO_4 = range(2, 5)
_4_TO_5 = range(4, 6)
_4 = range(4, 5)

PADDING = Support(
    Row(FeatureLevel.LEVEL_5_0, _1_TO_8, _ALL),
    Row(FeatureLevel.LEVEL_3_1, _1_TO_8, _UP_TO_32_BITS),
    Row(FeatureLevel.LEVEL_2_1, _4_TO_5, _UP_TO_32_BITS),
    Row(FeatureLevel.LEVEL_1_0, _4_TO_5, _FLOATS),
)

PADDING1 = Support(Row(FeatureLevel.LEVEL_5_0, _1_TO_8, _ALL))

PADDING_MODES = {
    PaddingMode.CONSTANT: FeatureLevel.LEVEL_1_0,
    PaddingMode.EDGE: FeatureLevel.LEVEL_1_0,
    PaddingMode.REFLECTION: FeatureLevel.LEVEL_1_0,
    PaddingMode.SYMMETRIC: FeatureLevel.LEVEL_3_0,
    PaddingMode.WRAP: FeatureLevel.LEVEL_6_4,
}

ONE_HOT_INDICES = Support(
    Row(FeatureLevel.LEVEL_3_0, _1_TO_8, _INDICES),
    Row(FeatureLevel.LEVEL_2_0, _4, _UINT32),
)

ONE_HOT_VALUES = Support(
    Row(FeatureLevel.LEVEL_4_1, _1_TO_8, _ALL),
    Row(FeatureLevel.LEVEL_3_0, _1_TO_8, _UP_TO_32_BITS),
    Row(FeatureLevel.LEVEL_2_1, _4, _UP_TO_32_BITS),
    Row(FeatureLevel.LEVEL_2_0, _4, _FLOATS),
)

SLICE1 = Support(
    Row(FeatureLevel.LEVEL_4_1, _1_TO_8, _ALL),
    Row(FeatureLevel.LEVEL_3_0, _1_TO_8, _UP_TO_32_BITS),
    Row(FeatureLevel.LEVEL_2_1, _4_TO_5, _UP_TO_32_BITS),
)

SLICE = Support(
    Row(FeatureLevel.LEVEL_4_1, _1_TO_8, _ALL),
    Row(FeatureLevel.LEVEL_3_0, _1_TO_8, _UP_TO_32_BITS),
    Row(FeatureLevel.LEVEL_2_1, _4_TO_5, _UP_TO_32_BITS),
    Row(FeatureLevel.LEVEL_1_0, _4_TO_5, _SLICE_1_0),
)

DIAGONAL_MATRIX1 = Support(Row(FeatureLevel.LEVEL_5_1, _2_TO_4, _ALL))

DIAGONAL_MATRIX = Support(
    Row(FeatureLevel.LEVEL_5_1, _2_TO_4, _ALL),
    Row(FeatureLevel.LEVEL_4_0, _2_TO_4, _UP_TO_32_BITS),
    Row(FeatureLevel.LEVEL_2_1, _4, _UP_TO_32_BITS),
    Row(FeatureLevel.LEVEL_2_0, _4, _FLOATS),
)

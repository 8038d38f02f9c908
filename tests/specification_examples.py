"""Every example of DirectML's reference pages, word for word, and one for WRAP.

`fields` are the operator's own fields under DirectML's names in Python spelling; tensors are
given as `inputs` and `output` arrays, from which a test derives descriptors.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
INT32_MIN = -(2**31)


@dataclass(frozen=True)
class Example:
    name: str
    operator: str
    inputs: dict[str, Array]
    output: Array
    fields: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name


def _float32(values: list[Any]) -> Array:
    return np.array(values, np.float32)


def _in_4_dimensions(rows: list[list[float]]) -> Array:
    return _float32([[rows]])


_PADDED = _in_4_dimensions([[1, 2, 3, 4], [5, 6, 7, 8], [1, 2, 3, 4], [5, 6, 7, 8]])


def _padding(name: str, mode: str, value: float, rows: list[list[float]]) -> Example:
    return Example(
        name,
        "PaddingOperatorDesc",
        {"input_tensor": _PADDED},
        _in_4_dimensions(rows),
        {
            "padding_mode": mode,
            "padding_value": value,
            "start_padding": (0, 0, 1, 2),
            "end_padding": (0, 0, 3, 4),
        },
    )


PADDING = [
    _padding(
        "padding_1_constant",
        "CONSTANT",
        9,
        [
            [9, 9, 9, 9, 9, 9, 9, 9, 9, 9],
            [9, 9, 1, 2, 3, 4, 9, 9, 9, 9],
            [9, 9, 5, 6, 7, 8, 9, 9, 9, 9],
            [9, 9, 1, 2, 3, 4, 9, 9, 9, 9],
            [9, 9, 5, 6, 7, 8, 9, 9, 9, 9],
            [9, 9, 9, 9, 9, 9, 9, 9, 9, 9],
            [9, 9, 9, 9, 9, 9, 9, 9, 9, 9],
            [9, 9, 9, 9, 9, 9, 9, 9, 9, 9],
        ],
    ),
    _padding(
        "padding_2_edge",
        "EDGE",
        0,
        [
            [1, 1, 1, 2, 3, 4, 4, 4, 4, 4],
            [1, 1, 1, 2, 3, 4, 4, 4, 4, 4],
            [5, 5, 5, 6, 7, 8, 8, 8, 8, 8],
            [1, 1, 1, 2, 3, 4, 4, 4, 4, 4],
            [5, 5, 5, 6, 7, 8, 8, 8, 8, 8],
            [5, 5, 5, 6, 7, 8, 8, 8, 8, 8],
            [5, 5, 5, 6, 7, 8, 8, 8, 8, 8],
            [5, 5, 5, 6, 7, 8, 8, 8, 8, 8],
        ],
    ),
    _padding(
        "padding_3_reflection",
        "REFLECTION",
        0,
        [
            [7, 6, 5, 6, 7, 8, 7, 6, 5, 6],
            [3, 2, 1, 2, 3, 4, 3, 2, 1, 2],
            [7, 6, 5, 6, 7, 8, 7, 6, 5, 6],
            [3, 2, 1, 2, 3, 4, 3, 2, 1, 2],
            [7, 6, 5, 6, 7, 8, 7, 6, 5, 6],
            [3, 2, 1, 2, 3, 4, 3, 2, 1, 2],
            [7, 6, 5, 6, 7, 8, 7, 6, 5, 6],
            [3, 2, 1, 2, 3, 4, 3, 2, 1, 2],
        ],
    ),
    _padding(
        "padding_4_symmetric",
        "SYMMETRIC",
        0,
        [
            [2, 1, 1, 2, 3, 4, 4, 3, 2, 1],
            [2, 1, 1, 2, 3, 4, 4, 3, 2, 1],
            [6, 5, 5, 6, 7, 8, 8, 7, 6, 5],
            [2, 1, 1, 2, 3, 4, 4, 3, 2, 1],
            [6, 5, 5, 6, 7, 8, 8, 7, 6, 5],
            [6, 5, 5, 6, 7, 8, 8, 7, 6, 5],
            [2, 1, 1, 2, 3, 4, 4, 3, 2, 1],
            [6, 5, 5, 6, 7, 8, 8, 7, 6, 5],
        ],
    ),
    # Not on the page, which is older than WRAP: the same input, c mod n.
    _padding(
        "padding_wrap",
        "WRAP",
        0,
        [
            [7, 8, 5, 6, 7, 8, 5, 6, 7, 8],
            [3, 4, 1, 2, 3, 4, 1, 2, 3, 4],
            [7, 8, 5, 6, 7, 8, 5, 6, 7, 8],
            [3, 4, 1, 2, 3, 4, 1, 2, 3, 4],
            [7, 8, 5, 6, 7, 8, 5, 6, 7, 8],
            [3, 4, 1, 2, 3, 4, 1, 2, 3, 4],
            [7, 8, 5, 6, 7, 8, 5, 6, 7, 8],
            [3, 4, 1, 2, 3, 4, 1, 2, 3, 4],
        ],
    ),
]

ONE_HOT = [
    Example(
        "one_hot_1",
        "OneHotOperatorDesc",
        {
            "indices_tensor": np.array([[[[0], [3], [2]]]], np.uint32),
            "values_tensor": _in_4_dimensions([[0, 1]]),
        },
        _in_4_dimensions([[1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]),
        {"axis": 3},
    ),
    Example(
        "one_hot_2_another_axis",
        "OneHotOperatorDesc",
        {
            "indices_tensor": np.array([[[[0, 2, 1, 0]]]], np.uint32),
            "values_tensor": _in_4_dimensions([[0, 1]]),
        },
        _in_4_dimensions([[1, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0]]),
        {"axis": 2},
    ),
    Example(
        "one_hot_3_other_values",
        "OneHotOperatorDesc",
        {
            "indices_tensor": np.array([[[[0], [3], [2]]]], np.uint32),
            "values_tensor": _in_4_dimensions([[4], [2], [9]]),
        },
        _in_4_dimensions([[2, 4, 4, 4], [4, 4, 4, 2], [4, 4, 2, 4]]),
        {"axis": 3},
    ),
    Example(
        "one_hot_4_negative_and_outside",
        "OneHotOperatorDesc",
        {
            "indices_tensor": np.array([[[[-3], [100], [3]]]], np.int32),
            "values_tensor": _in_4_dimensions([[0, 1]]),
        },
        _in_4_dimensions([[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]),
        {"axis": 3},
    ),
]

_SLICED = _in_4_dimensions([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]])

SLICE = [
    Example(
        "slice1_1_positive_strides",
        "Slice1OperatorDesc",
        {"input_tensor": _SLICED},
        _in_4_dimensions([[2, 4], [10, 12]]),
        {
            "input_window_offsets": (0, 0, 0, 1),
            "input_window_sizes": (1, 1, 4, 3),
            "input_window_strides": (1, 1, 2, 2),
        },
    ),
    Example(
        "slice1_2_negative_strides",
        "Slice1OperatorDesc",
        {"input_tensor": _SLICED},
        _in_4_dimensions([[14, 16], [6, 8]]),
        {
            "input_window_offsets": (0, 0, 0, 1),
            "input_window_sizes": (1, 1, 4, 3),
            "input_window_strides": (1, 1, -2, 2),
        },
    ),
]

_BANDED = _float32([[4, 7, 3, 7, 9], [1, 2, 8, 6, 9], [9, 4, 1, 8, 7], [4, 3, 4, 2, 4]])


def _diagonal_matrix(
    name: str, inputs: dict[str, Array], value: float, begin: int, end: int, rows: list[list[float]]
) -> Example:
    return Example(
        name,
        "DiagonalMatrix1OperatorDesc",
        inputs,
        _float32(rows),
        {"value": value, "diagonal_fill_begin": begin, "diagonal_fill_end": end},
    )


DIAGONAL_MATRIX = [
    # Decision 1: the page says `Value: 7` and shows ones; its picture says `Value: 1`.
    _diagonal_matrix(
        "diagonal_matrix1_1_identity_with_value_1",
        {},
        1,
        0,
        1,
        [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0]],
    ),
    _diagonal_matrix(
        "diagonal_matrix1_1_identity_with_value_7",
        {},
        7,
        0,
        1,
        [[7, 0, 0, 0, 0], [0, 7, 0, 0, 0], [0, 0, 7, 0, 0], [0, 0, 0, 7, 0]],
    ),
    _diagonal_matrix(
        "diagonal_matrix1_2_strip_of_three",
        {},
        7,
        0,
        3,
        [[7, 7, 7, 0, 0], [0, 7, 7, 7, 0], [0, 0, 7, 7, 7], [0, 0, 0, 7, 7]],
    ),
    _diagonal_matrix(
        "diagonal_matrix1_3_keep_strictly_upper_triangle",
        {"input_tensor": _BANDED},
        0,
        INT32_MIN,
        1,
        [[0, 7, 3, 7, 9], [0, 0, 8, 6, 9], [0, 0, 0, 8, 7], [0, 0, 0, 0, 4]],
    ),
    _diagonal_matrix(
        "diagonal_matrix1_4_keep_diagonal",
        {"input_tensor": _BANDED},
        0,
        1,
        0,
        [[4, 0, 0, 0, 0], [0, 2, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 2, 0]],
    ),
]

ALL = PADDING + ONE_HOT + SLICE + DIAGONAL_MATRIX

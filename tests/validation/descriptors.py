"""One valid descriptor of every class, with nothing packed where it need not be."""

from __future__ import annotations

from typing import Any

from dmlc.descriptors import (
    BufferTensorDesc,
    DiagonalMatrix1OperatorDesc,
    DiagonalMatrixOperatorDesc,
    OneHotOperatorDesc,
    Padding1OperatorDesc,
    PaddingOperatorDesc,
    Slice1OperatorDesc,
    SliceOperatorDesc,
)
from dmlc.enums import PaddingMode
from dmlc.enums import TensorDataType as T


def tensor(data_type: T, *sizes: int) -> BufferTensorDesc:
    return BufferTensorDesc(data_type, sizes)


# Valid on every feature level that has the operator.
VALID: dict[type, dict[str, Any]] = {
    PaddingOperatorDesc: {
        "input_tensor": tensor(T.FLOAT32, 1, 1, 4, 4),
        "output_tensor": tensor(T.FLOAT32, 1, 1, 8, 10),
        "padding_mode": PaddingMode.EDGE,
        "padding_value": 9,
        "start_padding": (0, 0, 1, 2),
        "end_padding": (0, 0, 3, 4),
    },
    Padding1OperatorDesc: {
        "input_tensor": tensor(T.UINT8, 4, 4),
        "output_tensor": tensor(T.UINT8, 8, 10),
        "padding_mode": PaddingMode.CONSTANT,
        "padding_value_data_type": T.UINT8,
        "padding_value": 9,
        "start_padding": (1, 2),
        "end_padding": (3, 4),
    },
    OneHotOperatorDesc: {
        "indices_tensor": tensor(T.UINT32, 1, 2, 3, 1),
        "values_tensor": tensor(T.FLOAT32, 1, 1, 1, 2),
        "output_tensor": tensor(T.FLOAT32, 1, 2, 3, 4),
        "axis": 3,
    },
    Slice1OperatorDesc: {
        "input_tensor": tensor(T.FLOAT32, 1, 1, 4, 4),
        "output_tensor": tensor(T.FLOAT32, 1, 1, 2, 2),
        "input_window_offsets": (0, 0, 0, 1),
        "input_window_sizes": (1, 1, 4, 3),
        "input_window_strides": (1, 1, -2, 2),
    },
    SliceOperatorDesc: {
        "input_tensor": tensor(T.FLOAT32, 1, 1, 4, 4),
        "output_tensor": tensor(T.FLOAT32, 1, 1, 2, 2),
        "offsets": (0, 0, 0, 1),
        "sizes": (1, 1, 2, 2),
        "strides": (1, 1, 3, 2),
    },
    DiagonalMatrix1OperatorDesc: {
        "input_tensor": tensor(T.INT16, 4, 5),
        "output_tensor": tensor(T.INT16, 4, 5),
        "value_data_type": T.INT16,
        "value": -7,
        "diagonal_fill_begin": -(2**31),
        "diagonal_fill_end": 2**31 - 1,
    },
    DiagonalMatrixOperatorDesc: {
        "output_tensor": tensor(T.FLOAT32, 1, 1, 4, 5),
        "offset": 0,
        "value": 1,
    },
}

"""Every function and every compiled operator on inputs of one seed, as name and bits; large enough to be shared."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import dmlc
from arrays import random_values
from functions.calls import CALLS


def _tensor(name: str, *shape: int) -> Any:
    return dmlc.BufferTensorDesc(dmlc.TensorDataType[name], shape)


def _descs(rows: int, columns: int) -> list[Any]:
    plain = _tensor("FLOAT32", rows, columns)
    padded = _tensor("FLOAT32", rows + 9, columns + 3)
    return [
        *(
            dmlc.PaddingOperatorDesc(plain, padded, mode, 2.0, (4, 1), (5, 2))
            for mode in dmlc.PaddingMode
        ),
        dmlc.Padding1OperatorDesc(
            plain,
            padded,
            dmlc.PaddingMode.CONSTANT,
            dmlc.TensorDataType.FLOAT32,
            2.0,
            (4, 1),
            (5, 2),
        ),
        dmlc.OneHotOperatorDesc(
            _tensor("INT32", rows, columns, 1),
            _tensor("FLOAT32", 1, 1, 2),
            _tensor("FLOAT32", rows, columns, 5),
            2,
        ),
        dmlc.Slice1OperatorDesc(
            plain, _tensor("FLOAT32", rows, columns), (0, 0), (rows, columns), (-1, -1)
        ),
        dmlc.SliceOperatorDesc(
            plain,
            _tensor("FLOAT32", rows - 2, columns // 2),
            (2, 0),
            (rows - 2, columns // 2),
            (1, 2),
        ),
        dmlc.DiagonalMatrix1OperatorDesc(
            input_tensor=plain,
            output_tensor=plain,
            value_data_type=dmlc.TensorDataType.FLOAT32,
            value=3.0,
            diagonal_fill_begin=-2,
            diagonal_fill_end=4,
        ),
        dmlc.DiagonalMatrixOperatorDesc(plain, 1, 3.0),
    ]


def jobs(rows: int = 131, columns: int = 517) -> dict[str, Callable[[], Any]]:
    """Name -> a call without arguments; the same result every time."""
    found: dict[str, Callable[[], Any]] = {}
    for call in CALLS:
        array = call.make_input(np.dtype(np.float32), (3, rows, columns))
        keywords = {"dtype": np.float32} if call.index_input else {}
        found[call.name] = partial(call.run, array, **keywords)
    values = random_values((rows, columns), np.dtype(np.float32), 1)
    indices = (np.arange(rows * columns, dtype=np.int32) % 11 - 5).reshape(rows, columns, 1)
    pair = np.array([[[2, 3]]], np.float32)
    for place, desc in enumerate(_descs(rows, columns)):
        name = type(desc).__name__
        inputs: dict[str, tuple[Any, ...]] = {
            "OneHotOperatorDesc": (indices, pair),
            "DiagonalMatrixOperatorDesc": (),
        }
        operator = dmlc.Device().compile_operator(desc)
        found[f"{name} {place}"] = partial(operator, *inputs.get(name, (values,)))
    return found


def results(rows: int = 131, columns: int = 517) -> dict[str, bytes]:
    return {name: job().tobytes() for name, job in jobs(rows, columns).items()}

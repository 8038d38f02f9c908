"""The NumPy face: the operators as functions of arrays."""

from __future__ import annotations

from dmlc.functions.batch import collate, pad_sequence, stack
from dmlc.functions.diagonal_matrix import (
    causal_mask,
    diagonal_matrix,
    eye,
    fill_band,
    tri,
    tril,
    triu,
)
from dmlc.functions.frames import frames
from dmlc.functions.one_hot import one_hot
from dmlc.functions.padding import pad, roll, window
from dmlc.functions.repetition import repeat, tile
from dmlc.functions.slice import copy, flip, slice

__all__ = [
    "causal_mask",
    "collate",
    "copy",
    "diagonal_matrix",
    "eye",
    "fill_band",
    "flip",
    "frames",
    "one_hot",
    "pad",
    "pad_sequence",
    "repeat",
    "roll",
    "slice",
    "stack",
    "tile",
    "tri",
    "tril",
    "triu",
    "window",
]

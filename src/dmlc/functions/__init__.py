"""The NumPy face: the operators as functions of arrays."""

from __future__ import annotations

from dmlc.functions.diagonal_matrix import (
    causal_mask,
    diagonal_matrix,
    eye,
    fill_band,
    tri,
    tril,
    triu,
)
from dmlc.functions.one_hot import one_hot
from dmlc.functions.padding import pad, pad_sequence
from dmlc.functions.slice import copy, flip, slice

__all__ = [
    "causal_mask",
    "copy",
    "diagonal_matrix",
    "eye",
    "fill_band",
    "flip",
    "one_hot",
    "pad",
    "pad_sequence",
    "slice",
    "tri",
    "tril",
    "triu",
]

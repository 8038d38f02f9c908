"""dmlc's functions for arrays of Dask: lazy, chunk by chunk, equal to the functions of `dmlc`.

Each chunk of a result is one task. It reads those chunks of the input that it needs and writes its own in one go;
nothing is concatenated, and a border stands in chunks no larger than the others. A task runs its kernel on one thread:
Dask shares the chunks over its threads, its processes or its cluster. A chunk that a function leaves as it is, is
handed on, not copied.
"""

from __future__ import annotations

from dmlc.dask.batch import stack
from dmlc.dask.diagonal_matrix import (
    causal_mask,
    diagonal_matrix,
    eye,
    fill_band,
    tri,
    tril,
    triu,
)
from dmlc.dask.one_hot import one_hot
from dmlc.dask.padding import pad, roll, window
from dmlc.dask.slice import copy, flip, slice

__all__ = [
    "causal_mask",
    "copy",
    "diagonal_matrix",
    "eye",
    "fill_band",
    "flip",
    "one_hot",
    "pad",
    "roll",
    "slice",
    "stack",
    "tri",
    "tril",
    "triu",
    "window",
]

"""dmlc's functions for PyTorch's tensors on the CPU, with gradients, ``torch.compile`` and ``torch.func.vmap``.

Each is an operator of PyTorch's dispatcher too, ``torch.ops.dmlc``. Gradients are those of ``backward`` and
``torch.autograd``, of any order, and forward ones of first order; ``torch.func.grad`` raises PyTorch's error, as it has
none of an operator registered from Python. For results in memory that is there, call the functions of `dmlc` with ``out=``.
"""

from __future__ import annotations

from dmlc.torch.batch import collate
from dmlc.torch.copying import copy, flip
from dmlc.torch.one_hot import one_hot
from dmlc.torch.padding import pad, roll, window
from dmlc.torch.triangles import tril, triu

__all__ = ["collate", "copy", "flip", "one_hot", "pad", "roll", "tril", "triu", "window"]

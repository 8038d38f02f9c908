"""DirectML's tensor-rearranging operators on any CPU, bit for bit, at the speed of memory.

NumPy users call functions of arrays (`pad`, `one_hot`, `copy`, `tril`, ...); DirectML users describe an
operator (`PaddingOperatorDesc`, ...), compile it on a `Device` and call it. Both run the same kernels.
"""

from __future__ import annotations

import os as _os
from importlib.metadata import version as _version

from dmlc import _core
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
from dmlc.device import CompiledOperator, Device
from dmlc.enums import FeatureLevel, PaddingMode, TensorDataType, TensorFlags
from dmlc.errors import BindingError, DmlcError, FeatureLevelError, InvalidDescriptorError
from dmlc.functions import (
    causal_mask,
    copy,
    diagonal_matrix,
    eye,
    fill_band,
    flip,
    one_hot,
    pad,
    pad_sequence,
    slice,
    tri,
    tril,
    triu,
)
from dmlc.runtime import get_include, get_num_threads, num_threads, set_num_threads, show_config

__all__ = [
    "BindingError",
    "BufferTensorDesc",
    "CompiledOperator",
    "Device",
    "DiagonalMatrix1OperatorDesc",
    "DiagonalMatrixOperatorDesc",
    "DmlcError",
    "FeatureLevel",
    "FeatureLevelError",
    "InvalidDescriptorError",
    "OneHotOperatorDesc",
    "Padding1OperatorDesc",
    "PaddingMode",
    "PaddingOperatorDesc",
    "Slice1OperatorDesc",
    "SliceOperatorDesc",
    "TensorDataType",
    "TensorFlags",
    "__version__",
    "causal_mask",
    "copy",
    "diagonal_matrix",
    "eye",
    "fill_band",
    "flip",
    "get_include",
    "get_num_threads",
    "num_threads",
    "one_hot",
    "pad",
    "pad_sequence",
    "set_num_threads",
    "show_config",
    "slice",
    "tri",
    "tril",
    "triu",
]

__version__ = _version("dmlc")

_core.set_isa(_os.environ.get("DMLC_ISA") or None)

"""DirectML's tensor-rearranging operators on any CPU, bit for bit, at the speed of memory.

NumPy users call functions of arrays (`pad`, `one_hot`, `copy`, `tril`, ...); DirectML users describe an
operator (`PaddingOperatorDesc`, ...), compile it on a `Device` and call it. Both run the same kernels.
"""

from __future__ import annotations

import os as _os
import sys as _sys

from dmlc import _dmlc
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
    collate,
    copy,
    diagonal_matrix,
    eye,
    fill_band,
    flip,
    frames,
    one_hot,
    pad,
    pad_sequence,
    repeat,
    roll,
    slice,
    stack,
    tile,
    tri,
    tril,
    triu,
    window,
)
from dmlc.runtime import (
    clear_output_cache,
    get_include,
    get_num_threads,
    num_threads,
    set_num_threads,
    set_output_cache,
    show_config,
)
from dmlc.runtime import read_environment as _read_environment

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
    "clear_output_cache",
    "collate",
    "copy",
    "diagonal_matrix",
    "eye",
    "fill_band",
    "flip",
    "frames",
    "get_include",
    "get_num_threads",
    "num_threads",
    "one_hot",
    "pad",
    "pad_sequence",
    "repeat",
    "roll",
    "set_num_threads",
    "set_output_cache",
    "show_config",
    "slice",
    "stack",
    "tile",
    "tri",
    "tril",
    "triu",
    "window",
]

__version__ = _dmlc.version()

_read_environment(_os.environ)

if "threadpoolctl" in _sys.modules:  # which shows and limits what has registered
    from dmlc.compat import threadpoolctl as _threadpoolctl  # noqa: F401

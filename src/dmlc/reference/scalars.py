"""A FLOAT field as one element of a tensor's type (Direct3D's float-to-integer rule)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dmlc.reference.elements import Array


def float_to_element(value: float, dtype: np.dtype[Any]) -> Array:
    """First rounded to float32; integers truncate towards zero, saturate, and take NaN as 0."""
    with np.errstate(over="ignore"):
        single = np.float32(value)
        if dtype.kind == "f":
            return np.asarray(single.astype(dtype))
    limits = np.iinfo(dtype)
    if math.isnan(single):
        integer = 0
    elif math.isinf(single):
        integer = limits.max if single > 0 else limits.min
    else:
        integer = min(max(math.trunc(float(single)), limits.min), limits.max)
    return np.array(integer, dtype)

"""``pad`` and ``one_hot`` with array-api-extra's signatures, by dmlc for NumPy's arrays.

Arrays of other libraries go to the package ``array_api_extra``, which must be installed for them:
``pip install "dmlc[array-api]"``.
"""

from __future__ import annotations

import importlib
from typing import Any, Literal

import numpy as np

from dmlc import functions
from dmlc.compat import numpy as compat

__all__ = ["one_hot", "pad"]


def pad(
    x: Any,
    pad_width: Any,
    mode: Literal["constant"] = "constant",
    *,
    constant_values: complex = 0,
    xp: Any = None,
) -> Any:
    """``array_api_extra.pad``.

    Parameters
    ----------
    x : array
    pad_width : int, tuple of int or sequence of pairs of int
        Elements to add before and after each axis.
    mode : {"constant"}
    constant_values : Python scalar
    xp : array namespace, optional
        Of ``x``; found by default.

    Returns
    -------
    array

    Raises
    ------
    NotImplementedError
        For other modes, which array-api-extra lacks: `dmlc.pad` has them.
    ModuleNotFoundError
        For arrays of other libraries, without array-api-extra.

    Examples
    --------
    >>> import numpy as np
    >>> from dmlc.compat.array_api_extra import pad
    >>> pad(np.array([1, 2]), (1, 2), constant_values=9)
    array([9, 1, 2, 9, 9])
    """
    if not _is_numpys(x, xp):
        return _extra().pad(x, pad_width, mode, constant_values=constant_values, xp=xp)
    if mode != "constant":
        raise NotImplementedError(
            f"pad: mode must be 'constant', got {mode!r}; dmlc.pad has others"
        )
    return compat.pad(x, pad_width, mode, constant_values=constant_values)


def one_hot(
    x: Any,
    /,
    num_classes: int,
    *,
    dtype: Any = None,
    axis: int = -1,
    xp: Any = None,
) -> Any:
    """``array_api_extra.one_hot``.

    Parameters
    ----------
    x : array of integers
        From 0 to ``num_classes - 1``; of another, which array-api-extra leaves undefined, nothing is
        on.
    num_classes : int
        The size of the new axis.
    dtype : dtype, optional
        Of the result; float64 by default.
    axis : int
        Where the new axis stands.
    xp : array namespace, optional
        Of ``x``; found by default.

    Returns
    -------
    array

    Raises
    ------
    TypeError
        If ``x`` is not of integers.
    ModuleNotFoundError
        For arrays of other libraries, without array-api-extra.

    Examples
    --------
    >>> import numpy as np
    >>> from dmlc.compat.array_api_extra import one_hot
    >>> one_hot(np.array([1, 0]), 3)
    array([[0., 1., 0.],
           [1., 0., 0.]])
    """
    element_type = np.dtype(np.float64 if dtype is None else dtype) if _is_numpys(x, xp) else None
    if element_type is None or element_type.kind not in "biufc" or element_type.itemsize > 16:
        return _extra().one_hot(x, num_classes, dtype=dtype, axis=axis, xp=xp)
    if x.dtype.kind not in "iu":
        raise TypeError(f"one_hot: x must have an integral dtype, got {x.dtype}")
    return functions.one_hot(x, num_classes, axis=axis, dtype=element_type, negative="off")


def _is_numpys(x: Any, xp: Any) -> bool:
    # Another package's namespace of NumPy's arrays is array_api_compat.numpy.
    named = xp is None or getattr(xp, "__name__", "") in ("numpy", "array_api_compat.numpy")
    return named and type(x) is np.ndarray


def _extra() -> Any:
    try:
        return importlib.import_module("array_api_extra")
    except ModuleNotFoundError as error:
        if error.name != "array_api_extra":
            raise
        raise ModuleNotFoundError(
            "arrays of other libraries than NumPy need the package array-api-extra: "
            'pip install "dmlc[array-api]"',
            name="array_api_extra",
        ) from None

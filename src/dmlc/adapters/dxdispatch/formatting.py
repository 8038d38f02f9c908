"""Numbers as C++ streams print them, which is how DxDispatch shows a resource."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlc.descriptors.json.place import printable


def format_elements(arrays: Iterable[npt.NDArray[Any]]) -> list[str]:
    """Return each element as text: 6 significant digits, ``nan``, ``inf``, ``-inf``.

    Examples
    --------
    >>> import numpy as np
    >>> format_elements([np.array([1.5, 1e6, 100000, 1 / 3, np.nan], np.float32)])
    ['1.5', '1e+06', '100000', '0.333333', 'nan']
    """
    texts: list[str] = []
    for array in arrays:
        template = "%g" if array.dtype.kind == "f" else "%d"
        texts += [template % value for value in array.tolist()]
    return texts


def format_bits(arrays: Iterable[npt.NDArray[Any]]) -> list[str]:
    """Return each element's bits in hexadecimal, two digits for each byte.

    Examples
    --------
    >>> import numpy as np
    >>> format_bits([np.array([1, -1], np.float16)])
    ['0x3C00', '0xBC00']
    """
    texts: list[str] = []
    for array in arrays:
        bits = array.view(np.dtype(f"u{array.itemsize}"))
        texts += [f"0x{value:0{2 * array.itemsize}X}" for value in bits.tolist()]
    return texts


def format_resource(name: str, arrays: Iterable[npt.NDArray[Any]], *, verbose: bool) -> str:
    """Return what the print command prints, without a final line end."""
    arrays = tuple(arrays)
    values = format_elements(arrays)
    name = printable(name)
    if not verbose:
        return f"Resource '{name}': {', '.join(values)}"
    width = len(str(len(values)))
    bits = format_bits(arrays)
    lines = [
        f"[{index:{width}}] {value} ({hexadecimal})"
        for index, (value, hexadecimal) in enumerate(zip(values, bits, strict=True))
    ]
    return "\n".join([f"Resource '{name}':", *lines])

"""NumPy's file format, read strictly: a header is compared with the file before it is believed.

`numpy.lib.format` evaluates a header as Python source, allocates what it says and raises whatever
that raises. Here a header is matched by a pattern: three members, plain numbers, nothing nested.

    magic "\\x93NUMPY" | version 1 byte . 1 byte | header length, 2 or 4 bytes | header | elements
"""

from __future__ import annotations

import math
import os
import re
from io import BufferedReader
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlc.descriptors.json.place import quote
from dmlc.enums import TensorDataType

_MAGIC = b"\x93NUMPY"
_LENGTH_BYTES = {(1, 0): 2, (2, 0): 4, (3, 0): 4}
_LONGEST_HEADER = 10_000  # NumPy's own limit

_STRING = r"'[^'\\]*'|\"[^\"\\]*\""
_VALUES = {
    "descr": rf"(?P<descr>{_STRING})",
    "fortran_order": r"(?P<fortran_order>True|False)",
    "shape": r"\((?P<shape>\s*(?:\d{1,20}L?\s*(?:,\s*|(?=\))))*)\)",
}
_MEMBER = "|".join(
    rf"(?P<q_{name}>['\"]){name}(?P=q_{name})\s*:\s*{value}" for name, value in _VALUES.items()
)
_MEMBER_PATTERN = re.compile(rf"(?:{_MEMBER})\s*(?:,\s*|\Z)")
_ELEMENT_TYPE = re.compile(r"(?P<order>[<>|=]?)(?P<kind>[A-Za-z?])(?P<size>\d{0,9})")
_DATA_TYPES: dict[tuple[str, int], TensorDataType] = {
    (member.numpy_dtype.kind, member.itemsize): member for member in TensorDataType if member.value
}


def read_npy(file: BufferedReader) -> npt.NDArray[Any]:
    """Return the array of an ``.npy`` file, in the machine's byte order.

    Raises
    ------
    ValueError
        If the file is none, or does not hold exactly what its header says.
    """
    dtype, shape, fortran_order = _read_header(file)
    count = math.prod(shape)
    left = os.fstat(file.fileno()).st_size - file.tell()
    if count * dtype.itemsize != left:
        says = count * dtype.itemsize
        told = str(says) if says < 2**64 else "more than there can be"
        raise ValueError(f"it holds {left} bytes of elements, its header says {told}")
    values = read_elements(file, count, dtype)
    array = values.reshape(shape, order="F" if fortran_order else "C")
    return array.astype(dtype.newbyteorder("="), copy=False)


def read_elements(file: BufferedReader, count: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return the next `count` elements of a file."""
    values = np.empty(count, dtype)
    if file.readinto(values.view(np.uint8).data) != values.nbytes:
        raise ValueError("it has become shorter while it was read")
    return values


def _read_header(file: BufferedReader) -> tuple[np.dtype[Any], tuple[int, ...], bool]:
    magic = file.read(8)
    if len(magic) < 8 or not magic.startswith(_MAGIC):
        raise ValueError("it is no .npy file")
    version = (magic[6], magic[7])
    if version not in _LENGTH_BYTES:
        raise ValueError(f"it has .npy version {version[0]}.{version[1]}, not 1.0, 2.0 or 3.0")
    length_bytes = file.read(_LENGTH_BYTES[version])
    length = int.from_bytes(length_bytes, "little")
    if length > _LONGEST_HEADER:
        raise ValueError(f"it has a header of {length} bytes, more than {_LONGEST_HEADER}")
    header = file.read(length)
    if len(length_bytes) < _LENGTH_BYTES[version] or len(header) < length:
        raise ValueError("it is cut off inside its header")
    return _parse_header(header.decode("latin-1"))


def _parse_header(header: str) -> tuple[np.dtype[Any], tuple[int, ...], bool]:
    text = header.strip()
    members: dict[str, str] = {}
    position, inner = 0, text[1:-1].strip()
    while position < len(inner):
        member = _MEMBER_PATTERN.match(inner, position)
        if member is None:
            break
        name, value = next((n, member[n]) for n in _VALUES if member[n] is not None)
        if name in members:
            break
        members[name] = value
        position = member.end()
    read = position == len(inner) and members.keys() == _VALUES.keys()
    if not (read and text.startswith("{") and text.endswith("}")):
        raise ValueError(f"it has a header that cannot be read, {quote(header)}")
    shape = tuple(int(size.rstrip("L")) for size in re.findall(r"\d+L?", members["shape"]))
    return _element_type(members["descr"][1:-1], header), shape, members["fortran_order"] == "True"


def _element_type(descr: str, header: str) -> np.dtype[Any]:
    match = _ELEMENT_TYPE.fullmatch(descr)
    if match is None:
        raise ValueError(f"it has a header that cannot be read, {quote(header)}")
    if match["kind"] == "O":
        raise ValueError(f"it holds pickled objects ({quote(descr)}), which are never read")
    data_type = _DATA_TYPES.get((match["kind"], int(match["size"] or 0)))
    if data_type is None:
        raise ValueError(f"it holds elements of type {quote(descr)}, which no tensor has")
    order = match["order"].replace("|", "=") or "="
    return data_type.numpy_dtype.newbyteorder(order)  # type: ignore[arg-type]

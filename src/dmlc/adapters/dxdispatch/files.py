"""The files that a model names: sources of initial values and targets of writeFile.

A file's kind is its ending. Images are refused in `_refuse_image`: its two callers are where a
reader (an NCHW array of the resource's data type, resampled to `resampleSize`) and a writer (RGB
or RGBA for 3 or 4 channels) go.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from dmlc.adapters.dxdispatch.place import ModelError, Place, quote, reason
from dmlc.enums import TensorDataType


def read_source(
    place: Place, data_type: TensorDataType, folders: Sequence[Path]
) -> npt.NDArray[Any]:
    """Read the elements of a source file, as one dimension in native byte order.

    Parameters
    ----------
    place : Place
        The member ``sourcePath``.
    data_type : TensorDataType
        What a raw file holds, and what an ``.npy`` file must hold unless this is UNKNOWN.
    folders : sequence of pathlib.Path
        The path is taken relative to the first of these in which it exists.
    """
    name = place.string()
    suffix = Path(name).suffix.lower()
    if suffix in _IMAGE_SUFFIXES:
        _refuse_image(place)
    if suffix not in _SUFFIXES:
        place.expect(f"a file that ends in {', '.join(_SUFFIXES)}")
    path = next((folder / name for folder in folders if (folder / name).is_file()), None)
    if path is None:
        place.fail(f"finds no file {quote(name)} beside the model or in the current directory")
    try:
        values = _read_npy(path) if is_npy(name) else _read_raw(path, data_type)
    except (OSError, ValueError, TypeError, MemoryError, EOFError) as error:
        place.fail(f"cannot read {quote(name)}: {reason(error)}")
    found = TensorDataType.from_dtype(values.dtype)
    if data_type not in (found, TensorDataType.UNKNOWN):
        place.fail(
            f"must name a file of initialValuesDataType {data_type.name}, "
            f"{quote(name)} holds {found.name}"
        )
    if values.size == 0:
        place.fail(f"must name a file that holds at least one element, {quote(name)} is empty")
    return values


def check_target(place: Place) -> str:
    """Return the path that ``targetPath`` gives, if its ending is one that can be written."""
    name = place.string()
    suffix = Path(name).suffix.lower()
    if suffix in _IMAGE_SUFFIXES:
        _refuse_image(place)
    if suffix not in _SUFFIXES:
        place.expect(f"a file that ends in {', '.join(_SUFFIXES)}")
    return name


def write_target(place: str, name: str, values: npt.NDArray[Any]) -> None:
    """Write `values` to the file `name`, whose missing folders are made.

    Parameters
    ----------
    place : str
        The member ``targetPath``, for messages.
    name : str
        An ``.npy`` file gets the array, any other file its bytes.
    values : numpy.ndarray
    """
    path = Path(name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            if is_npy(name):
                np.save(file, values, allow_pickle=False)
            else:
                file.write(values.tobytes())
    except (OSError, ValueError) as error:
        raise ModelError(place, f"cannot write {quote(name)}: {reason(error)}") from None


def is_npy(name: str) -> bool:
    """Whether a file of this name holds its own type and shape, as NumPy writes them."""
    return Path(name).suffix.lower() == ".npy"


def _read_npy(path: Path) -> npt.NDArray[Any]:
    with path.open("rb") as file:
        array = np.lib.format.read_array(file, allow_pickle=False)
    native = array.dtype.newbyteorder("=")
    TensorDataType.from_dtype(native)  # TypeError where DirectML has no such type
    return np.ascontiguousarray(array, dtype=native).reshape(-1)


def _read_raw(path: Path, data_type: TensorDataType) -> npt.NDArray[Any]:
    if data_type == TensorDataType.UNKNOWN:
        raise TypeError("a raw file needs initialValuesDataType, other than UNKNOWN")
    size = path.stat().st_size
    if size % data_type.itemsize:
        raise ValueError(f"{size} bytes are no whole number of {data_type.name} elements")
    return np.fromfile(path, dtype=data_type.numpy_dtype)


def _refuse_image(place: Place) -> NoReturn:
    place.fail(f"images are not supported yet, use .npy, .dat or .bin, got {quote(place.value)}")


_SUFFIXES = (".npy", ".dat", ".bin")
_IMAGE_SUFFIXES = (".png", ".jpg")

"""The files that a model names: sources of initial values and targets of writeFile.

A file's kind is its ending. Images are refused in `_refuse_image`: its two callers are where a
reader (an NCHW array of the resource's data type, resampled to `resampleSize`) and a writer (RGB
or RGBA for 3 or 4 channels) go.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from dmlc.adapters.dxdispatch.folders import Folders, OutsideError, open_file, replace_file
from dmlc.adapters.dxdispatch.npy import read_elements, read_npy
from dmlc.descriptors.json.place import Place, quote, reason
from dmlc.enums import TensorDataType


def read_source(place: Place, data_type: TensorDataType, folders: Folders) -> npt.NDArray[Any]:
    """Read the elements of a source file, as one dimension in native byte order.

    Parameters
    ----------
    place : Place
        The member ``sourcePath``.
    data_type : TensorDataType
        What a raw file holds, and what an ``.npy`` file must hold unless this is UNKNOWN.
    folders : Folders
        Where the file is looked up.
    """
    name = place.string()
    suffix = Path(name).suffix.lower()
    if suffix in _IMAGE_SUFFIXES:
        _refuse_image(place)
    if suffix not in _SUFFIXES:
        place.expect(f"a file that ends in {', '.join(_SUFFIXES)}")
    with _refusals_told(place, "read"):
        path = folders.find(name)
    if path is None:
        place.fail(f"finds no file {quote(name)} beside the model or in the current directory")
    with _refusals_told(place, "read"), open_file(path) as file:
        values = read_npy(file) if is_npy(name) else _read_raw(file, data_type)
    found = TensorDataType.from_dtype(values.dtype)
    if data_type not in (found, TensorDataType.UNKNOWN):
        place.fail(
            f"must name a file of initialValuesDataType {data_type.name}, "
            f"{quote(name)} holds {found.name}"
        )
    if values.size == 0:
        place.fail(f"must name a file that holds at least one element, {quote(name)} is empty")
    return values


def check_target(place: Place, folders: Folders) -> str:
    """Return the path that ``targetPath`` gives, if it is one that can be written."""
    name = place.string()
    suffix = Path(name).suffix.lower()
    if suffix in _IMAGE_SUFFIXES:
        _refuse_image(place)
    if suffix not in _SUFFIXES:
        place.expect(f"a file that ends in {', '.join(_SUFFIXES)}")
    with _refusals_told(place, "write"):
        folders.place(name)
    return name


def write_target(place: Place, folders: Folders, values: npt.NDArray[Any]) -> None:
    """Write `values` to a file, whose missing folders are made.

    Parameters
    ----------
    place : Place
        The member ``targetPath``. An ``.npy`` file gets the array, any other file its bytes.
    folders : Folders
        Where the file goes.
    values : numpy.ndarray
    """
    name = place.string()
    # Where the path leads is asked again: a link may have been made since `check_target`.
    with _refusals_told(place, "write"), replace_file(folders.place(name)) as file:
        if is_npy(name):
            np.save(file, values, allow_pickle=False)
        else:
            file.write(values.tobytes())


def is_npy(name: str) -> bool:
    """Whether a file of this name holds its own type and shape, as NumPy writes them."""
    return Path(name).suffix.lower() == ".npy"


def _read_raw(file: BufferedReader, data_type: TensorDataType) -> npt.NDArray[Any]:
    if data_type == TensorDataType.UNKNOWN:
        raise ValueError("a raw file needs initialValuesDataType, other than UNKNOWN")
    size = os.fstat(file.fileno()).st_size
    if size % data_type.itemsize:
        raise ValueError(f"{size} bytes are no whole number of {data_type.name} elements")
    return read_elements(file, size // data_type.itemsize, data_type.numpy_dtype)


@contextlib.contextmanager
def _refusals_told(place: Place, verb: str) -> Iterator[None]:
    """Say at the member that names a file why it cannot be read or written."""
    try:
        yield
    except OutsideError:
        place.expect(
            "a path below the model's folder, the current one, --input_path or --output_path "
            "(--allow-outside lifts this)"
        )
    except (OSError, ValueError, MemoryError) as error:
        place.fail(f"cannot {verb} {quote(place.value)}: {reason(error)}")


def _refuse_image(place: Place) -> NoReturn:
    place.fail(f"images are not supported yet, use .npy, .dat or .bin, got {quote(place.value)}")


_SUFFIXES = (".npy", ".dat", ".bin")
_IMAGE_SUFFIXES = (".png", ".jpg")

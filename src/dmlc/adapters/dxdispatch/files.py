"""The files that a model names: sources of initial values and targets of writeFile.

A file's kind is its ending: ``.npy``, the raw ``.dat`` and ``.bin``, the images ``.png`` and
``.jpg``.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlc.adapters.dxdispatch import images
from dmlc.adapters.dxdispatch.folders import Folders, OutsideError, open_file, replace_file
from dmlc.adapters.dxdispatch.npy import read_elements, read_npy
from dmlc.descriptors.json.place import Place, quote, reason
from dmlc.enums import TensorDataType


def read_source(
    place: Place,
    data_type: TensorDataType,
    folders: Folders,
    resample_size: tuple[int, ...] | None,
) -> npt.NDArray[Any]:
    """Read the elements of a source file, as one dimension in native byte order.

    Parameters
    ----------
    place : Place
        The member ``sourcePath``.
    data_type : TensorDataType
        What a raw file or an image holds, and what an ``.npy`` file must hold unless this is
        UNKNOWN.
    folders : Folders
        Where the file is looked up.
    resample_size : tuple of int, optional
        The shape (1, C, H, W) that an image is brought to.
    """
    name = place.string()
    suffix = _suffix(place)
    with _refusals_told(place, "read"):
        path = folders.find(name)
    if path is None:
        place.fail(f"finds no file {quote(name)} beside the model or in the current directory")
    with _refusals_told(place, "read"), open_file(path) as file:
        if suffix in images.SUFFIXES:
            values = images.read_image(file, data_type, resample_size).reshape(-1)
        elif suffix == ".npy":
            values = read_npy(file).reshape(-1)
        else:
            values = _read_raw(file, data_type)
    found = TensorDataType.from_dtype(values.dtype)
    if data_type not in (found, TensorDataType.UNKNOWN):
        place.fail(
            f"must name a file of initialValuesDataType {data_type.name}, "
            f"{quote(name)} holds {found.name}"
        )
    if values.size == 0:
        place.fail(f"must name a file that holds at least one element, {quote(name)} is empty")
    return values


def read_array(path: str) -> npt.NDArray[Any]:
    """Read an ``.npy`` file that the user names, who may name any.

    Raises
    ------
    ModelError
        If it is none.
    """
    with _refusals_told(Place(path), "read"), open_file(Path(path)) as file:
        return read_npy(file)


def check_target(place: Place, folders: Folders) -> str:
    """Return the path that ``targetPath`` gives, if it is one that can be written."""
    name = place.string()
    suffix = _suffix(place)
    with _refusals_told(place, "write"):
        folders.place(name)
        if suffix in images.SUFFIXES:
            images.check_images()
    return name


def write_target(place: Place, folders: Folders, values: npt.NDArray[Any]) -> None:
    """Write `values` to a file, whose missing folders are made.

    Parameters
    ----------
    place : Place
        The member ``targetPath``. An ``.npy`` file and an image get the array, a raw file its
        bytes.
    folders : Folders
        Where the file goes.
    values : numpy.ndarray
    """
    name = place.string()
    # Where the path leads is asked again: a link may have been made since `check_target`.
    with _refusals_told(place, "write"), replace_file(folders.place(name)) as file:
        suffix = _suffix(place)
        if suffix in images.SUFFIXES:
            images.write_image(file, suffix, values)
        elif suffix == ".npy":
            np.save(file, values, allow_pickle=False)
        else:
            file.write(values.tobytes())


def is_raw(name: str) -> bool:
    """Whether a file of this name holds bytes alone, not their type and shape."""
    return Path(name).suffix.lower() in _RAW_SUFFIXES


def _suffix(place: Place) -> str:
    suffix = Path(place.string()).suffix.lower()
    if suffix not in _SUFFIXES:
        place.expect(f"a file that ends in {', '.join(_SUFFIXES)}")
    return suffix


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


_RAW_SUFFIXES = (".dat", ".bin")
_SUFFIXES = (".npy", *_RAW_SUFFIXES, *images.SUFFIXES)

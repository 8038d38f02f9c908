"""Images as tensors of shape (1, C, H, W), as DxDispatch reads and writes them.

    read    FLOAT32, FLOAT16: byte / 255        UINT8: byte
    write   FLOAT32, FLOAT16: trunc(clamp(x, 0, 1) * 255), NaN 255        UINT8: byte

Pillow decodes and encodes; it is imported when the first image is met. Resampling is Pillow's
bicubic filter, whose last bits differ from those of the Windows Imaging Component.
"""

from __future__ import annotations

import warnings
from io import BufferedReader, BufferedWriter
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlc.descriptors.json.place import reason
from dmlc.enums import TensorDataType

SUFFIXES = (".png", ".jpg")
_FORMATS = {".png": "PNG", ".jpg": "JPEG"}
_MODES = {1: "L", 3: "RGB", 4: "RGBA"}
_DATA_TYPES = (TensorDataType.FLOAT32, TensorDataType.FLOAT16, TensorDataType.UINT8)
# Pillow refuses larger images as decompression bombs; the same holds for what one is resampled to.
_MOST_PIXELS = 2**26


def check_images() -> None:
    """Raise ValueError if there is nothing to decode images with."""
    try:
        import PIL.Image  # noqa: F401
    except ImportError:
        raise ValueError('images need Pillow: pip install "dmlc[images]"') from None


def read_image(
    file: BufferedReader, data_type: TensorDataType, resample_size: tuple[int, ...] | None
) -> npt.NDArray[Any]:
    """Return an image of a file as an array of shape (1, C, H, W).

    Parameters
    ----------
    file : file
    data_type : TensorDataType
        FLOAT32, FLOAT16 or UINT8.
    resample_size : tuple of int, optional
        That shape, with 3 or 4 channels. By default it is the image's own, with 4 channels (RGBA)
        if it has an alpha channel, else 3 (RGB).

    Raises
    ------
    ValueError
        If there is no Pillow, the file is no image, or it has too many pixels.
    """
    check_images()
    _check_data_type(data_type)
    import PIL.Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", PIL.Image.DecompressionBombWarning)
            with PIL.Image.open(file, formats=tuple(_FORMATS.values())) as image:
                if resample_size is None:
                    width, height = image.size
                    channels = 4 if image.has_transparency_data else 3
                else:
                    _, channels, height, width = resample_size
                if height * width > _MOST_PIXELS:
                    raise ValueError(f"it has {height} x {width} pixels, more than {_MOST_PIXELS}")
                pixels = image.convert(_MODES[channels])
    except Exception as error:  # noqa: BLE001  # a decoder raises anything
        raise ValueError(reason(error)) from None
    if pixels.size != (width, height):
        pixels = pixels.resize((width, height), PIL.Image.Resampling.BICUBIC)
    array = np.moveaxis(np.asarray(pixels, np.uint8), -1, 0)[np.newaxis]
    if data_type == TensorDataType.UINT8:
        return np.ascontiguousarray(array)
    values = array.astype(np.float32) / np.float32(255)
    return values.astype(data_type.numpy_dtype, copy=False)


def write_image(file: BufferedWriter, suffix: str, array: npt.NDArray[Any]) -> None:
    """Write an array of shape (1, C, H, W), with leading dimensions of 1 left out if need be.

    Raises
    ------
    ValueError
        If the array is no image of 1, 3 or 4 channels, or cannot be written as this kind of file.
    """
    check_images()
    _check_data_type(TensorDataType.from_dtype(array.dtype))
    planes = array[0] if array.ndim == 4 and array.shape[0] == 1 else array
    if planes.ndim != 3 or planes.shape[0] not in _MODES:
        raise ValueError(
            f"an image has dimensions [1, C, H, W] with 1, 3 or 4 channels, got {list(array.shape)}"
        )
    import PIL.Image

    pixels = np.moveaxis(planes, 0, -1)
    if pixels.dtype != np.uint8:
        single = np.nan_to_num(pixels.astype(np.float32), nan=1.0)
        pixels = (np.clip(single, 0, 1) * np.float32(255)).astype(np.uint8)
    if pixels.shape[-1] == 1:
        pixels = pixels[..., 0]
    try:
        image = PIL.Image.fromarray(np.ascontiguousarray(pixels))
        image.save(file, format=_FORMATS[suffix], quality=90)
    except OSError as error:
        if error.errno is not None:  # the file system's
            raise
        raise ValueError(reason(error)) from None


def _check_data_type(data_type: TensorDataType) -> None:
    if data_type not in _DATA_TYPES:
        names = ", ".join(member.name for member in _DATA_TYPES)
        raise ValueError(f"images have elements of type {names}, got {data_type.name}")

"""A filter with a mirrored border, all of it compiled by Numba, which lacks numpy.pad.

Needs numba: pip install "dmlc[numba]"
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from dmlc.compat.numba import pad

RADIUS = 2


@numba.njit
def median_filter(image: Any) -> Any:
    framed = pad(image, RADIUS, "reflect")
    result = np.empty_like(image)
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            window = framed[y : y + 2 * RADIUS + 1, x : x + 2 * RADIUS + 1]
            result[y, x] = np.median(window)
    return result


def by_numpy(image: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    framed = np.pad(image, RADIUS, "reflect")
    windows = np.lib.stride_tricks.sliding_window_view(framed, (2 * RADIUS + 1,) * 2)
    medians: npt.NDArray[np.float32] = np.median(windows, axis=(-2, -1))
    return medians


image = np.random.default_rng(7).random((60, 80), np.float32)
image[::7, ::5] = 9  # noise
filtered = median_filter(image)
assert np.array_equal(filtered, by_numpy(image))
print(f"largest pixel before {image.max():.2f}, after {filtered.max():.2f}")
print(f"top left corner after: {np.round(filtered[0, :4], 2)}")

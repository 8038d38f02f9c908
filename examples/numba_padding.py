"""A filter compiled by Numba
==========================

Numba compiles loops over arrays, but it has no ``numpy.pad``. With ``dmlc.compat.numba.pad`` a compiled
function can pad its image: the kernel is called right from the compiled code.

Needs Numba: ``pip install "dmlc[numba]"``.
"""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numba
import numpy as np
import numpy.typing as npt
from matplotlib.cbook import get_sample_data

from dmlc.compat.numba import pad

RADIUS = 2

# %%
# A median filter with a mirrored border, all of it compiled.


@numba.njit
def median_filter(image: Any) -> Any:
    framed = pad(image, RADIUS, "reflect")
    result = np.empty_like(image)
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            window = framed[y : y + 2 * RADIUS + 1, x : x + 2 * RADIUS + 1]
            result[y, x] = np.median(window)
    return result


# %%
# The same by NumPy.


def by_numpy(image: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    framed = np.pad(image, RADIUS, "reflect")
    windows = np.lib.stride_tricks.sliding_window_view(framed, (2 * RADIUS + 1,) * 2)
    medians: npt.NDArray[np.float64] = np.median(windows, axis=(-2, -1))
    return medians.astype(np.uint8)


# %%
# A photograph in grey with white specks, and without them again.

photograph = plt.imread(get_sample_data("grace_hopper.jpg", asfileobj=False))
image = photograph[20:320, 80:440].mean(axis=-1).astype(np.uint8)
image[np.random.default_rng(7).random(image.shape) < 0.1] = 255
filtered = median_filter(image)
assert np.array_equal(filtered, by_numpy(image))
print(
    f"white pixels before: {(image == 255).mean():.1%}, after: {(filtered == 255).mean():.1%}"
)
print(f"top left corner after: {filtered[0, :4]}")

# %%
# The picture: before and after.

figure, places = plt.subplots(1, 2, figsize=(7.5, 3.2), layout="constrained")
for axes, picture, title in zip(places, (image, filtered), ("with specks", "filtered")):
    axes.imshow(picture, cmap="gray", vmin=0, vmax=255)
    axes.set(title=title, xticks=[], yticks=[])
plt.show()

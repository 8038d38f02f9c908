"""Borders for a convolution: a blurred image keeps its size, the border shows at its edge."""

from __future__ import annotations

import numpy as np

import dmlc

SIZE = 120
RADIUS = 4

# A made-up photograph: height by width by RGB, a bright disk on a gradient.
rows, columns = np.mgrid[0:SIZE, 0:SIZE]
image = np.stack([rows * 2, columns * 2, np.full_like(rows, 90)], axis=-1).astype(np.uint8)
image[(rows - 40) ** 2 + (columns - 70) ** 2 < 25**2] = 255

border = ((RADIUS, RADIUS), (RADIUS, RADIUS), (0, 0))
print(f"a {image.shape} image, {RADIUS} pixels of border, then a box blur; its top left corner:")
for mode in ("constant", "edge", "reflect", "symmetric", "wrap"):
    padded = dmlc.pad(image, border, mode)
    assert np.array_equal(padded, np.pad(image, border, mode))

    window = (2 * RADIUS + 1, 2 * RADIUS + 1)
    neighbourhoods = np.lib.stride_tricks.sliding_window_view(padded, window, axis=(0, 1))
    blurred = neighbourhoods.mean(axis=(-2, -1))
    assert blurred.shape == image.shape
    print(f"  {mode:9}", np.round(blurred[0, 0]).astype(int))

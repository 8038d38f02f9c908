"""A vision transformer's cyclic shift: windows of a feature map that was rolled, and back again."""

from __future__ import annotations

import numpy as np

import dmlc

BATCH, HEIGHT, WIDTH, CHANNELS = 2, 56, 56, 96
WINDOW, SHIFT = 7, 3

features = (
    np.random.default_rng(7).standard_normal((BATCH, HEIGHT, WIDTH, CHANNELS)).astype(np.float32)
)

shifted = dmlc.roll(features, (-SHIFT, -SHIFT), axis=(1, 2))
assert np.array_equal(shifted, np.roll(features, (-SHIFT, -SHIFT), (1, 2)))

# Windows are a view of a view, packed in one pass.
grid = shifted.reshape(BATCH, HEIGHT // WINDOW, WINDOW, WIDTH // WINDOW, WINDOW, CHANNELS)
windows = dmlc.copy(grid.swapaxes(2, 3)).reshape(-1, WINDOW * WINDOW, CHANNELS)
print(
    f"{features.shape} -> {windows.shape[0]} windows of {WINDOW}x{WINDOW} tokens, rolled by {SHIFT}"
)

# One window alone needs no roll: it goes over the edge by itself.
last = dmlc.window(
    features[0],
    (HEIGHT - WINDOW + SHIFT, WIDTH - WINDOW + SHIFT, 0),
    (WINDOW, WINDOW, CHANNELS),
    "wrap",
)
assert np.array_equal(
    last.reshape(-1, CHANNELS), windows[(HEIGHT // WINDOW) * (WIDTH // WINDOW) - 1]
)

merged = dmlc.copy(windows.reshape(grid.swapaxes(2, 3).shape).swapaxes(2, 3)).reshape(
    features.shape
)
back = dmlc.roll(merged, (SHIFT, SHIFT), axis=(1, 2))
assert np.array_equal(back, features)
print("merged and rolled back: the same features")

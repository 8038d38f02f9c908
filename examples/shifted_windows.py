"""A vision transformer's shifted windows
======================================

Some vision transformers attend within windows of an image, and shift the windows in every second
layer so that neighbours meet. The shift is cyclic: what leaves at one edge comes back at the other.
``dmlc.roll`` shifts, and ``dmlc.copy`` packs the windows in one pass.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.cbook import get_sample_data

import dmlc

SIDE, CHANNELS = 336, 3
WINDOW, SHIFT = 84, 42

photograph = plt.imread(get_sample_data("grace_hopper.jpg", asfileobj=False))
image = photograph[10 : 10 + SIDE, 90 : 90 + SIDE]

# %%
# The cyclic shift, by half a window.

shifted = dmlc.roll(image, (-SHIFT, -SHIFT), axis=(0, 1))
assert np.array_equal(shifted, np.roll(image, (-SHIFT, -SHIFT), (0, 1)))

# %%
# Windows are a view of a view, packed in one pass.

COUNT = SIDE // WINDOW
grid = shifted.reshape(COUNT, WINDOW, COUNT, WINDOW, CHANNELS).swapaxes(1, 2)
windows = dmlc.copy(grid).reshape(COUNT * COUNT, WINDOW, WINDOW, CHANNELS)
print(
    f"{image.shape} -> {len(windows)} windows of {WINDOW}x{WINDOW}, shifted by {SHIFT}"
)

# %%
# One window alone needs no shift: ``dmlc.window`` goes over the edge by itself.

corner = SIDE - WINDOW + SHIFT
last = dmlc.window(image, (corner, corner, 0), (WINDOW, WINDOW, CHANNELS), "wrap")
assert np.array_equal(last, windows[-1])

# %%
# And back: windows into an image, and the image shifted the other way.

merged = dmlc.copy(windows.reshape(grid.shape).swapaxes(1, 2)).reshape(image.shape)
back = dmlc.roll(merged, (SHIFT, SHIFT), axis=(0, 1))
assert np.array_equal(back, image)
print("merged and shifted back: the same image")

# %%
# The picture: the image with its shifted windows, the image rolled, and the windows side by side.
# The window in the corner holds all four corners of the image.

figure, places = plt.subplots(1, 3, figsize=(7.5, 2.9), layout="constrained")
gap = 6
apart = dmlc.pad(windows, ((0, 0), (gap, gap), (gap, gap), (0, 0)), constant_values=255)
tiles = apart.reshape(COUNT, COUNT, *apart.shape[1:]).swapaxes(1, 2)
pictures = (
    image,
    shifted,
    dmlc.copy(tiles).reshape(COUNT * apart.shape[1], -1, CHANNELS),
)
titles = ("windows, shifted", "rolled", f"{len(windows)} windows")
for axes, picture, title, offset in zip(places, pictures, titles, (SHIFT, 0, None)):
    axes.imshow(picture)
    axes.set(title=title, xticks=[], yticks=[])
    for line in range(COUNT) if offset is not None else ():
        axes.axhline(line * WINDOW + offset, color="white", linewidth=1)
        axes.axvline(line * WINDOW + offset, color="white", linewidth=1)
plt.show()

"""A training batch: crops, flips and borders in one pass
======================================================

Photographs of different sizes become one batch for training. Each is cropped at random, flipped
at random, changed from RGB to BGR, put channels first, and mirrored at the borders where it is too
small. All of this is one call: cropping, flipping and reordering are views, which move nothing, and
``dmlc.collate`` reads and writes each pixel once.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.cbook import get_sample_data

import dmlc

SIZE = 224

photograph = plt.imread(get_sample_data("grace_hopper.jpg", asfileobj=False))

# Photographs of different sizes, as a folder holds them.
photographs = [
    photograph,
    photograph[:180],
    photograph[100:, 200:400],
    photograph[::3, ::3],
]
print(
    "photographs of",
    ", ".join(f"{w} x {h}" for h, w, _ in (p.shape for p in photographs)),
)

# %%
# What becomes of a photograph is decided here, and still nothing is moved.

random = np.random.default_rng(7)
views = []
for image in photographs:
    height, width, _ = image.shape
    y = random.integers(0, max(height - SIZE, 0) + 1)
    x = random.integers(0, max(width - SIZE, 0) + 1)
    crop = image[y : y + SIZE, x : x + SIZE]
    flipped = crop[:, ::-1] if random.random() < 0.5 else crop
    blue_first = flipped[:, :, ::-1]
    views.append(blue_first.transpose(2, 0, 1))

# %%
# One call writes the batch. What is too small is centred and mirrored.

batch = dmlc.collate(views, shape=(3, SIZE, SIZE), mode="reflect", align="center")
assert batch.flags.c_contiguous
print(f"-> one batch of {batch.shape} {batch.dtype}")

# %%
# NumPy gives the same with a padded copy of each view.

for item, view in zip(batch, views, strict=True):
    missing = [SIZE - n for n in view.shape[1:]]
    border = [(0, 0), *((n // 2, n - n // 2) for n in missing)]
    assert np.array_equal(item, np.pad(view, border, "reflect"))

# %%
# The picture: photographs above, the batch below, its channels put back in order to show it.

figure, places = plt.subplots(2, 4, figsize=(7.5, 4.2), layout="constrained")
for (above, below), image, item in zip(places.T, photographs, batch, strict=True):
    above.imshow(image)
    above.set_title("{1} x {0}".format(*image.shape[:2]), fontsize=10)
    above.set_axis_off()
    below.imshow(item[::-1].transpose(1, 2, 0))
    below.set_title(f"{SIZE} x {SIZE}", fontsize=10)
    below.set_axis_off()
plt.show()

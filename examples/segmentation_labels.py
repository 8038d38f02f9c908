"""Class maps as one-hot planes
============================

A segmentation map holds one class number a pixel. A loss function wants one plane a class instead,
1 where the pixel is of that class and 0 elsewhere. Unlabelled pixels have a number that is no class,
often 255: an index outside the classes turns nothing on, so that they need no extra step.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

import dmlc

HEIGHT, WIDTH = 60, 80
CLASSES = ("sky", "ground", "house")
UNLABELLED = 255

# A made-up map: a house on the ground, and a strip at the left that nobody labelled.
rows, columns = np.mgrid[0:HEIGHT, 0:WIDTH]
labels = np.where(rows < 35, 0, 1).astype(np.uint8)
labels[20:45, 30:55] = 2
labels[(rows < 20) & (rows >= 8 + abs(columns - 42))] = 2
labels[:, :4] = UNLABELLED

# %%
# Channels first, as PyTorch wants it.

planes = dmlc.one_hot(labels, len(CLASSES), axis=0)
expected = labels == np.arange(len(CLASSES), dtype=np.uint8)[:, None, None]
assert np.array_equal(planes, expected.astype(np.float32))

# %%
# Channels last, as bytes with values of one's own: with three classes this is a picture in red,
# green and blue.

overlay = dmlc.one_hot(labels, len(CLASSES), on_value=255, dtype=np.uint8)
assert np.array_equal(overlay, np.moveaxis(expected, 0, -1) * np.uint8(255))

print(
    f"{labels.shape} labels -> {planes.shape} {planes.dtype} and {overlay.shape} {overlay.dtype}"
)
for name, plane in zip(CLASSES, planes, strict=True):
    print(f"  {name:7}{plane.mean():6.1%}")
print(f"  {'nothing':7}{1 - planes.sum(axis=0).mean():6.1%}")

# %%
# The picture: the channels-last result as colours, then the three planes.

figure, places = plt.subplots(1, 4, figsize=(7.5, 2), layout="constrained")
places[0].imshow(overlay)
places[0].set_title("channels last")
for axes, name, plane in zip(places[1:], CLASSES, planes, strict=True):
    axes.imshow(plane, cmap="gray", vmin=0, vmax=1)
    axes.set_title(name)
for axes in places:
    axes.set(xticks=[], yticks=[])
plt.show()

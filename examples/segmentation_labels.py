"""A segmentation map as one-hot planes: the target of a loss, with unlabelled pixels left out."""

from __future__ import annotations

import numpy as np

import dmlc

HEIGHT, WIDTH = 60, 80
CLASSES = ("sky", "ground", "house")
UNLABELLED = 255

rows, columns = np.mgrid[0:HEIGHT, 0:WIDTH]
labels = np.where(rows < 35, 0, 1).astype(np.uint8)
labels[20:45, 30:55] = 2
labels[:, :2] = UNLABELLED

# Channels first, as PyTorch wants it; an index outside the classes switches nothing on.
planes = dmlc.one_hot(labels, len(CLASSES), axis=0)
expected = labels == np.arange(len(CLASSES), dtype=np.uint8)[:, None, None]
assert np.array_equal(planes, expected.astype(np.float32))

# Channels last, as bytes with values of one's own.
overlay = dmlc.one_hot(labels, len(CLASSES), on_value=255, dtype=np.uint8)
assert np.array_equal(overlay, np.moveaxis(expected, 0, -1) * np.uint8(255))

print(f"{labels.shape} labels -> {planes.shape} {planes.dtype} and {overlay.shape} {overlay.dtype}")
for name, plane in zip(CLASSES, planes, strict=True):
    print(f"  {name:7}{plane.mean():6.1%}")
print(f"  {'nothing':7}{1 - planes.sum(axis=0).mean():6.1%}")

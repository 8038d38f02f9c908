"""A training batch from photographs: random crops, flips and borders, channels first, in one pass."""

from __future__ import annotations

import numpy as np
from matplotlib.cbook import get_sample_data
from PIL import Image

import dmlc

SIZE = 224

with Image.open(get_sample_data("grace_hopper.jpg", asfileobj=False)) as opened:
    photograph = np.array(opened.convert("RGB"))

# Photographs of different sizes, as a folder holds them.
photographs = [photograph, photograph[:180], photograph[100:, :200], photograph[::2, ::2]]
random = np.random.default_rng(7)

views = []
for image in photographs:
    height, width, _ = image.shape
    y, x = (
        random.integers(0, max(height - SIZE, 0) + 1),
        random.integers(0, max(width - SIZE, 0) + 1),
    )
    crop = image[y : y + SIZE, x : x + SIZE]
    flipped = crop[:, ::-1] if random.random() < 0.5 else crop
    views.append(
        flipped[:, :, ::-1].transpose(2, 0, 1)
    )  # BGR, channels first: a view, nothing is moved

batch = dmlc.collate(views, shape=(3, SIZE, SIZE), mode="reflect", align="center")
assert batch.flags.c_contiguous
for item, view in zip(batch, views, strict=True):
    missing = [SIZE - n for n in view.shape[1:]]
    border = [(0, 0), *((n // 2, n - n // 2) for n in missing)]
    assert np.array_equal(item, np.pad(view, border, "reflect"))
print("photographs of", ", ".join(f"{h}x{w}" for h, w, _ in (p.shape for p in photographs)))
print(f"-> one batch of {batch.shape} {batch.dtype}, cropped, flipped, mirrored at the borders")

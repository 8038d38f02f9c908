"""Letterboxing into a detector's batch
====================================

A detector takes square images. A frame that is not square is put in the middle of one, with grey
bars on both sides: a letterbox. ``dmlc.collate`` letterboxes a list of frames into one batch, takes
BGR to RGB and puts the channels first on the way, and returns a mask of what is real.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.cbook import get_sample_data
from PIL import Image

import dmlc

SIDE, GREY = 640, 114

# Three frames, blue first, as a camera's driver hands them over.
with Image.open(get_sample_data("grace_hopper.jpg", asfileobj=False)) as opened:
    sizes = [(SIDE, 360), (480, SIDE), (SIDE, SIDE)]
    frames = [
        np.array(opened.convert("RGB").resize(size))[..., ::-1].copy() for size in sizes
    ]

# %%
# Views turn the colours round and put the channels first; ``collate`` does the rest.

views = [frame[..., ::-1].transpose(2, 0, 1) for frame in frames]
batch, real = dmlc.collate(
    views, shape=(3, SIDE, SIDE), value=GREY, align="center", return_mask=True
)
print(f"{len(frames)} frames -> {batch.shape} {batch.dtype}")

# %%
# The same by hand: a grey batch, and each frame put into its middle.

expected = np.full(batch.shape, GREY, np.uint8)
for item, view in zip(expected, views, strict=True):
    top, left = ((SIDE - n) // 2 for n in view.shape[1:])
    item[:, top : top + view.shape[1], left : left + view.shape[2]] = view
assert np.array_equal(batch, expected)

# %%
# The mask counts the pixels that a detector should look at.

for frame, mask in zip(frames, real, strict=True):
    height, width, _ = frame.shape
    assert int(mask[0].sum()) == height * width
    print(f"  {width:3} x {height:3}: {mask[0].mean():4.0%} of the input is the frame")

# %%
# The picture: the batch above, its mask below.

figure, places = plt.subplots(2, 3, figsize=(7.5, 5.2), layout="constrained")
for (above, below), frame, item, mask in zip(
    places.T, frames, batch, real, strict=True
):
    above.imshow(item.transpose(1, 2, 0))
    above.set_title("from {1} x {0}".format(*frame.shape[:2]), fontsize=10)
    below.imshow(mask[0], cmap="gray", vmin=0, vmax=1)
    below.set_title("what is real", fontsize=10)
for axes in places.flat:
    axes.set(xticks=[], yticks=[])
plt.show()

"""Letterboxed frames to a detector's input: grey bars, RGB for BGR, channels first, and what is real."""

from __future__ import annotations

import numpy as np
from matplotlib.cbook import get_sample_data
from PIL import Image

import dmlc

SIDE, GREY = 640, 114

with Image.open(get_sample_data("grace_hopper.jpg", asfileobj=False)) as opened:
    sizes = [(SIDE, 360), (480, SIDE), (SIDE, SIDE)]
    frames = [
        np.array(opened.convert("RGB").resize(size))[..., ::-1].copy() for size in sizes
    ]  # BGR

views = [frame[..., ::-1].transpose(2, 0, 1) for frame in frames]
batch, real = dmlc.collate(
    views, shape=(3, SIDE, SIDE), value=GREY, align="center", return_mask=True
)

expected = np.full(batch.shape, GREY, np.uint8)
for item, view in zip(expected, views, strict=True):
    top, left = ((SIDE - n) // 2 for n in view.shape[1:])
    item[:, top : top + view.shape[1], left : left + view.shape[2]] = view
assert np.array_equal(batch, expected)
assert [int(mask[0].sum()) for mask in real] == [
    frame.shape[0] * frame.shape[1] for frame in frames
]
print(f"{len(frames)} frames -> {batch.shape} {batch.dtype}")
for frame, mask in zip(frames, real, strict=True):
    print(
        f"  {frame.shape[1]:3} x {frame.shape[0]:3}: {mask[0].mean():4.0%} of the input is the frame"
    )

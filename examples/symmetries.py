"""The eight symmetries of a photograph: turned four ways, mirrored or not, in one batch."""

from __future__ import annotations

import numpy as np
from matplotlib.cbook import get_sample_data
from PIL import Image

import dmlc

with Image.open(get_sample_data("grace_hopper.jpg", asfileobj=False)) as opened:
    photograph = np.array(opened.convert("RGB"))

square = dmlc.window(photograph, (40, 100, 0), (300, 300, 3))
assert np.array_equal(square, photograph[40:340, 100:400])

# Each is a view; all are copied under one team of threads.
views = [np.rot90(side, turns) for side in (square, square[:, ::-1]) for turns in range(4)]
symmetries = dmlc.stack(views)
assert np.array_equal(symmetries, np.stack(views))

print(f"{square.shape} -> {symmetries.shape}")
corners = {tuple(image[0, 0].tolist()) for image in symmetries}
print(f"the first pixel of the eight: {sorted(corners)}")
assert len(corners) <= 4  # the corners of the photograph, each met twice

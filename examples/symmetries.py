"""Flips and turns: eight symmetries in one batch
==============================================

A square can be turned four ways, and mirrored or not: eight views of one photograph, a common way
to have more training data. In NumPy each is a view that moves nothing. ``dmlc.stack`` copies all
views into one batch in one pass.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.cbook import get_sample_data

import dmlc

photograph = plt.imread(get_sample_data("grace_hopper.jpg", asfileobj=False))

# %%
# ``dmlc.window`` cuts the square out. This one lies inside the photograph, so that the mode does not
# matter.

square = dmlc.window(photograph, (20, 110, 0), (300, 300, 3))
assert np.array_equal(square, photograph[20:320, 110:410])

# %%
# Turned four ways, then mirrored and turned four ways. The views have eight different orders of
# their strides; one team of threads copies them all.

views = [
    np.rot90(side, turns) for side in (square, square[:, ::-1]) for turns in range(4)
]
symmetries = dmlc.stack(views)
assert np.array_equal(symmetries, np.stack(views))
print(f"{square.shape} -> {symmetries.shape}, packed: {symmetries.flags.c_contiguous}")

corners = {tuple(image[0, 0].tolist()) for image in symmetries}
print(f"the first pixel of the eight: {sorted(corners)}")
assert len(corners) <= 4  # the corners of the square, each met twice

# %%
# One flip alone is ``dmlc.flip``, which is ``numpy.flip`` copied into new memory.

mirrored = dmlc.flip(square, axis=1)
assert np.array_equal(mirrored, symmetries[4])
print("the fifth is dmlc.flip(square, axis=1)")

# %%
# The picture: the batch, the mirrored half below.

figure, places = plt.subplots(2, 4, figsize=(7.5, 4.2), layout="constrained")
for i, (axes, image) in enumerate(zip(places.flat, symmetries)):
    axes.imshow(image)
    axes.set_title(f"{'mirrored, ' if i >= 4 else ''}{90 * (i % 4)}°", fontsize=10)
    axes.set_axis_off()
plt.show()

"""The five borders on a photograph
================================

A border mode says what stands beyond the edge of an image. A filter needs to know: without a
border, a blurred image is smaller than the image. ``dmlc.pad`` has NumPy's five modes, and its
results are ``numpy.pad``'s, bit for bit.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.cbook import get_sample_data
from matplotlib.patches import Rectangle

import dmlc

MODES = ("constant", "edge", "reflect", "symmetric", "wrap")

photograph = plt.imread(get_sample_data("grace_hopper.jpg", asfileobj=False))
face = photograph[20:320, 110:410]
height, width, _ = face.shape

# %%
# Each mode adds 150 pixels on every side and nothing along the channels. A border may be wider
# than the image: mirrors and copies then go on periodically.

WIDE = ((150, 150), (150, 150), (0, 0))
padded = {mode: dmlc.pad(face, WIDE, mode) for mode in MODES}
for mode, result in padded.items():
    assert np.array_equal(result, np.pad(face, WIDE, mode))
print(
    f"{face.shape} -> {result.shape} in each of {len(padded)} modes, equal to numpy.pad's"
)

# %%
# A blur over 9 by 9 pixels needs 4 pixels of border to keep the image's size. The mode shows in
# the outermost pixels of the result.

RADIUS = 4
NARROW = ((RADIUS, RADIUS), (RADIUS, RADIUS), (0, 0))
print("the top left pixel after the blur, in red, green and blue:")
for mode in MODES:
    framed = dmlc.pad(face, NARROW, mode)
    side = 2 * RADIUS + 1
    neighbourhoods = np.lib.stride_tricks.sliding_window_view(
        framed, (side, side), axis=(0, 1)
    )
    blurred = neighbourhoods.mean(axis=(-2, -1))
    assert blurred.shape == face.shape
    print(f"  {mode:9}", np.round(blurred[0, 0]).astype(int))

# %%
# The picture: the photograph stands inside the white line, the border outside.

figure, places = plt.subplots(2, 3, figsize=(7.5, 5.2), layout="constrained")
for axes in places.flat:
    axes.set_axis_off()
places[0, 0].imshow(face)
places[0, 0].set(
    title="the photograph", xlim=(-150, width + 150), ylim=(height + 150, -150)
)
for axes, (mode, result) in zip(places.flat[1:], padded.items()):
    axes.imshow(result)
    axes.set_title(mode)
    axes.add_patch(Rectangle((150, 150), width, height, fill=False, edgecolor="white"))
plt.show()

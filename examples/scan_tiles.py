"""Tiles of a scan, and back
=========================

A scan that is too large for a network is cut into tiles. Each tile takes some of its surroundings
with it, so that the network knows what is around; beyond the scan these are its mirror image.
``dmlc.window`` reads any tile, inside the scan or across its edge, and the scan is never padded as a
whole.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle

import dmlc

HEIGHT, WIDTH = 1000, 1500
TILE, CONTEXT = 256, 32

# A made-up scan: waves that cross each other.
y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
waves = (
    np.sin(np.hypot(y - 300, x - 500) / 13)
    + np.sin((x + 2 * y) / 31)
    + np.sin((x - y) / 19)
)
scan = np.round(255 * (waves + 3) / 6).astype(np.uint8)

# %%
# Every tile has 32 pixels of context on each side and is written right into the batch.

side = TILE + 2 * CONTEXT
corners = [
    (top, left) for top in range(0, HEIGHT, TILE) for left in range(0, WIDTH, TILE)
]
batch = np.empty((len(corners), side, side), np.uint8)
for tile, (top, left) in zip(batch, corners, strict=True):
    dmlc.window(
        scan, (top - CONTEXT, left - CONTEXT), (side, side), "reflect", out=tile
    )
print(f"{scan.shape} -> {len(batch)} tiles of {side}x{side}, mirrored beyond the edges")

# %%
# The same by hand: the whole scan padded, and cut.

padded = np.pad(scan, [(CONTEXT, TILE + CONTEXT)] * 2, "reflect")
for tile, (top, left) in zip(batch, corners, strict=True):
    assert np.array_equal(tile, padded[top : top + side, left : left + side])

# %%
# Back together: the inner part of each tile; what went beyond the scan is cut off.

inner = batch[:, CONTEXT:-CONTEXT, CONTEXT:-CONTEXT]
grid = inner.reshape(-(-HEIGHT // TILE), -(-WIDTH // TILE), TILE, TILE).swapaxes(1, 2)
whole = dmlc.copy(grid).reshape(grid.shape[0] * TILE, -1)[:HEIGHT, :WIDTH]
assert np.array_equal(whole, scan)
print("put together again: the same scan")

# %%
# The picture: the scan with its tiles, and the tile in its last corner, most of it a mirror image.
# The scan's edges are the white lines.

figure, (left_half, right_half) = plt.subplots(
    1, 2, figsize=(7.5, 3.3), width_ratios=(1.7, 1), layout="constrained"
)
left_half.imshow(scan, cmap="gray")
for top, left in corners:
    left_half.add_patch(
        Rectangle((left, top), TILE, TILE, fill=False, edgecolor="orange")
    )
top, left = corners[-1]
box = Rectangle(
    (left - CONTEXT, top - CONTEXT),
    side,
    side,
    fill=False,
    edgecolor="red",
    linewidth=2,
)
left_half.add_patch(box)
left_half.set(xlim=(-40, left + side), ylim=(top + side, -40), title="the scan")
right_half.imshow(batch[-1], cmap="gray")
right_half.axhline(HEIGHT - top + CONTEXT, color="white")
right_half.axvline(WIDTH - left + CONTEXT, color="white")
right_half.set_title("the last tile")
for axes in (left_half, right_half):
    axes.set(xticks=[], yticks=[])
plt.show()

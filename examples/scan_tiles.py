"""Tiles of a large scan for a network, with context: what lies beyond the scan is its mirror image."""

from __future__ import annotations

import numpy as np

import dmlc

HEIGHT, WIDTH = 1000, 1500
TILE, CONTEXT = 256, 32

rows, columns = np.mgrid[0:HEIGHT, 0:WIDTH]
scan = ((rows // 7 + columns // 11) % 251).astype(np.uint8)

side = TILE + 2 * CONTEXT
corners = [(y, x) for y in range(0, HEIGHT, TILE) for x in range(0, WIDTH, TILE)]
batch = np.empty((len(corners), side, side), np.uint8)
for tile, (y, x) in zip(batch, corners, strict=True):
    # Inside the scan or beyond its edge: a window is a window, and the scan is never padded as a whole.
    dmlc.window(scan, (y - CONTEXT, x - CONTEXT), (side, side), "reflect", out=tile)

border = [(CONTEXT, TILE + CONTEXT)] * 2
padded = np.pad(scan, border, "reflect")
for tile, (y, x) in zip(batch, corners, strict=True):
    assert np.array_equal(tile, padded[y : y + side, x : x + side])

# Back together: the inner part of each tile, the last row and column cut off.
inner = batch[:, CONTEXT:-CONTEXT, CONTEXT:-CONTEXT]
grid = inner.reshape(-(-HEIGHT // TILE), -(-WIDTH // TILE), TILE, TILE).swapaxes(1, 2)
whole = dmlc.copy(grid).reshape(grid.shape[0] * TILE, -1)[:HEIGHT, :WIDTH]
assert np.array_equal(whole, scan)
print(f"{scan.shape} -> {batch.shape[0]} tiles of {side}x{side}, mirrored beyond the edges")
print("put together again: the same scan")

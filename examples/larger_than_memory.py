"""A scan larger than memory
=========================

A scan in a file gets a mirrored border, in another file, and never stands in memory as a whole:
``dmlc.out_of_core.pad`` makes the result in boxes that fit into the memory it is given. The files
here are small enough to run anywhere; nothing changes when they are a thousand times larger.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import dmlc.out_of_core

HEIGHT, WIDTH, BORDER = 1500, 2000, 250
MEMORY = 2**20

# A made-up scan, written strip by strip: waves that cross each other.
folder = tempfile.TemporaryDirectory()
files = Path(folder.name)
scan = np.lib.format.open_memmap(files / "scan.npy", "w+", np.float32, (HEIGHT, WIDTH))
for top in range(0, HEIGHT, 100):
    y, x = np.mgrid[top : top + 100, 0:WIDTH].astype(np.float32)
    scan[top : top + 100] = np.sin(np.hypot(y - 500, x - 700) / 40) + np.sin(x / 90)

# %%
# The border, within a tenth of the memory that the scan takes. The function notes how far it is.

shape = (HEIGHT + 2 * BORDER, WIDTH + 2 * BORDER)
padded = np.lib.format.open_memmap(files / "padded.npy", "w+", np.float32, shape)
steps: list[int] = []
dmlc.out_of_core.pad(
    scan,
    BORDER,
    "reflect",
    out=padded,
    memory=MEMORY,
    progress=lambda done, _total: steps.append(done),
)
assert np.array_equal(padded, np.pad(scan, BORDER, "reflect"))
print(
    f"{scan.nbytes / 2**20:.0f} MiB padded in {len(steps) - 1} boxes, in 1 MiB of memory"
)

# %%
# The same by Dask, where it is installed: chunk by chunk, on as many machines as it has.

try:
    import dask.array as da
except ImportError:
    print('for Dask: pip install "dmlc[dask]"')
else:
    import dmlc.dask

    lazy = dmlc.dask.pad(da.from_array(scan, chunks=500), BORDER, "reflect")
    print(f"Dask: {lazy.npartitions} chunks, each one task")
    assert np.array_equal(lazy.compute(), padded)

# %%
# The picture: the padded scan, and where each box of it begins.

picture = np.array(padded[::4, ::4])
# Files are closed before their folder goes.
del scan, padded
folder.cleanup()

figure, axes = plt.subplots(figsize=(6, 5), layout="constrained")
axes.imshow(picture, cmap="gray", extent=(0, shape[1], shape[0], 0))
for done in steps[1:-1]:
    axes.axhline(done // shape[1], color="orange", linewidth=0.7)
axes.add_patch(
    plt.Rectangle((BORDER, BORDER), WIDTH, HEIGHT, fill=False, edgecolor="red")
)
axes.set(xticks=[], yticks=[], title="the scan (red) and the boxes of the result")
plt.show()

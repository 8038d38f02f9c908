"""Operators on arrays larger than memory, on one machine: from a file to a file, box by box.

``source`` is anything with a shape and a dtype of which slices are arrays: a memory map, an array of Zarr, a data set of
h5py. ``out`` is what slices are assigned to. The result is made in boxes: a box of ``out`` is made by the compiled
kernels from what it reads of ``source``, and written, before the next one is begun. Boxes are whole chunks of ``out``,
where it has chunks.
"""

from __future__ import annotations

from dmlc.out_of_core.functions import copy, flip, pad, roll, slice, window

__all__ = ["copy", "flip", "pad", "roll", "slice", "window"]

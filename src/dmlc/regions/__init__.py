"""Results that are made region by region, from no more of the input than each region reads.

`axis` says what a range of one axis reads, `result` what the operators are in these terms, `write` makes a region.
Where the input's elements come from, chunks of Dask or a file, is the caller's: it hands in a function that reads.
"""

from __future__ import annotations

from dmlc.regions.axis import Axis, Piece
from dmlc.regions.result import (
    Part,
    Result,
    View,
    bounds_of,
    flipped,
    padded,
    parts_of,
    rolled,
    sliced,
    stacked,
    windowed,
)
from dmlc.regions.write import slices_of, write

__all__ = [
    "Axis",
    "Part",
    "Piece",
    "Result",
    "View",
    "bounds_of",
    "flipped",
    "padded",
    "parts_of",
    "rolled",
    "sliced",
    "slices_of",
    "stacked",
    "windowed",
    "write",
]

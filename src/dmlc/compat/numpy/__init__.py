"""NumPy's functions, run by dmlc wherever the result is exactly NumPy's, and by NumPy otherwise.

dmlc takes plain arrays (``type(a) is numpy.ndarray``) of numbers, truth values and times in the
machine's byte order, whole numbers that are Python's, and the arguments that it has a kernel for.
All else is NumPy's: subclasses, objects, strings, structures, statistics as padding, ``like=``,
``out=``, layouts that NumPy would keep. So is whatever is wrong, which NumPy says in its own words.

`flip` and `rot90` are NumPy's own: they return views, which move nothing. For a packed copy there
is `dmlc.flip`.

>>> import numpy as np
>>> from dmlc.compat.numpy import pad
>>> pad(np.array([1, 2, 3]), 2, mode="reflect")
array([3, 2, 1, 2, 3, 2, 1])
>>> pad(np.array([1, 2, 3]), 2, mode="mean")
array([2, 2, 1, 2, 3, 2, 2])
"""

from numpy import flip, rot90

from dmlc.compat.numpy.functions import eye, pad, repeat, roll, stack, tile, tri, tril, triu
from dmlc.compat.numpy.patch import Patch, patched

__all__ = [
    "Patch",
    "eye",
    "flip",
    "pad",
    "patched",
    "repeat",
    "roll",
    "rot90",
    "stack",
    "tile",
    "tri",
    "tril",
    "triu",
]

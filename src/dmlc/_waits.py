"""Loads the binding, and with it the OpenMP runtime, so that waiting threads sleep soon.

libgomp's threads spin for milliseconds before they sleep, on cores that the caller's own work and
every other library want, and it reads how long only once, when it is loaded. Two thousand turns,
some microseconds, bridge the gap between two calls in a loop. What the user has set stands; the
environment is left as it was. Where another package has loaded a libgomp for all before, as PyTorch
does, that one serves, and waits as it was told to.
"""

from __future__ import annotations

import os

__all__ = ["_core"]

_unset = not {"GOMP_SPINCOUNT", "OMP_WAIT_POLICY"} & os.environ.keys()
if _unset:
    os.environ["GOMP_SPINCOUNT"] = "2000"
try:
    from dmlc import _core
finally:
    if _unset:
        del os.environ["GOMP_SPINCOUNT"]

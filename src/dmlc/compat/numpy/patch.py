"""NumPy's own names made to mean dmlc's functions, and given back."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from dmlc.compat.numpy import functions


class Patch:
    """What `patched` did to NumPy.

    Attributes
    ----------
    functions : tuple of str
        The names that are replaced in ``numpy``.
    """

    functions = functions.NAMES

    @property
    def active(self) -> bool:
        """Whether every one of these names in ``numpy`` now means the function here."""
        return all(getattr(np, name) is _ours(name) for name in functions.NAMES)

    def missed(self) -> list[str]:
        """Return where modules hold a function of NumPy's that they took before.

        Only names of modules are looked at, not those in functions, classes or lists.
        """
        ours = {id(function): name for name, function in functions.NUMPYS_OWN.items()}
        found = []
        for module_name, module in list(sys.modules.items()):
            if module_name.partition(".")[0] in ("dmlc", "numpy"):
                continue
            for name, value in list(getattr(module, "__dict__", {}).items()):
                if id(value) in ours:
                    found.append(f"{module_name}.{name}")
        return sorted(found)

    def __repr__(self) -> str:
        state = "active" if self.active else "not active"
        return f"<numpy's {', '.join(self.functions)} by dmlc: {state}>"


_patch_lock = threading.Lock()
_patch_depth = 0
_displaced: dict[str, Any] = {}


@contextmanager
def patched() -> Iterator[Patch]:
    """Have ``numpy.pad`` and the others mean the functions here, for code that cannot be changed.

    It is for the whole process: every thread sees it, until the last of those that entered has
    left, in whatever order. A function that a module took before, by ``from numpy import pad``,
    stays NumPy's: `Patch.missed` says where. NumPy itself calls its own. Whoever replaces a name
    meanwhile and leaves it so keeps it.

    What looks functions of NumPy's up by identity does not know these: have Numba compile, and
    import packages that register functions for ``__array_function__``, outside.

    Yields
    ------
    Patch
        Its state, at any time.

    Examples
    --------
    >>> import numpy as np
    >>> import dmlc.compat.numpy
    >>> with dmlc.compat.numpy.patched() as patch:
    ...     np.pad is dmlc.compat.numpy.pad, patch.active
    (True, True)
    >>> np.pad is dmlc.compat.numpy.pad, patch.active
    (False, False)
    """
    global _patch_depth
    with _patch_lock:
        if _patch_depth == 0:
            _displaced.update((name, getattr(np, name)) for name in functions.NAMES)
            for name in functions.NAMES:
                setattr(np, name, _ours(name))
        _patch_depth += 1
    try:
        yield Patch()
    finally:
        with _patch_lock:
            _patch_depth -= 1
            if _patch_depth == 0:
                for name, before in _displaced.items():
                    if getattr(np, name) is _ours(name):
                        setattr(np, name, before)
                _displaced.clear()


def _ours(name: str) -> Any:
    return getattr(functions, name)

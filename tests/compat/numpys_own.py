"""A plugin for pytest: NumPy's own test files run with dmlc's functions in NumPy.

    python -m pytest -p compat.numpys_own --pyargs numpy.lib.tests.test_arraypad

It patches NumPy before a test file can take a function out of it, and says at the end how many
calls dmlc ran.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from dmlc.compat.numpy import functions, patched

CALLS: Counter[str] = Counter()
RUN = functions._by_dmlc
PATCHED = patched()
PATCHED.__enter__()


def _counting(function: Any, *arguments: Any, **keywords: Any) -> Any:
    result = RUN(function, *arguments, **keywords)
    if result is not None:
        CALLS[function.__name__.strip("_")] += 1
    return result


functions._by_dmlc = _counting


def pytest_terminal_summary(terminalreporter: Any) -> None:
    terminalreporter.line(
        "calls that dmlc ran: " + " ".join(map("{0[0]}={0[1]}".format, CALLS.items()))
    )

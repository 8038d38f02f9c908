"""Settings of the whole suite.

`pytest -m ecosystem` runs what meets other libraries: the folders and modules in ECOSYSTEM. What is not installed skips.

DMLC_TEST_EXAMPLES multiplies hypothesis's examples: without it a seventh of them is drawn, so that a
user waits minutes at most; CI sets it to 1. Below that, tests marked `long` are skipped: each takes
seconds or gigabytes. DMLC_GUARD_ARRAYS=1 puts every array next to a page that no one may touch, see
guarded_arrays.py.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ECOSYSTEM = (
    "cli/test_main.py",  # the examples
    "compat",
    "dask_arrays",
    "documentation",
    "functions/test_kinds.py",
    "functions/test_tensors.py",
    "house/test_ecosystem.py",
    "house/test_public_surface.py",
    "onnx_operators",
    "out_of_core",
    "pytorch",
    "robustness/test_host_threads.py",
    "robustness/test_processes.py",
)

EXAMPLES = float(os.environ.get("DMLC_TEST_EXAMPLES", "0.15"))

_TESTS = Path(__file__).parent


@cache
def meets_others(path: Path) -> bool:
    """Whether a test module is among ECOSYSTEM."""
    return any(path == _TESTS / name or _TESTS / name in path.parents for name in ECOSYSTEM)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if meets_others(item.path):
            item.add_marker("ecosystem")
        if EXAMPLES < 1 and item.get_closest_marker("long"):
            item.add_marker(
                pytest.mark.skip(f"long, and DMLC_TEST_EXAMPLES is {EXAMPLES:g}, not 1")
            )


settings.register_profile(
    "dmlc",
    max_examples=int(250 * EXAMPLES),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    print_blob=True,
)
settings.load_profile("dmlc")

if os.environ.get("DMLC_GUARD_ARRAYS") == "1":
    from guarded_arrays import install

    install()

"""threadpoolctl shows dmlc, limits it, and leaves it as it was."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

import dmlc
from robustness.processes import run_python

threadpoolctl: Any = pytest.importorskip("threadpoolctl", reason="threadpoolctl is not installed")

import dmlc.compat.threadpoolctl


@pytest.fixture(autouse=True)
def five_threads() -> Iterator[None]:
    """More than a machine of tests has, so that no limit is the number by chance."""
    before = dmlc.get_num_threads()
    dmlc.set_num_threads(5)
    yield
    dmlc.set_num_threads(before)


def shown() -> Any:
    (info,) = [i for i in threadpoolctl.threadpool_info() if i["user_api"] == "dmlc"]
    return info


def test_it_is_shown() -> None:
    info = shown()
    assert info["internal_api"] == "dmlc"
    assert info["version"] == dmlc.__version__
    assert info["num_threads"] == 5
    assert info["filepath"].endswith(("so", "pyd"))
    with dmlc.num_threads(2):
        assert shown()["num_threads"] == 2


@pytest.mark.parametrize("limits", [1, {"dmlc": 1}, {"_dmlc.": 1}])
def test_it_is_limited_and_restored(limits: Any) -> None:
    with threadpoolctl.threadpool_limits(limits):
        assert dmlc.get_num_threads() == shown()["num_threads"] == 1
        with threadpoolctl.threadpool_limits(3):
            assert dmlc.get_num_threads() == 3
            with dmlc.num_threads(2):
                assert dmlc.get_num_threads() == 2
        assert dmlc.get_num_threads() == 1
    assert dmlc.get_num_threads() == 5


def test_what_is_set_meanwhile_stays() -> None:
    with threadpoolctl.threadpool_limits(2):
        dmlc.set_num_threads(4)
        assert dmlc.get_num_threads() == 2
    assert dmlc.get_num_threads() == 4
    # Limits of other libraries are none of dmlc's, nor do they leave the thread a number of its own.
    with threadpoolctl.threadpool_limits(1, user_api="blas"):
        assert dmlc.get_num_threads() == 4
        dmlc.set_num_threads(3)
        assert dmlc.get_num_threads() == 3
    assert dmlc.get_num_threads() == 3
    with dmlc.num_threads(6):
        with threadpoolctl.threadpool_limits(2):
            pass
        assert dmlc.get_num_threads() == 6


def test_limits_are_the_threads_own() -> None:
    found = []
    with threadpoolctl.threadpool_limits(2):
        other = threading.Thread(target=lambda: found.append(dmlc.get_num_threads()))
        other.start()
        other.join()
    assert found == [5]
    assert threadpoolctl.threadpool_info(debugging_info=True)
    assert dmlc.get_num_threads() == 5


def test_openmps_numbers_hold_again_after_a_limit() -> None:
    """Of a process in which nothing was set, the number is OpenMP's before and after."""
    run_python(
        """
import threadpoolctl
import dmlc
if not dmlc.show_config()["openmp"]:
    raise SystemExit
assert any(info["user_api"] == "dmlc" for info in threadpoolctl.threadpool_info())
before = dmlc.get_num_threads()
with threadpoolctl.threadpool_limits(1):
    assert dmlc.get_num_threads() == 1
assert dmlc.get_num_threads() == before
for info in threadpoolctl.threadpool_info():
    if info["user_api"] == "openmp":
        limits = {info["filepath"]: 1}
        with threadpoolctl.threadpool_limits(limits):
            print(dmlc.get_num_threads())
"""
    )


def test_it_is_registered_in_either_order() -> None:
    for imports in (
        "import threadpoolctl, dmlc",
        "import dmlc, threadpoolctl, dmlc.compat.threadpoolctl",
        "import dmlc.compat.threadpoolctl, threadpoolctl",
    ):
        run_python(
            f"""
{imports}
infos = [i for i in threadpoolctl.threadpool_info() if i["user_api"] == "dmlc"]
assert len(infos) == 1, infos
"""
        )
    run_python("import sys, dmlc; assert 'threadpoolctl' not in sys.modules")

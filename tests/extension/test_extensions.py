"""The kernels, called by extensions of others: the same results, from several threads, without the GIL."""

from __future__ import annotations

import ctypes
import threading
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dmlc
from dmlc import _dmlc
from extension.building import load

IMAGE = np.random.default_rng(5).standard_normal((37, 53)).astype(np.float32)
BORDER = 60
REFLECTED = np.pad(IMAGE, BORDER, "reflect")


@pytest.fixture
def cython_user(built: Path) -> ModuleType:
    return load(built, "cython_user")


@pytest.fixture
def c_user(built: Path) -> ModuleType:
    return load(built, "c_user")


def same_bits(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> bool:
    return (
        left.dtype == right.dtype
        and left.shape == right.shape
        and left.tobytes() == right.tobytes()
    )


def test_padding(cython_user: ModuleType) -> None:
    output = np.empty_like(REFLECTED)
    cython_user.reflect(IMAGE, BORDER, output)
    assert same_bits(output, REFLECTED)
    cython_user.reflect(IMAGE[::-1, ::-1], BORDER, output[::-1, ::-1])
    assert same_bits(output, REFLECTED)


def test_slice(cython_user: ModuleType) -> None:
    row, output = IMAGE[0].copy(), np.empty(18, np.float32)
    cython_user.take(row, 52, -3, output)
    assert same_bits(output, row[52::-3])


def test_one_hot(cython_user: ModuleType) -> None:
    output = np.empty((5, 4), np.float32)
    cython_user.one_hot(np.array([3, 0, -1, 4, -5]), output)
    assert same_bits(output, dmlc.one_hot([3, 0, -1, 4, -5], 4, negative="wrap"))


def test_diagonal_matrix(cython_user: ModuleType) -> None:
    output = np.empty((7, 9), np.float32)
    assert cython_user.band(-1, 2, output) >= output.nbytes
    assert same_bits(output, np.tri(7, 9, 1, np.float32) - np.tri(7, 9, -2, np.float32))


def test_a_broken_rule_is_a_status(cython_user: ModuleType) -> None:
    with pytest.raises(ValueError, match="an argument breaks its rule"):
        cython_user.reflect(IMAGE, -1, np.empty_like(REFLECTED))


def test_settings_are_the_packages(cython_user: ModuleType) -> None:
    config = dmlc.show_config()
    expected = config["version"], config["openmp"], config["isas"][0], config["isa"]
    assert cython_user.settings() == expected
    assert cython_user.choose_isa(config["isa"].encode())
    assert not cython_user.choose_isa(b"sparc")
    assert dmlc.show_config() == config

    before = dmlc.get_num_threads()
    try:
        assert cython_user.choose_threads(3, 2) == (2, 0)
        assert dmlc.get_num_threads() == 2
        assert cython_user.choose_threads(before, 0) == (before, 2)
    finally:
        dmlc.set_num_threads(before)


def test_the_gil_is_free(cython_user: ModuleType) -> None:
    """Threads that hold the GIL would keep this one from stopping them, and each other from starting."""
    most = 300_000
    stop = np.zeros(1, np.int32)
    outputs = [np.zeros_like(REFLECTED) for _ in range(4)]
    runs = [most] * len(outputs)

    def work(number: int) -> None:
        with dmlc.num_threads(1):
            runs[number] = cython_user.reflect_until(IMAGE, BORDER, outputs[number], stop, most)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(outputs))]
    for thread in threads:
        thread.start()
    time.sleep(0.2)
    stop[0] = 1
    for thread in threads:
        thread.join()
    assert max(runs) < most
    assert sum(runs) > 0
    done = [output for output, number in zip(outputs, runs, strict=True) if number > 0]
    assert all(same_bits(output, REFLECTED) for output in done)


def test_c(c_user: ModuleType) -> None:
    picture = np.random.default_rng(6).integers(0, 256, (300, 400), np.uint8)
    outputs = [np.empty((420, 520), np.uint8) for _ in range(4)]
    threads = [
        threading.Thread(target=c_user.reflect, args=(picture, output, 300, 400, BORDER))
        for output in outputs
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = np.pad(picture, BORDER, "reflect")
    assert all(same_bits(output, expected) for output in outputs)
    with pytest.raises(ValueError, match="reflect: an argument breaks its rule"):
        c_user.reflect(picture, outputs[0], 300, 400, -1)


@pytest.mark.parametrize("change", [(2, 0), (0, -1)], ids=["another ABI", "fewer functions"])
def test_another_table_is_refused(
    built: Path, monkeypatch: pytest.MonkeyPatch, change: tuple[int, int]
) -> None:
    """A copy of the package's table, with another ABI or of fewer bytes, stands in its place."""
    ctypes.pythonapi.PyCapsule_GetPointer.restype = ctypes.POINTER(ctypes.c_int32)
    ctypes.pythonapi.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    ctypes.pythonapi.PyCapsule_New.restype = ctypes.py_object
    ctypes.pythonapi.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    name = b"dmlc._dmlc.c_api"
    own = ctypes.pythonapi.PyCapsule_GetPointer(_dmlc.c_api, name)
    abi, size = own[0], own[1]
    table = ctypes.create_string_buffer(ctypes.string_at(own, size), size)
    header = ctypes.cast(table, ctypes.POINTER(ctypes.c_int32))
    header[0] += change[0]
    header[1] += change[1]
    monkeypatch.setattr(_dmlc, "c_api", ctypes.pythonapi.PyCapsule_New(table, name, None))
    message = (
        rf"must have ABI {abi} and at least {size} bytes.* the installed dmlc {dmlc.__version__} "
        rf"has ABI {abi + change[0]} and {size + change[1]} bytes"
    )
    with pytest.raises(ImportError, match=message):
        load(built, "c_user")

"""Every instruction set of kernels gives the same bits; one that this machine lacks skips."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from reference.padding import MODES

import dmlc
import stress_numpy_equality
from arrays import (
    HAS_GUARD_PAGES,
    INDEX_DTYPES,
    WIDTH_DTYPES,
    WRITABLE_LAYOUTS,
    Target,
    assert_same,
    guard_pages,
    lay_out,
    random_values,
)
from dmlc import _dmlc
from functions.calls import CALLS
from reference import one_hot, padding
from strategies import index_values

ISAS = ("avx512", "avx2", "neon", "baseline")


@pytest.fixture(params=ISAS)
def isa(request: pytest.FixtureRequest) -> Iterator[str]:
    before = _dmlc.isa()
    if request.param not in _dmlc.isa_names():
        pytest.skip(f"this machine or build has no {request.param}")
    _dmlc.set_isa(request.param)
    yield request.param
    _dmlc.set_isa(before)


def test_the_isa_is_set(isa: str) -> None:
    assert dmlc.show_config()["isa"] == isa


def test_every_known_isa_is_tested() -> None:
    assert set(dmlc.show_config()["isas"]) <= set(ISAS)
    assert "baseline" in dmlc.show_config()["isas"]


def test_calls_into_any_layout(isa: str) -> None:
    for call in CALLS:
        for dtype in WIDTH_DTYPES:
            array = call.make_input(dtype, (3, 4, 37))
            keywords = {"dtype": dtype} if call.index_input else {}
            _dmlc.set_isa("baseline")
            expected = call.run(array, **keywords)
            _dmlc.set_isa(isa)
            assert_same(call.run(array, **keywords), expected)
            for layout in WRITABLE_LAYOUTS:
                target = Target(expected.shape, dtype, layout)
                source = array if call.index_input else lay_out(array, layout)
                call.run(source, out=target.view, **keywords)
                assert_same(np.array(target.view, order="C"), expected)
                target.assert_gaps_untouched()


def test_strided_copies(isa: str) -> None:
    for dtype in WIDTH_DTYPES:
        memory = random_values((5, 1200), dtype, 5)
        for stride in (1, 2, 3, 4, 5, 6, 7, 8, 11, 16, -1, -2, -3, -4, -5, -7):
            for length in [*range(1, 68, 3), 96, 127, 128, 129]:
                rows = memory[:, 3 : 3 + length * abs(stride)][:, ::stride]
                assert_same(dmlc.copy(rows), np.array(rows, order="C"))


def test_pixels_and_channels(isa: str) -> None:
    for dtype in WIDTH_DTYPES:
        for channels in range(1, 10):
            for pixels in (1, 7, 16, 33, 65):
                image = random_values((3, pixels, channels), dtype, pixels)
                for view in (
                    image[..., ::-1],
                    image[:, ::-1],
                    image[..., 1:],
                    image[..., ::2],
                    np.moveaxis(image, -1, 0),
                    image.transpose(1, 0, 2),
                ):
                    assert_same(dmlc.copy(view), np.array(view, order="C"))


def test_pads(isa: str) -> None:
    for mode in MODES:
        for dtype in WIDTH_DTYPES:
            for length in (1, 2, 3, 5, 8, 15, 16, 17, 31, 33, 63, 64, 65, 200):
                array = random_values((2, length), dtype, length)
                widths = [(1, 2), (length % 7, 2 * length % 97)]
                assert_same(dmlc.pad(array, widths, mode), padding.pad(array, widths, mode))
                channels = array.reshape(2, length, 1)
                widths = [(0, 0), (1, 0), (0, 2)]
                assert_same(dmlc.pad(channels, widths, mode), padding.pad(channels, widths, mode))


def test_one_hots(isa: str) -> None:
    for index_dtype in INDEX_DTYPES:
        for dtype in WIDTH_DTYPES:
            on, off = np.array(3, dtype), np.array(7, dtype)
            for depth in (1, 2, 3, 4, 7, 8, 9, 16, 33, 130, 257):
                indices = index_values((3, 37), index_dtype, depth, depth)
                for axis in (0, 1, 2):
                    result = dmlc.one_hot(
                        indices, depth, axis=axis, on_value=on, off_value=off, dtype=dtype
                    )
                    assert_same(result, one_hot.one_hot(indices, depth, axis, on, off))


@pytest.mark.skipif(not HAS_GUARD_PAGES, reason="guard pages are set with Linux's mprotect")
@pytest.mark.parametrize("at", ["start", "end"])
def test_no_byte_beyond_the_arrays_is_touched(isa: str, at: str) -> None:
    for call in CALLS:
        for dtype in WIDTH_DTYPES:
            for length in (5, 13, 64, 67):
                array = call.make_input(dtype, (3, 4, length))
                keywords = {"dtype": dtype} if call.index_input else {}
                expected = call.run(array, **keywords)
                with guard_pages(array, at) as source, guard_pages(expected, at) as out:
                    call.run(source, out=out, **keywords)
                    same = out.tobytes() == expected.tobytes()
                    del source, out
                assert same


def test_random_pads_are_numpys(isa: str) -> None:
    stress_numpy_equality.run(cases=1500, seed=11)


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=os.environ | environment,
        check=False,
    )


@pytest.mark.parametrize("name", ISAS)
def test_the_environment_forces_an_isa_or_refuses_at_import(name: str) -> None:
    result = run_python("import dmlc; print(dmlc.show_config()['isa'])", DMLC_ISA=name)
    if name in _dmlc.isa_names():
        assert result.stdout.strip() == name
    else:
        assert "DMLC_ISA" in result.stderr
        assert result.returncode != 0


def test_an_unknown_isa_is_refused_at_import() -> None:
    result = run_python("import dmlc", DMLC_ISA="nonsense")
    assert result.returncode != 0
    assert "ValueError" in result.stderr
    assert "nonsense" in result.stderr

"""Classes of arrays that mean more than their elements, or keep them elsewhere: the table of `dmlc.arrays`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dmlc
from arrays import assert_same
from functions.calls import CALLS, Call
from robustness.processes import run_python

VALUES = np.arange(12, dtype=np.float32).reshape(3, 4)
TENSOR = dmlc.BufferTensorDesc(dmlc.TensorDataType.FLOAT32, VALUES.shape)
OPERATOR = dmlc.CompiledOperator(
    dmlc.SliceOperatorDesc(TENSOR, TENSOR, (0, 0), VALUES.shape, (1, 1))
)

# Every function that takes an array, and a compiled operator.
USES: dict[str, Callable[[Any], Any]] = {
    "pad": lambda array: dmlc.pad(array, 1),
    "slice": lambda array: dmlc.slice(array, (0, 0), (3, 4), (1, 1)),
    "copy": dmlc.copy,
    "flip": dmlc.flip,
    "tril": dmlc.tril,
    "triu": dmlc.triu,
    "fill_band": lambda array: dmlc.fill_band(array, 0, 1, 2),
    "one_hot": lambda array: dmlc.one_hot(array, 3),
    "pad_sequence": lambda array: dmlc.pad_sequence([VALUES, array]),
    "window": lambda array: dmlc.window(array, (0, 1), (2, 3)),
    "roll": lambda array: dmlc.roll(array, 1),
    "frames": lambda array: dmlc.frames(array, 2, 1),
    "tile": lambda array: dmlc.tile(array, 2),
    "repeat": lambda array: dmlc.repeat(array, 2),
    "stack": lambda array: dmlc.stack([VALUES, array]),
    "collate": lambda array: dmlc.collate([VALUES, array]),
    "operator": OPERATOR,
}


def refused(array: Any, advice: str) -> None:
    for name, use in USES.items():
        with pytest.raises(TypeError, match=advice) as raised:
            use(array)
        assert type(array).__name__ in str(raised.value), name


def refused_as_out(out: Any, advice: str) -> None:
    before = np.asarray(out).tobytes()
    expected = pytest.raises(TypeError, match=advice)
    with expected:
        dmlc.copy(VALUES, out=out)
    with expected:
        OPERATOR(VALUES, out=out)
    assert np.asarray(out).tobytes() == before


def served(array: Any) -> None:
    """As NumPy reads it, as a plain array."""
    plain = np.array(np.asarray(array), order="C")
    for name, use in USES.items():
        if name != "one_hot":
            assert_same(use(array), use(plain))


# --- refused, with the call to make -------------------------------------------------------------


def masked(shape: tuple[int, ...] = VALUES.shape) -> Any:
    return np.ma.masked_array(np.ones(shape, np.float32), np.eye(*shape, dtype=bool))


def test_masked_arrays() -> None:
    refused(masked(), r"\.filled\(value\), or \.data")
    refused(np.ma.masked_array(VALUES), r"\.filled\(value\)")
    refused_as_out(masked(), r"\.data")
    out = masked()
    assert dmlc.copy(VALUES, out=out.data) is not None
    np.testing.assert_array_equal(out.data, VALUES)
    assert_same(dmlc.copy(masked().filled(7)), masked().filled(7))


def test_masked_values() -> None:
    for use in (
        lambda value: dmlc.pad(VALUES, 1, constant_values=value),
        lambda value: dmlc.fill_band(VALUES, 0, 1, value),
        lambda value: dmlc.one_hot([1], 2, on_value=value),
        lambda value: dmlc.causal_mask(3, value=value),
        lambda value: dmlc.pad_sequence([VALUES], value=value),
        lambda value: dmlc.window(VALUES, (0, 1), (2, 3), constant_values=value),
        lambda value: dmlc.collate([VALUES], value=value),
    ):
        for value in (np.ma.masked, np.ma.masked_array(1.0, True)):
            with pytest.raises(TypeError, match=r"\.filled\(value\)"):
                use(value)


def test_every_function_refuses_a_masked_out() -> None:
    for call in CALLS:
        keywords = {"dtype": np.float32} if call.index_input else {}
        array = call.make_input(np.dtype(np.float32))
        out = np.ma.masked_array(call.run(array, **keywords), mask=False)
        with pytest.raises(TypeError, match=r"pass \.filled\(value\), or \.data"):
            call.run(array, out=out, **keywords)


def test_astropy_quantities() -> None:
    units = pytest.importorskip("astropy.units", reason="astropy is not installed")
    refused(VALUES * units.m, r"units: pass its \.value")
    refused_as_out(np.ones((3, 4), np.float32) * units.m, r"\.value")
    with pytest.raises(TypeError, match=r"\.value"):
        dmlc.pad(VALUES, 1, constant_values=3 * units.m)
    assert_same(dmlc.copy((VALUES * units.m).value), VALUES)


def test_pint_quantities() -> None:
    pint = pytest.importorskip("pint", reason="pint is not installed")
    metres = pint.UnitRegistry().Quantity(VALUES, "m")
    refused(metres, r"units: pass its \.magnitude")
    assert_same(dmlc.copy(metres.magnitude), VALUES)


def test_scipy_sparse() -> None:
    sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
    for make in (sparse.csr_array, sparse.coo_array, sparse.csr_matrix, sparse.dia_array):
        refused(make(VALUES), r"sparse: pass \.toarray\(\)")
        assert_same(dmlc.flip(make(VALUES).toarray()), dmlc.flip(VALUES))


def test_pydata_sparse() -> None:
    sparse = pytest.importorskip("sparse", reason="PyData's sparse is not installed")
    for make in (sparse.COO.from_numpy, sparse.GCXS.from_numpy):
        refused(make(VALUES), r"sparse: pass \.todense\(\)")


def test_dask_arrays() -> None:
    array = pytest.importorskip("dask.array", reason="Dask is not installed").from_array(VALUES)
    refused(array, r"not computed yet: pass \.compute\(\)")
    assert_same(dmlc.copy(array.compute()), VALUES)


def test_xarray_of_dask() -> None:
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
    dask = pytest.importorskip("dask.array", reason="Dask is not installed")
    refused(xarray.DataArray(dask.from_array(VALUES)), r"\.compute\(\)")


class OnDevice:
    """What CuPy, PyTorch and JAX show of an array that is not in the CPU's memory."""

    def __init__(self, device: tuple[int, int], also_array: bool) -> None:
        self._device = device
        if also_array:
            self.__class__ = OnDeviceAsArray

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device

    def __dlpack__(self, **keywords: Any) -> Any:
        raise AssertionError("asked for memory of a device")


class OnDeviceAsArray(OnDevice):
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise AssertionError("copied without a word")


class OnlyCuda:
    """Numba's."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {}


@pytest.mark.parametrize("also_array", [False, True])
def test_arrays_on_devices(also_array: bool) -> None:
    for number in (2, 4, 7, 8, 10, 14):
        refused(
            OnDevice((number, 0), also_array), "another device: pass a copy in the CPU's memory"
        )
    refused(OnlyCuda(), "another device")


# --- read and written where they are ------------------------------------------------------------


class Plain(np.ndarray):
    pass


def test_subclasses_that_mean_no_more() -> None:
    served(VALUES.view(Plain))
    served(VALUES[::-1].view(Plain))
    served(VALUES.view(np.matrix))
    for kind in (Plain, np.matrix):
        for call in CALLS:
            if call.name.startswith("copy") or "one_hot" in call.name:
                continue
            _write(call, kind)


def _write(call: Call, kind: Any) -> None:
    array = call.make_input(np.dtype(np.float32))
    expected = call.run(array)
    if kind is np.matrix and expected.ndim != 2:
        return
    memory = np.zeros_like(expected)
    out = memory.view(kind)
    assert call.run(array, out=out) is out
    assert_same(memory, expected)


def test_operators_write_into_subclasses() -> None:
    for kind in (Plain, np.matrix):
        memory = np.zeros_like(VALUES)
        out = memory.view(kind)
        assert OPERATOR(VALUES.view(kind), out=out) is out
        assert_same(memory, VALUES)


def test_memmaps(tmp_path: Any) -> None:
    stored = np.memmap(tmp_path / "in", np.float32, "w+", shape=VALUES.shape)
    stored[...] = VALUES
    served(stored)
    out = np.memmap(tmp_path / "out", np.float32, "w+", shape=VALUES.shape)
    assert dmlc.flip(stored, out=out) is out
    out.flush()
    assert (tmp_path / "out").read_bytes() == VALUES[::-1, ::-1].tobytes()


def test_record_arrays() -> None:
    records = np.rec.array([(1, 2), (3, 4)], dtype=[("a", "i4"), ("b", "i4")])
    assert dmlc.flip(records).tolist() == [(3, 4), (1, 2)]


def test_scalars_lists_and_protocols() -> None:
    class Interface:
        __array_interface__ = VALUES.__array_interface__

    assert_same(dmlc.copy(np.float32(3)), np.array(3, np.float32))
    assert_same(dmlc.copy([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]]))
    assert_same(dmlc.copy(Interface()), VALUES)  # type: ignore[arg-type]
    assert_same(dmlc.copy(memoryview(VALUES.data)), VALUES)


def test_pandas() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(VALUES, columns=["units", "magnitude", "unit", "to_value"])
    served(frame)
    assert_same(dmlc.copy(frame["unit"]), VALUES[:, 2].copy())
    assert_same(dmlc.copy(pandas.Index([3, 1])), np.array([3, 1]))
    times = pandas.DatetimeIndex(["2000-01-01"])
    assert_same(dmlc.copy(times), times.to_numpy().copy())
    assert_same(dmlc.one_hot(pandas.Series([1, 0]), 2), np.eye(2, dtype=np.float32)[[1, 0]])


def test_xarray() -> None:
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
    served(xarray.DataArray(VALUES, attrs={"units": "m", "magnitude": 1, "nnz": 2}))


def test_dlpack_of_a_cpu() -> None:
    class OnCpu:
        def __dlpack_device__(self) -> tuple[int, int]:
            return VALUES.__dlpack_device__()

        def __dlpack__(self, **keywords: Any) -> Any:
            return VALUES.__dlpack__(**keywords)

    served_by_dlpack = dmlc.copy(OnCpu())
    assert_same(served_by_dlpack, VALUES)


def test_no_library_is_imported_for_it() -> None:
    run_python(
        """
import sys
import numpy as np

before = "numpy.ma" in sys.modules
import dmlc

class Sub(np.ndarray):
    pass

dmlc.pad(np.zeros(3).view(Sub), 1, out=np.zeros(5).view(Sub))
dmlc.copy([1, 2])
assert before or "numpy.ma" not in sys.modules
assert not {"dask", "xarray", "scipy", "sparse", "pint", "astropy", "pandas"} & sys.modules.keys()
"""
    )

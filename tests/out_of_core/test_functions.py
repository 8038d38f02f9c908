"""dmlc.out_of_core: the eager functions' results, box by box, through memory maps and stores."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlc
import dmlc.out_of_core as large
from arrays import Array, assert_same, lay_out, random_values
from strategies import all_dtypes, modes, pad_widths, seeds, shapes, windows
from strategies import writable_layouts as layouts


class Store:
    """Slices of steps of 1 or more, and nothing else; it notes what is read and written."""

    def __init__(self, values: Array, chunks: tuple[int, ...] | None = None) -> None:
        self.values = values
        self.shape = values.shape
        self.dtype = values.dtype
        self.reads: list[int] = []
        self.writes: list[tuple[slice, ...]] = []
        if chunks is not None:
            self.chunks = chunks

    def __getitem__(self, key: tuple[slice, ...]) -> Array:
        assert len(key) == len(self.shape)
        assert all(k.start >= 0 and k.stop > k.start and k.step >= 1 for k in key)
        part = self.values[key].copy()
        self.reads.append(part.size)
        return part

    def __setitem__(self, key: tuple[slice, ...], value: Array) -> None:
        assert all(k.step is None for k in key)
        assert value.shape == self.values[key].shape
        self.writes.append(key)
        self.values[key] = value


@st.composite
def outs(draw: st.DrawFn, expected: Array) -> tuple[Any, int]:
    """What may be written, and an amount of memory that is enough for it and little more."""
    values = np.zeros_like(expected)
    itemsize = expected.itemsize
    elements = draw(st.integers(1, 40))
    if draw(st.booleans()):
        return lay_out(values, draw(layouts)), 3 * itemsize * elements
    chunks = tuple(draw(st.integers(1, 5)) for _ in expected.shape)
    least = int(np.prod([min(c, n) for c, n in zip(chunks, expected.shape, strict=True)]))
    return Store(values, chunks), 3 * itemsize * max(least, 1) * draw(st.integers(1, 4))


def values_of(out: Any) -> Array:
    return np.array(out.values if isinstance(out, Store) else out)


@st.composite
def sources(draw: st.DrawFn, **sizes: int) -> tuple[Array, Any]:
    values = random_values(
        draw(shapes(max_rank=4, max_elements=300, **sizes)), draw(all_dtypes), draw(seeds)
    )
    return values, Store(values) if draw(st.booleans()) else lay_out(values, draw(layouts))


def check(
    data: st.DataObject,
    function: Any,
    expected: Array,
    source: Any,
    *arguments: Any,
    **keywords: Any,
) -> None:
    out, memory = data.draw(outs(expected))
    steps: list[tuple[int, int]] = []
    if isinstance(source, Store):
        source.reads.clear()
    returned = function(
        source,
        *arguments,
        **keywords,
        out=out,
        memory=memory,
        progress=lambda *step: steps.append(step),
    )
    assert returned is out
    assert_same(values_of(out), expected)
    assert steps[0] == (0, expected.size)
    assert steps[-1] == (expected.size, expected.size)
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)
    largest = max((b - a for (a, _), (b, _) in pairwise(steps)), default=0)
    assert 3 * largest * expected.itemsize <= memory
    if isinstance(source, Store):
        assert max(source.reads, default=0) <= largest
    if isinstance(out, Store):
        # Every chunk is written once.
        assert all(
            k.start % c == 0 for key in out.writes for k, c in zip(key, out.chunks, strict=True)
        )
        assert sum(out.values[key].size for key in out.writes) == expected.size


@given(st.data())
def test_pad(data: st.DataObject) -> None:
    values, source = data.draw(sources())
    mode = data.draw(modes)
    widths: Any = data.draw(pad_widths(values.shape, mode, crop=True, max_elements=2000)) or 0
    check(data, large.pad, dmlc.pad(values, widths, mode), source, widths, mode)


@given(st.data())
def test_window(data: st.DataObject) -> None:
    values, source = data.draw(sources(min_side=1))
    mode = data.draw(modes)
    starts = [data.draw(st.integers(-40, 40)) for _ in values.shape]
    sizes = [data.draw(st.integers(0, 9)) for _ in values.shape]
    check(data, large.window, dmlc.window(values, starts, sizes, mode), source, starts, sizes, mode)


@given(st.data())
def test_roll_flip_copy(data: st.DataObject) -> None:
    values, source = data.draw(sources())
    shift = data.draw(st.integers(-400, 400))
    check(data, large.roll, dmlc.roll(values, shift), source, shift)
    check(data, large.flip, dmlc.flip(values), source)
    check(data, large.copy, dmlc.copy(values), source)
    if values.ndim:
        axis = data.draw(st.integers(-values.ndim, values.ndim - 1))
        check(data, large.flip, dmlc.flip(values, axis), source, axis)
        check(data, large.roll, dmlc.roll(values, shift, axis), source, shift, axis)


@given(st.data())
def test_slice(data: st.DataObject) -> None:
    values, source = data.draw(sources(min_side=1))
    *window, outputs = data.draw(windows(values.shape))
    expected = dmlc.slice(values, *window, output_sizes=outputs)
    check(data, large.slice, expected, source, *window, output_sizes=outputs)


@pytest.mark.parametrize("mode", ["r", "c"])
def test_from_a_file_to_a_file(tmp_path: Path, mode: Any) -> None:
    values = random_values((300, 200), np.dtype("f4"), 1)
    np.save(tmp_path / "in.npy", values)
    source = np.load(tmp_path / "in.npy", mmap_mode=mode)
    if mode == "c":
        # Changes that are in memory alone must survive.
        source[7] = values[7] = 5
    out = np.lib.format.open_memmap(tmp_path / "out.npy", "w+", "f4", (340, 220))
    returned = large.pad(source, ((20, 20), (10, 10)), "symmetric", out=out, memory="20 kB")
    assert returned is out
    out.flush()
    assert_same(np.load(tmp_path / "out.npy"), np.pad(values, ((20, 20), (10, 10)), "symmetric"))
    assert_same(np.array(source), values)


def test_zarr(tmp_path: Path) -> None:
    zarr: Any = pytest.importorskip("zarr", reason="Zarr is not installed")
    values = random_values((61, 45), np.dtype("i2"), 1)
    source = zarr.create_array(
        tmp_path / "in.zarr", shape=values.shape, chunks=(10, 10), dtype="i2"
    )
    source[...] = values
    out = zarr.create_array(tmp_path / "out.zarr", shape=(81, 45), chunks=(16, 16), dtype="i2")
    large.pad(source, ((20, 0), (0, 0)), "reflect", out=out, memory=4000)
    assert_same(out[...], np.pad(values, ((20, 0), (0, 0)), "reflect"))
    back = zarr.create_array(tmp_path / "back.zarr", shape=(61, 45), chunks=(9, 9), dtype="i2")
    large.flip(source, out=back, memory=4000)
    assert_same(back[...], values[::-1, ::-1])


LIMITED = """
import resource, sys
import numpy as np
import dmlc, dmlc.out_of_core
source = np.load(sys.argv[1], mmap_mode="r")
shape = tuple(n + 20 for n in source.shape)
out = np.lib.format.open_memmap(sys.argv[2], "w+", source.dtype, shape)
room = 64 << 20
now = next(int(l.split()[1]) << 10 for l in open("/proc/self/status") if l.startswith("VmData"))
resource.setrlimit(resource.RLIMIT_DATA, (now + room, now + room))
try:
    dmlc.pad(source, 10, "reflect")
except MemoryError:
    print("whole: MemoryError")
dmlc.out_of_core.pad(source, 10, "reflect", out=out, memory="32 MiB", progress=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of data alone")
def test_more_than_the_process_may_have(tmp_path: Path) -> None:
    """200 MiB within 64 MiB, where the eager function runs out of memory."""
    shape = (5000, 10000)
    source = np.lib.format.open_memmap(tmp_path / "in.npy", "w+", "i4", shape)
    for row in range(0, shape[0], 500):
        source[row : row + 500] = np.arange(row, row + 500)[:, None] * 7 + np.arange(shape[1])
    source.flush()
    script = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path / "in.npy"), str(tmp_path / "out.npy")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert script.returncode == 0, script.stderr
    assert "whole: MemoryError" in script.stdout
    assert "100%" in script.stderr
    out = np.load(tmp_path / "out.npy", mmap_mode="r")
    inner = out[10:-10, 10:-10]
    assert all(
        np.array_equal(inner[r : r + 500], source[r : r + 500]) for r in range(0, shape[0], 500)
    )
    assert_same(np.array(out[:10]), np.pad(source[:20], ((10, 0), (10, 10)), "reflect")[:10])


def test_the_bar(capsys: pytest.CaptureFixture[str]) -> None:
    large.copy(np.arange(8), out=np.empty(8, int), memory=24 * 4, progress=True)
    assert capsys.readouterr().err.split("\r")[1:] == [
        f"copy [{' ' * 40}]   0%",
        f"copy [{'#' * 20}{' ' * 20}]  50%",
        f"copy [{'#' * 40}] 100%\n",
    ]
    large.copy(np.arange(0), out=np.empty(0, int), progress=True)
    assert capsys.readouterr().err == f"\rcopy [{'#' * 40}] 100%\n"


@pytest.mark.parametrize(
    ("memory", "message"),
    [
        ("many", "memory must be a number of bytes such as '256 MiB', got 'many'"),
        ("1 MiB of it", "memory must be a number of bytes"),
        (0, "memory must be at least 1 byte, got 0"),
        (-5, "memory must be at least 1 byte, got -5"),
        (23, r"memory must be at least 24 bytes, 3 times what \(1,\) elements of out take, got 23"),
        (1.5, "memory must be an integer, got float"),
    ],
)
def test_memory(memory: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=f"copy: {message}"):
        large.copy(np.arange(8), out=np.empty(8, int), memory=memory)


@pytest.mark.parametrize("memory", ["24", "24 B", "0.024kB", "0.024 KB", " 1 GiB ", "1G", 24])
def test_amounts_of_memory(memory: Any) -> None:
    assert large.copy(np.arange(8), out=np.empty(8, int), memory=memory).tolist() == list(range(8))


class Wrong(Store):
    def __getitem__(self, key: Any) -> Array:
        return self.values[:1]


def test_what_is_refused() -> None:
    values = np.arange(8)
    out: Any
    for out, message in (
        (np.empty(7, int), r"copy: out must have shape \(8,\), got \(7,\)"),
        (Store(np.empty(7, int)), r"copy: out must have shape \(8,\), got \(7,\)"),
        (np.empty(8, "f4"), "copy: out must have dtype int64, got float32"),
        (Store(np.empty(8, "f4")), "copy: out must have dtype int64, got float32"),
        (values[::-1], "copy: out must share no memory with source"),
        ([0] * 8, "copy: out must have shape, dtype and slices that are assigned to"),
        (None, "copy: out must have shape, dtype and slices that are assigned to"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            large.copy(values, out=out)
    store = Store(values)
    with pytest.raises(ValueError, match="flip: out must not be source"):
        large.flip(store, out=store)
    source: Any = [1, 2]
    with pytest.raises(
        TypeError, match="source must have shape, dtype and slices, got list without shape"
    ):
        large.copy(source, out=np.empty(2, int))
    with pytest.raises(TypeError, match="fixed-width dtype"):
        large.copy(np.array(["abc"]), out=np.empty(1, "U3"))
    with pytest.raises(ValueError, match=r"copy: source must return what it says, \(8,\) of int64"):
        large.copy(Wrong(values), out=np.empty(8, int))
    with pytest.raises(ValueError, match="mode 'mirror' is not supported"):
        large.pad(values, 1, "mirror", out=np.empty(10, int))  # type: ignore[arg-type]
    progress: Any = "yes"
    with pytest.raises(TypeError, match="copy: progress must be True, False or a function"):
        large.copy(values, out=np.empty(8, int), progress=progress)


def test_two_maps_of_one_file(tmp_path: Path) -> None:
    """They lie at different addresses, and writing one would change what is yet to be read of the other."""
    path, other = tmp_path / "a.npy", tmp_path / "other.npy"
    values = np.arange(1000, dtype=np.int32)
    for name in (path, other):
        np.save(name, values)
    (tmp_path / "link.npy").hardlink_to(path)
    source = np.load(path, mmap_mode="r")
    for again in (path, tmp_path / "link.npy"):
        out = np.load(again, mmap_mode="r+")
        with pytest.raises(
            ValueError, match=r"flip: out must share no bytes of a file with source, got two maps"
        ):
            large.flip(source, out=out, memory=3000)
        with pytest.raises(ValueError, match=r"bytes \d+ to \d+ and \d+ to \d+"):
            large.flip(np.asarray(source)[:500], out=out[499:-1], memory=3000)
    np.testing.assert_array_equal(np.load(path), values)
    # Other bytes, another file, and changes that stay in memory are well.
    large.flip(source[:500], out=out[500:], memory=3000)
    np.testing.assert_array_equal(np.load(path)[500:], values[499::-1])
    large.flip(np.load(other, mmap_mode="r"), out=out, memory=3000)
    np.testing.assert_array_equal(np.load(path), values[::-1])
    private = np.load(path, mmap_mode="c")
    large.flip(source, out=private, memory=3000)
    np.testing.assert_array_equal(private, values)
    np.testing.assert_array_equal(np.load(path), values[::-1])


def test_two_handles_of_one_store(tmp_path: Path) -> None:
    zarr: Any = pytest.importorskip("zarr", reason="Zarr is not installed")
    values = np.arange(1000, dtype=np.int32)
    zarr.create_array(tmp_path / "a.zarr", shape=(1000,), chunks=(10,), dtype="i4")[...] = values
    source, out = (zarr.open_array(tmp_path / "a.zarr") for _ in range(2))
    with pytest.raises(ValueError, match="flip: out must not be source"):
        large.flip(source, out=out, memory=3000)
    np.testing.assert_array_equal(source[...], values)


def test_data_sets_of_hdf5(tmp_path: Path) -> None:
    """Each look-up makes a new object of the same data set."""
    h5py: Any = pytest.importorskip("h5py", reason="h5py is not installed")
    values = np.arange(1000, dtype=np.int32)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["a"], file["b"] = values, np.zeros_like(values)
        with pytest.raises(ValueError, match="flip: out must not be source"):
            large.flip(file["a"], out=file["a"], memory=3000)
        np.testing.assert_array_equal(file["a"][...], values)
        large.flip(file["a"], out=file["b"], memory=3000)
        np.testing.assert_array_equal(file["b"][...], values[::-1])


def test_lazy_arrays_are_sent_to_dasks_face() -> None:
    da: Any = pytest.importorskip("dask.array", reason="Dask is not installed")
    with pytest.raises(TypeError, match=r"call dmlc\.dask\.copy"):
        large.copy(da.zeros(8), out=np.empty(8))

"""Arrays larger than memory: `python bench/out_of_memory.py [chunks] [cluster] [files]`, all three by default.

`chunks`: time and peak memory of dmlc.dask beside dask.array's own functions, each in a fresh process with two
threads; chunks are made as they are needed and dropped when they are done. `cluster`: from a Zarr store to a Zarr store,
a job that is several times larger than the memory limit of the workers of a LocalCluster, with Dask's progress bar, while
the dashboard's page is fetched. `files`: dmlc.out_of_core without Dask, in a process whose memory is limited.

Needs `dask[array]`, `distributed`, `bokeh` and `zarr`. Files stand in a temporary folder, 3 GiB of them at most.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

SIDE, CHUNK = 12_000, 1_000
CASES: dict[str, Callable[[Any, Any], Any]] = {
    "pad constant 16": lambda face, x: face.pad(x, 16, "constant"),
    "pad edge 16": lambda face, x: face.pad(x, 16, "edge"),
    "pad reflect 16": lambda face, x: face.pad(x, 16, "reflect"),
    "pad wrap 16": lambda face, x: face.pad(x, 16, "wrap"),
    "pad reflect 5000": lambda face, x: face.pad(x, 5000, "reflect"),
    "pad edge 5000": lambda face, x: face.pad(x, 5000, "edge"),
    "roll 300, 300": lambda face, x: face.roll(x, (300, 300), (0, 1)),
    "x - roll 1, 0": lambda face, x: x - face.roll(x, 1, 0),
    "roll all 300": lambda face, x: face.roll(x, 300),
    "flip": lambda face, x: face.flip(x, (0, 1)),
    "tril": lambda face, x: face.tril(x),
    "tri": lambda face, x: face.tri(SIDE, SIDE, 0, "f4", chunks=CHUNK),
    "stack": lambda face, x: face.stack([x[:6000], x[6000:]]),
}


class Nowhere:
    """Takes what is written as a store does, in packed memory, and drops it."""

    def __setitem__(self, key: Any, value: Any) -> None:
        np.ascontiguousarray(value)


def block(block_info: Any = None) -> Any:
    """Make a chunk of the source."""
    rows, columns = block_info[None]["array-location"]
    ramp = np.arange(columns[0], columns[1], dtype="f4")
    return np.arange(rows[0], rows[1], dtype="f4")[:, None] + ramp


def status(field: str) -> float:
    """Return what the kernel says of this process, in MiB."""
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field))


class Watch(threading.Thread):
    """Notes the most memory that is no file's."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.before = self.most = status("RssAnon")
        self.start()

    def run(self) -> None:
        while True:
            self.most = max(self.most, status("RssAnon"))
            time.sleep(0.005)


def run_chunks(name: str, library: str) -> dict[str, Any]:
    """Run one case in this process."""
    import dask
    import dask.array as da
    import dmlc.dask

    chunks = ((CHUNK,) * (SIDE // CHUNK),) * 2
    source = da.map_blocks(block, chunks=chunks, dtype="f4", meta=np.empty((0, 0), "f4"))
    faces: dict[str, Any] = {"dmlc": dmlc.dask, "dask": da}
    start = time.perf_counter()
    result = CASES[name](faces[library], source)
    built = time.perf_counter()
    watch = Watch()
    with dask.config.set(scheduler="threads", num_workers=2):
        da.store(result, Nowhere(), lock=False)
    done = time.perf_counter()
    return {
        "build": built - start,
        "time": done - built,
        "peak": watch.most - watch.before,
        "tasks": len(result.__dask_graph__()),
        "largest": int(np.prod(result.chunksize)) * 4 / 2**20,
    }


def child(*arguments: str, limit: Callable[[], None] | None = None) -> dict[str, Any]:
    """Run a part of this program in a process of its own."""
    command = [sys.executable, __file__, "--child", *arguments]
    output = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, preexec_fn=limit
    ).stdout
    result: dict[str, Any] = json.loads(output.splitlines()[-1])
    return result


def chunks(rounds: int) -> None:
    """Compare with dask.array, the shortest of some rounds."""
    print(
        f"{SIDE}x{SIDE} float32, {SIDE * SIDE * 4 / 2**20:.0f} MiB in chunks of {CHUNK}x{CHUNK}; two threads"
    )
    print(f"{'':18}{'dmlc.dask':>32}   {'dask.array':>32}")
    print(f"{'':18}" + "   ".join([f"{'s':>6}{'MiB':>8}{'tasks':>8}{'chunk':>10}"] * 2))
    for name in CASES:
        words = [f"{name:18}"]
        for library in ("dmlc", "dask"):
            try:
                runs = [child("chunks", name, library) for _ in range(rounds)]
            except subprocess.CalledProcessError:
                words.append("it cannot".rjust(32))
                continue
            best = min(runs, key=lambda run: run["time"])
            peak = min(run["peak"] for run in runs)
            words.append(
                f"{best['time']:6.2f}{peak:8.0f}{best['tasks']:8}{best['largest']:10.1f}   "
            )
        print("".join(words), flush=True)


def write_store(path: Path, side: int, chunk: int) -> None:
    """Write a square of float32, row of chunks by row of chunks."""
    import zarr

    store = zarr.create_array(
        path, shape=(side, side), chunks=(chunk, chunk), dtype="f4", compressors=None
    )
    for row in range(0, side, chunk):
        store[row : row + chunk] = np.arange(row, row + chunk, dtype="f4")[:, None] + np.arange(
            side, dtype="f4"
        )


def cluster(library: str, folder: Path) -> None:
    """Pad a store that is five times larger than what a worker may have."""
    import shutil

    import dask
    import dask.array as da
    import distributed
    import dmlc.dask
    import zarr

    side, chunk, border, limit = 20_000, 1_000, 500, 300
    if not (folder / "in.zarr").exists():
        write_store(folder / "in.zarr", side, chunk)
    dask.config.set({"distributed.worker.memory.terminate": 1.0})
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            memory_limit=f"{limit} MiB",
            dashboard_address="127.0.0.1:0",
            local_directory=str(folder),
        ) as workers,
        distributed.Client(workers) as client,
    ):
        source = da.from_zarr(str(folder / "in.zarr"))
        if library == "dmlc":
            padded = dmlc.dask.pad(source, border, "reflect", chunks=chunk)
        else:
            padded = da.pad(source, border, "reflect").rechunk(chunk)
        out = zarr.create_array(
            folder / "out.zarr",
            shape=padded.shape,
            chunks=(chunk, chunk),
            dtype="f4",
            compressors=None,
        )
        before = client.run(lambda: status("VmHWM"))
        start = time.perf_counter()
        job = da.store(padded, out, lock=False, compute=False).persist()
        with urllib.request.urlopen(workers.dashboard_link) as page:
            text = page.read()
            print(f"dashboard {page.url.split('/', 3)[-1]}: {page.status}, {len(text)} bytes")
        distributed.progress(job, notebook=False)
        distributed.wait(job)
        took = time.perf_counter() - start
        job = None
        peaks = client.run(lambda: status("VmHWM"))
    size = side * side * 4 / 2**20
    print(
        f"\n{library}: {size:.0f} MiB padded by {border}, workers of {limit} MiB each: {took:.1f} s, {size / took:.0f} MiB/s"
    )
    print(f"peak of the workers {', '.join(f'{p:.0f}' for p in peaks.values())} MiB, ", end="")
    print(f"before the job {', '.join(f'{p:.0f}' for p in before.values())} MiB")
    first = out[: border + 1, border:-border]
    column = np.arange(side, dtype="f4")
    assert np.array_equal(first, np.arange(border, -1, -1, dtype="f4")[:, None] + column)
    shutil.rmtree(folder / "out.zarr")


FILE_SIDE, FILE_BORDER = 20_000, 500


def run_file(kind: str, given: str, folder: Path) -> dict[str, Any]:
    """Pad a file in this process, whose memory is limited."""
    import dmlc
    import dmlc.out_of_core

    shape = (FILE_SIDE + 2 * FILE_BORDER,) * 2
    source: Any
    out: Any
    if kind == "map":
        source = np.load(folder / "in.npy", mmap_mode="r")
        out = np.lib.format.open_memmap(folder / "out.npy", "w+", "f4", shape)
    else:
        import zarr

        source = zarr.open_array(folder / "in.zarr", mode="r")
        out = zarr.create_array(
            folder / "out.zarr",
            shape=shape,
            chunks=(1000, 1000),
            dtype="f4",
            compressors=None,
            overwrite=True,
        )
    # Memory that is no file's: a map of a file takes none, what Zarr reads does.
    room = 256 if kind == "map" else 512
    resource.setrlimit(resource.RLIMIT_DATA, (int(status("VmData") + room) << 20,) * 2)
    fails = False
    try:
        dmlc.pad(source[...], FILE_BORDER, "reflect")
    except MemoryError:
        fails = True
    watch = Watch()
    start = time.perf_counter()
    dmlc.out_of_core.pad(source, FILE_BORDER, "reflect", out=out, memory=given, progress=True)
    took = time.perf_counter() - start
    row = np.asarray(out[FILE_BORDER - 3, FILE_BORDER:-FILE_BORDER])
    assert np.array_equal(row, np.arange(FILE_SIDE, dtype="f4") + 3)
    return {
        "time": took,
        "peak": watch.most - watch.before,
        "resident": status("VmHWM"),
        "fails": fails,
        "room": room,
    }


def files(folder: Path) -> None:
    """Pad a memory map and a Zarr store without Dask."""
    side = FILE_SIDE
    source = np.lib.format.open_memmap(folder / "in.npy", "w+", "f4", (side, side))
    for row in range(0, side, 1000):
        source[row : row + 1000] = np.arange(row, row + 1000, dtype="f4")[:, None] + np.arange(
            side, dtype="f4"
        )
    source.flush()
    del source
    size = side * side * 4 / 2**20
    for kind, given in (("map", "64 MiB"), ("zarr", "64 MiB"), ("zarr", "256 MiB")):
        if kind == "zarr" and not (folder / "in.zarr").exists():
            (folder / "out.npy").unlink(missing_ok=True)
            (folder / "in.npy").unlink(missing_ok=True)
            write_store(folder / "in.zarr", side, 1000)
        run = child("files", kind, given, str(folder))
        print(
            f"{kind:5} {size:.0f} MiB in boxes of {given}, {run['room']} MiB of room: {run['time']:.1f} s, "
            f"{size / run['time']:.0f} MiB/s; peak {run['peak']:.0f} MiB over what was there, "
            f"{run['resident']:.0f} MiB resident at most; "
            f"as a whole: {'MemoryError' if run['fails'] else 'runs'}"
        )


def main() -> None:
    """Run the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=["chunks", "cluster", "files"])
    parser.add_argument("--rounds", type=int, default=3, help="processes of each comparison")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        part, first, second, *rest = options.parts
        run = (
            run_chunks(first, second)
            if part == "chunks"
            else run_file(first, second, Path(rest[0]))
        )
        print(json.dumps(run))
        return
    for part in options.parts:
        print(f"== {part}")
        if part == "chunks":
            chunks(options.rounds)
            continue
        with tempfile.TemporaryDirectory() as folder:
            if part == "files":
                files(Path(folder))
                continue
            for library in ("dmlc", "dask"):
                cluster(library, Path(folder))


if __name__ == "__main__":
    main()

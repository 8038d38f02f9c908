"""Every function of dmlc.dask by threads, by processes and on a cluster of several workers."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import numpy as np
import pytest

import dmlc
from arrays import Array, assert_same, random_values

da: Any = pytest.importorskip("dask.array", reason="Dask is not installed")

import dmlc.dask as lazy

VALUES = random_values((23, 31), np.dtype("i2"), 5)
INDICES = np.arange(-3, 20).reshape(1, 23) % 11 - 2

# Each a function of the face, `dmlc` or `dmlc.dask`, and of its arrays.
CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    **{
        f"pad {mode}": lambda face, x, _, mode=mode: face.pad(x, ((70, 3), (5, 90)), mode)
        for mode in ("constant", "edge", "reflect", "symmetric", "wrap")
    },
    "pad crop": lambda face, x, _: face.pad(x, ((-3, 30), (4, -5)), "reflect"),
    "pad values": lambda face, x, _: face.pad(x, 9, constant_values=((1, 2), (3, 4))),
    "window": lambda face, x, _: face.window(x, (-50, 13), (120, 7), "symmetric"),
    "roll": lambda face, x, _: face.roll(x, (5, -40), (0, 1)),
    "roll all": lambda face, x, _: face.roll(x, 100),
    "one_hot": lambda face, _, i: face.one_hot(i, 9, dtype="i1"),
    "slice": lambda face, x, _: face.slice(x, (1, 2), (20, 29), (3, -2)),
    "copy": lambda face, x, _: face.copy(x.T),
    "flip": lambda face, x, _: face.flip(x),
    "stack": lambda face, x, _: face.stack([x, x[::-1], x], 1),
    "eye": lambda face, *_: face.eye(30, 20, 2),
    "tri": lambda face, *_: face.tri(30, 20, -2),
    "tril": lambda face, x, _: face.tril(x, 3),
    "triu": lambda face, x, _: face.triu(x, -3),
    "diagonal_matrix": lambda face, *_: face.diagonal_matrix((2, 30, 20), 3, -4, 7),
    "fill_band": lambda face, x, _: face.fill_band(x, -2, 5, 1),
    "causal_mask": lambda face, *_: face.causal_mask(30, 40, window=9),
}


def test_every_function_is_called() -> None:
    assert {name.split()[0] for name in CALLS} == set(lazy.__all__)


def both(name: str) -> tuple[Any, Array]:
    call = CALLS[name]
    arrays = da.from_array(VALUES, chunks=(7, 9)), da.from_array(INDICES, chunks=(1, 4))
    return call(lazy, *arrays), call(dmlc, VALUES, INDICES)


every_call = pytest.mark.parametrize("name", CALLS)


@every_call
@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_in_this_process(name: str, scheduler: str) -> None:
    result, expected = both(name)
    assert_same(result.compute(scheduler=scheduler), expected)


def test_by_processes() -> None:
    import dask

    results, expected = zip(*map(both, CALLS), strict=True)
    computed = dask.compute(*results, scheduler="processes", num_workers=2)
    for ours, theirs in zip(computed, expected, strict=True):
        assert_same(ours, theirs)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Three workers, each a process of its own, that nothing but this machine reaches."""
    distributed: Any = pytest.importorskip("distributed", reason="distributed is not installed")
    with (
        # A worker's OMP_NUM_THREADS stays in the environment of who started it.
        mock.patch.dict(os.environ),
        distributed.LocalCluster(
            n_workers=3,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
            memory_limit=0,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@every_call
def test_on_a_cluster(client: Any, name: str) -> None:
    result, expected = both(name)
    assert_same(result.compute(), expected)


def test_a_chain_on_a_cluster(client: Any) -> None:
    """Results are inputs of other functions, and chunks travel between workers."""
    array = da.from_array(VALUES, chunks=(5, 5))
    result = lazy.tril(lazy.roll(lazy.pad(lazy.flip(array), 40, "wrap"), 11, 1) + 1, 7)
    expected = dmlc.tril(dmlc.roll(dmlc.pad(dmlc.flip(VALUES), 40, "wrap"), 11, 1) + 1, 7)
    assert_same(result.persist().compute(), expected)


def test_descriptors_are_run_by_workers(client: Any) -> None:
    """A descriptor pickles, and a worker compiles and runs it: DirectML's face needs no Dask."""
    tensor = dmlc.BufferTensorDesc(dmlc.TensorDataType.INT16, (1, 1, 23, 31))
    padded = dmlc.BufferTensorDesc(dmlc.TensorDataType.INT16, (1, 1, 27, 31))
    desc = dmlc.PaddingOperatorDesc(
        input_tensor=tensor,
        output_tensor=padded,
        padding_mode=dmlc.PaddingMode.EDGE,
        padding_value=0,
        start_padding=(0, 0, 2, 0),
        end_padding=(0, 0, 2, 0),
    )
    assert pickle.loads(pickle.dumps(desc)) == desc
    # A lambda travels as it is; this module is not there for a worker to import.
    future = client.submit(
        lambda d, x: dmlc.Device().compile_operator(d)(x), desc, VALUES[None, None]
    )
    expected = np.pad(VALUES, ((2, 2), (0, 0)), "edge")[None, None]
    assert_same(future.result(timeout=60), expected)

"""dmlc.torch.collate: samples of different sizes to batches, by itself and in the workers of a DataLoader."""

from __future__ import annotations

import multiprocessing
import os
from functools import partial
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import pytest

import dmlc
from arrays import random_values

torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed")

import dmlc.torch
from pytorch.loading import Ragged, collate_and_tell

SHAPES = ((3, 5), (4, 2), (1, 1), (0, 3), (4, 5))
DTYPES = ("float32", "uint8", "uint16", "bool", "complex64", "int64")
FOREIGN = ("bfloat16", "float8_e5m2", "float8_e4m3fn")


def arrays(dtype: str, shapes: Any = SHAPES) -> list[Any]:
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    return [random_values(shape, kind, seed) for seed, shape in enumerate(shapes)]


def tensor_of(array: Any) -> Any:
    if array.dtype.name not in FOREIGN:
        return torch.from_numpy(array)
    bits = array.view({1: np.uint8, 2: np.int16}[array.itemsize])
    return torch.from_numpy(bits).view(getattr(torch, array.dtype.name))


def bits(tensor: Any) -> bytes:
    data: bytes = tensor.detach().contiguous().view(torch.uint8).numpy().tobytes()
    return data


def assert_same_bits(result: Any, expected: Any) -> None:
    assert str(result.dtype) == f"torch.{expected.dtype}"
    assert tuple(result.shape) == expected.shape
    assert result.is_contiguous()
    assert bits(result) == expected.tobytes()


OPTIONS: dict[str, dict[str, Any]] = {
    "none": {},
    "value": {"value": 1, "align": "end"},
    "shape": {"shape": (3, 4), "align": "center"},
    "larger": {"shape": (6, 8), "align": "center"},
    "empty": {"shape": (0, 3)},
}


@pytest.mark.parametrize("dtype", [*DTYPES, *FOREIGN])
@pytest.mark.parametrize("name", OPTIONS)
def test_values_of_tensors_and_of_arrays(name: str, dtype: str) -> None:
    samples = arrays(dtype)
    batch, mask = dmlc.collate(samples, return_mask=True, **OPTIONS[name])
    tensors = [tensor_of(sample) for sample in samples]
    for given in (tensors, samples, [tensors[0], *samples[1:3], *tensors[3:]]):
        assert_same_bits(dmlc.torch.collate(given, **OPTIONS[name]), batch)
        both = dmlc.torch.collate(given, return_mask=True, **OPTIONS[name])
        assert_same_bits(both[0], batch)
        assert_same_bits(both[1], mask)


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap"])
def test_modes(mode: Any) -> None:
    samples = arrays("float32", ((3, 5), (4, 2), (1, 1)))
    expected = dmlc.collate(samples, shape=(5, 4), mode=mode, align="center")
    given = [torch.from_numpy(sample) for sample in samples]
    assert_same_bits(dmlc.torch.collate(given, shape=(5, 4), mode=mode, align="center"), expected)


@pytest.mark.parametrize("align", ["start", "end", "center"])
@pytest.mark.parametrize("mode", ["constant", "edge", "wrap"])
def test_gradients(mode: Any, align: Any) -> None:
    shapes = ((3, 5), (4, 2), (2, 2))
    samples = arrays("float64", shapes)
    for shape in (None, (3, 4), (7, 6)):
        tensors = [torch.from_numpy(sample).clone().requires_grad_() for sample in samples]
        options: dict[str, Any] = {"shape": shape, "mode": mode, "align": align}
        expected, mask = dmlc.collate(samples, return_mask=True, **options)
        result = dmlc.torch.collate(tensors, return_mask=True, **options)
        assert result[0].requires_grad
        assert_same_bits(result[0], expected)
        assert_same_bits(result[1], mask)
        finite = [torch.randn(s, dtype=torch.float64, requires_grad=True) for s in shapes]
        assert torch.autograd.gradcheck(lambda *t, o=options: dmlc.torch.collate(t, **o), finite)


class Sample(NamedTuple):
    image: Any
    name: str


NESTED = [
    {
        "image": np.arange(2 * n, dtype=np.float32).reshape(2, n)[:, ::-1],
        "boxes": (torch.ones(n, 4), [n, n + 0.5]),
        "sample": Sample(torch.arange(n), f"number {n}"),
        "size": n,
        "scalar": np.float32(n),
        "point": torch.tensor(n),
    }
    for n in (3, 1, 2)
]


def test_structures_as_by_default() -> None:
    batch = dmlc.torch.collate(NESTED, value=-1)
    assert list(batch) == list(NESTED[0])
    assert batch["image"].shape == (3, 2, 3)
    assert batch["image"][1].tolist() == [[0, -1, -1], [1, -1, -1]]
    assert batch["boxes"][0].shape == (3, 3, 4)
    assert isinstance(batch["sample"], Sample)
    assert batch["sample"].image.tolist() == [[0, 1, 2], [0, -1, -1], [0, 1, -1]]
    # What has one size is as PyTorch has it, types and all.
    default = torch.utils.data.default_collate
    for name in ("size", "scalar", "point"):
        alone = [sample[name] for sample in NESTED]
        assert torch.equal(batch[name], default(alone))
        assert batch[name].dtype == default(alone).dtype
    numbers = [sample["boxes"][1] for sample in NESTED]  # type: ignore[index]
    assert all(torch.equal(a, b) for a, b in zip(batch["boxes"][1], default(numbers)))
    assert batch["sample"].name == ["number 3", "number 1", "number 2"] or batch["sample"].name == (
        "number 3",
        "number 1",
        "number 2",
    )


def test_masks_stand_beside_what_has_a_dimension() -> None:
    batch = dmlc.torch.collate(NESTED, return_mask=True)
    image, mask = batch["image"]
    assert mask.sum().item() == 12 and mask.shape == image.shape
    assert batch["point"].tolist() == [3, 1, 2]
    assert batch["size"].tolist() == [3, 1, 2]


def test_fields_have_functions_of_their_own() -> None:
    samples = [{"ids": torch.arange(n), "labels": torch.arange(n), "raw": n} for n in (2, 1)]
    function = partial(
        dmlc.torch.collate,
        fields={"labels": partial(dmlc.torch.collate, value=-100), "raw": list},
    )
    batch = function(samples)
    assert batch["ids"].tolist() == [[0, 1], [0, 0]]
    assert batch["labels"].tolist() == [[0, 1], [0, -100]]
    assert batch["raw"] == [2, 1]
    pairs = [(torch.ones(n), n) for n in (2, 1)]
    assert dmlc.torch.collate(pairs, fields={1: list})[1] == [2, 1]
    named = dmlc.torch.collate([Sample(torch.ones(2), "a")], fields={"name": "".join})
    assert isinstance(named, Sample) and named.name == "a"


def test_types_are_promoted() -> None:
    mixed = [torch.tensor([1, 2], dtype=torch.int8), np.array([1.5], np.float32)]
    result = dmlc.torch.collate(mixed)
    assert result.dtype == torch.float32 and result.tolist() == [[1, 2], [1.5, 0]]
    half = dmlc.torch.collate([torch.ones(1, dtype=torch.bfloat16), torch.ones(2)])
    assert half.dtype == torch.float32
    swapped = dmlc.torch.collate([np.array([1, 2], ">i4"), np.array([3], ">i4")])
    assert swapped.dtype == torch.int32 and swapped.tolist() == [[1, 2], [3, 0]]


WRONG: dict[str, tuple[Any, type[Exception], str]] = {
    "none": (lambda: dmlc.torch.collate([]), ValueError, "at least one, got none"),
    "strings": (
        lambda: dmlc.torch.collate([np.array(["a"])]),
        TypeError,
        "dtype that PyTorch has, got <U1",
    ),
    "ranks": (
        lambda: dmlc.torch.collate([torch.ones(2), torch.ones(2, 2)]),
        ValueError,
        r"arrays\[1\] must have as many dimensions",
    ),
    "kinds": (
        lambda: dmlc.torch.collate([torch.ones(2), 1]),
        TypeError,
        r"samples\[1\] must be a tensor or an array as samples\[0\] is, got int",
    ),
    "sparse": (lambda: dmlc.torch.collate([torch.eye(2).to_sparse()]), TypeError, r"\.to_dense"),
    "masked": (
        lambda: dmlc.torch.collate([np.ma.masked_array([1], [True])]),
        TypeError,
        r"\.filled",
    ),
    "mode": (lambda: dmlc.torch.collate([torch.ones(2)], mode="no"), ValueError, "mode must be"),
    "align": (lambda: dmlc.torch.collate([torch.ones(2)], align="no"), ValueError, "align must"),
    "size": (lambda: dmlc.torch.collate([torch.ones(2)], shape=-1), ValueError, r"shape\[0\] must"),
    "no value": (
        lambda: dmlc.torch.collate([torch.ones(2)], value=None),  # type: ignore[arg-type]
        TypeError,
        "collate: value must be one number, got NoneType",
    ),
    "fields": (
        lambda: dmlc.torch.collate([{"a": 1}], fields={"b": list}),
        ValueError,
        r"fields must be of \['a'\], which samples have, got \['b'\]",
    ),
    "no fields": (
        lambda: dmlc.torch.collate([torch.ones(1)], fields={"b": list}),
        TypeError,
        "to have fields, got Tensor",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(name: str) -> None:
    call, error, message = WRONG[name]
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("name", ["ranks", "mode", "align", "size"])
def test_wrong_arguments_with_gradients(name: str) -> None:
    wrong: dict[str, Any] = {
        "ranks": {},
        "mode": {"mode": "no"},
        "align": {"align": "no"},
        "size": {"shape": -1},
    }
    one = torch.ones(2, requires_grad=True)
    _, error, message = WRONG[name]
    with pytest.raises(error, match=message):
        dmlc.torch.collate([one, torch.ones(2, 2)] if name == "ranks" else [one], **wrong[name])


# --- in a DataLoader -----------------------------------------------------------------------------


@pytest.mark.parametrize("start", ["fork", "spawn", "forkserver"])
def test_workers(start: str) -> None:
    if start not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this platform has no {start}")
    dataset = Ragged()
    dmlc.flip(np.zeros((900, 1000)))  # threads, which do not survive a fork
    expected = list(torch.utils.data.DataLoader(dataset, batch_size=3, collate_fn=collate_and_tell))
    loader = torch.utils.data.DataLoader(
        dataset,
        batch_size=3,
        collate_fn=collate_and_tell,
        num_workers=2,
        multiprocessing_context=start,
    )
    batches = list(loader)
    assert len(batches) == len(expected) == 3
    for batch, same in zip(batches, expected):
        for name in ("image", "ids"):
            for tensor, other in zip(batch[name], same[name]):
                assert torch.equal(tensor, other) and tensor.dtype == other.dtype
        assert batch["name"] == same["name"]
        assert batch["shared"] and not same["shared"]
        assert batch["process"][0] != os.getpid() and batch["process"][1] == 1
    first, mask = batches[0]["image"]
    assert first.shape == (3, 3, 3)
    assert first[0].tolist() == [[0, -1, -1], [1, -1, -1], [2, -1, -1]]
    assert mask[0].sum().item() == 3


@pytest.mark.parametrize("needed", [False, True])
def test_an_empty_sample_that_cannot_be_extended(needed: bool) -> None:
    samples = [torch.zeros(0, 2, requires_grad=needed), torch.zeros(3, 2)]
    with pytest.raises(ValueError, match=r"collate: arrays\[0\] must have an element along axis 0"):
        dmlc.torch.collate(samples, mode="edge")
    assert dmlc.torch.collate(samples).shape == (2, 3, 2)
    assert dmlc.torch.collate([samples[0], torch.zeros(0, 3)], mode="edge").shape == (2, 0, 3)

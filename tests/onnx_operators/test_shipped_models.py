"""Models that other programs exported and onnx ships: PyTorch's operators, and ShuffleNet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")

import onnx
import onnx.numpy_helper
import onnx.reference

import dmlc.onnx
from arrays import Array
from dmlc.onnx.operators import OPERATORS

DATA = Path(onnx.__file__).parent / "backend" / "test" / "data"
SHUFFLENET = DATA / "light" / "light_shufflenet.onnx"


def operators_of(graph: Any) -> Iterator[str]:
    """The operators of a graph and of the bodies in it."""
    for node in graph.node:
        yield node.op_type
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from operators_of(attribute.g)


def exported() -> list[Path]:
    models = [*DATA.glob("pytorch-*/*/model.onnx"), *DATA.glob("simple/*/model.onnx")]
    return sorted(m for m in models if set(operators_of(onnx.load(m).graph)) & set(OPERATORS))


def tensors(folder: Path, kind: str) -> list[Array]:
    files = sorted(folder.glob(f"{kind}_*.pb"), key=lambda path: int(path.stem.split("_")[1]))
    return [onnx.numpy_helper.to_array(onnx.load_tensor(str(file))) for file in files]


@pytest.mark.skipif(not DATA.exists(), reason="onnx was installed without its models")
@pytest.mark.parametrize("path", exported(), ids=lambda path: path.parent.name)
def test_exported_models(path: Path) -> None:
    model = onnx.load(path)
    for folder in path.parent.glob("test_data_set_*"):
        ours = dmlc.onnx.ReferenceEvaluator(model)
        feeds = dict(zip(ours.input_names, tensors(folder, "input")))
        expected = onnx.reference.ReferenceEvaluator(model).run(None, feeds)
        results = ours.run(None, feeds)
        for result, by_reference, shipped in zip(
            results, expected, tensors(folder, "output"), strict=True
        ):
            assert (result.dtype, result.shape) == (by_reference.dtype, by_reference.shape)
            assert result.tobytes() == by_reference.tobytes()
            assert np.allclose(result, shipped, rtol=1e-3, atol=1e-5)


def with_weights(model: onnx.ModelProto) -> onnx.ModelProto:
    """The network with weights that differ: it is shipped with constants, to be small."""
    random = np.random.default_rng(7)
    sizes = {i.name: onnx.numpy_helper.to_array(i) for i in model.graph.initializer}
    for node in [n for n in model.graph.node if n.op_type == "ConstantOfShape"]:
        shape = sizes[node.input[0]]
        weights = random.uniform(0.5, 1.5, shape)
        if len(shape) > 1:
            weights = random.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))
        tensor = onnx.numpy_helper.from_array(weights.astype(np.float32), node.output[0])
        model.graph.initializer.append(tensor)
        model.graph.node.remove(node)
    return model


@pytest.mark.skipif(not SHUFFLENET.exists(), reason="onnx was installed without its models")
def test_shufflenet() -> None:
    """16 transpositions shuffle its channels; every result on the way is equal, bit for bit."""
    model = with_weights(onnx.load(SHUFFLENET))
    image = np.random.default_rng(8).random((1, 3, 224, 224), np.float32)
    feeds = {model.graph.input[0].name: image}
    expected = onnx.reference.ReferenceEvaluator(model).run(None, feeds, intermediate=True)
    results = dmlc.onnx.ReferenceEvaluator(model).run(None, feeds, intermediate=True)
    assert results.keys() == expected.keys()
    final = results[model.graph.output[0].name]
    assert final.shape == (1, 1000)
    assert len(np.unique(final)) > 500
    for name, wanted in expected.items():
        if wanted is not None:
            assert results[name].tobytes() == wanted.tobytes(), name

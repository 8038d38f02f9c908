"""A network in onnx.reference: patches, attention, patches to a picture. What its rearranging takes.

Needs onnx: pip install "dmlc[onnx]"
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
import onnx.checker
import onnx.numpy_helper
import onnx.parser
import onnx.reference

import dmlc.onnx

ROUNDS = 15

# An image is framed, cut into patches of 8x8 pixels and turned into tokens; one attention block; the tokens are turned
# into a picture again, and into labels.
NETWORK = """
<ir_version: 8, opset_import: ["" : 18]>
network (float[2, 3, 208, 208] image) => (float[2, 3, 224, 224] picture, float[2, 10] labels)
{
    framed = Pad <mode = "reflect"> (image, frame)
    cropped = CenterCropPad <axes = [2, 3]> (framed, sizes)
    deep = SpaceToDepth <blocksize = 8> (cropped)
    patches = Reshape (deep, patch_shape)
    patch_tokens = Transpose <perm = [0, 2, 1]> (patches)
    class_tokens = Tile (class_token, batch)
    tokens = Concat <axis = 1> (class_tokens, patch_tokens)

    queries_flat = MatMul (tokens, query_weights)
    queries_split = Reshape (queries_flat, head_shape)
    queries = Transpose <perm = [0, 2, 1, 3]> (queries_split)
    keys_flat = MatMul (tokens, key_weights)
    keys_split = Reshape (keys_flat, head_shape)
    keys = Transpose <perm = [0, 2, 3, 1]> (keys_split)
    values_flat = MatMul (tokens, value_weights)
    values_split = Reshape (values_flat, head_shape)
    values = Transpose <perm = [0, 2, 1, 3]> (values_split)
    scores = MatMul (queries, keys)
    later = Trilu <upper = 1> (forbidden, one)
    masked = Add (scores, later)
    weights = Softmax (masked)
    heads = MatMul (weights, values)
    joined = Transpose <perm = [0, 2, 1, 3]> (heads)
    attended = Reshape (joined, token_shape)

    class_result = Slice (attended, zero, one_list, one_list)
    class_flat = Reshape (class_result, class_shape)
    best = ArgMax <axis = 1, keepdims = 0> (class_flat)
    label = Mod (best, ten)
    labels = OneHot (label, ten, off_on)
    patch_result = Slice (attended, one_list, end, one_list)
    channels = Transpose <perm = [0, 2, 1]> (patch_result)
    grid = Reshape (channels, grid_shape)
    picture = DepthToSpace <blocksize = 8> (grid)
}
"""


def build() -> onnx.ModelProto:
    random = np.random.default_rng(7)
    size, tokens = 192, 785
    parameters: dict[str, Any] = {
        "frame": [0, 0, 16, 16, 0, 0, 16, 16],
        "sizes": [224, 224],
        "patch_shape": [2, size, tokens - 1],
        "batch": [2, 1, 1],
        "head_shape": [2, tokens, 4, size // 4],
        "token_shape": [2, tokens, size],
        "class_shape": [2, size],
        "grid_shape": [2, size, 28, 28],
        "zero": [0],
        "one": 1,
        "one_list": [1],
        "end": [tokens],
        "ten": 10,
        "off_on": np.array([0, 1], np.float32),
        "forbidden": np.full((tokens, tokens), -1e9, np.float32),
        "class_token": random.standard_normal((1, 1, size), np.float32),
        **{
            f"{name}_weights": random.standard_normal((size, size), np.float32) / size
            for name in ("query", "key", "value")
        },
    }
    model = onnx.parser.parse_model(NETWORK)
    model.graph.initializer.extend(
        onnx.numpy_helper.from_array(np.asarray(value), name) for name, value in parameters.items()
    )
    onnx.checker.check_model(model)
    return model


def milliseconds(run: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    run()
    return 1e3 * (time.perf_counter() - begin)


model = build()
image = np.random.default_rng(8).random((2, 3, 208, 208), np.float32)
feeds = {"image": image}
reference = onnx.reference.ReferenceEvaluator(model)
ours = dmlc.onnx.ReferenceEvaluator(model)

expected = reference.run(None, feeds, intermediate=True)
results = ours.run(None, feeds, intermediate=True)
# Products of packed and of transposed matrices are rounded differently; all that is only moved is equal.
assert np.array_equal(results["labels"], expected["labels"])
assert np.allclose(results["picture"], expected["picture"], rtol=1e-4, atol=1e-5)


# Each rearranging node alone, by both, on the same inputs. The reference's Slice and Transpose are views; whoever
# reads them packs them sooner or later.
def compare(by_reference: Any, by_dmlc: Any) -> tuple[float, ...]:
    """What a node takes by the reference, packed too, and by dmlc."""
    inputs = [expected[name] for name in by_reference.input]
    (wanted,), (got,) = by_reference.run(*inputs), by_dmlc.run(*inputs)
    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape), by_reference.op_type
    assert got.tobytes() == wanted.tobytes(), by_reference.op_type
    runs = (
        lambda: by_reference.run(*inputs),
        lambda: np.ascontiguousarray(by_reference.run(*inputs)[0]),
        lambda: by_dmlc.run(*inputs),
    )
    rounds = [[milliseconds(run) for run in runs] for _ in range(ROUNDS)]
    return tuple(map(median, zip(*rounds)))


replaced = {operator.__name__ for operator in dmlc.onnx.ops()}
times: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
for nodes in zip(reference.rt_nodes_, ours.rt_nodes_):
    if nodes[0].op_type in replaced:
        row = times[nodes[0].op_type]
        row[:] = map(sum, zip(row, compare(*nodes)))

print(f"{'milliseconds':16}{'reference':>10}{'and packed':>12}{'dmlc':>8}")
for name, row in sorted(times.items()):
    print(f"{name:16}{row[0]:10.3f}{row[1]:12.3f}{row[2]:8.3f}")
totals = [sum(row[i] for row in times.values()) for i in range(3)]
print(f"{'all':16}{totals[0]:10.3f}{totals[1]:12.3f}{totals[2]:8.3f}")
whole = [
    [milliseconds(lambda: evaluator.run(None, feeds)) for evaluator in (reference, ours)]  # noqa: B023
    for _ in range(5)
]
by_reference, by_dmlc = map(median, zip(*whole))
print(f"the whole network: {by_reference:.0f} ms by the reference, {by_dmlc:.0f} with dmlc's")

"""A network's padding in ONNX
===========================

ONNX's reference evaluator runs a model with NumPy. With ``dmlc.onnx`` its padding, cropping, slicing,
transposing and one-hot encoding are done by dmlc, of every operator set and type. Here a small vision
transformer: an image becomes patches, the patches attend to each other, and become a picture again.

Needs ONNX: ``pip install "dmlc[onnx]"``. With ``--time`` the script also says what each operator
takes.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable
from statistics import median
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import onnx.checker
import onnx.numpy_helper
import onnx.parser
import onnx.reference
from matplotlib.cbook import get_sample_data

import dmlc.onnx

ROUNDS = 15

# %%
# The network. An image is framed with its mirror image, cut into patches of 8x8 pixels and turned
# into tokens; one attention block; the tokens are turned into a picture again, and into labels.

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
        onnx.numpy_helper.from_array(np.asarray(value), name)
        for name, value in parameters.items()
    )
    onnx.checker.check_model(model)
    return model


# %%
# Two copies of a photograph, one mirrored, through ONNX's evaluator and through dmlc's.

photograph = plt.imread(get_sample_data("grace_hopper.jpg", asfileobj=False))
face = photograph[:416:2, 50:466:2].transpose(2, 0, 1)
image = (np.stack([face, face[:, :, ::-1]]) / np.float32(255)).astype(np.float32)

model = build()
reference = onnx.reference.ReferenceEvaluator(model)
ours = dmlc.onnx.ReferenceEvaluator(model)
expected = reference.run(None, {"image": image}, intermediate=True)
results = ours.run(None, {"image": image}, intermediate=True)

# %%
# What is only moved is equal. Products of packed and of transposed matrices are rounded differently.

assert np.array_equal(results["framed"], expected["framed"])
assert np.array_equal(results["labels"], expected["labels"])
assert np.allclose(results["picture"], expected["picture"], rtol=1e-4, atol=1e-5)
print(f"Pad: {image.shape} -> {results['framed'].shape}, the same bits")

# %%
# Each rearranging operator alone, on the same inputs: every result has the same bits.

replaced = {operator.__name__ for operator in dmlc.onnx.ops()}
pairs = [
    pair
    for pair in zip(reference.rt_nodes_, ours.rt_nodes_, strict=True)
    if pair[0].op_type in replaced
]
for by_reference, by_dmlc in pairs:
    inputs = [expected[name] for name in by_reference.input]
    (wanted,), (got,) = by_reference.run(*inputs), by_dmlc.run(*inputs)
    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape), by_reference.op_type
    assert got.tobytes() == wanted.tobytes(), by_reference.op_type
counts = Counter(node.op_type for node, _ in pairs)
print(
    "the same bits from", ", ".join(f"{n} {name}" for name, n in sorted(counts.items()))
)

# %%
# With ``--time``: milliseconds of each operator. The reference's Slice and Transpose are views;
# whoever reads them packs them sooner or later, so that there is a column with that.


def milliseconds(run: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    run()
    return 1e3 * (time.perf_counter() - begin)


def medians(*runs: Callable[[], Any]) -> list[float]:
    """What each takes, taken in turn."""
    return [
        median(column)
        for column in zip(*[map(milliseconds, runs) for _ in range(ROUNDS)])
    ]


def print_times() -> None:
    print(f"{'milliseconds':16}{'reference':>10}{'and packed':>12}{'dmlc':>8}")
    times: dict[str, list[float]] = {}
    for by_reference, by_dmlc in pairs:
        inputs = [expected[name] for name in by_reference.input]
        row = medians(
            lambda: by_reference.run(*inputs),  # noqa: B023
            lambda: np.ascontiguousarray(by_reference.run(*inputs)[0]),  # noqa: B023
            lambda: by_dmlc.run(*inputs),  # noqa: B023
        )
        name = by_reference.op_type
        times[name] = [sum(both) for both in zip(times.get(name, [0.0] * 3), row)]
    times["all"] = [sum(column) for column in zip(*times.values())]
    for name, row in times.items():
        print(f"{name:16}{row[0]:10.3f}{row[1]:12.3f}{row[2]:8.3f}")
    feeds = {"image": image}
    whole = medians(lambda: reference.run(None, feeds), lambda: ours.run(None, feeds))
    print(
        "the whole network: {:.0f} ms by the reference, {:.0f} with dmlc's".format(
            *whole
        )
    )


if "--time" in sys.argv:
    print_times()

# %%
# The picture: the input, what ``Pad`` makes of it, and the patches that the network sees.

patches = results["cropped"][0].reshape(3, 28, 8, 28, 8).transpose(1, 3, 2, 4, 0)
spread = dmlc.pad(patches, ((0, 0), (0, 0), (1, 1), (1, 1), (0, 0)), constant_values=1)
sheet = dmlc.copy(spread.swapaxes(1, 2)).reshape(280, 280, 3)
figure, places = plt.subplots(1, 3, figsize=(7.5, 2.9), layout="constrained")
pictures = {
    "image": image[0].transpose(1, 2, 0),
    "framed": results["framed"][0].transpose(1, 2, 0),
    "patches": sheet,
}
for axes, (title, picture) in zip(places, pictures.items(), strict=True):
    axes.imshow(picture)
    axes.set(title=title, xticks=[], yticks=[])
plt.show()

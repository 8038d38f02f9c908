"""What a call costs when there is almost nothing to do: 4x4 arrays, and plans made for one use."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from timeit import Timer
from typing import Any

import numpy as np

from cases.case import Array, UnsupportedError
from peers import Libraries
from results import TinyCall
from timing import Plan, Sampler, python_sampler, race

CALLS: dict[str, dict[str, str]] = {
    "compiled operator, out=": {"dmlc": "operator(x, out=y)"},
    "pad": {
        "dmlc": "dmlc.pad(x, 1)",
        "numpy": "np.pad(x, 1)",
        "torch": "torch.nn.functional.pad(t, (1, 1, 1, 1))",
        "opencv": "cv2.copyMakeBorder(x, 1, 1, 1, 1, 0)",
    },
    "pad, out=": {"dmlc": "dmlc.pad(x, 1, out=y)"},
    "one_hot": {
        "dmlc": "dmlc.one_hot(i, 4)",
        "numpy": "eye[i]",
        "torch": "torch.nn.functional.one_hot(ti, 4)",
    },
    "diagonal_matrix": {
        "dmlc": "dmlc.diagonal_matrix((4, 4))",
        "numpy": "np.eye(4, dtype=np.float32)",
        "torch": "torch.eye(4)",
    },
    "tril": {"dmlc": "dmlc.tril(x)", "numpy": "np.tril(x)", "torch": "torch.tril(t)"},
    "copy": {
        "dmlc": "dmlc.copy(x[:, ::-1])",
        "numpy": "x[:, ::-1].copy()",
        "torch": "torch.flip(t, (1,))",
        "opencv": "cv2.flip(x, 1)",
    },
}
"""Name -> library -> expression over `names()`."""

MODULES = {"dmlc": "dmlc", "numpy": "np", "torch": "torch", "opencv": "cv2"}
"""The name under which an expression knows its library."""

PLAN_CREATION = "pad of a shape never seen before"


def names(libraries: Libraries) -> dict[str, Any]:
    """The variables of the expressions, for the libraries that are here."""
    x = np.arange(16, dtype=np.float32).reshape(4, 4)
    i = np.arange(4)
    variables: dict[str, Any] = {
        "x": x,
        "y": np.empty((6, 6), np.float32),
        "i": i,
        "eye": np.eye(4, dtype=np.float32),
    }
    for library, name in MODULES.items():
        try:
            variables[name] = libraries.get(library)
        except UnsupportedError:
            continue
    if "torch" in variables:
        variables |= {"t": variables["torch"].from_numpy(x), "ti": variables["torch"].from_numpy(i)}
    if "dmlc" in variables:
        variables["operator"] = compiled_operator(variables["dmlc"])
    return variables


def compiled_operator(dmlc: Any) -> Any:
    kind = dmlc.TensorDataType.FLOAT32
    description = dmlc.PaddingOperatorDesc(
        input_tensor=dmlc.BufferTensorDesc(kind, (4, 4)),
        output_tensor=dmlc.BufferTensorDesc(kind, (6, 6)),
        padding_mode=dmlc.PaddingMode.CONSTANT,
        padding_value=0.0,
        start_padding=(1, 1),
        end_padding=(1, 1),
    )
    return dmlc.Device().compile_operator(description)


def new_shapes() -> Iterator[tuple[int, ...]]:
    """Small shapes, each once."""
    yield from itertools.product(range(1, 10), repeat=5)


def new_shape_sampler(pad: Callable[[Array, int], Any]) -> Sampler:
    """Pads arrays of shapes that never repeat; the arrays are made outside of the timing."""
    shapes, memory = new_shapes(), np.zeros(9**5, np.uint8)

    def views(count: int) -> list[Array]:
        wanted = itertools.islice(shapes, count)
        return [memory[: np.prod(shape)].reshape(shape) for shape in wanted]

    def sample(repeats: int) -> float:
        arrays = views(repeats)
        if len(arrays) < repeats:
            raise RuntimeError("every new shape has been used")

        def run() -> None:
            for array in arrays:
                pad(array, 1)

        return python_sampler(run)(1)

    return sample


def measure_calls(libraries: Libraries, plan: Plan) -> list[TinyCall]:
    """Time every expression whose library is here."""
    variables = names(libraries)
    results = []
    for name, expressions in CALLS.items():
        samplers: dict[str, Sampler] = {
            library: Timer(expression, globals=variables).timeit
            for library, expression in expressions.items()
            if MODULES[library] in variables
        }
        results.append(timed(name, samplers, plan))
    paddings = {
        library: new_shape_sampler(variables[MODULES[library]].pad)
        for library in ("dmlc", "numpy")
        if MODULES[library] in variables
    }
    results.append(timed(PLAN_CREATION, paddings, plan))
    return results


def timed(name: str, samplers: dict[str, Sampler], plan: Plan) -> TinyCall:
    # Interference only adds to a call of microseconds: the smallest sample is the cost.
    return {"name": name, "seconds": {k: min(v) for k, v in race(samplers, plan).items()}}

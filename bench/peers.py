"""The libraries that are compared: imported on first use, each with the same number of threads.

A loader returns what the factories of `cases` take as their library: the module itself, or a small
object that hides a session or a compiler. A library that is missing is reported once.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cases.case import Array, Call, UnsupportedError, fresh, into


def load_dmlc(threads: int) -> Any:
    dmlc = importlib.import_module("dmlc")
    dmlc.set_num_threads(threads)
    return dmlc


def load_numpy(threads: int) -> Any:
    return np


def load_torch(threads: int) -> Any:
    torch = importlib.import_module("torch")
    torch.set_num_threads(threads)
    return torch


def load_opencv(threads: int) -> Any:
    cv2 = importlib.import_module("cv2")
    cv2.setNumThreads(threads)
    return cv2


def load_tensorflow(threads: int) -> Any:
    tensorflow = importlib.import_module("tensorflow")
    tensorflow.config.threading.set_intra_op_parallelism_threads(threads)
    return tensorflow


# ----------------------------------------------------------------------------------- ONNX Runtime


@dataclass(frozen=True)
class Node:
    """One ONNX operator: constants around the running value, which stands at `position`."""

    operator: str
    constants: tuple[Array, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    position: int = 0


class OnnxRuntime:
    """Runs a chain of nodes as a session, with fresh and with bound outputs."""

    def __init__(self, threads: int) -> None:
        self.onnx = importlib.import_module("onnx")
        self.runtime = importlib.import_module("onnxruntime")
        self.options = self.runtime.SessionOptions()
        self.options.intra_op_num_threads = threads
        self.options.log_severity_level = 4

    def calls(self, x: Array, out: Array, *nodes: Node) -> Iterator[Call]:
        names = " and ".join(node.operator for node in nodes)
        session = self.session(x, out, nodes or (Node("Identity"),))
        feeds = {"x": x}
        yield fresh(f"ONNX {names}", lambda: session.run(None, feeds)[0])

        binding = session.io_binding()
        binding.bind_input("x", "cpu", 0, x.dtype, x.shape, x.ctypes.data)
        binding.bind_output("y", "cpu", 0, out.dtype, out.shape, out.ctypes.data)

        def run_bound() -> Array:
            session.run_with_iobinding(binding)
            return out

        yield into(f"ONNX {names}, bound output", run_bound)

    def session(self, x: Array, out: Array, nodes: tuple[Node, ...]) -> Any:
        """x -> nodes[0] -> nodes[1] -> ... -> y"""
        helper = self.onnx.helper
        value_name, graph_nodes, initializers = "x", [], []
        for number, node in enumerate(nodes):
            result_name = "y" if number == len(nodes) - 1 else f"value{number}"
            inputs = [f"constant{number}_{k}" for k in range(len(node.constants))]
            initializers += [
                self.onnx.numpy_helper.from_array(constant, name)
                for constant, name in zip(node.constants, inputs, strict=True)
            ]
            inputs.insert(node.position, value_name)
            attributes = {
                key: list(value) if isinstance(value, tuple) else value
                for key, value in node.attributes.items()
            }
            graph_nodes.append(helper.make_node(node.operator, inputs, [result_name], **attributes))
            value_name = result_name
        graph = helper.make_graph(
            graph_nodes, "case", [self.value("x", x)], [self.value("y", out)], initializers
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
        return self.runtime.InferenceSession(
            model.SerializeToString(), self.options, providers=["CPUExecutionProvider"]
        )

    def value(self, name: str, array: Array) -> Any:
        return self.onnx.helper.make_tensor_value_info(name, self.kind(array.dtype), array.shape)

    def kind(self, dtype: Any) -> int:
        """ONNX's number for a data type."""
        return int(self.onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))

    def cast(self, dtype: str) -> Node:
        return Node("Cast", attributes={"to": self.kind(dtype)})


# -------------------------------------------------------------------------------------------- JAX


class Jax:
    """Compiles a function for its operands; `numpy`, `nn` and `lax` are JAX's own."""

    def __init__(self, threads: int) -> None:
        # XLA takes its threads from the process's affinity, which run.py has set by now.
        self.jax = importlib.import_module("jax")
        self.jax.config.update("jax_platforms", "cpu")
        self.jax.config.update("jax_enable_x64", True)
        self.numpy = importlib.import_module("jax.numpy")
        self.nn, self.lax = self.jax.nn, self.jax.lax

    def call(self, expression: str, function: Callable[..., Any], *operands: Array) -> Call:
        compiled = self.jax.jit(function)
        arrays = [self.numpy.asarray(operand) for operand in operands]
        return fresh(f"jit({expression})", lambda: compiled(*arrays).block_until_ready())


# --------------------------------------------------------------------------------------- OpenVINO


class OpenVino:
    """Compiles a model of one operator; the request keeps its output tensor."""

    def __init__(self, threads: int) -> None:
        self.openvino = importlib.import_module("openvino")
        self.ops = importlib.import_module("openvino.opset15")
        self.settings = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY"}

    def calls(self, x: Array, out: Array, build: Callable[[Any, Any], Any]) -> Iterator[Call]:
        parameter = self.ops.parameter(x.shape, x.dtype)
        model = self.openvino.Model([build(self.ops, parameter)], [parameter])
        compiled = self.openvino.Core().compile_model(model, "CPU", self.settings)
        request = compiled.create_infer_request()
        request.set_input_tensor(self.openvino.Tensor(x, shared_memory=True))
        request.set_output_tensor(self.openvino.Tensor(out, shared_memory=True))

        def infer() -> Array:
            request.infer()
            return out

        yield into("OpenVINO, shared output", infer)


# ----------------------------------------------------------------------------------------- loading

LOADERS: dict[str, Callable[[int], Any]] = {
    "dmlc": load_dmlc,
    "numpy": load_numpy,
    "torch": load_torch,
    "onnxruntime": OnnxRuntime,
    "opencv": load_opencv,
    "jax": Jax,
    "tensorflow": load_tensorflow,
    "openvino": OpenVino,
}

DISTRIBUTIONS = {"opencv": ("opencv-python-headless", "opencv-python", "opencv-contrib-python")}


class Libraries:
    """Loads each library when it is first asked for, and remembers why one is missing."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.loaded: dict[str, Any] = {}
        self.missing: dict[str, str] = {}

    def get(self, name: str) -> Any:
        if name not in self.loaded and name not in self.missing:
            try:
                self.loaded[name] = LOADERS[name](self.threads)
            except Exception as error:  # noqa: BLE001  whatever one raises, the others still run
                self.missing[name] = f"{type(error).__name__}: {error}"
                print(f"{name} is not measured: {self.missing[name]}", file=sys.stderr)
        if name in self.missing:
            raise UnsupportedError(self.missing[name])
        return self.loaded[name]

    def versions(self) -> dict[str, str]:
        return {name: version(name) for name in self.loaded}


def version(library: str) -> str:
    for distribution in DISTRIBUTIONS.get(library, (library,)):
        try:
            return importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            continue
    return "not installed as a distribution"

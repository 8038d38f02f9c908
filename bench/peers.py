"""The libraries that are compared: imported on first use, each with the same number of threads.

A loader returns what the factories of `cases` take as their library: the module itself, or a small
object that hides a session or a compiler. A library that is missing is reported once.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.metadata
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
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


class TorchCompile:
    """PyTorch's compiler, for as many seconds of compiling as are left."""

    def __init__(self, threads: int) -> None:
        self.torch = load_torch(threads)
        self.seconds_left = 0.0
        if shutil.which("g++") is None:
            raise FileNotFoundError("g++, which torch.compile calls, is not installed")

    def calls(self, eager: Iterable[Call]) -> Iterator[Call]:
        """What PyTorch is asked for otherwise, each function compiled for its shapes."""
        self.torch.compiler.reset()  # else functions of one case count as variants of another's
        for call in eager:
            if self.seconds_left <= 0:
                raise UnsupportedError("the seconds of --compile are spent")
            run = self.torch.compile(call.run, dynamic=False, fullgraph=True)
            start = time.monotonic()
            try:
                run()
            except Exception as error:  # noqa: BLE001  whatever the compiler raises
                yield Call(call.form, f"torch.compile: {call.expression}", partial(reraise, error))
            else:
                yield Call(call.form, f"torch.compile: {call.expression}", run)
            finally:
                self.seconds_left -= time.monotonic() - start


def reraise(error: Exception) -> None:
    raise error


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


# ------------------------------------------------------------------------------------------- IPP


class Ipp:
    """Intel's image functions, called by `ctypes`: one thread, into memory of the caller.

    Loaded is the library of one instruction set, as IPP's own dispatcher would; the one in the
    package of 2026 looks for files under names that the package does not have.
    """

    def __init__(self, threads: int) -> None:
        if threads != 1:
            raise UnsupportedError("its functions use one thread: --threads 1")
        folder = next(
            Path(str(file.locate())).resolve().parent
            for file in importlib.metadata.files("ipp") or ()
            if file.name == "libippcore.so.12"
        )
        core = ctypes.CDLL(str(folder / "libippcore.so.12"), mode=ctypes.RTLD_GLOBAL)
        core.ippInit()
        features = ctypes.c_uint64()
        core.ippGetCpuFeatures(ctypes.byref(features), None)
        held = os.environ.get("DMLC_ISA") == "avx2"
        self.wide = bool(features.value & IPP_AVX512F) and not held
        self.library = ctypes.CDLL(str(folder / f"libippi{'k0' if self.wide else 'l9'}.so.12"))

    def call(self, name: str, out: Array, *arguments: Any) -> Call:
        """A call whose arguments are pointers, sizes and steps, converted beforehand."""
        function = getattr(self.library, name, None)
        if function is None:
            raise UnsupportedError(f"IPP has no {name}")

        def run() -> Array:
            status = function(*arguments)
            if status:
                raise RuntimeError(f"{name} returned {status}")
            return out

        return into(name, run)


IPP_AVX512F = 1 << 20


class IppSize(ctypes.Structure):
    """IppiSize, by value."""

    _fields_ = (("width", ctypes.c_int), ("height", ctypes.c_int))


def pointer(array: Array) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


# ----------------------------------------------------------------------------------------- loading

LOADERS: dict[str, Callable[[int], Any]] = {
    "dmlc": load_dmlc,
    "numpy": load_numpy,
    "torch": load_torch,
    "torch.compile": TorchCompile,
    "onnxruntime": OnnxRuntime,
    "opencv": load_opencv,
    "jax": Jax,
    "tensorflow": load_tensorflow,
    "openvino": OpenVino,
    "ipp": Ipp,
}

DISTRIBUTIONS = {
    "torch.compile": ("torch",),
    "opencv": ("opencv-python-headless", "opencv-python", "opencv-contrib-python"),
}


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

    def load(self, names: Iterable[str]) -> None:
        """Import them now, so that no measurement waits for it."""
        for name in names:
            with suppress(UnsupportedError):
                self.get(name)

    def versions(self) -> dict[str, str]:
        return {name: version(name) for name in self.loaded}

    def instruction_sets(self) -> dict[str, str]:
        """What each library says that it uses, or that nobody can know."""
        return {name: instruction_set(name, library) for name, library in self.loaded.items()}


def instruction_set(name: str, library: Any) -> str:
    """The widest instruction set in use."""
    if name == "dmlc":
        return str(library.show_config()["isa"])
    if name == "numpy":
        core: Any = importlib.import_module("numpy._core._multiarray_umath")
        found = [f for f in core.__cpu_dispatch__ if core.__cpu_features__[f]]
        return str((found or core.__cpu_baseline__)[-1])
    if name in ("torch", "torch.compile"):
        torch = library if name == "torch" else library.torch
        return str(torch.backends.cpu.get_cpu_capability())
    if name == "opencv":
        # "*AVX2 *AVX512-SKX?": dispatched to, and what is not available.
        used = [word for word in library.getCPUFeaturesLine().split() if not word.endswith("?")]
        inner = re.search(r"\((\w\d)\)", library.ipp.getIppVersion())
        return str(used[-1]).lstrip("*") + (f", IPP {inner[1]}" if inner else "")
    if name == "ipp":
        return "AVX-512 (k0)" if library.wide else "AVX2 (l9)"
    if name == "jax":
        flag = re.search(r"xla_cpu_max_isa=(\w+)", os.environ.get("XLA_FLAGS", ""))
        return flag[1] if flag else "the machine's"
    return "the machine's"


def version(library: str) -> str:
    for distribution in DISTRIBUTIONS.get(library, (library,)):
        try:
            return importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            continue
    return "not installed as a distribution"

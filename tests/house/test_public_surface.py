"""The public names are the contract: no more, no fewer, each documented with a running example."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
import pytest

import dmlc
from house.tree import modules

NUMPY_FACE = [
    "pad",
    "one_hot",
    "slice",
    "copy",
    "flip",
    "eye",
    "tri",
    "tril",
    "triu",
    "diagonal_matrix",
    "fill_band",
    "causal_mask",
    "pad_sequence",
    "window",
    "roll",
    "stack",
    "collate",
    "frames",
    "tile",
    "repeat",
]
DIRECTML_FACE = [
    "BufferTensorDesc",
    "PaddingOperatorDesc",
    "Padding1OperatorDesc",
    "OneHotOperatorDesc",
    "Slice1OperatorDesc",
    "SliceOperatorDesc",
    "DiagonalMatrix1OperatorDesc",
    "DiagonalMatrixOperatorDesc",
    "TensorDataType",
    "PaddingMode",
    "TensorFlags",
    "FeatureLevel",
    "Device",
    "CompiledOperator",
    "DmlcError",
    "InvalidDescriptorError",
    "FeatureLevelError",
    "BindingError",
]
RUNTIME = [
    "get_num_threads",
    "set_num_threads",
    "num_threads",
    "set_output_cache",
    "clear_output_cache",
    "show_config",
    "get_include",
    "__version__",
]
CONTRACT = {*NUMPY_FACE, *DIRECTML_FACE, *RUNTIME}

# Parameters by name, in order; `/` and `*` are left out, keyword-only ones come after the bar.
SIGNATURES = {
    "pad": "array pad_width mode=constant | constant_values=0 out=None",
    "one_hot": "indices depth | axis=-1 on_value=1 off_value=0 dtype=float32 negative=wrap out=None",
    "slice": "array offsets sizes strides | output_sizes=None out=None",
    "copy": "array | out=None",
    "flip": "array axis=None | out=None",
    "tril": "m k=0 | out=None",
    "triu": "m k=0 | out=None",
    "diagonal_matrix": "shape begin=0 end=1 value=1 | dtype=float32 out=None",
    "fill_band": "array begin end value | out=None",
    "causal_mask": "n m=None | window=None value=-inf dtype=float32 out=None",
    "pad_sequence": "arrays | side=right value=0 multiple_of=1 return_mask=False out=None",
    "window": "array start shape mode=constant | constant_values=0 out=None",
    "roll": "array shift axis=None | out=None",
    "stack": "arrays axis=0 | out=None",
    "frames": "array length hop | axis=-1 center=True mode=reflect out=None",
    "tile": "array reps | out=None",
    "repeat": "array repeats axis=None | out=None",
    "collate": "arrays | shape=None mode=constant value=0 align=start return_mask=False out=None",
}


def test_public_names() -> None:
    assert set(dmlc.__all__) == CONTRACT
    assert sorted(dmlc.__all__) == sorted(set(dmlc.__all__))
    namespace: dict[str, Any] = {}
    exec("from dmlc import *", namespace)  # noqa: S102
    assert set(namespace) - {"__builtins__"} == CONTRACT


def written(signature: inspect.Signature) -> str:
    words = []
    keyword_only = False
    for parameter in signature.parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            words.append("|")
        default = parameter.default
        default = getattr(default, "__name__", default)
        without = default is inspect.Parameter.empty or default == "_empty"
        words.append(parameter.name if without else f"{parameter.name}={default}")
    return " ".join(words)


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures(name: str) -> None:
    assert written(inspect.signature(getattr(dmlc, name))) == SIGNATURES[name]


@pytest.mark.parametrize("name", ["eye", "tri"])
def test_signatures_that_are_numpys(name: str) -> None:
    ours = written(inspect.signature(getattr(dmlc, name))).split()
    numpys = written(inspect.signature(getattr(np, name))).split()
    assert ours == [*numpys, "out=None"]


@pytest.mark.parametrize("name", sorted(CONTRACT - {"__version__"}))
def test_every_public_name_is_documented(name: str) -> None:
    documented = getattr(dmlc, name)
    text = inspect.getdoc(documented)
    assert text
    assert text != inspect.getdoc(type(documented))
    if inspect.isroutine(documented):
        for section in ("Parameters", "Examples"):
            if section == "Parameters" and not inspect.signature(documented).parameters:
                continue
            assert f"{section}\n---" in text, f"{name} has no section {section}"
        for parameter in inspect.signature(documented).parameters:
            assert re.search(rf"\b{parameter}\b", text), f"{name} does not explain {parameter}"


def public_methods() -> list[str]:
    found = []
    for name in DIRECTML_FACE:
        for attribute, value in vars(getattr(dmlc, name)).items():
            is_member = inspect.isfunction(value) or isinstance(value, property | classmethod)
            if not attribute.startswith("_") and is_member:
                found.append(f"{name}.{attribute}")
    return found


@pytest.mark.parametrize("name", public_methods())
def test_every_public_method_is_documented(name: str) -> None:
    owner, attribute = name.split(".")
    assert inspect.getdoc(getattr(getattr(dmlc, owner), attribute))


def python_modules() -> list[str]:
    return [name for name in modules() if name not in ("dmlc.__main__",)]


# Rooms that need a package of their own, which need not be installed.
OPTIONAL = {
    "dmlc.onnx": "onnx",
    "dmlc.compat.numba": "numba",
    "dmlc.torch": "torch",
    "dmlc.compat.threadpoolctl": "threadpoolctl",
    "dmlc.dask": "dask.array",
}


@pytest.mark.parametrize("name", python_modules())
def test_examples_in_docstrings_run(name: str) -> None:
    for room, package in OPTIONAL.items():
        if name == room or name.startswith(f"{room}."):
            pytest.importorskip(package)
    failures, _count = doctest.testmod(importlib.import_module(name))
    assert failures == 0


@pytest.mark.parametrize("name", [*NUMPY_FACE, "Device", "CompiledOperator", "BufferTensorDesc"])
def test_public_names_have_examples(name: str) -> None:
    finder = doctest.DocTestFinder(recurse=True)
    tests = finder.find(getattr(dmlc, name), name, globs={"dmlc": dmlc})
    assert sum(len(test.examples) for test in tests) > 0


LAZY = [
    "pad", "window", "roll", "one_hot", "slice", "copy", "flip", "stack", "eye", "tri", "tril", "triu",
    "diagonal_matrix", "fill_band", "causal_mask",
]  # fmt: skip
IN_BOXES = ["pad", "window", "roll", "slice", "copy", "flip"]


def check_face(face: Any, names: list[str], instead_of_out: str) -> None:
    """The names, with the eager functions' parameters but for `out`, documented with an example."""
    assert set(face.__all__) == set(names)
    for name in names:
        function = getattr(face, name)
        signature = written(inspect.signature(function))
        ours = signature.replace("source", "array").replace(" MiB", "MiB").split()
        eager = written(inspect.signature(getattr(dmlc, name))).replace("out=None", "").split()
        if "|" not in ours:
            eager = [word for word in eager if word != "|"]
        extra = [word for word in ours if word.split("=")[0] in instead_of_out.split()]
        assert [word for word in ours if word not in extra] == eager
        text = inspect.getdoc(function)
        assert text
        assert "Examples\n---" in text
        for parameter in inspect.signature(function).parameters:
            assert re.search(rf"\b{parameter}\b", text), f"{name} does not explain {parameter}"


def test_the_lazy_face() -> None:
    pytest.importorskip("dask.array", reason="Dask is not installed")
    check_face(importlib.import_module("dmlc.dask"), LAZY, "chunks")


def test_the_face_for_files() -> None:
    check_face(importlib.import_module("dmlc.out_of_core"), IN_BOXES, "out memory progress")


def test_version_is_the_installed_packages() -> None:
    try:
        installed = version("dmlc")
    except PackageNotFoundError:
        pytest.skip("dmlc runs from its source tree, no package is installed")
    assert dmlc.__version__ == installed


def test_version_reads_like_one() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+([.+-]?\w+)*", dmlc.__version__)


def test_get_include_holds_the_public_header() -> None:
    from pathlib import Path

    header = Path(dmlc.get_include()) / "dmlc.h"
    if not header.exists() and (Path(dmlc.__file__).parents[1] / "dmlc" / "_dmlc.pyx").exists():
        pytest.skip("the header is installed beside the package, not in the source tree")
    assert "dmlc_" in header.read_text("utf-8")


def test_show_config() -> None:
    config = dmlc.show_config()
    assert config["version"] == dmlc.__version__
    assert config["threads"] == dmlc.get_num_threads()

"""What the operators reach: bodies of If, functions of a model, and networks."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")

import onnx.parser
import onnx.reference
from onnx.reference.op_run import OpRun

import dmlc.onnx

BRANCHES = """
<ir_version: 8, opset_import: ["" : 18]>
branches (bool condition, float[2, 2] x) => (float[2, 2] y)
{
    y = If (condition) <
        then_branch = lower () => (float[2, 2] low) { low = Trilu <upper = 0> (x) },
        else_branch = upper () => (float[2, 2] high) { high = Trilu (x) }
    >
}
"""
FUNCTIONS = """
<ir_version: 8, opset_import: ["" : 18, "here" : 1]>
functions (float[2, 3] x) => (float[3, 4] y)
{
    y = here.Outer <mode = "edge"> (x)
}
<opset_import: ["" : 18], domain: "here">
Inner (x) => (y)
{
    y = Transpose (x)
}
<opset_import: ["" : 18, "here" : 1], domain: "here">
Outer <mode> (x) => (y)
{
    turned = here.Inner (x)
    pads = Constant <value_ints = [0, 1, 0, 1]> ()
    y = Pad <mode: string = @mode> (turned, pads)
}
"""


class Calls:
    """The names of dmlc's operators that ran."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.names: list[str] = []
        for cls in dmlc.onnx.ops():
            monkeypatch.setattr(cls, "_run", self._recording(cls.__name__, cls._run))

    def _recording(self, name: str, run: Any) -> Any:
        def recording(*arguments: Any, **attributes: Any) -> Any:
            self.names.append(name)
            return run(*arguments, **attributes)

        return recording


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    return Calls(monkeypatch)


@pytest.mark.parametrize("condition", [True, False])
def test_branches(calls: Calls, condition: bool) -> None:
    model = onnx.parser.parse_model(BRANCHES)
    evaluator = onnx.reference.ReferenceEvaluator(model, new_ops=dmlc.onnx.ops())
    x = np.arange(1, 5, dtype=np.float32).reshape(2, 2)
    (y,) = evaluator.run(None, {"condition": np.array(condition), "x": x})
    assert y.tolist() == (np.tril(x) if condition else np.triu(x)).tolist()
    assert calls.names == ["Trilu"]


def test_functions(calls: Calls) -> None:
    model = onnx.parser.parse_model(FUNCTIONS)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    feeds = {"x": x}
    (expected,) = onnx.reference.ReferenceEvaluator(model).run(None, feeds)
    assert calls.names == []
    (y,) = dmlc.onnx.ReferenceEvaluator(model).run(None, feeds)
    assert calls.names == ["Transpose", "Pad"]
    assert y.dtype == expected.dtype
    assert y.tolist() == expected.tolist() == np.pad(x.T, [(0, 0), (1, 1)], "edge").tolist()


def test_ones_own_operator_goes_first(calls: Calls) -> None:
    class Transpose(OpRun):  # type: ignore[misc, unused-ignore]
        op_domain = ""

        def _run(self, _data: Any, perm: Any = None) -> Any:
            return (np.zeros(1),)

    node = onnx.helper.make_node("Transpose", ["x"], ["y"])
    evaluator = dmlc.onnx.ReferenceEvaluator(node, new_ops=[Transpose])
    assert evaluator.run(None, {"x": np.ones((2, 3))})[0].tolist() == [0]
    assert calls.names == []


def test_without_onnx_it_is_said_what_to_install() -> None:
    code = "import sys; sys.modules['onnx'] = None\nimport dmlc.onnx"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert 'needs the package onnx: pip install "dmlc[onnx]"' in result.stderr.splitlines()[-1]

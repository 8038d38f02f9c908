"""ONNX's own node tests for these operators, bit for bit."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")

import onnx.backend.test.case.node as cases
from onnx.reference.op_run import OpRun

import dmlc.onnx
from dmlc.onnx.operators import OPERATORS

MODULES = ("center_crop_pad", "depthtospace", "eyelike", "onehot", "pad", "slice")
MODULES += ("spacetodepth", "tile", "transpose", "trilu")


def node_tests() -> dict[str, Any]:
    """Importing such a module adds its tests to a list."""
    for module in MODULES:
        importlib.import_module(f"onnx.backend.test.case.node.{module}")
    # Those of an operator's function body have other operators in the model.
    return {
        case.name: case
        for case in cases._NodeTestCases
        if {node.op_type for node in case.model.graph.node} <= set(OPERATORS)
    }


NODE_TESTS = node_tests()


def test_every_operator_has_some() -> None:
    tested = {case.model.graph.node[0].op_type for case in NODE_TESTS.values()}
    assert tested == set(OPERATORS)


@pytest.mark.parametrize("name", NODE_TESTS)
def test_node(name: str) -> None:
    case = NODE_TESTS[name]
    evaluator = dmlc.onnx.ReferenceEvaluator(case.model)
    assert all(type(node).__module__ == "dmlc.onnx" for node in evaluator.rt_nodes_)
    for inputs, outputs in case.data_sets:
        results = evaluator.run(None, dict(zip(evaluator.input_names, inputs)))
        for result, output in zip(results, map(np.asarray, outputs), strict=True):
            assert (result.dtype, result.shape) == (output.dtype, output.shape)
            assert result.tobytes() == output.tobytes()


def test_a_wrong_operator_is_noticed() -> None:
    """The comparison tells: an operator that only negates a result differs."""

    def run_negated(self: Any, *inputs: Any, **attributes: Any) -> Any:
        return (-OPERATORS["Pad"](*inputs, **attributes),)

    negated: Any = type("Pad", (OpRun,), {"_run": run_negated})
    case = NODE_TESTS["test_constant_pad"]
    evaluator = dmlc.onnx.ReferenceEvaluator(case.model, new_ops=[negated])
    inputs, outputs = case.data_sets[0]
    (result,) = evaluator.run(None, dict(zip(evaluator.input_names, inputs)))
    assert result.tobytes() != np.asarray(outputs[0]).tobytes()

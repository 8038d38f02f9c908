"""What has a line of its own for each operator has one for every operator, so that none is forgotten.

Other tests look after their own lists.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from dmlc import functions
from dmlc.descriptors import OperatorDesc

ROOT = Path(__file__).parents[2]


def text_of(name: str) -> str:
    path = ROOT / name
    if not path.exists():
        pytest.skip(f"{name} is not here")
    return path.read_text("utf-8")


def words_of(name: str) -> set[str]:
    return set(re.findall(r"\w+", text_of(name)))


def declared(name: str, prefix: str) -> set[str]:
    """The functions of a header that are called so and return a status."""
    return set(re.findall(rf"^dmlc_status ({prefix}\w+)\(", text_of(name), re.MULTILINE))


@pytest.mark.parametrize(
    "name",
    [
        "csrc/tests/reference.c",
        "csrc/tests/test_arguments.c",
        "fuzz/fuzz_run.c",
    ],
)
def test_every_planner_is_there(name: str) -> None:
    planners = declared("csrc/include/dmlc.h", "dmlc_plan_")
    assert len(planners) > 4
    assert planners - words_of(name) == set()


def test_plans_of_every_planner_are_shared_in_its_test() -> None:
    sharing = declared("csrc/plan/cache.h", "dmlc_share_")
    assert len(sharing) > 4
    assert sharing - words_of("csrc/tests/test_cache.c") == set()


@pytest.mark.parametrize(
    "name",
    [
        "docs/directml.md",
        "tests/adapters/test_dxdispatch_parsing.py",
        "tests/descriptors/test_descriptors.py",
        "tests/descriptors/test_json.py",
        "tests/operators/test_random_descriptors.py",
        "tests/robustness/every_operator.py",
        "tests/validation/descriptors.py",
        "tests/validation/test_feature_levels.py",
        "tests/validation/test_rules.py",
    ],
)
def test_every_descriptor_is_there(name: str) -> None:
    descriptors = {desc.__name__ for desc in get_args(OperatorDesc)}
    assert descriptors - words_of(name) == set()


@pytest.mark.parametrize(
    "name",
    [
        "tests/functions/calls.py",
        "tests/robustness/test_changing_arguments.py",
        "tests/robustness/test_endless_arguments.py",
    ],
)
def test_every_function_is_there(name: str) -> None:
    called = set(re.findall(r"dmlc\.(\w+)|_generate\(\"(\w+)\"", text_of(name)))
    assert set(functions.__all__) - {word for pair in called for word in pair} == set()

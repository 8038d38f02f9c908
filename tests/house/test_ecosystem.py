"""Every test of another library is one of `pytest -m ecosystem`, which the README names."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

ASKED = re.compile(r"""(?:importorskip|find_spec)\(\s*["']([\w.]+)["']""")
MODULES = {
    "opencv-python-headless": "cv2",
    "scikit-learn": "sklearn",
    "tensorflow-cpu": "tensorflow",
    "array-api-extra": "array_api_extra",
}


def packages(extra: str) -> set[str]:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]
    found = set()
    for requirement in extras[extra]:
        name = re.match(r"[\w-]+", requirement)
        assert name
        if name[0] == "dmlc":
            for inner in re.findall(r"[\w-]+", requirement[4:]):
                found |= packages(inner)
        else:
            found.add(MODULES.get(name[0], name[0]))
    return found


def test_tests_of_other_libraries_are_marked(request: pytest.FixtureRequest) -> None:
    if not (ROOT / "pyproject.toml").exists():
        pytest.skip("the sources are not there")
    others = (packages("ecosystem") | packages("torch")) - packages("test")
    assert {"torch", "jax", "tensorflow", "onnx", "dask", "numba", "sklearn", "joblib"} <= others
    conftest = next(
        plugin
        for plugin in request.config.pluginmanager.get_plugins()
        if hasattr(plugin, "meets_others")
    )
    for path in Path(__file__).parents[1].rglob("test_*.py"):
        asked = {name.split(".")[0] for name in ASKED.findall(path.read_text("utf-8"))}
        assert not asked & others or conftest.meets_others(path), path

"""A table of kernels is chosen only where the processor has all that its compiler was allowed to use."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "csrc"

pytestmark = pytest.mark.skipif(not SOURCE.is_dir(), reason="the sources are not here")


def built_with(isa: str) -> set[str]:
    """The features that a table's compiler flags name."""
    text = (SOURCE / "kernels" / "meson.build").read_text("utf-8")
    found = re.search(rf"'{isa}': \[(.*?)\]", text, re.DOTALL)
    assert found is not None
    flags = re.findall(r"'-m([^']*)'", found[1])
    return {flag for flag in flags if "=" not in flag}


def asked_for(isa: str) -> set[str]:
    """The features without which dispatch does not take a table."""
    text = (SOURCE / "dispatch" / "dispatch.c").read_text("utf-8")
    found = re.search(rf"if \(([^;]*)\)\s*tables\[count\+\+\] = &dmlc_kernels_{isa};", text)
    assert found is not None
    return set(re.findall(r'"(\w+)"', found[1]))


@pytest.mark.parametrize("isa", ["avx2", "avx512"])
def test_dispatch_asks_for_all_that_kernels_are_built_with(isa: str) -> None:
    assert built_with(isa) == asked_for(isa) != set()

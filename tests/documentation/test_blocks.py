"""Every fenced block of code runs, in the order of its page, where what it imports is installed."""

from __future__ import annotations

import doctest
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dmlc.cli import main
from documentation.pages import OPTIONAL, ROOT, Block, blocks, every_page, name_of


@pytest.fixture(autouse=True)
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a photograph and the examples, as the reader of a page has."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    try:
        from PIL import Image
    except ModuleNotFoundError:
        return
    pixels = np.random.default_rng(1).integers(0, 256, (300, 400, 3), np.uint8)
    Image.fromarray(pixels).save("photograph.jpg")


def run(block: Block, page: Path, namespace: dict[str, Any]) -> None:
    name = f"{name_of(page)}:{block.line}"
    if block.language == "python":
        code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
        exec(code, namespace)  # noqa: S102
        return
    test = doctest.DocTestParser().get_doctest(block.text, namespace, name, str(page), block.line)
    report: list[str] = []
    outcome = doctest.DocTestRunner(verbose=False).run(test, out=report.append, clear_globs=False)
    namespace.update(test.globs)
    assert outcome.failed == 0, "".join(report)


@pytest.mark.parametrize("page", every_page(), ids=name_of)
def test_python_runs(page: Path) -> None:
    namespace: dict[str, Any] = {"__name__": "page"}
    missing: dict[str, str] = {}
    for block in blocks(page):
        if block.language not in ("python", "pycon") or block.section in missing:
            continue
        try:
            run(block, page, namespace)
        except ModuleNotFoundError as error:
            package = (error.name or "").partition(".")[0]
            if package not in OPTIONAL:
                raise
            missing[block.section] = package
        except NameError as error:
            # What an earlier section would have imported.
            if error.name not in missing.values():
                raise
            missing[block.section] = error.name
    if missing:
        sections = ", ".join(f"{section!r} without {name}" for section, name in missing.items())
        pytest.skip(f"not run: {sections}")


@pytest.mark.parametrize("page", every_page(), ids=name_of)
def test_commands_of_dmlc_succeed(page: Path) -> None:
    for block in blocks(page):
        for line in block.text.splitlines() if block.language == "sh" else ():
            if line.startswith("dmlc "):
                words = shlex.split(line, comments=True)
                assert main(words[1:]) == 0, f"{name_of(page)}:{block.line}: {line}"


@pytest.mark.parametrize("page", every_page(), ids=name_of)
def test_c_compiles(page: Path) -> None:
    sources = [block for block in blocks(page) if block.language == "c"]
    compiler = shutil.which("cc")
    if sources and compiler is None:
        pytest.skip("no C compiler")
    for block in sources:
        command = [str(compiler), "-std=c99", "-Wall", "-Werror", "-fsyntax-only", "-xc", "-"]
        include = f"-I{ROOT / 'csrc' / 'include'}"
        result = subprocess.run(
            [*command, include], input=block.text, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, f"{name_of(page)}:{block.line}: {result.stderr}"

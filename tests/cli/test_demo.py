"""``dmlc demo`` on small images of every kind."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dmlc
from dmlc.cli import demo, main

pytest.importorskip("matplotlib")
Image = pytest.importorskip("PIL.Image")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(demo, "_ROUNDS", 1)
    monkeypatch.setattr(demo, "_DOTS_PER_INCH", 15)
    monkeypatch.chdir(tmp_path)


def photograph(path: Path, mode: str, size: tuple[int, int] = (40, 30)) -> Path:
    values = np.random.default_rng(1).integers(0, 256, (size[1], size[0], 3), np.uint8)
    Image.fromarray(values).convert(mode).save(path)
    return path


def test_the_sample_photograph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "_DOTS_PER_INCH", 100)
    assert main(["demo"]) == 0
    lines = capsys.readouterr().out.splitlines()
    header = lines.index(next(line for line in lines if line.startswith("operator")))
    assert lines[header].split() == [
        "operator", "output", "type", "NumPy", "ms", "dmlc", "ms", "ratio", "GB/s", "exact",
    ]  # fmt: skip
    rows = lines[header + 2 : lines.index("", header)]
    assert len(rows) == 19
    assert all(row.endswith("  yes") for row in rows)
    assert any(line.endswith("every result is exact") for line in lines)
    with Image.open(tmp_path / "dmlc-demo.png") as picture:
        assert picture.size[0] > 1000


@pytest.mark.parametrize(
    ("mode", "size"),
    [
        ("RGB", (1, 1)),
        ("L", (1, 9)),
        ("RGBA", (9, 1)),
        ("P", (2, 3)),
        ("1", (200, 7)),
        ("LA", (40, 30)),
    ],
)
def test_images_of_every_kind_and_tiny_ones(
    mode: str, size: tuple[int, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = photograph(tmp_path / "photo.png", mode, size)
    assert main(["demo", "--image", str(path), "--output", "new/picture.png"]) == 0
    assert f"{path}: {size[0]} x {size[1]} pixels, RGB" in capsys.readouterr().out
    assert (tmp_path / "new" / "picture.png").stat().st_size > 1000


def test_a_wrong_result_is_told_and_ends_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = photograph(tmp_path / "photo.png", "RGB")
    monkeypatch.setattr(dmlc, "tril", np.triu)
    assert main(["demo", "--image", str(path)]) == 1
    printed = capsys.readouterr().out
    assert "1 results are NOT exact" in printed
    assert [line for line in printed.splitlines() if line.endswith("  NO")]


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["demo", *arguments]) == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    return message.strip()


def test_images_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refusal(capsys, "--image", "absent.png") == (
        "dmlc demo: cannot read the image absent.png: No such file or directory"
    )
    (tmp_path / "text.png").write_text("no image")
    assert refusal(capsys, "--image", "text.png").startswith(
        "dmlc demo: cannot read the image text.png: cannot identify image file"
    )
    photograph(tmp_path / "cut.png", "RGB")
    (tmp_path / "cut.png").write_bytes((tmp_path / "cut.png").read_bytes()[:200])
    assert refusal(capsys, "--image", "cut.png").startswith(
        "dmlc demo: cannot read the image cut.png: "
    )


def test_a_picture_that_cannot_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(photograph(tmp_path / "photo.png", "RGB"))
    (tmp_path / "file").write_text("")
    start = "dmlc demo: cannot write the picture"
    assert refusal(capsys, "--image", path, "--output", "file/a.png").startswith(start)
    assert refusal(capsys, "--image", path, "--output", "a.unknown").startswith(start)


@pytest.mark.parametrize("missing", ["matplotlib", "PIL"])
def test_without_the_extra(
    missing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real_import = builtins.__import__

    def refuse(name: str, *arguments: Any, **keywords: Any) -> Any:
        if name.split(".")[0] == missing:
            raise ModuleNotFoundError(f"No module named {missing!r}", name=missing)
        return real_import(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", refuse)
    assert refusal(capsys) == (
        f'dmlc demo: needs matplotlib and pillow ({missing} is missing): pip install "dmlc[demo]"'
    )

"""Images as sources and targets."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dmlc.adapters.dxdispatch import images
from dmlc.adapters.dxdispatch.parsing import parse_model
from dmlc.adapters.dxdispatch.running import run_model
from dmlc.descriptors.json.place import ModelError

PIL_Image = pytest.importorskip("PIL.Image")

PIXELS = np.random.default_rng(5).integers(0, 256, (4, 6, 4), np.uint8)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(name: str, data_type: str = "FLOAT32", **more: Any) -> Any:
    resource = {
        "initialValuesDataType": data_type,
        "initialValues": {"sourcePath": name},
        **more,
    }
    model = parse_model(
        json.dumps({"resources": {"r": resource}, "dispatchables": {}, "commands": []})
    )
    return model.resources["r"].initial_values[0]


def write(name: str, values: Any, dimensions: list[int] | None, data_type: str) -> None:
    command: dict[str, Any] = {"type": "writeFile", "resource": "r", "targetPath": name}
    if dimensions is not None:
        command["dimensions"] = dimensions
    resource = {"initialValuesDataType": data_type, "initialValues": values}
    model = {"resources": {"r": resource}, "dispatchables": {}, "commands": [command]}
    run_model(parse_model(json.dumps(model)), write=str)


def test_reading_gives_nchw_in_rgb_order() -> None:
    PIL_Image.fromarray(PIXELS[..., :3]).save("x.png")
    planes = np.moveaxis(PIXELS[..., :3], -1, 0).reshape(-1)
    assert read("x.png", "UINT8").tolist() == planes.tolist()
    single = planes.astype(np.float32) / np.float32(255)
    assert read("x.png").tobytes() == single.tobytes()
    assert read("x.png", "FLOAT16").tobytes() == single.astype(np.float16).tobytes()
    alpha = read("x.png", "UINT8", resampleSize=[1, 4, 4, 6], resampleMode="scale")
    assert alpha.tolist() == [*planes.tolist(), *[255] * 24]


def test_an_alpha_channel_is_kept_or_dropped() -> None:
    PIL_Image.fromarray(PIXELS).save("x.PNG")
    planes = np.moveaxis(PIXELS, -1, 0)
    assert read("x.PNG", "UINT8").tolist() == planes.reshape(-1).tolist()
    three = read("x.PNG", "UINT8", resampleSize=[1, 3, 4, 6])
    assert three.tolist() == planes[:3].reshape(-1).tolist()


def test_resampling() -> None:
    PIL_Image.fromarray(np.full((40, 30, 3), 51, np.uint8)).save("x.jpg")
    values = read("x.jpg", resampleSize=[1, 3, 7, 5])
    assert values.size == 3 * 7 * 5
    assert np.abs(values - 0.2).max() < 0.02


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("leading", [[1], []])
def test_what_is_written_is_read_again(channels: int, leading: list[int]) -> None:
    planes = np.moveaxis(PIXELS, -1, 0)[:channels]
    write("x.png", planes.reshape(-1).tolist(), [*leading, channels, 4, 6], "UINT8")
    shown = np.asarray(PIL_Image.open("x.png"))
    assert shown.reshape(4, 6, channels).tolist() == PIXELS[..., :channels].tolist()


@pytest.mark.parametrize("data_type", ["FLOAT32", "FLOAT16"])
def test_floats_are_clamped_and_truncated(data_type: str) -> None:
    values = [0, 1, 0.5, -3, 7, "nan", "inf", "-inf", 0.9999]
    write("x.png", values, [1, 1, 3, 3], data_type)
    last = int(np.dtype(data_type.lower()).type(0.9999).astype(np.float32) * np.float32(255))
    assert np.asarray(PIL_Image.open("x.png")).reshape(-1).tolist() == [
        *[0, 255, 127, 0, 255, 255, 255, 0],
        last,
    ]


def complaint(action: Any, *arguments: Any, **more: Any) -> str:
    with pytest.raises(ModelError) as caught:
        action(*arguments, **more)
    return str(caught.value)


def test_wrong_images(folder: Path) -> None:
    PIL_Image.fromarray(PIXELS).save("x.png")
    content = Path("x.png").read_bytes()
    place = "resources.r.initialValues.sourcePath: cannot read"
    for name, broken in {
        "cut.png": content[: len(content) // 2],
        "empty.png": b"",
        "text.png": b"hello",
        "gif.png": b"GIF89a" + bytes(100),
        "crc.png": content[:20] + b"\xff" * 40 + content[60:],
    }.items():
        Path(name).write_bytes(broken)
        assert complaint(read, name).startswith(f'{place} "{name}": ')
    assert complaint(read, "x.png", "INT32") == (
        f'{place} "x.png": images have elements of type FLOAT32, FLOAT16, UINT8, got INT32'
    )
    assert complaint(read, "x.png", "UNKNOWN").endswith("got UNKNOWN")
    size = "resources.r.resampleSize: must be [1, C, H, W] with 3 or 4 channels, got "
    for wrong in ([3, 4, 6], [2, 3, 4, 6], [1, 2, 4, 6]):
        expected = size + json.dumps(wrong, separators=(",", ":"))
        assert complaint(read, "x.png", resampleSize=wrong) == expected
    mode = complaint(read, "x.png", resampleSize=[1, 3, 4, 6], resampleMode="crop")
    assert mode == 'resources.r.resampleMode: must be "scale", got "crop"'
    huge = complaint(read, "x.png", resampleSize=[1, 3, 2**32 - 1, 2**32 - 1])
    assert "pixels, more than 67108864" in huge


def test_a_decompression_bomb_is_refused() -> None:
    """A few bytes that claim 60000 x 60000 pixels."""
    buffer = io.BytesIO()
    PIL_Image.new("L", (1, 1)).save(buffer, "PNG")
    content = bytearray(buffer.getvalue())
    content[16:24] = (60000).to_bytes(4, "big") * 2
    import zlib

    content[29:33] = zlib.crc32(content[12:29]).to_bytes(4, "big")
    Path("bomb.png").write_bytes(content)
    assert "resources.r.initialValues.sourcePath: cannot read" in complaint(read, "bomb.png")


def test_what_is_no_image_cannot_be_written(folder: Path) -> None:
    place = "commands[0].targetPath: cannot write"
    assert complaint(write, "x.png", [1] * 12, None, "UINT8").startswith(
        f'{place} "x.png": an image has dimensions [1, C, H, W] with 1, 3 or 4 channels, got [12]'
    )
    assert complaint(write, "x.png", [1] * 12, [1, 2, 2, 3], "UINT8").endswith("got [1, 2, 2, 3]")
    assert complaint(write, "x.png", [1] * 12, [1, 3, 2, 2], "INT8").endswith("got INT8")
    assert complaint(write, "x.jpg", [1] * 16, [1, 4, 2, 2], "UINT8").startswith(place)
    assert list(folder.iterdir()) == []


def test_without_pillow(monkeypatch: pytest.MonkeyPatch) -> None:
    PIL_Image.fromarray(PIXELS).save("x.png")
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    needs = 'images need Pillow: pip install "dmlc[images]"'
    assert complaint(read, "x.png").endswith(f'cannot read "x.png": {needs}')
    # A target is refused before anything runs.
    assert complaint(write, "y.png", [1], None, "UINT8").endswith(f'cannot write "y.png": {needs}')
    with pytest.raises(ValueError, match="Pillow"):
        images.check_images()

"""Makes docs/demo.png anew: `python docs/demo.py [FILE.png]`.

The picture of `dmlc demo`, as wide as the documentation shows it and in few colours. Exits as the demo does:
with 1 if a result differs from NumPy's. The captions are measured, so that they are worth what the
machine's quiet is worth. The file names the cases that it shows, for a test to compare.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from dmlc.cli import main
from dmlc.cli.demo import make_cases

WIDTH = 1200
COLORS = 256
SMALL = np.zeros((8, 8, 3), np.uint8)


def reduced(path: Path) -> Image.Image:
    """The picture at its width in the documentation."""
    with Image.open(path) as picture:
        height = round(picture.height * WIDTH / picture.width)
        small = picture.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)
    return small.quantize(COLORS)


def make(target: Path) -> int:
    with tempfile.TemporaryDirectory() as folder:
        full = Path(folder) / "demo.png"
        status = main(["demo", "--output", str(full)])
        if status == 0:
            shown = PngInfo()
            shown.add_text("cases", "; ".join(case.name for case in make_cases(SMALL)))
            reduced(full).save(target, optimize=True, pnginfo=shown)
            print(f"{target}: {target.stat().st_size} bytes")
    return status


if __name__ == "__main__":
    place = Path(__file__).with_name("demo.png")
    sys.exit(make(Path(sys.argv[1]) if len(sys.argv) > 1 else place))

"""``dmlc demo``: every operator on a photograph, checked and timed against NumPy."""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

import dmlc
from dmlc.cli.terminal import fail, write_line

if TYPE_CHECKING:
    from dmlc.cli.terminal import Subparsers

Array = npt.NDArray[Any]

_DESCRIPTION = """\
Run every operator on a photograph at its full size. Each result is compared with NumPy's bit for
bit, both are timed side by side with fresh outputs, and a picture shows what the operators did.
The exit code is 1 if a result differs."""

_BORDER = 64
_BAND = 32
_CLASSES = 8
_ROUNDS = 9
_SAMPLE_SECONDS = 5e-4
_DOTS_PER_INCH = 100


@dataclass(frozen=True, slots=True)
class Case:
    """One operator on the photograph, as NumPy and as dmlc write it.

    `show` turns the result into a picture: height by width, or height by width by RGB.
    """

    name: str
    numpy: Callable[[], Array]
    dmlc: Callable[[], Array]
    show: Callable[[Array], Array] = np.asarray


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a case gave, whether NumPy gave the same bits, and the seconds of both."""

    case: Case
    result: Array
    exact: bool
    numpy_seconds: float
    dmlc_seconds: float

    @property
    def ratio(self) -> float:
        return self.numpy_seconds / self.dmlc_seconds


class DemoError(Exception):
    """The demo cannot start or cannot write; the message is for the user."""


def reason(error: Exception) -> str:
    """The error's own words, without the file's name, which the message has already."""
    return str(getattr(error, "strerror", None) or error).partition("\n")[0]


def add_parser(commands: Subparsers) -> None:
    """Add ``dmlc demo`` to the commands."""
    parser = commands.add_parser(
        "demo",
        help="show every operator on a photograph, checked and timed against NumPy",
        description=_DESCRIPTION,
    )
    parser.add_argument(
        "--image", metavar="FILE", help="a photograph of your own (default: matplotlib's sample)"
    )
    parser.add_argument(
        "--output",
        metavar="FILE.png",
        default="dmlc-demo.png",
        help="where the picture goes (default: dmlc-demo.png)",
    )
    parser.set_defaults(work=work)


def work(arguments: argparse.Namespace) -> int:
    """Run every operator on the photograph; return 0, 1 for a wrong result, 2 for a mistake."""
    try:
        image = load_image(arguments.image)
        height, width, _ = image.shape
        write_line(f"{arguments.image or 'sample photograph'}: {width} x {height} pixels, RGB\n")
        outcomes = [measure(case) for case in make_cases(image)]
        for line in format_table(outcomes):
            write_line(line)
        draw(image, outcomes, arguments.output)
    except DemoError as error:
        return fail(f"dmlc demo: {error}")
    write_line(f"picture: {arguments.output}")
    return 0 if all(outcome.exact for outcome in outcomes) else 1


def load_image(path: str | None) -> Array:
    """Return a photograph as height by width by RGB, uint8."""
    try:
        import matplotlib.cbook
        from PIL import Image, ImageOps
    except ImportError as error:
        raise DemoError(
            f'needs matplotlib and pillow ({error.name} is missing): pip install "dmlc[demo]"'
        ) from None
    try:
        file = path or matplotlib.cbook.get_sample_data("grace_hopper.jpg", asfileobj=False)
        with Image.open(file) as opened:
            upright = ImageOps.exif_transpose(opened)
            # By way of RGBA: a palette may carry transparency, which RGB alone cannot take over.
            return np.array(upright.convert("RGBA").convert("RGB"))
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        what = f"cannot read the image {path}" if path else "matplotlib's sample photograph"
        raise DemoError(f"{what}: {reason(error)}") from None


def make_cases(image: Array) -> list[Case]:
    """Return what the demo runs: NumPy's side is written as a good NumPy user writes it."""
    height, width, _ = image.shape
    border = ((_BORDER, _BORDER), (_BORDER, _BORDER), (0, 0))
    gray = (image @ np.array([0.299, 0.587, 0.114])).astype(np.uint8)
    labels = gray // (256 // _CLASSES)
    classes = np.arange(_CLASSES, dtype=labels.dtype)[:, None, None]
    top, left = height // 4, width // 4
    bottom, right = height - top, width - left
    every_second = ((0, 0, 0), image.shape, (2, 2, 1))
    side = min(height, 4096)

    def in_band() -> Array:
        inside: Array = np.tri(height, width, _BAND, bool)
        inside &= ~np.tri(height, width, -_BAND - 1, bool)
        return inside

    def pad(mode: Any) -> Case:
        return Case(
            f"pad {mode}",
            lambda: np.pad(image, border, mode),
            lambda: dmlc.pad(image, border, mode),
        )

    return [
        *(pad(mode) for mode in ("constant", "edge", "reflect", "symmetric", "wrap")),
        Case("flip columns", lambda: image[:, ::-1].copy(), lambda: dmlc.flip(image, 1)),
        Case("flip rows", lambda: image[::-1].copy(), lambda: dmlc.flip(image, 0)),
        Case("RGB to BGR", lambda: image[..., ::-1].copy(), lambda: dmlc.copy(image[..., ::-1])),
        Case(
            "HWC to CHW",
            lambda: image.transpose(2, 0, 1).copy(),
            lambda: dmlc.copy(image.transpose(2, 0, 1)),
            show=lambda result: np.hstack(list(result)),
        ),
        Case(
            "crop",
            lambda: image[top:bottom, left:right].copy(),
            lambda: dmlc.copy(image[top:bottom, left:right]),
        ),
        Case(
            "slice, stride 2",
            lambda: image[::2, ::2].copy(),
            lambda: dmlc.slice(image, *every_second),
        ),
        Case(
            "one-hot, first axis",
            lambda: np.equal(labels, classes).view(np.uint8),
            lambda: dmlc.one_hot(labels, _CLASSES, axis=0, dtype=np.uint8),
            show=lambda result: np.vstack(
                [np.hstack(list(result[:4])), np.hstack(list(result[4:]))]
            ),
        ),
        Case(
            "one-hot, last axis",
            lambda: np.eye(_CLASSES, dtype=np.float32)[labels],
            lambda: dmlc.one_hot(labels, _CLASSES, dtype=np.float32),
            show=lambda result: result[..., [1, 3, 5]],
        ),
        Case(
            "causal mask",
            lambda: np.triu(np.full((side, side), -np.inf, np.float32), 1),
            lambda: dmlc.causal_mask(side),
            show=np.isfinite,
        ),
        Case("tril", lambda: np.tril(gray), lambda: dmlc.tril(gray)),
        Case("triu", lambda: np.triu(gray), lambda: dmlc.triu(gray)),
        Case(
            "fill band",
            lambda: np.where(in_band(), np.uint8(255), gray),
            lambda: dmlc.fill_band(gray, -_BAND, _BAND + 1, 255),
        ),
        Case(
            "diagonal matrix",
            lambda: in_band() * np.uint8(255),
            lambda: dmlc.diagonal_matrix((height, width), -_BAND, _BAND + 1, 255, dtype=np.uint8),
        ),
        Case(
            "identity",
            lambda: np.eye(side, dtype=np.float32),
            lambda: dmlc.eye(side, dtype=np.float32),
        ),
    ]


def measure(case: Case) -> Outcome:
    """Compare the two results, then time both in turn: medians, outputs freshly allocated."""
    expected, result = case.numpy(), case.dmlc()
    exact = (
        result.dtype == expected.dtype
        and result.shape == expected.shape
        and result.tobytes() == expected.tobytes()
    )
    del expected
    calls = [case.numpy, case.dmlc]
    repeats = {call: max(1, round(_SAMPLE_SECONDS / sample(call, 1))) for call in calls}
    seconds: dict[Callable[[], Array], list[float]] = {call: [] for call in calls}
    for _ in range(_ROUNDS):
        for call in calls:
            seconds[call].append(sample(call, repeats[call]))
        calls.reverse()
    return Outcome(
        case,
        result,
        exact,
        numpy_seconds=statistics.median(seconds[case.numpy]),
        dmlc_seconds=statistics.median(seconds[case.dmlc]),
    )


def sample(call: Callable[[], Array], repeats: int) -> float:
    """Return the seconds that a call takes, its output freed again; the mean of `repeats`."""
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats


def format_table(outcomes: Sequence[Outcome]) -> list[str]:
    """Return the lines of the table; GB/s counts the bytes of the output."""
    rows = [("operator", "output", "type", "NumPy ms", "dmlc ms", "ratio", "GB/s", "exact")]
    for outcome in outcomes:
        rows.append(
            (
                outcome.case.name,
                " x ".join(map(str, outcome.result.shape)),
                str(outcome.result.dtype),
                f"{outcome.numpy_seconds * 1e3:.3f}",
                f"{outcome.dmlc_seconds * 1e3:.3f}",
                f"{outcome.ratio:.2f}",
                f"{outcome.result.nbytes / outcome.dmlc_seconds / 1e9:.2f}",
                "yes" if outcome.exact else "NO",
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    left_columns = 3
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if index < left_columns else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "-" * max(map(len, lines)))
    worst = min(outcomes, key=lambda outcome: outcome.ratio)
    mean = math.exp(statistics.fmean(math.log(outcome.ratio) for outcome in outcomes))
    wrong = sum(not outcome.exact for outcome in outcomes)
    exactness = "every result is exact" if not wrong else f"{wrong} results are NOT exact"
    lines.append("")
    lines.append(
        f"NumPy's time / dmlc's time: worst {worst.ratio:.2f} ({worst.case.name}), "
        f"geometric mean {mean:.2f}; {exactness}"
    )
    return lines


def draw(image: Array, outcomes: Sequence[Outcome], path: str) -> None:
    """Write a labelled grid of the photograph and all results."""
    from matplotlib.figure import Figure

    pictures = [("the photograph", image, "")]
    for outcome in outcomes:
        label = f"{outcome.ratio:.1f} x NumPy" if outcome.exact else "NOT EXACT"
        pictures.append((outcome.case.name, outcome.case.show(outcome.result), label))
    columns = 5
    rows = -(-len(pictures) // columns)
    # Places that are known beforehand: a layout that is found takes a drawing more.
    figure = Figure(figsize=(3.1 * columns, 3.5 * rows), facecolor="white")
    figure.subplots_adjust(left=0.01, right=0.99, bottom=0.02, top=0.94, wspace=0.06, hspace=0.2)
    for index, (name, picture, label) in enumerate(pictures):
        axes = figure.add_subplot(rows, columns, index + 1)
        step = max(1, max(picture.shape[:2]) // 600)
        axes.imshow(picture[::step, ::step], cmap="gray")
        axes.set_title(name, fontsize=12, fontweight="bold")
        below = axes.text(0.5, -0.02, label, transform=axes.transAxes, fontsize=10, color="dimgray")
        below.set(ha="center", va="top")
        axes.xaxis.set_visible(False)
        axes.yaxis.set_visible(False)
        for spine in axes.spines.values():
            spine.set_edgecolor("lightgray")
    threads = dmlc.get_num_threads()
    where = f"a CPU, {threads} thread{'s' if threads > 1 else ''}"
    figure.suptitle(f"dmlc: DirectML's tensor-rearranging operators on {where}", fontsize=16)
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=_DOTS_PER_INCH)
    except (OSError, ValueError) as error:
        raise DemoError(f"cannot write the picture {path}: {reason(error)}") from None

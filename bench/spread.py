"""The short chart: a line for each kind of case, with its spread, for several runs.

Runs with as many threads share a panel, where each instruction set has a colour.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import quantiles

from report import geometric_mean
from results import Results, ratio_to_best
from svg import AHEAD, AVX2, BEHIND, Axis, axis, document, text

ROW, TOP, LEFT, WIDTH, MEAN = 36, 98, 190, 270, 52
COLORS = {"avx2": AVX2}
LABELS = {"avx512": "AVX-512", "avx2": "AVX2", "neon": "NEON", "baseline": "portable"}
ALL = "all cases"


def instruction_set(run: Results) -> str:
    return run["instruction_sets"]["dmlc"]


def threads(run: Results) -> int:
    return int(run["machine"]["threads"])


def ratios_by_kind(run: Results) -> dict[str, list[float]]:
    """The fastest peer's time divided by dmlc's, fresh outputs, all of them first."""
    found: dict[str, list[float]] = {ALL: []}
    for case in run["cases"]:
        value = ratio_to_best(case, "fresh")
        if value is not None:
            found[ALL].append(value)
            found.setdefault(case["kind"], []).append(value)
    return found


def drawn(runs: list[Results]) -> str:
    ratios = {id(run): ratios_by_kind(run) for run in runs}
    kinds = list(dict.fromkeys(kind for found in ratios.values() for kind in found))
    every = [value for found in ratios.values() for value in found[ALL]]
    counts = sorted({threads(run) for run in runs}, reverse=True)
    bottom = TOP + ROW * len(kinds)
    parts = [
        text(8, 20, "Fastest other library's time / dmlc's time", size=15, weight="bold"),
        text(8, 38, "right of 1: dmlc is faster"),
        text(8, 52, "line: all cases, bar: the middle half, dot and number: geometric mean"),
    ]
    parts += legend(dict.fromkeys(map(instruction_set, runs)))
    for row, kind in enumerate(kinds):
        y = TOP + ROW * row + ROW / 2
        number = max(len(found.get(kind, ())) for found in ratios.values())
        weight = "bold" if kind == ALL else "normal"
        parts.append(text(LEFT - 12, y, kind, anchor="end", weight=weight))
        parts.append(text(LEFT - 12, y + 12, str(number), anchor="end", size=9))
    for panel, count in enumerate(counts):
        left = LEFT + panel * (WIDTH + MEAN)
        scale = axis(left, WIDTH, every)
        noun = "thread" if count == 1 else "threads"
        parts.append(text(left + WIDTH / 2, TOP - 24, f"{count} {noun}", "middle", "bold"))
        parts += scale.grid(TOP - 4, bottom)
        members = [run for run in runs if threads(run) == count]
        for row, kind in enumerate(kinds):
            for place, run in enumerate(members):
                y = TOP + ROW * row + ROW * (place + 1) / (len(members) + 1)
                values = ratios[id(run)].get(kind)
                if values:
                    parts += spread(scale, y, values, color_of(run))
    return document(parts, LEFT + len(counts) * (WIDTH + MEAN), bottom + 8)


def color_of(run: Results) -> str:
    return COLORS.get(instruction_set(run), AHEAD)


def legend(names: dict[str, None]) -> Iterator[str]:
    x = 8
    for name in names:
        color = COLORS.get(name, AHEAD)
        yield f"<rect x='{x}' y='{TOP - 32}' width='14' height='8' fill='{color}'/>"
        yield text(x + 19, TOP - 24, LABELS.get(name, name))
        x += 82


def spread(scale: Axis, y: float, values: list[float], color: str) -> Iterator[str]:
    """The line, the bar, the dot and the number of one kind in one run."""
    low, high = min(values), max(values)
    first, _, third = quantiles(values, n=4) if len(values) > 1 else (low, low, high)
    first, third = max(first, low), min(third, high)
    mean = geometric_mean(values)
    tip = f"<title>{low:.2f} to {high:.2f}, middle half {first:.2f} to {third:.2f}</title>"
    yield line(scale(low), scale(high), y, f"stroke='{color}' stroke-width='1.5'")
    if low < 1:
        behind = f"stroke='{BEHIND}' stroke-width='2.5'"
        yield line(scale(low), scale(min(1.0, high)), y, behind)
    yield (
        f"<rect x='{scale(first):.1f}' y='{y - 4.5:.1f}' height='9' rx='2' fill='{color}' "
        f"width='{max(2.0, scale(third) - scale(first)):.1f}' fill-opacity='0.5'>{tip}</rect>"
    )
    yield f"<circle cx='{scale(mean):.1f}' cy='{y:.1f}' r='3.5' fill='{color}'/>"
    end = scale.left + scale.width + 8
    yield text(end, y + 4, f"{mean:.2f}", fill=color)


def line(x1: float, x2: float, y: float, style: str) -> str:
    return f"<line x1='{x1:.1f}' x2='{x2:.1f}' y1='{y:.1f}' y2='{y:.1f}' {style}/>"

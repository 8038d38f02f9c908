"""The chart: how many times faster than the fastest peer each case is, as a hand-written SVG.

One row per case, grouped by operator, on a logarithmic axis: a ring for fresh outputs, a dot for
out=. The background is transparent and every colour reads on white and on black.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from math import ceil, floor, log2

from report import geometric_mean
from results import CaseResult, Results, ratio_to_best

ROW, LEFT, WIDTH, RIGHT, TOP = 15, 330, 480, 60, 64
TEXT, AHEAD, BEHIND = "#727a84", "#1f9d6b", "#d9622b"
FONT = "font-family='system-ui, sans-serif' font-size='11'"


def svg(results: Results) -> str:
    cases = [case for case in results["cases"] if any(ratios(case))]
    if not cases:
        return label_only("no case has both dmlc and a peer")
    every = [value for case in cases for value in ratios(case) if value is not None]
    low, high = min(-1, floor(log2(min(every)))), max(1, ceil(log2(max(every))))

    def x(value: float) -> float:
        return LEFT + (log2(value) - low) / (high - low) * WIDTH

    body, y = [], TOP
    for operator in dict.fromkeys(case["operator"] for case in cases):
        group = [case for case in cases if case["operator"] == operator]
        body.append(text(8, y + 11, f"{operator} {means(group)}", weight="bold"))
        y += ROW + 4
        for case in group:
            body.append(row(case, y, x))
            y += ROW
        y += 8
    grid = [grid_line(x(2.0**power), y, power) for power in range(low, high + 1)]
    title = [
        text(8, 20, "Fastest peer's time / dmlc's time, case by case", size=15, weight="bold"),
        text(8, 38, "right of 1: dmlc is faster.  ring: fresh output, dot: out="),
    ]
    return document([*title, *grid, *body], y + 8)


def ratios(case: CaseResult) -> tuple[float | None, float | None]:
    return ratio_to_best(case, "fresh"), ratio_to_best(case, "out")


def means(cases: list[CaseResult]) -> str:
    """The geometric means of a group, for its heading."""
    parts = []
    for name, column in zip(("fresh", "out="), zip(*map(ratios, cases), strict=True), strict=True):
        values = [value for value in column if value is not None]
        if values:
            parts.append(f"{name} {geometric_mean(values):.2f}x")
    return f"({', '.join(parts)})"


def row(case: CaseResult, y: float, x: Callable[[float], float]) -> str:
    middle = y + ROW / 2
    name = case["name"].split("/", 1)[1]
    marks = [text(LEFT - 8, middle + 4, name, anchor="end")]
    for value, filled in zip(ratios(case), (False, True), strict=True):
        if value is None:
            continue
        color = AHEAD if value >= 1 else BEHIND
        paint = f"fill='{color}'" if filled else f"fill='none' stroke='{color}' stroke-width='1.6'"
        tip = f"<title>{escape(name)}: {value:.2f}</title>"
        marks.append(f"<circle cx='{x(value):.1f}' cy='{middle}' r='4' {paint}>{tip}</circle>")
    return "".join(marks)


def grid_line(x: float, bottom: float, power: int) -> str:
    label = f"{2**power}x" if power >= 0 else f"1/{2**-power}x"
    weight = "stroke-width='1.5'" if power == 0 else "stroke-opacity='0.3'"
    ends = f"x1='{x:.1f}' x2='{x:.1f}' y1='{TOP - 4}' y2='{bottom}'"
    line = f"<line {ends} stroke='{TEXT}' {weight}/>"
    return line + text(x, TOP - 10, label, anchor="middle")


def text(
    x: float, y: float, content: str, anchor: str = "start", weight: str = "normal", size: int = 11
) -> str:
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' fill='{TEXT}' text-anchor='{anchor}' "
        f"font-weight='{weight}' font-size='{size}'>{escape(content)}</text>"
    )


def document(parts: list[str], height: float) -> str:
    width = LEFT + WIDTH + RIGHT
    head = (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' "
        f"viewBox='0 0 {width} {height}' {FONT}>"
    )
    return "\n".join([head, *parts, "</svg>"]) + "\n"


def label_only(content: str) -> str:
    return document([text(8, 20, content)], 40)

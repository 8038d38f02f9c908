"""The long chart: how many times faster than the fastest peer each case is.

One row per case, grouped by operator, on a logarithmic axis: a ring for fresh outputs, a dot for
out=.
"""

from __future__ import annotations

from html import escape

from report import geometric_mean
from results import CaseResult, Results, ratio_to_best
from svg import AHEAD, BEHIND, Axis, axis, document, text

ROW, LEFT, WIDTH, RIGHT, TOP = 15, 330, 480, 60, 64


def drawn(results: Results) -> str:
    cases = [case for case in results["cases"] if any(ratios(case))]
    if not cases:
        return label_only("no case has both dmlc and a peer")
    every = [value for case in cases for value in ratios(case) if value is not None]
    x = axis(LEFT, WIDTH, every)
    body, y = [], TOP
    for operator in dict.fromkeys(case["operator"] for case in cases):
        group = [case for case in cases if case["operator"] == operator]
        body.append(text(8, y + 11, f"{operator} {means(group)}", weight="bold"))
        y += ROW + 4
        for case in group:
            body.append(row(case, y, x))
            y += ROW
        y += 8
    title = [
        text(
            8,
            20,
            "Fastest other library's time / dmlc's time, case by case",
            size=15,
            weight="bold",
        ),
        text(8, 38, "right of 1: dmlc is faster.  ring: fresh output, dot: out="),
    ]
    return document([*title, *x.grid(TOP - 4, y), *body], LEFT + WIDTH + RIGHT, y + 8)


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


def row(case: CaseResult, y: float, x: Axis) -> str:
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


def label_only(content: str) -> str:
    return document([text(8, 20, content)], LEFT + WIDTH, 40)

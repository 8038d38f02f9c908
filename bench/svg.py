"""Hand-written SVG: the background is transparent, and every colour reads on white and on black."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log2

TEXT, AHEAD, AVX2, BEHIND = "#727a84", "#1f9d6b", "#3b82d0", "#d9622b"
FONT = "font-family='system-ui, sans-serif' font-size='11'"
LEAST, MOST = -3, 5
"""Powers of 2 beyond which a ratio stands at the edge."""


@dataclass(frozen=True)
class Axis:
    """Ratios from left to right, a power of 2 every so many pixels."""

    left: float
    width: float
    low: int
    high: int

    def __call__(self, ratio: float) -> float:
        power = min(max(log2(ratio), self.low), self.high)
        return self.left + (power - self.low) / (self.high - self.low) * self.width

    def grid(self, top: float, bottom: float) -> Iterable[str]:
        """A line for each power of 2, the strongest at 1."""
        for power in range(self.low, self.high + 1):
            x = self(2.0**power)
            label = f"{2**power}x" if power >= 0 else f"1/{2**-power}x"
            weight = "stroke-width='1.5'" if power == 0 else "stroke-opacity='0.3'"
            ends = f"x1='{x:.1f}' x2='{x:.1f}' y1='{top}' y2='{bottom}'"
            yield f"<line {ends} stroke='{TEXT}' {weight}/>"
            yield text(x, top - 6, label, anchor="middle")


def axis(left: float, width: float, ratios: Iterable[float]) -> Axis:
    """The axis that has room for these ratios."""
    powers = [log2(ratio) for ratio in ratios]
    low, high = floor(min(powers)), ceil(max(powers))
    return Axis(left, width, min(-1, max(low, LEAST)), max(1, min(high, MOST)))


def text(
    x: float,
    y: float,
    content: str,
    anchor: str = "start",
    weight: str = "normal",
    size: int = 11,
    fill: str = TEXT,
) -> str:
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' fill='{fill}' text-anchor='{anchor}' "
        f"font-weight='{weight}' font-size='{size}'>{escape(content)}</text>"
    )


def document(parts: Iterable[str], width: float, height: float) -> str:
    head = (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' "
        f"viewBox='0 0 {width} {height}' {FONT}>"
    )
    return "\n".join([head, *parts, "</svg>"]) + "\n"

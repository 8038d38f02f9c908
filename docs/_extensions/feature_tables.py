"""The tables of feature levels in words, from those that validation uses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dmlc.validation.feature_levels import PADDING_MODES, Support

if TYPE_CHECKING:
    from dmlc.enums import TensorDataType


def counts_in_words(counts: Iterable[int]) -> str:
    """Dimension counts, which have no gaps."""
    least, *others = sorted(counts)
    return f"{least} to {others[-1]}" if others else str(least)


def types_in_words(data_types: Iterable[TensorDataType]) -> str:
    """FLOAT32, FLOAT16, INT32, ...: kind by kind, the widest first."""

    def kind_and_width(name: str) -> tuple[str, int]:
        kind = name.rstrip("0123456789")
        return kind, -int(name.removeprefix(kind))

    return ", ".join(sorted((t.name for t in data_types), key=kind_and_width))


def support_rows(support: Support) -> list[tuple[str, str, str]]:
    """A row for each level at which the operator learned something, the newest first."""
    levels = {*support.dimension_counts.values(), *support.data_types.values()}
    return [
        (
            level.label,
            counts_in_words(n for n, needed in support.dimension_counts.items() if needed <= level),
            types_in_words(t for t, needed in support.data_types.items() if needed <= level),
        )
        for level in sorted(levels, reverse=True)
    ]


def mode_rows() -> list[tuple[str, str]]:
    """Each padding mode and the level that it needs."""
    return [(mode.name, level.label) for mode, level in PADDING_MODES.items()]

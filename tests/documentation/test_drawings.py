"""The pictures of the operators' pages show what the pages say, and each is on a page."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

DOCS = Path(__file__).parents[2] / "docs"
EXTENSIONS = DOCS / "_extensions"

pytestmark = pytest.mark.skipif(not EXTENSIONS.exists(), reason="the documentation is not here")


@pytest.fixture
def drawings(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(EXTENSIONS))
    monkeypatch.delitem(sys.modules, "drawings", raising=False)
    import drawings

    return drawings


@pytest.fixture
def feature_tables(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(EXTENSIONS))
    import feature_tables

    return feature_tables


def lines(drawings: Any, name: str) -> dict[str, list[str]]:
    """What the pictures of a drawing say, by their captions; what is not the array's in brackets."""

    def word(cell: Any) -> str:
        return f"[{cell.text}]" if cell.kind in ("made", "passed", "off") else cell.text or "."

    return {
        picture.caption: [" ".join(map(word, row)) for row in picture.rows]
        for picture in drawings.ALL[name]()
    }


def test_every_drawing_is_on_a_page(drawings: Any) -> None:
    text = "".join(page.read_text("utf-8") for page in sorted((DOCS / "operators").glob("*.md")))
    assert sorted(re.findall(r"^```\{drawing\} (\w+)$", text, re.MULTILINE)) == sorted(drawings.ALL)


def test_pictures_are_well_formed(drawings: Any) -> None:
    for name, draw in drawings.ALL.items():
        for picture in draw():
            cells = [cell for row in picture.rows for cell in row]
            image = ElementTree.fromstring(drawings.svg(picture))
            squares = sum(bool(cell.kind) for cell in cells)
            windows = int(any(cell.framed for cell in cells))
            assert len(image.findall("rect")) == squares + windows, name
            texts = [text.text for text in image.findall("text")]
            assert texts == [cell.text for cell in cells if cell.text], name
            for rectangle in image.findall("rect"):
                for place, size, limit in (("x", "width", "width"), ("y", "height", "height")):
                    end = int(rectangle.attrib[place]) + int(rectangle.attrib[size])
                    assert 0 < end < int(image.attrib[limit]), name


def test_a_framed_window_has_one_frame_around_all_its_cells(drawings: Any) -> None:
    row = [drawings.Cell(letter, "own", letter in "bc") for letter in "abcd"]
    image = ElementTree.fromstring(drawings.svg(drawings.Picture("", [row, row])))
    (frame,) = [r for r in image.findall("rect") if r.attrib["class"] == "window"]
    side = drawings.SIDE
    got = tuple(int(frame.attrib[key]) for key in ("x", "y", "width", "height"))
    assert got == (side, 0, 2 * side, 2 * side)


def test_padding_modes(drawings: Any) -> None:
    assert lines(drawings, "padding_modes") == {
        "constant": ["[v] [v] [v] [v] [v] a b c d [v] [v] [v] [v] [v]"],
        "edge": ["[a] [a] [a] [a] [a] a b c d [d] [d] [d] [d] [d]"],
        "reflect": ["[b] [c] [d] [c] [b] a b c d [c] [b] [a] [b] [c]"],
        "symmetric": ["[d] [d] [c] [b] [a] a b c d [d] [c] [b] [a] [a]"],
        "wrap": ["[d] [a] [b] [c] [d] a b c d [a] [b] [c] [d] [a]"],
    }


def test_slices(drawings: Any) -> None:
    numbers, read, _, result = lines(drawings, "slices")["offset 1, size 7, stride -2"]
    assert numbers == "0 1 2 3 4 5 6 7 8"
    assert read == "[a] b [c] d [e] f [g] h [i]"
    assert result == ". h f d b"


def test_bands(drawings: Any) -> None:
    assert lines(drawings, "bands")["begin 2, end -1"] == [
        "[0] [0] 7 7 7 7",
        "[0] [0] [0] 7 7 7",
        "7 [0] [0] [0] 7 7",
        "7 7 [0] [0] [0] 7",
    ]


def test_one_hot(drawings: Any) -> None:
    assert lines(drawings, "one_hot_negatives")['negative="wrap"'] == [
        ". 2 0 3 -1 4",
        "0 [0] 1 [0] [0] [0]",
        "1 [0] [0] [0] [0] [0]",
        "2 1 [0] [0] [0] [0]",
        "3 [0] [0] 1 1 [0]",
    ]


def test_feature_levels_in_words(feature_tables: Any) -> None:
    from dmlc.validation.feature_levels import ONE_HOT_INDICES, SLICE

    all_types = (
        "FLOAT64, FLOAT32, FLOAT16, INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8"
    )
    most = "FLOAT32, FLOAT16, INT32, INT16, INT8, UINT32, UINT16, UINT8"
    assert feature_tables.support_rows(SLICE) == [
        ("4_1", "1 to 8", all_types),
        ("3_0", "1 to 8", most),
        ("2_1", "4 to 5", most),
        ("1_0", "4 to 5", "FLOAT32, FLOAT16, INT32, INT16, UINT32, UINT16"),
    ]
    assert feature_tables.support_rows(ONE_HOT_INDICES) == [
        ("3_0", "1 to 8", "INT64, INT32, UINT64, UINT32"),
        ("2_0", "4", "UINT32"),
    ]
    assert dict(feature_tables.mode_rows())["WRAP"] == "6_4"

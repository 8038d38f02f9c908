"""Pictures of what the operators do: each function runs dmlc on a few letters and colours the result.

Nothing is drawn that dmlc did not compute. A picture is rows of cells; `svg` writes it.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import dmlc

Array = npt.NDArray[Any]

SIDE = 23  # of a cell, in pixels: fourteen fit a telephone

MODES = ("constant", "edge", "reflect", "symmetric", "wrap")


@dataclass(frozen=True, slots=True)
class Cell:
    """A square with a text.

    `kind` is what `drawings.css` colours: "own" is an element of the array, "made" one that the
    operator added, "passed" one that it did not read, "off" and "on" are a mask's, "" is a label
    without a square. The `framed` cells of a picture are the window in it.
    """

    text: str
    kind: str = ""
    framed: bool = False


Row = Sequence[Cell]


@dataclass(frozen=True, slots=True)
class Picture:
    """Rows of cells under a caption."""

    caption: str
    rows: Sequence[Row]

    def text(self) -> str:
        """The picture in words, a line for a row."""
        lines = (" ".join(cell.text or "." for cell in row) for row in self.rows)
        return "\n".join([self.caption, *lines])


def svg(picture: Picture) -> str:
    """The picture as an element of a page, which brings the colours."""
    width = max(len(row) for row in picture.rows) * SIDE + 2
    height = len(picture.rows) * SIDE + 2
    size = f'width="{width}" height="{height}" viewBox="-1 -1 {width} {height}"'
    words = html.escape(picture.text())
    parts = [f'<svg class="drawing" {size} role="img" aria-label="{words}">']
    places = [(x, y, cell) for y, row in enumerate(picture.rows) for x, cell in enumerate(row)]
    for x, y, cell in places:
        if cell.kind:
            parts.append(_rectangle(cell.kind, x, y, x, y))
        if cell.text:
            middle = f'x="{(x + 0.5) * SIDE}" y="{(y + 0.5) * SIDE}"'
            name = cell.kind or "label"
            parts.append(f'<text class="{name}" {middle}>{html.escape(cell.text)}</text>')
    framed = [(x, y) for x, y, cell in places if cell.framed]
    if framed:
        parts.append(_rectangle("window", *min(framed), *max(framed)))
    return "".join([*parts, "</svg>"])


def _rectangle(name: str, left: int, top: int, right: int, bottom: int) -> str:
    """Around the cells from one to another, both included."""
    return (
        f'<rect class="{name}" x="{left * SIDE}" y="{top * SIDE}"'
        f' width="{(right - left + 1) * SIDE}" height="{(bottom - top + 1) * SIDE}"/>'
    )


def _letters(count: int, first: str = "a") -> Array:
    return np.array([chr(ord(first) + i) for i in range(count)])


def _strip(elements: Iterable[Any], kinds: Iterable[str]) -> list[Cell]:
    return [Cell(str(element), kind) for element, kind in zip(elements, kinds, strict=True)]


def _labels(values: Iterable[Any]) -> list[Cell]:
    return [Cell(str(value)) for value in values]


def _gap(count: int) -> list[Cell]:
    return [Cell("")] * count


def _own_or_made(mask: Array) -> list[str]:
    return ["own" if inside else "made" for inside in mask]


def _matrix(elements: Array, mask: Array) -> list[list[Cell]]:
    return [_strip(row, _own_or_made(inside)) for row, inside in zip(elements, mask, strict=True)]


def _pad(array: Array, width: Any, mode: Any) -> tuple[Array, Array]:
    """What `dmlc.pad` gives, and where it is the array's own."""
    value = {"constant_values": "v"} if mode == "constant" else {}
    inside = dmlc.pad(np.ones(array.shape, bool), width)
    return dmlc.pad(array, width, mode, **value), inside


def legend() -> list[Picture]:
    """What the colours mean, on a padded array, a slice and a one-hot row."""
    padded, inside = _pad(_letters(2), 1, "wrap")
    read = dmlc.slice(np.arange(3), [0], [3], [2])
    kinds = ["own" if i in read else "passed" for i in range(3)]
    row = dmlc.one_hot(1, 3, dtype=int)
    return [
        Picture("blue: the array's own; orange: added", [_strip(padded, _own_or_made(inside))]),
        Picture("empty: not read", [_strip(_letters(3), kinds)]),
        Picture("blue: filled or on; empty: off", [_mask_cells(row, 1)]),
    ]


def padding_modes() -> list[Picture]:
    """Four letters, five more on each side."""
    pictures = []
    for mode in MODES:
        elements, inside = _pad(_letters(4), 5, mode)
        pictures.append(Picture(mode, [_strip(elements, _own_or_made(inside))]))
    return pictures


def padding_with_crop() -> list[Picture]:
    """A negative width."""
    array, width = _letters(5), (-2, 3)
    elements, inside = _pad(array[2:], (0, 3), "edge")
    assert np.array_equal(elements, dmlc.pad(array, width, "edge"))
    before = _strip(array, ["passed"] * 2 + ["own"] * 3)
    after = _gap(2) + _strip(elements, _own_or_made(inside))
    return [Picture(f'pad(array, {width}, "edge")', [before, after])]


def padding_descriptors() -> list[Picture]:
    """The example of DirectML's page, compiled from its descriptor in every mode."""
    sizes, start, end = (1, 1, 4, 4), (0, 0, 1, 2), (0, 0, 3, 4)
    array = np.array([[1, 2, 3, 4], [5, 6, 7, 8]] * 2, np.float32).reshape(sizes)
    grown = tuple(n + s + e for n, s, e in zip(sizes, start, end, strict=True))
    inside = dmlc.pad(np.ones(sizes, bool), tuple(zip(start, end, strict=True)))
    pictures = []
    for mode in dmlc.PaddingMode:
        operator = dmlc.Device().compile_operator(
            dmlc.PaddingOperatorDesc(
                input_tensor=dmlc.BufferTensorDesc(dmlc.TensorDataType.FLOAT32, sizes),
                output_tensor=dmlc.BufferTensorDesc(dmlc.TensorDataType.FLOAT32, grown),
                padding_mode=mode,
                padding_value=9,
                start_padding=start,
                end_padding=end,
            )
        )
        result = operator(array)[0, 0].astype(int)
        pictures.append(Picture(mode.name, _matrix(result, inside[0, 0])))
    return pictures


def windows() -> list[Picture]:
    """Windows inside the array, across its edge and beyond it."""
    array, first, count = _letters(5), -4, 14
    inside = dmlc.window(np.ones(5, bool), first, count)
    pictures = []
    for mode, start, size in (("reflect", 1, 3), ("reflect", -3, 5), ("wrap", 7, 3)):
        extended = dmlc.window(array, first, count, mode)
        result = dmlc.window(array, start, size, mode)
        place = start - first
        above = [
            Cell(str(letter), "own" if own else "made", place <= i < place + size)
            for i, (letter, own) in enumerate(zip(extended, inside, strict=True))
        ]
        below = _gap(place) + _strip(result, _own_or_made(inside[place : place + size]))
        numbers = _labels(range(first, first + count))
        caption = f'window(array, {start}, {size}, "{mode}")'
        pictures.append(Picture(caption, [numbers, above, _gap(count), below]))
    return pictures


def rolls() -> list[Picture]:
    """What leaves at one end comes back at the other."""
    array = _letters(6)
    pictures = []
    for shift in (2, -1):
        origin = dmlc.roll(np.arange(6), shift)
        stayed = origin + shift == np.arange(6)
        after = _strip(dmlc.roll(array, shift), _own_or_made(stayed))
        pictures.append(
            Picture(f"roll(array, {shift})", [_strip(array, ["own"] * 6), _gap(6), after])
        )
    return pictures


def repetitions() -> list[Picture]:
    """A tile repeats the array, a repeat its elements."""
    array, times = _letters(4), 3
    pictures = []
    for name, function in (("tile", dmlc.tile), ("repeat", dmlc.repeat)):
        origin = function(np.arange(4), times)
        first = np.zeros(origin.size, bool)
        first[np.unique(origin, return_index=True)[1]] = True
        row = _strip(function(array, times), _own_or_made(first))
        pictures.append(Picture(f"{name}(array, {times})", [_strip(array, ["own"] * 4), row]))
    return pictures


def frames() -> list[Picture]:
    """Frames where they stand on the signal."""
    count, length, hop = 8, 4, 2
    array = _letters(count)
    pictures = []
    for center in (True, False):
        half = length // 2 if center else 0
        coordinates = dmlc.frames(
            np.arange(1, count + 1), length, hop, center=center, mode="constant"
        )
        result = dmlc.frames(array, length, hop, center=center)
        rows = [_gap(half) + _strip(array, ["own"] * count), _gap(1)]
        for i, (frame, places) in enumerate(zip(result, coordinates, strict=True)):
            rows.append(_gap(i * hop) + _strip(frame, _own_or_made(places > 0)))
        pictures.append(Picture(f"frames(signal, {length}, {hop}, center={center})", rows))
    return pictures


def _mask_cells(row: Iterable[Any], on: Any) -> list[Cell]:
    return [Cell(str(value), "on" if value == on else "off") for value in row]


def one_hot_negatives() -> list[Picture]:
    """One index a column, under each reading of a negative one."""
    indices, depth = np.array([2, 0, 3, -1, 4]), 4
    pictures = []
    for negative in ("wrap", "off"):
        planes = dmlc.one_hot(indices, depth, axis=0, dtype=int, negative=negative)
        rows = [_labels(["", *indices])]
        for k, plane in enumerate(planes):
            rows.append([Cell(str(k)), *_mask_cells(plane, 1)])
        pictures.append(Picture(f'negative="{negative}"', rows))
    return pictures


def one_hot_axes() -> list[Picture]:
    """The new axis first, and last."""
    indices, depth = np.array([2, 0, 3]), 4
    first = dmlc.one_hot(indices, depth, axis=0, dtype=int)
    last = dmlc.one_hot(indices, depth, axis=-1, dtype=int)
    columns = [_labels(["", *indices])]
    columns += [[Cell(str(k)), *_mask_cells(row, 1)] for k, row in enumerate(first)]
    rows = [_labels(["", *range(depth)])]
    rows += [[Cell(str(i)), *_mask_cells(row, 1)] for i, row in zip(indices, last, strict=True)]
    return [Picture("axis=0", columns), Picture("axis=-1", rows)]


def slices() -> list[Picture]:
    """What each step of a slice reads, in the order of the result."""
    count = 9
    array = _letters(count)
    pictures = []
    for offset, size, stride, taken in (
        (1, 7, 2, None),
        (1, 7, -2, None),
        (1, 7, -3, 2),
        (3, 4, 1, None),
    ):
        counts = None if taken is None else [taken]
        arguments = [offset], [size], [stride]
        read = dmlc.slice(np.arange(count), *arguments, output_sizes=counts)
        result = dmlc.slice(array, *arguments, output_sizes=counts)
        above = [
            Cell(str(letter), "own" if i in read else "passed", offset <= i < offset + size)
            for i, letter in enumerate(array)
        ]
        below = _strip(result, ["own"] * len(result))
        caption = f"offset {offset}, size {size}, stride {stride}"
        if taken is not None:
            caption += f", {taken} taken"
        pictures.append(
            Picture(caption, [_labels(range(count)), above, _gap(count), _gap(offset) + below])
        )
    return pictures


def slice_of_a_matrix() -> list[Picture]:
    """A window of a matrix, read with a stride in each dimension."""
    array = np.array([_letters(5, chr(ord("a") + 5 * row)) for row in range(4)])
    offsets, sizes, strides = (0, 1), (4, 4), (3, -2)
    read = dmlc.slice(np.arange(array.size).reshape(array.shape), offsets, sizes, strides)
    (top, left), (height, width) = offsets, sizes
    above = [
        [
            Cell(
                str(letter),
                "own" if y * 5 + x in read else "passed",
                top <= y < top + height and left <= x < left + width,
            )
            for x, letter in enumerate(row)
        ]
        for y, row in enumerate(array)
    ]
    result = [_strip(row, ["own"] * len(row)) for row in dmlc.slice(array, offsets, sizes, strides)]
    caption = f"offsets {offsets}, sizes {sizes}, strides {strides}"
    return [Picture(caption, above), Picture("the result", result)]


def flips() -> list[Picture]:
    """Rows, columns, both."""
    array = np.array([_letters(3), _letters(3, "d")])
    pictures = [Picture("array", [_strip(row, ["own"] * 3) for row in array])]
    for axis in (0, 1, None):
        rows = [_strip(row, ["own"] * 3) for row in dmlc.flip(array, axis)]
        pictures.append(Picture(f"flip(array, {axis})", rows))
    return pictures


def diagonals() -> list[Picture]:
    """The number of each diagonal: column minus row."""
    shape = (4, 6)
    y, x = np.indices(shape)
    numbers = x - y
    # Every band of one diagonal is the cells that have its number.
    for k in range(-3, 6):
        assert np.array_equal(dmlc.diagonal_matrix(shape, k, k + 1, dtype=bool), numbers == k)
    rows = [_strip(row, ["on" if k == 0 else "off" for k in row]) for row in numbers]
    return [Picture("x - y", rows)]


def bands() -> list[Picture]:
    """Bands, an empty one, and one that is inverted."""
    pictures = []
    for begin, end in ((0, 1), (0, 3), (1, 6), (-2, 0), (2, 2), (2, -1)):
        matrix = dmlc.diagonal_matrix((4, 6), begin, end, 7, dtype=int)
        pictures.append(
            Picture(f"begin {begin}, end {end}", [_mask_cells(row, 7) for row in matrix])
        )
    return pictures


def band_of_a_matrix() -> list[Picture]:
    """A band on a matrix that is kept elsewhere."""
    array = np.array([_letters(4, chr(ord("a") + 4 * row)) for row in range(4)])
    pictures = [Picture("array", [_strip(row, ["own"] * 4) for row in array])]
    for begin, end in ((1, 4), (1, 0)):
        filled = dmlc.fill_band(array, begin, end, "v")
        kept = ~dmlc.fill_band(np.zeros((4, 4), bool), begin, end, True)
        caption = f'fill_band(array, {begin}, {end}, "v")'
        pictures.append(Picture(caption, _matrix(filled, kept)))
    return pictures


def triangles() -> list[Picture]:
    """NumPy's functions that are bands."""
    array = np.arange(1, 17).reshape(4, 4)
    named = {
        "eye(4)": dmlc.eye(4, dtype=int),
        "tri(4, k=-1)": dmlc.tri(4, k=-1, dtype=int),
        "tril(array)": dmlc.tril(array),
        "triu(array, 1)": dmlc.triu(array, 1),
    }
    return [
        Picture(name, [[Cell(str(n), "on" if n else "off") for n in row] for row in matrix])
        for name, matrix in named.items()
    ]


def causal_masks() -> list[Picture]:
    """Zero where a query may see a key, minus infinity elsewhere."""
    masks = {
        "causal_mask(5)": dmlc.causal_mask(5),
        "causal_mask(5, window=2)": dmlc.causal_mask(5, window=2),
        "causal_mask(2, 5)": dmlc.causal_mask(2, 5),
    }
    return [
        Picture(
            name,
            [
                [Cell("0", "on") if value == 0 else Cell("-∞", "off") for value in row]
                for row in mask
            ],
        )
        for name, mask in masks.items()
    ]


def _ragged() -> list[Array]:
    return [
        np.array([list("abc")]),
        np.array([list("de"), list("fg"), list("hi")]),
        np.array([list("jklmn"), list("opqrs")]),
    ]


def batches_in() -> list[Picture]:
    """What the other pictures make batches of."""
    return [
        Picture(f"arrays[{i}]", [_strip(row, ["own"] * len(row)) for row in array])
        for i, array in enumerate(_ragged())
    ]


def batches_out() -> list[Picture]:
    """The items of the batch under each alignment."""
    pictures = []
    for align in ("start", "end", "center"):
        batch, mask = dmlc.collate(
            _ragged(), shape=(3, 4), value="v", align=align, return_mask=True
        )
        rows: list[list[Cell]] = []
        for item, real in zip(batch, mask, strict=True):
            rows += [*_matrix(item, real), _gap(1)]
        pictures.append(Picture(f'align="{align}"', rows[:-1]))
    return pictures


def sequences() -> list[Picture]:
    """Token ids, padded on either side."""
    ids = [[7, 8, 9], [5], [6, 4]]
    pictures = []
    for caption, options in (
        ('side="right"', {}),
        ('side="left"', {"side": "left"}),
        ("multiple_of=4", {"multiple_of": 4}),
    ):
        batch, mask = dmlc.pad_sequence(ids, return_mask=True, **options)
        pictures.append(Picture(caption, _matrix(batch, mask)))
    return pictures


def stacks() -> list[Picture]:
    """Two rows joined along a new axis."""
    arrays = [_letters(3), _letters(3, "d")]
    pictures = []
    for axis in (0, 1):
        rows = [_strip(row, ["own"] * len(row)) for row in dmlc.stack(arrays, axis)]
        pictures.append(Picture(f"stack(arrays, axis={axis})", rows))
    return pictures


ALL = {
    function.__name__: function
    for function in (
        legend,
        padding_modes,
        padding_with_crop,
        padding_descriptors,
        windows,
        rolls,
        repetitions,
        frames,
        one_hot_negatives,
        one_hot_axes,
        slices,
        slice_of_a_matrix,
        flips,
        diagonals,
        bands,
        band_of_a_matrix,
        triangles,
        causal_masks,
        batches_in,
        batches_out,
        sequences,
        stacks,
    )
}

"""Pipelines: batches from images and tokens, symmetries, windows, tiles, frames, shifts, repetitions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from cases.case import Array, Call, Case, Factory, fresh, into, pattern, size_of

# ------------------------------------------------------------------------- images to a batch

SIDE = 224


def crops(x: Array) -> list[Array]:
    """A crop of each image, every other one flipped, BGR, channels first: views."""
    found = []
    for i, image in enumerate(x):
        crop = image[i % 32 : i % 32 + SIDE, i % 29 : i % 29 + SIDE]
        found.append((crop[:, ::-1] if i % 2 else crop)[..., ::-1].transpose(2, 0, 1))
    return found


def crops_by_copy(x: Array, out: Array) -> Array:
    from dmlc.reference.batch import stack

    return stack(crops(x))


def dmlc_crops(dmlc: Any, x: Array, out: Array) -> Iterator[Call]:
    yield fresh("dmlc.stack(crops(x))", lambda: dmlc.stack(crops(x)))
    yield into("dmlc.stack(crops(x), out=out)", lambda: dmlc.stack(crops(x), out=out))


def numpy_crops(numpy: Any, x: Array, out: Array) -> Iterator[Call]:
    yield fresh("np.stack(crops(x))", lambda: numpy.stack(crops(x)))
    yield into("np.stack(crops(x), out=out)", lambda: numpy.stack(crops(x), out=out))


def torch_crops(torch: Any, x: Array, out: Array) -> Iterator[Call]:
    source, target = torch.from_numpy(x), torch.from_numpy(out)

    def views() -> Any:
        for i, image in enumerate(source):
            crop = image[i % 32 : i % 32 + SIDE, i % 29 : i % 29 + SIDE]
            yield crop.flip(1, 2).permute(2, 0, 1) if i % 2 else crop.flip(2).permute(2, 0, 1)

    yield fresh("torch.stack(crops)", lambda: torch.stack(list(views())))
    yield into("torch.stack(crops, out=out)", lambda: torch.stack(list(views()), out=target))


def opencv_crops(cv2: Any, x: Array, out: Array) -> Iterator[Call]:
    def run() -> Array:
        for i, image in enumerate(x):
            crop = image[i % 32 : i % 32 + SIDE, i % 29 : i % 29 + SIDE]
            b, g, r = cv2.split(cv2.flip(crop, 1) if i % 2 else crop)
            out[i, 0], out[i, 1], out[i, 2] = r, g, b
        return out

    yield into("cv2.flip, cv2.split, copies", run)


def jax_crops(jax: Any, x: Array, out: Array) -> Iterator[Call]:
    yield jax.call("jnp.stack(crops(x))", lambda a: jax.numpy.stack(crops(a)), x)


# --------------------------------------------------------------------------- channels last


def dmlc_merge(dmlc: Any, x: Array, out: Array) -> Iterator[Call]:
    planes = list(x)
    yield fresh("dmlc.stack(planes, -1)", lambda: dmlc.stack(planes, -1))
    yield into("dmlc.stack(planes, -1, out=out)", lambda: dmlc.stack(planes, -1, out=out))


def numpy_merge(numpy: Any, x: Array, out: Array) -> Iterator[Call]:
    planes = list(x)
    yield fresh("np.stack(planes, -1)", lambda: numpy.stack(planes, -1))
    yield into("np.stack(planes, -1, out=out)", lambda: numpy.stack(planes, -1, out=out))


def torch_merge(torch: Any, x: Array, out: Array) -> Iterator[Call]:
    planes, target = list(torch.from_numpy(x)), torch.from_numpy(out)
    yield fresh("torch.stack(planes, -1)", lambda: torch.stack(planes, -1))
    yield into("torch.stack(planes, -1, out=out)", lambda: torch.stack(planes, -1, out=target))


def opencv_merge(cv2: Any, x: Array, out: Array) -> Iterator[Call]:
    planes = list(x)
    yield fresh("cv2.merge(planes)", lambda: cv2.merge(planes))
    yield into("cv2.merge(planes, dst=out)", lambda: cv2.merge(planes, dst=out))


def jax_merge(jax: Any, x: Array, out: Array) -> Iterator[Call]:
    yield jax.call("jnp.stack(planes, -1)", lambda a: jax.numpy.stack(list(a), -1), x)


# ----------------------------------------------------------------------------- letterboxes

GREY, BOX = 114, 640


def boxes(x: Array) -> list[Array]:
    return [frame[: 360 - 8 * i, :, ::-1].transpose(2, 0, 1) for i, frame in enumerate(x)]


def letterbox_by_copy(x: Array, out: Array) -> Array:
    from dmlc.reference.batch import collate

    return collate(boxes(x), (3, BOX, BOX), fill=np.uint8(GREY), align="center")[0]


def dmlc_letterbox(dmlc: Any, x: Array, out: Array) -> Iterator[Call]:
    keywords = {"shape": (3, BOX, BOX), "value": GREY, "align": "center"}
    yield fresh("dmlc.collate(boxes(x))", lambda: dmlc.collate(boxes(x), **keywords))
    yield into(
        "dmlc.collate(boxes(x), out=out)", lambda: dmlc.collate(boxes(x), out=out, **keywords)
    )


def numpy_letterbox(numpy: Any, x: Array, out: Array) -> Iterator[Call]:
    def fill(batch: Array) -> Array:
        batch.fill(GREY)
        for item, view in zip(batch, boxes(x), strict=True):
            top = (BOX - view.shape[1]) // 2
            item[:, top : top + view.shape[1]] = view
        return batch

    yield fresh("np.empty; fill; item[...] = view", lambda: fill(numpy.empty(out.shape, out.dtype)))
    yield into("out.fill; item[...] = view", lambda: fill(out))


def torch_letterbox(torch: Any, x: Array, out: Array) -> Iterator[Call]:
    source, target = torch.from_numpy(x), torch.from_numpy(out)

    def write(batch: Any) -> Any:
        batch.fill_(GREY)
        for i, frame in enumerate(source):
            height = 360 - 8 * i
            top = (BOX - height) // 2
            batch[i, :, top : top + height].copy_(frame[:height].permute(2, 0, 1).flip(0))
        return batch

    empty = partial(torch.empty, out.shape, dtype=target.dtype)
    yield fresh("torch.empty; fill_; copy_", lambda: write(empty()))
    yield into("out.fill_; copy_", lambda: write(target))


def opencv_letterbox(cv2: Any, x: Array, out: Array) -> Iterator[Call]:
    def run() -> Array:
        for i, frame in enumerate(x):
            height = 360 - 8 * i
            top = (BOX - height) // 2
            end = BOX - height - top
            border = cv2.BORDER_CONSTANT
            box = cv2.copyMakeBorder(frame[:height], top, end, 0, 0, border, value=(GREY,) * 3)
            b, g, r = cv2.split(box)
            out[i, 0], out[i, 1], out[i, 2] = r, g, b
        return out

    yield into("cv2.copyMakeBorder, cv2.split, copies", run)


# --------------------------------------------------------------------------------- tokens

LENGTHS = np.random.default_rng(0).integers(16, 513, 256).tolist()


def sentences(x: Array) -> list[Array]:
    return [row[:n] for row, n in zip(x, LENGTHS, strict=True)]


def tokens_by_copy(x: Array, out: Array) -> Array:
    from dmlc.reference.batch import collate

    return collate(sentences(x), out.shape[1:])[0]


def dmlc_tokens(dmlc: Any, x: Array, out: Array) -> Iterator[Call]:
    rows = sentences(x)
    yield fresh("dmlc.pad_sequence(rows)", lambda: dmlc.pad_sequence(rows))
    yield into("dmlc.pad_sequence(rows, out=out)", lambda: dmlc.pad_sequence(rows, out=out))


def numpy_tokens(numpy: Any, x: Array, out: Array) -> Iterator[Call]:
    rows = sentences(x)

    def fill(batch: Array) -> Array:
        for item, row in zip(batch, rows, strict=True):
            item[: row.size] = row
            item[row.size :] = 0
        return batch

    yield fresh("np.empty; item[:n] = row", lambda: fill(numpy.empty(out.shape, out.dtype)))
    yield into("item[:n] = row; item[n:] = 0", lambda: fill(out))


def torch_tokens(torch: Any, x: Array, out: Array) -> Iterator[Call]:
    rows = [torch.from_numpy(row) for row in sentences(x)]
    pad = torch.nn.utils.rnn.pad_sequence
    yield fresh("pad_sequence(rows)", lambda: pad(rows, batch_first=True))


def masked(x: Array) -> tuple[list[Array], Array]:
    """Rows and the mask, which each call writes anew."""
    return sentences(x), np.empty((len(LENGTHS), max(LENGTHS)), np.bool_)


def dmlc_masked_tokens(dmlc: Any, x: Array, out: Array) -> Iterator[Call]:
    rows = sentences(x)
    yield fresh(
        "dmlc.pad_sequence(rows, return_mask=True)",
        lambda: dmlc.pad_sequence(rows, return_mask=True)[0],
    )
    yield into(
        "dmlc.pad_sequence(rows, return_mask=True, out=out)",
        lambda: dmlc.pad_sequence(rows, return_mask=True, out=out)[0],
    )


def numpy_masked_tokens(numpy: Any, x: Array, out: Array) -> Iterator[Call]:
    rows, mask = masked(x)
    lengths = numpy.array(LENGTHS)[:, None]

    def fill(batch: Array) -> Array:
        for item, row in zip(batch, rows, strict=True):
            item[: row.size] = row
            item[row.size :] = 0
        numpy.less(numpy.arange(mask.shape[1]), lengths, out=mask)
        return batch

    yield fresh("item[:n] = row; arange < lengths", lambda: fill(numpy.empty(out.shape, out.dtype)))
    yield into("item[:n] = row; arange < lengths", lambda: fill(out))


def torch_masked_tokens(torch: Any, x: Array, out: Array) -> Iterator[Call]:
    rows = [torch.from_numpy(row) for row in sentences(x)]
    lengths = torch.tensor(LENGTHS)[:, None]
    pad = torch.nn.utils.rnn.pad_sequence

    def both() -> Any:
        batch = pad(rows, batch_first=True)
        return batch, torch.arange(batch.shape[1]) < lengths

    yield fresh("pad_sequence(rows); arange < lengths", lambda: both()[0])


# ----------------------------------------------------------------------------- symmetries

PHOTOGRAPH = 512


def turned(m: Any, x: Any) -> list[Any]:
    return [m.rot90(side, turns) for side in (x, m.flip(x, 1)) for turns in range(4)]


def turned_views(x: Array) -> list[Array]:
    return turned(np, x)


def dmlc_symmetries(dmlc: Any, x: Array, out: Array) -> Iterator[Call]:
    yield fresh("dmlc.stack(turned)", lambda: dmlc.stack(turned_views(x)))
    yield into("dmlc.stack(turned, out=out)", lambda: dmlc.stack(turned_views(x), out=out))


def numpy_symmetries(numpy: Any, x: Array, out: Array) -> Iterator[Call]:
    yield fresh("np.stack(turned)", lambda: numpy.stack(turned_views(x)))
    yield into("np.stack(turned, out=out)", lambda: numpy.stack(turned_views(x), out=out))


def torch_symmetries(torch: Any, x: Array, out: Array) -> Iterator[Call]:
    source, target = torch.from_numpy(x), torch.from_numpy(out)

    def views() -> list[Any]:
        mirrored = source.flip(1)
        return [torch.rot90(side, turns) for side in (source, mirrored) for turns in range(4)]

    yield fresh("torch.stack(turned)", lambda: torch.stack(views()))
    yield into("torch.stack(turned, out=out)", lambda: torch.stack(views(), out=target))


def opencv_symmetries(cv2: Any, x: Array, out: Array) -> Iterator[Call]:
    ways = (None, cv2.ROTATE_90_COUNTERCLOCKWISE, cv2.ROTATE_180, cv2.ROTATE_90_CLOCKWISE)

    def run() -> Array:
        for i, side in enumerate((x, cv2.flip(x, 1))):
            for turns, way in enumerate(ways):
                item = out[4 * i + turns]
                if way is None:
                    item[...] = side
                else:
                    cv2.rotate(side, way, dst=item)
        return out

    yield into("cv2.flip, cv2.rotate(dst=item)", run)


def jax_symmetries(jax: Any, x: Array, out: Array) -> Iterator[Call]:
    yield jax.call("jnp.stack(turned)", lambda a: jax.numpy.stack(turned(jax.numpy, a)), x)


# -------------------------------------------------------------- windows of a vision transformer

WINDOW, SHIFT = 7, 3


def partitioned(x: Any, m: Any) -> Any:
    """Windows of a feature map, as a view that NumPy, PyTorch and JAX spell alike."""
    batch, height, width, channels = x.shape
    grid = x.reshape(batch, height // WINDOW, WINDOW, width // WINDOW, WINDOW, channels)
    return m.swapaxes(grid, 2, 3)


def shifted_by_copy(x: Array, out: Array) -> Array:
    rolled = np.roll(x, (-SHIFT, -SHIFT), (1, 2))
    return partitioned(rolled, np).copy().reshape(out.shape)


def dmlc_shifted(dmlc: Any, x: Array, out: Array) -> Iterator[Call]:
    """In one pass: a window goes over the edge by itself."""
    _, height, width, _ = x.shape
    places = [(i, j) for i in range(height // WINDOW) for j in range(width // WINDOW)]

    def windows(result: Array) -> Array:
        grid = result.reshape(partitioned(x, np).shape)
        for i, j in places:
            start = (0, i * WINDOW + SHIFT, j * WINDOW + SHIFT, 0)
            tile = grid[:, i, j]
            dmlc.window(x, start, tile.shape, "wrap", out=tile)
        return result

    def inner_and_edges(result: Array) -> Array:
        grid = result.reshape(partitioned(x, np).shape)
        down, across = height // WINDOW - 1, width // WINDOW - 1
        whole = x[:, SHIFT : SHIFT + down * WINDOW, SHIFT : SHIFT + across * WINDOW]
        dmlc.copy(partitioned(whole, np), out=grid[:, :down, :across])
        for i, j in places:
            if i == down or j == across:
                start = (0, i * WINDOW + SHIFT, j * WINDOW + SHIFT, 0)
                tile = grid[:, i, j]
                dmlc.window(x, start, tile.shape, "wrap", out=tile)
        return result

    def two_passes() -> Array:
        rolled = dmlc.roll(x, (-SHIFT, -SHIFT), (1, 2))
        return dmlc.copy(partitioned(rolled, np)).reshape(out.shape)

    yield fresh("dmlc.roll; dmlc.copy(windows)", two_passes)
    yield fresh("np.empty; dmlc.window(out=)", lambda: windows(np.empty(out.shape, out.dtype)))
    yield into("dmlc.window(out=)", lambda: windows(out))
    yield into("dmlc.copy(whole, out=); dmlc.window(edges, out=)", lambda: inner_and_edges(out))


def numpy_shifted(numpy: Any, x: Array, out: Array) -> Iterator[Call]:
    yield fresh("np.roll; windows.copy()", lambda: shifted_by_copy(x, out))


def torch_shifted(torch: Any, x: Array, out: Array) -> Iterator[Call]:
    source = torch.from_numpy(x)

    def windows() -> Any:
        rolled = torch.roll(source, (-SHIFT, -SHIFT), (1, 2))
        return partitioned(rolled, torch).contiguous().view(out.shape)

    yield fresh("torch.roll; windows.contiguous()", windows)


def jax_shifted(jax: Any, x: Array, out: Array) -> Iterator[Call]:
    def windows(a: Any) -> Any:
        rolled = jax.numpy.roll(a, (-SHIFT, -SHIFT), (1, 2))
        return partitioned(rolled, jax.numpy).reshape(out.shape)

    yield jax.call("jnp.roll; windows", windows, x)


# --------------------------------------------------------------------------- tiles of a scan

INNER, CONTEXT = 256, 32
OUTER = INNER + 2 * CONTEXT


def tile_corners(x: Array) -> list[tuple[int, int]]:
    height, width = x.shape
    return [(i, j) for i in range(0, height, INNER) for j in range(0, width, INNER)]


def cut_tiles(padded: Array, out: Array, corners: list[tuple[int, int]]) -> Array:
    for tile, (y, x) in zip(out, corners, strict=True):
        tile[...] = padded[y : y + OUTER, x : x + OUTER]
    return out


def tiles_by_copy(x: Array, out: Array) -> Array:
    padded = np.pad(x, [(CONTEXT, INNER + CONTEXT)] * 2, "reflect")
    return cut_tiles(padded, np.empty(out.shape, out.dtype), tile_corners(x))


def dmlc_tiles(dmlc: Any, x: Array, out: Array) -> Iterator[Call]:
    corners = tile_corners(x)

    def cut(batch: Array) -> Array:
        for tile, (i, j) in zip(batch, corners, strict=True):
            dmlc.window(x, (i - CONTEXT, j - CONTEXT), tile.shape, "reflect", out=tile)
        return batch

    yield fresh("np.empty; dmlc.window(out=tile)", lambda: cut(np.empty(out.shape, out.dtype)))
    yield into("dmlc.window(out=tile)", lambda: cut(out))


def numpy_tiles(numpy: Any, x: Array, out: Array) -> Iterator[Call]:
    corners = tile_corners(x)

    def cut(batch: Array) -> Array:
        padded = numpy.pad(x, [(CONTEXT, INNER + CONTEXT)] * 2, "reflect")
        return cut_tiles(padded, batch, corners)

    yield fresh("np.pad; tile[...] = view", lambda: cut(numpy.empty(out.shape, out.dtype)))
    yield into("np.pad; tile[...] = view", lambda: cut(out))


def opencv_tiles(cv2: Any, x: Array, out: Array) -> Iterator[Call]:
    corners = tile_corners(x)
    border = (CONTEXT, INNER + CONTEXT) * 2

    def run() -> Array:
        return cut_tiles(cv2.copyMakeBorder(x, *border, cv2.BORDER_REFLECT_101), out, corners)

    yield into("cv2.copyMakeBorder; tile[...] = view", run)


def jax_tiles(jax: Any, x: Array, out: Array) -> Iterator[Call]:
    corners = tile_corners(x)

    def cut(a: Any) -> Any:
        padded = jax.numpy.pad(a, [(CONTEXT, INNER + CONTEXT)] * 2, "reflect")
        return jax.numpy.stack([padded[i : i + OUTER, j : j + OUTER] for i, j in corners])

    yield jax.call("jnp.pad; jnp.stack(views)", cut, x)


# ---------------------------------------------------------------------------------- audio

LENGTH, HOP = 400, 160


def frames_by_copy(x: Array, out: Array) -> Array:
    from dmlc.reference.padding import frames

    return frames(x, LENGTH, HOP)


def dmlc_frames(dmlc: Any, x: Array, out: Array) -> Iterator[Call]:
    yield fresh("dmlc.frames(x, 400, 160)", lambda: dmlc.frames(x, LENGTH, HOP))
    yield into("dmlc.frames(x, 400, 160, out=out)", lambda: dmlc.frames(x, LENGTH, HOP, out=out))


def numpy_frames(numpy: Any, x: Array, out: Array) -> Iterator[Call]:
    def views() -> Array:
        padded = numpy.pad(x, ((0, 0), (LENGTH // 2,) * 2), "reflect")
        return numpy.lib.stride_tricks.sliding_window_view(padded, LENGTH, -1)[:, ::HOP]

    def write() -> Array:
        out[...] = views()
        return out

    yield fresh("np.pad; sliding_window_view; copy", lambda: views().copy())
    yield into("np.pad; out[...] = sliding_window_view", write)


def torch_frames(torch: Any, x: Array, out: Array) -> Iterator[Call]:
    source, target = torch.from_numpy(x), torch.from_numpy(out)

    def views() -> Any:
        padded = torch.nn.functional.pad(source, (LENGTH // 2,) * 2, mode="reflect")
        return padded.unfold(-1, LENGTH, HOP)

    yield fresh("F.pad; unfold; contiguous", lambda: views().contiguous())
    yield into("F.pad; out.copy_(unfold)", lambda: target.copy_(views()))


def jax_frames(jax: Any, x: Array, out: Array) -> Iterator[Call]:
    places = np.arange(out.shape[1])[:, None] * HOP + np.arange(LENGTH)

    def cut(a: Any) -> Any:
        return jax.numpy.pad(a, ((0, 0), (LENGTH // 2,) * 2), "reflect")[:, places]

    yield jax.call("jnp.pad(x)[:, places]", cut, x)


# ------------------------------------------------- what NumPy has under the same name and more


def named(
    expression: str,
    ours: Callable[..., Any],
    numpys: Callable[..., Any],
    torchs: Callable[..., Any],
    jaxs: Callable[..., Any],
) -> dict[str, Factory]:
    """One expression of each library: library, x -> result."""

    def dmlc_calls(dmlc: Any, x: Array, out: Array) -> Iterator[Call]:
        yield fresh(f"dmlc.{expression}", lambda: ours(dmlc, x))
        yield into(f"dmlc.{expression}, out=out", lambda: ours(dmlc, x, out=out))

    def numpy_calls(numpy: Any, x: Array, out: Array) -> Iterator[Call]:
        yield fresh(f"np.{expression}", lambda: numpys(numpy, x))

    def torch_calls(torch: Any, x: Array, out: Array) -> Iterator[Call]:
        source = torch.from_numpy(x)
        yield fresh(f"torch.{expression}", lambda: torchs(torch, source))

    def jax_calls(jax: Any, x: Array, out: Array) -> Iterator[Call]:
        yield jax.call(f"jnp.{expression}", lambda a: jaxs(jax.numpy, a), x)

    return {"dmlc": dmlc_calls, "numpy": numpy_calls, "torch": torch_calls, "jax": jax_calls}


ROLL = named(
    "roll(x, (-3, -3), (1, 2))",
    lambda m, x, **k: m.roll(x, (-3, -3), (1, 2), **k),
    lambda m, x: m.roll(x, (-3, -3), (1, 2)),
    lambda m, x: m.roll(x, (-3, -3), (1, 2)),
    lambda m, x: m.roll(x, (-3, -3), (1, 2)),
)
TILE = named(
    "tile(x, (1, 8, 8, 1))",
    lambda m, x, **k: m.tile(x, (1, 8, 8, 1), **k),
    lambda m, x: m.tile(x, (1, 8, 8, 1)),
    lambda m, x: m.tile(x, (1, 8, 8, 1)),
    lambda m, x: m.tile(x, (1, 8, 8, 1)),
)
REPEAT = named(
    "repeat(x, 4, 2)",
    lambda m, x, **k: m.repeat(x, 4, 2, **k),
    lambda m, x: m.repeat(x, 4, 2),
    lambda m, x: m.repeat_interleave(x, 4, 2),
    lambda m, x: m.repeat(x, 4, 2),
)


def case(
    name: str,
    shape: tuple[int, ...],
    dtype: str,
    output_shape: tuple[int, ...],
    twin: Callable[[Array, Array], Array],
    libraries: dict[str, Factory],
) -> Case:
    out = np.broadcast_to(np.zeros((), dtype), output_shape)
    return Case(
        name=f"pipelines/{name}-{dtype}",
        operator="pipelines",
        kind="pipelines",
        make_input=partial(pattern, shape, dtype),
        output_shape=output_shape,
        output_dtype=np.dtype(dtype),
        twin=lambda x: twin(x, out),
        libraries=libraries,
        bytes_read=min(size_of(shape, dtype), size_of(output_shape, dtype)),
        bytes_written=size_of(output_shape, dtype),
    )


CASES = [
    case(
        "crops-flips-chw",
        (32, 256, 256, 3),
        "uint8",
        (32, 3, SIDE, SIDE),
        crops_by_copy,
        {
            "dmlc": dmlc_crops,
            "numpy": numpy_crops,
            "torch": torch_crops,
            "opencv": opencv_crops,
            "jax": jax_crops,
        },
    ),
    *(
        case(
            f"merge-{shape[0]}x{shape[1]}x{shape[2]}",
            shape,
            dtype,
            (*shape[1:], shape[0]),
            lambda x, out: np.stack(list(x), -1),
            {
                "dmlc": dmlc_merge,
                "numpy": numpy_merge,
                "torch": torch_merge,
                "opencv": opencv_merge,
                "jax": jax_merge,
            },
        )
        for shape, dtype in (((3, 1080, 1920), "uint8"), ((16, 256, 256), "float32"))
    ),
    case(
        "letterbox-chw",
        (8, 360, BOX, 3),
        "uint8",
        (8, 3, BOX, BOX),
        letterbox_by_copy,
        {
            "dmlc": dmlc_letterbox,
            "numpy": numpy_letterbox,
            "torch": torch_letterbox,
            "opencv": opencv_letterbox,
        },
    ),
    case(
        "tokens",
        (256, 512),
        "int64",
        (256, max(LENGTHS)),
        tokens_by_copy,
        {"dmlc": dmlc_tokens, "numpy": numpy_tokens, "torch": torch_tokens},
    ),
    case(
        "tokens-and-mask",
        (256, 512),
        "int64",
        (256, max(LENGTHS)),
        tokens_by_copy,
        {"dmlc": dmlc_masked_tokens, "numpy": numpy_masked_tokens, "torch": torch_masked_tokens},
    ),
    case(
        "symmetries",
        (PHOTOGRAPH, PHOTOGRAPH, 3),
        "uint8",
        (8, PHOTOGRAPH, PHOTOGRAPH, 3),
        lambda x, out: np.stack(turned_views(x)),
        {
            "dmlc": dmlc_symmetries,
            "numpy": numpy_symmetries,
            "torch": torch_symmetries,
            "opencv": opencv_symmetries,
            "jax": jax_symmetries,
        },
    ),
    case(
        "shifted-windows",
        (8, 56, 56, 96),
        "float32",
        (8 * 64, WINDOW * WINDOW, 96),
        shifted_by_copy,
        {"dmlc": dmlc_shifted, "numpy": numpy_shifted, "torch": torch_shifted, "jax": jax_shifted},
    ),
    case(
        "scan-tiles",
        (2000, 3000),
        "uint8",
        (96, OUTER, OUTER),
        tiles_by_copy,
        {"dmlc": dmlc_tiles, "numpy": numpy_tiles, "opencv": opencv_tiles, "jax": jax_tiles},
    ),
    case(
        "audio-frames",
        (4, 160_000),
        "float32",
        (4, 1001, LENGTH),
        frames_by_copy,
        {"dmlc": dmlc_frames, "numpy": numpy_frames, "torch": torch_frames, "jax": jax_frames},
    ),
    case(
        "cyclic-shift",
        (8, 56, 56, 96),
        "float32",
        (8, 56, 56, 96),
        lambda x, out: np.roll(x, (-3, -3), (1, 2)),
        ROLL,
    ),
    case(
        "tile",
        (4, 64, 64, 3),
        "uint8",
        (4, 512, 512, 3),
        lambda x, out: np.tile(x, (1, 8, 8, 1)),
        TILE,
    ),
    case(
        "repeat",
        (4, 256, 256, 3),
        "uint8",
        (4, 256, 1024, 3),
        lambda x, out: np.repeat(x, 4, 2),
        REPEAT,
    ),
]

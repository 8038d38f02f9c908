"""Dask's face: the functions, with the arguments of `dmlc`'s own and their errors, raised at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

import numpy as np
from dask._task_spec import TaskRef  # type: ignore[import-not-found, unused-ignore]
from numpy.lib.array_utils import normalize_axis_index

from dmlc import functions
from dmlc.arrays import AnyArray, index, members
from dmlc.dask import graph
from dmlc.functions.diagonal_matrix import band_of_causal_mask, shape_of_matrices
from dmlc.functions.padding import Mode
from dmlc.regions import flipped, padded, rolled, sliced, stacked, windowed

if TYPE_CHECKING:
    import dask.array as da  # type: ignore[import-not-found, unused-ignore]
    import numpy.typing as npt

__all__ = [
    "causal_mask",
    "copy",
    "diagonal_matrix",
    "eye",
    "fill_band",
    "flip",
    "one_hot",
    "pad",
    "roll",
    "slice",
    "stack",
    "tri",
    "tril",
    "triu",
    "window",
]

_Range = tuple[int, int]
_Task = tuple[Any, ...]


def pad(
    array: Any,
    pad_width: npt.ArrayLike | Mapping[int, int | tuple[int, int]],
    mode: Mode = "constant",
    *,
    constant_values: npt.ArrayLike = 0,
    chunks: Any = None,
) -> da.Array:
    """Grow an array at its edges, as `dmlc.pad` and ``numpy.pad`` do.

    Parameters
    ----------
    array : dask.array.Array
        Any shape, any chunks of known sizes; a fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    pad_width : int, array_like of int, or dict
        As in `dmlc.pad`: may exceed the array in every mode; a negative width crops.
    mode : {"constant", "edge", "reflect", "symmetric", "wrap"}
    constant_values : scalar or array_like
        What ``"constant"`` adds, in the same forms as ``pad_width``.
    chunks : int, tuple, str or dict, optional
        The result's chunks in any of Dask's forms; a dictionary names those of some axes. By
        default the array's own with the borders in chunks no larger than the largest of them.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        As `dmlc.pad`, or if sizes of chunks are unknown.

    Examples
    --------
    >>> import dask.array as da
    >>> import dmlc.dask
    >>> padded = dmlc.dask.pad(da.arange(4, chunks=2), (2, 7), "reflect")
    >>> padded.chunks
    ((1, 1, 2, 2, 1, 1, 2, 2, 1),)
    >>> padded.compute()
    array([2, 1, 0, 1, 2, 3, 2, 1, 0, 1, 2, 3, 2])
    """
    source = graph.known("pad", "array", array)
    result = padded(source.shape, source.dtype, pad_width, mode, constant_values)
    split = graph.chunks_of(result, source, chunks, source.dtype)
    return graph.assembled("pad", result, [source], source.dtype, split)


def window(
    array: Any,
    start: SupportsIndex | Sequence[SupportsIndex],
    shape: SupportsIndex | Sequence[SupportsIndex],
    mode: Mode = "constant",
    *,
    constant_values: Any = 0,
    chunks: Any = None,
) -> da.Array:
    """Return any window of an array that goes on without end, as `dmlc.window` does.

    Parameters
    ----------
    array : dask.array.Array
        Any shape, any chunks of known sizes; a fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    start : int or sequence of int
        The window's first element along each axis: any sign, any distance.
    shape : int or sequence of int
        The window's size along each axis.
    mode : {"constant", "edge", "reflect", "symmetric", "wrap"}
        How the array goes on; see `dmlc.pad`.
    constant_values : scalar
        What is outside in mode ``"constant"``.
    chunks : int, tuple, str or dict, optional
        The result's chunks, as in `pad`.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        As `dmlc.window`, or if sizes of chunks are unknown.

    Examples
    --------
    >>> import dask.array as da
    >>> import dmlc.dask
    >>> dmlc.dask.window(da.arange(5, chunks=2), 3, 6, "wrap").compute()
    array([3, 4, 0, 1, 2, 3])
    """
    source = graph.known("window", "array", array)
    result = windowed(source.shape, source.dtype, start, shape, mode, constant_values)
    split = graph.chunks_of(result, source, chunks, source.dtype)
    return graph.assembled("window", result, [source], source.dtype, split)


def roll(
    array: Any,
    shift: npt.ArrayLike,
    axis: SupportsIndex | Sequence[SupportsIndex] | None = None,
) -> da.Array:
    """Move elements along axes, those that leave at one end back in at the other, as `dmlc.roll`.

    Parameters
    ----------
    array : dask.array.Array
        Any shape, any chunks of known sizes; the result has the same.
    shift : int or sequence of int
        How far, of any sign; broadcast against ``axis``.
    axis : int or sequence of int, optional
        Along which axes. None rolls all elements as if they stood in one row.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        As `dmlc.roll`, or if sizes of chunks are unknown.
    numpy.exceptions.AxisError
        If an axis is outside the array.

    Examples
    --------
    >>> import dask.array as da
    >>> import dmlc.dask
    >>> dmlc.dask.roll(da.arange(5, chunks=2), 2).compute()
    array([3, 4, 0, 1, 2])
    """
    source = graph.known("roll", "array", array)
    result = rolled(source.shape, shift, axis)
    return graph.assembled("roll", result, [source], source.dtype, source.chunks)


def slice(
    array: Any,
    offsets: Sequence[SupportsIndex],
    sizes: Sequence[SupportsIndex],
    strides: Sequence[SupportsIndex],
    *,
    output_sizes: Sequence[SupportsIndex] | None = None,
) -> da.Array:
    """Return a strided window; a negative stride starts at the window's end, as in `dmlc.slice`.

    Parameters
    ----------
    array : dask.array.Array
        Any shape, any chunks of known sizes; a fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    offsets, sizes : sequence of int
        The window's first element and its extent, one an axis; it lies inside the array.
    strides : sequence of int
        Elements to advance inside the window, one an axis; any sign, not 0.
    output_sizes : sequence of int, optional
        Elements to take along each axis; all that the window has by default.

    Returns
    -------
    dask.array.Array
        A chunk for each that has elements in the window.

    Raises
    ------
    TypeError, ValueError
        As `dmlc.slice`, or if sizes of chunks are unknown.

    Examples
    --------
    >>> import dask.array as da
    >>> import dmlc.dask
    >>> dmlc.dask.slice(da.arange(6, chunks=2), [1], [4], [-2]).compute()
    array([4, 2])
    """
    source = graph.known("slice", "array", array)
    result = sliced(source.shape, offsets, sizes, strides, output_sizes)
    split = graph.chunks_of(result, source, None, source.dtype)
    return graph.assembled("slice", result, [source], source.dtype, split)


def flip(array: Any, axis: SupportsIndex | Iterable[SupportsIndex] | None = None) -> da.Array:
    """Reverse the order of elements along axes, as `dmlc.flip` does; the chunks turn as well.

    Parameters
    ----------
    array : dask.array.Array
        Any shape, any chunks of known sizes; a fixed-width dtype of 1, 2, 4, 8 or 16 bytes.
    axis : int or iterable of int, optional
        The axes to reverse; None for all.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        If a dtype cannot be handled or sizes of chunks are unknown.
    numpy.exceptions.AxisError
        If an axis is outside the array.

    Examples
    --------
    >>> import dask.array as da
    >>> import dmlc.dask
    >>> dmlc.dask.flip(da.arange(5, chunks=2)).compute()
    array([4, 3, 2, 1, 0])
    """
    source = graph.known("flip", "array", array)
    result = flipped(source.shape, axis)
    split = graph.chunks_of(result, source, None, source.dtype)
    return graph.assembled("flip", result, [source], source.dtype, split)


def copy(array: Any) -> da.Array:
    """Copy every chunk into packed memory, as `dmlc.copy` does.

    Parameters
    ----------
    array : dask.array.Array
        Any shape, any chunks of known sizes; a fixed-width dtype of 1, 2, 4, 8 or 16 bytes.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        If the dtype cannot be handled or sizes of chunks are unknown.

    Examples
    --------
    >>> import dask.array as da
    >>> import dmlc.dask
    >>> dmlc.dask.copy(da.arange(6, chunks=6).reshape(2, 3).T).compute().flags.c_contiguous
    True
    """
    return _by_chunk("copy", array, lambda _region: (functions.copy,))


def stack(arrays: Sequence[Any], axis: SupportsIndex = 0, *, chunks: Any = None) -> da.Array:
    """Join arrays along a new axis, as `dmlc.stack` does.

    Parameters
    ----------
    arrays : sequence of dask.array.Array
        At least one, all of one shape, each in chunks of its own. Different dtypes are promoted
        as ``numpy.result_type`` does.
    axis : int
        Where the new axis stands in the result.
    chunks : int, tuple, str or dict, optional
        The result's chunks, as in `pad`. By default the first array's, and one array in each
        chunk along the new axis.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        As `dmlc.stack`, or if sizes of chunks are unknown.
    numpy.exceptions.AxisError
        If the axis is outside the result.

    Examples
    --------
    >>> import dask.array as da
    >>> import dmlc.dask
    >>> x = da.arange(4, chunks=2)
    >>> dmlc.dask.stack([x, 10 * x], axis=1, chunks={1: 2}).compute()
    array([[ 0,  0],
           [ 1, 10],
           [ 2, 20],
           [ 3, 30]])
    """
    if not isinstance(arrays, Sequence):
        raise TypeError(
            f"stack: arrays must be a sequence such as a list or a tuple, got {type(arrays).__name__}"
        )
    found = members("stack", "arrays", arrays)
    sources = [graph.known("stack", f"arrays[{i}]", array) for i, array in enumerate(found)]
    if not sources:
        raise ValueError("need at least one array to stack")
    shape = sources[0].shape
    if any(source.shape != shape for source in sources):
        raise ValueError("all input arrays must have the same shape")
    place = normalize_axis_index(index("stack", "axis", axis), len(shape) + 1)
    dtype = np.result_type(*{source.dtype for source in sources})
    result = stacked(shape, len(sources), place)
    own = list(sources[0].chunks)
    own.insert(place, (1,) * len(sources))
    split = graph.requested(tuple(own), result.shape, chunks, dtype)
    return graph.assembled("stack", result, sources, dtype, split)


def one_hot(
    indices: Any,
    depth: SupportsIndex,
    *,
    axis: SupportsIndex = -1,
    on_value: Any = 1,
    off_value: Any = 0,
    dtype: npt.DTypeLike = np.float32,
    negative: Literal["wrap", "off", "error"] = "wrap",
    chunks: Any = "auto",
) -> da.Array:
    """Turn each index into a sequence of ``depth`` elements, as `dmlc.one_hot` does.

    Parameters
    ----------
    indices : dask.array.Array of integers
        Any shape, any chunks of known sizes.
    depth : int
        The length of a sequence; at least 0.
    axis : int
        Where the new axis stands in the result.
    on_value, off_value : scalar
        Converted to ``dtype`` as assignment does.
    dtype : dtype_like
        Of the result: a fixed width of 1, 2, 4, 8 or 16 bytes.
    negative : {"wrap", "off", "error"}
        What a negative index does; see `dmlc.one_hot`. An error is raised when it is computed.
    chunks : int, tuple of int or "auto"
        The chunks along the new axis, the others are those of ``indices``. ``"auto"`` keeps
        chunks within Dask's ``array.chunk-size``.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        As `dmlc.one_hot`, or if sizes of chunks are unknown.
    numpy.exceptions.AxisError
        If ``axis`` is outside the result.

    Examples
    --------
    >>> import dask.array as da
    >>> import dmlc.dask
    >>> dmlc.dask.one_hot(da.arange(3, chunks=2), 3, dtype=int).compute()
    array([[1, 0, 0],
           [0, 1, 0],
           [0, 0, 1]])
    """
    source = graph.known("one_hot", "indices", indices)
    keywords: dict[str, Any] = {
        "on_value": on_value,
        "off_value": off_value,
        "dtype": np.dtype(dtype),
        "negative": negative,
    }
    none = np.empty((0,) * source.ndim, source.dtype)
    model = functions.one_hot(none, depth, axis=axis, **keywords)
    depth = index("one_hot", "depth", depth)
    place = normalize_axis_index(index("one_hot", "axis", axis), model.ndim)
    shape = (*source.shape[:place], depth, *source.shape[place:])
    split: Any = (*source.chunks[:place], chunks, *source.chunks[place:])
    split = graph.normalized(split, shape, model.dtype)

    def task(number: tuple[int, ...], region: tuple[_Range, ...]) -> _Task:
        key = (source.name, *number[:place], *number[place + 1 :])
        return _one_hot, depth, region[place], place, keywords, TaskRef(key)

    token = (depth, place, on_value, off_value, negative)
    return graph.array_of("one_hot", split, model.dtype, task, [source], *token)


def _one_hot(
    depth: int, part: _Range, place: int, keywords: dict[str, Any], indices: AnyArray
) -> AnyArray:
    """Make a chunk: the classes from the first up to the second of a part."""
    begin, end = part
    dtype = keywords["dtype"]
    if (begin, end) != (0, depth):
        if keywords["negative"] == "error":
            functions.one_hot(indices, 0, **keywords)  # says so if one is negative
        shifted = indices.astype(np.int64)  # what is too large for it is negative, so nothing
        if keywords["negative"] == "wrap" and indices.dtype.kind == "i":
            shifted[shifted < 0] += depth
        shifted -= begin
        indices, depth, keywords = shifted, end - begin, {**keywords, "negative": "off"}
    return graph.run(functions.one_hot, dtype, indices, depth, axis=place, **keywords)


def eye(
    N: SupportsIndex,
    M: SupportsIndex | None = None,
    k: SupportsIndex = 0,
    dtype: npt.DTypeLike = float,
    order: Literal["C", "F"] = "C",
    *,
    device: Literal["cpu"] | None = None,
    like: None = None,
    chunks: Any = "auto",
) -> da.Array:
    """Return ones on a diagonal and zeros elsewhere, as `dmlc.eye` does.

    Parameters
    ----------
    N, M : int
        Rows and columns; ``M`` is ``N`` by default.
    k : int
        The diagonal; 0 is the main one, positive ones lie above it.
    dtype : dtype_like
        A fixed width of 1, 2, 4, 8 or 16 bytes.
    order : {"C", "F"}
        The memory order of each chunk.
    device : {"cpu"}, optional
        For NumPy's signature.
    like : None
        For NumPy's signature.
    chunks : int, tuple or str
        In any of Dask's forms. ``dask.array.eye`` takes them second.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        As `dmlc.eye`.

    Examples
    --------
    >>> import dmlc.dask
    >>> dmlc.dask.eye(2, 3, k=1, chunks=2).compute()
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    rows = index("eye", "N", N)
    columns = rows if M is None else index("eye", "M", M)
    diagonal = index("eye", "k", k)
    # Of no elements, or of a negative size as given, for its errors.
    model = functions.eye(
        min(rows, 0), min(columns, 0), diagonal, dtype, order, device=device, like=like
    )

    def task(height: int, width: int, across: int) -> _Task:
        return functions.eye, height, width, diagonal - across, model.dtype, order

    return _generated("eye", (rows, columns), chunks, model.dtype, task, diagonal, order)


def tri(
    N: SupportsIndex,
    M: SupportsIndex | None = None,
    k: SupportsIndex = 0,
    dtype: npt.DTypeLike = float,
    *,
    like: None = None,
    chunks: Any = "auto",
) -> da.Array:
    """Return ones at and below a diagonal and zeros elsewhere, as `dmlc.tri` does.

    Parameters
    ----------
    N, M : int
        Rows and columns; ``M`` is ``N`` by default.
    k : int
        The last diagonal of ones.
    dtype : dtype_like
        A fixed width of 1, 2, 4, 8 or 16 bytes.
    like : None
        For NumPy's signature.
    chunks : int, tuple or str
        In any of Dask's forms.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        As `dmlc.tri`.

    Examples
    --------
    >>> import dmlc.dask
    >>> dmlc.dask.tri(2, 3, k=1, dtype=int, chunks=2).compute()
    array([[1, 1, 0],
           [1, 1, 1]])
    """
    rows = max(index("tri", "N", N), 0)
    columns = rows if M is None else max(index("tri", "M", M), 0)
    diagonal = index("tri", "k", k)
    model = functions.tri(0, 0, diagonal, dtype, like=like)

    def task(height: int, width: int, across: int) -> _Task:
        return functions.tri, height, width, diagonal - across, model.dtype

    return _generated("tri", (rows, columns), chunks, model.dtype, task, diagonal)


def diagonal_matrix(
    shape: SupportsIndex | Sequence[SupportsIndex],
    begin: SupportsIndex = 0,
    end: SupportsIndex = 1,
    value: Any = 1,
    *,
    dtype: npt.DTypeLike = np.float32,
    chunks: Any = "auto",
) -> da.Array:
    """Return zeros with a band of a value, as `dmlc.diagonal_matrix` does.

    Parameters
    ----------
    shape : sequence of int
        ``(..., height, width)``: at least two sizes; those before the last two are a batch.
    begin, end : int
        The first diagonal of the band and the one after its last; inverted if ``begin > end``.
    value : scalar
        Converted to ``dtype`` as assignment does.
    dtype : dtype_like
        A fixed width of 1, 2, 4, 8 or 16 bytes.
    chunks : int, tuple or str
        In any of Dask's forms.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        As `dmlc.diagonal_matrix`.

    Examples
    --------
    >>> import dmlc.dask
    >>> dmlc.dask.diagonal_matrix((3, 4), 0, 2, 7, dtype=int, chunks=2).compute()
    array([[7, 7, 0, 0],
           [0, 7, 7, 0],
           [0, 0, 7, 7]])
    """
    sizes = shape_of_matrices("diagonal_matrix", shape)
    first = index("diagonal_matrix", "begin", begin)
    last = index("diagonal_matrix", "end", end)
    return _band("diagonal_matrix", sizes, first, last, value, dtype, chunks)


def causal_mask(
    n: SupportsIndex,
    m: SupportsIndex | None = None,
    *,
    window: SupportsIndex | None = None,
    value: Any = -np.inf,
    dtype: npt.DTypeLike = np.float32,
    chunks: Any = "auto",
) -> da.Array:
    """Return the mask that lets each of ``n`` queries attend to the keys up to its own.

    Parameters
    ----------
    n, m : int
        Queries and keys; ``m`` is ``n`` by default. The last query belongs to the last key.
    window : int, optional
        How many keys a query attends to, its own included; all of them by default.
    value : scalar
        What stands where attention is forbidden.
    dtype : dtype_like
        A fixed width of 1, 2, 4, 8 or 16 bytes.
    chunks : int, tuple or str
        In any of Dask's forms.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        As `dmlc.causal_mask`.

    Examples
    --------
    >>> import dmlc.dask
    >>> dmlc.dask.causal_mask(3, chunks=2).compute()
    array([[  0., -inf, -inf],
           [  0.,   0., -inf],
           [  0.,   0.,   0.]], dtype=float32)
    """
    sizes, first, last = band_of_causal_mask(n, m, window)
    return _band("causal_mask", sizes, first, last, value, dtype, chunks)


def tril(m: Any, k: SupportsIndex = 0) -> da.Array:
    """Return the lower triangle: zeros above diagonal ``k``, as `dmlc.tril` does.

    Parameters
    ----------
    m : dask.array.Array
        ``(..., height, width)`` in chunks of known sizes; one dimension is broadcast to a square.
    k : int
        The last diagonal that is kept.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        If ``m`` has no dimension, ``k`` is not an integer, or sizes of chunks are unknown.

    Examples
    --------
    >>> import dask.array as da
    >>> import dmlc.dask
    >>> dmlc.dask.tril(da.ones((2, 2), chunks=1, dtype=int)).compute()
    array([[1, 0],
           [1, 1]])
    """
    return _triangle("tril", functions.tril, m, k)


def triu(m: Any, k: SupportsIndex = 0) -> da.Array:
    """Return the upper triangle: zeros below diagonal ``k``, as `dmlc.triu` does.

    Parameters
    ----------
    m : dask.array.Array
        ``(..., height, width)`` in chunks of known sizes; one dimension is broadcast to a square.
    k : int
        The first diagonal that is kept.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        If ``m`` has no dimension, ``k`` is not an integer, or sizes of chunks are unknown.

    Examples
    --------
    >>> import dask.array as da
    >>> import dmlc.dask
    >>> dmlc.dask.triu(da.ones((2, 2), chunks=1, dtype=int)).compute()
    array([[1, 1],
           [0, 1]])
    """
    return _triangle("triu", functions.triu, m, k)


def fill_band(array: Any, begin: SupportsIndex, end: SupportsIndex, value: Any) -> da.Array:
    """Copy matrices with the diagonals ``begin <= x - y < end`` set to a value.

    Parameters
    ----------
    array : dask.array.Array
        ``(..., height, width)`` in chunks of known sizes; a fixed-width dtype of 1, 2, 4, 8 or 16
        bytes.
    begin, end : int
        As in `dmlc.fill_band`: inverted if ``begin > end``, nothing if they are equal.
    value : scalar
        Converted to the array's dtype as assignment does.

    Returns
    -------
    dask.array.Array

    Raises
    ------
    TypeError, ValueError
        As `dmlc.fill_band`, or if sizes of chunks are unknown.

    Examples
    --------
    >>> import dask.array as da
    >>> import dmlc.dask
    >>> dmlc.dask.fill_band(da.zeros((2, 3), chunks=2, dtype=int), 1, 3, -1).compute()
    array([[ 0, -1, -1],
           [ 0,  0, -1]])
    """
    source = graph.known("fill_band", "array", array)
    functions.fill_band(np.empty((0,) * source.ndim, source.dtype), begin, end, value)
    first, last = index("fill_band", "begin", begin), index("fill_band", "end", end)

    def task(region: tuple[_Range, ...]) -> _Task:
        across = _across(region)
        return _filled, first - across, last - across, value

    return _by_chunk("fill_band", source, task, first, last, value)


def _filled(begin: int, end: int, value: Any, array: AnyArray) -> AnyArray:
    return functions.fill_band(array, begin, end, value)


def _across(region: Sequence[_Range]) -> int:
    """Return how far above the main diagonal a chunk begins: its own diagonals are so much lower."""
    return region[-1][0] - region[-2][0]


def _by_chunk(function: str, array: Any, call: Any, *token: Any) -> da.Array:
    """Return an array of the same chunks; ``call`` tells the function and what it takes before the chunk."""
    source = graph.known(function, "array", array)

    def task(number: tuple[int, ...], region: tuple[_Range, ...]) -> _Task:
        run, *arguments = call(region)
        return graph.run, run, source.dtype, *arguments, TaskRef((source.name, *number))

    return graph.array_of(function, source.chunks, source.dtype, task, [source], *token)


def _triangle(name: str, function: Any, m: Any, k: SupportsIndex) -> da.Array:
    source = graph.known(name, "m", m)
    function(np.empty((0,) * source.ndim, source.dtype), k)
    diagonal = index(name, "k", k)
    is_row = source.ndim == 1
    chunks = source.chunks * 2 if is_row else source.chunks

    def task(number: tuple[int, ...], region: tuple[_Range, ...]) -> _Task:
        key = (source.name, *(number[1:] if is_row else number))
        height = region[-2][1] - region[-2][0]
        across = _across(region)
        return _triangle_of, function, source.dtype, height, diagonal - across, TaskRef(key)

    return graph.array_of(name, chunks, source.dtype, task, [source], diagonal)


def _triangle_of(
    function: Any, dtype: np.dtype[Any], height: int, k: int, array: AnyArray
) -> AnyArray:
    if array.ndim == 1:
        array = np.broadcast_to(array, (height, array.size))
    return graph.run(function, dtype, array, k)


def _generated(
    function: str, shape: tuple[int, ...], chunks: Any, dtype: np.dtype[Any], call: Any, *token: Any
) -> da.Array:
    """Return matrices; ``call`` tells how to make a chunk, which begins so far above the diagonal."""
    split = graph.normalized(chunks, shape, dtype)

    def task(_number: tuple[int, ...], region: tuple[_Range, ...]) -> _Task:
        *batch, height, width = (end - begin for begin, end in region)
        make, *arguments = call(*batch, height, width, across=_across(region))
        return graph.run, make, dtype, *arguments

    return graph.array_of(function, split, dtype, task, [], *token)


def _band(
    function: str,
    shape: tuple[int, ...],
    begin: int,
    end: int,
    value: Any,
    dtype: npt.DTypeLike,
    chunks: Any,
) -> da.Array:
    smallest = [min(size, 0) for size in shape]  # no elements, or a negative size for its error
    model = functions.diagonal_matrix(smallest, begin, end, value, dtype=dtype)

    def call(*sizes: int, across: int) -> _Task:
        return _band_of, sizes, begin - across, end - across, value, model.dtype

    return _generated(function, shape, chunks, model.dtype, call, begin, end, value)


def _band_of(
    shape: tuple[int, ...], begin: int, end: int, value: Any, dtype: np.dtype[Any]
) -> AnyArray:
    return functions.diagonal_matrix(shape, begin, end, value, dtype=dtype)

"""What arrays may come in and go out: kinds, widths, protocols, overlap.

An array whose elements mean the same without its class is read and written where it is. One whose class says
more than the elements do, or whose elements are elsewhere, is refused with a TypeError that names the call to make.

================================================  ==========================  ========================
kind                                              input                       ``out``
================================================  ==========================  ========================
``ndarray``; ``memmap``, ``recarray``, ``matrix``  read where it is            written, returned itself
and other subclasses
lists, scalars, buffers, ``__array__``,           as ``numpy.asarray`` reads  refused
pandas, h5py, xarray: their values                them
PyTorch's tensors on a CPU                        read where it is            written, returned itself
others with ``__dlpack__`` or                     read where it is            written, returned itself,
``__array_interface__``, on a CPU (JAX,                                       unless it is read-only (JAX,
TensorFlow)                                                                   TensorFlow)
PyTorch's that require gradients                  ``detach()``, dmlc.torch    ``detach()``
PyTorch's without elements (meta, fake)           dmlc.torch                  refused
``MaskedArray``                                   ``filled(value)``,          ``data``
                                                  ``data``
values with units (astropy, unyt, pint)           ``value``, ``magnitude``    ``value``
sparse arrays (SciPy, PyData, PyTorch)            ``toarray()``,              refused
                                                  ``todense()``,
                                                  ``to_dense()``
quantized tensors (PyTorch)                       ``dequantize()``,           ``int_repr()``
                                                  ``int_repr()``
nested and ragged tensors (PyTorch, TensorFlow)   ``to_padded_tensor()``,     refused
                                                  ``to_tensor()``
traced arrays (JAX, TensorFlow)                   outside of the trace        refused
Dask's, and xarray's of Dask's                    ``compute()``               refused
on a GPU (CuPy, PyTorch, JAX, Numba)              a copy on the CPU           refused
================================================  ==========================  ========================

PyTorch's of a few kilobytes are copied as they are read, which is faster; so are the rows of batches. Of all these the
result is a plain ``ndarray``. PyTorch's bfloat16 and float8 become the dtypes of ml_dtypes; where that
is not installed, ``uint16`` and ``uint8`` that hold the bits, and values such as ``constant_values`` mean bits too.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from operator import index as as_index
from typing import TYPE_CHECKING, Any, Protocol, SupportsIndex, TypeAlias

import numpy as np

from dmlc import tensors

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = [
    "MOST_DIMENSIONS",
    "AnyArray",
    "ArrayInput",
    "SupportsDLPack",
    "as_array",
    "bounded",
    "check_dtype",
    "check_kind",
    "claimed_entries",
    "empty_or_refused",
    "entries",
    "index",
    "indices",
    "members",
    "memory_of",
    "one_element",
    "printed",
    "sequence_of",
    "share_memory",
    "written",
]

AnyArray: TypeAlias = np.ndarray[Any, np.dtype[Any]]


class SupportsDLPack(Protocol):
    """What NumPy's ``from_dlpack`` takes: another library's array on a CPU."""

    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any:
        """Export the memory."""

    def __dlpack_device__(self, *args: Any, **kwargs: Any) -> Any:
        """Say where the memory is."""


# What a function takes for an array.
ArrayInput: TypeAlias = "npt.ArrayLike | SupportsDLPack"

MOST_DIMENSIONS = 64

# The binding counts no more arrays; and from what has no length no more are read.
_MOST_ENTRIES = 1 << 30
_MOST_WITHOUT_LENGTH = 1 << 20

_MOST_BYTES = np.iinfo(np.intp).max

_WIDTHS = frozenset((1, 2, 4, 8, 16))

# DLPack's numbers of devices whose memory a CPU reads: its own, and what CUDA and ROCm share with it.
_CPU_DEVICES = frozenset((1, 3, 11, 13))

# Classes that need no check; most arguments that are no arrays are of these.
_PLAIN = frozenset((bool, int, float, complex, list, tuple, range, np.ndarray))

_NUMBERS = frozenset((bool, int, float, complex))

# What the classes of values with units define, which no other array's does.
_UNITS = (("units", "magnitude"), ("unit", "to_value"), ("units", "to_value"))


_ELSEWHERE = "on another device: pass a copy in the CPU's memory"


def check_kind(function: str, argument: str, value: object) -> None:
    """Refuse arrays that mean more than their elements, or have them elsewhere; see the table above."""
    if type(value) in _PLAIN:
        return
    kind: Any = type(value)
    if _says_no_more(kind):
        advice = _ELSEWHERE if _is_elsewhere(value) else None
    else:
        advice = _advice(value)
    if advice is not None:
        raise TypeError(
            f"{function}: {argument} must be a plain array in memory, got {type(value).__name__} {advice}"
        )


@lru_cache(maxsize=256)
def _says_no_more(kind: type) -> bool:
    """Whether values of a class mean their elements and no more, wherever those are."""
    if issubclass(kind, np.generic):
        return True
    return not (
        issubclass(kind, np.ndarray)
        or any(hasattr(kind, unit) and hasattr(kind, number) for unit, number in _UNITS)
        or any(hasattr(kind, name) for name in ("__dask_graph__", "nnz", "nse"))
        or tensors.may_have_advice(kind)
    )


def _advice(value: object) -> str | None:
    """What to pass instead; no library is imported for it, as what is not imported made no array."""
    kind = type(value)
    tensor = tensors.advice(value)
    if tensor is not None or tensors.is_torch(value):
        return tensor
    masked = getattr(sys.modules.get("numpy.ma"), "MaskedArray", None)
    if masked is not None and isinstance(value, masked):
        return "with a mask: pass .filled(value), or .data for what is under the mask too"
    for unit, number in _UNITS:
        if hasattr(kind, unit) and hasattr(kind, number):
            return f"with units: pass its .{'magnitude' if number == 'magnitude' else 'value'}"
    if isinstance(value, np.ndarray):
        return None
    if hasattr(kind, "__dask_graph__") and value.__dask_graph__() is not None:  # type: ignore[attr-defined]
        return "that is not computed yet: pass .compute()"
    if hasattr(kind, "nnz") or hasattr(kind, "nse"):
        for dense in ("toarray", "todense"):
            if hasattr(kind, dense):
                return f"that is sparse: pass .{dense}()"
    return _ELSEWHERE if _is_elsewhere(value) else None


def _is_elsewhere(value: object) -> bool:
    if tensors.is_on_cpu(value):
        return False
    if not hasattr(value, "__dlpack_device__"):
        return hasattr(value, "__cuda_array_interface__")
    device = value.__dlpack_device__()
    # What is no device at all is left to NumPy, which says so.
    return isinstance(device, tuple) and len(device) == 2 and device[0] not in _CPU_DEVICES


def printed(value: object) -> str:
    """Return a value as a message shows it; integers of thousands of digits in hexadecimal.

    Python refuses to print those in decimal, and a complaint about one must not fail.
    """
    if isinstance(value, int) and value.bit_length() > 4096:
        return hex(value)
    return str(value)


def check_dtype(function: str, argument: str, dtype: np.dtype[Any]) -> None:
    """Refuse elements that are not plain bytes of a width that the kernels have."""
    if dtype.hasobject:
        raise TypeError(
            f"{function}: {argument} must have a fixed-width dtype of plain bytes, "
            f"got {dtype!r}, whose elements refer to objects"
        )
    if dtype.subdtype is not None or dtype.itemsize not in _WIDTHS:
        raise TypeError(
            f"{function}: {argument} must have a fixed-width dtype of 1, 2, 4, 8 or 16 bytes, "
            f"got {dtype!r} of {dtype.itemsize} bytes"
        )


def as_array(function: str, argument: str, value: object) -> AnyArray:
    """Return what NumPy understands, or what has ``__dlpack__``, as an array that shares its memory."""
    if type(value) is np.ndarray:
        array = value
    elif (memory := tensors.as_array(value)) is not None:
        return memory  # of a dtype that the kernels have, whichever it is
    else:
        check_kind(function, argument, value)
        if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
            array = np.asarray(value)
        elif hasattr(value, "__dlpack__"):
            array = np.from_dlpack(value)
        else:
            array = np.asarray(bounded(function, argument, value))
    check_dtype(function, argument, array.dtype)
    return array


def members(
    function: str, argument: str, values: Iterable[Any], most: int = _MOST_ENTRIES
) -> Iterator[Any]:
    """Yield what stands in it, which must end where its length says, or after a million."""
    try:
        count = len(values)  # type: ignore[arg-type]
        rule = f"must end where its length says, after {count} entries"
    except (TypeError, NotImplementedError):  # of a loader of what has no length, too
        count = min(most, _MOST_WITHOUT_LENGTH)
        rule = f"must have at most {count} entries where it has no length"
    if count > most:
        raise ValueError(f"{function}: {argument} must have at most {most} entries, got {count}")
    for i, value in enumerate(values):
        if i == count:
            raise ValueError(f"{function}: {argument} {rule}, got more")
        yield value


def claimed_entries(values: Any) -> int:
    """How many entries it says that it has, in all its axes."""
    return len(values) if isinstance(values, Sequence) else math.prod(np.shape(values))


def bounded(
    function: str, argument: str, value: Any, levels: int = 1, most: int = _MOST_ENTRIES
) -> Any:
    """Return a sequence of a class of its own as a list that ends where its length says.

    NumPy reads such a one until it ends, which may be never. Anything else is returned as it is. Of more
    levels are what stands in a sequence too, in a list or a tuple as well.
    """
    if _is_read_by_entry(value):
        try:
            value = list(members(function, argument, value, most))
        except KeyError:  # NumPy takes it for no sequence
            return value
    if levels > 1 and type(value) in (list, tuple) and not _NUMBERS.issuperset(map(type, value)):
        return [
            bounded(function, f"{argument}[{i}]", entry, levels - 1, most)
            for i, entry in enumerate(value)
        ]
    return value


# What NumPy takes as it is, or Python itself lets end.
_ENDING = (str, bytes, bytearray, memoryview, np.ndarray, np.generic, dict)


def _is_read_by_entry(value: Any) -> bool:
    """Whether NumPy asks it for one entry after the other, by code that may be anyone's."""
    if type(value) in _PLAIN or isinstance(value, _ENDING) or not hasattr(value, "__getitem__"):
        return False
    if any(hasattr(value, f"__array{name}__") for name in ("", "_interface", "_struct")):
        return False
    try:
        len(value)
    except (AttributeError, NotImplementedError, OverflowError, TypeError, ValueError):
        return False  # NumPy takes it for no sequence
    try:
        memoryview(value)
    except TypeError:
        return True
    except (BufferError, ValueError):
        return False  # NumPy says why it cannot be had
    return False


def one_element(function: str, argument: str, value: object, dtype: np.dtype[Any]) -> bytes:
    """Return a value as an element's bytes, converted as NumPy converts it when it is assigned."""
    check_kind(function, argument, value)
    if (memory := tensors.as_array(value)) is not None:
        value = memory
    cell = np.zeros((), dtype=dtype)
    if dtype.kind == "V" and dtype.names is None and type(value) is int and value == 0:
        return cell.tobytes()  # the default, of what has no numbers: all bytes zero
    try:
        cell[...] = value
    except (TypeError, ValueError, OverflowError) as error:
        kind = next(
            kind for kind in (TypeError, OverflowError, ValueError) if isinstance(error, kind)
        )
        is_plain = isinstance(value, (int, float, complex, str, bytes, np.generic))
        shown = printed if type(value) is int else repr
        got = shown(value) if is_plain else type(value).__name__
        raise kind(
            f"{function}: {argument} must be one value that {dtype} can hold, got {got}: {error}"
        ) from None
    return cell.tobytes()


def share_memory(first: AnyArray, second: AnyArray) -> bool:
    """Whether two arrays have a byte in common, or it cannot be told in reasonable time."""
    if not np.may_share_memory(first, second):
        return False
    most_work: Any = 10_000  # NumPy's declarations differ from release to release
    try:
        return np.shares_memory(first, second, max_work=most_work)
    except np.exceptions.TooHardError:
        return True


def empty_or_refused(shape: tuple[int, ...], dtype: np.dtype[Any]) -> AnyArray:
    """Return a new array without elements, or raise what ``numpy.empty`` raises for sizes that do not fit."""
    nonzero = math.prod(size for size in shape if size != 0) * dtype.itemsize
    if len(shape) > MOST_DIMENSIONS or nonzero > _MOST_BYTES or min(shape, default=1) <= 0:
        return np.empty(shape, dtype=dtype)
    raise MemoryError(f"unable to allocate an array with shape {shape} and dtype {dtype}")


def memory_of(function: str, argument: str, out: object) -> AnyArray:
    """Return what is not exactly an ``ndarray``, and is to be written, as one of the same memory."""
    if (memory := tensors.as_array(out)) is not None:
        return memory
    check_kind(function, argument, out)
    # Of a NumPy scalar, and by __array__ of anything, there would be a copy.
    shares = hasattr(out, "__array_interface__") and not isinstance(out, np.generic)
    if isinstance(out, np.ndarray) or shares:
        return np.asarray(out)
    if hasattr(out, "__dlpack__"):
        return np.from_dlpack(out)
    raise TypeError(
        f"{function}: {argument} must be a NumPy array or a tensor in memory, "
        f"got {type(out).__name__}"
    )


def written(out: object) -> None:
    """Tell the library whose tensor it is that its elements have changed."""
    if tensors.is_torch(out):
        tensors.written(out)


def index(function: str, argument: str, value: SupportsIndex) -> int:
    """Return an integer, or say whose it should have been."""
    if type(value) is int:
        return value
    try:
        return int(as_index(value))  # of a subclass of int, __index__ makes no int
    except TypeError:
        raise TypeError(
            f"{function}: {argument} must be an integer, got {type(value).__name__}"
        ) from None


def indices(function: str, argument: str, values: Iterable[SupportsIndex], most: int) -> list[int]:
    """Return the integers of a sequence; of a longer one than ``most`` only one more is read."""
    try:
        entries = list(islice(values, most + 1))
    except TypeError:
        raise TypeError(
            f"{function}: {argument} must be an integer or a sequence of integers, "
            f"got {type(values).__name__}"
        ) from None
    return [index(function, f"{argument}[{i}]", entry) for i, entry in enumerate(entries)]


def sequence_of(
    values: SupportsIndex | Iterable[SupportsIndex],
) -> Iterable[SupportsIndex]:
    """Return an integer as a sequence of one; arrays of integers are sequences, though they have an ``__index__``."""
    is_number = isinstance(values, SupportsIndex) and not np.iterable(values)
    return [values] if is_number else values  # type: ignore[list-item, return-value]


def entries(
    function: str, argument: str, values: SupportsIndex | Iterable[SupportsIndex], count: int
) -> list[int]:
    """Return one integer for each of so many axes; an integer is a sequence of one."""
    found = indices(function, argument, sequence_of(values), count)
    if len(found) != count:
        raise ValueError(
            f"{function}: {argument} must have one entry for each of {count} axes, "
            f"got {len(found) if len(found) < count else 'more'}"
        )
    return found

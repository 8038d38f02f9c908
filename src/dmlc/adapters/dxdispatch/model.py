"""What a model file says, as data: names resolved, values in bytes, nothing run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from dmlc.adapters.dxdispatch.folders import Folders
from dmlc.descriptors import OperatorDesc
from dmlc.descriptors.json.operators import BindPoint
from dmlc.enums import TensorDataType


@dataclass(frozen=True, slots=True)
class Resource:
    """A buffer and what stands in it at the start.

    Parameters
    ----------
    name : str
    place : str
        Where it stands in the file.
    initial_values : tuple of numpy.ndarray
        One-dimensional arrays, laid one after the other from `initial_values_offset` on. There is
        one, but for a list initializer, which has one of a single element for each of its items,
        and a deferred resource, which has none.
    initial_values_offset : int
        In bytes.
    size : int
        In bytes, as the file says or as the values take. Not yet rounded up to 4.
    """

    name: str
    place: str
    initial_values: tuple[npt.NDArray[Any], ...]
    initial_values_offset: int
    size: int

    @property
    def is_deferred(self) -> bool:
        """Whether it has no memory before a dispatch writes an output to it."""
        return not self.initial_values

    @property
    def allocated_size(self) -> int:
        """`size` rounded up to DirectML's multiple of 4 bytes."""
        return (self.size + 3) & ~3

    @property
    def data_type(self) -> TensorDataType:
        """The initializer's data type; UNKNOWN where its items have types of their own."""
        types = {TensorDataType.from_dtype(values.dtype) for values in self.initial_values}
        return types.pop() if len(types) == 1 else TensorDataType.UNKNOWN


@dataclass(frozen=True, slots=True)
class Binding:
    """The part `[offset, offset + size)`, in bytes, of a resource that a bind point gets.

    `size` is None where the resource is deferred: it is bound as a whole.
    """

    place: str
    resource: str
    offset: int
    size: int | None


@dataclass(frozen=True, slots=True)
class Dispatchable:
    """An operator.

    Parameters
    ----------
    name : str
    place : str
        Where its descriptor stands in the file.
    desc : OperatorDesc
    places : mapping of str to str
        Where the descriptor's fields stand in the file, by the descriptor's own names.
    bind_points : tuple of BindPoint
        The tensors that the descriptor has, in field order.
    bindings : mapping of str to Binding
        By bind point: inputs bound before the first command (DirectML's OWNED_BY_DML), which keep
        the values that they have then.
    """

    name: str
    place: str
    desc: OperatorDesc
    places: Mapping[str, str]
    bind_points: tuple[BindPoint, ...]
    bindings: Mapping[str, Binding]


@dataclass(frozen=True, slots=True)
class DispatchCommand:
    """Runs a dispatchable on resources; ``place`` says where in the file it stands."""

    place: str
    dispatchable: str
    bindings: Mapping[str, Binding]


@dataclass(frozen=True, slots=True)
class PrintCommand:
    """Prints what a resource holds, ``verbose`` with its bits."""

    place: str
    resource: str
    verbose: bool


@dataclass(frozen=True, slots=True)
class WriteFileCommand:
    """`dimensions` is the shape that an `.npy` file gets, None where the bound tensor has it."""

    place: str
    resource: str
    target_path: str
    dimensions: tuple[int, ...] | None


Command: TypeAlias = DispatchCommand | PrintCommand | WriteFileCommand


@dataclass(frozen=True, slots=True)
class Model:
    """A whole file.

    Parameters
    ----------
    folders : Folders
        What its paths are relative to.
    resources : mapping of str to Resource
    dispatchables : mapping of str to Dispatchable
    commands : tuple of Command
    command_texts : tuple of str
        Each command as compact JSON.
    """

    folders: Folders
    resources: Mapping[str, Resource]
    dispatchables: Mapping[str, Dispatchable]
    commands: tuple[Command, ...]
    command_texts: tuple[str, ...]


def resource_bytes(resource: Resource, size: int | None = None) -> npt.NDArray[np.uint8]:
    """Return a new buffer that holds the initial values, and zeros behind them.

    It has `resource.allocated_size` bytes, or `size` where that is given, and starts on a
    multiple of 64 KiB, as Direct3D 12 places buffers: any base offset alignment that a tensor asks
    for then depends on the binding's offset alone.
    """
    size = resource.allocated_size if size is None else size
    alignment = 65536
    memory = np.zeros(size + alignment, dtype=np.uint8)
    start = -memory.ctypes.data % alignment
    buffer = memory[start : start + size]
    position = resource.initial_values_offset
    for values in resource.initial_values:
        buffer[position : position + values.nbytes] = values.view(np.uint8)
        position += values.nbytes
    return buffer

"""`BufferTensorDesc`: how a tensor lies in a buffer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import SupportsIndex, TypeVar

from dmlc.descriptors.fields import (
    Descriptor,
    Integers,
    enum_field,
    integer_field,
    integers_field,
    source,
)
from dmlc.enums import TensorDataType, TensorFlags

__all__ = ["BufferTensorDesc", "copied", "tensor_field"]

DescriptorT = TypeVar("DescriptorT", bound=Descriptor)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class BufferTensorDesc(Descriptor):
    """A tensor in a buffer (``DML_BUFFER_TENSOR_DESC``): element type, sizes and strides.

    Element ``(i, j, ...)`` lies ``i * strides[0] + j * strides[1] + ...`` elements after the first.

    Parameters
    ----------
    data_type : TensorDataType
        The type of the elements.
    sizes : sequence of int
        The size of each dimension, slowest first: 1 to 8 of them, each at least 1.
    strides : sequence of int, optional
        The step from one element to the next along each dimension, in elements. 0 repeats an
        element (inputs only), larger steps leave gaps. None, the default, is packed: row-major, no
        gaps.
    flags : TensorFlags, optional
        Recorded, without effect on a CPU.
    total_tensor_size_in_bytes : int, optional
        How many bytes a bound buffer has at least. None, the default, is the minimum implied size.
    guaranteed_base_offset_alignment : int, optional
        The alignment in bytes that a bound buffer honours; 0, the default, promises nothing.

    Raises
    ------
    TypeError
        If a field is not of its kind: ``sizes`` a string, a stride a float.
    ValueError
        If ``data_type`` or ``flags`` is a number that DirectML does not know. Values that break a
        rule do not raise here: `Device.check` lists them.

    Notes
    -----
    The counts in bytes and elements are exact at any size. They need sizes and strides that make
    sense, at least equally many of them.

    Semantics: DirectML's reference of ``DML_BUFFER_TENSOR_DESC``.

    Examples
    --------
    >>> from dmlc import BufferTensorDesc, TensorDataType
    >>> rows = BufferTensorDesc(TensorDataType.UINT8, (2, 3), strides=(4, 1))
    >>> rows.element_count, rows.minimum_implied_size_in_bytes
    (6, 8)
    >>> BufferTensorDesc(TensorDataType.FLOAT32, [1, 3, 4]).packed_strides
    (12, 4, 1)
    """

    __slots__ = (
        "data_type",
        "flags",
        "guaranteed_base_offset_alignment",
        "sizes",
        "strides",
        "total_tensor_size_in_bytes",
    )

    data_type: TensorDataType
    sizes: tuple[int, ...]
    strides: tuple[int, ...] | None
    flags: TensorFlags
    total_tensor_size_in_bytes: int | None
    guaranteed_base_offset_alignment: int

    def __init__(
        self,
        data_type: TensorDataType | int,
        sizes: Integers,
        strides: Integers | None = None,
        *,
        flags: TensorFlags | int = TensorFlags.NONE,
        total_tensor_size_in_bytes: SupportsIndex | None = None,
        guaranteed_base_offset_alignment: SupportsIndex = 0,
    ) -> None:
        name = "BufferTensorDesc"
        total, alignment = total_tensor_size_in_bytes, guaranteed_base_offset_alignment
        self._assign(
            {
                "data_type": enum_field(f"{name}.data_type", TensorDataType, data_type),
                "sizes": integers_field(f"{name}.sizes", sizes),
                "strides": (
                    None if strides is None else integers_field(f"{name}.strides", strides)
                ),
                "flags": enum_field(f"{name}.flags", TensorFlags, flags),
                "total_tensor_size_in_bytes": (
                    None
                    if total is None
                    else integer_field(f"{name}.total_tensor_size_in_bytes", total)
                ),
                "guaranteed_base_offset_alignment": integer_field(
                    f"{name}.guaranteed_base_offset_alignment", alignment
                ),
            }
        )

    def _printed(self) -> list[str]:
        parts = [source(self.data_type), source(self.sizes)]
        if self.strides is not None:
            parts.append(f"strides={source(self.strides)}")
        if self.flags is not TensorFlags.NONE:
            parts.append(f"flags={source(self.flags)}")
        if self.total_tensor_size_in_bytes is not None:
            total = source(self.total_tensor_size_in_bytes)
            parts.append(f"total_tensor_size_in_bytes={total}")
        if self.guaranteed_base_offset_alignment != 0:
            alignment = source(self.guaranteed_base_offset_alignment)
            parts.append(f"guaranteed_base_offset_alignment={alignment}")
        return parts

    @property
    def dimension_count(self) -> int:
        """The number of dimensions."""
        return len(self.sizes)

    @property
    def element_count(self) -> int:
        """The number of elements: the product of the sizes."""
        return math.prod(self.sizes)

    @property
    def packed_strides(self) -> tuple[int, ...]:
        """The strides of a tensor of these sizes without gaps, last dimension fastest."""
        strides = []
        step = 1
        for size in reversed(self.sizes):
            strides.append(step)
            step *= size
        return tuple(reversed(strides))

    @property
    def effective_strides(self) -> tuple[int, ...]:
        """The strides, or the packed ones where none are given."""
        return self.packed_strides if self.strides is None else self.strides

    @property
    def minimum_implied_size_in_bytes(self) -> int:
        """``roundup4((1 + sum((sizes[i] - 1) * strides[i])) * element size)``."""
        steps = zip(self.sizes, self.effective_strides, strict=True)
        last = sum((size - 1) * stride for size, stride in steps)
        return ((last + 1) * self.data_type.itemsize + 3) // 4 * 4

    @property
    def size_in_bytes(self) -> int:
        """What a bound buffer has at least: the total size, or the minimum where none is given."""
        if self.total_tensor_size_in_bytes is None:
            return self.minimum_implied_size_in_bytes
        return self.total_tensor_size_in_bytes


def tensor_field(place: str, value: BufferTensorDesc) -> BufferTensorDesc:
    """Return ``value``, of a subclass a plain copy; anything but a BufferTensorDesc raises TypeError."""
    if type(value) is BufferTensorDesc:
        return value
    if not isinstance(value, BufferTensorDesc):
        raise TypeError(f"{place}: must be a BufferTensorDesc, got {value!r}")
    return _plain(value)


def copied(descriptor: DescriptorT) -> DescriptorT:
    """Return the same descriptor made anew, its tensors too: whatever its fields are by now, they become plain.

    TypeError or ValueError is raised if a field cannot hold its value.
    """
    values = {
        name: _plain(value) if isinstance(value, BufferTensorDesc) else value
        for name, value in descriptor._values().items()
    }
    return type(descriptor)(**values)


def _plain(tensor: BufferTensorDesc) -> BufferTensorDesc:
    return BufferTensorDesc(
        tensor.data_type,
        tensor.sizes,
        tensor.strides,
        flags=tensor.flags,
        total_tensor_size_in_bytes=tensor.total_tensor_size_in_bytes,
        guaranteed_base_offset_alignment=tensor.guaranteed_base_offset_alignment,
    )

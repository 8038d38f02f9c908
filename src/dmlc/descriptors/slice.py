"""`Slice1OperatorDesc` and `SliceOperatorDesc`: a strided window of a tensor."""

from __future__ import annotations

from dataclasses import dataclass

from dmlc.descriptors.fields import Descriptor, Integers, integers_field
from dmlc.descriptors.tensor import BufferTensorDesc, tensor_field

__all__ = ["Slice1OperatorDesc", "SliceOperatorDesc"]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Slice1OperatorDesc(Descriptor):
    """Copy a strided window; strides may be negative (``DML_SLICE1_OPERATOR_DESC``).

    In each dimension, ``output[o] = input[start + stride * o]`` with ``start = offset`` for a
    positive stride, and the window's last element ``offset + size - 1`` for a negative one.

    Parameters
    ----------
    input_tensor, output_tensor : BufferTensorDesc
        Of the same data type and dimension count. The output has
        ``1 <= size <= 1 + (window size - 1) // abs(stride)`` in each dimension: it may stop early.
    input_window_offsets, input_window_sizes : sequence of int
        Where the window starts and how far it reaches, inside the input in every dimension.
    input_window_strides : sequence of int
        The step from one element to the next, not 0.

    Raises
    ------
    TypeError
        If a field cannot hold its value. Values that break a rule do not raise here:
        `Device.check` lists them.

    Notes
    -----
    From feature level 2_1, with 4 or 5 dimensions; 1 to 8 from 3_0, all eleven data types from 4_1.

    Semantics: DirectML's reference of ``DML_SLICE1_OPERATOR_DESC``.

    Examples
    --------
    Every second element, backwards:

    >>> from dmlc import BufferTensorDesc, Slice1OperatorDesc, TensorDataType
    >>> desc = Slice1OperatorDesc(
    ...     input_tensor=BufferTensorDesc(TensorDataType.UINT8, [5]),
    ...     output_tensor=BufferTensorDesc(TensorDataType.UINT8, [3]),
    ...     input_window_offsets=[0],
    ...     input_window_sizes=[5],
    ...     input_window_strides=[-2],
    ... )
    >>> desc.input_window_strides
    (-2,)
    """

    __slots__ = (
        "input_tensor",
        "input_window_offsets",
        "input_window_sizes",
        "input_window_strides",
        "output_tensor",
    )

    input_tensor: BufferTensorDesc
    output_tensor: BufferTensorDesc
    input_window_offsets: tuple[int, ...]
    input_window_sizes: tuple[int, ...]
    input_window_strides: tuple[int, ...]

    def __init__(
        self,
        input_tensor: BufferTensorDesc,
        output_tensor: BufferTensorDesc,
        input_window_offsets: Integers,
        input_window_sizes: Integers,
        input_window_strides: Integers,
    ) -> None:
        name = "Slice1OperatorDesc"
        offsets, sizes, strides = input_window_offsets, input_window_sizes, input_window_strides
        self._assign(
            {
                "input_tensor": tensor_field(f"{name}.input_tensor", input_tensor),
                "output_tensor": tensor_field(f"{name}.output_tensor", output_tensor),
                "input_window_offsets": integers_field(f"{name}.input_window_offsets", offsets),
                "input_window_sizes": integers_field(f"{name}.input_window_sizes", sizes),
                "input_window_strides": integers_field(f"{name}.input_window_strides", strides),
            }
        )


@dataclass(frozen=True, init=False, eq=False, repr=False)
class SliceOperatorDesc(Descriptor):
    """Copy a strided window, the older way (``DML_SLICE_OPERATOR_DESC``).

    In each dimension, ``output[o] = input[offset + stride * o]``.

    Parameters
    ----------
    input_tensor, output_tensor : BufferTensorDesc
        Of the same data type and dimension count.
    offsets : sequence of int
        The first element that is read.
    sizes : sequence of int
        The output's sizes.
    strides : sequence of int
        The step from one element to the next, at least 1. Every element read lies inside the input.

    Raises
    ------
    TypeError
        If a field cannot hold its value. Values that break a rule do not raise here:
        `Device.check` lists them.

    Notes
    -----
    From feature level 1_0, with 4 or 5 dimensions; 1 to 8 from 3_0, all eleven data types from 4_1.

    Semantics: DirectML's reference of ``DML_SLICE_OPERATOR_DESC``.

    Examples
    --------
    >>> from dmlc import BufferTensorDesc, SliceOperatorDesc, TensorDataType
    >>> desc = SliceOperatorDesc(
    ...     input_tensor=BufferTensorDesc(TensorDataType.UINT8, [5]),
    ...     output_tensor=BufferTensorDesc(TensorDataType.UINT8, [2]),
    ...     offsets=[1],
    ...     sizes=[2],
    ...     strides=[3],
    ... )
    >>> desc.sizes
    (2,)
    """

    __slots__ = (
        "input_tensor",
        "offsets",
        "output_tensor",
        "sizes",
        "strides",
    )

    input_tensor: BufferTensorDesc
    output_tensor: BufferTensorDesc
    offsets: tuple[int, ...]
    sizes: tuple[int, ...]
    strides: tuple[int, ...]

    def __init__(
        self,
        input_tensor: BufferTensorDesc,
        output_tensor: BufferTensorDesc,
        offsets: Integers,
        sizes: Integers,
        strides: Integers,
    ) -> None:
        name = "SliceOperatorDesc"
        self._assign(
            {
                "input_tensor": tensor_field(f"{name}.input_tensor", input_tensor),
                "output_tensor": tensor_field(f"{name}.output_tensor", output_tensor),
                "offsets": integers_field(f"{name}.offsets", offsets),
                "sizes": integers_field(f"{name}.sizes", sizes),
                "strides": integers_field(f"{name}.strides", strides),
            }
        )

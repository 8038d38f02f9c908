"""`OneHotOperatorDesc`: one element on, the others off, where indices say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import SupportsIndex

from dmlc.descriptors.fields import Descriptor, integer_field
from dmlc.descriptors.tensor import BufferTensorDesc, tensor_field

__all__ = ["OneHotOperatorDesc"]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class OneHotOperatorDesc(Descriptor):
    """One-hot encode an index tensor along an axis (``DML_ONE_HOT_OPERATOR_DESC``).

    ``output[.., k, ..] = on if k == index else off``, with ``k`` along the axis.

    Parameters
    ----------
    indices_tensor : BufferTensorDesc
        UINT32, INT32, UINT64 or INT64, of the output's sizes, but of size 1 along the axis. A
        negative index counts from the end; one that is still outside leaves the whole sequence off.
    values_tensor : BufferTensorDesc
        At least two elements, of the output's data type and dimension count. Off is the first one,
        on the next one along the last dimension whose size is greater than 1.
    output_tensor : BufferTensorDesc
        The tensor that is written.
    axis : int
        The dimension of the output along which each sequence lies.

    Raises
    ------
    TypeError
        If a field cannot hold its value. Values that break a rule do not raise here:
        `Device.check` lists them.

    Notes
    -----
    From feature level 2_0, with 4 dimensions and UINT32 indices; all of the above from 4_1.

    Semantics: DirectML's reference of ``DML_ONE_HOT_OPERATOR_DESC``.

    Examples
    --------
    >>> from dmlc import BufferTensorDesc, OneHotOperatorDesc, TensorDataType
    >>> desc = OneHotOperatorDesc(
    ...     indices_tensor=BufferTensorDesc(TensorDataType.INT64, (3, 1)),
    ...     values_tensor=BufferTensorDesc(TensorDataType.FLOAT32, (1, 2)),
    ...     output_tensor=BufferTensorDesc(TensorDataType.FLOAT32, (3, 10)),
    ...     axis=1,
    ... )
    >>> desc.output_tensor.element_count
    30
    """

    __slots__ = (
        "axis",
        "indices_tensor",
        "output_tensor",
        "values_tensor",
    )

    indices_tensor: BufferTensorDesc
    values_tensor: BufferTensorDesc
    output_tensor: BufferTensorDesc
    axis: int

    def __init__(
        self,
        indices_tensor: BufferTensorDesc,
        values_tensor: BufferTensorDesc,
        output_tensor: BufferTensorDesc,
        axis: SupportsIndex,
    ) -> None:
        name = "OneHotOperatorDesc"
        self._assign(
            {
                "indices_tensor": tensor_field(f"{name}.indices_tensor", indices_tensor),
                "values_tensor": tensor_field(f"{name}.values_tensor", values_tensor),
                "output_tensor": tensor_field(f"{name}.output_tensor", output_tensor),
                "axis": integer_field(f"{name}.axis", axis),
            }
        )

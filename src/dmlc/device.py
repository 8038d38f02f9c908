"""DirectML's device: descriptors in, compiled operators out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from dmlc import _dmlc, operators, validation
from dmlc._dmlc import empty
from dmlc.arrays import AnyArray, as_array, check_kind, memory_of, share_memory, written
from dmlc.descriptors import (
    BufferTensorDesc,
    DiagonalMatrix1OperatorDesc,
    OperatorDesc,
)
from dmlc.descriptors.tensor import copied
from dmlc.enums import FeatureLevel
from dmlc.errors import BindingError, InvalidDescriptorError

__all__ = ["CompiledOperator", "Device"]

_NEWEST = max(FeatureLevel)


class Device:
    """Where operators are checked and compiled: a CPU that behaves like a DirectML feature level.

    Parameters
    ----------
    feature_level : FeatureLevel
        What operators, types, dimension counts and modes there are.

    Examples
    --------
    >>> import dmlc
    >>> tensor = dmlc.BufferTensorDesc(dmlc.TensorDataType.FLOAT32, (4, 5))
    >>> desc = dmlc.DiagonalMatrixOperatorDesc(tensor, offset=0, value=1.0)
    >>> device = dmlc.Device(dmlc.FeatureLevel.LEVEL_2_1)
    >>> print(device.check(desc)[0])  # doctest: +ELLIPSIS
    DiagonalMatrixOperatorDesc...
    """

    def __init__(self, feature_level: FeatureLevel = FeatureLevel.LEVEL_6_4) -> None:
        self._feature_level = FeatureLevel(feature_level)

    @property
    def feature_level(self) -> FeatureLevel:
        """What the device can do."""
        return self._feature_level

    def __repr__(self) -> str:
        return f"Device(FeatureLevel.{self._feature_level.name})"

    def check(self, desc: OperatorDesc) -> list[InvalidDescriptorError]:
        """Return everything that is wrong with a descriptor, in the order of its fields.

        Parameters
        ----------
        desc : operator descriptor

        Returns
        -------
        list of InvalidDescriptorError
            Empty if the descriptor is valid; `FeatureLevelError` where a newer level allows it.

        Raises
        ------
        TypeError
            If ``desc`` is not an operator descriptor.

        Examples
        --------
        >>> import dmlc
        >>> tensor = dmlc.BufferTensorDesc(dmlc.TensorDataType.FLOAT32, (4, 5))
        >>> desc = dmlc.DiagonalMatrixOperatorDesc(tensor, offset=0, value=1.0)
        >>> dmlc.Device().check(desc)
        []
        """
        return validation.check(desc, self._feature_level)

    def compile_operator(self, desc: OperatorDesc) -> CompiledOperator:
        """Check a descriptor and make it ready to run.

        Parameters
        ----------
        desc : operator descriptor

        Returns
        -------
        CompiledOperator

        Raises
        ------
        InvalidDescriptorError
            The first complaint of `check`.
        TypeError
            If ``desc`` is not an operator descriptor.

        Examples
        --------
        >>> import dmlc
        >>> tensor = dmlc.BufferTensorDesc(dmlc.TensorDataType.FLOAT32, (2, 3))
        >>> desc = dmlc.DiagonalMatrixOperatorDesc(tensor, offset=1, value=9.0)
        >>> dmlc.Device().compile_operator(desc)()
        array([[0., 9., 0.],
               [0., 0., 9.]], dtype=float32)
        """
        return CompiledOperator._compile(_checked(desc, self._feature_level))


def _checked(desc: OperatorDesc, feature_level: FeatureLevel) -> OperatorDesc:
    """Return a descriptor's copy of plain fields, or raise the first complaint.

    What is compiled is what was checked, whatever code a field runs and whoever changes it later.
    """
    own: OperatorDesc = copied(desc) if operators.is_known(desc) else desc
    for complaint in validation.check(own, feature_level):
        raise complaint
    return own


class CompiledOperator(_dmlc.TypedOperator):
    """An operator made ready by `Device.compile_operator`; many threads may call it at once.

    Made of a descriptor directly, or unpickled, it is checked like the newest feature level.

    Parameters
    ----------
    *inputs : array or buffer, or None
        The input tensors in the order of the descriptor's fields; an optional one may be None
        or left out at the end. An array of the tensor's type and shape is read through its
        own strides, whatever they are. Any other contiguous 1-D array or buffer of at least
        the tensor's size in bytes is flat memory, read through the descriptor's strides.
    out : array or buffer, optional
        Where to write, by the same rules.

    Returns
    -------
    ndarray or out
        ``out``, or a new C-contiguous array.

    Raises
    ------
    BindingError
        If the inputs are too many or too few, do not fit their tensors, or share memory with
        the output. DIAGONAL_MATRIX1 alone runs in place: its input and output may be the same
        memory with the same layout.
    TypeError
        If an array means more than its elements, as with a mask or units, or has them elsewhere.

    Examples
    --------
    >>> import numpy as np
    >>> import dmlc
    >>> tensor = dmlc.BufferTensorDesc(dmlc.TensorDataType.FLOAT32, (3,))
    >>> padded = dmlc.BufferTensorDesc(dmlc.TensorDataType.FLOAT32, (5,))
    >>> operator = dmlc.Device().compile_operator(
    ...     dmlc.PaddingOperatorDesc(tensor, padded, dmlc.PaddingMode.EDGE, 0.0, (1,), (1,))
    ... )
    >>> operator(np.array([1, 2, 3], dtype=np.float32))
    array([1., 1., 2., 3., 3.], dtype=float32)
    """

    _desc: OperatorDesc
    _name: str
    _inputs: operators.Fields
    _output: BufferTensorDesc

    def __new__(cls, desc: OperatorDesc) -> Self:
        """Check a descriptor, by the newest feature level, and compile it."""
        return cls._compile(_checked(desc, _NEWEST))

    @classmethod
    def _compile(cls, desc: OperatorDesc) -> Self:
        """Compile a descriptor that has been checked."""
        self = super().__new__(cls, *operators.parts(desc))
        self._desc = desc
        self._name = type(desc).__name__
        self._inputs = operators.input_tensors(desc)
        self._output = desc.output_tensor
        return self

    @property
    def desc(self) -> OperatorDesc:
        """The descriptor."""
        return self._desc

    def __repr__(self) -> str:
        return f"<compiled {self._desc!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return CompiledOperator, (self._desc,)

    def _call_any(self, inputs: tuple[Any, ...], out: Any) -> Any:
        """Run on whatever a call may be given; `TypedOperator` has found it unusual."""
        given = self._given(inputs)
        target = None if out is None else self._as_array("output_tensor", out, memory_of)
        # All that runs code of others is over: now the arrays are what they are, and views of them last.
        arrays = [
            None if tensor is None or pair is None else self._bind(field, tensor, *pair)
            for (field, tensor), pair in zip(self._inputs, given)
        ]
        if target is None:
            output = empty(self._output.sizes, self._output.data_type.numpy_dtype)
        else:
            output = self._bind("output_tensor", self._output, *target)
            self._check_output(output, arrays)
        written(out)
        self._run(output, *arrays)
        return output if out is None else out

    def _given(self, inputs: tuple[Any, ...]) -> list[tuple[AnyArray, bool] | None]:
        """Return what `_as_array` makes of the inputs, None for one that is left out."""
        if len(inputs) > len(self._inputs):
            raise BindingError(
                f"{self._name}: must be given {len(self._inputs)} inputs at most, got {len(inputs)}"
            )
        given = inputs + (None,) * (len(self._inputs) - len(inputs))
        arrays: list[tuple[AnyArray, bool] | None] = []
        for (field, tensor), value in zip(self._inputs, given):
            if tensor is None and value is not None:
                raise BindingError(
                    f"{self._name}.{field}: must be None, as the descriptor has no such tensor, "
                    f"got {type(value).__name__}"
                )
            if tensor is not None and value is None:
                raise BindingError(f"{self._name}.{field}: must be given, got None")
            arrays.append(None if tensor is None else self._as_array(field, value))
        return arrays

    def _bind(self, field: str, tensor: BufferTensorDesc, array: AnyArray, typed: bool) -> AnyArray:
        """Return the memory of a tensor as a plain array of its type and shape."""
        dtype = tensor.data_type.numpy_dtype
        array = np.asarray(array)
        if not _dmlc.offsets_fit(array):
            raise BindingError(
                f"{self._name}.{field}: must have its elements less than 2^62 bytes apart, got "
                f"strides {array.strides} for shape {array.shape}"
            )
        if typed and array.dtype == dtype and array.shape == tensor.sizes:
            self._check_alignment(field, tensor, array)
            return array
        if array.ndim != 1 or not array.flags.c_contiguous or array.dtype.hasobject:
            raise BindingError(
                f"{self._name}.{field}: must be an array of {dtype} and shape {tensor.sizes}, or "
                f"contiguous 1-D memory, got {array.dtype} and shape {array.shape}"
            )
        if array.nbytes < tensor.size_in_bytes:
            raise BindingError(
                f"{self._name}.{field}: must hold at least {tensor.size_in_bytes} bytes, "
                f"got {array.nbytes}"
            )
        self._check_alignment(field, tensor, array)
        steps = tensor.effective_strides
        strides = tuple(step * dtype.itemsize for step in steps)
        flat = array.view(np.uint8)
        bound = np.ndarray(tensor.sizes, dtype, flat, 0, strides)
        bound.flags.writeable = array.flags.writeable
        return bound

    def _check_alignment(self, field: str, tensor: BufferTensorDesc, array: AnyArray) -> None:
        alignment = tensor.guaranteed_base_offset_alignment
        if alignment and array.ctypes.data % alignment:
            raise BindingError(
                f"{self._name}.{field}: must be aligned to {alignment} bytes, "
                f"got {array.ctypes.data % alignment} bytes past such an address"
            )

    def _as_array(
        self, field: str, value: Any, convert: Callable[[str, str, Any], AnyArray] = as_array
    ) -> tuple[AnyArray, bool]:
        """Return what was bound as an array, and whether its type and shape mean anything."""
        if type(value) is np.ndarray:
            return value, True
        check_kind(self._name, field, value)
        if isinstance(value, np.ndarray):
            return value, True
        if hasattr(value, "__dlpack__") or hasattr(value, "__array__"):
            return convert(self._name, field, value), True
        try:
            return np.frombuffer(value, dtype=np.uint8), False
        except (TypeError, ValueError, BufferError) as error:
            raise BindingError(
                f"{self._name}.{field}: must be an array or a contiguous buffer, "
                f"got {type(value).__name__} ({error})"
            ) from None

    def _check_output(self, output: AnyArray, inputs: list[AnyArray | None]) -> None:
        if not output.flags.writeable:
            raise BindingError(
                f"{self._name}.output_tensor: must be writeable memory, got read-only"
            )
        if not _dmlc.elements_are_distinct(output):
            raise BindingError(
                f"{self._name}.output_tensor: must have elements of its own, got strides "
                f"{output.strides} for shape {output.shape}, which make some share memory"
            )
        for (field, _), array in zip(self._inputs, inputs):
            if array is None or not share_memory(output, array):
                continue
            if isinstance(self._desc, DiagonalMatrix1OperatorDesc) and _dmlc.same_layout(
                output, array
            ):
                continue
            raise BindingError(
                f"{self._name}.output_tensor: must share no memory with {field}, got memory that "
                "overlaps it"
            )

"""What the descriptors share: how fields take values, how descriptors compare and print.

A field that cannot hold its value (a string for an axis) raises at construction. A value that a
field can hold but a rule forbids (an axis of 9) does not: validation lists it, together with all
the others.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields
from enum import IntEnum, IntFlag
from itertools import islice
from operator import index
from typing import TYPE_CHECKING, Any, Self, SupportsIndex, TypeAlias, TypeVar

import numpy as np

from dmlc.arrays import printed
from dmlc.enums import TensorDataType

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = [
    "Descriptor",
    "Integers",
    "Number",
    "enum_field",
    "integer_field",
    "integers_field",
    "number_field",
]

Number: TypeAlias = int | float | np.integer[Any] | np.floating[Any]
Integers: TypeAlias = "Sequence[SupportsIndex] | npt.NDArray[np.integer[Any]]"

# Rules allow far fewer. What only claims to be long, a range or a broadcast array, is read no further.
_MOST_ENTRIES = 1 << 20

_INT = frozenset((int,))

EnumMember = TypeVar("EnumMember", bound=IntEnum | IntFlag)


class Descriptor:
    """A record that never changes: equal and hashed by bits, printed as it is written.

    Equality is by bits so that whatever is kept for a descriptor (a compiled operator) serves every
    equal descriptor: a padding value of -0.0 is not 0.0, and NaN equals NaN of the same bits.
    """

    __slots__ = ("_identity",)

    _identity: tuple[object, ...]

    def _assign(self, values: dict[str, object], bits: dict[str, object] | None = None) -> None:
        """Set all fields; ``bits`` stands in for fields whose ``==`` does not compare bits."""
        for name, value in values.items():
            object.__setattr__(self, name, value)
        identity = tuple((values | bits if bits else values).values())
        object.__setattr__(self, "_identity", identity)

    def to_json(self) -> dict[str, Any]:
        """Return this descriptor in DxDispatch's JSON form, as ``json.dumps`` takes it.

        Returns
        -------
        dict
            Of an operator, what a model's ``dispatchables`` hold: ``{"type": ..., "desc": ...}``;
            of a tensor, its fields. Members that say nothing new are left out.

        Raises
        ------
        ValueError
            If a value is a NaN that JSON cannot say: one of other bits than ``float("nan")``,
            except in the scalar unions of FLOAT16.

        See Also
        --------
        from_json : The way back: ``type(desc).from_json(desc.to_json()) == desc`` of a valid one.

        Examples
        --------
        >>> from dmlc import BufferTensorDesc, DiagonalMatrixOperatorDesc, TensorDataType
        >>> tensor = BufferTensorDesc(TensorDataType.INT8, (3, 3))
        >>> DiagonalMatrixOperatorDesc(tensor, offset=1, value=2).to_json() == {
        ...     "type": "DML_OPERATOR_DIAGONAL_MATRIX",
        ...     "desc": {
        ...         "OutputTensor": {"DataType": "INT8", "Sizes": [3, 3]},
        ...         "Offset": 1,
        ...         "Value": 2,
        ...     },
        ... }
        True
        """
        from dmlc.descriptors.json.documents import write_desc

        return write_desc(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any] | str) -> Self:
        """Return the descriptor that JSON describes, in any form that DxDispatch reads.

        Parameters
        ----------
        document : dict or str
            What `to_json` returns, or JSON text, with comments and trailing commas if need be.

        Returns
        -------
        descriptor
            Of the class that this is called on. Whether it is valid is not asked here: `Device.check`
            tells.

        Raises
        ------
        ValueError
            If the text is no JSON, or the fields are not those of the class; the message says where.
            It is a `DmlcError` too.

        Examples
        --------
        >>> from dmlc import BufferTensorDesc
        >>> BufferTensorDesc.from_json('{"DataType": "FLOAT32", "Sizes": [2, 3,]} // packed')
        BufferTensorDesc(TensorDataType.FLOAT32, (2, 3))
        """
        from dmlc.descriptors.json.documents import read_desc

        desc: Self = read_desc(cls, document)
        return desc

    def _values(self) -> dict[str, object]:
        dataclass: Any = self
        return {field.name: getattr(self, field.name) for field in fields(dataclass)}

    def _printed(self) -> list[str]:
        """The arguments of the constructor call that makes this descriptor."""
        return [f"{name}={source(value)}" for name, value in self._values().items()]

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._printed())})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self._values())


def _rebuild(descriptor: type[Descriptor], values: dict[str, object]) -> Descriptor:
    return descriptor(**values)


def source(value: object) -> str:
    """Return Python source that evaluates to ``value`` with dmlc's public names in scope."""
    if isinstance(value, (IntEnum, IntFlag)):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, tuple):
        items = [source(item) for item in value]
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    if isinstance(value, np.floating):  # only a NaN is kept as a NumPy scalar
        bits = int.from_bytes(value.tobytes(), sys.byteorder)
        return f"TensorDataType.{TensorDataType.from_dtype(value.dtype).name}.from_bits({bits:#x})"
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value}')"
    if isinstance(value, int):
        return printed(value)
    return repr(value)


def integer_field(place: str, value: SupportsIndex) -> int:
    """Return ``value`` as an int; anything that is not an integer raises TypeError."""
    if type(value) is int:
        return value
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{place}: must be an integer, got {value!r}")
    try:
        return int(index(value))  # of a subclass of int, index() makes no int
    except TypeError:  # NumPy arrays have __index__ and refuse to use it
        raise TypeError(f"{place}: must be an integer, got {value!r}") from None


def integers_field(place: str, values: Integers) -> tuple[int, ...]:
    """Return a sequence of integers as a tuple of ints; anything else raises TypeError.

    ValueError is raised if it has more entries than are worth complaining about.
    """
    # Most are plain already, those of a copied descriptor all.
    if (
        type(values) is tuple
        and len(values) <= _MOST_ENTRIES
        and _INT.issuperset(map(type, values))
    ):
        return values
    is_array = isinstance(values, np.ndarray) and values.ndim > 0
    is_text = isinstance(values, (str, bytes, bytearray, memoryview))
    if is_text or not (is_array or isinstance(values, Sequence)):
        raise TypeError(f"{place}: must be a sequence of integers, got {values!r}")
    # A sequence may claim any length, and go on beyond what it claims.
    entries = () if len(values) > _MOST_ENTRIES else islice(values, _MOST_ENTRIES + 1)
    found = [integer_field(f"{place}[{i}]", value) for i, value in enumerate(entries)]
    if max(len(values), len(found)) > _MOST_ENTRIES:
        raise ValueError(f"{place}: must have at most {_MOST_ENTRIES} entries, got more")
    return tuple(found)


def enum_field(place: str, enum: type[EnumMember], value: EnumMember | int) -> EnumMember:
    """Return a member of ``enum``, given it or its number; an unknown number raises ValueError."""
    if isinstance(value, enum):
        return value
    if isinstance(value, (IntEnum, IntFlag)):
        raise TypeError(f"{place}: must be a {enum.__name__}, got {value!r}")
    try:
        number = integer_field(place, value)
    except TypeError:
        raise TypeError(f"{place}: must be a {enum.__name__}, got {value!r}") from None
    try:
        return enum(number)
    except ValueError:
        raise ValueError(f"{place}: must be a {enum.__name__}, got {printed(number)}") from None


def number_field(place: str, value: Number) -> int | float | np.floating[Any]:
    """Return a number as a Python number, except a NaN that only NumPy's own scalar tells apart.

    Python floats cannot carry every NaN (a signalling float32 NaN would come back quiet), so those
    stay NumPy scalars of their type. Bools and everything else that is not a number raise
    TypeError.
    """
    is_python_float = isinstance(value, float) and not isinstance(value, np.floating)
    if is_python_float or isinstance(value, np.longdouble):
        value = np.float64(value)
    if isinstance(value, np.floating):
        return value if np.isnan(value) and not _is_default_nan(value) else float(value)
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return int(value)
    raise TypeError(f"{place}: must be a number, got {value!r}")


def _is_default_nan(value: np.floating[Any]) -> bool:
    # The NaN of float("nan"): converting it between the floating types gives theirs.
    return value.tobytes() == type(value)(np.nan).tobytes()

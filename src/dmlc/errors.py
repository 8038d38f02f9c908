"""What goes wrong, each kind with a class of its own.

::

    DmlcError
    ├── InvalidDescriptorError   (also a ValueError)
    │   └── FeatureLevelError
    └── BindingError             (also a ValueError)
"""

from __future__ import annotations

from dmlc.enums import FeatureLevel

__all__ = ["BindingError", "DmlcError", "FeatureLevelError", "InvalidDescriptorError"]


class DmlcError(Exception):
    """The base of every error that only this library raises.

    Examples
    --------
    >>> from dmlc import BindingError, DmlcError
    >>> issubclass(BindingError, DmlcError)
    True
    """


class InvalidDescriptorError(DmlcError, ValueError):
    """A field of a descriptor breaks a rule of its operator.

    Parameters
    ----------
    operator : str
        The descriptor's class, ``"PaddingOperatorDesc"``.
    field : str
        The path of the field, ``"output_tensor.sizes[2]"``; empty where the operator as a whole
        is meant.
    message : str
        The rule and both values, ``"must be input size + start + end = 4 + 1 + 3 = 8, got 7"``.

    Examples
    --------
    >>> from dmlc import InvalidDescriptorError
    >>> print(InvalidDescriptorError("OneHotOperatorDesc", "axis", "must be 0 to 3, got 4"))
    OneHotOperatorDesc.axis: must be 0 to 3, got 4
    """

    operator: str
    field: str
    message: str

    def __init__(self, operator: str, field: str, message: str, *more: object) -> None:
        # An exception is pickled as its class and these arguments.
        super().__init__(operator, field, message, *more)
        self.operator = operator
        self.field = field
        self.message = message

    def __str__(self) -> str:
        place = f"{self.operator}.{self.field}" if self.field else self.operator
        return f"{place}: {self.message}"


class FeatureLevelError(InvalidDescriptorError):
    """A descriptor is right, but asks for more than the device's feature level has.

    Parameters
    ----------
    operator, field, message : str
        As in `InvalidDescriptorError`.
    required_level : FeatureLevel
        The lowest feature level that allows what the field asks for.

    Examples
    --------
    >>> from dmlc import FeatureLevel, FeatureLevelError
    >>> error = FeatureLevelError(
    ...     "PaddingOperatorDesc",
    ...     "padding_mode",
    ...     "WRAP needs feature level 6_4, got 5_0",
    ...     FeatureLevel.LEVEL_6_4,
    ... )
    >>> error.required_level.label
    '6_4'
    """

    required_level: FeatureLevel

    def __init__(
        self, operator: str, field: str, message: str, required_level: FeatureLevel
    ) -> None:
        super().__init__(operator, field, message, required_level)
        self.required_level = required_level


class BindingError(DmlcError, ValueError):
    """An array or buffer does not fit the tensor that it is bound to.

    Examples
    --------
    >>> from dmlc import BindingError
    >>> issubclass(BindingError, ValueError)
    True
    """

"""The list that the rules of an operator write their complaints to."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import Any

from dmlc.enums import FeatureLevel
from dmlc.errors import FeatureLevelError, InvalidDescriptorError

__all__ = ["Complaints", "in_field_order"]

_TENSOR_FIELDS = (
    "data_type",
    "sizes",
    "strides",
    "flags",
    "total_tensor_size_in_bytes",
    "guaranteed_base_offset_alignment",
)
_PATH = re.compile(r"(?P<field>\w*)(?:\.(?P<tensor_field>\w+))?(?:\[(?P<entry>\d+)\])?")


class Complaints:
    """The complaints about one descriptor, on a device of one feature level.

    Parameters
    ----------
    operator : str
        The class of the descriptor.
    device_level : FeatureLevel
        The feature level of the device.
    """

    def __init__(self, operator: str, device_level: FeatureLevel) -> None:
        self.operator = operator
        self.device_level = device_level
        self.found: list[InvalidDescriptorError] = []
        self._assumed_level = device_level

    def add(self, field: str, message: str) -> None:
        """Complain that ``field`` breaks the rule that ``message`` states."""
        self.found.append(InvalidDescriptorError(self.operator, field, message))

    def require_operator(self, introduced: FeatureLevel) -> None:
        """Complain if the device is older than the operator.

        What is asked of later fields is then judged as if the device had the operator, so that they
        are mentioned only if they need a newer level still.
        """
        self.require_level("", "needs", introduced)
        self._assumed_level = max(self._assumed_level, introduced)

    def require_level(self, field: str, need: str, required: FeatureLevel) -> None:
        """Complain if the device is below ``required``; ``need`` is like ``"FLOAT64 needs"``."""
        if required > self._assumed_level:
            message = f"{need} feature level {required.label}, got {self.device_level.label}"
            self.found.append(FeatureLevelError(self.operator, field, message, required))


def in_field_order(
    complaints: Sequence[InvalidDescriptorError], desc: Any
) -> list[InvalidDescriptorError]:
    """Sort complaints as the fields of the descriptor stand; within a field, as they were found."""
    names = ["", *(field.name for field in dataclasses.fields(desc))]

    def position(complaint: InvalidDescriptorError) -> tuple[int, int, int]:
        path = _PATH.fullmatch(complaint.field)
        assert path is not None, complaint.field
        tensor_field, entry = path["tensor_field"], path["entry"]
        return (
            names.index(path["field"]),
            _TENSOR_FIELDS.index(tensor_field) if tensor_field else -1,
            int(entry) if entry else -1,
        )

    return sorted(complaints, key=position)

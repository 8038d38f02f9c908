"""What happens when a model runs, as data: `formatting` makes lines of it, `reports` JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy.typing as npt

from dmlc.descriptors.json.place import ModelError


@dataclass(frozen=True, slots=True)
class Initialized:
    """A dispatchable was compiled."""

    dispatchable: str
    milliseconds: float


@dataclass(frozen=True, slots=True)
class CommandStarted:
    """A command begins; ``text`` is the command as compact JSON."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class CommandEnded:
    """A command is done, with ``error`` if that failed."""

    index: int
    error: ModelError | None


@dataclass(frozen=True, slots=True)
class Dispatched:
    """A dispatchable ran; ``samples`` are milliseconds, one for each iteration."""

    dispatchable: str
    samples: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Printed:
    """What a resource holds, in one array for each type."""

    resource: str
    arrays: tuple[npt.NDArray[Any], ...]
    verbose: bool


@dataclass(frozen=True, slots=True)
class Written:
    """A resource was written to a file."""

    resource: str
    path: str


@dataclass(frozen=True, slots=True)
class Failed:
    """A command failed, and those after it run all the same."""

    error: ModelError


Event: TypeAlias = (
    Initialized | CommandStarted | CommandEnded | Dispatched | Printed | Written | Failed
)

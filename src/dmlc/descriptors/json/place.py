"""A JSON value together with where it stands, so that every complaint names the place.

Place(document).member("dispatchables").member("pad").member("desc")  ->  dispatchables.pad.desc
"""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Callable, Collection, Iterator
from collections.abc import Set as AbstractSet
from typing import Any, NoReturn, TypeVar, cast

from dmlc.descriptors.json.relaxed_json import JSONConstant, JSONObject
from dmlc.errors import DmlcError

UINT32_RANGE = (0, 2**32 - 1)
INT32_RANGE = (-(2**31), 2**31 - 1)
UINT64_RANGE = (0, 2**64 - 1)

_Value = TypeVar("_Value")

_PLAIN_NAME = re.compile(r"[A-Za-z_$][\w$-]*")
_SPECIAL_NUMBERS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_LONGEST_QUOTE = 60
# Rules allow far fewer; descriptors hold no more.
_MOST_ENTRIES = 1 << 20


class ModelError(DmlcError, ValueError):
    """A model that cannot be read or run.

    Parameters
    ----------
    place : str
        Where in the file, e.g. ``dispatchables.pad.desc.StartPadding[2]``; empty for the whole.
    problem : str
        The rule and, where there is one, the value that broke it.

    Attributes
    ----------
    others : tuple of ModelError
        What else is wrong with the same descriptor.
    """

    def __init__(self, place: str, problem: str) -> None:
        self.place = place
        self.problem = problem
        self.others: tuple[ModelError, ...] = ()
        super().__init__(place, problem)

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}" if self.place else self.problem


class Complaints:
    """Everything that is wrong with what is read part by part."""

    def __init__(self) -> None:
        self._found: list[ModelError] = []

    def read(self, reader: Callable[..., _Value], *arguments: Any) -> _Value:
        """Return what a reader returns; of what is wrong, nothing of use."""
        try:
            return reader(*arguments)
        except ModelError as error:
            known = {(found.place, found.problem) for found in self._found}
            for complaint in (error, *error.others):
                if (complaint.place, complaint.problem) not in known:
                    self._found.append(complaint)
            return cast("_Value", None)

    def raise_first(self) -> None:
        """Raise the first complaint, which has the others, if there is one."""
        if self._found:
            first, *others = self._found
            first.others = tuple(others)
            raise first


class Place:
    """One JSON value and its path. The readers return what they name or raise `ModelError`."""

    def __init__(self, value: Any, path: str = "") -> None:
        self.value = value
        self.path = path

    def fail(self, problem: str) -> NoReturn:
        """Raise `ModelError` at this place."""
        raise ModelError(self.path, problem)

    def expect(self, what: str) -> NoReturn:
        """Raise `ModelError`: this value is not `what`."""
        self.fail(f"must be {what}, got {describe(self.value)}")

    # Objects and arrays

    def object(self) -> dict[str, Any]:
        if not isinstance(self.value, dict):
            self.expect("an object")
        if not isinstance(self.value, JSONObject):  # Python's own, not read from text
            for name in self.value:
                if not isinstance(name, str):
                    self.fail(f"must have strings for names, got {describe(name)}")
        elif self.value.repeated_name is not None:
            self.fail(f"names {quote(self.value.repeated_name)} twice")
        return self.value

    def has(self, name: str) -> bool:
        return name in self.object()

    def member(self, name: str) -> Place:
        """The member `name`, which is required."""
        members = self.object()
        if name not in members:
            self.fail(f"{name} is required")
        return Place(members[name], self._join(name))

    def optional(self, name: str) -> Place | None:
        """The member `name`, or None where it is missing or null."""
        return self.member(name) if self.object().get(name) is not None else None

    def members(self) -> Iterator[tuple[str, Place]]:
        for name, value in self.object().items():
            yield name, Place(value, self._join(name))

    def without(self, names: AbstractSet[str]) -> Place:
        """The same object less the members `names`."""
        members = self.object().items()
        return Place(JSONObject(item for item in members if item[0] not in names), self.path)

    def array(self) -> list[Any]:
        if not isinstance(self.value, list):
            self.expect("an array")
        return self.value

    def elements(self) -> list[Place]:
        return [Place(value, f"{self.path}[{i}]") for i, value in enumerate(self.array())]

    def only_members(self, known: Collection[str]) -> None:
        """Refuse a member that is not in `known`."""
        for name in self.object():
            if name not in known:
                self.fail(f"has no member {quote(name)}{_suggestion(name, known)}")

    def no_misspelt_members(self, known: Collection[str]) -> None:
        """Refuse a member that is nearly one of `known`; others are the author's notes."""
        for name in self.object():
            if name not in known and _suggestion(name, known):
                self.fail(f"has no member {quote(name)}{_suggestion(name, known)}")

    # Values

    def string(self) -> str:
        if not isinstance(self.value, str):
            self.expect("a string")
        return self.value

    def boolean(self) -> bool:
        if not isinstance(self.value, bool):
            self.expect("true or false")
        return self.value

    def integer(self, limits: tuple[int, int]) -> int:
        """An integer in the closed range `limits`."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            self.expect("an integer")
        if not limits[0] <= self.value <= limits[1]:
            self.expect(f"from {limits[0]} to {limits[1]}")
        return self.value

    def number(self) -> float:
        """A number, or one of the strings "nan", "inf" and "-inf" in any case."""
        if isinstance(self.value, str) and self.value.lower() in _SPECIAL_NUMBERS:
            return _SPECIAL_NUMBERS[self.value.lower()]
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            self.expect('a number, "nan", "inf" or "-inf"')
        try:
            number = float(self.value)
        except OverflowError:  # an integer of Python's own, of more than 1024 bits
            number = math.inf
        if math.isinf(number):
            self.fail("must be a number that 64-bit floating point can hold")
        return number

    def integers(self, limits: tuple[int, int]) -> tuple[int, ...]:
        count = len(self.array())
        if count > _MOST_ENTRIES:
            self.fail(f"must have at most {_MOST_ENTRIES} entries, got {count}")
        return tuple(element.integer(limits) for element in self.elements())

    def _join(self, name: str) -> str:
        if not _PLAIN_NAME.fullmatch(name):
            return f"{self.path}[{quote(name)}]"
        return f"{self.path}.{name}" if self.path else name


def reason(error: Exception) -> str:
    """What went wrong with a file, in one line that does not repeat the file's name."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return printable(str(text).splitlines()[0])


def describe(value: Any) -> str:
    """Show a JSON value in a message, shortened."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    if isinstance(value, JSONConstant):
        return value.text
    if isinstance(value, float) and math.isinf(value):
        return "a number too large"
    if isinstance(value, int) and value.bit_length() > 1024:
        return "an integer too large"
    if value is None or isinstance(value, str | int | float):
        return quote(value)
    return f"a {type(value).__name__}, which JSON does not have"


def compact(value: Any) -> str:
    """Return a JSON value as text without spaces."""
    try:
        return json.dumps(
            value, ensure_ascii=False, separators=(",", ":"), default=lambda constant: constant.text
        )
    except RecursionError:  # writing goes deeper than reading did
        return "..."


def quote(value: str | float | bool | None) -> str:
    """Return a JSON scalar as JSON writes it, on one line and shortened."""
    text = printable(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}..."


def printable(name: str) -> str:
    """Return a name as it may be shown: on one line, and without what a terminal would obey.

    Examples
    --------
    >>> printable("\\x1b[2Jout")
    '\\\\u001b[2Jout'
    """
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in name)


def _suggestion(name: str, known: Collection[str]) -> str:
    by_lower_case = {other.lower(): other for other in known}
    close = difflib.get_close_matches(name.lower()[:_LONGEST_QUOTE], by_lower_case, n=1, cutoff=0.8)
    return f", did you mean {quote(by_lower_case[close[0]])}?" if close else ""

"""JSON as DxDispatch's models write it: comments, trailing commas, anything after the document.

The relaxations are blanked out with spaces, so that Python's own parser does the reading (at its
speed) and every position that it reports is the position in the file.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

# A string or comment that does not end runs to the end of the text: no pattern here can fail late
# and start again, so reading stays linear however the file is broken.
_STRING = r'"[^"\\]*(?:\\.?[^"\\]*)*(?:"|\Z)'

# A string is matched first and kept, so that a comment mark or a comma inside it is text.
_STRING_OR_COMMENT = re.compile(rf"{_STRING}|(?P<comment>//[^\n\r]*|/\*.*?\*/)|/\*.*\Z", re.DOTALL)

# A comma trails when it stands between a value and a closing bracket. A comma that follows an
# opening bracket, a colon or another comma is matched second and kept: it is an error.
_STRING_OR_COMMA = re.compile(
    rf"{_STRING}|[\[{{:,][ \t\n\r]*,|(?P<trailing>,)(?=[ \t\n\r]*[\]}}])", re.DOTALL
)

_SPACE = re.compile(r"[ \t\n\r]*")

# Integers that 64 bits hold stay exact; longer ones become floating point, as RapidJSON reads them.
_LONGEST_INTEGER = 20


class RelaxedJSONError(ValueError):
    """The text is not JSON; `line` and `column` count from 1."""

    def __init__(self, message: str, text: str, position: int) -> None:
        self.line = text.count("\n", 0, position) + 1
        self.column = position - text.rfind("\n", 0, position)
        super().__init__(f"line {self.line}, column {self.column}: {message}")


class JSONObject(dict[str, Any]):
    """An object's members, and the name that occurs twice in it if there is one."""

    repeated_name: str | None = None


class JSONConstant:
    """A bare `NaN`, `Infinity` or `-Infinity`: no JSON, so no field accepts it."""

    def __init__(self, text: str) -> None:
        self.text = text


def parse(text: str) -> Any:
    """Return the first document in `text` as Python values.

    Objects become `JSONObject`, arrays `list`; an integer of at most 64 bits becomes `int`, every
    other number `float`.

    Raises
    ------
    RelaxedJSONError
        If the text is not JSON with these relaxations, or is nested too deeply to read.

    Examples
    --------
    >>> parse('{ "Sizes": [1, 2,], /* NCHW */ } the rest is ignored')
    {'Sizes': [1, 2]}
    """
    plain = _STRING_OR_COMMENT.sub(_blank_comment, text)
    plain = _STRING_OR_COMMA.sub(_blank_trailing_comma, plain)
    start = _SPACE.match(plain).end()  # type: ignore[union-attr]  # it matches the empty string
    if start == len(plain):
        raise RelaxedJSONError("the file holds no JSON document", text, start)
    try:
        document, _ = _DECODER.raw_decode(plain, start)
    except json.JSONDecodeError as error:
        raise RelaxedJSONError(_explain(error, plain), text, error.pos) from None
    except RecursionError:
        raise RelaxedJSONError("arrays and objects are nested too deeply", text, start) from None
    return document


def _blank_comment(match: re.Match[str]) -> str:
    found = match.group()
    return found if match.group("comment") is None else " " * len(found)


def _blank_trailing_comma(match: re.Match[str]) -> str:
    return match.group() if match.group("trailing") is None else " "


def _explain(error: json.JSONDecodeError, plain: str) -> str:
    if plain.startswith("/*", error.pos):
        return "this comment does not end"
    if error.pos >= len(plain):
        return "the file ends inside the document"
    return error.msg[0].lower() + error.msg[1:]


def _members(pairs: list[tuple[str, Any]]) -> JSONObject:
    members = JSONObject(pairs)
    if len(members) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        members.repeated_name = counts.most_common(1)[0][0]
    return members


def _integer(digits: str) -> int | float:
    if len(digits) <= _LONGEST_INTEGER and -(2**63) <= int(digits) < 2**64:
        return int(digits)
    return float(digits)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_members, parse_int=_integer, parse_constant=JSONConstant
)

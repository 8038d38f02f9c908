"""The relaxed JSON reader."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmlc.descriptors.json.relaxed_json import JSONConstant, RelaxedJSONError, parse


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1, 2, 3]", [1, 2, 3]),
        ("[1, 2, 3,]", [1, 2, 3]),
        ("[1, 2, 3 , \n ]", [1, 2, 3]),
        ('{"a": 1,}', {"a": 1}),
        ('{"a": [1,],}', {"a": [1]}),
        ("[1, // one\n 2]", [1, 2]),
        ("[1, /* one,\n ] */ 2]", [1, 2]),
        ("[1, /* a */ /* b */ ]", [1]),
        ("[1, // last\n]", [1]),
        ("/* before */ [1]", [1]),
        ("// before\r\n[1]", [1]),
        ("[/**/]", []),
        ('["//", "/* */", ",]", "\\",]"]', ["//", "/* */", ",]", '",]']),
        ('[1] anything ] , " after', [1]),
        ("{} /* unfinished", {}),
        ("[-0]", [0]),
        ("[9223372036854775807, -9223372036854775808]", [2**63 - 1, -(2**63)]),
        ("[18446744073709551615]", [2**64 - 1]),
        ("[1.0, 1e3, 0.1]", [1.0, 1000.0, 0.1]),
        ('["\\u00e9\\n"]', ["é\n"]),
        ("  null", None),
        ("[true, false]", [True, False]),
    ],
)
def test_reads(text: str, value: Any) -> None:
    assert parse(text) == value


def test_integers_stay_integers_as_far_as_64_bits_go() -> None:
    kinds = [type(value) for value in parse("[18446744073709551615, 18446744073709551616, 1.0]")]
    assert kinds == [int, float, float]
    assert isinstance(parse("-9223372036854775809"), float)
    assert parse("1" + "0" * 5000) == float("inf")


def test_bare_not_a_number_is_kept_for_the_field_to_refuse() -> None:
    constant = parse("[NaN]")[0]
    assert isinstance(constant, JSONConstant)
    assert constant.text == "NaN"


def test_a_repeated_name_is_kept_for_the_object_to_refuse() -> None:
    assert parse('{"a": 1, "b": 2, "a": 3}').repeated_name == "a"
    assert parse('{"a": 1, "b": 2}').repeated_name is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, column 1: the file holds no JSON document"),
        ("\n // only\n", "line 3, column 1: the file holds no JSON document"),
        ("[1 2]", "line 1, column 4: expecting ',' delimiter"),
        ("[,]", "line 1, column 2: expecting value"),
        ("[1,,]", "line 1, column 4: expecting value"),
        ("[1, /* a */ ,]", "line 1, column 13: expecting value"),
        ('{"a":,}', "line 1, column 6: expecting value"),
        ("{,}", "line 1, column 2: expecting property name enclosed in double quotes"),
        ("{a: 1}", "line 1, column 2: expecting property name enclosed in double quotes"),
        ('{\n  "a": /* one */ x\n}', "line 2, column 18: expecting value"),
        ("/* one\n two */ x", "line 2, column 9: expecting value"),
        ("// one\r\n\tx", "line 2, column 2: expecting value"),
        ("[1, /* not finished ]", "line 1, column 5: this comment does not end"),
        ("[1, /*/ ]", "line 1, column 5: this comment does not end"),
        ("[1", "line 1, column 3: the file ends inside the document"),
        ('["abc', "line 1, column 2: unterminated string starting at"),
        ('["a\nb"]', "line 1, column 4: invalid control character at"),
        ('["\\x"]', "line 1, column 3: invalid \\escape"),
        ("[01]", "line 1, column 3: expecting ',' delimiter"),
        ("[+1]", "line 1, column 2: expecting value"),
        ("[1.]", "line 1, column 3: expecting ',' delimiter"),
    ],
)
def test_says_where_the_text_stops_being_json(text: str, message: str) -> None:
    with pytest.raises(RelaxedJSONError) as caught:
        parse(text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("text", ["[" * 200_000, '{"a":' * 200_000, "[" * 100_000 + "]" * 100_000])
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(RelaxedJSONError, match="nested too deeply"):
        parse(text)


@pytest.mark.parametrize("piece", ["/* ", "/*", '"', '\\"', "//", "/*/", ",", " ,"])
def test_broken_text_of_a_megabyte_is_read_once(piece: str) -> None:
    # A pattern that fails late and starts again would need hours here.
    text = "[" + piece * (1_000_000 // len(piece))
    with pytest.raises(RelaxedJSONError):
        parse(text)
    with pytest.raises(RelaxedJSONError):
        parse('["' + text)


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(_JSON)
def test_reads_what_python_writes(value: Any) -> None:
    assert parse(json.dumps(value)) == value
    assert parse(json.dumps(value, indent=2, ensure_ascii=False)) == value


@given(_JSON)
def test_comments_and_trailing_commas_change_nothing(value: Any) -> None:
    # Between the lines of an indented document only white space can stand: no string holds a raw
    # line end. A comma before a line's closing bracket trails.
    lines = json.dumps(value, indent=1).split("\n")
    relaxed = []
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        comma = "," if following.lstrip().startswith(("]", "}")) else ""
        relaxed.append(f'{line}{comma} // , ] }} "\n/* , \n ] */')
    assert parse("\n".join(relaxed)) == value


@given(st.text(alphabet='[]{},:"\\/*\n 1a-.etrufalsn', max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    # Any other exception fails the test.
    with contextlib.suppress(RelaxedJSONError):
        parse(text)

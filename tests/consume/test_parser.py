"""Selections: the grammar, its errors, and what objects they want."""

from __future__ import annotations

import math
from copy import copy

import pytest

from streamsave import SelectError, parse_selection
from streamsave.consume.conditions import And, Compare, Has, HeaderText, InBox, Not, OneOf, Or, Pattern, Size
from streamsave.decode.paths import parse_path

REFUSED = [
    ("", 0, "expected the name of a property"),
    ("class_name =", 12, "expected a text; quote it if it has spaces or one of (),=<>!~"),
    ('class_name = "a', 13, "the quote is not closed"),
    ("class_name < 3", 11, "class_name is a text: expected one of = != == ~ !~"),
    ("class_name ~ '('", 13, "not a regular expression: missing ): ( (syntax: RE2; no lookaround, no backreferences)"),
    ("size = x", 7, "expected a number"),
    ("size ~ 3", 5, "size is a number: expected one of = == != < <= > >="),
    ("mX", 2, "expected an operator; has(mX) tests whether the object has this property"),
    ("mX < a", 5, "expected a number"),
    ("has(mX", 6, "expected ')'"),
    ("has(", 4, "expected the name of a property"),
    ("mX ! 3", 3, "expected an operator; has(mX) tests whether the object has this property"),
    ("mX =", 4, "expected a text; quote it if it has spaces or one of (),=<>!~"),
    ("position in 3", 12, "expected '('"),
    ("position in (1)", 14, "expected ','"),
    ("position in (1 miles, 2)..(1, 2)", 15, "expected ','"),
    ("position in (1 m 2 m m)..(1, 2)", 21, "expected ','"),
    ("position in (1, 2, 3, 4)..(1, 2)", 20, "expected ')'"),
    ("class_name = a and", 18, "expected the name of a property"),
    ("(class_name = a", 15, "expected ')'"),
    ("class_name = a class_name = b", 15, "expected 'and', 'or' or the end"),
    ("position = 3", 9, "expected 'in' and two corners: position in (x, y)..(x, y)"),
    ("position in (1, 2) (3, 4)", 19, "expected '..'"),
    ("position in (1, 2)..(3, 4, 5)", 20, "expected 2 numbers, as in the first corner"),
    ("class_name in a", 14, "expected '('"),
    ("class_name in ()", 15, "expected a text; quote it if it has spaces or one of (),=<>!~"),
    ("mX in (1 2)", 9, "expected ')'"),
    ("mX[a] = 3", 3, "expected a number, '*' or a quoted key, then ']'"),
    ("mX..a = 3", 2, "expected an operator; has(mX) tests whether the object has this property"),
    ("not " * 101 + "size = 1", 400, "more than 100 nested parentheses"),
]


@pytest.mark.parametrize(("text", "position", "message"), REFUSED)
def test_refused(text, position, message):
    with pytest.raises(SelectError) as caught:
        parse_selection(text)
    error = caught.value
    assert (error.text, error.position, error.message) == (text, position, message)
    said, line, caret = str(error).splitlines()
    assert said == message
    if len(text) <= 200:
        assert (line, caret) == (f"  {text}", "  " + " " * position + "^")
    else:  # the part around the place
        assert (line, caret) == (f"  ...{text[position - 200 : position + 200]}", "  " + " " * 203 + "^")
    assert str(copy(error)) == str(error)


def test_refused_in_the_second_line():
    with pytest.raises(SelectError) as caught:
        parse_selection("class_name = a\nand\tsize = x")
    assert str(caught.value).splitlines() == ["expected a number", "  and size = x", "             ^"]


def test_as_many_levels_as_are_allowed():
    """The test itself is a level, too; one more is refused above."""
    parse_selection("not " * 99 + "size = 1")
    parse_selection("(" * 99 + "size = 1" + ")" * 99)
    with pytest.raises(SelectError, match="more than 100 nested parentheses"):
        parse_selection("(" * 100 + "size = 1" + ")" * 100)
    parse_selection(" and ".join(["(size = 1)"] * 200))


def text(pattern, kind="glob"):
    return Pattern(pattern, kind)


#: Each rule of the grammar, and what it is read as.
PARSED = [
    ("class_name = a", HeaderText("class_name", text("a"))),
    ("class_name == a", HeaderText("class_name", text("a", "exact"))),
    ("class_name ~ a", HeaderText("class_name", text("a", "regex"))),
    ("class_name != a", Not(HeaderText("class_name", text("a")))),
    ("class_name !~ a", Not(HeaderText("class_name", text("a", "regex")))),
    ("instance_name = a", HeaderText("instance_name", text("a"))),
    ("level = a", HeaderText("level", text("a"))),
    ("kind = a", HeaderText("kind", text("a"))),
    ("outer = a", HeaderText("outer", text("a"))),
    ("  class_name=a  ", HeaderText("class_name", text("a"))),
    ("class_name = 'a b'", HeaderText("class_name", text("a b"))),
    (r'class_name = "a \" \\ b"', HeaderText("class_name", text('a " \\ b'))),
    ("class_name = 12", HeaderText("class_name", text("12"))),
    ("size = 3", Size("=", 3)),
    ("size == 3", Size("=", 3)),
    ("size != 3", Not(Size("=", 3))),
    ("size < 3", Size("<", 3)),
    ("size <= 3", Size("<=", 3)),
    ("size > 3", Size(">", 3)),
    ("size >= 3", Size(">=", 3)),
    ("position in (0, -1)..(5e4, .5)", InBox((0, -1), (5e4, 0.5))),
    ("position in(0,-1,2)..(+3,4.5,6E-1)", InBox((0, -1, 2), (3, 4.5, 0.6))),
    ("position in (1 m, 2km)..(3 cm, 4 tiles)", InBox((100, 200_000), (3, 4))),
    ("position in (1, 2 m, 3)..(1.50 -2.00 3.25 m)", InBox((100, 200, 3), (150, -200, 325))),
    ("position in (1-2m)..(0 0)", InBox((100, -200), (0, 0))),
    ("has(a.b[0])", Has(parse_path("a.b[0]"))),
    ("a = 3", Compare(parse_path("a"), "=", 3)),
    ("a = -3.5", Compare(parse_path("a"), "=", -3.5)),
    ("a = 3x", Compare(parse_path("a"), "=", text("3x"))),
    ("a = '3'", Compare(parse_path("a"), "=", text("3"))),
    ("a = true", Compare(parse_path("a"), "=", True)),
    ("a = false", Compare(parse_path("a"), "=", False)),
    ("a = 'true'", Compare(parse_path("a"), "=", text("true"))),
    ("a == b", Compare(parse_path("a"), "=", text("b", "exact"))),
    ("a ~ 3", Compare(parse_path("a"), "=", text("3", "regex"))),
    ("a !~ b", Not(Compare(parse_path("a"), "=", text("b", "regex")))),
    ("a != b", Not(Compare(parse_path("a"), "=", text("b")))),
    ("a < 3", Compare(parse_path("a"), "<", 3)),
    ("a <= 3", Compare(parse_path("a"), "<=", 3)),
    ("a > 3", Compare(parse_path("a"), ">", 3)),
    ("a >= 3", Compare(parse_path("a"), ">=", 3)),
    ("class_name in (a, 'b c', 3)", HeaderText("class_name", OneOf(frozenset({"a", "b c", "3"})))),
    (
        "a in (b, 3, true, '4', null)",
        Compare(parse_path("a"), "=", OneOf(frozenset({"b", "4", "null"}), frozenset({3}), frozenset({True}))),
    ),
    ("@class_name = a", HeaderText("class_name", text("a"))),
    ("@position[0] > 3", Compare(parse_path("@position[0]"), ">", 3)),
    (r'a = "\n\b"', Compare(parse_path("a"), "=", text("\n\b"))),
    (r'a ~ "\n\bx\d\\d"', Compare(parse_path("a"), "=", text("\n\\bx\\d\\d", "regex"))),
    ("a = 1" + "0" * 400, Compare(parse_path("a"), "=", math.inf)),
    # Names that look like words of the grammar:
    (".size = 3", Compare(parse_path(".size"), "=", 3)),
    ("size[0] = 3", Compare(parse_path("size[0]"), "=", 3)),
    ("classes = 3", Compare(parse_path("classes"), "=", 3)),
    ("has = 3", Compare(parse_path("has"), "=", 3)),
    ("a = 9007199254740993", Compare(parse_path("a"), "=", 9007199254740993)),
    ("a = 12345678901234567890", Compare(parse_path("a"), "=", 12345678901234567890)),
    # How they bind:
    ("size = 1 or size = 2 and size = 3", Or((Size("=", 1), And((Size("=", 2), Size("=", 3)))))),
    ("(size = 1 or size = 2) and size = 3", And((Or((Size("=", 1), Size("=", 2))), Size("=", 3)))),
    ("not size = 1 and size = 2", And((Not(Size("=", 1)), Size("=", 2)))),
    ("not (size = 1 and size = 2)", Not(And((Size("=", 1), Size("=", 2))))),
    ("size = 1 and size = 2 and size = 3", And((Size("=", 1), Size("=", 2), Size("=", 3)))),
]


@pytest.mark.parametrize(("where", "selection"), PARSED)
def test_parsed(where, selection):
    parsed = parse_selection(where)
    assert parsed == selection
    numbers = [test.literal for test in parsed._tests() if isinstance(test, Compare) and isinstance(test.literal, float | int)]
    assert [type(number) for number in numbers] == [
        type(test.literal) for test in selection._tests() if isinstance(test, Compare) and isinstance(test.literal, float | int)
    ]

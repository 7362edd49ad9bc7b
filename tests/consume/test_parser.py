"""Selections: what the grammar refuses; what it takes is in `test_conditions.py`, by what is wanted."""

from __future__ import annotations

from copy import copy

import pytest

from streamsave import SelectError, parse_selection

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
    ("class_name in ()", 15, "expected a value: a list has one or more, with ',' between them"),
    ("mX in (1,)", 9, "expected a value: a list has one or more, with ',' between them"),
    ("mX in (1,", 9, "expected a value: a list has one or more, with ',' between them"),
    ("mX in (,1)", 7, "expected a value: a list has one or more, with ',' between them"),
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

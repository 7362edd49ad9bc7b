"""Selections: what is refused, in `cli/printed/where-refused.txt`, and how; `test_conditions.py` has what is wanted."""

from copy import copy

import pytest

from streamsave import SelectError, parse_selection


def test_what_an_error_knows():
    with pytest.raises(SelectError) as caught:
        parse_selection("size = x")
    error = caught.value
    assert (error.text, error.position, error.message) == ("size = x", 7, "expected a number")
    assert str(copy(error)) == str(error) == "expected a number\n  size = x\n         ^"


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

"""Regular expressions that are hostile, and those that are only large."""

from __future__ import annotations

import re

import pytest

from streamsave import SelectError
from streamsave.query.expressions import LONGEST, compile_expression
from streamsave.query.parser import parse_selection

HOSTILE = {
    "repeats": "a{99999999999999}",
    "largest repeat": "a{4294967295}",
    "groups": "(" * 5000 + "a" + ")" * 5000,
    "other groups": "(?:" * 20_000 + "a" + ")" * 20_000,
    "alternatives": "|".join(["ab"] * 100_000),
    "long": "a" * (LONGEST + 1),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile(name):
    with pytest.raises(re.error) as caught:
        compile_expression(HOSTILE[name])
    assert len(str(caught.value)) < 100


def test_large():
    assert compile_expression("a" * LONGEST).search("b" + "a" * LONGEST)
    assert compile_expression("|".join(f"name{number}" for number in range(5000))).search("a name4999")
    assert compile_expression("(" * 50 + "a" + ")" * 50, re.IGNORECASE).search("A")


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("test", ["class ~ ", "mName !~ ", "size > 5 and (kind ~ "])
def test_in_a_selection(name, test):
    text = f'{test}"{HOSTILE[name]}"'
    with pytest.raises(SelectError, match="not a regular expression") as caught:
        parse_selection(text)
    assert caught.value.position == len(test)
    assert str(caught.value).endswith(f"\n  {' ' * len(test)}^")
    assert len(str(caught.value)) < 500


def test_long_wildcards():
    with pytest.raises(SelectError, match=r"not a pattern: .* too many"):
        parse_selection(f"class = {'?' * LONGEST}")

"""Selections: the grammar, its errors, and what objects they want."""

from __future__ import annotations

from copy import copy

import pytest
from saves import SATISFACTORY

import streamsave
from streamsave import SelectError, parse_selection

SAVE = SATISFACTORY / "sv58.sav"

REFUSED = [
    ("", 0, "expected the name of a property"),
    ("class =", 7, "expected a text; in quotes, if there are spaces or one of (),=<>!~ in it"),
    ('class = "a', 8, "the quote has no end"),
    ("class < 3", 6, "class is a text: expected one of = != == ~ !~"),
    ("class ~ '('", 8, "no regular expression: missing ), unterminated subpattern at position 0"),
    ("size = x", 7, "expected a number"),
    ("size ~ 3", 5, "size is a number: expected one of = == != < <= > >="),
    ("mX", 2, "expected an operator; has(mX) asks whether there is such a property"),
    ("mX < a", 5, "expected a number"),
    ("has(mX", 6, "expected ')'"),
    ("(class = a", 10, "expected ')'"),
    ("class = a class = b", 10, "expected 'and', 'or' or the end"),
    ("position = 3", 9, "expected 'in' and two corners: position in (x, y)..(x, y)"),
    ("position in (1, 2) (3, 4)", 19, "expected '..'"),
    ("position in (1, 2)..(3, 4, 5)", 20, "the first corner has 2 numbers"),
    ("mX[a] = 3", 3, "expected a number, '*' or a key in quotes, then ']'"),
    ("mX..a = 3", 2, "expected an operator; has(mX) asks whether there is such a property"),
    ("not " * 101 + "size = 1", 400, "more than 100 parentheses in each other"),
]


@pytest.mark.parametrize(("text", "position", "message"), REFUSED)
def test_refused(text, position, message):
    with pytest.raises(SelectError) as caught:
        parse_selection(text)
    error = caught.value
    assert (error.text, error.position, error.message) == (text, position, message)
    assert str(error).splitlines() == [message, f"  {text}", "  " + " " * position + "^"]
    assert str(copy(error)) == str(error)


def test_refused_in_the_second_line():
    with pytest.raises(SelectError) as caught:
        parse_selection("class = a\nand\tsize = x")
    assert str(caught.value).splitlines() == ["expected a number", "  and size = x", "             ^"]


def names(where, fields=()):
    """The names of the objects that a selection wants, without the level in front."""
    return [found.instance_name.rpartition(".")[2] for found in streamsave.objects(SAVE, where, fields)]


def test_conditions_on_header_and_content():
    every = names(None)
    spawners = names('class = "*CreatureSpawner*"')
    assert 0 < len(spawners) < len(every)
    assert names("mSpawnData[0].NumTimesKilled > 5") == ["BP_EnemySpawner6", "BP_EnemySpawner7"]
    assert set(names("not has(mSpawnData)")) == set(every) - set(spawners)


def test_fields():
    (found,) = streamsave.objects(SAVE, "name ~ EnemySpawner3$", ["mSpawnData[*].NumTimesKilled", "mNone"])
    assert found.fields == {"mSpawnData[*].NumTimesKilled": [3]}


def test_several_selections_in_one_pass():
    with streamsave.open(SAVE) as events:
        pairs = [
            (number, found.instance_name[-8:]) for number, found in events.select("name ~ r6$", "size > 0 and name ~ r[67]$")
        ]
    assert pairs == [(0, "Spawner6"), (1, "Spawner6"), (1, "Spawner7")]

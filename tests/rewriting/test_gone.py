"""Names of dropped objects are found in the bytes of others."""

from __future__ import annotations

import pytest
from cursors import cursor_over

from streamsave.rewriting.gone import LARGEST_SEARCHED, SHORTEST_START, Choice, Gone, common_start

START = "Level:Persistent."


def gone_of(*names):
    choice = Choice()
    gone = Gone(choice)
    for number, name in enumerate(names):
        choice.add(number, name)
        gone.add(name)
    return gone


def stored(*names):
    return b"\1\0\0\0".join(name.encode() + b"\0" for name in names)


@pytest.mark.parametrize("window", [1, 7, 1000])
@pytest.mark.parametrize(
    ("names", "gone"),
    [
        (("Belt_1",), ["Belt_1"]),
        (("Belt_22", "Pole", "Belt_2", "Belt_1.In", "Belt_22", "Belt_1"), ["Belt_22", "Belt_22", "Belt_1"]),
        (("Pole", "Belt_2", "Belt_1.In"), []),
        (("Belt_222", "Belt_"), []),
        ((), []),
    ],
)
def test_names_are_found_wherever_a_window_ends(window, names, gone):
    data = stored("Other:x", *(START + name for name in names), "End")
    cursor = cursor_over(b"abc" + data + stored(START + "Belt_1"), window)
    cursor.skip(3)
    found = gone_of(START + "Belt_1", START + "Belt_22").names_in(cursor, len(data))
    assert found == [START + name for name in gone]
    assert cursor.tell() == 3


def test_a_name_without_its_end_is_not_found():
    data = stored(START + "Belt_1")
    assert gone_of(START + "Belt_1").names_in(cursor_over(data), len(data) - 1) == []


@pytest.mark.parametrize(
    "names",
    [(START + "Belt", "Other:Persistent.Belt"), (START[: SHORTEST_START - 1],), (START + "Bélt",), (START + "a", START + "é")],
)
def test_names_that_cannot_be_searched_for_may_be_anywhere(names):
    gone = gone_of(*names)
    assert gone.names_in(cursor_over(bytes(10)), 10) is None
    assert gone.names_in(cursor_over(bytes(10)), 0) == []


def test_large_data_are_not_searched():
    cursor = cursor_over(bytes(LARGEST_SEARCHED + 1))
    gone = gone_of(START)
    assert gone.names_in(cursor, LARGEST_SEARCHED) == []
    assert gone.names_in(cursor, LARGEST_SEARCHED + 1) is None


def test_names_that_references_were_set_to_are_gone_but_not_searched_for():
    gone = Gone(Choice())
    assert not gone
    gone.set_names.add("x")
    assert gone
    assert gone.has("x")
    assert not gone.has("y")
    assert gone.names_in(cursor_over(stored("x")), 2) == []


@pytest.mark.parametrize(
    ("start", "name", "expected"), [(None, "abc", "abc"), ("abd", "abc", "ab"), ("a", "abc", "a"), ("", "a", "")]
)
def test_what_names_start_with(start, name, expected):
    assert common_start(start, name) == expected

"""Names of dropped objects are found in the bytes of a new save."""

from __future__ import annotations

import pytest

from streamsave.rewriting.choice import Choice
from streamsave.rewriting.gone import SHORTEST_START, Gone

START = "Level:Persistent."


def gone_of(*names):
    choice = Choice()
    for number, name in enumerate(names):
        choice.add(number, name)
    choice.finish()
    gone = Gone(choice)
    for name in names:
        gone.add(name)
    return gone


def stored(*names):
    return b"\1\0\0\0".join(name.encode() + b"\0" for name in names)


@pytest.mark.parametrize("piece_size", [1, 7, 1000])
def test_names_are_found_wherever_a_piece_ends(piece_size):
    gone = gone_of(START + "Belt_1", START + "Belt_22")
    data = stored(START + "Belt_1", START + "Belt_2", START + "Belt_22", START + "Belt_1.In", START + "Belt_1", START + "Pole")
    found = gone.find(data[at : at + piece_size] for at in range(0, len(data), piece_size))
    assert found.names == {START + "Belt_1", START + "Belt_22"}
    assert list(found.offsets) == [
        0,
        data.index(b"Belt_22") - len(START),
        data.rindex(b"Belt_1\0") - len(START),
    ]


def test_a_name_without_its_end_is_not_found():
    assert gone_of(START + "Belt_1").find([stored(START + "Belt_1")[:-1]]).names == set()


@pytest.mark.parametrize(
    "names",
    [(START + "Belt", "Other:Persistent.Belt"), (START[: SHORTEST_START - 1],), (START + "Bélt",), (START + "a", START + "é")],
)
def test_names_that_cannot_be_searched_for(names):
    taken = []
    gone = gone_of(*names)
    assert gone.find(taken.append(piece) or piece for piece in (b"a", b"b")) is None
    assert taken == [b"a", b"b"]


def test_names_that_references_were_set_to_are_gone_but_not_searched_for():
    gone = Gone(Choice())
    assert not gone
    gone.set_names.add("x")
    assert gone
    assert gone.has("x")
    assert not gone.has("y")
    assert gone.find([stored("x")]).names == set()

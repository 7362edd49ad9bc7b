"""One entry of a blueprint: its members and its header."""

from __future__ import annotations

import json

import pytest
from cursors import cursor_over

from streamsave import DamagedSave, Limits
from streamsave.formats.shapez2.blueprint_entry import MOST_MEMBERS, EntryMember, entry_header, read_entry
from streamsave.formats.shapez2.jsontext import JsonTokens, Token
from streamsave.input.windows import BytesWindows


def entry_of(content: dict[str, object]) -> tuple[list[EntryMember], Token, JsonTokens, bytes]:
    text = json.dumps(content).encode()
    tokens = JsonTokens(BytesWindows(text), Limits(), 0, len(text))
    first = tokens.next()
    return read_entry(tokens, cursor_over(b"")), first, tokens, text


def test_members_follow_each_other():
    members, first, tokens, text = entry_of({"T": "x", "B": {"a": [1]}, "X": 5, "C": None})
    assert [member.key for member in members] == ["T", "B", "X", "C"]
    assert [member.first.start for member in members] == [first.end, *(member.end for member in members[:-1])]
    assert [member.is_scalar for member in members] == [True, False, True, True]
    assert (tokens.start, tokens.end) == (len(text) - 1, len(text))


CONFIGURATIONS = [
    ("QQ==", "QQ=="),
    ({"$type": "System.Byte[], mscorlib", "$value": "QQ=="}, "QQ=="),
    ({"$value": [1, {"$value": "no"}]}, ""),
    (None, None),
    (7, None),
    ([1], None),
]


@pytest.mark.parametrize("key", ["C", "S"])
@pytest.mark.parametrize(("value", "text"), CONFIGURATIONS)
def test_text_of_a_configuration(key, value, text):
    (member,) = entry_of({key: value})[0]
    assert member.text == text


def test_number_of_members_at_the_most_and_one_above():
    assert len(entry_of({f"k{each}": each for each in range(MOST_MEMBERS)})[0]) == MOST_MEMBERS
    with pytest.raises(DamagedSave, match="too many keys in an entry"):
        entry_of({f"k{each}": each for each in range(MOST_MEMBERS + 1)})


PLACES = [
    # content, kind, outer, name, place, rotation
    ({"T": "a", "X": 1, "Y": -2, "Z": 3, "L": 4, "R": 2}, "island", "", "(1, -2, 3)", (1.0, -2.0, 3.0), 2),
    ({"T": "a", "X": 1, "Y": -2, "Z": 3, "L": 4, "R": 2}, "building", "(0, 0, 0)", "(0, 0, 0):(1, -2, 4)", (1.0, -2.0, 4.0), 2),
    ({"R": 3}, "building", "", "(0, 0, 0)", (0.0, 0.0, 0.0), 3),
    (
        {"X": (1 << 31) - 1, "Y": -(1 << 31)},
        "island",
        "",
        f"({(1 << 31) - 1}, {-(1 << 31)}, 0)",
        (2.0**31 - 1, -(2.0**31), 0.0),
        0,
    ),
]


@pytest.mark.parametrize(("content", "kind", "outer", "name", "place", "rotation"), PLACES)
def test_header(content, kind, outer, name, place, rotation):
    members, first, tokens, _ = entry_of(content)
    header = entry_header(members, first, tokens.start, kind, outer, 1137, cursor_over(b""))
    assert (header.kind, header.class_name, header.instance_name, header.outer) == (kind, content.get("T", ""), name, outer)
    assert header.transform is not None
    assert (header.transform.translation, header.flags, header.save_version) == (place, rotation, 1137)
    assert (header.data_offset, header.size) == (first.end, tokens.start - first.end)


@pytest.mark.parametrize("key", ["X", "Y", "Z", "L", "R"])
@pytest.mark.parametrize("value", [True, False, None, "1", 1.0, 1 << 31, -(1 << 31) - 1, [1], {"X": 1}], ids=repr)
def test_a_coordinate_that_is_none(key, value):
    """Neither a bool, which is an int to Python, nor anything else becomes a place."""
    members, first, tokens, text = entry_of({"T": "a", key: value})
    with pytest.raises(DamagedSave, match=f"{key} of an entry") as caught:
        entry_header(members, first, tokens.start, "island", "", 1137, cursor_over(b""))
    assert text[caught.value.offset :].startswith(f', "{key}":'.encode())
    assert caught.value.expected == "an integer of 32 bits"

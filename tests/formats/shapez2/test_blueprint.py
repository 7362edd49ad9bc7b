"""The JSON of a blueprint -> events: entries, what is inside of islands, configurations."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from cursors import cursor_over
from shapez2_cursors import reader_over

from streamsave import BlobSkip, DamagedSave, Event, Field, Limits, ObjectEnd, ObjectHeader, StructEnter, StructExit
from streamsave.claims import claimed_spans
from streamsave.formats.shapez2.code import MOST_MEMBERS, BlueprintWalker, EntryMember, read_entry
from streamsave.formats.shapez2.configs import BUILDING_CONFIGURATIONS
from streamsave.formats.shapez2.jsontext import JsonTokens, Token
from streamsave.input.windows import BytesWindows


def walked(content: object, kind: str = "island", *, skip: str = "") -> tuple[list[Event], list[Any], bytes]:
    """The events, the values of the leaves, and the text. `skip`: the class of entries that the consumer skips."""
    text = json.dumps(content).encode()
    reader = reader_over(text)
    tokens = JsonTokens(reader.windows, reader.limits, 0, len(text))
    events: list[Event] = []
    values: list[Any] = []
    for event in BlueprintWalker(reader, 1024).root(tokens, kind):
        events.append(event)
        if isinstance(event, Field):
            values.append((reader.path(), reader.value(event)))
            reader.cursor.seek(event.offset + event.size)
        elif isinstance(event, BlobSkip):
            values.append((event.reason, None))
        elif isinstance(event, ObjectHeader) and event.class_name == skip:
            assert reader.skip(event)
    assert reader.steps == []
    return events, values, text


def entries(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"V": 1024, "BP": {"Entries": list(rows)}}


def objects(events: list[Event]) -> list[tuple[str, str, str, str]]:
    return [(each.kind, each.class_name, each.instance_name, each.outer) for each in events if isinstance(each, ObjectHeader)]


def test_each_byte_is_claimed_once():
    inner = {"BP": 1, "Entries": [{"T": "belt", "X": 1, "C": None}], "other": [{"T": "no entry"}]}
    events, _, text = walked(entries({"T": "island", "X": 2, "B": inner, "R": 1}, {"T": "bare"}))
    at = 0
    for event in events:
        spans = claimed_spans(event)
        if isinstance(event, ObjectHeader):
            spans = spans[:1]  # the second one, before its data, is empty here
        for start, end in spans:
            assert start == at
            at = end
    assert at == len(text)


def test_islands_have_buildings_inside():
    inner = {"Entries": [{"T": "belt", "X": 1, "L": 2}, {"T": "belt", "X": 1, "L": 3}]}
    events, _, _ = walked(entries({"B": inner, "T": "first", "X": 4}, {"T": "second", "Y": 5, "B": inner}))
    assert objects(events) == [
        ("island", "first", "(4, 0, 0)", ""),
        ("building", "belt", "(4, 0, 0):(1, 0, 2)", "(4, 0, 0)"),
        ("building", "belt", "(4, 0, 0):(1, 0, 3)", "(4, 0, 0)"),
        ("island", "second", "(0, 5, 0)", ""),
        ("building", "belt", "(0, 5, 0):(1, 0, 2)", "(0, 5, 0)"),
        ("building", "belt", "(0, 5, 0):(1, 0, 3)", "(0, 5, 0)"),
    ]
    assert [event.instance_name for event in events if isinstance(event, ObjectEnd)] == [
        "(4, 0, 0):(1, 0, 2)",
        "(4, 0, 0):(1, 0, 3)",
        "(4, 0, 0)",
        "(0, 5, 0):(1, 0, 2)",
        "(0, 5, 0):(1, 0, 3)",
        "(0, 5, 0)",
    ]


def test_an_island_that_is_skipped_lends_its_name_to_none():
    inner = {"Entries": [{"T": "belt"}]}
    events, _, _ = walked(entries({"T": "first", "B": inner}, {"T": "second", "X": 1, "B": inner}), skip="first")
    assert objects(events) == [
        ("island", "first", "(0, 0, 0)", ""),
        ("island", "second", "(1, 0, 0)", ""),
        ("building", "belt", "(1, 0, 0):(0, 0, 0)", "(1, 0, 0)"),
    ]


@pytest.mark.parametrize(
    "content",
    [
        {"BP": {"Entries": {"$values": [{"T": "belt"}]}}},
        {"BP": {"Icon": {}, "Entries": [{"T": "belt"}]}},
        {"BP": {"Entries": ["no object", {"T": "belt"}, 5]}},
    ],
)
def test_where_entries_are(content):
    events, _, _ = walked(content, "building")
    assert objects(events) == [("building", "belt", "(0, 0, 0)", "")]


@pytest.mark.parametrize(
    "content",
    [
        {"Entries": [{"T": "belt"}]},
        {"BP": [{"T": "belt"}]},
        {"BP": {"$values": [{"T": "belt"}]}},
        {"BP": {"Entries": "none"}},
        [{"T": "belt"}],
        "BP",
    ],
)
def test_where_no_entries_are(content):
    events, _, _ = walked(content, "building")
    assert objects(events) == []


def test_members_of_no_role_are_json():
    events, values, _ = walked({"V": 3, "BP": {"Icon": {"Data": ["a", None]}, "Entries": []}})
    assert [(type(each), each.name) for each in events if isinstance(each, (StructEnter, StructExit))][2:4] == [
        (StructEnter, "Icon"),
        (StructEnter, "Data"),
    ]
    assert values == [
        (("blueprint", "V"), 3),
        (("blueprint", "BP", "Icon", "Data", 0), "a"),
        (("blueprint", "BP", "Icon", "Data", 1), None),
    ]


def configured(data: bytes, name: str, key: str = "C") -> list[Any]:
    """What the last leaf of a building with these bytes as its configuration is."""
    return walked(entries({"T": name, key: base64.b64encode(data).decode()}), "building")[1]


#: A configuration of a fixed size, so that a byte less and one more are of another layout.
NAME, CODEC = next((name, codec) for name, codec in sorted(BUILDING_CONFIGURATIONS.items()) if codec.size > 0)


def test_a_configuration_is_a_leaf():
    path, value = configured(bytes(CODEC.size), NAME)[-1]
    assert path[-1] == "C"
    assert value is not None


def test_a_configuration_of_another_layout():
    assert configured(bytes(CODEC.size + 1), NAME)[-1] == (f"{CODEC.name} of another layout", None)


def test_a_configuration_of_an_unknown_id():
    assert configured(b"x", "Strange")[-1] == ("configuration of unknown id Strange", None)


def test_a_configuration_in_the_key_of_islands():
    assert configured(bytes(CODEC.size), NAME, "S")[-1] == (f"configuration of unknown id {NAME}", None)


def test_a_configuration_that_ends_early():
    with pytest.raises(DamagedSave, match=f"{CODEC.name} of {NAME}") as caught:
        configured(bytes(CODEC.size - 1), NAME)
    text = json.dumps(entries({"T": NAME, "C": ""})).encode()
    assert caught.value.offset == text.index(b', "C"')


@pytest.mark.parametrize("text", ["QQ=", "QQ==x", "ä", "Q Q=="])
def test_a_configuration_that_is_no_base64(text):
    with pytest.raises(DamagedSave, match="configuration is no base64"):
        walked(entries({"T": NAME, "C": text}), "building")


def entry_of(content: dict[str, object]) -> tuple[list[EntryMember], Token, JsonTokens, bytes]:
    text = json.dumps(content).encode()
    tokens = JsonTokens(BytesWindows(text), Limits(), 0, len(text))
    first = tokens.next()
    return read_entry(tokens, cursor_over(b"")), first, tokens, text


def test_members_follow_each_other():
    members, first, tokens, text = entry_of({"T": "x", "B": {"a": [1]}, "X": 5, "C": None})
    assert [member.key for member in members] == ["T", "B", "X", "C"]
    assert [member.first.start for member in members] == [first.end, *(member.end for member in members[:-1])]
    assert (tokens.last.start, tokens.last.end) == (len(text) - 1, len(text))


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
    walker = BlueprintWalker(reader_over(b""), 1137)
    walker._island = outer
    header = walker.header(members, first, tokens.last.start, kind)
    assert (header.kind, header.class_name, header.instance_name, header.outer) == (kind, content.get("T", ""), name, outer)
    assert header.transform is not None
    assert (header.transform.translation, header.flags, header.save_version) == (place, rotation, 1137)
    assert (header.data_offset, header.size) == (first.end, tokens.last.start - first.end)


@pytest.mark.parametrize("key", ["X", "Y", "Z", "L", "R"])
@pytest.mark.parametrize("value", [True, False, None, "1", 1.0, 1 << 31, -(1 << 31) - 1, [1], {"X": 1}], ids=repr)
def test_a_coordinate_that_is_none(key, value):
    """Neither a bool, which is an int to Python, nor anything else becomes a place."""
    members, first, tokens, text = entry_of({"T": "a", key: value})
    with pytest.raises(DamagedSave, match=f"{key} of an entry") as caught:
        BlueprintWalker(reader_over(b""), 1137).header(members, first, tokens.last.start, "island")
    assert text[caught.value.offset :].startswith(f', "{key}":'.encode())
    assert caught.value.expected == "an integer of 32 bits"

"""The JSON of a blueprint -> events: entries, what is inside of islands, configurations."""

import base64
import json
from typing import Any

import pytest
from cursors import cursor_over
from shapez2_cursors import reader_over

from streamsave import BlobSkip, DamagedSave, Event, Field, Limits, ObjectHeader
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


def configured(data: bytes, name: str, key: str = "C") -> list[Any]:
    """What the last leaf of a building with these bytes as its configuration is."""
    return walked(entries({"T": name, key: base64.b64encode(data).decode()}), "building")[1]


#: A configuration of a fixed size, so that a byte less and one more are of another layout.
NAME, CODEC = next((name, codec) for name, codec in sorted(BUILDING_CONFIGURATIONS.items()) if codec.size > 0)


def test_a_configuration_of_another_layout():
    assert configured(bytes(CODEC.size + 1), NAME)[-1] == (f"{CODEC.name} of another layout", None)


def test_a_configuration_that_ends_early():
    with pytest.raises(DamagedSave, match=f"{CODEC.name} of {NAME}") as caught:
        configured(bytes(CODEC.size - 1), NAME)
    assert caught.value.offset == json.dumps(entries({"T": NAME, "C": ""})).encode().index(b', "C"')


def test_an_empty_configuration_of_an_unknown_id_is_text():
    """Codes of V 1005 have one in each entry that has no configuration."""
    values = walked(entries({"T": "Belt", "C": ""}, {"T": "Belt", "C": "AA=="}), "building")[1]
    assert [value for place, value in values if place[-1] == "C"] == [""]
    assert values[-1] == ("configuration of unknown id Belt", None)


@pytest.mark.parametrize("text", ["QQ=", "QQ==x", "ä", "Q Q=="])
def test_a_configuration_that_is_no_base64(text):
    with pytest.raises(DamagedSave, match="configuration is no base64"):
        walked(entries({"T": NAME, "C": text}), "building")


def entry_of(content: dict[str, object]) -> tuple[list[EntryMember], Token, JsonTokens, bytes]:
    text = json.dumps(content).encode()
    tokens = JsonTokens(BytesWindows(text), Limits(), 0, len(text))
    first = tokens.next()
    return read_entry(tokens, cursor_over(b"")), first, tokens, text


def test_number_of_members_at_the_most_and_one_above():
    assert len(entry_of({f"k{each}": each for each in range(MOST_MEMBERS)})[0]) == MOST_MEMBERS
    with pytest.raises(DamagedSave, match="too many keys in an entry"):
        entry_of({f"k{each}": each for each in range(MOST_MEMBERS + 1)})


@pytest.mark.parametrize("key", ["X", "Y", "Z", "L", "R"])
@pytest.mark.parametrize("value", [True, False, None, "1", 1.0, 1 << 31, -(1 << 31) - 1, [1], {"X": 1}], ids=repr)
def test_a_coordinate_that_is_none(key, value):
    """Neither a bool, which is an int to Python, nor anything else becomes a place."""
    members, first, tokens, text = entry_of({"T": "a", key: value})
    with pytest.raises(DamagedSave, match=f"{key} of an entry") as caught:
        BlueprintWalker(reader_over(b""), 1137).header(members, first, tokens.last.start, "island")
    assert text[caught.value.offset :].startswith(f', "{key}":'.encode())
    assert caught.value.expected == "an integer of 32 bits"

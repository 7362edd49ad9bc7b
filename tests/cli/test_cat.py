"""`streamsave cat`."""

from __future__ import annotations

import pytest
from attrs import evolve
from cli_runs import json_lines, lines, run, small_world, terminal, thing, write
from writer.tags import STR, Prop

from streamsave import BlobSkip, ChunkStart, Field, ObjectEnd, ObjectHeader, PropertyTag, SaveEnd, StructEnter, StructExit
from streamsave.cli.event_lines import is_one_value, line_of
from streamsave.consume.stream import open_save


def text_of(*args) -> list[str]:
    return [line for (line,) in lines("cat", *args)]


def test_any_depth(tmp_path):
    path = small_world(tmp_path)
    assert text_of("--depth", 9, path) == text_of("--depth", 1 << 64, path) == text_of(path)


def test_json_is_each_event(tmp_path):
    path = small_world(tmp_path)
    events = json_lines("cat", "--chunks", path)
    with open_save(path) as stream:
        kinds = [type(event).__name__ for event in stream]
    built = {"PropertyTag", "Field"}  # with what is in them
    assert [event["event"] for event in events if event["event"] not in built] == [kind for kind in kinds if kind not in built]
    (count,) = [event for event in events if event.get("name") == "mCount"]
    assert (count["event"], count["type"], count["value"]) == ("PropertyTag", "IntProperty", 2)
    assert "file" not in count
    assert {event["file"] for event in json_lines("cat", path, path)} == {str(path)}


def test_a_terminal_gets_the_same_but_shorter(tmp_path):
    path = write(tmp_path, "long.sav", thing("A", Prop("mText", STR, "x" * 300)))
    _, text = terminal("cat", "--object", "A", path)
    assert '"' + "x" * 80 + '…"' in text


def test_events_before_the_damage_are_printed(tmp_path):
    whole = small_world(tmp_path)
    cut = tmp_path / "cut.sav"
    cut.write_bytes(whole.read_bytes() + b"behind the end of the save")
    result = run("cat", cut)
    assert result.exit_code == 2
    assert result.stdout.splitlines() == text_of(whole)[:-1]
    assert str(cut) in result.stderr


# --- events as lines ---

HEADER = ObjectHeader(0, "actor", "/A.B_C", "B_1", "L", "", None, 0, 46, 10, 8, 18, 1)


def tag(kind: str, type_name: str = "", inner: str = "", value: str = "", index: int = 0) -> PropertyTag:
    return PropertyTag(0, "m\n", kind, 8, index, 8, type_name, inner, value, False, None, None)


@pytest.mark.parametrize(
    ("event", "text", "one"),
    [
        (tag("IntProperty"), "IntProperty", True),
        (tag("StructProperty", "Vector"), "StructProperty(Vector)", True),
        (tag("StructProperty", "InventoryStack"), "StructProperty(InventoryStack)", False),
        (tag("ArrayProperty", "", "IntProperty"), "ArrayProperty(IntProperty)", True),
        (tag("ArrayProperty", "A\x1b", "StructProperty"), "ArrayProperty(StructProperty(A\\x1b))", False),
        (tag("SetProperty", "", "StructProperty"), "SetProperty(StructProperty)", False),
        (tag("MapProperty", "", "IntProperty", "StrProperty"), "MapProperty(IntProperty, StrProperty)", True),
        (tag("MapProperty", "A", "IntProperty", "StructProperty"), "MapProperty(IntProperty, StructProperty(A))", False),
        (tag("MapProperty", "A", "StructProperty", "IntProperty"), "MapProperty(StructProperty, IntProperty(A))", False),
        (tag("MapProperty", "", "", "IntProperty"), "MapProperty(IntProperty)", True),
    ],
)
def test_types(event, text, one):
    assert line_of(event) == rf"m\n: {text}"
    assert is_one_value(event) is one


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (tag("IntProperty"), "m\\n: IntProperty"),
        (tag("IntProperty", index=2), "m\\n[2]: IntProperty"),
        (Field(0, "a", "i32", 4, -1), "a: i32"),
        (Field(0, "a", "i32", 4, 3), "[3] i32"),
        (StructEnter(0, "Persistent", "Level", 0, 8, -1, -1), "level Persistent"),
        (StructEnter(0, "m", "ArrayProperty", 0, 8, -1, 1), "m: ArrayProperty [1 element]"),
        (StructEnter(0, "m", "ArrayProperty", 0, 8, -1, 1000), "m: ArrayProperty [1000 elements]"),
        (StructEnter(0, "", "", 0, 8, 4, -1), "[4] struct"),
        (HEADER, "actor B_C B_1 (1 byte)"),
        (evolve(HEADER, kind="B_C", size=-1), "B_C B_1 (size unknown)"),
        (ChunkStart(0, 3, 1024, 255, 100, "zlib"), "chunk 3 at 0xff: 100 bytes -> 1024 bytes"),
        (BlobSkip(0, 5, "because"), "(5 bytes: because)"),
        (SaveEnd(2), "end of 2 bytes"),
        (StructExit(0, "", 0), ""),
        (ObjectEnd(0, "", 0), ""),
    ],
)
def test_lines(event, line):
    assert line_of(event) == line

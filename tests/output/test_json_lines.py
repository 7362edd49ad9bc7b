"""Lines of JSON: which events begin and end a line, and what a line has."""

from __future__ import annotations

import orjson
import pytest
from cli_runs import thing
from saves import SATISFACTORY, VALID
from writer.satisfactory import Level, World, release_header, save_bytes
from writer.tags import INT, STR, Prop

import streamsave
from streamsave import ObjectHeader, PropertyTag, SaveStart
from streamsave.decode.json_values import json_value
from streamsave.output.json_document import BUILT_SIZE
from streamsave.output.json_lines import LineWriter, json_lines
from streamsave.output.json_text import PIECE_SIZE


def lines(source: object) -> list[dict[str, object]]:
    with streamsave.open(source) as events:
        return [orjson.loads(line) for line in b"".join(json_lines(events)).splitlines()]


def save(*objects: object, levels: tuple[Level, ...] = ()) -> bytes:
    return save_bytes(World(release_header(46), levels, objects))


def test_first_the_save():
    path = SATISFACTORY / "sv46.sav"
    with streamsave.open(path) as events:
        start = next(events)
        assert isinstance(start, SaveStart)
        expected = {"format": start.format, "version": start.version, "header": json_value(start.header)}
    assert lines(path)[0] == expected


def test_an_object_has_its_path():
    made = lines(save(thing("BP_A_C_1", Prop("mX", INT, 3)), levels=(Level("FOREST", [thing("BP_B_C_2", level="FOREST")]),)))
    objects = [line for line in made if "instance_name" in line]
    assert [line["path"] for line in objects] == [["FOREST"], ["Persistent_Level"]]
    assert [line["instance_name"][-8:] for line in objects] == ["BP_B_C_2", "BP_A_C_1"]
    assert objects[1]["properties"] == {"mX": 3}


def test_a_value_in_no_object_has_its_name_and_path():
    made = lines(save(thing("BP_A_C_1")))
    values = [line for line in made[1:] if "instance_name" not in line]
    assert values
    assert all(len(line) == 2 for line in values)
    assert all(line["path"][-1] in line for line in values)


@pytest.mark.parametrize(("size", "is_built"), [(BUILT_SIZE, True), (BUILT_SIZE + 1, False)])
def test_an_object_up_to_a_size_is_built(size, is_built):
    """A larger one is written event by event."""
    (empty,) = streamsave.objects(save(thing("BP_A_C_1", Prop("mX", STR, "x"))))
    text = "x" * (size - empty.size + 1)
    with streamsave.open(save(thing("BP_A_C_1", Prop("mX", STR, text)))) as events:
        writer = LineWriter(events)
        walked = False
        for event in events:
            writer.feed(event)
            if isinstance(event, ObjectHeader):
                assert event.size == size
            # What is built has no events of its own.
            walked |= isinstance(event, PropertyTag)
    (line,) = [orjson.loads(line) for line in writer.take().splitlines() if b"BP_A_C_1" in line]
    assert line["properties"] == {"mX": text}
    assert walked is not is_built


def test_pieces():
    """Text is handed on in pieces of about one size, that may end inside a line."""
    data = save(*(thing(f"BP_A_C_{number}", Prop("mX", STR, "x" * 10_000)) for number in range(30)))
    with streamsave.open(data) as events:
        pieces = list(json_lines(events))
    assert len(pieces) > 3
    assert all(PIECE_SIZE <= len(piece) < 2 * PIECE_SIZE for piece in pieces[:-1])


def test_a_dropped_line_leaves_nothing():
    with streamsave.open(save(thing("BP_A_C_1", Prop("mX", STR, "x" * (BUILT_SIZE + 1))))) as events:
        writer = LineWriter(events)
        for event in events:
            writer.feed(event)
            if isinstance(event, ObjectHeader):
                assert writer.in_line()
                writer.drop()
                break
        assert (writer.in_line(), writer.take()) == (False, b"")


@pytest.mark.parametrize("name", ["satisfactory/sv58.sav", "gvas/ue5-1012.sav", "shapez2/small.spz2", "arx/v2.1.sav"])
def test_each_line_is_one_value(name):
    made = lines(VALID / name)
    assert all(isinstance(line, dict) for line in made)
    assert all("path" in line for line in made[1:])

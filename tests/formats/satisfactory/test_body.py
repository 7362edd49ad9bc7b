"""The body of a save: each version gate on both sides."""

from __future__ import annotations

import pytest
from attrs import evolve
from satisfactory_layouts import header_of
from saves import deflate, head_and_body, inflate, read, read_to_error
from strategies import data_of
from tiling import assert_tiled
from writer.primitives import Ref, i32
from writer.satisfactory import Level, World, save_bytes

from streamsave import BlobSkip, DamagedSave, Field, SaveEnd, StructEnter


def body_save(version: int) -> bytes:
    levels = [Level("Cell", version_data=data_of(version))] if version >= 29 else []
    return save_bytes(World(header_of(version), levels, unresolved=[Ref("A", "B")], version_data=data_of(version)))


@pytest.mark.parametrize(
    ("version", "size", "fields"),
    [
        (21, 4, []),
        (28, 4, []),
        (29, 4, ["level_count", "unresolved_destroyed_actors"]),
        (40, 4, ["level_count", "unresolved_destroyed_actors"]),
        (41, 8, ["validation_grids", "level_count", "unresolved_destroyed_actors"]),
        (52, 8, ["validation_grids", "level_count", "unresolved_destroyed_actors"]),
        (53, 8, ["version_data", "validation_grids", "level_count", "unresolved_destroyed_actors"]),
    ],
)
def test_versions(version, size, fields):
    save = body_save(version)
    events = read(save)
    assert_tiled(events, len(inflate(save)))
    found = [(event.name, event.offset) for event in events if isinstance(event, (Field, StructEnter))]
    assert found[0] == ("body_size", 0)
    names = [name for name, _ in found]
    assert [name for name in fields if name in names] == fields
    others = {"version_data", "validation_grids", "level_count", "unresolved_destroyed_actors"} - set(fields)
    assert not others & set(names)
    assert found[1][1] == size


def test_no_body_size_below_21():
    """Then the body is stored as it is."""
    header = evolve(header_of(25), save_version=20).encode(bytes(16))
    body = i32(0) * 3  # no headers, no objects, nothing destroyed
    save = header + body
    events = read(save)
    assert [event.name for event in events if isinstance(event, (Field, StructEnter))] == [
        "Persistent_Level",
        "data_blob",
        "destroyed_actors",
    ]
    assert events[-1] == SaveEnd(len(body))
    assert_tiled(events, len(body))
    _, error = read_to_error(save + b"x")
    assert type(error) is DamagedSave
    assert (error.message, error.offset) == ("bytes after the save", len(body))


@pytest.mark.parametrize("size", [1, 2, 9])
def test_bytes_after_the_body(size):
    save = body_save(52)
    head, body = head_and_body(save)
    longer = (len(body) + size - 8).to_bytes(8, "little") + body[8:] + b"x" * size
    events = read(deflate(head, longer))
    assert events[-2:] == [BlobSkip(len(body), size, "bytes after the save"), SaveEnd(len(longer))]


def test_a_level_count_with_room_for_no_more():
    """Each level has a name at least: 4 bytes."""
    save = body_save(52)
    head, body = head_and_body(save)
    at = next(event.offset for event in read(save) if isinstance(event, Field) and event.name == "level_count")
    room = (len(body) - at - 4) // 4
    for count in (room + 1, -1):
        _, error = read_to_error(deflate(head, body[:at] + i32(count) + body[at + 4 :]))
        assert type(error) is DamagedSave
        assert (error.message, error.offset, error.actual) == (f"count {count} does not fit", at, count)

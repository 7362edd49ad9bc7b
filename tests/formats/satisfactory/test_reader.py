"""A Satisfactory save as a whole: versions, levels, what other tools leave out, and where a file may end."""

import struct

import pytest
from attrs import evolve
from one_object import NONE, built, object_save
from saves import deflate, head_and_body, inflate, read, read_to_error, start_of, without_chunks
from strategies import data_of
from tiling import assert_tiled
from writer.primitives import Ref, i32
from writer.samples import sample
from writer.satisfactory import Level, Object, SaveHeader, World, release_header, save_bytes
from writer.tags import INT, Prop

import streamsave
from streamsave import DamagedSave, Event, Field, ObjectEnd, ObjectHeader, PropertyTag, StructEnter, TruncatedSave
from streamsave.formats.satisfactory.versions import SAVE_VERSION_NEWEST
from streamsave.rewriting import rewrite
from streamsave.values import Guid, ObjectReference

GONE = [Ref("Cell", f"Cell.Gone{number}") for number in range(3)]
GONE_READ = [ObjectReference(one.level, one.path) for one in GONE]


def fields_of(data: bytes) -> list[tuple[str, object]]:
    """All fields outside of objects, built."""
    found = []
    with streamsave.open(data) as events:
        for event in events:
            if isinstance(event, ObjectHeader):
                events.skip()
            elif isinstance(event, Field):
                found.append((event.name, events.build()))
    return found


def skipped_objects(data: bytes) -> list[Event]:
    """All events but those in objects."""
    seen: list[Event] = []
    with streamsave.open(data) as events:
        for event in events:
            seen.append(event)
            if isinstance(event, ObjectHeader):
                events.skip()
    return without_chunks(seen)


@pytest.mark.parametrize("version", [SAVE_VERSION_NEWEST + 1, SAVE_VERSION_NEWEST + 100])
def test_a_newer_version_warns_once_and_is_read(version, caplog):
    """What is newer than anything known is read like the newest."""
    data = bytearray(save_bytes(sample(f"sv{SAVE_VERSION_NEWEST}")))
    known = read(bytes(data))
    caplog.clear()
    data[4:8] = i32(version)
    head, body = head_and_body(bytes(data))
    # Objects of the file's own version.
    body = body.replace(struct.pack("<ii", SAVE_VERSION_NEWEST, 0), struct.pack("<ii", version, 0))
    events = read(deflate(head, body))
    (warning,) = caplog.messages
    assert "newer than known" in warning
    assert f"save_version={version}" in warning
    assert len(without_chunks(events)) == len(without_chunks(known))


def test_versions_before_compression():
    """Below SaveVersion 21 the body follows the header as it is, without its size."""
    header = SaveHeader(20, 5, 100_000)
    one = Object("/Script/Oracle.One", "One", [Prop("m", INT, 7)], outer="Owner", level="L")
    world = World(evolve(header, save_version=25, header_version=5), objects=[one], destroyed=[("", GONE)])
    head, body = head_and_body(save_bytes(world))
    data = head[:4] + i32(20) + head[8:] + body[4:]
    events = read(data)
    assert start_of(data).version == 20
    assert [tag.name for tag in [event for event in events if isinstance(event, PropertyTag)]] == ["m"]
    assert [value for found, value in fields_of(data) if found == "destroyed_actors"] == [GONE_READ]
    assert_tiled(events, len(body) - 4)
    with streamsave.open(data) as stream:
        assert all(stream.location(event) is None for event in stream)
    _, error = read_to_error(data + b"more")
    assert isinstance(error, DamagedSave)
    for cut in range(len(head), len(data)):
        _, error = read_to_error(data[:cut])
        assert isinstance(error, (TruncatedSave, DamagedSave)), cut


def test_an_object_with_a_guid(tmp_path):
    """Never seen in a real save: `bool32`, then 16 bytes, after the properties."""
    guid = bytes(range(16))
    save = object_save(Prop("m", INT, 1).encode(sample("sv52").dialect) + NONE + i32(1) + guid)
    assert built(save) == {"m": 1}
    stream = inflate(save)
    with streamsave.open(save) as events:
        field = next(event for event in events if isinstance(event, Field) and event.name == "object_guid")
        assert events.build() == Guid(guid)
    assert stream[field.offset : field.offset + field.size] == NONE + i32(1) + guid
    assert (field.type, field.size) == ("ObjectGuid", len(NONE) + 4 + 16)
    end = next(event for event in read(save) if isinstance(event, ObjectEnd))
    assert (end.offset, end.size) == (field.offset + field.size, 0)
    assert_tiled(read(save), len(stream))
    with streamsave.open(save) as events:
        whole = next(events.build() for event in events if isinstance(event, ObjectHeader))
    assert (whole["object_guid"], whole["properties"]) == (Guid(guid), {"m": 1})

    source, target = tmp_path / "in.sav", tmp_path / "out.sav"
    source.write_bytes(save)
    for value, end_bytes in ((Guid(guid), i32(1) + guid), (Guid(guid[::-1]), i32(1) + guid[::-1]), (None, i32(0))):
        with rewrite(source, target) as copy:
            for event in copy:
                if isinstance(event, Field) and event.name == "object_guid":
                    copy.replace(value)
        assert built(target.read_bytes()) == {"m": 1}
        assert NONE + end_bytes in inflate(target.read_bytes())
        assert value != Guid(guid) or inflate(target.read_bytes()) == stream


def level_save(version: int = 52) -> tuple[bytes, dict[str, int]]:
    """A save of one object, and where its sizes and counts are in the inflated stream."""
    one = Object("/Script/Oracle.One", "One", [Prop("m", INT, 1)], outer="Owner")
    save = save_bytes(World(release_header(version), [Level("Cell")], [one], version_data=data_of(version)))
    events = skipped_objects(save)
    level = next(event for event in events if isinstance(event, StructEnter) and event.name == "Persistent_Level")
    blob = [event for event in events if isinstance(event, Field) and event.name == "data_blob"][1]
    header = next(event for event in events if isinstance(event, ObjectHeader))
    count = next(event for event in events if isinstance(event, Field) and event.name == "level_count")
    return save, {
        "level_count": count.offset,
        "toc_size": level.offset,
        "toc_count": level.offset + 8,
        "data_size": blob.offset,
        "data_count": blob.offset + 8,
        "object_size": header.data_offset - 4,
    }


def with_number(save: bytes, at: int, layout: str, value: int) -> bytes:
    """A save with another number in one place of its inflated stream."""
    head, body = head_and_body(save)
    packed = struct.pack(layout, value)
    return deflate(head, body[:at] + packed + body[at + len(packed) :])


SIZES = [0, 3, -1, -(1 << 63), (1 << 63) - 1, 1 << 31, 100_000]
COUNTS = [-1, -(1 << 31), (1 << 31) - 1]


@pytest.mark.parametrize(
    ("name", "layout", "values", "text"),
    [
        ("toc_size", "<q", SIZES, "size of a blob does not fit"),
        ("data_size", "<q", SIZES, "size of a blob does not fit"),
        ("toc_count", "<i", [*COUNTS, 100], "{} objects do not fit"),
        ("object_size", "<i", [*COUNTS, 100], "size of One does not fit"),
        ("level_count", "<i", COUNTS, "count {} does not fit"),
        ("data_count", "<i", [0, 2, -1], "number of objects differs from that of headers"),
    ],
)
def test_sizes_and_counts_that_lie(name, layout, values, text):
    save, places = level_save()
    for value in values:
        _, error = read_to_error(with_number(save, places[name], layout, value))
        assert type(error) is DamagedSave
        assert (error.message, error.offset, error.actual) == (text.format(value), places[name], value)
        assert name != "data_count" or error.expected == 1


def test_a_level_count_with_room_for_no_more():
    """Each level has a name at least: 4 bytes. A hundred levels fit by count, but not by what they are."""
    save, places = level_save()
    at = places["level_count"]
    _, error = read_to_error(with_number(save, at, "<i", 100))
    assert type(error) is DamagedSave
    count = (len(inflate(save)) - at - 4) // 4 + 1
    _, error = read_to_error(with_number(save, at, "<i", count))
    assert type(error) is DamagedSave
    assert (error.message, error.offset, error.actual) == (f"count {count} does not fit", at, count)

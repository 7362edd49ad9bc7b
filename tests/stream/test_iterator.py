"""The iteration: from the first event to the last, where each is, how it ends; faults come after the events before them."""

from bisect import bisect_right

import pytest
from feeding import Broken
from large_saves import big_save, damaged_save
from saves import SATISFACTORY, chunks_of, deflate, head_and_body, read_to_error

import streamsave
from streamsave import ChunkStart, DamagedSave, PropertyTag, SaveEnd, SaveStart, StaleEvent

SAMPLE = (SATISFACTORY / "sv58.sav").read_bytes()


def test_is_its_own_iterator():
    with streamsave.open(SAMPLE) as events:
        assert iter(events) is events


def test_close_drops_what_was_made_already():
    """A chunk's event holds the one after it back; `close` drops that too."""
    with streamsave.open(SAMPLE) as events:
        next(event for event in events if isinstance(event, ChunkStart))
    with pytest.raises(StaleEvent):
        next(events)


def test_close_twice():
    events = streamsave.open(SAMPLE)
    events.close()
    events.close()
    with pytest.raises(StaleEvent):
        next(events)


def test_paths():
    museum = "Persistent_Level:PersistentLevel.BP_Museum_C_1"
    with streamsave.open(SAMPLE) as events:
        seen = [events.path for event in events if not isinstance(event, ChunkStart)]
    for path in (
        ("body_size",),
        ("validation_grids",),
        (museum, "actor"),
        (museum, "mInt8"),
        (museum, "mInventoryStacks"),
        (museum, "mInventoryStacks", 1),
        (museum, "mInventoryStacks", 1, "NumItems"),
        (museum, "mFieldsFields", 0, "key"),
        (museum, "mFieldsFields", 0, "key", "Key"),
        (museum, "mFieldsFields", 0, "value", "BuildCount"),
        (museum, "mNested", "Inner", "Bound", "Value"),
    ):
        full = ("Persistent_Level", *path) if path[0] == museum else path
        assert full in seen, full


def test_location_of_events_is_that_of_their_chunk():
    data = big_save()
    chunks = chunks_of(data)
    starts = [0]
    for chunk in chunks[:-1]:
        starts.append(starts[-1] + len(chunk.data))
    with streamsave.open(data) as events:
        assert isinstance(next(events), SaveStart)
        for event in events:
            if isinstance(event, SaveEnd):
                continue
            index = bisect_right(starts, event.offset) - 1
            assert events.location(event) == (index, event.offset - starts[index], chunks[index].offset)


def test_chunk_events_are_the_chunks():
    """Each chunk is announced once, when it is entered: here all are, because all bytes are asked for."""
    data = big_save()
    at, told = 0, []
    for index, chunk in enumerate(chunks_of(data)):
        version = 2 if data[chunk.offset + 4] else 1
        told.append(ChunkStart(at, index, len(chunk.data), chunk.offset, chunk.compressed_size, "zlib", version))
        at += len(chunk.data)
    seen = []
    with streamsave.open(data) as events:
        for event in events:
            if isinstance(event, ChunkStart):
                seen.append(event)
            elif isinstance(event, PropertyTag):
                events.raw()
    assert sorted(seen, key=lambda event: event.index) == told


def test_events_before_the_damage_are_delivered():
    seen, error = read_to_error(damaged_save())
    assert isinstance(error, DamagedSave)
    assert error.chunk == 3
    assert error.offset == 3 * 131072
    assert 2.9 * 131072 < max(event.offset for event in seen if isinstance(event, PropertyTag)) < 3 * 131072
    assert all(event.offset < 3 * 131072 for event in seen)


def test_errors_have_the_path():
    head, body = head_and_body(SAMPLE)
    at = body.index(b"mNested\0")
    at = body.index(b"FloatProperty\0", at)
    _, error = read_to_error(deflate(head, body[: at - 4] + b"\0\0\0\x80" + body[at:]))
    assert isinstance(error, DamagedSave)
    assert error.path[1:] == ("Persistent_Level:PersistentLevel.BP_Museum_C_1", "mNested", "Inner", "Bound")
    assert str(error).startswith(f"offset {error.offset:#x} (chunk 0 + {error.offset:#x}), Persistent_Level/")


def test_a_source_that_stops_is_no_end():
    """Out of a generator a StopIteration is taken for its end; a save must not look complete for that."""
    save = max((path.read_bytes() for path in SATISFACTORY.glob("*.sav")), key=len)
    with streamsave.open(Broken(save, 2, StopIteration(), 1000)) as events, pytest.raises(RuntimeError):
        for event in events:
            assert not isinstance(event, SaveEnd)

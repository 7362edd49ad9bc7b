"""Each size and count is where `Family.lengths` says: what is read there is what the walk has seen."""

from __future__ import annotations

import pytest
from edits import family_of
from saves import VALID

import streamsave
from streamsave import BlobSkip, Event, Field, ObjectEnd, ObjectHeader, PropertyTag, SaveStart, StructEnter, StructExit
from streamsave.decode.reader import Length

SAMPLES = [
    path
    for folder in ("satisfactory", "gvas", "astroneer")
    for path in sorted((VALID / folder).iterdir())
    if path.suffix in {".sav", ".savegame", ".sbp"}
]


#: Kinds of objects that have a record with sizes.
ASTRONEER_KINDS = {"actor", "manager", "native", "object"}


def check_level(enter: StructEnter, inside: list[Event], fields: list[tuple[Length, int]]) -> None:
    """The sizes and counts of the headers of a level, and of its objects."""
    headers = [event for event in inside if isinstance(event, ObjectHeader)]
    blob = next(event for event in inside if isinstance(event, Field) and event.name == "data_blob")
    ends = [event.offset + event.size for event in inside if isinstance(event, ObjectEnd)]
    content = enter.offset + enter.header_size
    objects = blob.offset + blob.size
    assert [(length.offset, value) for length, value in fields if length.counts] == [
        (content - 4, len(headers)),
        (objects - 4, len(headers)),
    ]
    spans = [(content - 4, blob.offset), (objects - 4, ends[-1] if ends else objects)]
    sizes = [(length.offset + length.width, value) for length, value in fields if not length.counts]
    assert sizes == ([(start, end - start) for start, end in spans] if sizes else [])


def check_record(header: ObjectHeader, inside: list[Event], fields: list[tuple[Length, int]]) -> None:
    """The sizes of an object of Astroneer: of its properties, and of these with the custom data after them."""
    custom = sum(event.size for event in inside if isinstance(event, BlobSkip) and event.reason.startswith("custom data"))
    *properties, (total, size) = fields
    assert (total.offset, size, total.end) == (header.data_offset - 4, header.size, -1)
    expected = [(header.data_offset - 8, size - custom, header.data_offset + size - custom)] if header.flags >> 32 & 4 else []
    assert [(length.offset, value, length.end) for length, value in properties] == expected


def check_nesting(enter: Event, inside: list[Event], last: Event, fields: list[tuple[Length, int]]) -> None:
    """What the fields of a nesting say, and what was in it."""
    if isinstance(enter, ObjectHeader) and enter.kind in ASTRONEER_KINDS and enter.level.startswith(("/Game/Maps", "remote")):
        check_record(enter, inside, fields)
        return
    if isinstance(enter, ObjectHeader):
        assert [value for _, value in fields] == ([enter.size] if enter.prefix_size else [])
        return
    assert isinstance(enter, StructEnter)
    if enter.type_name == "VoxelBlock" and enter.index >= 0:
        voxels = next(event for event in inside if isinstance(event, Field) and event.name == "voxels")
        assert [(length.counts, value) for length, value in fields] == [(False, voxels.size)]
        return
    if enter.type_name == "Level" and any(isinstance(event, Field) and event.name == "object_count" for event in inside):
        assert fields == []
        return
    if enter.type_name == "Level":
        check_level(enter, inside, fields)
        return
    counts = [value for length, value in fields if length.counts]
    elements = [event for event in inside if isinstance(event, ObjectHeader) or getattr(event, "index", -1) >= 0]
    assert counts == ([len(elements)] if enter.count >= 0 else [])
    sizes = [value for length, value in fields if not length.counts]
    assert sizes in ([], [last.offset + getattr(last, "size", 0) - enter.offset - enter.header_size])


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_what_is_there_is_what_the_walk_sees(path):
    opened: list[tuple[Event, list[Event], list[Length]]] = []
    inner = dynamic = 0
    with streamsave.open(path) as events:
        family = family_of(events)

        def read(lengths):
            for length in lengths:
                yield length, int.from_bytes(family.cursor_at(length.offset).take(length.width), "little", signed=True)

        for event in events:
            if isinstance(event, SaveStart):
                stated = list(read(family.lengths(event)))
                start = event
                assert family.lengths(event) == [length for length, _ in stated]
            elif isinstance(event, PropertyTag):
                assert [value for _, value in read(family.lengths(event))] == [event.size]
            if opened:
                opened[-1][1].append(event)
            if isinstance(event, (StructEnter, ObjectHeader)):
                opened.append((event, [], family.lengths(event)))
            elif isinstance(event, (StructExit, ObjectEnd)):
                enter, inside, lengths = opened.pop()
                fields = list(read(family.lengths(enter)))
                assert [length for length, _ in fields] == lengths, "they are the same at the end of the nesting"
                check_nesting(enter, inside, event, fields)
                inner += len(lengths) == 2
                if opened:
                    opened[-1][1].append(event)
                dynamic += len(lengths) == 1 and not lengths[0].counts and isinstance(enter, StructEnter)
        last = event
    assert opened == []
    assert [value for _, value in stated] == [last.offset - length.width for length, _ in stated]
    if start.format.startswith("satisfactory"):
        assert len(stated) == 1
    if start.format.startswith("satisfactory") and path.stem != "sv46-edited":  # that one has a single object
        assert (inner > 0) == (path.name != "sv58.sbp"), "all others have objects with old tags"
        assert (dynamic > 0) == (start.version >= 43)


def test_a_blob_has_a_size():
    with streamsave.open(VALID / "gvas" / "palworld-1.0.sav") as events:
        blobs = [event for event in events if isinstance(event, StructEnter) and event.name == "RawData"]
        lengths = [family_of(events).lengths(event) for event in blobs]
        assert lengths == [[Length(event.offset, 4, counts=False)] for event in blobs]
    assert len(blobs) > 20

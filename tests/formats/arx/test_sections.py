"""Sections of an entry, one by one."""

from __future__ import annotations

import pytest
from cursors import cursor_over

from streamsave import BlobSkip, DamagedSave, Field, Limits, StructEnter, StructExit
from streamsave.decode.reader import Reader
from streamsave.formats.arx import world
from streamsave.formats.arx.sections import SectionWalker

LIGHT = world.LIGHT


def sections_over(data: bytes, *, sparse: bool = False) -> tuple[Reader, SectionWalker]:
    reader = Reader(cursor_over(data), Limits())
    reader.sparse = sparse
    return reader, SectionWalker(reader)


def test_struct():
    reader, sections = sections_over(b"\1\0" + bytes(6))
    assert list(sections.struct("light", LIGHT)) == [
        StructEnter(0, "light", "LIGHT", 0, 8, -1, -1),
        Field(0, "status", "i16", 2, -1),
        BlobSkip(2, 6, "padding"),
        StructExit(8, "light", 0),
    ]
    assert (reader.cursor.tell(), reader.steps) == (8, [])


@pytest.mark.parametrize("size", [7, 0])
def test_struct_without_room(size):
    _, sections = sections_over(bytes(size))
    with pytest.raises(DamagedSave, match="no room for a LIGHT") as caught:
        list(sections.struct("light", LIGHT))
    assert (caught.value.expected, caught.value.actual) == ("8 bytes", size)


def test_a_struct_that_was_passed_over_has_no_rows():
    reader, sections = sections_over(bytes(8))
    walk = sections.struct("light", LIGHT)
    enter = next(walk)
    assert isinstance(enter, StructEnter)
    assert reader.skip(enter)
    assert list(walk) == [StructExit(8, "light", 0)]


SPARSE = [
    # bytes, what is said of them
    (bytes(8), [("zeros", 0, 8, ["status", "padding"])]),
    (b"\1\0" + bytes(6), [("status", 0, 2, 1), ("zeros", 2, 6, ["padding"])]),
    (bytes(7) + b"\1", [("zeros", 0, 2, ["status"]), ("padding", 2, 6, None)]),
]


@pytest.mark.parametrize(("data", "expected"), SPARSE)
def test_sparse(data, expected):
    reader, sections = sections_over(data, sparse=True)
    found: list[tuple[str, int, int, object]] = []
    for event in sections.struct("light", LIGHT):
        if isinstance(event, Field):
            found.append((event.name, event.offset, event.size, reader.value(event)))
        elif isinstance(event, BlobSkip):
            found.append((event.reason, event.offset, event.size, None))
    assert found == expected


def test_structs():
    reader, sections = sections_over(bytes(16))
    paths = []
    events = []
    for event in sections.structs("lights", LIGHT, 2):
        events.append(event)
        if isinstance(event, StructEnter):
            paths.append(reader.path())
        reader.leaf_end = -1
    assert events[0] == StructEnter(0, "lights", "LIGHT[]", 0, 16, -1, 2)
    assert paths == [("lights",), ("lights", 0), ("lights", 1)]
    assert events[-1] == StructExit(16, "lights", 0)


def test_texts():
    reader, sections = sections_over(b"ab\0\0cdef")
    events = []
    values = []
    for event in sections.texts("keys", "char[4]", 2):
        events.append(event)
        if isinstance(event, Field):
            assert reader.path() == ("keys", event.index)
            values.append(reader.value(event))
    assert events[0] == StructEnter(0, "keys", "char[4][]", 0, 8, -1, 2)
    assert values == ["ab", "cdef"]
    assert events[-1] == StructExit(8, "keys", 0)


@pytest.mark.parametrize("count", [1, 2])
def test_room_at_what_fits_and_one_above(count):
    """One element fits, of any kind."""
    for size, walk in (
        (8, lambda sections: sections.structs("some", LIGHT, count)),
        (4, lambda sections: sections.texts("some", "char[4]", count)),
        (72, lambda sections: sections.variables("some", count)),
    ):
        _, sections = sections_over(bytes(size))
        if count == 1:
            assert isinstance(list(walk(sections))[-1], StructExit)
            continue
        with pytest.raises(DamagedSave, match="2 some do not fit") as caught:
            list(walk(sections))
        assert (caught.value.expected, caught.value.actual) == ("0 to 1", 2)


def test_numbers_leave_the_cursor():
    reader, sections = sections_over(b"\xff\xff" + bytes(6))
    row = LIGHT.row("status")
    assert (sections.number(row), reader.cursor.tell()) == (-1, 0)
    with pytest.raises(DamagedSave, match="count -1 is negative"):
        sections.count(row)

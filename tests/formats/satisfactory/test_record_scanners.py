"""Scanners: from where records lead to a known end, and what is no record."""

from __future__ import annotations

import struct

import pytest
from satisfactory_layouts import reader_over
from writer.primitives import Ref, bool32, fstring, i32, ref, u32
from writer.satisfactory import Object

from streamsave.formats.satisfactory.level_layout import BLUEPRINT_LAYOUT, level_layout
from streamsave.formats.satisfactory.record_scanners import (
    LARGEST_REFERENCE,
    EntryScanner,
    HeaderScanner,
    LevelScanner,
    likely_version,
    may_fill,
)

#: Nothing in it looks like a record.
HOLE = b"\xfe" * 50
DATA = fstring("None") + bool32(False)


def header(number: int, version: int = 52) -> bytes:
    return Object("/Script/Oracle.One", f"One_{number}", outer="Owner" if number % 2 else None).header(version)


def entry(version: int | None, data: bytes = DATA) -> bytes:
    return (b"" if version is None else i32(version) + bool32(False)) + i32(len(data)) + data


@pytest.mark.parametrize("version", [36, 48, 49, 60])
def test_headers(version):
    records = [header(number, version) for number in range(5)]
    reader = reader_over(HOLE + b"".join(records))
    scanner = HeaderScanner(reader.cursor, 9, version, level_layout(version).tail, reader)
    assert scanner.find(1)
    assert (scanner.place, scanner.left, scanner.end) == (len(HOLE), 5, len(HOLE) + sum(map(len, records)))
    scanner.pass_records(2)
    assert (scanner.left, scanner.headers.instance_name) == (3, "One_1")
    assert scanner.place == len(HOLE) + len(records[0]) + len(records[1])
    assert scanner.place_of(1) == scanner.end - len(records[4])


def test_headers_end_before_the_copy_of_the_destroyed_actors():
    data = header(0) + header(1)
    reader = reader_over(data + i32(1) + ref(Ref("Level", "Gone")))
    scanner = HeaderScanner(reader.cursor, 9, 52, level_layout(52).tail, reader)
    assert (scanner.count(0), scanner.end) == (2, len(data))
    assert HeaderScanner(reader.cursor, 9, 52, BLUEPRINT_LAYOUT.tail, reader).count(0) == -1


@pytest.mark.parametrize(("most", "count"), [(2, 2), (1, -1)])
def test_more_records_than_may_be_left(most, count):
    reader = reader_over(header(0) + header(1))
    assert HeaderScanner(reader.cursor, most, 52, level_layout(52).tail, reader).count(0) == count


@pytest.mark.parametrize(
    ("version", "tail"), [(25, b""), (36, b""), (41, b""), (52, b""), (53, bool32(False)), (60, bool32(False))]
)
def test_entries(version, tail):
    one = entry(version if version >= 41 else None, DATA + b"x") + tail
    reader = reader_over(HOLE + one * 3)
    scanner = EntryScanner(reader.cursor, 3, version, level_layout(version), reader)
    assert not scanner.is_whole_from(0)
    assert scanner.find(0)
    assert (scanner.place, scanner.left) == (len(HOLE), 3)
    assert scanner.is_whole_from(len(HOLE))


@pytest.mark.parametrize("before", [b"", b"\1", i32(0)], ids=["a text", "after a byte", "after an empty text"])
@pytest.mark.parametrize("text", ["a", " a", "\1", "\x1f\x1f", "\x7f", "\x80", "\u1234"])
def test_entries_that_start_with_any_text(text, before):
    one = entry(None, before + fstring(text) + DATA)
    reader = reader_over(HOLE + one * 2)
    scanner = EntryScanner(reader.cursor, 9, 36, level_layout(36), reader)
    assert scanner.find(0)
    assert (scanner.place, scanner.left) == (len(HOLE), 2)


@pytest.mark.parametrize("bad", [i32(53), i32(0), i32(-1)])
def test_entries_are_no_newer_than_their_level(bad):
    good = entry(52)
    reader = reader_over(good + bad + good[4:])
    scanner = EntryScanner(reader.cursor, 9, 52, level_layout(52), reader)
    assert scanner.count(0) == -1
    assert scanner.count(len(good) * 2) == 0


@pytest.mark.parametrize("size", [-1, len(DATA) + 1])
def test_entries_fit(size):
    good = entry(52)
    reader = reader_over(good[:8] + i32(size) + good[12:])
    assert EntryScanner(reader.cursor, 9, 52, level_layout(52), reader).count(0) == -1


def level(name: str, version: int, count: int = 1) -> bytes:
    """A level with so many objects; without a name it is the persistent one."""
    toc = i32(count) + b"".join(header(number, version) for number in range(count))
    data = i32(count) + entry(version if version >= 41 else None) * count
    form = "<q" if version >= 41 else "<i"
    blobs = struct.pack(form, len(toc)) + toc + struct.pack(form, len(data)) + data
    if not name:
        return blobs + i32(0)
    return fstring(name) + blobs + (u32(version) if version >= 51 else b"") + i32(0)


@pytest.mark.parametrize("version", [29, 36, 41, 51, 52])
@pytest.mark.parametrize("unresolved", [b"", i32(0)])
def test_levels(version, unresolved):
    """Up to the persistent level, after which nothing is left, or the list that some tools leave out."""
    first = level("Cell", version)
    data = HOLE + first + level("Next", version, 0) + level("", version) + unresolved
    reader = reader_over(data)
    scanner = LevelScanner(reader.cursor, 9, level_layout(version), reader)
    assert scanner.find(1)
    assert (scanner.place, scanner.left) == (len(HOLE), 2)
    assert scanner.find(len(HOLE) + 1)
    assert (scanner.place, scanner.left) == (len(HOLE) + len(first), 1)
    assert LevelScanner(reader_over(data + b"x").cursor, 9, level_layout(version), reader).count(len(HOLE)) == -1


def test_a_level_with_other_numbers_of_headers_and_objects():
    data = level("Cell", 52)
    at = data.index(entry(52)) - 4
    reader = reader_over(data[:at] + i32(2) + data[at + 4 :] + level("", 52))
    assert LevelScanner(reader.cursor, 9, level_layout(52), reader).count(0) == -1


@pytest.mark.parametrize(("level_version", "likely"), [(46, 48), (48, 48), (49, 52), (52, 52)])
def test_likely_versions_of_a_level(level_version, likely):
    """Those of the save, or the newest without flags in headers."""
    toc = i32(2) + header(0, level_version) + header(1, level_version)
    reader = reader_over(struct.pack("<q", len(toc)) + toc + HOLE)
    assert likely_version(reader.cursor, level_layout(52), 52, reader) == likely
    assert reader.cursor.tell() == 0


def test_no_likely_version():
    reader = reader_over(struct.pack("<qi", 8, 7) + HOLE)
    assert likely_version(reader.cursor, level_layout(52), 52, reader) == -1


@pytest.mark.parametrize(
    ("count", "left", "may"),
    [
        (0, 0, True),
        (0, 1, False),
        (-1, 8, False),
        (1, 7, False),
        (1, 8, True),
        (1, LARGEST_REFERENCE, True),
        (1, LARGEST_REFERENCE + 1, False),
        (2, 15, False),
        (2, 16, True),
        (0x7FFFFFFF, 16, False),
    ],
)
def test_whether_a_list_of_references_may_fill_what_is_left(count, left, may):
    cursor = reader_over(struct.pack("<i", count) + bytes(left)).cursor
    assert may_fill(cursor) == may
    assert cursor.tell() == 0


def test_too_few_bytes_for_a_list():
    assert not may_fill(reader_over(bytes(3)).cursor)

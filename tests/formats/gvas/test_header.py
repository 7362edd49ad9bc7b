"""The header of a save game from bytes made by hand. The gates of its versions are in `test_versions.py`."""

from __future__ import annotations

import struct

import pytest
from unreal_walks import reader_over
from writer.primitives import fstring, i32, u32

from streamsave import DamagedSave, LimitExceeded, Limits, SaveError, UnsupportedSave
from streamsave.formats.gvas.header import CLASS_HEADER_SIZE, CustomVersion, GvasHeader, read_header, read_to_class
from streamsave.values import Guid

KEY = bytes(range(16))
NONE = fstring("None")
PROPERTY = fstring("Health") + fstring("IntProperty") + i32(4) + i32(0) + b"\0" + i32(7) + NONE


def start(version: int = 2, ue5: bytes = b"") -> bytes:
    engine = struct.pack("<HHHI", 4, 27, 2, 0x8000_0005)
    return b"GVAS" + i32(version) + i32(522) + ue5 + engine + fstring("branch")


def header_bytes(class_name: str = "C", *, customs: bytes = i32(3) + i32(0), ue5: bytes = b"") -> bytes:
    return start(3 if ue5 else 2, ue5) + customs + fstring(class_name)


def read(data: bytes, limits: Limits | None = None) -> GvasHeader:
    reader = reader_over(data, limits=limits)
    header = read_header(reader.cursor, reader)
    assert header.size == reader.cursor.tell()
    return header


def test_each_field():
    customs = i32(1) + i32(1) + KEY + i32(9) + fstring("part")
    data = header_bytes("/Script/X.C", customs=customs, ue5=i32(1009))
    header = read(data + PROPERTY)
    assert header == GvasHeader(
        save_game_version=3,
        package_version_ue4=522,
        package_version_ue5=1009,
        engine_version=(4, 27, 2),
        changelist=0x8000_0005,
        branch="branch",
        custom_version_format=1,
        custom_versions=[CustomVersion(Guid(KEY), 9, "part")],
        save_game_class="/Script/X.C",
        size=len(data),
    )
    assert header.ue5_version == 1009


def test_a_save_before_ue5_has_no_version_of_it():
    header = read(header_bytes() + PROPERTY)
    assert header.package_version_ue5 is None
    assert header.ue5_version == 0


def test_custom_version_by_key():
    customs = i32(3) + i32(2) + KEY + i32(9) + bytes(16) + i32(4)
    header = read(header_bytes(customs=customs) + PROPERTY)
    assert header.custom_version(KEY) == 9
    assert header.custom_version(bytes(16)) == 4
    assert header.custom_version(b"\xff" * 16) == -1


@pytest.mark.parametrize("data", [b"GVAT", b"gvas", b"\0" * 4])
def test_another_magic(data):
    with pytest.raises(UnsupportedSave, match="no save game starts here"):
        read(data + start()[4:])


@pytest.mark.parametrize(("kind", "least"), [(1, 24), (2, 8), (3, 20)])
def test_a_count_with_room_for_no_more(kind, least):
    """Each entry has at least so many bytes."""
    rest = bytes(2 * least)
    for count, fits in ((2, True), (3, False), (-1, False)):
        reader = reader_over(start() + i32(kind) + i32(count) + rest)
        try:
            read_to_class(reader.cursor)
        except SaveError as error:
            message = error.message
        assert (message == f"count {count} does not fit") is not fits


@pytest.mark.parametrize("count", [2, 3])
def test_number_of_custom_versions_at_its_limit_and_one_above(count):
    customs = i32(2) + i32(count) + (u32(1) + i32(2)) * count
    data = header_bytes(customs=customs) + PROPERTY
    limits = Limits(table_entries=2)
    if count == 2:
        assert len(read(data, limits).custom_versions) == 2
        return
    with pytest.raises(LimitExceeded) as caught:
        read(data, limits)
    assert (caught.value.limit, caught.value.value) == ("table_entries", 3)


@pytest.mark.parametrize(
    ("name", "data", "values"),
    [
        ("Abiotic_WorldSave_C", fstring("m") + i32(1) + i32(2) + i32(3), {"marker": "m", "version": 1, "kind": 2, "size": 3}),
        ("Abiotic_WorldMetadataSave_C", fstring("") + i32(1) * 3, {"marker": "", "version": 1, "kind": 1, "size": 1}),
        ("Abiotic_CharacterSave_C", i32(1) + i32(2), {"version": 1, "size": 2}),
    ],
)
def test_known_class_headers(name, data, values):
    """By the end of the class's name, whatever package it is in."""
    for prefix in ("", "/Game/X."):
        assert read(header_bytes(prefix + name) + data + PROPERTY).class_header == values


@pytest.mark.parametrize("size", [1, 8, CLASS_HEADER_SIZE])
def test_unknown_class_headers_are_bytes_up_to_the_first_property(size):
    data = b"\xfe" * size
    assert read(header_bytes() + data + PROPERTY).class_header == data


def test_a_class_header_larger_than_what_is_searched():
    """Then the properties are looked for where the header should have ended: the fault is found there."""
    data = header_bytes()
    header = read(data + b"\xfe" * (CLASS_HEADER_SIZE + 1) + PROPERTY)
    assert (header.class_header, header.size) == (None, len(data))


@pytest.mark.parametrize("size", [1, CLASS_HEADER_SIZE - 1])
def test_a_save_that_ends_while_its_properties_are_searched(size):
    with pytest.raises(DamagedSave):
        read(header_bytes() + b"\xfe" * size)

"""How a save of Arx is recognized."""

import struct

import pytest
from saves import read
from writer.arx import LEGACY, NO_EXTENSION, RELEASE
from writer.arx_samples import one_row

import streamsave
from streamsave import TruncatedSave, UnsupportedSave
from streamsave.formats.arx.sniff import ENTRY_STARTS, has_table, sniff_container
from streamsave.input.source import open_source


def sniffed(data: bytes) -> bool:
    return sniff_container(data[:64], open_source(data))


def test_other_files_are_not():
    assert sniffed(one_row())
    for data in (b"", b"\0\0\0\0", bytes(64), b"<!DOCTYPE html><html></html>" * 9, b"\x1f\x8b\x08\0" + bytes(99), b"\xff" * 99):
        assert not sniffed(data), data[:9]


@pytest.mark.parametrize("start", ENTRY_STARTS)
def test_a_file_that_was_cut_off_is_known_by_its_first_entry(start):
    cut = struct.pack("<I", 1000) + start + bytes(20)
    assert sniffed(cut)
    assert not sniffed(cut[:4] + b"\1" + cut[4:])
    with pytest.raises(TruncatedSave):
        read(cut)


@pytest.mark.parametrize(
    ("version", "is_one"),
    [
        (LEGACY - 1, False),
        (LEGACY, True),
        (RELEASE, True),
        (RELEASE + 1, False),
        (0x0001FFFF, False),
        (0x00020000, True),
        (NO_EXTENSION, True),
        # May come one day: minor up to 0xff, major up to 15.
        (NO_EXTENSION + 1, True),
        (0x000200FF, True),
        (0x00020100, False),
        (0x000F00FF, True),
        (0x00100000, False),
        (0xFFFFFFFF, False),
    ],
)
def test_versions(version, is_one):
    data = struct.pack("<I", 4) + b"data" + struct.pack("<II", version, 0)
    assert sniffed(data) == is_one
    if is_one:
        with streamsave.open(data) as events:
            assert next(events).version == version
    else:
        with pytest.raises(UnsupportedSave):
            streamsave.open(data)


def proven(data: bytes) -> bool:
    return has_table(data[:64], open_source(data))


def test_the_tables_of_real_saves_are_proven(corpus):
    saves = sorted((corpus / "arx").glob("*.sav"))
    assert len(saves) > 5
    assert [save.name for save in saves if not proven(save.read_bytes())] == []


def table(version: int, *numbers: int, name: bytes = b"player\0", count: int = 1) -> bytes:
    return (
        struct.pack("<I", 8) + bytes(8) + struct.pack("<II", version, count) + name + struct.pack(f"<{len(numbers)}I", *numbers)
    )


@pytest.mark.parametrize(
    ("data", "is_proven"),
    [
        (table(NO_EXTENSION, 8, 1, 0, 8, 0), True),
        (table(NO_EXTENSION, 8, 1, 2, 4, 4), True),
        (table(NO_EXTENSION, 8, 1, 3, 8, 0), False),  # a codec that is none
        (table(NO_EXTENSION, 8, 1, 0, 8, 1), False),  # the chunk ends after the data
        (table(NO_EXTENSION, 8, 1, 0, 0, 9), False),
        (table(NO_EXTENSION, 8, 0, 0, 8, 0), False),  # no chunk
        (table(NO_EXTENSION, 8, 1, 0, 8), False),
        (table(NO_EXTENSION, 8, 1, 0, 8, 0, name=b"\0"), False),
        (table(NO_EXTENSION, 8, 1, 0, 8, 0, name=b"pl\x1fyer\0"), False),
        (table(NO_EXTENSION, 8, 1, 0, 8, 0, name=b"p" * 256 + b"\0"), False),
        (table(NO_EXTENSION + 1, 8, 1, 0, 8, 0), False),
        (table(RELEASE, 8, 0, 77, 8, 0), True),
        (table(RELEASE, 8, 0, 77, 9, 0), False),
        (table(LEGACY, name=b"dummy\0"), True),
        (table(LEGACY, name=b"dummy"), False),
        (table(NO_EXTENSION, name=b"", count=0), True),
        (table(NO_EXTENSION, name=b"x", count=0), False),
        (table(NO_EXTENSION)[:19], False),
    ],
)
def test_what_proves_a_table(data, is_proven):
    assert proven(data) == is_proven

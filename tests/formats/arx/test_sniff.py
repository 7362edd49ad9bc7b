"""How a save of Arx is recognized."""

from __future__ import annotations

import struct

import pytest
from saves import read
from writer.arx import LEGACY, NO_EXTENSION, RELEASE
from writer.arx_samples import SAMPLES, one_row

import streamsave
from streamsave import TruncatedSave, UnsupportedSave
from streamsave.formats.arx.sniff import ENTRY_STARTS, sniff_container
from streamsave.input.source import open_source


def sniffed(data: bytes) -> bool:
    return sniff_container(data[:64], open_source(data))


@pytest.mark.parametrize("name", SAMPLES)
def test_all_samples_are_recognized(name):
    assert sniffed(SAMPLES[name]().encode())


def test_other_files_are_not():
    assert sniffed(one_row())
    for data in (b"", b"\0\0\0\0", bytes(64), b"<!DOCTYPE html><html></html>" * 9, b"\x1f\x8b\x08\0" + bytes(99), b"\xff" * 99):
        assert not sniffed(data), data[:9]


def test_six_bytes_are_enough_and_five_are_not():
    cut = struct.pack("<I", 100) + ENTRY_STARTS[0]
    assert sniffed(cut)
    assert not sniffed(cut[:5])


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

"""What is around a save game: each row of the table, by its first bytes."""

from __future__ import annotations

import gzip
import struct
import zlib

import pytest

from streamsave import Limits, TruncatedSave, UnsupportedSave
from streamsave.formats.gvas.sniff import sniff_compressed, sniff_gvas
from streamsave.formats.gvas.wrappers import make_windows
from streamsave.input.source import BytesSource

GAME = b"GVAS" + bytes(range(200))
ZLIB = zlib.compress(GAME)
TWICE = zlib.compress(ZLIB)


def palworld(body: bytes, compressed_size: int, magic: bytes, kind: int) -> bytes:
    return struct.pack("<II", len(GAME), compressed_size) + magic + bytes([kind]) + body


PLZ_STORED = palworld(GAME, len(GAME), b"PlZ", 0x30)
PLZ_ONCE = palworld(ZLIB, len(ZLIB), b"PlZ", 0x31)
PLZ_TWICE = palworld(TWICE, len(ZLIB), b"PlZ", 0x32)

#: Has the file a mark; its bytes; the name of the wrapper.
ROWS = [
    (True, GAME, "raw"),
    (True, b"GSWU" + bytes(12) + GAME, "GSWU"),
    (True, PLZ_STORED, "PlZ 0x30 (stored)"),
    (True, PLZ_ONCE, "PlZ 0x31 (zlib)"),
    (True, PLZ_TWICE, "PlZ 0x32 (zlib, zlib)"),
    (True, palworld(GAME, len(GAME), b"PlM", 0x30), "PlM 0x30 (stored)"),
    (True, bytes(8) + b"CNK\0" + PLZ_ONCE, "CNK, PlZ 0x31 (zlib)"),
    (False, gzip.compress(GAME), "gzip"),
    (False, ZLIB, "zlib"),
]


@pytest.mark.parametrize(("is_marked", "data", "name"), ROWS)
def test_wrappers(is_marked, data, name):
    assert sniff_gvas(data[:64]) is is_marked
    assert sniff_compressed(data[:64], BytesSource(data)) is not is_marked
    windows, wrapper = make_windows(BytesSource(data), Limits())
    assert wrapper == name
    assert bytes(windows.window(0)).startswith(b"GVAS")


NOT_OURS = [
    b"GVA" + bytes(61),
    b"GSWU" + bytes(12) + b"SAVE" + bytes(44),
    bytes(8) + b"PlX\x31" + bytes(52),
    bytes(8) + b"CNK\0" + bytes(8) + b"PlX" + bytes(41),
    bytes(64),
    gzip.compress(b"SAVE" + bytes(60)),
    zlib.compress(b"SAVE" + bytes(60)),
    b"\x78\x9c" + bytes(62),
    b"\x78\x9d" + ZLIB[2:],
]


@pytest.mark.parametrize("data", NOT_OURS)
def test_what_is_not_ours(data):
    assert not sniff_gvas(data[:64])
    assert not sniff_compressed(data[:64], BytesSource(data))


@pytest.mark.parametrize("data", [b"GSWU" + bytes(12) + b"GV", bytes(8) + b"CNK\0" + bytes(8) + b"Pl"])
def test_a_cut_file_is_ours(data):
    assert sniff_gvas(data)


@pytest.mark.parametrize(("magic", "kind"), [(b"PlZ", 0x2F), (b"PlZ", 0x33), (b"PlM", 0x32)])
def test_unknown_kinds(magic, kind):
    with pytest.raises(UnsupportedSave, match="unknown kind of Palworld save"):
        make_windows(BytesSource(palworld(ZLIB, len(ZLIB), magic, kind)), Limits())


@pytest.mark.parametrize("data", [PLZ_ONCE[:11], bytes(8) + b"CNK\0" + PLZ_ONCE[:11]])
def test_a_header_that_is_cut(data):
    with pytest.raises(TruncatedSave, match="inside of its header"):
        make_windows(BytesSource(data), Limits())

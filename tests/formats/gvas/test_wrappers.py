"""What is around a save game: each row of the table, by its first bytes."""

import gzip
import struct
import zlib

import pytest

from streamsave import Limits, UnsupportedSave
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
    (True, b"MSGF" + GAME[4:], "raw"),
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
    assert bytes(windows.window(0)).startswith((b"GVAS", b"MSGF"))


@pytest.mark.parametrize(("magic", "kind"), [(b"PlZ", 0x2F), (b"PlZ", 0x33), (b"PlM", 0x32)])
def test_unknown_kinds(magic, kind):
    with pytest.raises(UnsupportedSave, match="unknown kind of Palworld save"):
        make_windows(BytesSource(palworld(ZLIB, len(ZLIB), magic, kind)), Limits())

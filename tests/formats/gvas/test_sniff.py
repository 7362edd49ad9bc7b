"""Which files are Unreal save games, by their first bytes."""

from __future__ import annotations

import gzip
import zlib

import pytest
from saves import VALID

from streamsave.formats.gvas.sniff import sniff_compressed, sniff_gvas
from streamsave.input.source import BytesSource

GAME = (VALID / "gvas" / "ue5-1018.sav").read_bytes()
ZLIB = zlib.compress(GAME)


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

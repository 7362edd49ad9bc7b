"""Which files are saves of Astroneer, Unreal and shapez 2, by their first bytes."""

import gzip
import zlib

import pytest
from saves import VALID

from streamsave.formats.astroneer.sniff import sniff_astroneer
from streamsave.formats.gvas.sniff import sniff_compressed, sniff_gvas
from streamsave.formats.shapez2.sniff import sniff_code, sniff_save
from streamsave.input.source import BytesSource

ASTRONEER = bytes.fromhex("BE40374AEE0B74A3")
ZLIB = zlib.compress((VALID / "gvas" / "ue5-1018.sav").read_bytes())
#: First bytes -> what they are.
HEADS = {
    ASTRONEER: "astroneer",  # the mark of the wrapper is enough
    ASTRONEER[:-1]: "",
    ASTRONEER[:-1] + b"\xa4": "",
    b"PK\x03\x04": "save",
    b"PK\x05\x06": "save",
    b"PK\x03": "",
    b"PK\x01\x02": "",
    b"SHAPEZ2-": "code",
    b"SHAPEZ2": "",
    b"SHAPEZ-4-": "",
    b"": "",
    b"GVAS": "gvas",
    b"\4\0\0\0": "",
    bytes(64): "",
    b"GVA" + bytes(61): "",
    b"GSWU" + bytes(12) + b"SAVE" + bytes(44): "",
    bytes(8) + b"PlX\x31" + bytes(52): "",
    bytes(8) + b"CNK\0" + bytes(8) + b"PlX" + bytes(41): "",
    gzip.compress(b"SAVE" + bytes(60)): "",
    zlib.compress(b"SAVE" + bytes(60)): "",
    b"\x78\x9c" + bytes(62): "",
    b"\x78\x9d" + ZLIB[2:]: "",
}


@pytest.mark.parametrize(("data", "name"), HEADS.items())
def test_first_bytes(data, name):
    for head in (data[:64], data[:64] + bytes(56)):
        source = BytesSource(data)
        assert sniff_astroneer(head, source) is (name == "astroneer")
        assert sniff_save(head) is (name == "save")
        assert sniff_code(head) is (name == "code")
        assert sniff_gvas(head) is (name == "gvas")
        assert not sniff_compressed(head, source)

"""Which files are Astroneer saves, by their first bytes."""

from __future__ import annotations

import pytest

from streamsave.formats.astroneer.sniff import sniff_astroneer
from streamsave.input.source import BytesSource

WRAPPED = bytes.fromhex("BE40374AEE0B74A3")


def sniffed(data: bytes) -> bool:
    return sniff_astroneer(data[:64], BytesSource(data))


def test_the_mark_of_the_wrapper_is_enough():
    assert sniffed(WRAPPED)
    assert not sniffed(WRAPPED[:-1])
    assert not sniffed(WRAPPED[:-1] + b"\xa4")


@pytest.mark.parametrize("data", [b"", b"GVAS", b"PK\x03\x04", b"\4\0\0\0", bytes(64)])
def test_short_files(data):
    assert not sniffed(data)

"""Which files are Astroneer saves, by their first bytes."""

from __future__ import annotations

import pytest
from saves import VALID

from streamsave.formats.astroneer.sniff import sniff_astroneer
from streamsave.input.source import BytesSource

SAMPLES = sorted((VALID / "astroneer").glob("*.*"))
WRAPPED = bytes.fromhex("BE40374AEE0B74A3")


def sniffed(data: bytes) -> bool:
    return sniff_astroneer(data[:64], BytesSource(data))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_samples(path):
    assert sniffed(path.read_bytes())


def test_the_mark_of_the_wrapper_is_enough():
    assert sniffed(WRAPPED)
    assert not sniffed(WRAPPED[:-1])
    assert not sniffed(WRAPPED[:-1] + b"\xa4")


@pytest.mark.parametrize("name", ["gvas/ue5-1018.sav", "shapez2/small.spz2", "satisfactory/sv46.sav", "arx/v2.1.sav"])
def test_saves_of_others_with_the_same_start(name):
    assert not sniffed((VALID / name).read_bytes())


@pytest.mark.parametrize("data", [b"", b"GVAS", b"PK\x03\x04", b"\4\0\0\0", bytes(64)])
def test_short_files(data):
    assert not sniffed(data)

"""Bytes are recognised wherever they are in a buffer, and only if all of them are there."""

from __future__ import annotations

import pytest

from streamsave.decode.known_bytes import SLOTS, RecentStrings, is_at, slot_of

#: Around the sizes of words.
SIZES = [*range(18), 31, 32, 33, 255, 256]


def text_of(size: int) -> bytes:
    """Different bytes, as far as possible."""
    return bytes((7 * index + size) % 251 + 1 for index in range(size))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("start", [0, 1, 5])
def test_each_byte_counts(size, start):
    expected = text_of(size)
    buffer = b"\xfe" * start + expected + b"\xfd"
    assert is_at(buffer, start, expected)
    for index in range(size):
        other = bytearray(buffer)
        other[start + index] ^= 0x80
        assert not is_at(bytes(other), start, expected)


@pytest.mark.parametrize("size", [size for size in SIZES if size])
def test_a_string_is_found_by_its_bytes(size):
    strings = RecentStrings()
    raw = text_of(size)
    buffer = b"\xfe\xfe\xfe" + raw + b"\xfd"
    assert strings.find(buffer, 3, size) is None
    strings.keep(raw, "text")
    assert strings.find(buffer, 3, size) == "text"
    for index in range(size):
        other = bytearray(buffer)
        other[3 + index] ^= 0x80
        assert strings.find(bytes(other), 3, size) is None
    assert size == 1 or strings.find(buffer, 3, size - 1) is None


def test_the_last_one_of_a_slot_is_kept():
    """Strings that differ only where no slot looks share one."""
    one, other = (b"/Game/AB" + middle + b"/" + b"x" * 40 + b"/Build_C\0" for middle in (b"first_name", b"other_name"))
    assert slot_of(one, 0, len(one)) == slot_of(other, 0, len(other))
    strings = RecentStrings()
    strings.keep(one, "one")
    strings.keep(other, "other")
    assert strings.find(one, 0, len(one)) is None
    assert strings.find(other, 0, len(other)) == "other"


def test_names_spread_over_the_slots():
    names = [f"/Game/FactoryGame/Build_{number}.Build_{number}_C\0".encode() for number in range(1000)]
    slots = {slot_of(name, 0, len(name)) for name in names}
    assert all(0 <= slot < SLOTS for slot in slots)
    assert len(slots) > 700

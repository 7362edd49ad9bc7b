"""What is imploded is exploded again, by the bits of the format."""

from __future__ import annotations

import random

import pytest
from writer.arx import dictionary_bits
from writer.arx import implode as written

from streamsave.input.implode import Exploder
from streamsave.rewriting.imploder import LENGTH_CODES, MOST_HELD, imploded

CHANCE = random.Random(1)
DATA = {
    "empty": b"",
    "one": b"a",
    "all bytes": bytes(range(256)) * 2,
    "zeros": bytes(3000),
    "the longest match": b"x" * 519 + b"y" * 520,
    "far": b"abcdef" + bytes(range(250)) * 4 + b"abcdef",
    "too far": b"abcdef" + CHANCE.randbytes(2048) + b"abcdef",
    "noise": CHANCE.randbytes(3000),
}


def implode(data):
    return b"".join(imploded([data], len(data)))


@pytest.mark.parametrize("name", DATA)
def test_there_and_back(name):
    data = DATA[name]
    exploder = Exploder()
    assert exploder.decompress(implode(data), len(data) + 1) == data
    assert exploder.eof
    assert not exploder.unused_data
    assert implode(data) == written(data)


@pytest.mark.parametrize("size", [1, 3, 999])
@pytest.mark.parametrize("name", DATA)
def test_a_piece_at_a_time(name, size):
    data = DATA[name]
    assert b"".join(imploded((data[at : at + size] for at in range(0, len(data), size)), len(data))) == implode(data)


def test_pieces_of_more_than_is_held():
    """Matches reach back over what was left out, and not further."""
    data = b"".join(CHANCE.choice([b"abc", b"iron plate", b"x" * 600, CHANCE.randbytes(9)]) for _ in range(2000))
    assert len(data) > 4 * MOST_HELD
    made = b"".join(imploded((data[at : at + 5000] for at in range(0, len(data), 5000)), len(data)))
    assert made == implode(data) == written(data)


@pytest.mark.parametrize(("size", "bits"), [(0, 4), (32768, 4), (32769, 5), (131072, 5), (131073, 6)])
def test_the_dictionary_is_that_of_the_game(size, bits):
    assert implode(bytes(size))[:2] == bytes([0, bits])
    assert dictionary_bits(size) == bits


def test_each_length_has_a_code_of_its_own():
    assert len(set(LENGTH_CODES)) == 518

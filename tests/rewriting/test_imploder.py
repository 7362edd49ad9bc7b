"""What is imploded is exploded again, by the bits of the format."""

from __future__ import annotations

import random

import pytest
from writer.arx import dictionary_bits
from writer.arx import implode as written

from streamsave.input.implode import Exploder
from streamsave.rewriting.imploder import LENGTH_CODES, implode

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


@pytest.mark.parametrize("name", DATA)
def test_there_and_back(name):
    data = DATA[name]
    exploder = Exploder()
    assert exploder.decompress(implode(data), len(data) + 1) == data
    assert exploder.eof
    assert not exploder.unused_data
    assert implode(data) == written(data)


@pytest.mark.parametrize(("size", "bits"), [(0, 4), (32768, 4), (32769, 5), (131072, 5), (131073, 6)])
def test_the_dictionary_is_that_of_the_game(size, bits):
    assert implode(bytes(size))[:2] == bytes([0, bits])
    assert dictionary_bits(size) == bits


def test_each_length_has_a_code_of_its_own():
    assert len(set(LENGTH_CODES)) == 518

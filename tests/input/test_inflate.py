"""One whole zlib stream of a size that is known."""

from __future__ import annotations

import zlib

import pytest

from streamsave.input.inflate import INFLATE_ERRORS, inflate, inflate_some, sound_size

MIB = 1024 * 1024


def test_inflate_never_makes_more_than_its_limit():
    bomb = zlib.compress(bytes(MIB))
    with pytest.raises(ValueError, match="inflates to more than it declares"):
        inflate(bomb, 1000)
    assert inflate(bomb, MIB) == bytes(MIB)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "less than it declares"),
        (b"no zlib", "no sound zlib stream"),
        (zlib.compress(b"abcd")[:-1], "has no end"),
        (zlib.compress(b"abcd") + b"x", "bytes after the zlib stream"),
        (zlib.compress(b"abc"), "less than it declares"),
        (zlib.compress(b"abcde"), "more than it declares"),
    ],
)
def test_anything_else_is_refused(data, message):
    with pytest.raises(ValueError, match=message):
        inflate(data, 4)
    assert inflate(zlib.compress(b"abcd"), 4) == b"abcd"


def test_the_size_of_a_sound_stream():
    packed = zlib.compress(b"x" * 1000)
    assert [sound_size(packed, most) for most in (999, 1000, 5000)] == [-1, 1000, 1000]
    assert sound_size(packed + b"more", 1000) == 1000
    assert [sound_size(bad, 1000) for bad in (packed[:-1], packed[:-1] + b"?", b"", b"text")] == [-1] * 4


def test_some_is_at_least_a_byte_and_goes_on():
    """An inflater that takes nothing and gives nothing would be asked for ever."""

    class Stuck:
        eof = False
        unconsumed_tail = b"abc"

        def decompress(self, data, most):
            return b""

    packed = zlib.compress(b"abcd")
    assert inflate_some(zlib.decompressobj(), packed, 1) == b"a"
    for inflater, data, most in ((zlib.decompressobj(), packed, 0), (Stuck(), b"abc", 1)):
        with pytest.raises(INFLATE_ERRORS, match=r"no room|no progress"):
            inflate_some(inflater, data, most)

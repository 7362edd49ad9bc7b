"""A gzip member in base64: what is refused before it is inflated, and windows of any size of input."""

from __future__ import annotations

import base64
import gzip
import random

import pytest

from streamsave import DamagedSave, LimitExceeded, TruncatedSave
from streamsave.input.base64_gzip import LEAST_GZIP, MOST_INFLATED, Base64GzipWindows
from streamsave.input.source import BytesSource
from streamsave.limits import Limits


def windows_of(text: bytes, size: int = -1, **limits: int) -> Base64GzipWindows:
    return Base64GzipWindows(BytesSource(b"...." + text), Limits(**limits), 4, len(text) if size < 0 else size, "code")


def read_all(windows: Base64GzipWindows) -> bytes:
    found = b""
    while piece := windows.window(len(found)):
        found += piece[len(found) - windows.window_offset :]
    return found


def encoded(data: bytes) -> bytes:
    return base64.b64encode(gzip.compress(data, mtime=0))


@pytest.mark.parametrize("size", [0, 1, 1000, 64 * 1024, 64 * 1024 + 1, 300_000])
def test_windows(size):
    data = random.Random(size).randbytes(size)
    windows = windows_of(encoded(data))
    assert windows.size() == size
    assert read_all(windows) == data
    if size:
        assert windows.locate(size - 1) == (0, size - 1, 4)
        assert [(chunk.codec, chunk.size) for chunk in windows.entered] == [("gzip+base64", size)]


def test_length_at_the_least_and_below():
    least = base64.b64encode(bytes(LEAST_GZIP + 1))
    assert len(least) == 28
    windows_of(least)
    for text in (least[:24], least[:27], b"", least + b"AA"):
        with pytest.raises(DamagedSave, match="length of base64") as caught:
            windows_of(text)
        assert (caught.value.offset, caught.value.actual) == (4, len(text))


def test_declared_size_at_what_deflate_can_make_and_one_above():
    def text(size: int) -> bytes:
        return base64.b64encode(bytes(26) + size.to_bytes(4, "little"))

    most = MOST_INFLATED * len(text(0))
    assert windows_of(text(most)).size() == most
    with pytest.raises(DamagedSave, match="inflated size") as caught:
        windows_of(text(most + 1))
    assert caught.value.actual == most + 1


def test_limits():
    text = encoded(bytes(1000))
    windows_of(text, total_inflated_size=1000)
    with pytest.raises(LimitExceeded, match="total_inflated_size"):
        windows_of(text, total_inflated_size=999)


def test_padding_inside():
    """The first of two pieces ends with padding."""
    data = random.Random(1).randbytes(60_000)
    text = bytearray(encoded(data))
    text[64 * 1024 - 1] = ord("=")
    with pytest.raises(DamagedSave, match="padding inside of base64") as caught:
        read_all(windows_of(bytes(text)))
    assert caught.value.offset == 4


@pytest.mark.parametrize("letter", b" \n-_")
def test_letters_that_are_none(letter):
    text = bytearray(encoded(b"abc" * 100))
    text[5] = letter
    with pytest.raises(DamagedSave, match="no sound base64"):
        read_all(windows_of(bytes(text)))


def test_a_file_that_ends_early():
    text = encoded(b"abc")
    with pytest.raises(TruncatedSave, match="the code has no end"):
        windows_of(text, len(text) + 4)

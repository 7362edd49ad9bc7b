"""Strings by index and in line, and checkpoints."""

from __future__ import annotations

import struct

import pytest
from shapez2_cursors import game_cursor
from writer.shapez2_values import hash_name

from streamsave import DamagedSave
from streamsave.formats.shapez2.game_cursor import CHECKPOINTS

TABLE = ["a", "b"]


@pytest.mark.parametrize(("index", "text"), [(0, "a"), (1, "b"), (-(1 << 31), None)])
def test_a_text_of_the_table(index, text):
    assert game_cursor(struct.pack("<i", index), TABLE).text() == text


@pytest.mark.parametrize("index", [2, -1, -(1 << 31) + 1, (1 << 31) - 1])
def test_an_index_that_the_table_does_not_have(index):
    with pytest.raises(DamagedSave, match="index of a string") as caught:
        game_cursor(struct.pack("<i", index), TABLE).text()
    assert (caught.value.offset, caught.value.expected, caught.value.actual) == (0, "0 to 1", index)


@pytest.mark.parametrize(
    ("size", "data", "text"), [(-1, b"", None), (0, b"", ""), (3, b"a\xc3\xb6", "a\xf6"), (1, b"\xff", "\udcff")]
)
def test_a_text_in_line(size, data, text):
    assert game_cursor(struct.pack("<h", size) + data).text() == text


@pytest.mark.parametrize("size", [-2, 4])
def test_a_size_that_does_not_fit(size):
    with pytest.raises(DamagedSave, match="size of a string") as caught:
        game_cursor(struct.pack("<h", size) + b"abc").text()
    assert (caught.value.offset, caught.value.expected, caught.value.actual) == (0, "-1 to 3", size)


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_checkpoint(name):
    data = CHECKPOINTS[name].to_bytes(4, "little")
    assert game_cursor(data).checkpoint(name) == CHECKPOINTS[name]
    other = next(each for each in CHECKPOINTS if each != name)
    with pytest.raises(DamagedSave, match="wrong checkpoint") as caught:
        game_cursor(data).checkpoint(other)
    assert caught.value.actual == f"{name}, {CHECKPOINTS[name]:#010x}"
    with pytest.raises(DamagedSave, match="unknown, 0x00000000"):
        game_cursor(bytes(4)).checkpoint(name)


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_hash_of_a_name(name):
    assert CHECKPOINTS[name] == hash_name(name)


def test_there_are_thirteen_checkpoints():
    assert len(CHECKPOINTS) == len(set(CHECKPOINTS.values())) == 13

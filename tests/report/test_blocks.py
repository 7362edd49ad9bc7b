"""Blocks of a page's data."""

from __future__ import annotations

import gzip
import random
from array import array
from base64 import b64decode

import pytest
from pages import Tags, blocks_of

from streamsave.report.blocks import CORNERS_BLOCK, JSON_BLOCK, POINTS_BLOCK, TAG_SIZE, Blocks


def parts(tags: list[str]) -> list[str]:
    return [text for tag, text in Tags("".join(tags)).texts if tag == "script" and text.strip()]


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5])
def test_columns_begin_at_multiples_of_four(count):
    tags = []
    blocks = Blocks(tags.append)
    columns = [array(letter, range(count)) for letter in "ffIHHB"]
    blocks.add(POINTS_BLOCK, count, columns, b"[1]")
    blocks.add(JSON_BLOCK, 1, (), b"{}")
    blocks.end()
    found = list(blocks_of(gzip.decompress(b"".join(map(b64decode, parts(tags))))))
    assert found == [(POINTS_BLOCK, [list(range(count))] * 6, b"[1]"), (JSON_BLOCK, [], b"{}")]


def test_tags_are_written_as_they_come_and_never_too_long():
    tags = []
    blocks = Blocks(tags.append)
    numbers = random.Random(1)
    before = []
    for _ in range(4):
        column = array("f", [numbers.random() for _ in range(20_000)])
        blocks.add(CORNERS_BLOCK, len(column), (column,))
        before.append(len(tags))
    blocks.end()
    assert 0 < before[0] < before[1] < before[3] <= len(tags)
    assert [len(part) for part in parts(tags)[:-1]] == [TAG_SIZE] * (len(tags) - 1)
    assert 0 < len(parts(tags)[-1]) <= TAG_SIZE

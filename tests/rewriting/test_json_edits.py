"""Which comma goes with a member or element of JSON."""

from __future__ import annotations

import pytest

from streamsave import Limits
from streamsave.formats.shapez2.game_reader import GameReader
from streamsave.input.source import open_source
from streamsave.input.windows import FileWindows
from streamsave.rewriting.shapez2 import json_span

TEXT = b'[ "a" , "b", "c" ]'


@pytest.mark.parametrize(
    ("start", "end", "edited_to", "expected"),
    [
        (1, 5, 0, (1, 7)),  # the first: the comma after it
        (5, 11, 0, (5, 11)),  # another: that before it
        (5, 11, 7, (7, 12)),  # the first that is left
        (11, 16, 12, (12, 16)),  # the last that is left
        (11, 16, 0, (11, 16)),
    ],
)
def test_spans(start, end, edited_to, expected):
    reader = GameReader(FileWindows(open_source(TEXT, Limits())), Limits())
    assert json_span(reader, start, end, edited_to) == expected

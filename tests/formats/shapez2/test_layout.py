"""Layouts: which sizes they have, and the leaf of a known number of elements."""

from __future__ import annotations

import pytest
from shapez2_cursors import decoded

from streamsave.decode.codecs import I32, U8
from streamsave.formats.shapez2.layout import Blob, Mark, Record, Repeat, Rest, Rows, Sequence, Tally
from streamsave.formats.shapez2.primitives import FLUID

PIECES = [
    # piece, size, least, whether it makes several events
    (Mark("island"), -1, 0, True),
    (Blob("x", None), -1, 4, True),
    (Rows("x", []), -1, 4, True),
    (Rest("x"), -1, 0, True),
    (Sequence(I32, 3), -1, 12, True),
    (Sequence(I32, tally="n"), -1, 0, True),
    (Record("x", a=U8, b=I32), -1, 5, True),
    (Tally(U8), 1, 1, False),
    (Tally(I32), 4, 4, False),
    (Repeat(I32, 3), 12, 12, False),
    (Repeat(FLUID, 3), -1, 3, False),
]


@pytest.mark.parametrize(("piece", "size", "least", "streams"), PIECES)
def test_sizes(piece, size, least, streams):
    assert (piece.size, piece.least, piece.streams) == (size, least, streams)


def test_repeat():
    assert decoded(Repeat(U8, 3), b"\1\2\3") == [1, 2, 3]
    assert [None if each is None else each.color for each in decoded(Repeat(FLUID, 3), b"\0\1r\0")] == [None, "r", None]
    assert decoded(Repeat(U8, 0), b"") == []

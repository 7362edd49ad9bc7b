"""The inflated stream of a save with its edits, in pieces."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, TypeAlias

from streamsave.input.windows import Windows
from streamsave.rewriting.rows import Row

__all__ = ["Piece", "edited", "moved", "pieces"]

#: Bytes, or a part of a window that is not copied.
Piece: TypeAlias = bytes | memoryview
#: Further than any stream reaches.
FAR: Final = 1 << 62


def pieces(windows: Windows, start: int, end: int) -> Iterator[Piece]:
    """Yield the bytes `[start, end)` of an inflated stream; an end of -1 is that of the stream.

    Raises:
        SaveError: they cannot be inflated.
    """
    return edited(windows, (), start, end)


def edited(windows: Windows, rows: Iterable[Row], start: int = 0, end: int = -1) -> Iterator[Piece]:
    """Yield the bytes `[start, end)` of an inflated stream, as `pieces` does, with edits that are all in that range.

    Raises:
        SaveError: it cannot be inflated.
    """
    at = first = last = start
    window = memoryview(b"")  # its bytes are those from `first` to `last`
    for row in chain(rows, (Row(FAR if end < 0 else end, FAR, b""),)):
        stop = row.start
        while at < stop:
            if at >= last:
                window = memoryview(windows.window(at))
                first = windows.window_offset
                last = first + len(window)
                if at >= last:
                    break  # the stream has ended
            upto = min(stop, last)
            yield window[at - first : upto - first]
            at = upto
        if row.data:
            yield row.data
        at = row.end


def moved(offsets: Iterable[int], rows: Iterable[Row]) -> array[int]:
    """Return where offsets are after edits, both in order; what is inserted at one comes before it."""
    found = array("q")
    change = 0
    left = iter(rows)
    row = next(left, None)
    for offset in offsets:
        while row is not None and row.end <= offset:
            change += len(row.data) - (row.end - row.start)
            row = next(left, None)
        found.append(offset + change)
    return found

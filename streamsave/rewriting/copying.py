"""The inflated stream of a save with its edits, in pieces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from streamsave.input.windows import Windows
from streamsave.rewriting.rows import Row

__all__ = ["edited", "pieces"]


def pieces(windows: Windows, start: int, end: int) -> Iterator[bytes]:
    """Yield the bytes `[start, end)` of an inflated stream; an end of -1 is that of the stream.

    Raises:
        SaveError: they cannot be inflated.
    """
    at = start
    while end < 0 or at < end:
        window = windows.window(at)
        first = at - windows.window_offset
        piece = window[first:] if end < 0 else window[first : first + end - at]
        if not piece:
            return
        yield piece
        at += len(piece)


def edited(windows: Windows, rows: Iterable[Row], start: int = 0, end: int = -1) -> Iterator[bytes]:
    """Yield the bytes `[start, end)` of an inflated stream, as `pieces` does, with edits that are all in that range.

    Raises:
        SaveError: it cannot be inflated.
    """
    at = start
    for row in rows:
        yield from pieces(windows, at, row.start)
        if row.data:
            yield row.data
        at = row.end
    yield from pieces(windows, at, end)

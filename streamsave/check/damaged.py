"""A save with one thing wrong, to try readers on: bytes of the file or of the inflated stream that were flipped, or cut off."""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.input.source import Source
from streamsave.input.windows import Windows
from streamsave.limits import Limits

__all__ = ["DamagedSource", "DamagedWindows"]

#: Instead of a mask: all from the byte on is cut off.
CUT: Final = 0


class DamagedSource(Source):
    """A file with one wrong byte, or without its end.

    Args:
        source: the sound file.
        at: the offset of the byte.
        mask: the bits of it that are flipped; 0: the file ends before it.
    """

    def __init__(self, source: Source, at: int, mask: int) -> None:
        self.name = source.name
        self._source = source
        self._at = at
        self._mask = mask

    def read_at(self, offset: int, size: int) -> bytes:
        """Return bytes, as `Source.read_at` does."""
        if self._mask == CUT:
            return self._source.read_at(offset, min(size, self._at - offset)) if offset < self._at else b""
        return flipped(self._source.read_at(offset, size), self._at - offset, self._mask)

    def size(self) -> int | None:
        """Return the size of the file."""
        return self._at if self._mask == CUT else self._source.size()


class DamagedWindows(Windows):
    """The windows of a stream with one wrong byte, or without its end; the arguments are as for `DamagedSource`."""

    def __init__(self, windows: Windows, at: int, mask: int) -> None:
        super().__init__()
        self._windows = windows
        self._at: i64 = at
        self._mask = mask
        self.entered = windows.entered
        self.starts = windows.starts
        self.file_offsets = windows.file_offsets

    def window(self, offset: i64) -> bytes:
        """Return a window, as `Windows.window` does."""
        if self._mask == CUT and offset >= self._at:
            return b""
        data = self._windows.window(offset)
        start: i64 = self._windows.window_offset
        self.window_offset = start
        if self._mask == CUT:
            return data[: self._at - start] if self._at - start < len(data) else data
        return flipped(data, self._at - start, self._mask)

    def window_end(self, offset: i64) -> i64:
        """Do as `Windows.window_end`."""
        return self._windows.window_end(offset)

    def reaches(self, offset: i64) -> bool:
        """Do as `Windows.reaches`."""
        return (self._mask != CUT or offset <= self._at) and self._windows.reaches(offset)

    def readable_end(self, limits: Limits) -> tuple[int, bool]:
        """Do as `Windows.readable_end`."""
        if self._mask == CUT:
            return int(self._at), True
        return self._windows.readable_end(limits)


def flipped(data: bytes, at: i64, mask: int) -> bytes:
    """Return bytes of which one is wrong, if they have it."""
    if at < 0 or at >= len(data):
        return data
    return data[:at] + bytes((data[at] ^ mask,)) + data[at + 1 :]

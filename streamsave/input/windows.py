"""The interface of the inflated stream: a window of bytes at a time."""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

from mypy_extensions import mypyc_attr

from streamsave._log import warn
from streamsave._native import i64
from streamsave.errors import LimitExceeded, SaveError
from streamsave.events import ChunkStart
from streamsave.input.source import Source
from streamsave.limits import Limits, check_limit, inflate_ratio

__all__ = ["FILE_WINDOW_SIZE", "BytesWindows", "FileWindows", "Windows"]

#: Bytes of a file that is not compressed that are read at a time.
FILE_WINDOW_SIZE: Final = 64 * 1024


@mypyc_attr(allow_interpreted_subclasses=True)  # `check_reader` damages some, in plain Python
class Windows:
    """The inflated stream, a window at a time."""

    def __init__(self) -> None:
        #: Where the window that `window` returned last starts.
        self.window_offset: i64 = 0
        #: Chunks that were entered since the stream last looked, in order.
        self.entered: list[ChunkStart] = []
        #: The chunks that are known, in order: where each starts in the stream, and in the file.
        self.starts: list[int] = []
        self.file_offsets: list[int] = []
        #: What `readable_end` has met where the stream ends early.
        self.end_fault: SaveError | None = None
        self._warned = False

    def window(self, offset: i64) -> bytes:
        """Return the window that holds `offset`, and set `window_offset`; no bytes where the stream has ended.

        Raises:
            SaveError: what is compressed there is damaged, or above a limit.
        """
        raise NotImplementedError

    def locate(self, offset: int) -> tuple[int, int, int] | None:
        """Return the chunk of an inflated offset: its index, the position in it, where it starts in the file; None for none."""
        index = bisect_right(self.starts, offset) - 1
        return None if index < 0 else (index, offset - self.starts[index], self.file_offsets[index])

    def window_end(self, offset: i64) -> i64:
        """Return where the window that holds `offset` ends, if that is known even though it cannot be read; else -1."""
        return -1

    def hole_end(self, offset: i64) -> i64:
        """Return where the stream can be read again after the hole at `offset`, and after holes that follow it at once.

        Returns:
            An offset in the inflated stream; -1 if there is no hole.
        """
        return -1

    def reaches(self, offset: i64) -> bool:
        """Return whether the stream has all bytes before `offset`; it may be inflated up to there.

        Raises:
            SaveError: what is compressed before `offset` is damaged, or above a limit.
        """
        return True

    def ends_before(self, offset: i64) -> bool:
        """Return whether the stream is known not to have all bytes before `offset`; it may be inflated up to there.

        Raises:
            SaveError: as for `reaches`.
        """
        return not self.reaches(offset)

    def readable_end(self, limits: Limits) -> tuple[int, bool]:
        """Return where the stream ends, reading to its end; False with it if damage or a limit hides what follows.

        A stream that cannot say has -1. `end_fault` is why what follows is hidden, if that is known.
        """
        return -1, False

    def check_total(self, total: int, packed_size: int, limits: Limits) -> None:
        """Note how large the stream has become, out of so many bytes of the file.

        Raises:
            LimitExceeded: it is above `Limits.total_inflated_size` or `Limits.inflate_ratio`.
        """
        check_limit(limits, "total_inflated_size", total)
        self.note_total(total, limits)
        check_limit(limits, "inflate_ratio", inflate_ratio(limits, total, packed_size))

    def note_total(self, total: int, limits: Limits) -> None:
        """Note how large the stream has become, and warn once when that is half of what is allowed."""
        if not self._warned and total > limits.total_inflated_size // 2:
            self._warned = True
            warn("save inflates to more than half of what is allowed", size=total, total_inflated_size=limits.total_inflated_size)


class FileWindows(Windows):
    """The bytes of a file as they are, from an offset on: what is before, or in place of, compressed chunks."""

    def __init__(self, source: Source, start: int = 0) -> None:
        super().__init__()
        self._source = source
        self._start = start

    def window(self, offset: i64) -> bytes:
        self.window_offset = offset
        return self._source.read_at(self._start + offset, FILE_WINDOW_SIZE)

    def reaches(self, offset: i64) -> bool:
        if offset <= 0:
            return True
        size = self._source.size()
        last: int = self._start + offset - 1
        return last < size if size is not None else bool(self._source.read_at(last, 1))

    def readable_end(self, limits: Limits) -> tuple[int, bool]:
        most = limits.total_inflated_size
        try:
            end = self._source.whole_size(limits)
        except LimitExceeded as beyond:  # it was reported, or comes after what was
            return max(min(beyond.value, most) - self._start, 0), False
        return max(min(end, most) - self._start, 0), end <= most


class BytesWindows(Windows):
    """Bytes in memory as a stream of their own: a value that was decoded out of another stream."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self._data = data

    def window(self, offset: i64) -> bytes:
        self.window_offset = 0
        return self._data if offset < len(self._data) else b""

    def reaches(self, offset: i64) -> bool:
        return offset <= len(self._data)

    def readable_end(self, limits: Limits) -> tuple[int, bool]:
        return len(self._data), True

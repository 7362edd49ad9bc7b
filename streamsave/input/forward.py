"""Compressed streams -> windows of inflated bytes, forward only: a pipe is never spooled.

The bytes of the topmost stage are cut into windows. The last few are kept, so that the cursor may go back a little. Damaged bytes
of a known size are a hole: no window has them, and the next one starts after them.
"""

from __future__ import annotations

import copy
from bisect import bisect_right
from collections.abc import Callable
from typing import Final

from streamsave._native import i64
from streamsave.errors import LimitExceeded, SaveError
from streamsave.events import ChunkStart
from streamsave.input.stages import Stage
from streamsave.input.windows import Windows
from streamsave.limits import Limits, check_limit

__all__ = ["ForwardWindows"]

WINDOW_SIZE: Final = 128 * 1024
#: Bytes that are kept, in the window that is read and those before it: enough to go back over the longest string.
KEPT_SIZE: Final = 10 * WINDOW_SIZE
#: Windows and holes that are kept: between many holes, windows are small.
KEPT_SPANS: Final = 1024


class Span:
    """A window, or a hole: damaged bytes in place of a window."""

    def __init__(self, start: i64, size: i64, data: bytes, fault: SaveError | None) -> None:
        self.start: i64 = start
        self.end: i64 = start + size
        #: Empty, if it is a hole.
        self.data = data
        self.fault = fault


class ForwardWindows(Windows):
    """Windows over the topmost stage.

    Args:
        start: makes the stages; called again to go back further than the kept windows.
        limits: what to refuse.
        codec: `ChunkStart.codec`; "" for no `ChunkStart`.
        size: bytes of the whole stream; -1 if unknown.
        offset: where the compressed bytes start in the file.
        compressed_size: how many there are; -1 if unknown.

    Raises:
        LimitExceeded: `size` is above `Limits.total_inflated_size`.
    """

    def __init__(
        self,
        start: Callable[[], Stage],
        limits: Limits,
        codec: str = "",
        size: int = -1,
        offset: int = 0,
        compressed_size: int = -1,
    ) -> None:
        super().__init__()
        self._start = start
        self._limits = limits
        #: Bytes of the whole stream, as its wrapper says; -1 if it does not.
        self.size = size
        #: Go on after damaged bytes, if the stage can.
        self.bridges = False
        #: What another pass has found as its `readable_end`.
        self._found_end: tuple[int, bool] | None = None
        self._restart()
        #: The chunks seen so far.
        self.chunks: list[ChunkStart] = []
        self._announced: int = 0
        check_limit(limits, "total_inflated_size", size)
        if codec:
            self._stage.chunks.append(ChunkStart(0, 0, size, offset, compressed_size, codec))
            self._enter_chunks()

    def window(self, offset: i64) -> bytes:
        starts = self._span_starts
        if starts and offset < starts[0]:
            self._restart()
        while offset >= self._total:
            if not self._next():
                return b""
        span = self._spans[bisect_right(starts, offset) - 1]
        if span.fault is not None:
            # A copy: each caller writes its own path into the error.
            raise copy.copy(span.fault)
        self.window_offset = span.start
        while self._announced < len(self.chunks) and self.starts[self._announced] <= offset:
            self.entered.append(self.chunks[self._announced])
            self._announced += 1
        return span.data

    def window_end(self, offset: i64) -> i64:
        index = bisect_right(self._span_starts, offset) - 1
        if index < 0:
            return -1
        span = self._spans[index]
        return span.end if span.fault is not None and offset < span.end else -1

    def reaches(self, offset: i64) -> bool:
        while offset > self._total:
            if not self._next():
                return False
        return True

    def ends_before(self, offset: i64) -> bool:
        if self.size >= 0:
            return offset > self.size
        if not self.bridges:
            return not self.reaches(offset)
        # After damage, others go on from here, and would have to begin again at the first byte: another pass looks for the end.
        if self._found_end is None:
            other = ForwardWindows(self._start, self._limits)
            other.bridges = True
            self._found_end = other.readable_end(self._limits)
        end, is_all = self._found_end
        return is_all and offset > end

    def readable_end(self, limits: Limits) -> tuple[int, bool]:
        try:
            while self._next():
                pass
        except SaveError as fault:  # it was reported, or comes after what was
            self.end_fault = fault
            return int(self._total), False
        return int(self._total), True

    def hole_end(self, offset: i64) -> i64:
        end: i64 = -1
        hole_end = self.window_end(offset)
        while hole_end >= 0:
            end = hole_end
            if end >= self._total:
                try:
                    self._next()
                except SaveError:  # raised again by a read that gets there
                    break
            hole_end = self.window_end(end)
        return end

    def _restart(self) -> None:
        """Start again at the first byte."""
        self._stage = self._start()
        self._total: i64 = 0
        #: What is kept, where each span starts, and the bytes of all.
        self._spans: list[Span] = []
        self._span_starts: list[int] = []
        self._kept_size: i64 = 0
        #: The hole after all that.
        self._hole: Span | None = None
        self._ended = False
        #: The fault after which nothing can be inflated.
        self._fault: SaveError | None = None

    def _enter_chunks(self) -> None:
        """Note the chunks that the stage has entered; after `_restart` they are known."""
        for chunk in self._stage.chunks:
            if not self.starts or chunk.offset > self.starts[-1]:
                self.chunks.append(chunk)
                self.starts.append(chunk.offset)
                self.file_offsets.append(chunk.compressed_offset)
        self._stage.chunks.clear()

    def _next(self) -> bool:
        """Inflate the next window, or pass a hole; return False at the end. A fault is raised when all before it was read."""
        hole = self._hole
        if hole is not None:
            self._hole = None
            self._keep(hole)
            return True
        if self._fault is not None:
            raise self._fault
        if self._ended:
            return False
        pieces: list[bytes] = []
        missing: i64 = WINDOW_SIZE
        try:
            while missing > 0:
                piece = self._stage.read(missing)
                if not piece:
                    self._ended = True
                    break
                pieces.append(piece)
                missing -= len(piece)
                self.check_total(self._total + WINDOW_SIZE - missing, self._stage.consumed(), self._limits)
        except SaveError as error:
            self._break_off(error, self._total + WINDOW_SIZE - missing)
        self._enter_chunks()
        if not pieces:
            return not self._ended and self._next()
        data = b"".join(pieces)
        self._keep(Span(self._total, len(data), data, None))
        return True

    def _break_off(self, error: SaveError, offset: i64) -> None:
        """Note a fault at `offset`: the end of what can be read, or the start of a hole."""
        self._enter_chunks()
        size = self._stage.hole if self.bridges else 0
        self._stage.hole = 0
        self._place(error, offset)
        if size == 0:
            self._fault = error
            return
        # A copy: the error that was raised keeps the bytes of its frames alive.
        self._hole = Span(offset, size, b"", copy.copy(error))
        try:
            self.check_total(offset + size, self._stage.consumed(), self._limits)
        except LimitExceeded as exceeded:
            self._place(exceeded, offset + size)
            self._fault = exceeded

    def _place(self, error: SaveError, offset: i64) -> None:
        """Write into an error where it is."""
        error.offset = int(offset)
        place = self.locate(error.offset)
        if place is not None:
            error._in_chunk(*place)

    def _keep(self, span: Span) -> None:
        """Keep a span, and as many of those before it as there is room for."""
        spans = self._spans
        spans.append(span)
        self._span_starts.append(int(span.start))
        self._kept_size += len(span.data)
        self._total = span.end
        while self._kept_size > KEPT_SIZE or len(spans) > KEPT_SPANS:
            self._kept_size -= len(spans.pop(0).data)
            self._span_starts.pop(0)

    def end(self, offset: i64) -> int:
        """Inflate to the end; return the size of the stream.

        Raises:
            SaveError: what is compressed is damaged. A hole counts only if it ends after `offset`.
        """
        faults = [span.fault for span in self._spans if span.fault is not None and span.end > offset]
        while self._next():
            last = self._spans[-1]
            if last.fault is not None and last.end > offset and not faults:
                faults.append(last.fault)
        if faults:
            raise copy.copy(faults[0])
        return int(self._total)

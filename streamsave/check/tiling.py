"""Do the spans that events claim tile the inflated stream? Each byte has to be claimed exactly once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamsave._native import i64

__all__ = ["Claims"]

#: Runs that grow are compared with so many others at most: a sound save has two or three at a time.
FEW: Final = 8


class Run:
    """Joined spans that grow at their end."""

    def __init__(self) -> None:
        self.start: i64 = 0
        #: -1: there is no such run.
        self.end: i64 = -1
        #: No other run starts or ends between `end` and here.
        self.free: i64 = 0


class Claims:
    """The spans that events claim. Spans that touch are joined, so that a sound save of any size takes constant memory."""

    def __init__(self) -> None:
        #: Joined spans, but for those that grow: start -> end, and end -> start.
        self._ends: dict[int, int] = {}
        self._starts: dict[int, int] = {}
        #: Spans that were claimed again, at the same start or end.
        self.doubled: list[tuple[int, int]] = []
        #: The two runs that grew last, where nearly all spans start: the headers of objects are one, their data are the other.
        self._last = Run()
        self._other = Run()

    def add(self, start: i64, end: i64) -> None:
        """Claim `[start, end)`."""
        if end <= start:
            return
        run = self._last
        if start != run.end:
            run = self._other
        if start == run.end and end < run.free:
            run.end = end
        else:
            self._add(start, end)

    def _add(self, start: i64, end: i64) -> None:
        """Claim a span that may touch any other."""
        last: i64 = self._last.start
        self._put_back()
        if start in self._ends or end in self._starts:
            self.doubled.append((start, end))
            return
        right = self._ends.pop(end, None)
        if right is not None:
            del self._starts[right]
            end = right
        left = self._starts.pop(start, None)
        if left is not None:
            del self._ends[left]
            start = left
        self._ends[start] = end
        self._starts[end] = start
        if len(self._ends) > FEW:
            return
        # A run that this one overlaps may not grow: its end could pass that of this one.
        last_end: i64 = self._ends.get(last, -1)
        if last_end >= 0 and (last_end < start or end < last):
            self._prepare(self._other, last, last_end)
        self._prepare(self._last, start, end)
        self._take_out(self._other)
        self._take_out(self._last)

    def _prepare(self, run: Run, start: i64, end: i64) -> None:
        run.start = start
        run.end = end
        run.free = min([place for place in (*self._ends, *self._starts) if place > end], default=1 << 62)

    def _take_out(self, run: Run) -> None:
        if run.end >= 0:
            del self._ends[run.start]
            del self._starts[run.end]

    def _put_back(self) -> None:
        """Put the runs that grow to the others."""
        for run in (self._last, self._other):
            if run.end >= 0:
                self._ends[run.start] = run.end
                self._starts[run.end] = run.start
                run.end = -1

    def runs(self) -> list[tuple[int, int]]:
        """Return the joined spans in their order."""
        self._put_back()
        return sorted(self._ends.items())

    def faults(self, size: int) -> Iterator[tuple[int, str]]:
        """Yield `(offset, message)` for each place where the claims do not tile `[0, size)`."""
        for start, end in self.doubled:
            yield start, f"{end - start} bytes that two events claim"
        at = 0
        for start, end in self.runs():
            if start > at:
                yield at, f"{start - at} bytes that no event claims"
            elif start < at:
                yield start, f"{min(at, end) - start} bytes that two events claim"
            at = max(at, end)
        if at != size:
            yield at, f"events claim {at} bytes of {size}"

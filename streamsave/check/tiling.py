"""Do the spans that events claim tile the inflated stream? Each byte has to be claimed exactly once."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import Factory, define

__all__ = ["Claims"]


@define
class Claims:
    """The spans that events claim. Spans that touch are joined, so that a sound save of any size takes constant memory."""

    #: Start -> end, and end -> start.
    _ends: dict[int, int] = Factory(dict)
    _starts: dict[int, int] = Factory(dict)
    #: Spans that were claimed again, at the same start or end.
    doubled: list[tuple[int, int]] = Factory(list)

    def add(self, start: int, end: int) -> None:
        """Claim `[start, end)`."""
        if end <= start:
            return
        if start in self._ends or end in self._starts:
            self.doubled.append((start, end))
            return
        if end in self._ends:
            right = self._ends.pop(end)
            del self._starts[right]
            end = right
        if start in self._starts:
            left = self._starts.pop(start)
            del self._ends[left]
            start = left
        self._ends[start] = end
        self._starts[end] = start

    def faults(self, size: int) -> Iterator[tuple[int, str]]:
        """Yield `(offset, message)` for each place where the claims do not tile `[0, size)`."""
        for start, end in self.doubled:
            yield start, f"{end - start} bytes that two events claim"
        at = 0
        for start, end in sorted(self._ends.items()):
            if start > at:
                yield at, f"{start - at} bytes that no event claims"
            elif start < at:
                yield start, f"{min(at, end) - start} bytes that two events claim"
            at = max(at, end)
        if at != size:
            yield at, f"events claim {at} bytes of {size}"

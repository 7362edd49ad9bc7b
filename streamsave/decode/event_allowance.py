"""How many events a save may give: as many as its file is large enough for.

A few bytes can inflate to millions of empty properties, and each costs time. So events are counted wherever they are taken: by
the caller, and by the verbs and selections that walk on their own.
"""

from __future__ import annotations

from streamsave._native import i64
from streamsave.decode.cursor import Cursor
from streamsave.input.source import Source
from streamsave.limits import MOST, Limits

__all__ = ["EventAllowance"]


class EventAllowance:
    """Counts the events of a save; shared by all readers of one pass."""

    def __init__(self, limits: Limits, source: Source | None = None) -> None:
        self._limits = limits
        #: The file; None: its size is unknown, and counts as nothing.
        self.source = source
        #: How many events may come in all, as far as is known, and how many of them are left.
        self._allowed: i64 = limits.event_ratio_after
        self.left: i64 = self._allowed

    def use_source(self, source: Source) -> None:
        """Allow as many events as this file is large enough for."""
        self.source = source

    def refund(self, count: i64) -> None:
        """Take back the count of events that come again."""
        self.left += count

    def spend(self, cursor: Cursor) -> None:
        """Count one event.

        Raises:
            LimitExceeded: the save has more than `Limits.event_ratio` allows; `cursor` is where.
        """
        self.left -= 1
        if self.left < 0:
            self.extend(cursor)

    def extend(self, cursor: Cursor) -> None:
        """Allow as many events as the file is large enough for. Its size is asked only here: few saves have so many.

        Raises:
            LimitExceeded: these are still too few.
        """
        count: int = self._allowed - self.left
        ratio = self._limits.event_ratio
        least = count if ratio == 0 else -(-count // ratio)
        size = 0 if self.source is None else self.source.size_up_to(least)
        if count > ratio * size:
            raise cursor.exceeded("event_ratio", -(-count // max(size, 1)))
        allowed = min(ratio * size, MOST)
        self.left += allowed - self._allowed
        self._allowed = allowed

"""Chains: records that follow each other, from any place to where the last of them has to end.

In a sequence of records each one says where the next one starts. After a fault the sequence goes on at the first place from which
records lead to its end. A place from which they lead nowhere is remembered, so that each byte is tried once.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Final, Protocol

from streamsave._native import i64
from streamsave.errors import SaveError

__all__ = ["Budget", "Chain", "Records", "forward", "suffix"]

#: What one step costs, in bytes that are searched.
STEP: Final = 64


class Budget:
    """What all searches of a save may cost together, in bytes: those that are searched, and `STEP` for each record or event."""

    def __init__(self, left: i64) -> None:
        self.left: i64 = left

    def spend(self, size: i64) -> bool:
        """Pay for a step; return False if too little is left: then nothing more is searched."""
        self.left -= size
        return self.left >= 0


class Records(Protocol):
    """One sequence of records: how they follow each other, and how one may start."""

    def step(self, at: int) -> int:
        """Return where the record at `at` ends, which is where the next one starts.

        Raises:
            SaveError: no record starts here.
        """

    def starts(self, begin: int, end: int) -> Iterator[int]:
        """Yield each place from `begin` up to `end` where a record may start, in order, as the pattern of its bytes shows."""

    def is_end(self, at: int) -> bool:
        """Return whether the sequence may end here: it is the known end, or what follows the sequence can be read here."""


class Chain:
    """Records that follow each other."""

    def __init__(self, starts: array[int], end: int, error: SaveError | None = None) -> None:
        #: Where each record starts.
        self.starts = starts
        #: Where the last one ends.
        self.end = end
        #: Why none follows; None: the sequence ends there.
        self.error = error


def forward(records: Records, at: int, most: int, budget: Budget) -> Chain:
    """Follow records from `at` up to the end of their sequence, a fault, `most` records, or the end of the budget.

    The length of the last record before a fault may be what is wrong: the caller gives those before it.
    """
    starts = array("q")
    error: SaveError | None = None
    while len(starts) < most and budget.spend(STEP):
        try:
            end = records.step(at)
        except SaveError as fault:
            fault.__traceback__ = None  # it would keep this frame, and all that the records hold
            error = fault
            break
        starts.append(at)
        at = end
    return Chain(starts, at, None if error is not None and records.is_end(at) else error)


def suffix(records: Records, begin: int, end: int, budget: Budget) -> Chain | None:
    """Return the records from the first place between `begin` and `end` on that lead to the end of their sequence.

    Where several ends can be reached, it is the last one. None: there is no such place, or the budget is used up.
    """
    dead: set[int] = set()
    for start in records.starts(begin, end):
        if start in dead:
            continue
        starts = array("q")
        reached, kept = -1, 0
        at = start
        while at not in dead:
            if not budget.spend(STEP):
                return None
            if starts and records.is_end(at):
                reached, kept = at, len(starts)
            try:
                following = records.step(at)
            except SaveError:  # no record: the chain ends here
                break
            if following <= at:
                break
            starts.append(at)
            at = following
        if reached >= 0:
            return Chain(starts[:kept], reached)
        dead.update(starts)
        dead.add(start)
    return None

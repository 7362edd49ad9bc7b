"""What differs between two saves, in constant memory but for 24 bytes of each object that is not at the same place in both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from streamsave.compare.lockstep import Lockstep
from streamsave.compare.pair import Report
from streamsave.compare.second_look import Kept, report_added, report_removed, report_waiting
from streamsave.compare.unmatched import NEW, OLD, Unmatched
from streamsave.errors import SaveError, UnsupportedSave
from streamsave.query.tests import Selection
from streamsave.stream.stream import EventStream

__all__ = ["Unreadable", "compare"]


class Unreadable(Exception):
    """One of the saves cannot be read to its end.

    Attributes:
        side: `OLD` or `NEW`.
        error: why: a `SaveError` or an `OSError`.
    """

    def __init__(self, side: int, error: SaveError | OSError) -> None:
        super().__init__(str(error))
        self.side = side
        self.error = error


def compare(
    open_old: Callable[[], EventStream],
    open_new: Callable[[], EventStream],
    report: Report,
    *,
    where: Selection | None = None,
) -> None:
    """Report what differs between two saves. What is at the same place in both comes first.

    Args:
        open_old: returns a stream of the old save. It is read again if objects of it are not at the same place in the new one.
        open_new: the same for the new one.
        report: gets each difference.
        where: compare only these objects, and nothing that is in no object.

    Raises:
        UnsupportedSave: the saves are of two formats.
        Unreadable: one is damaged or cannot be read; what was found before was reported.
        OSError: a temporary file cannot be written.
    """
    unmatched = Unmatched()
    kept: Kept | None = None
    try:
        old, new = _opened(OLD, open_old), _opened(NEW, open_new)
        if old.format.reader != new.format.reader:
            raise UnsupportedSave(f"only saves of one format can be compared, not {old.format.name} and {new.format.name}")
        lockstep = Lockstep(old, new, report, unmatched, objects_only=where is not None)
        try:
            if where is not None:
                old.only(where)
                new.only(where)
            lockstep.run()
        except (SaveError, OSError) as error:
            raise Unreadable(NEW if _has_failed(new, error) else OLD, error) from error
        del old, new, lockstep  # their windows
        waiting = unmatched.waiting()
        if waiting is not None:
            report_waiting(waiting, report)
            return
        leftover = unmatched.leftover()
        kept = Kept(leftover)
        if leftover.removed or leftover.changed_old:
            with _reading(OLD):
                report_removed(_opened(OLD, open_old), leftover, kept, report)
        if leftover.added or leftover.changed_new:
            with _reading(NEW):
                report_added(_opened(NEW, open_new), leftover, kept, report)
    finally:
        unmatched.close()
        if kept is not None:
            kept.close()


def _opened(side: int, open_one: Callable[[], EventStream]) -> EventStream:
    with _reading(side):
        return open_one()


@contextmanager
def _reading(side: int) -> Iterator[None]:
    try:
        yield
    except (SaveError, OSError) as error:
        raise Unreadable(side, error) from error


def _has_failed(events: EventStream, error: SaveError | OSError) -> bool:
    """Return whether a stream has ended with this error: then it raises it again."""
    try:
        next(events, None)
    except (SaveError, OSError) as again:
        return again is error
    return False

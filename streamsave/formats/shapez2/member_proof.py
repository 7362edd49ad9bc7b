"""Is a member sound? With resync, it is walked once before anything in it is given: its end shows whether its counts are right.

| member | given |
|---|---|
| walked to its end | all of it, without damaged objects |
| objects that do not lead to its end | those before the first damaged one |
| any other | nothing |

A save that is older than the known layouts may have them nevertheless: `fits` walks a member once to find out.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from streamsave.decode.event_allowance import EventAllowance
from streamsave.decode.reader import FINAL_LIMITS, Reader
from streamsave.errors import LimitExceeded, SaveError
from streamsave.events import PADDING, BlobSkip, Damage, Event, ObjectEnd, ObjectHeader

__all__ = ["BEHIND", "Verdict", "fits", "give_until", "prove"]

#: How the reason of a `BlobSkip` starts for bytes that a layout does not have.
BEHIND = "bytes behind"


@frozen
class Verdict:
    """How many objects of a member are certain, and the fault after them."""

    objects: int
    fault: SaveError


def prove(reader: Reader, content: Iterator[Event], allowance: EventAllowance) -> Verdict | None:
    """Walk all of a member without giving it; None if it is sound, or only objects in it are not."""
    damage = reader.damage
    objects = depth = 0
    lost: SaveError | None = None
    is_filled = True
    fault: SaveError | None = None
    try:
        for event in _walk(reader, content, allowance):
            if isinstance(event, Damage):
                lost = lost or event.error
            elif isinstance(event, ObjectHeader):
                depth += 1
            elif isinstance(event, ObjectEnd):
                depth -= 1
                objects += depth == 0 and lost is None
            elif isinstance(event, BlobSkip) and depth == 0:
                is_filled = event.reason == PADDING
    except SaveError as error:
        reader.survives(error)  # writes the path into it
        fault = error
    reader.leaf_end = -1
    reader.damage = damage
    fault = fault or (None if is_filled else lost)
    return None if fault is None else Verdict(objects, fault)


def fits(reader: Reader, content: Iterator[Event], allowance: EventAllowance) -> bool:
    """Walk all of a member without giving it; return whether it has the layout that it is walked by, to its last byte."""
    resyncs = reader.resyncs
    reader.resyncs = False
    try:
        return not any(
            isinstance(event, BlobSkip) and event.reason.startswith(BEHIND) for event in _walk(reader, content, allowance)
        )
    except SaveError as error:
        if isinstance(error, LimitExceeded) and error.limit in FINAL_LIMITS:
            raise
        return False
    finally:
        reader.resyncs = resyncs
        reader.leaf_end = -1


def _walk(reader: Reader, content: Iterator[Event], allowance: EventAllowance) -> Iterator[Event]:
    """Yield the events of a member as the stream would take them, without a look at any value."""
    cursor = reader.cursor
    for event in content:
        allowance.spend(cursor)
        if reader.leaf_end >= 0:
            cursor.pass_to(reader.leaf_end)
            reader.leaf_end = -1
        yield event


def give_until(content: Iterator[Event], verdict: Verdict) -> Iterator[Event]:
    """Yield the events up to the last object that is certain.

    Raises:
        SaveError: the fault after it.
    """
    left = verdict.objects
    depth = 0
    while left:
        event = next(content)
        depth += isinstance(event, ObjectHeader)
        depth -= isinstance(event, ObjectEnd)
        left -= isinstance(event, ObjectEnd) and depth == 0
        yield event
    raise verdict.fault

"""The sound objects of a damaged save, as lines of JSON like those of `streamsave.output.json_document`, and what was lost.

A line is held back until it is complete: a lost object leaves no half line. An Unreal save game is one object; it is written even
if properties are lost, with `"lost"` in the place of each. So is an object with others in it if some of these are lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamsave.consume.stream import EventStream
from streamsave.errors import LimitExceeded, SaveError, format_path
from streamsave.events import Damage, Event, ObjectHeader, SaveStart
from streamsave.output.json_document import BUILT_SIZE, LineWriter
from streamsave.output.json_text import HeldText
from streamsave.values import Loss

__all__ = ["Losses", "loss_text", "salvage"]

#: Formats whose saves are one object, and the kinds of loss that cost it only a part.
WHOLE_SAVES: Final = frozenset({"gvas"})
PARTS: Final = frozenset({"property", "rest of the save"})

OBJECT: Final = "object"
OBJECT_DATA: Final = "object data"
LEVELS: Final = "levels"
#: Kinds of loss that stand for several things -> the name of one of these.
SINGLE: Final = {"headers": "object", LEVELS: "level"}
#: Kinds of loss without a number -> what they are called.
UNCOUNTED: Final = {"headers": "objects with unknown names", LEVELS: LEVELS, "rest of the save": "rest of the save"}
PLURALS: Final = {"property": "properties"}


class Losses:
    """Counts what was lost."""

    def __init__(self) -> None:
        #: Kind -> number.
        self.counts: dict[str, int] = {}
        #: Bytes of the inflated stream that were lost, as far as the `Damage` events say.
        self.size = 0

    def add(self, damage: Damage) -> None:
        """Count a loss: one thing, or several at once."""
        lost = damage.lost
        self.size += max(damage.size, 0)
        if lost.kind == OBJECT_DATA or lost.count == 0:
            return  # the objects themselves are counted; or all of them were found
        kind = SINGLE.get(lost.kind, lost.kind) if lost.count >= 0 else lost.kind
        self.counts[kind] = self.counts.get(kind, 0) + abs(lost.count)

    def text(self) -> str:
        """Return the sum in plain words."""
        if not self.counts and not self.size:
            return "damaged, but nothing is lost"
        kinds = ", ".join([UNCOUNTED.get(kind) or count_text(number, kind) for kind, number in self.counts.items()])
        size = f"{self.size:,} bytes of what the save inflates to"
        return f"lost: {kinds}; {size}" if kinds else f"lost: {size}"


def loss_text(damage: Damage) -> str:
    """Return in plain words what was lost, where, and why."""
    lost = damage.lost
    if lost.count == 0 and damage.size <= 0:
        text = "damaged, but nothing is lost"
    else:
        text = f"lost: {_what(lost)}"
        if lost.size >= 0:
            text += f", {lost.size:,} bytes"
    around = lost.path[:-1] if lost.name and lost.path[-1:] == (lost.name,) else lost.path
    if around:
        text += f", in {format_path(around)}"
    error = damage.error
    text += f": {error.message}"
    if error.expected is not None:
        text += f" (expected {error.expected}, found {error.actual!r})"
    if error.chunk is not None:
        return f"{text}, in chunk {error.chunk} at byte {error.compressed_offset:,} of the file"
    return f"{text}, at byte {error.offset:,}"


def _what(lost: Loss) -> str:
    """Return what was lost."""
    if lost.kind == "headers":
        return f"{count_text(lost.count, 'object')} with unknown names"
    if lost.kind == OBJECT_DATA:
        return f"data of {count_text(lost.count, 'object')}"
    if lost.kind == LEVELS:
        return "levels, an unknown number" if lost.count < 0 else count_text(lost.count, "level")
    text = f"{lost.kind} {lost.name}" if lost.name else lost.kind
    return f"{text} ({lost.class_name.rpartition('.')[2]})" if lost.class_name else text


def count_text(number: int, noun: str) -> str:
    """Return a number of things: `1 object`, `2 objects`; `objects` if it is unknown, which is -1."""
    named = noun if number == 1 else PLURALS.get(noun, noun + "s")
    return named if number < 0 else f"{number:,} {named}"


def salvage(events: EventStream) -> Iterator[bytes | Damage]:
    """Yield the sound objects as lines of JSON, in pieces that may end inside a line, and each `Damage` in its place.

    Args:
        events: a stream at its start, opened with `on_damage="resync"`.

    Raises:
        SaveError: the start of the save cannot be read.
        LimitExceeded: an object has more names than `Limits` allows.
        OSError: a temporary file for a long line cannot be written.
    """
    #: For lines of which all is written or nothing, and for those that are written without what is lost.
    wholes = parts = lines = LineWriter(events)
    has_parts = False
    #: Number of steps to what the object of the line is in.
    around = 0
    #: Whether the current line was dropped, and the rest of its object is still coming.
    is_passing = False
    held = HeldText()
    for event in events:
        if isinstance(event, Damage):
            yield event
            if lines.in_line:
                lost = event.lost
                if lost.kind in PARTS if has_parts else lost.kind == OBJECT and len(lost.path) > around + 1:
                    lines.feed(event)
                else:
                    lines.drop()
                    held.drop()
                    is_passing = True
        elif not is_passing:
            if isinstance(event, SaveStart):
                has_parts = event.format in WHOLE_SAVES
                parts = LineWriter(events, in_parts=True, built_size=-1 if has_parts else BUILT_SIZE)
                wholes = lines = parts if has_parts else LineWriter(events)
            elif isinstance(event, ObjectHeader) and not lines.in_line:
                lines = parts if events.holds_objects(event) else wholes
                around = len(events.path)
            _feed(lines, event, held)
        if is_passing:
            is_passing = events.depth > lines.depth
        elif not lines.in_line:
            yield from held.take()
            if text := lines.take():
                yield text


def _feed(lines: LineWriter, event: Event, held: HeldText) -> None:
    """Write an event; if its value cannot be built, the `Damage` that says so comes next."""
    try:
        lines.feed(event)
        while lines.in_line and lines.is_full():
            held.add(lines.take())
            lines.go_on()
    except SaveError as error:
        if isinstance(error, LimitExceeded) and error.limit == "table_entries":
            raise
        lines.failed(event)

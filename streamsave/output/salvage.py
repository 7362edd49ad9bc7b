"""What is sound of a damaged save, as lines of JSON like those of `streamsave.output.json_lines`, and what was lost.

A line is held until it is complete: of an object that was lost, nothing is written. An Unreal save game is one object: where a
property of it was lost, it is written, with `"lost"` in the place of that property.
"""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import IO, Final

from attrs import define, field

from streamsave.errors import LimitExceeded, SaveError, format_path
from streamsave.events import Damage, Event, ObjectHeader, SaveStart
from streamsave.output.json_lines import LineWriter
from streamsave.stream.stream import EventStream
from streamsave.values import Loss

__all__ = ["Losses", "salvage", "tell_loss"]

#: How much text of one line is held in memory; more goes to a temporary file.
HELD_SIZE: Final = 4 * 1024 * 1024
#: How much text is read back at a time, and gathered into a piece.
PIECE_SIZE: Final = 64 * 1024

#: Formats of which a save is one object, and the kinds of loss that cost it only a part.
WHOLE_SAVES: Final = frozenset({"gvas"})
PARTS: Final = frozenset({"property", "rest of the save"})


#: Kinds of loss that are told of several things at once, and what they are counted as.
OBJECT_DATA: Final = "object data"
LEVELS: Final = "levels"
SINGLE: Final = {"headers": "object", LEVELS: "level"}
#: What is not counted.
MASSES: Final = frozenset({LEVELS, "rest of the save"})
PLURALS: Final = {"property": "properties"}


@define
class Losses:
    """What was lost, counted."""

    #: How often, by kind.
    counts: dict[str, int] = field(factory=dict)
    #: Bytes of the inflated stream that no event but a `Damage` has claimed, as far as that can be known.
    size: int = 0

    def add(self, damage: Damage) -> None:
        """Count one, or as many as it stands for."""
        lost = damage.lost
        self.size += max(damage.size, 0)
        if lost.kind == OBJECT_DATA:
            return  # whose it is has been counted
        kind = SINGLE.get(lost.kind, lost.kind) if lost.count >= 0 else lost.kind
        self.counts[kind] = self.counts.get(kind, 0) + abs(lost.count)

    def text(self) -> str:
        """Sum up in plain words."""
        kinds = [count_text(number, kind) if kind not in MASSES else kind for kind, number in self.counts.items()]
        return f"lost: {', '.join(kinds)}; {self.size:,} bytes of what the save inflates to"


def tell_loss(damage: Damage) -> str:
    """Say in plain words what was lost, where, and why."""
    lost = damage.lost
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
    """Name what was lost."""
    if lost.kind == "headers":
        return f"{count_text(lost.count, 'object')} whose names are lost, too"
    if lost.kind == OBJECT_DATA:
        return f"data of {count_text(lost.count, 'object')}"
    if lost.kind == LEVELS:
        return "levels, nobody knows how many" if lost.count < 0 else count_text(lost.count, "level")
    text = f"{lost.kind} {lost.name}" if lost.name else lost.kind
    return f"{text} ({lost.class_name.rpartition('.')[2]})" if lost.class_name else text


def count_text(number: int, noun: str) -> str:
    """Write a number of things."""
    return f"{number:,} {noun if number == 1 else PLURALS.get(noun, noun + 's')}"


class _Held:
    """The text of one line, however long."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._size = 0

    def add(self, text: bytes) -> None:
        self._file.write(text)
        self._size += len(text)

    def take(self) -> Iterator[bytes]:
        """Give the text, piece by piece, and forget it."""
        if not self._size:
            return
        self._file.seek(0)
        while piece := self._file.read(PIECE_SIZE):
            yield piece
        self.drop()

    def drop(self) -> None:
        """Forget the text."""
        if self._size:
            self._file.seek(0)
            self._file.truncate()
            self._size = 0


def salvage(events: EventStream) -> Iterator[bytes | Damage]:
    """Give what is sound as lines of JSON, in pieces that may end inside of a line, and each `Damage` where it comes.

    Args:
        events: a stream that survives damage, from its start.

    Raises:
        SaveError: not even the start of the save can be read.
        LimitExceeded: the names in one object are more than `Limits` allows.
        OSError: a long line cannot be held in a temporary file.
    """
    gathered: list[bytes] = []
    size = 0
    for piece in _sound_lines(events):
        if isinstance(piece, Damage):
            yield piece
            continue
        gathered.append(piece)
        size += len(piece)
        if size >= PIECE_SIZE:
            yield b"".join(gathered)
            gathered.clear()
            size = 0
    yield b"".join(gathered)


def _sound_lines(events: EventStream) -> Iterator[bytes | Damage]:
    lines = LineWriter(events)
    has_parts = False
    #: How many nestings are open around the line that is being written.
    depth = 0
    #: What is left of a line that is dropped is passed over.
    is_passing = False
    with SpooledTemporaryFile(max_size=HELD_SIZE) as file:
        held = _Held(file)
        for event in events:
            if isinstance(event, Damage):
                yield event
                if lines.in_line():
                    if has_parts and event.lost.kind in PARTS:
                        lines.feed(event)
                    else:
                        lines.drop()
                        held.drop()
                        is_passing = True
            elif not is_passing:
                if isinstance(event, SaveStart):
                    has_parts = event.format in WHOLE_SAVES
                    lines = LineWriter(events, builds_objects=not has_parts)
                if not lines.in_line():
                    depth = events.depth - isinstance(event, ObjectHeader)
                _feed(lines, event)
            if is_passing:
                is_passing = events.depth > depth
            elif not lines.in_line():
                yield from held.take()
                yield lines.take()
            elif lines.is_full():
                held.add(lines.take())


def _feed(lines: LineWriter, event: Event) -> None:
    """Write an event; one whose value cannot be built is followed by the `Damage` that says so."""
    try:
        lines.feed(event)
    except SaveError as error:
        if isinstance(error, LimitExceeded) and error.limit == "table_entries":
            raise
        lines.failed(event)

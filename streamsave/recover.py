"""What is sound of a damaged save, as lines of JSON like those of `streamsave.jsonlines`, and what was lost.

A line is held until it is complete: of an object that was lost, nothing is written. Where only a part of a large one was lost (a
property of an Unreal save game, a building on an island), it is written, with `"lost"` in the place of that part.
"""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import IO, Final

from attrs import define, field

from streamsave.errors import LimitExceeded, PathStep, SaveError, format_path
from streamsave.events import BlobSkip, Damage, Event, Field, ObjectHeader, PropertyTag
from streamsave.jsonlines import LineWriter
from streamsave.stream import EventStream

__all__ = ["Losses", "salvage", "tell_loss"]

#: How much text of one line is held in memory; more goes to a temporary file.
HELD_SIZE: Final = 4 * 1024 * 1024
#: How much text is read back at a time, and gathered into a piece.
PIECE_SIZE: Final = 64 * 1024

#: Kinds of loss that cost a line only a part of it.
PARTS: Final = frozenset({"property", "rest of the save"})


@define
class Losses:
    """What was lost, counted."""

    #: How often, by kind.
    counts: dict[str, int] = field(factory=dict)
    #: Bytes of the inflated stream that no event but a `Damage` has claimed, as far as that can be known.
    size: int = 0

    def add(self, damage: Damage) -> None:
        """Count one."""
        kind = damage.lost.kind
        self.counts[kind] = self.counts.get(kind, 0) + 1
        self.size += max(damage.size, 0)


def tell_loss(damage: Damage) -> str:
    """Say in plain words what was lost, where, and why."""
    lost = damage.lost
    text = f"lost: {lost.kind}"
    if lost.name:
        text += f" {lost.name}"
    if lost.size >= 0:
        text += f", {lost.size:,} bytes"
    around = lost.path[:-1] if lost.name and lost.path[-1:] == (lost.name,) else lost.path
    if around:
        text += f", in {format_path(around)}"
    return f"{text}: {damage.error}"


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
    lines = LineWriter(events, builds_objects=False)
    #: Of the line that is being written: what it stands in, and how many nestings are open there.
    path: tuple[PathStep, ...] = ()
    depth = 0
    #: What is left of a line that is dropped is passed over.
    is_passing = False
    ready: list[bytes] = []
    ready_size = 0
    with SpooledTemporaryFile(max_size=HELD_SIZE) as file:
        held = _Held(file)
        for event in events:
            if isinstance(event, Damage):
                yield event
                if not is_passing and lines.in_line():
                    if _is_part(event, path):
                        lines.feed(event)
                    else:
                        lines.drop()
                        held.drop()
                        is_passing = True
            elif not is_passing:
                if not lines.in_line():
                    path = events.path
                    depth = events.depth - isinstance(event, ObjectHeader)
                _feed(lines, event)
            if is_passing:
                is_passing = events.depth > depth
            elif lines.in_line():
                if lines.is_full():
                    held.add(lines.take())
            else:
                for piece in held.take():
                    ready.append(piece)
                    ready_size += len(piece)
                    if ready_size >= PIECE_SIZE:
                        yield b"".join(ready)
                        ready.clear()
                        ready_size = 0
                text = lines.take()
                ready.append(text)
                ready_size += len(text)
                if ready_size >= PIECE_SIZE:
                    yield b"".join(ready)
                    ready.clear()
                    ready_size = 0
    yield b"".join(ready)


def _feed(lines: LineWriter, event: Event) -> None:
    """Write an event; one whose value cannot be built is followed by the `Damage` that says so."""
    try:
        lines.feed(event)
    except SaveError as error:
        if isinstance(error, LimitExceeded) and error.limit == "table_entries":
            raise
        lines.failed(event)


def _is_part(damage: Damage, path: tuple[PathStep, ...]) -> bool:
    """Whether a line that stands in `path` has lost but a part."""
    return damage.lost.kind in PARTS or len(damage.lost.path) > len(path) + 1

"""Writes events as lines, indented by their nesting, for `cat`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final

from streamsave._native import i64
from streamsave.cli.output import on_terminal, styled, write_json, write_line
from streamsave.cli.save import Save
from streamsave.cli.text import clean, count_text, short_class, show
from streamsave.consume.stream import EventStream
from streamsave.events import (
    BlobSkip,
    Checkpoint,
    ChunkStart,
    Damage,
    Event,
    Field,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    SaveEnd,
    SaveStart,
    StructEnter,
    StructExit,
)
from streamsave.output.flat_text import type_text

__all__ = ["Printer"]

#: Values of more bytes are not decoded.
LARGEST_DECODED: Final = 4096
#: Characters of a value to a terminal and to a pipe.
SHOWN_TERMINAL: Final = 80
SHOWN_PIPE: Final = 400
INDENT: Final = "  "
#: Lines that are written at once.
MOST_WAITING: Final = 64
#: What levels are called in `StructEnter.type_name`.
LEVEL: Final = "Level"
#: In place of a value that is not printed.
NOT_DECODED: Final = object()

#: What lines of events look like in a terminal, as `output.STYLES` has it.
COLOURED: Final[dict[type, str]] = {SaveStart: "heading", ObjectHeader: "class", BlobSkip: "hint", Damage: "-"}

#: Structs that are one small value, by the format's names. The members of other structs are events of their own.
SMALL_STRUCTS: Final = frozenset(
    (
        "Box",
        "Color",
        "DateTime",
        "FluidBox",
        "Guid",
        "IntPoint",
        "IntVector",
        "IntVector4",
        "InventoryItem",
        "LinearColor",
        "Quat",
        "RailroadTrackPosition",
        "Rotator",
        "SoftClassPath",
        "SoftObjectPath",
        "Timespan",
        "TimerHandle",
        "Transform3f",
        "Vector",
        "Vector2D",
        "Vector4",
    )
)


def is_one_value(tag: PropertyTag | Field) -> bool:
    """Return whether the event alone shows that no other event follows for the value."""
    if isinstance(tag, Field):
        return True
    if tag.type == "StructProperty":
        return tag.type_name in SMALL_STRUCTS
    return tag.inner_type != "StructProperty" and tag.value_type != "StructProperty"


def size_of(size: i64) -> str:
    """Write a number of bytes; -1 is an unknown one."""
    if size < 0:
        return "size unknown"
    return "1 byte" if size == 1 else f"{number_of(size)} bytes"


def number_of(count: i64) -> str:
    """Write a number: with commas in a terminal."""
    return count_text(count) if count >= 1000 and on_terminal() else str(count)


def line_of(event: Event) -> str:
    """Write an event without its value; "" for an event that only ends something."""
    # Compiled, `isinstance` takes a tenth of the time of a pattern of `match`, which is for events that a save has few of.
    if isinstance(event, PropertyTag):
        name = f"{event.name}[{event.index}]" if event.index else event.name
        return clean(f"{name}: {type_text(event)}")
    if isinstance(event, Field):
        return clean(f"[{event.index}] {event.type}" if event.index >= 0 else f"{event.name}: {event.type}")
    if isinstance(event, StructEnter):
        if event.type_name == LEVEL:
            return clean(f"level {event.name}")
        name = f"[{event.index}]" if event.index >= 0 else f"{event.name}:"
        return clean(f"{name} {event.type_name or 'struct'}") + count_of(event)
    if isinstance(event, ObjectHeader):
        # An entry of an archive may be the only one of its kind, and all three are one word.
        kind, class_name, name = event.kind, short_class(event.class_name), event.instance_name
        text = kind if class_name == kind else f"{kind} {class_name}"
        if name not in (kind, class_name):
            text += f" {name}"
        return f"{clean(text)} ({size_of(event.size)})"
    match event:
        case SaveStart():
            return f"{event.format} save, version {event.version}"
        case ChunkStart():
            sizes = f"{size_of(event.compressed_size)} -> {size_of(event.size)}"
            return f"chunk {event.index} at {event.compressed_offset:#x}: {sizes}"
        case Checkpoint():
            return f"checkpoint {clean(event.name)} {event.hash:#x}"
        case BlobSkip():
            return f"({size_of(event.size)}: {clean(event.reason)})"
        case Damage():
            return f"lost: {clean(event.lost.kind)} {clean(event.lost.name)}: {clean(str(event.error))}"
        case SaveEnd():
            return f"end of {size_of(event.offset)}"
    return ""


def event_members(event: Event) -> dict[str, object]:
    """Return the fields of an event by name."""
    return {name: getattr(event, name) for name in event.__match_args__}


def count_of(event: StructEnter) -> str:
    """Write how many elements a container has; "" for what is no container."""
    if event.count < 0:
        return ""
    return " [1 element]" if event.count == 1 else f" [{number_of(event.count)} elements]"


def coloured(event: Event, text: str) -> str:
    """Return the line of an event in the colours of a terminal."""
    if isinstance(event, (PropertyTag, Field)):
        name, colon, rest = text.partition(":")
        return styled(name, "path") + colon + rest
    return styled(text, COLOURED.get(type(event), ""))


class Printer:
    """Prints the events of one save."""

    def __init__(self, save: Save, *, depth: int, offsets: bool, as_json: bool, name_file: bool, chunks: bool) -> None:
        self._label = save.label
        self._events: EventStream = save.events
        #: Events that are nested deeper are left out.
        self._depth: i64 = depth
        self._offsets = offsets
        self._as_json = as_json
        self._name_file = name_file
        self._chunks = chunks
        self._is_terminal: bool = on_terminal()
        self._limit: i64 = SHOWN_TERMINAL if self._is_terminal else SHOWN_PIPE
        #: Lines that are written at once, as to call what is not compiled takes long.
        self._waiting: list[str] = []
        self._most: i64 = 1 if self._is_terminal or getattr(sys.stdout, "write_through", False) else MOST_WAITING
        #: Nesting depth of the lines at the left margin.
        self._margin: i64 = 0
        #: The line of a tag that waits for the first event of its value, and where the value starts.
        self._held = ""
        self._held_offset: i64 = -1

    def print(self, wanted: Callable[[ObjectHeader], bool] | None) -> None:
        """Print the objects that are wanted, and nothing else; without a test, each event.

        Raises:
            SaveError: the save is damaged.
            OutputFailed: standard output cannot be written.
        """
        events = self._events
        #: Depth of the object that is printed; -1 between two of them.
        depth: i64 = 0 if wanted is None else -1
        try:
            for event in events:
                if wanted is not None and depth < 0 and isinstance(event, ObjectHeader):
                    if wanted(event):
                        depth = events.depth
                        self._margin = depth - 1
                    elif not events.holds_objects(event):
                        events.skip()
                if depth >= 0 and (self._chunks or not isinstance(event, ChunkStart)):
                    self._show(event)
                if wanted is not None and isinstance(event, ObjectEnd) and events.depth < depth:
                    depth = -1
        finally:
            self._put_held()
            self._write()

    def _show(self, event: Event) -> None:
        """Print the stream's last event, if it is not too deep."""
        if not self._as_json and isinstance(event, (StructExit, ObjectEnd)):
            return
        events = self._events
        level = events.depth - self._margin - isinstance(event, (StructEnter, ObjectHeader))
        if level >= self._depth:
            return
        value: object = NOT_DECODED
        if isinstance(event, (PropertyTag, Field)) and event.size <= LARGEST_DECODED and is_one_value(event):
            value = events.build()
        elif level + 1 >= self._depth and isinstance(event, (StructEnter, ObjectHeader, PropertyTag)):
            events.skip()
        if self._as_json:
            self._json(event, level, value)
        else:
            self._text(event, level, value)

    def _json(self, event: Event, level: int, value: object) -> None:
        line: dict[str, object] = {"file": self._label} if self._name_file else {}
        line |= {"event": type(event).__name__, "depth": level, **event_members(event)}
        if value is not NOT_DECODED:
            line["value"] = value
        write_json(line)

    def _text(self, event: Event, level: i64, value: object) -> None:
        if isinstance(event, StructEnter) and event.offset == self._held_offset:
            self._held += count_of(event)
            self._put_held()
            return
        before = f"{event.offset:08x}  {INDENT * level}" if self._offsets else INDENT * level
        text = line_of(event)
        if self._is_terminal:
            text = coloured(event, text)
        self._put_held()
        if value is not NOT_DECODED:
            shown = show(value, self._limit)
            self._put(f'{before}{text} = "{shown}"' if isinstance(value, str) else f"{before}{text} = {shown}")
        elif isinstance(event, (PropertyTag, Field)):
            self._held = f"{before}{text} ({size_of(event.size)})"
            self._held_offset = event.value_offset if isinstance(event, PropertyTag) else -1
        else:
            self._put(before + text)

    def _put(self, line: str) -> None:
        """Print a line, at once or later."""
        self._waiting.append(line)
        if len(self._waiting) >= self._most:
            self._write()

    def _write(self) -> None:
        if self._waiting:
            write_line("\n".join(self._waiting))
            self._waiting.clear()

    def _put_held(self) -> None:
        """Print the line that waits for its value."""
        if self._held:
            self._put(self._held)
            self._held = ""
            self._held_offset = -1

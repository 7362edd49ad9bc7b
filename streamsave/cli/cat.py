"""`streamsave cat`: the events of a save, indented by their nesting."""

from __future__ import annotations

import re
from typing import Final

import click

from streamsave.cli.inputs import Saves, jobs_option, json_option, saves_argument, sparse_option
from streamsave.cli.limits import limit_option
from streamsave.cli.output import on_terminal, write_json, write_line
from streamsave.cli.run import read_saves
from streamsave.cli.save import Save
from streamsave.cli.text import clean, count_text, quoted, short_class, show
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
)
from streamsave.output.json_values import Json, json_value
from streamsave.query.expressions import compile_expression
from streamsave.stream.stream import EventStream

__all__ = ["command"]

#: Values of more bytes are not decoded.
LARGEST_DECODED: Final = 4096
#: Characters of a value to a terminal and to a pipe.
SHOWN_TERMINAL: Final = 80
SHOWN_PIPE: Final = 400
INDENT: Final = "  "
#: What levels are called in `StructEnter.type_name`.
LEVEL: Final = "Level"

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
CONTAINERS: Final = frozenset(("ArrayProperty", "SetProperty", "OptionalProperty"))


def is_one_value(tag: PropertyTag) -> bool:
    """Return whether the tag alone shows that no other event follows for the value."""
    if tag.type == "StructProperty":
        return tag.type_name in SMALL_STRUCTS
    if tag.type in CONTAINERS:
        return tag.inner_type != "StructProperty"
    if tag.type == "MapProperty":
        return "StructProperty" not in {tag.inner_type, tag.value_type}
    return True


def type_text(tag: PropertyTag) -> str:
    """Write a type with its parts: `ArrayProperty(StructProperty(InventoryStack))`."""
    inner = ", ".join(part for part in (tag.inner_type, tag.value_type) if part)
    name = f"({tag.type_name})" if tag.type_name else ""
    return clean(f"{tag.type}({inner}{name})" if inner else f"{tag.type}{name}")


def size_of(size: int) -> str:
    """Write a number of bytes; -1 is an unknown one."""
    if size < 0:
        return "size unknown"
    return "1 byte" if size == 1 else f"{count_text(size)} bytes"


def line_of(event: Event) -> str:
    """Write an event without its value; "" for an event that only ends something."""
    match event:
        case PropertyTag():
            name = f"{event.name}[{event.index}]" if event.index else event.name
            return f"{clean(name)}: {type_text(event)}"
        case Field():
            return clean(f"[{event.index}] {event.type}" if event.index >= 0 else f"{event.name}: {event.type}")
        case StructEnter():
            if event.type_name == LEVEL:
                return clean(f"level {event.name}")
            name = f"[{event.index}]" if event.index >= 0 else f"{event.name}:"
            return clean(f"{name} {event.type_name or 'struct'}") + count_of(event)
        case ObjectHeader():
            # An entry of an archive may be the only one of its kind, and all three are one word.
            names = dict.fromkeys((event.kind, short_class(event.class_name), event.instance_name))
            return clean(" ".join(names)) + f" ({size_of(event.size)})"
        case SaveStart():
            return f"{event.format} save, version {event.version}"
        case ChunkStart():
            return (
                f"chunk {event.index} at {event.compressed_offset:#x}: {size_of(event.compressed_size)} -> {size_of(event.size)}"
            )
        case Checkpoint():
            return f"checkpoint {clean(event.name)} {event.hash:#x}"
        case BlobSkip():
            return f"({size_of(event.size)}: {clean(event.reason)})"
        case Damage():
            return f"lost: {clean(event.lost.kind)} {clean(event.lost.name)}: {clean(str(event.error))}"
        case SaveEnd():
            return f"end of {size_of(event.offset)}"
    return ""


def count_of(event: StructEnter) -> str:
    """Write how many elements a container has; "" for what is no container."""
    if event.count < 0:
        return ""
    return " [1 element]" if event.count == 1 else f" [{count_text(event.count)} elements]"


class Printer:
    """Prints the events of one save."""

    def __init__(self, save: Save, *, depth: int | None, offsets: bool, as_json: bool, name_file: bool) -> None:
        self._label = save.label
        self._events = save.events
        self._depth = depth
        self._offsets = offsets
        self._as_json = as_json
        self._name_file = name_file
        self._limit = SHOWN_TERMINAL if on_terminal() else SHOWN_PIPE
        #: Nesting depth of the lines at the left margin.
        self.margin = 0
        #: The line of a tag that waits for the first event of its value, and where the value starts.
        self._held = ""
        self._held_offset = -1

    def show(self, event: Event) -> None:
        """Print the stream's last event, if it is not too deep."""
        events = self._events
        opens = isinstance(event, (StructEnter, ObjectHeader))
        level = events.depth - self.margin - opens
        if self._depth is not None and level >= self._depth:
            return
        values: list[object] = []
        if (
            isinstance(event, Field) or (isinstance(event, PropertyTag) and is_one_value(event))
        ) and event.size <= LARGEST_DECODED:
            values.append(events.build())
        elif self._depth is not None and level + 1 >= self._depth and isinstance(event, (StructEnter, ObjectHeader, PropertyTag)):
            events.skip()
        if self._as_json:
            self._json(event, level, values)
        else:
            self._text(event, level, values)

    def _json(self, event: Event, level: int, values: list[object]) -> None:
        line: dict[str, Json] = {"file": json_value(self._label)} if self._name_file else {}
        line |= {"event": type(event).__name__, "depth": level}
        said = json_value(event)
        assert isinstance(said, dict)  # noqa: S101 - an event has fields
        line |= said
        if values:
            line["value"] = json_value(values[0])
        write_json(line)

    def _text(self, event: Event, level: int, values: list[object]) -> None:
        if isinstance(event, StructEnter) and event.offset == self._held_offset:
            self._held += count_of(event)
            self.flush()
            return
        text = line_of(event)
        if not text:
            return
        self.flush()
        line = f"{event.offset:08x}  {INDENT * level}{text}" if self._offsets else INDENT * level + text
        if isinstance(event, (PropertyTag, Field)):
            if values:
                line += f" = {self._value(values[0])}"
            else:
                line += f" ({size_of(event.size)})"
                self._held = line
                self._held_offset = event.value_offset if isinstance(event, PropertyTag) else -1
                return
        write_line(line)

    def _value(self, value: object) -> str:
        return f'"{show(value, self._limit)}"' if isinstance(value, str) else show(value, self._limit)

    def flush(self) -> None:
        """Print the line that waits."""
        if self._held:
            write_line(self._held)
        self._held = ""
        self._held_offset = -1


def print_all(events: EventStream, printer: Printer, *, chunks: bool) -> None:
    """Print each event."""
    for event in events:
        if chunks or not isinstance(event, ChunkStart):
            printer.show(event)


def print_objects(events: EventStream, printer: Printer, pattern: re.Pattern[str], *, chunks: bool) -> None:
    """Print the objects that match, and nothing else."""
    inside = False
    for event in events:
        if isinstance(event, ObjectHeader):
            inside = bool(pattern.search(event.class_name) or pattern.search(event.instance_name))
            printer.margin = events.depth - 1
            if not inside:
                events.skip()
        if inside and (chunks or not isinstance(event, ChunkStart)):
            printer.show(event)
        if isinstance(event, ObjectEnd):
            inside = False


@click.command("cat", short_help="All events, indented.")
@saves_argument
@click.option(
    "--object",
    "object_pattern",
    metavar="PATTERN",
    help="Print only objects whose class or instance name matches this regular expression.",
)
@click.option(
    "--depth",
    metavar="N",
    type=click.IntRange(min=1),
    help="Print only events nested less than N deep; with --object, counted from the object.",
)
@click.option("--offsets", is_flag=True, help="Begin each line with the offset in the inflated stream, in hexadecimal.")
@click.option("--chunks", is_flag=True, help="Print also where compressed chunks begin.")
@sparse_option
@json_option
@limit_option
@jobs_option
def command(
    saves: Saves,
    object_pattern: str | None,
    depth: int | None,
    offsets: bool,
    chunks: bool,
    sparse: bool,
    as_json: bool,
) -> int:
    """Print all events, one on each line, indented by their nesting. Values of up to 4096 bytes are printed too.

    With --json, each event is an object with all its fields and "depth". Events that end something are printed too. "value" is
    the decoded value, if it is not too long; "file" is the save, if there are several.
    """
    try:
        pattern = None if object_pattern is None else compile_expression(object_pattern)
    except re.error as error:
        raise click.UsageError(f"{quoted(object_pattern or '')} is no regular expression: {error}.") from None
    several = saves.several

    def work(save: Save) -> None:
        if several and not as_json:
            write_line(f"{clean(save.label)}:")
        printer = Printer(save, depth=depth, offsets=offsets, as_json=as_json, name_file=several)
        try:
            if pattern is None:
                print_all(save.events, printer, chunks=chunks)
            else:
                print_objects(save.events, printer, pattern, chunks=chunks)
        finally:
            printer.flush()

    return read_saves(saves, work, sparse=sparse)

"""Events -> JSON text, piece by piece: the whole save as one document, or as lines, in constant memory.

| in the save | in the document |
|---|---|
| the save | `{"format", "version", "header", ...}` and everything at the top level, by name |
| consecutive objects | `"objects": [...]`, each with the parts of its header, its fields by name and `"properties": {...}` |
| a struct, a level | object by name; a name that repeats gets a suffix: `name[1]` (static array), `name#2` |
| an array, a set | list |
| a map | list of `[key, value]` |
| a struct that follows its type | `{"script_struct", "value"}` |
| a set or map with elements to remove | `{"removed": [...], "added": [...]}` |
| bytes of unknown layout | `{"base64", "reason"}`, by name, or under the reason if they have none |
| padding of zeros | `{"zeros", "reason"}`: how many bytes |
| values | as `streamsave.decode.json_values` says |

Small values are built and written at once; large ones are written event by event, or slice by slice. The document is the same,
except for the order of an object's keys.

With `on_damage="resync"`, a value `{"lost": {"kind", "class_name", "name", "path", "count", "size", "error"}}`, or a member
`"lost"`, replaces whatever was lost.

`json_lines` writes the same objects as lines. The first line is the save itself. Each object has a line, with the `path` of what
contains it. So has each value that is in no object: under its name, with its `path`.

The module is long because a value is written whole, event by event or slice by slice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from streamsave.consume.stream import EventStream
from streamsave.decode.build import JSON_ARRAY, MAP_ENTRY, end_members, free_key, header_members
from streamsave.decode.json_values import json_key
from streamsave.errors import SaveError
from streamsave.events import (
    BlobSkip,
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
from streamsave.limits import check_limit
from streamsave.output.json_text import PIECE_SIZE, HeldText, escaped, held_json, json_bytes, leaf_text, value_text

__all__ = ["JsonWriter", "LineWriter", "json_document", "json_lines", "json_of_opened", "loss_members", "save_members"]

#: Most bytes of a value that is built; a larger one, or one of unknown size, is written event by event or slice by slice.
BUILT_SIZE: Final = 64 * 1024
#: Values of fewer bytes are always built: an empty array has no slice that shows whether its elements are bytes.
LEAST_SLICED: Final = 64

#: Types of structs that are lists, though they have no count.
LISTS: Final = frozenset({MAP_ENTRY, JSON_ARRAY})
OBJECTS: Final = "objects"
PROPERTIES: Final = "properties"
LOST: Final = "lost"


class Scope:
    """An object or a list that is open in the document."""

    def __init__(self, end: bytes, *, is_list: bool, collects: str, is_object: bool) -> None:
        #: The text that closes it.
        self.end = end
        #: The names in it so far, or None for a list; the values do not count.
        self.names: dict[str, object] | None = None if is_list else {}
        #: `"objects"` or `"properties"` if it collects these, and so has no event of its own in the save.
        self.collects = collects
        #: Whether it is an object of the save: its properties go into a member of their own.
        self.is_object = is_object
        self.is_empty = True
        #: Characters of the names.
        self.names_size: int = 0
        #: How often each name came, for `free_key`.
        self.repeats: dict[str, int] = {}


class JsonWriter:
    """Writes events as JSON. The open scopes mirror the open nestings of the stream.

    After `feed`, as long as `is_full`, `take` the text and `go_on`: so a value of any size has its text in pieces.

    Args:
        events: the stream whose events are fed.
        in_parts: parts of an object may be lost, and the rest is written (`failed`). So objects are not built, and the text of a
            large value is held until it is complete.
        built_size: most bytes of a value that is built.
    """

    def __init__(self, events: EventStream, *, in_parts: bool = False, built_size: int = BUILT_SIZE) -> None:
        self._events = events
        events._as_values()
        self._limits = events._limits
        self._in_parts = in_parts
        self._built_size = built_size
        self._scopes: list[Scope] = []
        self._pieces: list[bytes] = []
        self._size = 0
        #: Whether the key of the next value is written already: the value is that of a tag.
        self._has_key = False
        #: Whether the next exit event ends something that was built.
        self._was_built = False
        #: The rest of the text of a large value.
        self._rest: Iterator[bytes] | None = None

    # --- text ---

    def take(self) -> bytes:
        """Return the text written since the last call."""
        text = escaped(b"".join(self._pieces))
        self._pieces.clear()
        self._size = 0
        return text

    def is_full(self) -> bool:
        """Return whether there is a piece of text to take."""
        return self._size >= PIECE_SIZE

    def write(self, text: bytes) -> None:
        """Add text as it is."""
        self._pieces.append(text)
        self._size += len(text)

    def value(self, value: object) -> None:
        """Write a value as JSON."""
        self.write(value_text(value))

    # --- scopes ---

    def open(self, *, is_list: bool = False, is_object: bool = False, collects: str = "") -> None:
        """Begin an object or a list."""
        self.write(b"[" if is_list else b"{")
        self._scopes.append(Scope(b"]" if is_list else b"}", is_list=is_list, collects=collects, is_object=is_object))

    def close(self) -> None:
        """End the innermost object or list that the save has opened, and a collection in it."""
        self._stop_collecting("")
        scope = self._scopes[-1]
        if scope.is_object and scope.names is not None and PROPERTIES not in scope.names:
            self._collect(PROPERTIES)
            self.end_scope()
        self.end_scope()

    def end_scope(self) -> None:
        """End the innermost object or list."""
        self.write(self._scopes.pop().end)

    def _stop_collecting(self, collects: str) -> None:
        """End an open collection of other things than these."""
        scope = self._scopes[-1]
        if scope.collects and scope.collects != collects:
            self.end_scope()

    def key(self, name: str) -> None:
        """Begin a member of an object, or an element of a list: that has no name.

        Raises:
            LimitExceeded: the object has more names than `Limits.table_entries`, or more bytes of them than `Limits.build_size`:
                they are kept, as none may come twice.
        """
        if self._has_key:
            self._has_key = False
            return
        scope = self._scopes[-1]
        if not scope.is_empty:
            self.write(b",")
        scope.is_empty = False
        if scope.names is not None:
            self.write(json_bytes(json_key(self.free_name(scope, scope.names, name))) + b":")

    def free_name(self, scope: Scope, names: dict[str, object], name: str) -> str:
        """Return the name of the next member of an object: what repeats gets a suffix.

        Raises:
            LimitExceeded: as for `key`.
        """
        key = free_key(names, scope.repeats, name)
        names[key] = None
        if len(names) > self._limits.table_entries:
            check_limit(self._limits, "table_entries", len(names), subject="names in one JSON object")
        scope.names_size += len(key)
        if scope.names_size > self._limits.build_size:
            check_limit(self._limits, "build_size", scope.names_size, subject="names in one JSON object")
        return key

    def _collect(self, collects: str) -> None:
        """Continue or begin a collection of objects or properties; a list needs none."""
        self._stop_collecting(collects)
        scope = self._scopes[-1]
        if scope.collects == collects or scope.names is None or (collects == PROPERTIES and not scope.is_object):
            return
        self.key(collects)
        self.open(is_list=collects == OBJECTS, collects=collects)

    # --- events ---

    def feed(self, event: Event) -> None:
        """Write the stream's last event, and the value that it opens if that is small.

        Raises:
            SaveError: the value cannot be built; `failed` goes on with its events.
            LimitExceeded: as for `key`.
        """
        if isinstance(event, PropertyTag):
            self._tag(event)
        elif isinstance(event, StructEnter):
            self._struct(event)
        elif isinstance(event, (StructExit, ObjectEnd)):
            if self._was_built:
                self._was_built = False
            else:
                if isinstance(event, ObjectEnd) and event.ucs_modified_properties >= 0:
                    self._stop_collecting("")
                    self.members(end_members(event))
                self.close()
        elif isinstance(event, Field):
            self._stop_collecting("")
            self.key(event.name)
            self._leaf_value(event)
        elif isinstance(event, ObjectHeader):
            self._collect(OBJECTS)
            self.key("")
            self.begin_object(event, {})
        elif isinstance(event, Damage):
            self.lost(event)
        elif isinstance(event, SaveStart):
            self.open()
            self.members(save_members(event))
        elif isinstance(event, SaveEnd):
            self.close()
            self.write(b"\n")
        elif isinstance(event, BlobSkip):
            if not self._has_key:
                self._stop_collecting("")
            self.key(event.reason)
            self.value(self._events.opaque(event))

    def _tag(self, event: PropertyTag) -> None:
        self._collect(PROPERTIES)
        self.key(f"{event.name}[{event.index}]" if event.index else event.name)
        if event.size <= self._built_size and not self._events._leads_to_objects(event):
            self.value(self._events.build())
        elif self._events.is_leaf():
            self._leaf_value(event)
        else:
            self._has_key = True

    def _leaf_value(self, event: PropertyTag | Field) -> None:
        """Write a value without events inside."""
        slices = self._events.slices() if event.size > max(self._built_size, LEAST_SLICED) else None
        if slices is None:
            self.value(self._events.build())
            return
        self._rest = held_json(slices).take() if self._in_parts else leaf_text(slices)
        self.go_on()

    def go_on(self) -> None:
        """Go on with a value that was not written to its end, up to its end or the end of a piece.

        Raises:
            SaveError: as for `feed`.
        """
        while self._rest is not None and not self.is_full():
            text = next(self._rest, None)
            if text is None:
                self._rest = None
            else:
                self.write(text)

    def _struct(self, event: StructEnter) -> None:
        if not self._has_key:
            self._stop_collecting("")
        self.key(event.name or event.type_name)
        if 0 <= event.size <= self._built_size and not self._events._leads_to_objects(event):
            self.value(self._events.build())
            self._was_built = True
        else:
            self._open_struct(event)

    def _open_struct(self, event: StructEnter) -> None:
        """Begin a struct that is written event by event."""
        script_struct = self._events._script_struct(event)
        if script_struct is not None:
            self.write(b'{"script_struct":')
            self.value(script_struct)
            self.write(b',"value":')
        self.open(is_list=event.count >= 0 or event.type_name in LISTS)
        if script_struct is not None:
            self._scopes[-1].end += b"}"

    def begin_object(self, event: ObjectHeader, place: dict[str, object]) -> None:
        """Write an object if it is small, else begin it; members that say its place come first."""
        is_small = not self._in_parts and 0 <= event.size <= self._built_size
        # Some of those in it may be left out.
        if is_small and not (self._events._selects() and self._events.holds_objects(event)):
            built = self._events.build()
            assert isinstance(built, dict)  # noqa: S101 - as the table in `streamsave.decode.build` says
            self.value(place | built if place else built)
            self._was_built = True
        else:
            self.open(is_object=True)
            self.members(place | header_members(event))

    def failed(self, event: Event) -> None:
        """Go on, `in_parts`, after `feed` failed to build the value that `event` opened: its key is written, its rest follows."""
        if isinstance(event, StructEnter):
            self._open_struct(event)
        else:
            self._has_key = True

    def lost(self, damage: Damage) -> None:
        """Write what was lost, in its place."""
        members = loss_members(damage)
        if self._has_key:
            self._has_key = False
            self.value({LOST: members})
            return
        self._stop_collecting("")
        is_list = self._scopes[-1].names is None
        self.key(LOST)
        self.value({LOST: members} if is_list else members)

    def waits(self) -> bool:
        """Return whether a key was written whose value, or the rest of it, is still to come."""
        return self._has_key or self._rest is not None

    def members(self, members: dict[str, object]) -> None:
        """Write members of the open object."""
        for name, value in members.items():
            self.key(name)
            self.value(value)


def loss_members(damage: Damage) -> dict[str, object]:
    """Return what JSON says about a loss, by name."""
    lost = damage.lost
    return {
        "kind": lost.kind,
        "class_name": lost.class_name,
        "name": lost.name,
        "path": lost.path,
        "count": lost.count,
        "size": lost.size,
        "error": damage.error,
    }


def save_members(start: SaveStart) -> dict[str, object]:
    """Return what JSON says about the save itself, by name."""
    return {"format": start.format, "version": start.version, "header": start.header}


def json_document(events: EventStream, *, built_size: int = BUILT_SIZE) -> Iterator[bytes]:
    """Yield a save as one JSON document, in pieces of about 64 KiB.

    Args:
        events: a stream at its start.
        built_size: most bytes of a value that is built and written at once.

    Raises:
        SaveError: the bytes are damaged; the pieces so far are the document up to there.
        LimitExceeded: a value, or the number of names in one object, is more than `Limits` allows.
    """
    writer = JsonWriter(events, built_size=built_size)
    return _with_rest(_pieces(writer, events), writer.take)


def _with_rest(pieces: Iterator[bytes], rest: Callable[[], bytes]) -> Iterator[bytes]:
    """Yield pieces, and what is left after the last one; if they end with an error, raise it after that.

    Raises:
        SaveError, LimitExceeded: as for `json_document`.
    """
    fault: SaveError | None = None
    try:
        yield from pieces
    except SaveError as error:
        fault = error
    if text := rest():
        yield text
    if fault is not None:
        raise fault


def _pieces(writer: JsonWriter, events: Iterator[Event]) -> Iterator[bytes]:
    """Yield the full pieces of what a writer makes of events.

    Raises:
        SaveError, LimitExceeded: as for `json_document`.
    """
    for event in events:
        writer.feed(event)
        while writer.is_full():
            yield writer.take()
            writer.go_on()


def json_of_opened(events: EventStream, event: Event, *, built_size: int = BUILT_SIZE) -> Iterator[bytes]:
    """Yield what the last event opened as JSON, in pieces of about 64 KiB: the same as `build` returns, in constant memory.

    Args:
        events: the stream. The next event is the one after the value.
        event: its last event, which no verb has acted on.
        built_size: as for `json_document`.

    Raises:
        SaveError, LimitExceeded: as for `json_document`.
    """
    writer = JsonWriter(events, built_size=built_size)
    writer.open(is_list=True)  # a value has to be in something
    writer.take()
    try:
        yield from _with_rest(_pieces(writer, _of_opened(writer, events, event)), writer.take)
    finally:
        events._as_values(ends=True)


def _of_opened(writer: JsonWriter, events: EventStream, event: Event) -> Iterator[Event]:
    """Yield the last event and those of what it opened, as long as its text is not complete."""
    depth = events.depth - isinstance(event, (StructEnter, ObjectHeader))
    yield event
    while writer.waits() or events.depth > depth:
        yield next(events)


class LineWriter(JsonWriter):
    """Writes lines: a line ends with its object or value. Arguments are those of `JsonWriter`."""

    def __init__(self, events: EventStream, *, in_parts: bool = False, built_size: int = BUILT_SIZE) -> None:
        super().__init__(events, in_parts=in_parts, built_size=built_size)
        #: Whether a line is open, how many nestings are open around it, and how many pieces of text come before it.
        self.in_line = False
        self.depth = 0
        self._before = 0

    def feed(self, event: Event) -> None:
        """Write the stream's last event.

        Raises:
            SaveError, LimitExceeded: as for `JsonWriter.feed`.
        """
        if self.in_line:
            super().feed(event)
        elif isinstance(event, SaveStart):
            self.value(save_members(event))
            self.write(b"\n")
        elif isinstance(event, ObjectHeader):
            self.in_line, self.depth, self._before = True, self._events.depth - 1, len(self._pieces)
            self.begin_object(event, {"path": list(self._events.path)})
        elif isinstance(event, PropertyTag) and self._events._leads_to_objects(event):
            pass  # the objects in it have lines
        elif isinstance(event, (PropertyTag, Field, BlobSkip)):
            self.in_line, self.depth, self._before = True, self._events.depth, len(self._pieces)
            self.open()  # a value is wrapped in an object of JSON
            self.members({"path": list(self._events.path)})
            super().feed(event)
        self._end_if_complete()

    def go_on(self) -> None:
        """Go on with a value that was not written to its end, and end the line if it was the last one."""
        super().go_on()
        self._end_if_complete()

    def _end_if_complete(self) -> None:
        if self.in_line and self._events.depth <= self.depth and not self.waits():
            if self._scopes:
                self.close()
            self.write(b"\n")
            self.in_line = False

    def take_lines(self) -> bytes:
        """Return the text of the complete lines since the last call of `take`; that of an open line stays."""
        before = self._before if self.in_line else len(self._pieces)
        line = self._pieces[before:]
        del self._pieces[before:]
        text = self.take()
        self._before = 0
        for piece in line:
            self.write(piece)
        return text

    def drop(self) -> None:
        """Discard the open line, and all text since `take`."""
        self.take()
        self._scopes.clear()
        self._has_key = self._was_built = self.in_line = False
        self._rest = None


def json_lines(events: EventStream, *, built_size: int = BUILT_SIZE) -> Iterator[bytes]:
    """Yield a save as lines of JSON, in pieces of about 64 KiB that may end inside a line. A line comes once it is complete.

    Args:
        events: a stream at its start.
        built_size: most bytes of a value that is built and written at once.

    Raises:
        SaveError: the bytes are damaged; the lines of what is before that came.
        LimitExceeded: a value, or the number of names in one object, is more than `Limits` allows.
        OSError: a temporary file for a long line cannot be written.
    """
    writer = LineWriter(events, built_size=built_size)
    yield from _with_rest(_line_pieces(writer, events), writer.take_lines)


def _line_pieces(writer: LineWriter, events: Iterator[Event]) -> Iterator[bytes]:
    """Yield the full pieces of the complete lines of events.

    Raises:
        SaveError, LimitExceeded, OSError: as for `json_lines`.
    """
    held = HeldText()
    for event in events:
        writer.feed(event)
        while writer.in_line and writer.is_full():
            if text := writer.take_lines():
                yield text
            else:
                held.add(writer.take())
            writer.go_on()
        if not writer.in_line and (held.size or writer.is_full()):
            yield from held.take()
            yield writer.take()

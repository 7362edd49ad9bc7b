"""Events -> JSON text, piece by piece: the whole save as one document, in constant memory.

| in the save | in the document |
|---|---|
| the save | `{"format", "version", "header", ...}` and what stands at the top level, by name |
| objects that follow each other | `"objects": [...]`, each with what its header says, its fields by name, `"properties": {...}` |
| a struct, a level | object by name; a name that repeats is told apart: `name[1]` (static array), `name#2` |
| an array, a set | list |
| a map | list of `[key, value]` |
| a struct with its type in front of it | `{"script_struct", "value"}` |
| a set or map that removes something | `{"removed": [...], "added": [...]}` |
| bytes of unknown layout | `{"base64", "reason"}`, under the reason where they have no name |
| values | as `streamsave.output.json_values` says |

What is small is built and written at once, what is large is walked; the document is the same but for the order of an object's
keys.

Of a save whose damage is survived, a value `{"lost": {"kind", "class_name", "name", "path", "count", "size", "error"}}`, or a
member `"lost"`, stands where something was lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import orjson
from attrs import define, field

from streamsave.decode.build import JSON_ARRAY
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
from streamsave.limits import Limits, check_limit
from streamsave.output.json_values import json_value
from streamsave.stream.stream import EventStream

__all__ = ["JsonWriter", "json_document", "loss_members", "save_members"]

#: What has at most so many bytes is built; what has more, or does not tell, is walked.
BUILT_SIZE: Final = 64 * 1024
#: How much text is gathered into a piece.
PIECE_SIZE: Final = 64 * 1024

#: Types of structs that are lists, though they do not tell a count.
LISTS: Final = frozenset({"MapEntry", JSON_ARRAY})
OBJECTS: Final = "objects"
PROPERTIES: Final = "properties"
LOST: Final = "lost"


@define
class Scope:
    """An object or a list that is open in the document."""

    #: What ends it.
    end: bytes
    #: How often each name was used, or None for a list.
    names: dict[str, int] | None
    #: What it gathers, where nothing in the save opened it: `"objects"` or `"properties"`.
    gathers: str = ""
    #: It is an object of the save, whose properties go into a place of their own.
    is_object: bool = False
    is_empty: bool = True


@define
class JsonWriter:
    """Writes what events say. The scopes that are open mirror the nestings of the stream."""

    _events: EventStream
    _limits: Limits = field(factory=Limits)
    #: Objects that are small are built, too.
    _builds_objects: bool = True
    _scopes: list[Scope] = field(factory=list)
    _pieces: list[bytes] = field(factory=list)
    _size: int = 0
    #: The key of what comes next is written already: it is the value of a tag.
    _has_key: bool = False
    #: The exit event that comes next is of something that was built.
    _was_built: bool = False

    # --- text ---

    def take(self) -> bytes:
        """Give the text gathered so far, and forget it."""
        text = b"".join(self._pieces)
        self._pieces.clear()
        self._size = 0
        return text

    def is_full(self) -> bool:
        """Whether there is enough text to hand on."""
        return self._size >= PIECE_SIZE

    def write(self, text: bytes) -> None:
        """Add text as it is."""
        self._pieces.append(text)
        self._size += len(text)

    def value(self, value: object) -> None:
        """Write a value."""
        self.write(orjson.dumps(json_value(value)))

    # --- scopes ---

    def open(self, *, is_list: bool = False, is_object: bool = False, gathers: str = "") -> None:
        """Begin an object or a list."""
        self.write(b"[" if is_list else b"{")
        self._scopes.append(Scope(b"]" if is_list else b"}", None if is_list else {}, gathers, is_object))

    def close(self) -> None:
        """End the innermost object or list that the save has opened, and what it gathers."""
        self._stop_gathering("")
        scope = self._scopes[-1]
        if scope.is_object and scope.names is not None and PROPERTIES not in scope.names:
            self.key(PROPERTIES)
            self.write(b"{}")
        self._scopes.pop()
        self.write(scope.end)

    def _stop_gathering(self, gathers: str) -> None:
        scope = self._scopes[-1]
        if scope.gathers and scope.gathers != gathers:
            self._scopes.pop()
            self.write(scope.end)

    def key(self, name: str) -> None:
        """Begin a member of an object, or an element of a list, which has no name."""
        if self._has_key:
            self._has_key = False
            return
        scope = self._scopes[-1]
        if not scope.is_empty:
            self.write(b",")
        scope.is_empty = False
        names = scope.names
        if names is None:
            return
        key = name
        repeat = names.get(name, 0) + 1
        if repeat > 1:
            key = f"{name}#{repeat}"
            while key in names:
                repeat += 1
                key = f"{name}#{repeat}"
            names[key] = 1
        names[name] = repeat
        check_limit(self._limits, "table_entries", len(names), subject="names in one JSON object")
        written = json_value({key: None})
        assert isinstance(written, dict)  # noqa: S101 - a dict stays one
        self.write(orjson.dumps(next(iter(written))) + b":")

    def _gather(self, gathers: str) -> None:
        """Go on with, or begin, the place where things of one kind are gathered; not in a list."""
        self._stop_gathering(gathers)
        scope = self._scopes[-1]
        if scope.gathers == gathers or scope.names is None or (gathers == PROPERTIES and not scope.is_object):
            return
        self.key(gathers)
        self.open(is_list=gathers == OBJECTS, gathers=gathers)

    # --- events ---

    def feed(self, event: Event) -> None:
        """Write what the stream's last event says, and what it opens if that is small."""
        if isinstance(event, PropertyTag):
            self._tag(event)
        elif isinstance(event, StructEnter):
            self._struct(event)
        elif isinstance(event, (StructExit, ObjectEnd)):
            if self._was_built:
                self._was_built = False
            else:
                self.close()
        elif isinstance(event, Field):
            self._stop_gathering("")
            self.key(event.name)
            self.value(self._events.build())
        elif isinstance(event, ObjectHeader):
            self._object(event)
        elif isinstance(event, Damage):
            self.lost(event)
        elif isinstance(event, BlobSkip):
            if not self._has_key:
                self._stop_gathering("")
            self.key(event.reason)
            self.value(self._events.opaque(event))

    def _tag(self, event: PropertyTag) -> None:
        self._gather(PROPERTIES)
        self.key(f"{event.name}[{event.index}]" if event.index else event.name)
        if event.size <= BUILT_SIZE or self._events.is_leaf():
            self.value(self._events.build())
        else:
            self._has_key = True

    def _struct(self, event: StructEnter) -> None:
        if not self._has_key:
            self._stop_gathering("")
        self.key(event.name)
        if 0 <= event.size <= BUILT_SIZE:
            self.value(self._events.build())
            self._was_built = True
        else:
            self._open_struct(event)

    def _open_struct(self, event: StructEnter) -> None:
        """Begin what is walked of a struct."""
        script_struct = self._events.script_struct(event)
        if script_struct is not None:
            self.write(b'{"script_struct":')
            self.value(script_struct)
            self.write(b',"value":')
        self.open(is_list=event.count >= 0 or event.type_name in LISTS)
        if script_struct is not None:
            self._scopes[-1].end += b"}"

    def _object(self, event: ObjectHeader) -> None:
        self._gather(OBJECTS)
        self.key("")
        if self._builds_objects and 0 <= event.size <= BUILT_SIZE:
            self.value(self._events.build())
            self._was_built = True
        else:
            self.open(is_object=True)
            self.members(object_members(event))

    def begin_object(self, event: ObjectHeader) -> None:
        """Begin an object that has a line of its own."""
        place: dict[str, object] = {"path": list(self._events.path)}
        if self._builds_objects and 0 <= event.size <= BUILT_SIZE:
            built = self._events.build()
            assert isinstance(built, dict)  # noqa: S101 - as the table in `streamsave.decode.build` says
            self.value(place | built)
            self._was_built = True
        else:
            self.open(is_object=True)
            self.members(place | object_members(event))

    def failed(self, event: Event) -> None:
        """What `event` has opened cannot be built: there is a key for it, and what is left of it comes as events."""
        if isinstance(event, StructEnter):
            self._open_struct(event)
        else:
            self._has_key = True

    def lost(self, damage: Damage) -> None:
        """Write, in the place of what was lost, what that was."""
        told = loss_members(damage)
        if self._has_key:
            self._has_key = False
            self.value({LOST: told})
            return
        self._stop_gathering("")
        is_list = self._scopes[-1].names is None
        self.key(LOST)
        self.value({LOST: told} if is_list else told)

    def waits(self) -> bool:
        """Whether the value of what was written last comes with the next event."""
        return self._has_key

    def members(self, members: dict[str, object]) -> None:
        """Write members of an object."""
        for name, value in members.items():
            self.key(name)
            self.value(value)


def object_members(header: ObjectHeader) -> dict[str, object]:
    """What is written of an object's header."""
    return {
        "kind": header.kind,
        "class_name": header.class_name,
        "instance_name": header.instance_name,
        "level": header.level,
        "outer": header.outer,
        "transform": header.transform,
        "flags": header.flags,
        "save_version": header.save_version,
    }


def loss_members(damage: Damage) -> dict[str, object]:
    """What is written of something that was lost."""
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
    """What is written of the save itself."""
    return {"format": start.format, "version": start.version, "header": start.header}


def json_document(events: EventStream) -> Iterator[bytes]:
    """Write a save as one JSON document, in pieces of some 64 KiB.

    Raises:
        SaveError: the bytes are at fault; what was written before is the start of a document.
        LimitExceeded: one value, or the names in one object, are more than `Limits` allows.
    """
    writer = JsonWriter(events)
    for event in events:
        if isinstance(event, SaveStart):
            writer.open()
            writer.members(save_members(event))
        elif isinstance(event, SaveEnd):
            writer.close()
            writer.write(b"\n")
        else:
            writer.feed(event)
        if writer.is_full():
            yield writer.take()
    yield writer.take()

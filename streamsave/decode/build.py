"""Events -> plain Python values. The reader that makes the events is the one that is asked for the values.

| what was opened | becomes |
|---|---|
| a leaf | int, float, bool, str, bytes, list, or one of `streamsave.values` |
| a struct, a level, ... | dict by name; a name that repeats is told apart: `name[1]` (static array), `name#2` |
| an array, a set | list |
| a map | list of (key, value): keys may repeat, and may be dicts |
| a struct with its type in front of it | `streamsave.values.DynamicStruct` |
| a set or map that removes something | `streamsave.values.ContainerDelta` |
| objects that follow each other | a list: in a dict, under `objects` |
| an object | dict of what its header says, its fields, and its `properties` |
| bytes of unknown layout | `streamsave.values.Opaque` |
"""

from __future__ import annotations

from typing import cast

from streamsave.decode.reader import Reader
from streamsave.events import BlobSkip, Damage, Event, Field, ObjectEnd, ObjectHeader, PropertyTag, StructEnter, StructExit

__all__ = ["CONTAINER_DELTA", "JSON_ARRAY", "add_member", "build_list", "build_opened", "free_key", "header_members"]

MAP_ENTRY = "MapEntry"
#: A map or set with something to remove, and something to add.
CONTAINER_DELTA = "ContainerDelta"
#: A container that does not tell its count before its end.
JSON_ARRAY = "JsonArray"


def build_opened(reader: Reader, event: Event) -> object:
    """Build what `event`, the reader's last one, has opened; the exit event of a nesting becomes `last_exit`."""
    if isinstance(event, PropertyTag):
        inner = reader.open_value()
        return reader.value(event) if inner is None else build_opened(reader, inner)
    if isinstance(event, Field):
        return reader.value(event)
    if isinstance(event, StructEnter):
        return _build_struct(reader, event)
    if isinstance(event, ObjectHeader):
        return _build_object(reader, event)
    if isinstance(event, BlobSkip):
        from streamsave.values import Opaque  # noqa: PLC0415 - the value types are not needed to walk

        reader.cursor.seek(event.offset)
        reader.spend(1, event.size)
        return Opaque(reader.cursor.take(event.size), event.reason)
    raise TypeError(f"{type(event).__name__} opens nothing")


def build_list(reader: Reader) -> dict[str, object]:
    """Build a property list, up to the end of the outermost walk of `reader`."""
    values: dict[str, object] = {}
    repeats: dict[str, int] = {}
    event = reader.walk()
    while event is not None:
        add_member(reader, values, repeats, event)
        event = reader.walk()
    return values


def _build_struct(reader: Reader, enter: StructEnter) -> object:
    script_struct = reader.script_struct(enter)
    items: list[object] = []
    values: dict[str, object] = {}
    repeats: dict[str, int] = {}
    #: Objects that follow each other.
    objects: list[object] | None = None
    is_list = enter.count >= 0 or enter.type_name == JSON_ARRAY
    while True:
        event = _next(reader)
        if isinstance(event, ObjectHeader):
            reader.spend(1, 0)
            if is_list:
                objects = items
            elif objects is None:
                objects = []
                values[free_key(values, repeats, "objects")] = objects
            objects.append(build_opened(reader, event))
            continue
        if isinstance(event, StructExit):
            reader.last_exit = event
            break
        if is_list and isinstance(event, (PropertyTag, Field, StructEnter)):
            reader.spend(1, 0)
            items.append(build_opened(reader, event))
        elif add_member(reader, values, repeats, event):
            objects = None
    if enter.type_name == MAP_ENTRY:
        return values["key"], values["value"]
    if enter.type_name == CONTAINER_DELTA:
        from streamsave.values import ContainerDelta  # noqa: PLC0415 - the value types are not needed to walk

        return ContainerDelta(cast("list[object]", values["removed"]), cast("list[object]", values["added"]))
    if script_struct is not None:
        from streamsave.values import DynamicStruct  # noqa: PLC0415 - the value types are not needed to walk

        return DynamicStruct(script_struct, values)
    if not is_list:
        return values
    return [*items, *values.values()]


def header_members(header: ObjectHeader) -> dict[str, object]:
    """Return what a built object says of its header, by name."""
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


def _build_object(reader: Reader, header: ObjectHeader) -> dict[str, object]:
    properties: dict[str, object] = {}
    values = header_members(header)
    values["properties"] = properties
    repeats: dict[str, int] = {}
    repeated_properties: dict[str, int] = {}
    while True:
        event = _next(reader)
        if isinstance(event, ObjectEnd):
            reader.last_exit = event
            return values
        if isinstance(event, PropertyTag):
            add_member(reader, properties, repeated_properties, event)
        else:
            add_member(reader, values, repeats, event)


def _next(reader: Reader) -> Event:
    event = reader.next_event()
    if event is None:
        raise RuntimeError("a nesting was left open by its reader")
    return event


def add_member(reader: Reader, values: dict[str, object], repeats: dict[str, int], event: Event) -> bool:
    """Build one child and put it under its name, if it has one; nothing that is there already is lost.

    `repeats` is this function's own: it starts empty with `values`.
    """
    if isinstance(event, BlobSkip):
        name = event.reason
    elif isinstance(event, (PropertyTag, StructEnter, Field)):
        name = event.name
        if isinstance(event, PropertyTag) and event.index:
            name = f"{name}[{event.index}]"
    elif isinstance(event, Damage):
        raise event.error
    else:
        return False
    key = free_key(values, repeats, name)
    reader.spend(1, len(key))
    values[key] = None  # holds the place in the order
    values[key] = build_opened(reader, event)
    return True


def free_key(values: dict[str, object], repeats: dict[str, int], name: str) -> str:
    """Give a name that is not there yet; `repeats` tells how often each has come that came more than once."""
    if name not in values:
        return name
    repeat = repeats.get(name, 1) + 1
    key = f"{name}#{repeat}"
    while key in values:
        repeat += 1
        key = f"{name}#{repeat}"
    repeats[name] = repeat
    return key

"""Events -> plain Python values. The reader that makes the events decodes the values.

| what was opened | becomes |
|---|---|
| a leaf | int, float, bool, str, bytes, list, or one of `streamsave.values` |
| a struct, a level, ... | dict by name; a name that repeats becomes `name[1]` (static array) or `name#2` |
| an array, a set | list |
| a map | list of (key, value): keys may repeat, and may be dicts |
| a struct with its type before it | `streamsave.values.DynamicStruct` |
| a set or map that removes something | `streamsave.values.ContainerDelta` |
| objects one after the other | a list: in a dict, under `objects` |
| an object | dict of what its header says, its fields, and its `properties` |
| bytes of unknown layout | `streamsave.values.Opaque` |

`references_in` finds the references to objects in built values.
"""

from __future__ import annotations

from typing import cast

from streamsave._fields import names_of_fields
from streamsave.decode.reader import Reader
from streamsave.decode.slices import Large, Parts, Slices
from streamsave.events import (
    OBJECT_MEMBERS,
    STORED_MEMBERS,
    BlobSkip,
    Damage,
    Event,
    Field,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    StructEnter,
    StructExit,
)
from streamsave.frequent_values import ObjectReference

__all__ = [
    "CONTAINER_DELTA",
    "JSON_ARRAY",
    "MAP_ENTRY",
    "Members",
    "build_opened",
    "free_key",
    "header_members",
    "references_in",
]

MAP_ENTRY = "MapEntry"
#: Type name of a map or set that is stored as a difference.
CONTAINER_DELTA = "ContainerDelta"
#: Type name of a container whose count is known only at its end.
JSON_ARRAY = "JsonArray"


def build_opened(reader: Reader, event: Event) -> object:
    """Return what `event`, the last one of the reader, has opened. The exit event of a nesting becomes `reader.build.last_exit`.

    Raises:
        TypeError: the event opens nothing.
        SaveError: the save is damaged, or the values are more than `Limits` allows.
    """
    if isinstance(event, PropertyTag):
        inner = reader.open_value()
        if inner is not None:
            return build_opened(reader, inner)
    if isinstance(event, (PropertyTag, Field)):
        large = reader.options.large
        return reader.value(event) if large is None else _build_large(reader, event, large)
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


def _build_large(reader: Reader, event: PropertyTag | Field, large: Large) -> object:
    """Return the value of a leaf. Of one that is more than `Limits` allows to build, `large` may make a value."""
    limits = reader.limits
    if event.size <= min(limits.build_nodes, limits.build_size):
        return reader.value(event)
    make = large(reader.path())
    start = reader.cursor.tell()
    slices = None if make is None else reader.open_slices(event)
    if make is None or slices is None:
        return reader.value(event)
    if slices.nodes() <= limits.build_nodes and event.size <= limits.build_size:
        reader.cursor.seek(start)
        return reader.value(event)
    return make(_parts(reader, event, slices))


def _parts(reader: Reader, event: Event, slices: Slices) -> Parts:
    while True:
        first = int(slices.done)
        reader.build.reset()
        elements = reader.next_slice(event, slices)
        if elements is None:
            return
        yield first, elements


class Members:
    """The members of one dict, by name; a name that is there already becomes `name#2`."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}
        #: The list of the objects that came last, one after the other; None after anything else.
        self.objects: list[object] | None = None
        self._repeats: dict[str, int] = {}

    def add(self, reader: Reader, event: Event) -> None:
        """Build what `event`, the last one of the reader, has opened, and put it under its name; pass over one without a name.

        Raises:
            SaveError: the save is damaged, or the values are more than `Limits` allows.
        """
        if isinstance(event, ObjectHeader):
            reader.spend(1, 0)
            if self.objects is None:
                self.objects = []
                self.put("objects", self.objects)
            self.objects.append(build_opened(reader, event))
            return
        if isinstance(event, BlobSkip):
            name = event.reason
        elif isinstance(event, PropertyTag):
            name = f"{event.name}[{event.index}]" if event.index else event.name
        elif isinstance(event, (StructEnter, Field)):
            name = event.name
        elif isinstance(event, Damage):
            raise event.error
        else:
            return
        self.objects = None
        key = free_key(self.values, self._repeats, name)
        reader.spend(1, len(key))
        self.values[key] = build_opened(reader, event)

    def put(self, name: str, value: object) -> None:
        """Put a value under a name."""
        self.values[free_key(self.values, self._repeats, name)] = value


def _build_struct(reader: Reader, enter: StructEnter) -> object:
    script_struct = reader.script_struct(enter)
    items: list[object] = []
    members = Members()
    is_list = enter.count >= 0 or enter.type_name == JSON_ARRAY
    while True:
        event = _next(reader)
        if isinstance(event, StructExit):
            reader.build.last_exit = event
            break
        if is_list and isinstance(event, (ObjectHeader, PropertyTag, Field, StructEnter)):
            reader.spend(1, 0)
            items.append(build_opened(reader, event))
        else:
            members.add(reader, event)
    values = members.values
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
    return [*items, *values.values()] if values else items


def header_members(header: ObjectHeader) -> dict[str, object]:
    """Return what a built object says of its header, by name. What its format does not store is left out."""
    members: dict[str, object] = {name: getattr(header, name) for name in OBJECT_MEMBERS}
    for name in STORED_MEMBERS:
        value = getattr(header, name)
        if value is not None:
            members[name] = value
    return members


def end_members(end: ObjectEnd) -> dict[str, object]:
    """Return what a built object says of its end, by name."""
    return {} if end.ucs_modified_properties < 0 else {"ucs_modified_properties": end.ucs_modified_properties}


def _build_object(reader: Reader, header: ObjectHeader) -> dict[str, object]:
    properties = Members()
    others = Members()
    while True:
        event = _next(reader)
        if isinstance(event, ObjectEnd):
            break
        if isinstance(event, PropertyTag):
            properties.add(reader, event)
            others.objects = None
        else:
            others.add(reader, event)
    reader.build.last_exit = event
    whole = Members()
    whole.values = header_members(header)
    whole.values["properties"] = properties.values
    for name, value in others.values.items():
        whole.put(name, value)
    whole.values.update(end_members(event))
    return whole.values


def _next(reader: Reader) -> Event:
    event = reader.next_event()
    if event is None:
        raise RuntimeError("a nesting was left open by its reader")
    reader.allowance.spend(reader.cursor)
    return event


def free_key(values: dict[str, object], repeats: dict[str, int], name: str) -> str:
    """Return a name that is not in `values` yet; `repeats` has how often each name came that came more than once."""
    if name not in values:
        return name
    repeat = repeats.get(name, 1) + 1
    key = f"{name}#{repeat}"
    while key in values:
        repeat += 1
        key = f"{name}#{repeat}"
    repeats[name] = repeat
    return key


def references_in(value: object) -> list[str]:
    """Return the paths of the objects that a built value refers to: of all references that have a level and a path.

    References to assets have no level.
    """
    found: list[str] = []
    _add_references(value, found)
    return found


def _add_references(value: object, found: list[str]) -> None:
    """Add what `references_in` returns."""
    if value is None or isinstance(value, (str, int, float, bytes)):
        return
    if isinstance(value, ObjectReference):
        if value.level_name and value.path_name:
            found.append(value.path_name)
    elif isinstance(value, dict):
        for part in value.values():
            _add_references(part, found)
    elif isinstance(value, (list, tuple)):
        for part in value:
            _add_references(part, found)
    else:
        for name in names_of_fields(type(value)) or ():
            _add_references(getattr(value, name), found)

"""The values of an object, or one value that is in none, for a comparison later."""

from __future__ import annotations

from streamsave.compare.pair import Path, path_in
from streamsave.errors import format_path
from streamsave.events import BlobSkip, Event, Field, ObjectEnd, ObjectHeader, PropertyTag
from streamsave.output.json_text import value_bytes
from streamsave.stream.stream import EventStream

__all__ = ["Seen", "Values", "object_values", "one_value", "values_as_bytes"]

#: Path -> value, and the type of the property or "".
Values = dict[Path, tuple[object, str]]


class Seen:
    """An object or a value of one of the saves.

    Args:
        place: where it is: `place_of_object` or `place_of_value`.
        header: of an object.
        values: of the object, or the value; None: it has to be read again.
        holder: the key of the object around a value, if only one save has that one; else empty.
    """

    def __init__(self, place: int, header: ObjectHeader | None, values: Values | None, holder: bytes = b"") -> None:
        self.place = place
        self.header = header
        self.values = values
        self.holder = holder


def object_values(events: EventStream, header: ObjectHeader, steps: int) -> Values:
    """Return the values of the object of the last event, and go to its end. Objects in it are not among them.

    Args:
        events: the events of the save.
        header: the last event.
        steps: how many steps the path had there.

    Raises:
        SaveError: the save is damaged, or a value is more than `Limits` allows to build.
    """
    values: Values = {}
    depth = events.depth
    for member in events:
        if isinstance(member, ObjectEnd) and events.depth < depth:
            break
        if isinstance(member, PropertyTag):
            path = path_in(events.path, header, steps)
            if member.index > 0:
                path = (*path, member.index)
            if events.is_leaf():
                values[path] = (events.build(), member.type)
        elif isinstance(member, Field):
            path = path_in(events.path, header, steps)
            values[path] = (events.build(), "")
        elif isinstance(member, BlobSkip) and member.size:
            path = path_in((*events.path, "@bytes"), header, steps)
            values[path] = (events.opaque(member), "")
    return values


def one_value(events: EventStream, event: Event) -> Values:
    """Return the value of the last event, a leaf that is in no object.

    Raises:
        SaveError: the save is damaged, or the value is more than `Limits` allows to build.
    """
    path = events.path
    if isinstance(event, BlobSkip):
        return {(*path, "@bytes"): (events.opaque(event), "")}
    if isinstance(event, PropertyTag):
        if event.index > 0:
            path = (*path, event.index)
        return {path: (events.build(), event.type)}
    return {path: (events.build(), "")}


def values_as_bytes(values: Values) -> bytes:
    """Return bytes that are the same for equal values only."""
    return b"\0".join(
        [format_path(path).encode("utf-8", "surrogatepass") + b"\0" + value_bytes(value) for path, (value, _) in values.items()]
    )

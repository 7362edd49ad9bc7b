"""The events and values of one object whose bytes a test makes by hand."""

from typing import Any

from saves import headers_of, inflate, without_chunks
from writer.satisfactory import Encoded, Object, VersionData, World, release_header, save_bytes
from writer.tags import Prop

import streamsave
from streamsave import BlobSkip, Event, Field, Limits, ObjectEnd, ObjectHeader, PropertyTag, SaveError, StructEnter, StructExit

#: Object version data of UE5 with old and with new tags.
OLD = 52
NEW = 58

NONE = b"\5\0\0\0None\0"


def object_save(data: bytes, version: int = OLD, *, class_name: str = "/Script/Oracle.Hand") -> bytes:
    """A save of one component that has these bytes for its data."""
    encoded = Encoded(Object(class_name, "Hand", outer="Owner").header(version), data)
    version_data = VersionData() if version >= 53 else None
    return save_bytes(World(release_header(version), objects=[encoded], version_data=version_data))


def property_save(properties: bytes, version: int = OLD) -> bytes:
    """A save of one component that has these bytes for its property list; the terminator is added."""
    return object_save((b"\0" if version >= 53 else b"") + properties + NONE + bytes(4), version)


def encoded(*props: Prop[Any], version: int = OLD) -> bytes:
    from strategies import dialect_of

    return b"".join(prop.encode(dialect_of(version)) for prop in props)


def object_events(save: bytes, limits: Limits | None = None) -> tuple[list[Event], SaveError | None, int]:
    """The events inside of the only object, the fault that ended them, and where the object's data starts."""
    seen: list[Event] = []
    start = -1
    try:
        with streamsave.open(save, limits=limits) as events:
            for event in events:
                if isinstance(event, ObjectHeader):
                    start = event.data_offset
                elif isinstance(event, ObjectEnd):
                    break
                elif start >= 0:
                    seen.append(event)
    except SaveError as error:
        return without_chunks(seen), error, start
    return without_chunks(seen), None, start


def compact(events: list[Event], base: int) -> list[tuple[object, ...]]:
    """Events as short rows: what, where (from `base`), and what matters of it."""
    rows: list[tuple[object, ...]] = []
    for event in events:
        at = event.offset - base
        match event:
            case PropertyTag():
                rows.append(("tag", at, event.name, event.type, event.size))
            case StructEnter():
                rows.append(("enter", at, event.name, event.type_name, event.size, event.index, event.count))
            case StructExit():
                rows.append(("exit", at, event.name, event.size))
            case Field():
                rows.append(("field", at, event.name, event.type, event.size, event.index))
            case BlobSkip():
                rows.append(("blob", at, event.size, event.reason))
            case _:
                rows.append((type(event).__name__, at))
    return rows


def rows_of(save: bytes) -> list[tuple[object, ...]]:
    """The events inside of the only object as rows without the place, and without what comes before the properties."""
    events, error, base = object_events(save)
    assert error is None
    rows = [(row[0], *row[2:]) for row in compact(events, base)]
    return rows[1:] if rows[0][:2] == ("field", "serialization_control") else rows


def list_fault(properties: bytes, version: int = OLD, limits: Limits | None = None) -> tuple[SaveError, list[Event], int]:
    """The fault of a property list, the events before it, and where the list starts."""
    events, error, base = object_events(property_save(properties, version), limits)
    assert error is not None
    return error, events, base + (1 if version >= 53 else 0)


def built(save: bytes, limits: Limits | None = None) -> dict[str, Any]:
    with streamsave.open(save, limits=limits) as events:
        value: Any = next(events.build() for event in events if isinstance(event, ObjectHeader))
        return value["properties"]


def data_offset(save: bytes) -> int:
    return next(event.data_offset for event in headers_of(save))


def patched(save: bytes, old: bytes, new: bytes) -> bytes:
    """A save whose inflated stream has something else in one place."""
    from saves import deflate, head_and_body

    head, body = head_and_body(save)
    assert body.count(old) == 1
    assert len(old) == len(new)
    return deflate(head, body.replace(old, new))


def offset_of(save: bytes, data: bytes) -> int:
    body = inflate(save)
    assert body.count(data) == 1
    return body.index(data)

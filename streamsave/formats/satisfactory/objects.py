"""An object's data: what it refers to, its properties, and what its class writes after them.

| field | type | |
|---|---|---|
| actor | reference owner; i32 n, n references to components | actors only |
| serialization_control | u8 | UE5 object version from 1011 |
| properties | property list | |
| object_guid | bool32, then 16 bytes if set | |
| ucs_modified_properties | i32 count, always 0 | some components, see `trailers` |
| trailer | by class, see `trailers` | |

`object_header` and `object_entry` have the layouts of what comes before the data and after them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import U8, Array, Struct
from streamsave.decode.cursor import Cursor
from streamsave.events import Event, ObjectEnd, ObjectHeader
from streamsave.formats.satisfactory.level_layout import BLUEPRINT_LAYOUT
from streamsave.formats.satisfactory.lightweight import LightweightWalker, holds_instances
from streamsave.formats.satisfactory.object_entry import ObjectEntryCodec
from streamsave.formats.satisfactory.object_header import ACTOR
from streamsave.formats.satisfactory.structs import make_dialect
from streamsave.formats.satisfactory.trailers import (
    COMPONENT_TRAILER,
    UNKNOWN_TRAILER,
    find_trailer,
    has_component_list,
    lightweight_trailer,
)
from streamsave.formats.satisfactory.versions import (
    LIGHTWEIGHT_FIRST,
    SAVE_VERSION_LIGHTWEIGHT_VERSION,
    SAVE_VERSION_VERSION_DATA,
)
from streamsave.formats.unreal.codecs import OBJECT_GUID, REFERENCE
from streamsave.formats.unreal.dialect import Dialect
from streamsave.formats.unreal.pool import STORED_NONE
from streamsave.formats.unreal.reader import UnrealReader
from streamsave.formats.unreal.tags import GUID_SIZE, UE5_SERIALIZATION_CONTROL

__all__ = ["COMPONENT_LIST_SIZE", "EMPTY_LIST", "FIXED_MEMBERS", "ObjectWalker", "unknown_trailer"]


ACTOR_REFERENCES: Final = Struct("ActorReferences", None, owner=REFERENCE, components=Array(REFERENCE))
#: A property list without properties, and no GUID: what most actors end with that have no properties.
EMPTY_LIST: Final = STORED_NONE + bytes(4)
#: Members of an object that are not properties.
FIXED_MEMBERS: Final = frozenset({"actor", "serialization_control", "object_guid", "trailer"})
#: Bytes of the list of modified properties of a component, if it is empty.
COMPONENT_LIST_SIZE: Final = 4
#: Versions of game and engine whose tables are kept.
KEPT_VERSIONS: Final = 64


class ObjectWalker:
    """Walks the data of objects, one after the other, at the cursor of the reader that is given to each method.

    Args:
        build_version: build number of the game that wrote the save.
    """

    def __init__(self, build_version: int) -> None:
        self._build_version = build_version
        self._entries = BLUEPRINT_LAYOUT.entries(0)
        self._level_ue5_version = 0
        #: How many bytes the last object has after its properties and GUID.
        self.left: i64 = 0
        #: How many properties it lists as modified, if it is a component that does so and nothing is in the list; else -1.
        self._modified: i64 = -1
        self._make_dialect: Callable[[int, int, int], Dialect] = lru_cache(KEPT_VERSIONS)(make_dialect)

    def begin_level(self, entries: ObjectEntryCodec, ue5_version: int) -> None:
        """Set the level of the objects that follow: the codec of its entries, and its UE5 object version (0: none)."""
        self._entries = entries
        self._level_ue5_version = ue5_version

    def content(self, reader: UnrealReader, header: ObjectHeader) -> Iterator[Event]:
        """Walk an object's data, which start at the cursor."""
        cursor = reader.cursor
        end: i64 = header.data_offset + header.size
        ue5_version = self._ue5_version(cursor, header)
        dialect = self._make_dialect(header.save_version, ue5_version, self._build_version)
        dialect.owner = header.class_name
        reader.dialect = dialect
        outer = cursor.limit()
        cursor.set_limit(end)
        if header.kind == ACTOR:
            yield reader.field("actor", ACTOR_REFERENCES)
        if cursor.tell() == end:  # some objects of mods end here
            if header.kind == ACTOR and cursor.since(end - len(EMPTY_LIST)) == EMPTY_LIST:
                raise cursor.damaged(
                    "the references of an actor run over its properties",
                    offset=end - len(EMPTY_LIST),
                    expected="an empty property list",
                    actual="a reference to an object in a level None",
                )
        else:
            if ue5_version >= UE5_SERIALIZATION_CONTROL:
                yield reader.field("serialization_control", U8)
            reader.set_outer_depth(0)
            reader.begin_list(end, header.class_name)
            yield from reader.walk_on()
            has_guid = cursor.bool32()
            if has_guid:
                cursor.skip(GUID_SIZE)
            if self._has_trailer(reader, header, end):
                yield from self._walk_trailer(reader, header, end)
            elif has_guid:
                yield self._object_guid(reader)
        cursor.set_limit(outer)

    def list_start(self, reader: UnrealReader, header: ObjectHeader, cursor: Cursor) -> i64:
        """Return where the property list of an object starts that has just begun; -1 if it has none. Set the dialect of its tags.

        Args:
            reader: of the save.
            header: of the object.
            cursor: any without a limit; it is moved.

        Raises:
            SaveError: what comes before it cannot be read.
        """
        ue5_version = self._ue5_version(cursor, header)
        reader.dialect = self._make_dialect(header.save_version, ue5_version, self._build_version)
        cursor.seek(header.data_offset)
        if header.kind == ACTOR:
            ACTOR_REFERENCES.measure(cursor, reader)
        if cursor.tell() >= header.data_offset + header.size:
            return -1
        if ue5_version >= UE5_SERIALIZATION_CONTROL:
            cursor.u8()
        return cursor.tell()

    def end(self, reader: UnrealReader, cursor: Cursor, header: ObjectHeader) -> ObjectEnd:
        """Move to the next entry; claim what no other event of the object does: a terminator, version data."""
        end: i64 = header.data_offset + header.size
        start = reader.list_end if reader.list_end >= 0 else end
        reader.list_end = -1
        cursor.seek(end)
        if header.save_version >= SAVE_VERSION_VERSION_DATA:
            self._entries.read_ue5_version(cursor, header.save_version)
        modified = self._modified
        self._modified = -1
        return ObjectEnd(start, header.instance_name, cursor.tell() - start, modified)

    def _has_trailer(self, reader: UnrealReader, header: ObjectHeader, end: i64) -> bool:
        """Pass over an empty list of modified properties after the GUID; return whether a trailer follows."""
        cursor = reader.cursor
        left = end - cursor.tell()
        self.left = left
        if left == 0:
            return False
        has_list = left == COMPONENT_LIST_SIZE and has_component_list(header.class_name, header.save_version)
        if has_list and cursor.i32() == 0:
            self._modified = 0
            return False
        return True

    def _object_guid(self, reader: UnrealReader) -> Event:
        """Return the event of the GUID of an object that has no trailer; it claims what ends the properties, too."""
        cursor = reader.cursor
        start = reader.list_end
        cursor.seek(start)
        event = reader.field("object_guid", OBJECT_GUID)
        reader.list_end = start + event.size
        return event

    def _walk_trailer(self, reader: UnrealReader, header: ObjectHeader, end: i64) -> Iterator[Event]:
        """Walk what the class writes after the GUID, where the cursor is; the first event claims what follows the properties."""
        cursor = reader.cursor
        start = reader.list_end
        trailer = self._trailer(cursor, header)
        if (
            self.left > COMPONENT_LIST_SIZE
            and has_component_list(header.class_name, header.save_version)
            and any(cursor.peek(COMPONENT_LIST_SIZE))
        ):
            trailer = COMPONENT_TRAILER
        reader.list_end = -1
        cursor.seek(start)
        instances: LightweightWalker | None = None
        as_objects = not reader.build.is_running and not reader.options.as_values
        if as_objects and trailer is not None and holds_instances(header.class_name):
            instances = self._instances(reader, header, trailer, end)
        if instances is not None:
            yield from instances.events(reader)
        else:
            yield from reader.walk_value("trailer", UNKNOWN_TRAILER if trailer is None else trailer)
        reader.list_end = -1
        yield from reader.blob(end, unknown_trailer(header))

    def _instances(self, reader: UnrealReader, header: ObjectHeader, trailer: Struct, end: i64) -> LightweightWalker:
        """Return what walks the objects in a trailer, which starts at the cursor and ends at `end`."""
        return LightweightWalker(header, trailer)

    def _ue5_version(self, cursor: Cursor, header: ObjectHeader) -> int:
        """Return the UE5 object version of an object. Its own version data, if there are any, follow its data."""
        entries = self._entries
        if not entries.version_data:
            return self._level_ue5_version
        if header.save_version < SAVE_VERSION_VERSION_DATA:
            # Objects older than version data keep their old tags, whatever the version of their level is.
            return 0
        cursor.seek(header.data_offset + header.size)
        ue5_version = entries.read_ue5_version(cursor, header.save_version)
        cursor.seek(header.data_offset)
        return self._level_ue5_version if ue5_version is None else ue5_version

    def _trailer(self, cursor: Cursor, header: ObjectHeader) -> Struct | None:
        """Find the layout of what the object's class writes after its properties, where the cursor is."""
        version = header.save_version
        if holds_instances(header.class_name):
            own_version = LIGHTWEIGHT_FIRST
            if version >= SAVE_VERSION_LIGHTWEIGHT_VERSION:
                own_version = int.from_bytes(cursor.peek(4), "little", signed=True)
            return lightweight_trailer(version, own_version)
        return find_trailer(version, header.class_name)


def unknown_trailer(header: ObjectHeader) -> str:
    """Return the reason why bytes after an object's properties are passed over."""
    return f"unknown trailing data of {header.class_name}"

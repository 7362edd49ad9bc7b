"""An object's data: what it refers to, its properties, and what its class writes behind them.

| field | type | |
|---|---|---|
| actor | reference owner; i32 n, n references to components | actors only |
| serialization_control | u8 | UE5 object version 1011 |
| properties | property list | |
| object_guid | bool32, then 16 bytes if set | |
| trailer | by class, see `trailers` | |

Behind the data, from SaveVersion 53 of the object on: optional version data of its own (not in blueprints).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import U8, Array, BuildContext, Codec, Struct
from streamsave.decode.cursor import Cursor
from streamsave.errors import SaveError
from streamsave.events import BlobSkip, Event, ObjectEnd, ObjectHeader
from streamsave.formats.satisfactory.structs import make_dialect
from streamsave.formats.satisfactory.trailers import (
    LIGHTWEIGHT_SUBSYSTEM,
    UNKNOWN_TRAILER,
    Trailers,
    is_component,
    lightweight_trailer,
)
from streamsave.formats.satisfactory.version_data import read_optional_ue5_version
from streamsave.formats.satisfactory.versions import (
    SAVE_VERSION_64_BIT,
    SAVE_VERSION_LIGHTWEIGHT_VERSION,
    SAVE_VERSION_VERSION_DATA,
    UE5_SERIALIZATION_CONTROL,
)
from streamsave.formats.unreal.codecs import REFERENCE
from streamsave.formats.unreal.dialect import Dialect
from streamsave.formats.unreal.reader import UnrealReader
from streamsave.limits import Limits

__all__ = ["ObjectReader"]


class ActorReferences(Struct):
    """`reference owner; i32 n; n references`: in front of the properties of each actor, so passed over at once."""

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        cursor.skip_strings(2)
        cursor.skip_strings(2 * cursor.count(REFERENCE.least))


ACTOR_REFERENCES: Final = ActorReferences("ActorReferences", None, owner=REFERENCE, components=Array(REFERENCE))
#: Members of an object that are no properties.
FIXED_MEMBERS: Final = frozenset({"actor", "serialization_control", "trailer"})
#: Versions of game and engine whose tables are kept.
KEPT_VERSIONS: Final = 64


class ObjectReader(UnrealReader):
    """Walks the data of objects."""

    def __init__(self, cursor: Cursor, limits: Limits) -> None:
        super().__init__(cursor, limits, Dialect())
        #: Build number of the game that wrote the save.
        self.build_version: int = 0
        #: Objects may have version data of their own behind their data; those of blueprints have none.
        self.object_versions = True
        self._dialects: dict[tuple[int, int], Dialect] = {}
        self._trailers: dict[int, Trailers] = {}

    def walk_codec(self, name: str, codec: Codec) -> Iterator[Event]:
        """Walk one value of a binary struct that starts at the cursor."""
        self.begin_members(Struct("", None, **{name: codec}), self.cursor.limit())
        event = self.walk()
        if event is not None:
            yield event

    def stores_name(self, name: str) -> bool:
        return name not in FIXED_MEMBERS

    def object_content(self, header: ObjectHeader, level_ue5_version: int) -> Iterator[Event]:
        """Walk an object's data, which starts at the cursor."""
        cursor = self.cursor
        end: i64 = header.data_offset + header.size
        ue5_version = self._ue5_version(header, level_ue5_version)
        self.dialect = self._dialect(header.save_version, ue5_version)
        self.dialect.owner = header.class_name
        outer = cursor.limit()
        cursor.set_limit(end)
        if header.kind == "actor":
            if self.wants("actor"):
                yield self.field("actor", ACTOR_REFERENCES)
            else:
                ACTOR_REFERENCES.measure(cursor, self)
        if cursor.tell() < end:  # some objects of mods stop here
            if ue5_version >= UE5_SERIALIZATION_CONTROL:
                yield self.field("serialization_control", U8)
            self.begin_list(end, header.class_name)
            event = self.walk()
            if event is not None:
                yield event
            yield from self._object_tail(header, end)
        cursor.set_limit(outer)

    def can_read(self, header: ObjectHeader, level_ue5_version: int) -> bool:
        """Tell whether an object can be walked from its start to its end."""
        self.cursor.seek(header.data_offset)
        self._outer = self.object_content(header, level_ue5_version)
        try:
            while self.next_event() is not None:
                pass
        except SaveError:
            return False
        return True

    def _object_tail(self, header: ObjectHeader, end: i64) -> Iterator[Event]:
        """Walk what follows the properties; leaves `list_end` where it is if nothing but the terminator and GUID does."""
        cursor = self.cursor
        start = self.list_end
        if cursor.bool32():
            cursor.skip(16)
        left = end - cursor.tell()
        if left == 0:
            return
        if left == 4 and header.save_version >= SAVE_VERSION_64_BIT and is_component(header.class_name) and cursor.i32() == 0:
            return
        if not self.wants("trailer") and not self.wants(unknown_trailer(header)):
            return
        trailer = self._trailer(header)
        self.list_end = -1
        cursor.seek(start)
        yield from self.walk_codec("trailer", UNKNOWN_TRAILER if trailer is None else trailer)
        self.list_end = -1
        at = cursor.tell()
        if at < end:
            yield BlobSkip(at, end - at, unknown_trailer(header))
            cursor.seek(end)

    def object_end(self, header: ObjectHeader) -> ObjectEnd:
        """Claim what stands between the last event and the next object: a terminator, version data."""
        cursor = self.cursor
        end: i64 = header.data_offset + header.size
        start: i64 = end
        if self.list_end >= 0:
            start = self.list_end
            self.list_end = -1
        cursor.seek(end)
        if self.object_versions and header.save_version >= SAVE_VERSION_VERSION_DATA:
            read_optional_ue5_version(cursor)
        return ObjectEnd(start, header.instance_name, cursor.tell() - start)

    def _ue5_version(self, header: ObjectHeader, level_ue5_version: int) -> int:
        """Tell the UE5 version of an object: its own version data stands behind its data."""
        if not self.object_versions:
            return level_ue5_version
        if header.save_version < SAVE_VERSION_VERSION_DATA:
            # Objects older than version data keep their old tags, whatever the level around them says.
            return 0
        cursor = self.cursor
        cursor.seek(header.data_offset + header.size)
        ue5_version = read_optional_ue5_version(cursor)
        cursor.seek(header.data_offset)
        return level_ue5_version if ue5_version is None else ue5_version

    def _dialect(self, save_version: int, ue5_version: int) -> Dialect:
        key = (save_version, ue5_version)
        dialect = self._dialects.get(key)
        if dialect is None:
            if len(self._dialects) >= KEPT_VERSIONS:
                self._dialects.clear()
            dialect = make_dialect(save_version, ue5_version, self.build_version)
            self._dialects[key] = dialect
        return dialect

    def _trailer(self, header: ObjectHeader) -> Struct | None:
        """Find the layout of what the object's class writes behind its properties."""
        version = header.save_version
        if header.class_name.endswith(LIGHTWEIGHT_SUBSYSTEM):
            own_version = (
                int.from_bytes(self.cursor.peek(4), "little", signed=True) if version >= SAVE_VERSION_LIGHTWEIGHT_VERSION else 1
            )
            return lightweight_trailer(version, own_version)
        trailers = self._trailers.get(version)
        if trailers is None:
            if len(self._trailers) >= KEPT_VERSIONS:
                self._trailers.clear()
            trailers = Trailers(version)
            self._trailers[version] = trailers
        return trailers.find(header.class_name)


def unknown_trailer(header: ObjectHeader) -> str:
    """Say why bytes behind an object's properties are passed over."""
    return f"unknown trailing data of {header.class_name}"

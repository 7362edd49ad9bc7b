"""A level: headers, objects, what was destroyed.

| field | type | |
|---|---|---|
| toc_blob | size, i32 count, headers, perhaps a stale copy of destroyed_actors | |
| data_blob | size, i32 count, objects | |
| level_save_version | i32 | streaming levels from 51 |
| destroyed_actors | list of references; a map of lists for the persistent level | |
| version_data | optional | streaming levels from 53 |

The sizes of the blobs are i64 from SaveVersion 41, i32 from 29 and in blueprints, and missing before.

All headers of a level stand before all its objects, and what tells how to read them stands behind both. So two cursors walk in
lockstep, one over the headers and one over the objects, and the versions are read ahead: the sizes tell where they are.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Final

from streamsave.codecs import I32, I64, STRING, Array, Codec, Map, Struct
from streamsave.cursor import Cursor
from streamsave.errors import SaveError
from streamsave.events import BlobSkip, Event, ObjectEnd, ObjectHeader, StructEnter, StructExit
from streamsave.filter import ObjectFilter
from streamsave.formats.satisfactory.objects import ObjectReader
from streamsave.formats.satisfactory.versiondata import OPTIONAL_VERSION_DATA, read_optional_ue5_version
from streamsave.formats.satisfactory.versions import (
    SAVE_VERSION_64_BIT,
    SAVE_VERSION_LEVEL_VERSION,
    SAVE_VERSION_LEVELS,
    SAVE_VERSION_OBJECT_FLAGS,
    SAVE_VERSION_VERSION_DATA,
)
from streamsave.formats.satisfactory.wanted import ACTOR_PLACE, WantedObjects
from streamsave.formats.unreal.codecs import REFERENCE
from streamsave.limits import Limits
from streamsave.native import i64
from streamsave.values import Transform

__all__ = ["BLUEPRINT", "LEVEL", "PERSISTENT_LEVEL", "REFERENCES", "LevelLayout", "LevelReader", "level_layout"]

# Statics of the compiled module: a global would be looked up in a dict each time.
_Transform: Final = Transform

LEVEL: Final = "Level"
PERSISTENT_LEVEL: Final = "Persistent_Level"
BLUEPRINT: Final = "Blueprint"

REFERENCES: Final = Array(REFERENCE)
DESTROYED_BY_LEVEL: Final = Map(STRING, REFERENCES)

#: A header has a bool and three strings at least.
LEAST_HEADER: Final = 16


class LevelLayout:
    """How the levels of one SaveVersion are stored."""

    def __init__(self, blob_size: Codec | None, *, entry_versions: bool, tail: Struct, persistent_tail: Struct) -> None:
        #: Type of the size in front of a blob, or None where there is none.
        self.blob_size = blob_size
        count = {"count": I32}
        self.blob = Struct("Blob", None, **count) if blob_size is None else Struct("Blob", None, size=blob_size, **count)
        #: `i32 save_version; bool32 migrate_references` stand in front of each object's size.
        self.entry_versions = entry_versions
        #: What stands behind the data.
        self.tail = tail
        self.persistent_tail = persistent_tail


def level_layout(save_version: int) -> LevelLayout:
    """Make the layout of a save's levels."""
    destroyed: dict[str, Codec] = {"destroyed_actors": REFERENCES}
    tail = destroyed
    persistent_tail = Struct("LevelTail", None, destroyed_actors=DESTROYED_BY_LEVEL)
    if save_version < SAVE_VERSION_LEVELS:
        persistent_tail = Struct("LevelTail", None, **destroyed)
    if save_version >= SAVE_VERSION_LEVEL_VERSION:
        tail = {"level_save_version": I32, **destroyed}
    if save_version >= SAVE_VERSION_VERSION_DATA:
        tail = {**tail, "version_data": OPTIONAL_VERSION_DATA}
    blob_size: Codec | None = None
    if save_version >= SAVE_VERSION_LEVELS:
        blob_size = I64 if save_version >= SAVE_VERSION_64_BIT else I32
    return LevelLayout(
        blob_size,
        entry_versions=save_version >= SAVE_VERSION_64_BIT,
        tail=Struct("LevelTail", None, **tail),
        persistent_tail=persistent_tail,
    )


#: The only level of a blueprint: 32-bit sizes in all versions, nothing behind the data.
BLUEPRINT_LAYOUT: Final = LevelLayout(
    I32, entry_versions=False, tail=Struct("LevelTail", None), persistent_tail=Struct("LevelTail", None)
)


class LevelReader(ObjectReader):
    """Walks levels."""

    def __init__(self, cursor: Cursor, limits: Limits) -> None:
        super().__init__(cursor, limits)
        #: The second cursor: `cursor` and `data` change places at each level.
        self.data = cursor
        self.layout = BLUEPRINT_LAYOUT
        #: Of the level that is being walked: where its headers end, and what stands behind its data.
        self._toc_end: i64 = 0
        self._tail = BLUEPRINT_LAYOUT.tail
        #: Where its objects end (-1: nothing tells), the limit around it, whether all its objects were walked, and up to where
        #: its headers were.
        self._data_end: i64 = -1
        self._level_limit: i64 = 0
        self._walked = False
        self._toc_at: i64 = 0

    def streaming_level(self, version: int, index: int) -> Iterator[Event]:
        """Walk a level that has a name, and may have been written by an older version than the rest."""
        start = self.cursor.tell()
        name = self.cursor.string()
        ue5_version = 0
        if version >= SAVE_VERSION_LEVEL_VERSION:
            content = self.cursor.tell()
            try:
                version, ue5_version = self._read_ahead(version)
            except SaveError as error:
                if not self.survives(error):
                    raise
                self.cursor.seek(content)  # whatever is wrong with the level will show when it is walked
        yield from self._level(start, name, index, version, ue5_version, self.layout.tail)

    def persistent_level(self, name: str, version: int, ue5_version: int, index: int) -> Iterator[Event]:
        """Walk the last, or only, level; it has no name in the file."""
        yield from self._level(self.cursor.tell(), name, index, version, ue5_version, self.layout.persistent_tail)

    def skip(self, event: Event) -> bool:
        if isinstance(event, ObjectHeader):
            self.abandon()
            if event.size < 0:  # nobody needs its data
                return True
            self.cursor.seek(event.data_offset + event.size)
            return True
        if isinstance(event, StructEnter) and event.type_name == LEVEL:
            self._skip_level(self.cursor)
            return True
        return super().skip(event)

    def _level(self, start: i64, name: str, index: int, version: int, ue5_version: int, tail: Struct) -> Iterator[Event]:
        """Walk a level; its event claims the name, and the size and count of the headers."""
        cursor = self.cursor
        self._tail = tail
        toc_offset = cursor.tell()
        try:
            self._toc_end = self._blob_end(cursor)
            count = self._object_count(cursor)
            content = cursor.tell()
            if self._toc_end < 0:
                # Nothing tells where the headers end and the objects start, so the headers are walked once to find it.
                for _ in range(count):
                    self._skip_header(cursor, version)
                self._toc_end = cursor.tell()
                cursor.seek(content)
        except SaveError as error:
            if not self.survives(error):
                raise
            end = self._behind_level(error, toc_offset)
            yield self.lost(error, "level", name, start, end)
            return
        yield StructEnter(start, name, LEVEL, content - start, -1, index, -1)
        if cursor.tell() == content:
            self.steps.append(name)
            try:
                yield from self._objects(count, version, ue5_version)
            except SaveError as error:
                if self._data_end < 0 or not self.survives(error):
                    raise
                yield self._lose_content(error, name, content)
            for member, codec in zip(tail.names, tail.members, strict=True):
                if self.filter is None or self.filter.needs_rest:
                    yield self.field(member, codec)
                else:
                    codec.measure(self.cursor, self)
            self.steps.pop()
        yield StructExit(self.cursor.tell(), name, 0)

    def _behind_level(self, fault: SaveError, toc_offset: i64) -> i64:
        """Go behind a level whose start is damaged, by the sizes of its blobs.

        Raises:
            SaveError: `fault`, where they are damaged themselves.
        """
        cursor = self.cursor
        try:
            cursor.seek(toc_offset)
            for _ in range(2):
                end = self._blob_end(cursor)
                if end < 0:
                    raise fault
                cursor.seek(end)
            self._tail.measure(cursor, self)
        except SaveError:
            raise fault from None
        return cursor.tell()

    def _lose_content(self, error: SaveError, name: str, content: i64) -> Event:
        """Give up what of a level's blobs no event has claimed, and go behind them."""
        self.abandon()
        del self.steps[1:]
        data = self.cursor
        data.set_limit(self._level_limit)
        data.seek(self._data_end)
        if self._walked:
            # All objects were walked: it is what stands behind the headers.
            return self.lost(error, "level", name, self._toc_at, self._toc_end)
        return self.lost(error, "level", name, content, self._data_end)

    def _skip_level(self, cursor: Cursor) -> None:
        """Go from the headers of the level to behind its tail."""
        cursor.seek(self._toc_end)
        data_end = self._blob_end(cursor)
        if data_end >= 0:
            cursor.seek(data_end)
        else:
            for _ in range(cursor.count(4)):
                cursor.skip(cursor.i32())
        self._tail.measure(cursor, self)

    def _read_ahead(self, version: int) -> tuple[int, int]:
        """Read, behind the two blobs, which SaveVersion and UE5 version the level was written with."""
        cursor = self.cursor
        start = cursor.tell()
        cursor.seek(self._blob_end(cursor))
        cursor.seek(self._blob_end(cursor))
        level_version = cursor.i32()
        ue5_version = 0
        if version >= SAVE_VERSION_VERSION_DATA:
            REFERENCES.measure(cursor, self)
            ue5_version = read_optional_ue5_version(cursor) or 0
        cursor.seek(start)
        return level_version, ue5_version

    def _blob_end(self, cursor: Cursor) -> i64:
        """Read the size of a blob, which holds at least its count, and tell where it ends; -1 where it has no size."""
        blob_size = self.layout.blob_size
        if blob_size is None:
            return -1
        start = cursor.tell()
        size = cursor.i64() if blob_size is I64 else cursor.i32()
        if size < 4 or size > cursor.remaining():
            raise cursor.damaged(
                "size of a blob does not fit", offset=start, expected=f"4 to {cursor.remaining()} bytes", actual=size
            )
        return cursor.tell() + size

    def _object_count(self, toc: Cursor) -> i64:
        """Read the number of headers, and refuse more than there is room for."""
        count = toc.i32()
        end = self._toc_end if self._toc_end >= 0 else toc.limit()
        room = (end - toc.tell()) // LEAST_HEADER
        if count < 0 or count > room:
            raise toc.damaged(f"{count} objects do not fit", offset=toc.tell() - 4, expected=f"0 to {room}", actual=count)
        return count

    def _objects(self, count: i64, level_version: int, level_ue5_version: int) -> Iterator[Event]:
        """Walk headers and objects side by side, one cursor each; the one that goes on ends behind both."""
        toc = self.cursor
        toc_end = self._toc_end
        outer = toc.limit()
        data = self.data
        self.data = toc
        self.cursor = data
        data.set_limit(outer)
        data.seek(toc_end)
        self._level_limit = outer
        self._walked = False
        self._data_end = -1
        data_end = self._blob_end(data)
        self._data_end = data_end
        data_count = data.i32()
        if data_count != count:
            raise data.damaged(
                "number of objects differs from that of headers", offset=data.tell() - 4, expected=count, actual=data_count
            )
        wanted = self.filter
        if wanted is None or wanted.needs_rest:
            yield self.passed("data_blob", self.layout.blob, toc_end)

        toc.set_limit(toc_end)
        if data_end >= 0:
            data.set_limit(data_end)
        if wanted is not None:
            yield from self._wanted_objects(toc, data, count, level_version, level_ue5_version, wanted)
            if not wanted.needs_rest:
                data.set_limit(outer)
                if data_end >= 0:
                    data.seek(data_end)
                return
        index: i64 = 0 if wanted is None else count
        while index < count:
            toc_offset = toc.tell()
            entry_offset = data.tell()
            try:
                header = self._object_header(toc, data, level_version)
            except SaveError as error:
                if not self.survives(error) or data_end < 0:
                    raise
                index = yield from self._lose_objects(error, index, count, toc_offset, entry_offset)
                continue
            try:
                yield header
                if header.size and data.tell() == header.data_offset:
                    self.steps.append(header.instance_name)
                    yield from self.object_content(header, level_ue5_version)
                    self.steps.pop()
                yield self.object_end(header)
            except SaveError as error:
                if not self.survives(error):
                    raise
                yield from self._lose_object(error, header)
            index += 1
        self._walked = True
        self._toc_at = toc.tell()
        if toc.tell() < toc_end:
            self.cursor = toc
            if "destroyed_actors" in self._tail.names:
                # A copy of the list behind the data, which may be stale: that list is the one to trust.
                yield self.field("toc_destroyed_actors", self._tail.members[self._tail.names.index("destroyed_actors")])
            if toc.tell() < toc_end:
                yield BlobSkip(toc.tell(), toc_end - toc.tell(), "bytes behind the headers")
            self.cursor = data
        if data_end >= 0 and data.tell() < data_end:
            yield BlobSkip(data.tell(), data_end - data.tell(), "bytes behind the objects")
            data.seek(data_end)
        data.set_limit(outer)

    def _lose_object(self, error: SaveError, header: ObjectHeader) -> Iterator[Event]:
        """Give up an object, and go behind it: its size is known."""
        data = self.cursor
        self.abandon()
        self.list_end = -1
        self.steps[1:] = [header.instance_name]
        end: i64 = header.data_offset + header.size
        data.set_limit(self._data_end if self._data_end >= 0 else self._level_limit)
        data.seek(end)
        yield self.lost(error, "object", header.instance_name, header.data_offset, end)
        self.steps.pop()
        try:
            object_end = self.object_end(header)
        except SaveError:
            data.seek(end)
            object_end = ObjectEnd(end, header.instance_name, 0)
        yield object_end

    def _lose_objects(
        self, error: SaveError, index: i64, count: i64, toc_offset: i64, entry_offset: i64
    ) -> Generator[Event, None, i64]:
        """Give up objects whose header or entry is damaged, from `index` on; give the index to go on with."""
        toc = self.data
        data = self.cursor
        toc.seek(self._toc_end)
        data.seek(self._data_end)
        name = self.steps[0]
        yield self.lost(error, "headers", str(name), toc_offset, self._toc_end)
        yield self.lost(error, "objects", str(name), entry_offset, self._data_end)
        return count

    def _wanted_objects(
        self, toc: Cursor, data: Cursor, count: i64, level_version: int, level_ue5_version: int, wanted: ObjectFilter
    ) -> Iterator[Event]:
        """Walk those objects of a level that are wanted."""
        objects = WantedObjects(
            toc,
            data,
            count,
            level_version,
            wanted,
            entry_versions=self.layout.entry_versions,
            own_versions=self.object_versions,
        )
        header = objects.next_header()
        while header is not None:
            yield header
            if header.size < 0:
                yield ObjectEnd(header.offset, header.instance_name, 0)
            else:
                if header.size and data.tell() == header.data_offset:
                    self.steps.append(header.instance_name)
                    yield from self.object_content(header, level_ue5_version)
                    self.steps.pop()
                yield self.object_end(header)
            header = objects.next_header()
        if wanted.needs_rest or self.layout.blob_size is None:
            objects.catch_up()

    def _object_header(self, toc: Cursor, data: Cursor, level_version: int) -> ObjectHeader:
        """Read one header and the entry in front of the object's data.

        Header: `bool32 is_actor; str class; reference self; [u32 flags]`, then for actors `ACTOR_PLACE`, else `str outer`.
        Entry: `[i32 save_version; bool32 migrate_references]; i32 size`.
        """
        offset = toc.tell()
        is_actor = toc.bool32()
        class_name = toc.name()
        level = toc.name()
        instance_name = toc.string_once()
        flags = toc.u32() if level_version >= SAVE_VERSION_OBJECT_FLAGS else 0
        transform: Transform | None = None
        outer = ""
        if is_actor:
            place = toc.unpack(ACTOR_PLACE)
            transform = _Transform(place[1:5], place[5:8], place[8:11])
        else:
            outer = toc.string()
        header_size = toc.tell() - offset

        self.cursor = data
        prefix = data.tell()
        save_version = level_version
        if self.layout.entry_versions:
            save_version = data.i32()
            data.skip(4)
        size = data.i32()
        if size < 0 or size > data.remaining():
            raise data.damaged(
                f"size of {instance_name} does not fit",
                offset=data.tell() - 4,
                expected=f"0 to {data.remaining()} bytes",
                actual=size,
            )
        data_offset = data.tell()
        return ObjectHeader(
            offset,
            "actor" if is_actor else "object",
            class_name,
            instance_name,
            level,
            outer,
            transform,
            flags,
            save_version,
            header_size,
            data_offset - prefix,
            data_offset,
            size,
        )

    def _skip_header(self, toc: Cursor, level_version: int) -> None:
        """Pass over one header, as `_object_header` reads it."""
        is_actor = toc.bool32()
        toc.skip_strings(3)
        if level_version >= SAVE_VERSION_OBJECT_FLAGS:
            toc.skip(4)
        if is_actor:
            toc.skip(ACTOR_PLACE.size)
        else:
            toc.skip_strings(1)

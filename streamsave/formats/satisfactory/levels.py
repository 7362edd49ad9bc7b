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

from collections.abc import Iterator
from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import Struct
from streamsave.decode.cursor import Cursor
from streamsave.decode.object_filter import ObjectFilter
from streamsave.errors import SaveError
from streamsave.events import BlobSkip, Event, ObjectEnd, ObjectHeader, StructEnter, StructExit
from streamsave.formats.satisfactory.level_layout import LEAST_HEADER, REFERENCES
from streamsave.formats.satisfactory.level_recovery import LevelRecovery
from streamsave.formats.satisfactory.selected_objects import ACTOR_PLACE, SelectedObjects
from streamsave.formats.satisfactory.version_data import read_optional_ue5_version
from streamsave.formats.satisfactory.versions import (
    SAVE_VERSION_LEVEL_VERSION,
    SAVE_VERSION_OBJECT_FLAGS,
    SAVE_VERSION_VERSION_DATA,
)
from streamsave.values import Transform

__all__ = ["BLUEPRINT", "LEVEL", "PERSISTENT_LEVEL", "LevelReader"]

# Statics of the compiled module: a global would be looked up in a dict each time.
_Transform: Final = Transform

LEVEL: Final = "Level"
PERSISTENT_LEVEL: Final = "Persistent_Level"
BLUEPRINT: Final = "Blueprint"


class LevelReader(LevelRecovery):
    """Walks levels."""

    def streaming_level(self, version: int, ue5_version: int, index: int) -> Iterator[Event]:
        """Walk a level that has a name, and may have been written by an older version than the rest.

        Where it does not tell, or cannot any more, its UE5 version is that of the save.
        """
        start = self.cursor.tell()
        self.claimed = start
        name = self.cursor.string()
        if version >= SAVE_VERSION_LEVEL_VERSION:
            content = self.cursor.tell()
            try:
                version, ue5_version = self._read_ahead(version)
            except SaveError as error:
                if not self.survives(error):
                    raise
                self.cursor.seek(content)
                version = self._likely_version(error, version)
        yield from self._level(start, name, index, version, ue5_version, self.layout.tail)

    def persistent_level(self, name: str, version: int, ue5_version: int, index: int) -> Iterator[Event]:
        """Walk the last, or only, level; it has no name in the file."""
        tail = self.layout.persistent_tail
        fault = self.lost_start
        if fault is None:
            try:
                yield from self._level(self.cursor.tell(), name, index, version, ue5_version, tail)
            except SaveError as error:
                if self.steps or not self.survives(error):
                    raise
                fault = error
        if fault is not None:
            self._set_level(version, ue5_version, tail)
            start = self._find_headers(fault, self.claimed + 1)
            self.cursor.seek(start)
            yield self.lost(fault, "levels", "", self.claimed, start, 0, count=-1)
            yield StructEnter(start, name, LEVEL, 0, -1, index, -1)
            if self.cursor.tell() == start:
                yield from self._content(-1, name, start, fault)
            yield StructExit(self.cursor.tell(), name, 0)

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
        self.claimed = start
        self._set_level(version, ue5_version, tail)
        toc_offset = cursor.tell()
        fault: SaveError | None = None
        try:
            self._toc_end = self.layout.blob_end(cursor)
            count = self._object_count(cursor)
            content = cursor.tell()
            if self._toc_end < 0:
                # Nothing tells where the headers end and the objects start, so the headers are walked once to find it.
                try:
                    for _ in range(count):
                        self._skip_header(cursor, version)
                    self._toc_end = cursor.tell()
                except SaveError as error:
                    if not self.survives(error):
                        raise
                    self._find_headers(error, content)
                cursor.seek(content)
        except SaveError as error:
            if not self.survives(error):
                raise
            fault = error
        if fault is not None:
            end = self._behind_level(fault, toc_offset)
            yield self.lost(fault, "level", name, start, end)
            return
        yield StructEnter(start, name, LEVEL, content - start, -1, index, -1)
        if cursor.tell() == content:
            yield from self._content(count, name, content)
        yield StructExit(self.cursor.tell(), name, 0)

    def _content(self, count: i64, name: str, content: i64, fault: SaveError | None = None) -> Iterator[Event]:
        """Walk what is in a level, and behind its objects; a `fault` has cost its start, so that nothing tells the `count`."""
        self.claimed = content
        self.steps.append(name)
        inner_fault: SaveError | None = None
        try:
            yield from self._objects(count, fault)
        except SaveError as error:
            if self._data_end < 0 or not self.survives(error):
                raise
            inner_fault = error
        if inner_fault is not None:
            yield self._lose_content(inner_fault, name, content)
        self.claimed = self.cursor.tell()
        tail = self._tail
        for member, codec in zip(tail.names, tail.members, strict=True):
            if self.filter is None or self.filter.needs_rest:
                yield self.field(member, codec)
            else:
                codec.measure(self.cursor, self)
        self.steps.pop()

    def _skip_level(self, cursor: Cursor) -> None:
        """Go from the headers of the level to behind its tail."""
        cursor.seek(self._toc_end)
        data_end = self.layout.blob_end(cursor)
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
        cursor.seek(self.layout.blob_end(cursor))
        cursor.seek(self.layout.blob_end(cursor))
        level_version = cursor.i32()
        ue5_version = 0
        if version >= SAVE_VERSION_VERSION_DATA:
            REFERENCES.measure(cursor, self)
            ue5_version = read_optional_ue5_version(cursor) or 0
        cursor.seek(start)
        return level_version, ue5_version

    def _object_count(self, toc: Cursor) -> i64:
        """Read the number of headers, and refuse more than there is room for."""
        count = toc.i32()
        end = self._toc_end if self._toc_end >= 0 else toc.limit()
        room = (end - toc.tell()) // LEAST_HEADER
        if count < 0 or count > room:
            raise toc.damaged(f"{count} objects do not fit", offset=toc.tell() - 4, expected=f"0 to {room}", actual=count)
        return count

    def _objects(self, count: i64, fault: SaveError | None) -> Iterator[Event]:
        """Walk headers and objects side by side, one cursor each; the one that goes on ends behind both."""
        level_version = self._level_version
        level_ue5_version = self._level_ue5_version
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
        wanted = self.filter
        tail = self._tail
        is_first = count >= 0
        try:
            count = self._data_count(data, count)
        except SaveError as error:
            # Of a level that is not the last one, nothing else tells where it ends.
            if wanted is not None or (self._data_end < 0 and tail is self.layout.tail) or not self.survives(error):
                raise
            fault = error
            data.seek(toc_end)
        data_end = self._data_end
        if (fault is None or data.tell() > toc_end) and (wanted is None or wanted.needs_rest):
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
        if fault is not None:
            left = yield from self._lose_objects(fault, count, toc.tell(), data.tell(), is_first=is_first)
            index = count - left
        while index < count:
            toc_offset = toc.tell()
            entry_offset = data.tell()
            fault = None
            try:
                header = self._object_header(toc, data, level_version)
            except SaveError as error:
                if not self.survives(error):
                    raise
                fault = error
            if fault is not None:
                left = yield from self._lose_objects(fault, count - index, toc_offset, entry_offset)
                index = count - left
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
                fault = error
            if fault is not None:
                yield from self._lose_object(fault, header)
            index += 1
        self._walked = True
        self._toc_at = toc.tell()
        yield from self._behind_headers(toc)
        if data_end >= 0 and data.tell() < data_end:
            yield BlobSkip(data.tell(), data_end - data.tell(), "bytes behind the objects")
            data.seek(data_end)
        data.set_limit(outer)

    def _data_count(self, data: Cursor, count: i64) -> i64:
        """Read where the objects end and how many there are: as many as headers, if anything tells the `count` of those."""
        self._data_end = self.layout.blob_end(data)
        data_count = data.i32()
        if count >= 0 and data_count != count:
            raise data.damaged(
                "number of objects differs from that of headers", offset=data.tell() - 4, expected=count, actual=data_count
            )
        return data_count

    def _wanted_objects(
        self, toc: Cursor, data: Cursor, count: i64, level_version: int, level_ue5_version: int, wanted: ObjectFilter
    ) -> Iterator[Event]:
        """Walk those objects of a level that are wanted."""
        objects = SelectedObjects(
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

"""A Satisfactory save: header, chunks, levels, objects.

The inflated body, by SaveVersion (`version data` is described in `versiondata`, an object's data in `objects`):

| field | type | from |
|---|---|---|
| body_size | i64, of all that follows | |
| version_data | of the persistent level | 53 |
| validation_grids | map of grids | |
| level_count | i32 | |
| levels | str name, then a level, each | |
| persistent level | a level without a name | |
| unresolved_destroyed_actors | list of references; some tools leave it out | |

A level:

| field | type | from |
|---|---|---|
| toc_blob | i64 size, i32 count, headers, perhaps a stale copy of destroyed_actors | |
| data_blob | i64 size, i32 count, objects | |
| level_save_version | i32; not for the persistent level | 51 |
| destroyed_actors | list of references; a map of lists for the persistent level | |
| version_data | optional; not for the persistent level | 53 |

All headers of a level stand before all its objects, and what tells how to read them stands behind both. So two cursors walk in
lockstep, one over the headers and one over the objects, and the versions are read ahead: the sizes tell where they are.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

from streamsave.chunks import ChunkTable, FileWindows
from streamsave.codecs import I32, I64, STRING, U32, Array, Map, Struct
from streamsave.cursor import Cursor
from streamsave.events import BlobSkip, Event, Field, ObjectEnd, ObjectHeader, SaveEnd, SaveStart, StructEnter, StructExit
from streamsave.formats.satisfactory.header import SaveHeader, read_header
from streamsave.formats.satisfactory.objects import ObjectReader
from streamsave.formats.satisfactory.versiondata import (
    OPTIONAL_VERSION_DATA,
    VERSION_DATA,
    read_optional_ue5_version,
    read_ue5_version,
)
from streamsave.formats.satisfactory.versions import (
    SAVE_VERSION_LEVEL_VERSION,
    SAVE_VERSION_NEWEST,
    SAVE_VERSION_OBJECT_FLAGS,
    SAVE_VERSION_OLDEST,
    SAVE_VERSION_VERSION_DATA,
)
from streamsave.formats.unreal.codecs import REFERENCE
from streamsave.limits import Limits
from streamsave.log import warn
from streamsave.native import i64
from streamsave.source import Source
from streamsave.values import Transform

__all__ = ["SatisfactoryReader", "sniff_save"]

PERSISTENT_LEVEL: Final = "Persistent_Level"
LEVEL: Final = "Level"

BLOB: Final = Struct("Blob", None, size=I64, count=I32)
VALIDATION_GRIDS: Final = Array(Struct("ValidationGrid", None, grid=STRING, cell_size=I32, grid_hash=U32, cells=Map(STRING, U32)))
REFERENCES: Final = Array(REFERENCE)
DESTROYED_BY_LEVEL: Final = Map(STRING, REFERENCES)

#: `bool32 need_transform; f32 rotation[4], translation[3], scale[3]; bool32 was_placed_in_level`
ACTOR_PLACE: Final = struct.Struct("<I10fI")

#: What stands behind the data of a level.
PERSISTENT_TAIL: Final = Struct("LevelTail", None, destroyed_actors=DESTROYED_BY_LEVEL)
STREAMING_TAIL: Final = Struct("LevelTail", None, destroyed_actors=REFERENCES)
STREAMING_TAIL_VERSION: Final = Struct("LevelTail", None, level_save_version=I32, destroyed_actors=REFERENCES)
STREAMING_TAIL_VERSION_DATA: Final = Struct(
    "LevelTail", None, level_save_version=I32, destroyed_actors=REFERENCES, version_data=OPTIONAL_VERSION_DATA
)


def sniff_save(head: bytes) -> bool:
    """Tell whether a file that starts with `head` is a Satisfactory save: two plausible versions and a build number."""
    if len(head) < 12:
        return False
    header_version = int.from_bytes(head[0:4], "little")
    save_version = int.from_bytes(head[4:8], "little")
    build_version = int.from_bytes(head[8:12], "little")
    return 1 <= header_version <= 255 and 1 <= save_version <= 4095 and 30_000 <= build_version < 1 << 31


class SatisfactoryReader(ObjectReader):
    """Walks a save."""

    def __init__(self, source: Source, limits: Limits) -> None:
        file_cursor = Cursor(FileWindows(source), limits)
        super().__init__(file_cursor, limits)
        self.source = source
        self.header: SaveHeader | None = None
        self.chunks: ChunkTable | None = None
        #: The second cursor: `cursor` and `data` change places at each level.
        self.data = file_cursor
        #: Of the level that is being walked: where its headers end, and what stands behind its data.
        self._toc_end: i64 = 0
        self._tail = STREAMING_TAIL

    def events(self) -> Iterator[Event]:
        header = read_header(self.cursor)
        version = header.save_version
        if version < SAVE_VERSION_OLDEST:
            raise self.cursor.unsupported("SaveVersion", expected=f"{SAVE_VERSION_OLDEST} or later", actual=version)
        if version > SAVE_VERSION_NEWEST:
            warn("save is newer than known, read like the newest", save_version=version, newest=SAVE_VERSION_NEWEST)
        self.header = header
        chunks = ChunkTable(self.source, header.size, self.limits)
        self.chunks = chunks
        self.cursor = Cursor(chunks, self.limits)
        self.data = self.cursor.fork()
        self.windows = chunks
        yield SaveStart(0, "satisfactory", version, header)

        start = self.cursor.tell()
        body_size = self.cursor.i64()
        if body_size < 0:
            raise self.cursor.damaged("size of the body", offset=start, expected="0 or more", actual=body_size)
        yield self.passed("body_size", I64, start)
        body_end = self.cursor.tell() + body_size
        self.cursor.set_limit(body_end)
        yield from self._body(version)

        end = self.cursor.tell()
        if end != body_end:
            yield BlobSkip(end, body_end - end, "bytes behind the save")
            self.cursor.seek(body_end)
        inflated_size = chunks.inflated_size()
        if inflated_size < body_end:
            raise self.cursor.truncated(body_end - inflated_size)
        if inflated_size > body_end:
            raise self.cursor.damaged("chunks behind the body", expected=f"{body_end} bytes", actual=inflated_size)
        yield SaveEnd(body_end)

    def _body(self, version: int) -> Iterator[Event]:
        ue5_version = 0
        if version >= SAVE_VERSION_VERSION_DATA:
            start = self.cursor.tell()
            ue5_version = read_ue5_version(self.cursor)
            yield self.passed("version_data", VERSION_DATA, start)
        yield from self.walk_codec("validation_grids", VALIDATION_GRIDS)

        start = self.cursor.tell()
        level_count = self.cursor.count(4)
        yield self.passed("level_count", I32, start)
        for index in range(level_count):
            yield from self._level(version, index, streaming=True)
        yield from self._level(version, level_count, streaming=False, ue5_version=ue5_version)

        if self.cursor.remaining() > 0:
            yield self.field("unresolved_destroyed_actors", REFERENCES)

    def _level(self, version: int, index: int, *, streaming: bool, ue5_version: int = 0) -> Iterator[Event]:
        """Walk a level; its event claims the name, and the size and count of the headers."""
        cursor = self.cursor
        start = cursor.tell()
        name = cursor.string() if streaming else PERSISTENT_LEVEL
        level_version = version
        if streaming and version >= SAVE_VERSION_LEVEL_VERSION:
            level_version, ue5_version = self._read_ahead(version)
        self._toc_end = self._blob_size(cursor) + cursor.tell()
        count = self._object_count(cursor, self._toc_end)
        self._tail = self._level_tail(version) if streaming else PERSISTENT_TAIL
        content = cursor.tell()
        yield StructEnter(start, name, LEVEL, content - start, -1, index, -1)
        if cursor.tell() == content:
            self.steps.append(name)
            yield from self._objects(count, level_version, ue5_version)
            for member, codec in zip(self._tail.names, self._tail.members, strict=True):
                yield self.field(member, codec)
            self.steps.pop()
        yield StructExit(self.cursor.tell(), name, 0)

    def skip(self, event: Event) -> bool:
        if isinstance(event, StructEnter) and event.type_name == LEVEL:
            self.cursor.seek(self._toc_end)
            self.cursor.skip(self._blob_size(self.cursor))
            self._tail.measure(self.cursor, self)
            return True
        return super().skip(event)

    def _level_tail(self, version: int) -> Struct:
        """What stands behind the data of a streaming level."""
        if version >= SAVE_VERSION_VERSION_DATA:
            return STREAMING_TAIL_VERSION_DATA
        return STREAMING_TAIL_VERSION if version >= SAVE_VERSION_LEVEL_VERSION else STREAMING_TAIL

    def _read_ahead(self, version: int) -> tuple[int, int]:
        """Read, behind the two blobs, which SaveVersion and UE5 version the level was written with."""
        cursor = self.cursor
        start = cursor.tell()
        cursor.skip(self._blob_size(cursor))
        cursor.skip(self._blob_size(cursor))
        level_version = cursor.i32()
        ue5_version = 0
        if version >= SAVE_VERSION_VERSION_DATA:
            REFERENCES.measure(cursor, self)
            ue5_version = read_optional_ue5_version(cursor) or 0
        cursor.seek(start)
        return level_version, ue5_version

    def _blob_size(self, cursor: Cursor) -> i64:
        """Read the size of a blob, which holds at least its count."""
        size = cursor.i64()
        if size < 4 or size > cursor.remaining():
            raise cursor.damaged(
                "size of a blob does not fit",
                offset=cursor.tell() - 8,
                expected=f"4 to {cursor.remaining()} bytes",
                actual=size,
            )
        return size

    def _object_count(self, toc: Cursor, toc_end: i64) -> i64:
        """Read the number of headers, and refuse more than there is room for: each has a bool and three strings."""
        count = toc.i32()
        room = (toc_end - toc.tell()) // 16
        if count < 0 or count > room:
            raise toc.damaged(f"{count} objects do not fit", offset=toc.tell() - 4, expected=f"0 to {room}", actual=count)
        return count

    def _objects(self, count: i64, level_version: int, level_ue5_version: int) -> Iterator[Event]:
        """Walk headers and objects of a level side by side, one cursor each; the one that goes on ends behind both."""
        toc = self.cursor
        toc_end = self._toc_end
        outer = toc.limit()
        data = self.data
        self.data = toc
        self.cursor = data
        data.set_limit(outer)
        data.seek(toc_end)
        data_end = self._blob_size(data) + data.tell()
        data_count = data.i32()
        if data_count != count:
            raise data.damaged(
                "number of objects differs from that of headers", offset=data.tell() - 4, expected=count, actual=data_count
            )
        yield self.passed("data_blob", BLOB, toc_end)

        toc.set_limit(toc_end)
        data.set_limit(data_end)
        has_flags = level_version >= SAVE_VERSION_OBJECT_FLAGS
        for _ in range(count):
            header = self._object_header(toc, data, has_flags)
            yield header
            if header.size and data.tell() == header.data_offset:
                self.steps.append(header.instance_name)
                yield from self.object_content(header, level_ue5_version)
                self.steps.pop()
            yield self.object_end(header)
        if toc.tell() < toc_end:
            # A copy of the list behind the data, which may be stale: that list is the one to trust.
            self.cursor = toc
            yield self.field("toc_destroyed_actors", self._tail.members[self._tail.names.index("destroyed_actors")])
            if toc.tell() < toc_end:
                yield BlobSkip(toc.tell(), toc_end - toc.tell(), "bytes behind the headers")
            self.cursor = data
        if data.tell() < data_end:
            yield BlobSkip(data.tell(), data_end - data.tell(), "bytes behind the objects")
            data.seek(data_end)
        data.set_limit(outer)

    def _object_header(self, toc: Cursor, data: Cursor, has_flags: bool) -> ObjectHeader:
        """Read one header and the entry in front of the object's data.

        Header: `bool32 is_actor; str class; reference self; [u32 flags]`, then for actors `ACTOR_PLACE`, else `str outer`.
        Entry: `i32 save_version; bool32 migrate_references; i32 size`.
        """
        offset = toc.tell()
        is_actor = toc.bool32()
        class_name = toc.name()
        level = toc.name()
        instance_name = toc.string_once()
        flags = toc.u32() if has_flags else 0
        transform: Transform | None = None
        outer = ""
        if is_actor:
            place = toc.unpack(ACTOR_PLACE)
            transform = Transform(place[1:5], place[5:8], place[8:11])
        else:
            outer = toc.string()
        header_size = toc.tell() - offset

        self.cursor = data
        prefix = data.tell()
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

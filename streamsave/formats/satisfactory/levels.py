"""A level: headers, objects, what was destroyed.

| field | type | |
|---|---|---|
| name | str | streaming levels |
| toc_blob | see `level_layout`: headers, perhaps a copy of destroyed_actors | |
| data_blob | see `level_layout`: as many entries of objects | |
| tail | see `level_layout`: SaveVersion of the level, destroyed_actors, version data | |

`object_header` and `object_entry` have the layouts of headers and entries.

All headers of a level come before all its objects, and the versions that say how to read both come after them. So two cursors
walk side by side, one over the headers and one over the objects, and the versions are read ahead: the sizes of the blobs give
their offset.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import BuildContext, Struct
from streamsave.decode.cursor import Cursor
from streamsave.decode.length import Length
from streamsave.decode.selecting import Selecting
from streamsave.events import BlobSkip, Event, ObjectEnd, ObjectHeader, StructEnter, StructExit
from streamsave.formats.satisfactory.level_layout import LevelLayout, destroyed_actors
from streamsave.formats.satisfactory.lightweight import holds_instances
from streamsave.formats.satisfactory.object_entry import ObjectEntryCodec
from streamsave.formats.satisfactory.object_header import ObjectHeaderCodec
from streamsave.formats.satisfactory.objects import ObjectWalker
from streamsave.formats.satisfactory.versions import SAVE_VERSION_LEVEL_VERSION
from streamsave.formats.unreal.reader import UnrealReader

__all__ = ["BLUEPRINT", "LEVEL", "PERSISTENT_LEVEL", "LevelWalker", "OpenLevel"]

LEVEL: Final = "Level"
PERSISTENT_LEVEL: Final = "Persistent_Level"
BLUEPRINT: Final = "Blueprint"


class OpenLevel:
    """What it takes to skip the level that was entered last."""

    def __init__(self, layout: LevelLayout) -> None:
        self.layout = layout
        #: Where its headers end, its SaveVersion, and what follows its objects.
        self.toc_end: i64 = 0
        self.version = 0
        #: Its UE5 object version, which objects without version data of their own have.
        self.ue5_version = 0
        self.tail: Struct = layout.tail

    def skip(self, cursor: Cursor, context: BuildContext) -> None:
        """Go from its headers to the end of its tail."""
        cursor.seek(self.toc_end)
        self.layout.skip_objects(cursor, self.version)
        self.tail.measure(cursor, context)

    def lengths(self, enter: StructEnter) -> list[Length]:
        """Return the sizes and counts of its headers and of its objects, which are a section each."""
        content: i64 = enter.offset + enter.header_size
        objects: i64 = self.toc_end + self.layout.blob.size
        return [*self.layout.blob_lengths(content - 4, 0), *self.layout.blob_lengths(objects - 4, 1)]


class LevelWalker:
    """Walks levels, one after the other, at the cursor of a reader.

    Args:
        reader: its cursor is at the first level, or before it.
        layout: of the levels of the save.
        build_version: build number of the game that wrote the save.
    """

    def __init__(self, reader: UnrealReader, layout: LevelLayout, build_version: int) -> None:
        self.layout = layout
        self._reader = reader
        self._build_version = build_version
        self.objects = ObjectWalker(reader.nestings, build_version)
        self.open_level = OpenLevel(layout)
        #: The cursors over headers and entries. They swap places with each level, as the reader goes on with the second.
        self._toc: Cursor = reader.cursor
        self._data: Cursor = reader.cursor.fork()
        # The level that is walked: its name, number, SaveVersion and UE5 object version, and what follows its objects.
        self._name = ""
        self._index: i64 = 0
        self._version = 0
        self._ue5_version = 0
        self._tail: Struct = layout.tail
        self._headers = ObjectHeaderCodec(0)
        self._entries: ObjectEntryCodec = layout.entries(0)
        # Where its first header starts, where its headers and its objects end (-1: nothing says), and the limit around it.
        self._content: i64 = 0
        self._toc_end: i64 = 0
        self._data_end: i64 = -1
        self._outer_limit: i64 = 0
        #: How many objects it has; of a selection, how many headers follow, and by how many objects the data cursor lags.
        self._count: i64 = 0
        self._left: i64 = 0
        self._lag: i64 = 0

    # --- a level ---

    def streaming_level(self, version: int, ue5_version: int, index: i64) -> Iterator[Event]:
        """Walk a level that has a name. It may be older than the save, whose versions the arguments are."""
        cursor = self._reader.cursor
        start = cursor.tell()
        name = cursor.string()
        if version >= SAVE_VERSION_LEVEL_VERSION:
            version, ue5_version = self._read_versions(version, ue5_version)
        self._begin(name, index, version, ue5_version, self.layout.tail)
        return self._level(start)

    def persistent_level(self, name: str, version: int, ue5_version: int, index: i64) -> Iterator[Event]:
        """Walk the last, or only, level. It has no name in the file: it gets `name`."""
        self._begin(name, index, version, ue5_version, self.layout.persistent_tail)
        return self._level(self._reader.cursor.tell())

    def _read_versions(self, version: int, ue5_version: int) -> tuple[int, int]:
        """Read ahead which versions a streaming level has; the arguments are those of the save."""
        cursor = self._reader.cursor
        start = cursor.tell()
        versions = self.layout.read_ahead(cursor, self._reader)
        cursor.seek(start)
        return versions

    def _begin(self, name: str, index: i64, version: int, ue5_version: int, tail: Struct) -> None:
        self._name = name
        self._index = index
        if version != self._version:  # nearly all levels of a save have the same
            self._version = version
            self._headers = ObjectHeaderCodec(version)
            self._entries = self.layout.entries(version)
        self._ue5_version = ue5_version
        self._tail = tail
        self.objects.begin_level(self._entries, ue5_version)

    def _level(self, start: i64) -> Iterator[Event]:
        """Walk a level whose name, if any, starts at `start` and was read."""
        self._read_start()
        return self._walk(start)

    def _read_start(self) -> None:
        """Read the start of the table of contents; find where it ends."""
        cursor = self._reader.cursor
        self._toc_end = self.layout.blob_end(cursor)
        self._count = self.layout.header_count(cursor, self._toc_end)
        self._content = cursor.tell()
        if self._toc_end < 0:
            self._find_toc_end()
            cursor.seek(self._content)

    def _find_toc_end(self) -> None:
        """Find where the headers end that start at the cursor. No size says that: they are walked once for it."""
        cursor = self._reader.cursor
        for _ in range(self._count):
            self._headers.measure(cursor)
        self._toc_end = cursor.tell()

    def _walk(self, start: i64) -> Iterator[Event]:
        """Walk a level from its first header on; its event claims what comes before that."""
        reader = self._reader
        name = self._name
        opened = self.open_level
        opened.toc_end = self._toc_end
        opened.version = self._version
        opened.ue5_version = self._ue5_version
        opened.tail = self._tail
        yield StructEnter(start, name, LEVEL, self._content - start, -1, self._index, -1)
        if reader.cursor.tell() == self._content:
            reader.steps.append(name)
            yield from self._blobs()
            # What was lost or skipped may end after the stream: then no field follows it.
            reader.cursor.check_reaches(reader.cursor.tell())
            yield from self._after_blobs()
            reader.steps.pop()
        yield StructExit(reader.cursor.tell(), name, 0)

    def _after_blobs(self) -> Iterator[Event]:
        """Walk the tail."""
        reader = self._reader
        tail = self._tail
        for index in range(len(tail.names)):
            if reader.selecting is None or reader.selecting.needs_rest:
                yield reader.field(tail.names[index], tail.members[index])
            else:
                tail.members[index].measure(reader.cursor, reader)

    # --- headers and objects ---

    def _blobs(self) -> Iterator[Event]:
        """Walk headers and objects side by side; the cursor of the reader ends after both."""
        reader = self._reader
        wanted = reader.selecting
        toc = reader.cursor
        data = self._data
        if toc is data:
            data = self._toc
        self._toc = toc
        self._data = data
        reader.cursor = data
        outer = toc.limit()
        self._outer_limit = outer
        data.set_limit(outer)
        data.seek(self._toc_end)
        self._read_data_start()
        if wanted is None or wanted.needs_rest:
            yield reader.passed("data_blob", self.layout.blob, self._toc_end)
        toc.set_limit(self._toc_end)
        data_end = self._data_end
        if data_end >= 0:
            data.set_limit(data_end)
        if wanted is not None:
            if self._count > 0:
                yield from reader.detour(self._wanted_objects(wanted))
            if not wanted.needs_rest:
                data.set_limit(outer)
                if data_end >= 0:
                    data.seek(data_end)
                return
        else:
            yield from reader.detour(self._all_objects())
        yield from self._after_headers()
        data_end = self._data_end
        if data_end >= 0 and data.tell() < data_end:
            data.check_reaches(data_end)
            yield BlobSkip(data.tell(), data_end - data.tell(), "bytes after the objects")
            data.seek(data_end)
        data.set_limit(self._outer_limit)

    def _read_data_start(self) -> None:
        """Read where the objects end and how many there are.

        Raises:
            DamagedSave: there are not as many as headers.
        """
        data = self._data
        self._data_end = self.layout.blob_end(data)
        count = data.i32()
        if count != self._count:
            raise data.damaged(
                "number of objects differs from that of headers", offset=data.tell() - 4, expected=self._count, actual=count
            )

    def _all_objects(self) -> Iterator[Event]:
        """Walk all objects."""
        reader = self._reader
        objects = self.objects
        data = self._data
        for _ in range(self._count):
            header = self._read_header()
            yield header
            if header.size and data.tell() == header.data_offset:
                reader.steps.append(header.instance_name)
                yield from objects.content(reader, header)
                reader.steps.pop()
            yield objects.end(data, header)

    def _read_header(self) -> ObjectHeader:
        """Read the next header and the start of its entry."""
        self._headers.decode(self._toc)
        return self._read_entry()

    def _read_entry(self) -> ObjectHeader:
        """Read the start of the entry of the header that was read last."""
        headers = self._headers
        entries = self._entries
        entries.decode(self._data, headers.instance_name)
        return headers.event(entries.save_version, entries.prefix_size, entries.data_offset, entries.size, entries.stored_flags)

    def _wanted_objects(self, wanted: Selecting) -> Iterator[Event]:
        """Walk those objects that a selection wants; the others make no events.

        All headers are walked, but of an object that is not wanted little more than the class is read. The data are followed only
        up to the objects that are wanted: the size of each gives the offset of the next. If no test needs data, they are not even
        inflated. An object that contains others comes in any case, with its data: some of those in it may be wanted.
        """
        reader = self._reader
        data = self._data
        self._left = self._count
        self._lag = 0
        header = self._next_wanted(wanted)
        while header is not None:
            yield header
            if header.size < 0:
                yield ObjectEnd(header.offset, header.instance_name, 0)
            else:
                if header.size and data.tell() == header.data_offset:
                    reader.steps.append(header.instance_name)
                    yield from self.objects.content(reader, header)
                    reader.steps.pop()
                yield self.objects.end(data, header)
            header = self._next_wanted(wanted)
        if wanted.needs_rest or self.layout.blob_size is None:
            self._catch_up()

    def _next_wanted(self, wanted: Selecting) -> ObjectHeader | None:
        """Return the next object that is wanted or contains others, or None at the end of the level.

        The data cursor is at the object's data. If no test needs data, `data_offset` and `size` are -1 instead.
        """
        toc = self._toc
        headers = self._headers
        while self._left > 0:
            self._left -= 1
            self._lag += 1
            class_name = headers.read_class(toc)
            is_wanted = wanted.wants_class(class_name)
            holds = holds_instances(class_name)
            if not is_wanted and not holds:
                headers.skip_names(toc)
                headers.skip_place(toc)
                continue
            headers.read_names(toc)
            if not holds and not wanted.wants_names(class_name, headers.instance_name, headers.level):
                headers.skip_place(toc)
                continue
            headers.read_place(toc)
            if not wanted.needs_data and not holds:
                header = headers.event(self._version, 0, -1, -1, 0)
                if wanted.wants_header(header):
                    return header
                continue
            self._lag -= 1
            self._catch_up()
            header = self._read_entry()
            if holds or wanted.wants_header(header):
                return header
            self._entries.skip_data(self._data)
        return None

    def _catch_up(self) -> None:
        """Pass over the entries of the objects whose headers were passed over."""
        while self._lag > 0:
            self._lag -= 1
            self._entries.measure(self._data)

    def _after_headers(self) -> Iterator[Event]:
        """Walk what follows the headers: perhaps a copy of the list that follows the objects."""
        toc = self._toc
        end = self._toc_end
        if toc.tell() >= end:
            return
        reader = self._reader
        data = reader.cursor
        reader.cursor = toc
        try:
            codec = destroyed_actors(self._tail)
            if codec is not None:
                # It may be stale: the other list is the one to trust.
                yield reader.field("toc_destroyed_actors", codec)
            if toc.tell() < end:
                toc.check_reaches(end)
                yield BlobSkip(toc.tell(), end - toc.tell(), "bytes after the headers")
        finally:
            reader.cursor = data

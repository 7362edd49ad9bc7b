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
from streamsave.decode.reader import Length, Selecting
from streamsave.events import Event, ObjectEnd, ObjectHeader, StructEnter, StructExit
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
    """The level that was entered last, and what it takes to skip it."""

    def __init__(self, layout: LevelLayout, objects: ObjectWalker) -> None:
        self.layout = layout
        #: Walks its objects.
        self.objects = objects
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
        self.objects = ObjectWalker(build_version)
        self.open_level = OpenLevel(layout, self.objects)
        #: The cursors over headers and entries. They swap places with each level, as the reader goes on with the second.
        self._toc: Cursor = reader.cursor
        self._data: Cursor = reader.cursor.fork()
        # The level that is walked: its name and number.
        self._name = ""
        self._index: i64 = 0
        self._headers = ObjectHeaderCodec(0)
        self._entries: ObjectEntryCodec = layout.entries(0)

    # --- a level ---

    def streaming_level(self, version: int, ue5_version: int, index: i64) -> Iterator[Event]:
        """Walk a level that has a name. It may be older than the save, whose versions the arguments are."""
        cursor = self._reader.cursor
        start = cursor.tell()
        name = cursor.string()
        if version >= SAVE_VERSION_LEVEL_VERSION:
            content = cursor.tell()
            version, ue5_version = self.layout.read_ahead(cursor, self._reader)
            cursor.seek(content)
        self._begin(name, index, version, ue5_version, self.layout.tail)
        return self._level(start)

    def persistent_level(self, name: str, version: int, ue5_version: int, index: i64) -> Iterator[Event]:
        """Walk the last, or only, level. It has no name in the file: it gets `name`."""
        self._begin(name, index, version, ue5_version, self.layout.persistent_tail)
        return self._level(self._reader.cursor.tell())

    def _begin(self, name: str, index: i64, version: int, ue5_version: int, tail: Struct) -> None:
        self._name = name
        self._index = index
        level = self.open_level
        level.version = version
        level.ue5_version = ue5_version
        level.tail = tail
        self._headers = ObjectHeaderCodec(version)
        self._entries = self.layout.entries(version)
        self.objects.begin_level(self._entries, ue5_version)

    def _level(self, start: i64) -> Iterator[Event]:
        """Walk a level whose name, if any, starts at `start` and was read; its event claims all before the first header."""
        reader = self._reader
        cursor = reader.cursor
        toc_end = self.layout.blob_end(cursor)
        count = self.layout.header_count(cursor, toc_end)
        content = cursor.tell()
        if toc_end < 0:  # no size says where the headers end: they are walked once for it
            for _ in range(count):
                self._headers.measure(cursor)
            toc_end = cursor.tell()
            cursor.seek(content)
        self.open_level.toc_end = toc_end
        yield StructEnter(start, self._name, LEVEL, content - start, -1, self._index, -1)
        if reader.cursor.tell() == content:
            reader.steps.append(self._name)
            yield from self._blobs(count)
            # What was skipped may end after the stream: then no field follows it.
            reader.cursor.check_reaches(reader.cursor.tell())
            yield from self._after_blobs()
            reader.steps.pop()
        yield StructExit(reader.cursor.tell(), self._name, 0)

    def _after_blobs(self) -> Iterator[Event]:
        """Walk the tail."""
        reader = self._reader
        tail = self.open_level.tail
        for index in range(len(tail.names)):
            if reader.selecting is None or reader.selecting.needs_rest:
                yield reader.field(tail.names[index], tail.members[index])
            else:
                tail.members[index].measure(reader.cursor, reader)

    # --- headers and objects ---

    def _blobs(self, count: i64) -> Iterator[Event]:
        """Walk headers and objects side by side; the cursor of the reader ends after both.

        Raises:
            DamagedSave: there are not as many objects as headers.
        """
        reader = self._reader
        wanted = reader.selecting
        toc, data = self._part_cursors()
        outer = toc.limit()
        data.set_limit(outer)
        data.seek(self.open_level.toc_end)
        data_end = self.layout.blob_end(data)
        data_count = data.i32()
        if data_count != count:
            raise data.damaged(
                "number of objects differs from that of headers", offset=data.tell() - 4, expected=count, actual=data_count
            )
        if wanted is None or wanted.needs_rest:
            yield reader.passed("data_blob", self.layout.blob, self.open_level.toc_end)
        toc.set_limit(self.open_level.toc_end)
        if data_end >= 0:
            data.set_limit(data_end)
        if count > 0:
            yield from reader.detour(self._objects(count, wanted))
        if wanted is not None and not wanted.needs_rest:
            data.set_limit(outer)
            if data_end >= 0:
                data.seek(data_end)
            return
        yield from self._after_headers()
        yield from reader.blob(data_end, "bytes after the objects")
        data.set_limit(outer)

    def _part_cursors(self) -> tuple[Cursor, Cursor]:
        """Let the reader's cursor go over the headers, and the other one, which is the reader's then, over the objects."""
        toc = self._reader.cursor
        if toc is self._data:
            self._data = self._toc
        self._toc = toc
        self._reader.cursor = self._data
        return toc, self._data

    def _objects(self, count: i64, wanted: Selecting | None) -> Iterator[Event]:
        """Walk all objects, or those that a selection wants; the others make no events.

        All headers are walked, but of an object that is not wanted little more than the class is read. The data are followed only
        up to the objects that are wanted: the size of each gives the offset of the next. If no test needs data, they are not even
        inflated, and `data_offset` and `size` are -1. An object that contains others comes in any case, with its data: some of
        those in it may be wanted.
        """
        reader = self._reader
        toc = self._toc
        data = self._data
        headers = self._headers
        entries = self._entries
        lag: i64 = 0  # how many objects the data cursor is behind
        for _ in range(count):
            holds = False
            if wanted is None:
                headers.decode(toc)
            else:
                lag += 1
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
                    header = headers.event(self.open_level.version, 0, -1, -1, 0)
                    if wanted.wants_header(header):
                        yield header
                        yield ObjectEnd(header.offset, header.instance_name, 0)
                    continue
                self._catch_up(lag - 1)
                lag = 0
            header = self._read_entry()
            if wanted is not None and not holds and not wanted.wants_header(header):
                entries.skip_data(data)
                continue
            yield header
            if header.size and data.tell() == header.data_offset:
                reader.steps.append(header.instance_name)
                yield from self.objects.content(reader, header)
                reader.steps.pop()
            yield self.objects.end(reader, data, header)
        if wanted is not None and (wanted.needs_rest or self.layout.blob_size is None):
            self._catch_up(lag)

    def _read_entry(self) -> ObjectHeader:
        """Read the start of the entry of the header that was read last."""
        headers = self._headers
        entries = self._entries
        entries.decode(self._data, headers.instance_name)
        return headers.event(entries.save_version, entries.prefix_size, entries.data_offset, entries.size, entries.stored_flags)

    def _catch_up(self, count: i64) -> None:
        """Pass over the entries of objects whose headers were passed over."""
        for _ in range(count):
            self._entries.measure(self._data)

    def _after_headers(self) -> Iterator[Event]:
        """Walk what follows the headers: perhaps a copy of the list that follows the objects."""
        toc = self._toc
        end = self.open_level.toc_end
        if toc.tell() >= end:
            return
        reader = self._reader
        data = reader.cursor
        reader.cursor = toc
        try:
            codec = destroyed_actors(self.open_level.tail)
            if codec is not None:
                # It may be stale: the other list is the one to trust.
                yield reader.field("toc_destroyed_actors", codec)
            yield from reader.blob(end, "bytes after the headers")
        finally:
            reader.cursor = data

"""What the value of a tag opens: nothing, if it is a leaf; a struct, a container; or bytes of unknown layout.

An array of bytes that has a layout (`BlobLayouts`) is `i32 size`, then members by layout. Bytes that no layout takes exactly are
passed over: the layout is not known, nothing is damaged.
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.reader import Reader
from streamsave.errors import DamagedSave, LimitExceeded, UnsupportedSave
from streamsave.events import BlobSkip, Event, StructEnter
from streamsave.formats.unreal.containers import Containers
from streamsave.formats.unreal.dialect import BlobLayouts, Dialect
from streamsave.formats.unreal.element_headers import ElementHeaders
from streamsave.formats.unreal.frames import ARRAY, ELEMENTS, LIST, Frame, Nestings
from streamsave.formats.unreal.struct_guesses import StructGuesses
from streamsave.formats.unreal.tag_reader import TagReader
from streamsave.formats.unreal.tags import ARRAY_TYPE, BYTE_TYPE, MAP_TYPE, OPTIONAL, SET_TYPE, STRUCT, looks_like_list

__all__ = ["ValueOpeners", "list_frame"]

#: How many types of structs are remembered to be property lists.
KNOWN_LISTS: Final = 4096
#: Larger blobs are passed over: their versions come after them, and a source that cannot go back keeps what is between.
LARGEST_BLOB: Final = 64 * 1024
#: More bytes of versions are none: a blob has a dozen of them at most.
LARGEST_VERSIONS: Final = 64 * 1024


def list_frame(dialect: Dialect, name: str, type_name: str, end: i64, outer_limit: i64) -> Frame:
    """Make the frame of the property list of a class or struct."""
    return Frame(LIST, name, end, outer_limit, last_tag=dialect.tag_cache.start(type_name))


class ValueOpeners:
    """Opens the value of the last tag."""

    def __init__(
        self,
        tags: TagReader,
        nestings: Nestings,
        guesses: StructGuesses,
        containers: Containers,
    ) -> None:
        self._tags = tags
        self._nestings = nestings
        self._guesses = guesses
        self._containers = containers
        #: Makes objects of the elements of containers; None: there are none.
        self.headers: ElementHeaders | None = None

    def open(self, reader: Reader) -> Event | None:
        """Step into the value of the last tag: return its first event, or None if it is a leaf, and stay at its start."""
        cursor = reader.cursor
        leaf = reader.leaf
        start = leaf.start
        end = leaf.end
        if not reader.is_pending or not leaf.opens or cursor.tell() != start or end == start:
            return None
        build = reader.build
        if not build.is_running:
            build.reset()
        outer = cursor.limit()
        cursor.set_limit(end)
        event = self._open(reader, outer)
        if event is not None and not isinstance(event, BlobSkip):
            reader.leave_leaf()
            if self.headers is not None and not build.is_running:
                self.headers.mark(reader, self._nestings)
            return event
        cursor.set_limit(outer)
        if event is not None:
            reader.announce(leaf.closed())
            cursor.check_reaches(end)
        cursor.seek(start)
        return event

    def _open(self, reader: Reader, outer: i64) -> Event | None:
        """Return the first event of the value, None if it is a leaf. The cursor is limited to it; `outer` is the limit around."""
        tags = self._tags
        tag = tags.last
        kind = tag.type
        if kind == STRUCT:
            return self._open_struct(reader, outer)
        if kind == ARRAY_TYPE:
            if tag.inner_type == STRUCT:
                return self._open_array(reader, outer)
            return None if tags.dialect.blobs is None else self._open_blob(reader, outer)
        if kind == SET_TYPE:
            return self._containers.open_set(reader, outer) if tag.inner_type == STRUCT else None
        if kind == MAP_TYPE:
            return self._containers.open_map(reader, outer)
        if kind == OPTIONAL:
            return self._open_optional(reader, outer)
        return None if tags.dialect.scalar(kind) is not None else reader.leaf.opaque(f"unknown type {kind}")

    # --- structs ---

    def _open_list(self, reader: Reader, type_name: str, content: i64, outer: i64) -> Event:
        """Open a property list, which starts at `content`."""
        start = reader.leaf.start
        end = reader.leaf.end
        self._nestings.push(reader.cursor, list_frame(self._tags.dialect, reader.leaf.name, type_name, end, outer))
        reader.cursor.seek(content)
        return StructEnter(start, reader.leaf.name, type_name, content - start, end - content, -1, -1)

    def _open_struct(self, reader: Reader, outer: i64) -> Event | None:
        tags = self._tags
        dialect = tags.dialect
        start = reader.leaf.start
        end = reader.leaf.end
        type_name = tags.last.type_name
        is_binary = tags.last.is_binary
        if is_binary or not dialect.new_tags:
            codec = dialect.struct(type_name, end - start)
            if codec is not None and (not codec.tentative or self._guesses.fits(reader, codec, 1, start, end)):
                if reader.build.is_running or not codec.may_have_list or not self._containers.has_list(reader, codec):
                    return None
                reader.cursor.seek(start)
                return self._containers.enter_struct(reader.cursor, reader.leaf.name, codec, start, -1, end, outer)
            if is_binary or not self._is_list(reader, type_name):
                return reader.leaf.opaque(f"unknown struct {type_name}")
        return self._open_list(reader, type_name, start, outer)

    def _is_list(self, reader: Reader, type_name: str) -> bool:
        """Return whether a struct is a property list; one look is enough for a type that is never binary."""
        tags = self._tags
        if type_name in tags.list_structs:
            return True
        is_list = looks_like_list(reader.cursor)
        if is_list and len(tags.list_structs) < KNOWN_LISTS and type_name not in tags.dialect.structs:
            tags.list_structs.add(type_name)
        return is_list

    # --- arrays and optionals ---

    def _open_array(self, reader: Reader, outer: i64) -> Event | None:
        """`i32 count`; in old tags an inner tag with the struct, and the size of all; elements."""
        tags = self._tags
        dialect = tags.dialect
        cursor = reader.cursor
        start = reader.leaf.start
        end = reader.leaf.end
        count = cursor.count(0)
        type_name = tags.read_inner(cursor, tags.last.type_name)
        content = cursor.tell()
        codec = dialect.struct(type_name, (end - content) // count if count > 0 else -1)
        if codec is not None and dialect.new_tags and not tags.last.is_binary:
            codec = None
        if codec is not None and codec.tentative and not self._guesses.fits(reader, codec, count, content, end):
            codec = None
        unknown = False
        if codec is None:
            unknown = tags.last.is_binary or (count > 0 and not looks_like_list(cursor))
        elif codec.size >= 0:
            unknown = count * codec.size != end - content
        if unknown:
            return reader.leaf.opaque(f"array of unknown struct {type_name}")
        if codec is not None and codec.size >= 0:
            return None
        cursor.seek(content)
        kind = ELEMENTS if codec is None else ARRAY
        start_tag = dialect.tag_cache.start(type_name)
        frame = Frame(kind, reader.leaf.name, end, outer, count=count, codec=codec, type_name=type_name, last_tag=start_tag)
        self._nestings.push(cursor, frame)
        return StructEnter(start, reader.leaf.name, tags.last.type, content - start, end - content, -1, count)

    def _open_optional(self, reader: Reader, outer: i64) -> Event | None:
        """`bool32; value`: a nesting where the value is a property list."""
        tags = self._tags
        tag = tags.last
        cursor = reader.cursor
        if tags.dialect.scalar(tag.inner_type) is not None:
            return None
        if tag.inner_type != STRUCT:
            return reader.leaf.opaque(f"optional of unknown type {tag.inner_type}")
        if not cursor.bool32():
            return None
        content = cursor.tell()
        if looks_like_list(cursor):
            return self._open_list(reader, tag.type_name, content, outer)
        if tags.dialect.struct(tag.type_name, reader.leaf.end - content) is not None:
            return None
        return reader.leaf.opaque(f"optional of unknown struct {tag.type_name}")

    # --- blobs ---

    def _open_blob(self, reader: Reader, outer: i64) -> Event | None:
        """Return the first event of an array of bytes that has a layout, or None if the last tag's value is none.

        Raises:
            SaveError: the stream ends before the value does, or is damaged.
        """
        blobs = self._tags.dialect.blobs
        cursor = reader.cursor
        start = reader.leaf.start
        end = reader.leaf.end
        frame = self._nestings.top
        if blobs is None or frame is None or reader.leaf.name != blobs.name or self._tags.last.inner_type != BYTE_TYPE:
            return None
        cursor.set_limit(outer)
        cursor.check_reaches(end)
        if end - start <= 4 or cursor.i32() != end - start - 4:
            return None
        frames = self._nestings.frames
        if end - start - 4 > LARGEST_BLOB:
            return reader.leaf.opaque(f"{blobs.name} too large to decode: {blobs.kind(frames)}")
        if blobs.last_start != start or blobs.last_end != end:
            self._find_layout(reader, blobs, start, end)
        layout = blobs.last_layout
        if layout is None:
            return reader.leaf.opaque(f"{blobs.name} of unknown layout: {blobs.kind(frames)}")
        cursor.seek(start + 4)
        cursor.set_limit(end)
        return self._containers.enter_struct(cursor, reader.leaf.name, layout, start, -1, end, outer)

    def _find_layout(self, reader: Reader, blobs: BlobLayouts, start: i64, end: i64) -> None:
        """Find the layout that takes exactly the bytes of the blob from `start` to `end`; raise what `_open_blob` does."""
        blobs.last_layout = None
        blobs.last_start = -1
        for layout in blobs.layouts(self._nestings.frames, self._versions_after(reader, blobs, end)):
            if self._guesses.fits(reader, layout, 1, start + 4, end):
                blobs.last_layout = layout
                blobs.last_start = start
                blobs.last_end = end
                return

    def _versions_after(self, reader: Reader, blobs: BlobLayouts, offset: i64) -> bytes | None:
        """Return the bytes of the array of versions at `offset`; None if something else is there.

        Raises:
            SaveError: the stream ends there, or cannot be read.
        """
        tags = self._tags
        cursor = reader.cursor
        cursor.seek(offset)
        try:
            if cursor.name() != blobs.versions_name:
                return None
            tags.read(cursor, offset, blobs.versions_name)
            size: i64 = tags.size_and_index & 0xFFFFFFFF
            if size < 4 or size > LARGEST_VERSIONS or size > cursor.remaining():
                return b""
            cursor.skip(4)
            return cursor.take(size - 4)
        except (DamagedSave, LimitExceeded, UnsupportedSave) as error:
            if error is cursor.fault:
                raise
        # What is there is no array of bytes. The walk comes to it next, and says what is wrong.
        return None

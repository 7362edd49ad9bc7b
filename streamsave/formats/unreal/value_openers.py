"""What the value of a tag opens: nothing, if it is a leaf; a struct, a container; or bytes of unknown layout.

An array of bytes that has a layout (`BlobLayouts`) is `i32 size`, then members by layout. Bytes that no layout takes exactly are
passed over: the layout is not known, nothing is damaged.
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import Codec
from streamsave.decode.reader import Reader
from streamsave.errors import DamagedSave, LimitExceeded, UnsupportedSave
from streamsave.events import BlobSkip, Event, StructEnter
from streamsave.formats.unreal.containers import Containers
from streamsave.formats.unreal.dialect import BlobLayouts, Dialect
from streamsave.formats.unreal.element_headers import ElementHeaders
from streamsave.formats.unreal.frames import ARRAY, ELEMENTS, LIST, Frame, Nestings
from streamsave.formats.unreal.struct_guesses import StructGuesses
from streamsave.formats.unreal.tag_reader import TagReader
from streamsave.formats.unreal.tags import STRUCT, looks_like_list

__all__ = ["ValueOpeners", "list_frame"]

#: How many types of structs are remembered to be property lists.
KNOWN_LISTS: Final = 4096
#: Larger blobs are passed over: their versions come after them, and a source that cannot go back keeps what is between.
LARGEST_BLOB: Final = 64 * 1024
#: More bytes of versions are none: a blob has a dozen of them at most.
LARGEST_VERSIONS: Final = 64 * 1024


def list_frame(dialect: Dialect, name: str, type_name: str, end: i64, outer_limit: i64) -> Frame:
    """Make the frame of the property list of a class or struct."""
    frame = Frame(LIST, name, end, outer_limit)
    frame.last_tag = dialect.tag_cache.start(type_name)
    return frame


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
        tags = self._tags
        start = tags.value_start
        if not tags.nests or reader.cursor.tell() != start or reader.leaf_end == start:
            return None
        if not reader.building:
            reader.start_budget()
        event: Event | None = None
        tag = tags.last
        kind = tag.type
        if kind == STRUCT:
            event = self._open_struct(reader)
        elif kind == "ArrayProperty":
            if tag.inner_type == STRUCT:
                event = self._open_array(reader)
            elif tags.dialect.blobs is not None:
                event = self._open_blob(reader)
        elif kind == "SetProperty":
            if tag.inner_type == STRUCT:
                event = self._containers.open_set(reader)
        elif kind == "MapProperty":
            event = self._containers.open_map(reader)
        elif kind == "OptionalProperty":
            event = self._open_optional(reader)
        elif tags.dialect.scalar(kind) is None:
            event = tags.unknown(reader, f"unknown type {kind}")
        if event is not None:
            tags.nests = False
            if not isinstance(event, BlobSkip):
                reader.leaf_end = -1
                if self.headers is not None and not reader.building:
                    self.headers.mark(reader, self._nestings)
        return event

    # --- structs ---

    def _open_struct(self, reader: Reader) -> Event | None:
        tags = self._tags
        dialect = tags.dialect
        cursor = reader.cursor
        start = tags.value_start
        end = reader.leaf_end
        size = end - start
        type_name = tags.last.type_name
        if not dialect.new_tags and type_name in dialect.list_structs:
            pass
        elif tags.last.is_binary or not dialect.new_tags:
            codec = dialect.struct(type_name, size)
            if codec is not None and (not codec.tentative or self._guesses.fits(reader, codec, 1, start, end)):
                return self._open_binary(reader, codec) if codec.may_have_list and not reader.building else None
            if tags.last.is_binary or not self._is_list(reader, type_name):
                return tags.unknown(reader, f"unknown struct {type_name}")
        self._nestings.push(cursor, list_frame(dialect, reader.leaf_name, type_name, end, cursor.limit()))
        cursor.set_limit(end)
        return StructEnter(start, reader.leaf_name, type_name, 0, size, -1, -1)

    def _open_binary(self, reader: Reader, codec: Codec) -> Event | None:
        """Step into a binary struct if a property list is in it; else it is a leaf."""
        cursor = reader.cursor
        start = self._tags.value_start
        outer = cursor.limit()
        cursor.set_limit(reader.leaf_end)
        nested = self._containers.has_list(reader, codec)
        cursor.seek(start)
        cursor.set_limit(outer)
        if not nested:
            return None
        event = self._containers.enter_struct(cursor, reader.leaf_name, codec, start, -1, reader.leaf_end)
        cursor.set_limit(reader.leaf_end)
        return event

    def _is_list(self, reader: Reader, type_name: str) -> bool:
        """Return whether a struct is a property list; one look is enough for a type that is never binary."""
        dialect = self._tags.dialect
        lists = dialect.list_structs
        if not self._guesses.starts_list(reader.cursor, reader.leaf_end):
            return False
        if len(lists) < KNOWN_LISTS and type_name not in dialect.structs:
            lists.add(type_name)
        return True

    # --- arrays and optionals ---

    def _open_array(self, reader: Reader) -> Event | None:
        """`i32 count`; in old tags an inner tag with the struct, and the size of all; elements."""
        tags = self._tags
        dialect = tags.dialect
        cursor = reader.cursor
        start = tags.value_start
        end = reader.leaf_end
        outer = cursor.limit()
        cursor.set_limit(end)
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
        if unknown or (codec is not None and codec.size >= 0):
            cursor.set_limit(outer)
            cursor.seek(start)
            return tags.unknown(reader, f"array of unknown struct {type_name}") if unknown else None
        cursor.seek(content)
        frame = Frame(ELEMENTS if codec is None else ARRAY, reader.leaf_name, end, outer)
        frame.count = count
        frame.type_name = type_name
        frame.last_tag = dialect.tag_cache.start(type_name)
        frame.codec = codec
        self._nestings.push(cursor, frame)
        return StructEnter(start, reader.leaf_name, tags.last.type, content - start, end - content, -1, count)

    def _open_optional(self, reader: Reader) -> Event | None:
        """`bool32; value`: a nesting where the value is a property list."""
        tags = self._tags
        dialect = tags.dialect
        cursor = reader.cursor
        if dialect.scalar(tags.last.inner_type) is not None:
            return None
        if tags.last.inner_type != STRUCT:
            return tags.unknown(reader, f"optional of unknown type {tags.last.inner_type}")
        start = tags.value_start
        end = reader.leaf_end
        type_name = tags.last.type_name
        is_set = cursor.bool32()
        content = cursor.tell()
        listed = is_set and self._guesses.starts_list(cursor, end)
        cursor.seek(start)
        if not listed:
            known = dialect.struct(type_name, end - content) is not None
            return None if known or not is_set else tags.unknown(reader, f"optional of unknown struct {type_name}")
        cursor.seek(content)
        self._nestings.push(cursor, list_frame(dialect, reader.leaf_name, type_name, end, cursor.limit()))
        cursor.set_limit(end)
        return StructEnter(start, reader.leaf_name, type_name, content - start, end - content, -1, -1)

    # --- blobs ---

    def _open_blob(self, reader: Reader) -> Event | None:
        """Return the first event of the blob, or None if the last tag's value is none, and stay at its start.

        Raises:
            SaveError: the stream ends before the value does, or is damaged.
        """
        tags = self._tags
        blobs = tags.dialect.blobs
        cursor = reader.cursor
        start = tags.value_start
        end = reader.leaf_end
        size = end - start - 4
        frame = self._nestings.top
        if (
            blobs is None
            or frame is None
            or reader.leaf_name != blobs.name
            or tags.last.inner_type != "ByteProperty"
            or size <= 0
        ):
            return None
        cursor.check_reaches(end)
        count = cursor.i32()
        if count != size:
            cursor.seek(start)
            return None
        frames = self._nestings.frames
        if size > LARGEST_BLOB:
            cursor.seek(start)
            return BlobSkip(start, size + 4, f"{blobs.name} too large to decode: {blobs.kind(frames)}")
        if blobs.last_start != start or blobs.last_end != end:
            self._find_layout(reader, frame, blobs, start, end)
        layout = blobs.last_layout
        if layout is None:
            cursor.seek(start)
            return BlobSkip(start, size + 4, f"{blobs.name} of unknown layout: {blobs.kind(frames)}")
        cursor.seek(start + 4)
        event = self._containers.enter_struct(cursor, reader.leaf_name, layout, start, -1, end)
        cursor.set_limit(end)
        return event

    def _find_layout(self, reader: Reader, frame: Frame, blobs: BlobLayouts, start: i64, end: i64) -> None:
        """Find the layout that takes exactly the bytes of the blob from `start` to `end`; raise what `_open_blob` does."""
        blobs.last_layout = None
        blobs.last_start = -1
        for layout in blobs.layouts(self._nestings.frames, self._versions_after(reader, frame, blobs, end)):
            if self._guesses.fits(reader, layout, 1, start + 4, end):
                blobs.last_layout = layout
                blobs.last_start = start
                blobs.last_end = end
                return

    def _versions_after(self, reader: Reader, frame: Frame, blobs: BlobLayouts, offset: i64) -> bytes | None:
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

"""Containers, and binary structs: how they are opened and stepped through.

| value | bytes |
|---|---|
| array | `i32 count; elements` |
| set, map | `i32 removed; elements or keys; i32 count; elements or pairs of key and value` |
| binary struct | its members, one after the other |

The module is long because one class opens and steps through all kinds of containers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamsave._native import i64
from streamsave.decode.build import CONTAINER_DELTA
from streamsave.decode.codecs import NAME, U8, Array, Codec, Optional, Struct
from streamsave.decode.cursor import Cursor
from streamsave.decode.reader import Reader
from streamsave.errors import DamagedSave
from streamsave.events import Event, StructEnter
from streamsave.formats.unreal.codecs import Dynamic, PropertyList, read_reference
from streamsave.formats.unreal.dialect import noted_value
from streamsave.formats.unreal.frames import (
    AFTER_MEMBERS,
    ARRAY,
    ELEMENTS,
    LIST,
    MEMBERS,
    DeltaFrame,
    Frame,
    MapFrame,
    Nestings,
    PairPart,
)
from streamsave.formats.unreal.struct_guesses import FITTING_SIZE, StructGuesses
from streamsave.formats.unreal.tag_reader import REMOVED, TagReader
from streamsave.formats.unreal.tags import BYTE_TYPE, STRUCT, looks_like_list, starts_list

if TYPE_CHECKING:
    from streamsave.values import ObjectReference

__all__ = ["Containers", "count_distinct"]


class Containers:
    """Opens the sets and maps of the last tag, and makes the next event of a container or binary struct, the innermost nesting.

    A step returns None where it has only opened or left a frame: the next step is that of the innermost frame then.
    """

    def __init__(self, tags: TagReader, nestings: Nestings, guesses: StructGuesses) -> None:
        self._tags = tags
        self._nestings = nestings
        self._guesses = guesses
        # Of the last struct that was entered and has its type before it: that type, and where both start.
        self._script_struct: ObjectReference | None = None
        self._dynamic_at: i64 = -1

    # --- open ---

    def open_set(self, reader: Reader, outer: i64) -> Event | None:
        """Open a set of structs: return its first event, or None if it is a leaf."""
        tags = self._tags
        cursor = reader.cursor
        start = reader.leaf.start
        end = reader.leaf.end
        codec = self._guesses.struct_codec(reader, "element", tags.last.type_name)
        removed = self._pass_removed(reader, codec, peeks=True)
        is_far = removed > 0 and cursor.tell() - start > FITTING_SIZE
        count: i64 = -1 if removed < 0 or is_far else count_distinct(cursor, codec)
        content = cursor.tell()
        if is_far or count == 0 or (count > 0 and looks_like_list(cursor)):
            frame = Frame(ELEMENTS, reader.leaf.name, end, outer, count=count, codec=codec, type_name=tags.last.type_name)
            return self._enter_delta(reader, frame, codec, tags.last.type_name, removed, content, peeks=True)
        fits = codec is not None and count > 0 and self._guesses.fits(reader, codec, count, content, end)
        return None if fits else reader.leaf.opaque("set of unknown structs")

    def open_map(self, reader: Reader, outer: i64, byte: Codec = U8) -> Event | None:
        """Open a map: return its first event, or None if it is a leaf.

        Args:
            reader: at the start of the value, and limited to it.
            outer: the limit around it.
            byte: what bytes are taken for. They may be the name of an enum's value, which only a new tag says.
        """
        tags = self._tags
        guesses = self._guesses
        cursor = reader.cursor
        start = reader.leaf.start
        end = reader.leaf.end
        key_struct = tags.last.inner_type == STRUCT
        value_struct = tags.last.value_type == STRUCT
        key = guesses.codec_of(reader, "key", tags.last.inner_type, tags.last.key_type_name, byte)
        key_guessed = guesses.guessed
        value = guesses.codec_of(reader, "value", tags.last.value_type, tags.last.type_name, byte)
        if (key is None and not key_struct) or (value is None and not value_struct):
            return reader.leaf.opaque(f"map of unknown types {tags.last.inner_type}, {tags.last.value_type}")
        if not key_struct and not value_struct:
            return None
        removed: i64 = 0
        count: i64 = -1
        is_far = False
        try:
            removed = self._pass_removed(reader, key, peeks=key_struct)
            is_far = removed > 0 and cursor.tell() - start > FITTING_SIZE
            if removed >= 0 and not is_far:
                count = count_distinct(cursor, key)
        except DamagedSave as error:
            # What was taken for bytes may be names: then it is read again as those, below.
            if error is cursor.fault or byte is not U8 or tags.last.inner_type != BYTE_TYPE:
                raise
        content = cursor.tell()
        name = reader.leaf.name
        cache = tags.dialect.tag_cache
        starts = cache.start(name + ".key") if key_struct else None, cache.start(name + ".value") if value_struct else None
        keys = PairPart("key", key, tags.last.key_type_name, starts[0], is_named=not key_guessed)
        values = PairPart("value", value, tags.last.type_name, starts[1], is_named=not guesses.guessed)
        frame = MapFrame(name, end, outer, count, keys, values)
        if not is_far and (count < 0 or (count > 0 and not guesses.pairs_fit(reader, frame, content, end))):
            cursor.seek(start)
            if byte is U8 and BYTE_TYPE in {tags.last.inner_type, tags.last.value_type}:
                return self.open_map(reader, outer, NAME)
            return reader.leaf.opaque("map of unknown structs")
        return self._enter_delta(reader, frame, key, keys.type_name, removed, content, peeks=key_struct)

    def _pass_removed(self, reader: Reader, codec: Codec | None, *, peeks: bool) -> i64:
        """Pass over the elements or keys that a set or map removes from those of a new object: `i32 n; n elements`.

        Stop where they go on for more than `FITTING_SIZE` bytes.

        Returns:
            Their number, or -1 where one is of unknown layout.
        """
        cursor = reader.cursor
        start = cursor.tell()
        count = count_distinct(cursor, codec)
        if codec is not None and codec.size > 0 and not peeks:
            self._skip_fixed(reader, codec, count)
            return count
        for _ in range(count):
            if cursor.tell() - start > FITTING_SIZE:
                break
            if peeks and looks_like_list(cursor):
                reader.skip_properties(cursor)
            elif codec is not None:
                codec.measure(cursor, reader)
            else:
                return -1
        return count

    def _skip_fixed(self, reader: Reader, codec: Codec, count: i64) -> None:
        """Pass over elements that all have the same size, as far as `_pass_removed` goes.

        One by one, a count that lies would cost a step for each element, even beyond the end of the stream.
        """
        cursor = reader.cursor
        most: i64 = FITTING_SIZE // codec.size + 1
        if count < most:
            most = count
        fitting: i64 = cursor.remaining() // codec.size
        if fitting < most:
            cursor.skip(fitting * codec.size)
            codec.measure(cursor, reader)  # raises, with the place of the first that does not fit
        else:
            cursor.skip(most * codec.size)

    def _enter_delta(
        self, reader: Reader, added: Frame, codec: Codec | None, type_name: str, removed: i64, content: i64, *, peeks: bool
    ) -> Event:
        """Open a set or map: its elements; or, where it removes some, two nestings with those and with what it adds.

        Args:
            reader: whose last tag it is.
            added: the frame of its elements, perhaps of a count that is not known yet.
            codec: of an element or key.
            type_name: their struct.
            removed: how many it removes.
            content: where the elements start.
            peeks: each element or key is a property list or binary, as a look at it shows.
        """
        tags = self._tags
        cursor = reader.cursor
        start = reader.leaf.start
        name = reader.leaf.name
        end = added.end
        if removed == 0:
            cursor.seek(content)
            self._nestings.push(cursor, added)
            return StructEnter(start, name, tags.last.type, content - start, end - content, -1, added.count)
        frame = DeltaFrame(added, tags.last.type, removed, codec, type_name, peeks=peeks)
        added.become_added()
        cursor.seek(start + 4)
        self._nestings.push(cursor, frame)
        return StructEnter(start, name, CONTAINER_DELTA, 4, end - start - 4, -1, -1)

    # --- step ---

    def next_pair(self, reader: Reader, frame: MapFrame) -> Event | None:
        """Make the next event of a map frame: enter a pair, its key, its value, leave it."""
        cursor = reader.cursor
        offset = cursor.tell()
        if frame.at == 0:
            return frame.enter_pair(offset) if frame.advance() else self._nestings.end_container(cursor, frame)
        if frame.at == 3:
            return frame.leave_pair(offset)
        part = frame.next_part()
        codec = part.codec
        if not part.peeks or not starts_list(cursor, part.start):
            if codec is None:
                # Only the first pair was looked at when the map was opened: this one is something else.
                raise cursor.damaged(
                    f"{part.name} of a map is no property list", expected="a property's name and type", actual=cursor.peek(8)
                )
            cursor.need(codec.least)
            event = reader.field(part.name, codec)
            if codec is NAME and frame.at == 2 and self._tags.dialect.blobs is not None:
                frame.noted = noted_value(cursor, event.size)
            return event
        self._nestings.push(cursor, Frame(LIST, part.name, -1, -1, last_tag=part.start))
        return StructEnter(offset, part.name, part.type_name, 0, -1, -1, -1)

    def next_part(self, reader: Reader, frame: DeltaFrame) -> Event | None:
        """Make the next event of a delta frame: enter what is removed, then what is added."""
        cursor = reader.cursor
        nestings = self._nestings
        offset = cursor.tell()
        added = frame.added
        at = frame.next_part()
        if frame.skipped or at > 1:
            return nestings.end_container(cursor, frame)
        if at == 1:
            is_known = added.count >= 0
            count = count_distinct(cursor, added.key.codec if isinstance(added, MapFrame) else added.codec)
            added.set_count(count)
            if not is_known and count > 0 and not self._guesses.added_fit(reader, added):
                added.refuse("unknown structs")
            nestings.push(cursor, added)
            return StructEnter(offset, added.name, frame.type_name, 4, frame.end - offset - 4, -1, count)
        kind = ELEMENTS if frame.peeks else ARRAY
        nestings.push(cursor, Frame(kind, "removed", -1, -1, count=frame.count, codec=frame.codec, type_name=frame.element))
        return StructEnter(offset, "removed", REMOVED, 0, -1, -1, frame.count)

    def next_element(self, reader: Reader, frame: Frame) -> Event | None:
        """Open or announce the next element of an array or set; among the property lists of a set there may be binary structs."""
        cursor = reader.cursor
        if not frame.advance():
            return self._nestings.end_container(cursor, frame)
        codec = frame.codec
        if codec is not None and (frame.kind == ARRAY or not starts_list(cursor, frame.last_tag)):
            # A value of fixed size is passed over unread: a count that is too large would go on far beyond the end of the stream.
            cursor.need(codec.least)
            return self._open_codec(reader, frame.name, codec, frame.index)
        self._nestings.push(cursor, Frame(LIST, frame.name, -1, -1, index=frame.index, last_tag=frame.last_tag))
        return StructEnter(cursor.tell(), frame.name, frame.type_name, 0, -1, frame.index, -1)

    # --- binary structs ---

    def next_member(self, reader: Reader, frame: Frame) -> Event | None:
        """Announce the next named value of a binary struct."""
        struct = frame.struct
        assert struct is not None  # noqa: S101 - a members frame is made with one
        nestings = self._nestings
        at = frame.at
        if frame.skipped:
            return nestings.exit(reader.cursor, reader.cursor.tell(), 0)
        if at < len(struct.members):
            frame.at = at + 1
            return self._open_codec(reader, struct.names[at], struct.members[at], -1)
        if len(nestings.frames) == 1:
            nestings.end_list(frame.claim)
            nestings.pop(reader.cursor)
            return None
        offset = reader.cursor.tell()
        start = frame.claim if frame.claim >= 0 else offset
        if frame.end >= 0 and offset != frame.end:
            return nestings.rest(reader.cursor, frame, start, AFTER_MEMBERS)
        return nestings.exit(reader.cursor, start, offset - start)

    def has_list(self, reader: Reader, codec: Codec) -> bool:
        """Pass over a value, and return whether a property list is in it."""
        before = reader.build.lists
        codec.measure(reader.cursor, reader)
        return reader.build.lists > before

    def enter_struct(self, cursor: Cursor, name: str, codec: Codec, start: i64, index: i64, end: i64, outer: i64 = -1) -> Event:
        """Open a binary struct; the bytes from `start` to the cursor belong to its header.

        Where it ends is known, or `end` is -1; `outer` is the limit to go back to then.
        """
        content = cursor.tell()
        struct = codec if isinstance(codec, Struct) else Struct(codec.name, None, value=codec)
        self._nestings.push(cursor, Frame(MEMBERS, name, end, outer, index=index, struct=struct))
        return StructEnter(start, name, codec.name, content - start, end - content if end >= 0 else -1, index, -1)

    def _open_codec(self, reader: Reader, name: str, codec: Codec, index: i64) -> Event | None:
        """Announce a value of a binary struct: a leaf, or a nesting where it has much inside."""
        cursor = reader.cursor
        start = cursor.tell()
        if not codec.streams:
            if not codec.may_have_list or reader.build.is_running or not self.has_list(reader, codec):
                if cursor.tell() == start:
                    codec.measure(cursor, reader)
                return reader.passed(name, codec, start, index)
            cursor.seek(start)
        if isinstance(codec, PropertyList):
            start_tag = self._tags.dialect.tag_cache.start(codec.name)
            self._nestings.push(cursor, Frame(LIST, name, -1, -1, index=index, inline=not codec.nested, last_tag=start_tag))
            return StructEnter(start, name, codec.name, 0, -1, index, -1) if codec.nested else None
        if isinstance(codec, Dynamic):
            return self._open_dynamic(reader, name, codec, index)
        if isinstance(codec, Optional):
            if not cursor.bool32():
                return reader.passed(name, codec, start, index)
            return self.enter_struct(cursor, name, codec.element, start, index, -1)
        if isinstance(codec, Array):
            count = cursor.count(codec.element.least)
            self._nestings.push(cursor, Frame(ARRAY, name, -1, -1, count=count, codec=codec.element))
            return StructEnter(start, name, codec.name, cursor.tell() - start, -1, index, count)
        return self.enter_struct(cursor, name, codec, start, index, -1)

    def _open_dynamic(self, reader: Reader, name: str, codec: Codec, index: i64) -> Event:
        """Open a struct that has its type before it: a nesting if its bytes are a property list, else a leaf."""
        cursor = reader.cursor
        start = cursor.tell()
        if cursor.bool32():
            script_struct = read_reference(cursor)
            size = cursor.count(1)
            content = cursor.tell()
            outer = cursor.limit()
            cursor.set_limit(content + size)
            if looks_like_list(cursor):
                self._nestings.push(cursor, Frame(LIST, name, content + size, outer))
                self._script_struct = script_struct
                self._dynamic_at = start
                return StructEnter(start, name, script_struct.path_name, content - start, size, index, -1)
            cursor.set_limit(outer)
        cursor.seek(start)
        return reader.field(name, codec, index)

    def forget(self) -> None:
        """Forget the last struct that was entered: another walk begins."""
        self._dynamic_at = -1

    def script_struct(self, enter: StructEnter) -> ObjectReference | None:
        """Return the type before the struct that was entered last; None if there is none."""
        return self._script_struct if enter.offset == self._dynamic_at and enter.header_size > 0 else None


def count_distinct(cursor: Cursor, codec: Codec | None) -> i64:
    """Read how many elements of a set or keys of a map follow: no two are equal, so at most one takes no bytes.

    Raises:
        DamagedSave: that many do not fit.
    """
    if codec is None or codec.least > 0:
        return cursor.count(1)
    count = cursor.i32()
    if count != 0 and count != 1:
        message = f"a set or map has more than one {codec.name}, which takes no bytes"
        raise cursor.damaged(message, offset=cursor.tell() - 4, expected="0 or 1", actual=count)
    return count

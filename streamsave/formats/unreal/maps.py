"""Sets and maps: their frames, and how they are opened.

| value | bytes |
|---|---|
| set, map | `i32 removed; elements or keys; i32 count; elements or pairs of key and value` |

The module is long because what a container without types holds is found by looking at its bytes, in a way for each kind.
"""

from __future__ import annotations

from typing import Self, final

from streamsave._native import i64
from streamsave.decode.build import CONTAINER_DELTA, MAP_ENTRY
from streamsave.decode.codecs import NAME, U8, Codec
from streamsave.decode.cursor import Cursor
from streamsave.decode.reader import Leaf
from streamsave.errors import DamagedSave, LimitExceeded, UnsupportedSave
from streamsave.events import Event, ObjectEnd, StructEnter, StructExit
from streamsave.formats.unreal.containers import FITTING_SIZE, ElementsFrame, fits, struct_codec, struct_hint
from streamsave.formats.unreal.dialect import noted_value
from streamsave.formats.unreal.frames import Frame, FrameReader, ListFrame
from streamsave.formats.unreal.tag_reader import REMOVED
from streamsave.formats.unreal.tags import BYTE_TYPE, STRUCT, Tag, looks_like_list, starts_list

__all__ = ["DeltaFrame", "MapFrame", "PairPart", "count_distinct", "open_map", "open_set"]


@final
class PairPart:
    """What is known of the keys of a map, or of its values.

    Args:
        name: `key` or `value`.
        codec: None: they are structs of unknown layout.
        type_name: their struct.
        start: the stand-in for the start of the property lists that they are. None: they are no structs.
        is_named: the type or a hint says that they are binary; the first one may still show that they are not.
    """

    def __init__(self, name: str, codec: Codec | None, type_name: str, start: Tag | None, *, is_named: bool) -> None:
        self.name = name
        self.codec = codec
        self.type_name = type_name
        self.start = start
        #: A look at each one shows whether it is a property list or binary.
        self.peeks = start is not None
        self.is_known = self.peeks and is_named and codec is not None

    def copy(self) -> PairPart:
        """Return another one in the same state."""
        return PairPart(self.name, self.codec, self.type_name, self.start if self.peeks else None, is_named=self.is_known)

    def settle(self) -> None:
        """Take them for binary from here on, if that is known."""
        if self.is_known:
            self.peeks = False


def pair_part(walk: FrameReader, name: str, kind: str, type_name: str, byte: Codec) -> PairPart:
    """Return what the last tag says of the keys or values of a map.

    Args:
        walk: whose last tag it is.
        name: `key` or `value`.
        kind: their type.
        type_name: their struct or enum, "" if the tag does not say.
        byte: the codec of bytes whose enum is not known.
    """
    dialect = walk.dialect
    if kind == STRUCT:
        hint = struct_hint(walk, name, type_name)
        start = dialect.tag_cache.start(f"{walk.leaf.name}.{name}")
        return PairPart(name, dialect.struct(hint or "Guid", -1), type_name, start, is_named=hint != "")
    codec = dialect.scalar(kind)
    if kind == BYTE_TYPE:
        codec = NAME if type_name else byte
    return PairPart(name, codec, type_name, None, is_named=False)


@final
class MapFrame(Frame):
    """The pairs of a map."""

    is_map = True
    #: Which members of its pairs were property lists, one bit each.
    listed: i64 = 0

    def __init__(self, name: str, end: i64, outer_limit: i64, count: i64, key: PairPart, value: PairPart) -> None:
        super().__init__(
            name, end, outer_limit, count=count, codec=key.codec, type_name=key.type_name, peeks=key.start is not None
        )
        self.key = key
        self.value = value

    def copy(self) -> Self:
        other = MapFrame(self.name, self.end, self.outer_limit, self.count, self.key.copy(), self.value.copy())
        other.follow(self)
        other.listed = self.listed
        return other

    def leave_element(self) -> None:
        self.at = 3

    def step(self, walk: FrameReader) -> Event | None:
        """Enter a pair, its key, its value, leave it."""
        cursor = walk.cursor
        offset = cursor.tell()
        if self.at == 0:
            self.is_object = False
            if not self.advance():
                return walk.end_container(self)
            self.at = 1
            return StructEnter(offset, "", MAP_ENTRY, 0, -1, self.index, -1)
        if self.at == 3:
            self.at = 0
            return ObjectEnd(offset, self.object_name, 0) if self.is_object else StructExit(offset, "", 0)
        self.at += 1
        part = self.key if self.at == 2 else self.value
        codec = part.codec
        if not part.peeks or not starts_list(cursor, part.start):
            if codec is None:
                # Only the first pair was looked at when the map was opened: this one is something else.
                raise cursor.damaged(
                    f"{part.name} of a map is no property list", expected="a property's name and type", actual=cursor.peek(8)
                )
            cursor.need(codec.least)
            event = walk.field(part.name, codec)
            blobs = walk.dialect.blobs
            if codec is NAME and self.at == 2 and blobs is not None and blobs.noted_names:
                self.noted = noted_value(cursor, event.size)
            return event
        walk.push(ListFrame(part.name, -1, -1, last_tag=part.start))
        return StructEnter(offset, part.name, part.type_name, 0, -1, -1, -1)

    def fit(self, walk: FrameReader, content: i64) -> bool:
        """Return whether they fit the bytes from `content`, where the cursor is, to the end. Moves.

        Property lists are recognised by the first pair; of binary values the size of all must be right.
        """
        cursor = walk.cursor
        key = self.key.codec
        value = self.value.codec
        if self.key.peeks and looks_like_list(cursor) and not (self.key.is_known and self._is_followed_by_list(cursor)):
            # Lists can be recognised; only the size of all shows what a byte after them is.
            return (value is not U8 and value is not NAME) or self._fill(walk, content)
        if key is None:
            return False
        self.key.settle()
        cursor.seek(content)
        key.measure(cursor, walk)
        if self.value.peeks and looks_like_list(cursor):
            return True
        if value is None:
            return False
        self.value.settle()
        if key.size >= 0 and value.size >= 0:
            return self.count * (key.size + value.size) == self.end - content
        return self._fill(walk, content)

    def _is_followed_by_list(self, cursor: Cursor) -> bool:
        """Return whether a property list follows a binary key, which may look like the start of a list itself. Moves."""
        key = self.key.codec
        if key is None or key.size < 0 or not self.value.peeks:
            return False
        cursor.skip(key.size)
        return looks_like_list(cursor)

    def _fill(self, walk: FrameReader, content: i64) -> bool:
        """Return whether they fill the map, up to `FITTING_SIZE`. Moves."""
        cursor = walk.cursor
        key = self.key.codec
        value = self.value.codec
        spent = walk.build.spent()
        cursor.seek(content)
        try:
            for _ in range(self.count):
                if self.key.peeks and looks_like_list(cursor):
                    walk.skip_properties(cursor)
                elif key is not None:
                    key.measure(cursor, walk)
                if value is not None:
                    value.measure(cursor, walk)
                if cursor.tell() - content > FITTING_SIZE:
                    return True
            return cursor.tell() == self.end
        except (DamagedSave, UnsupportedSave, LimitExceeded) as error:
            if error is cursor.fault:
                raise
            return False
        finally:
            walk.build.restore(spent)


@final
class DeltaFrame(Frame):
    """What a set or map removes, then what it adds."""

    def __init__(
        self, name: str, end: i64, outer_limit: i64, removed: ElementsFrame, added: ElementsFrame | MapFrame, type_name: str
    ) -> None:
        super().__init__(name, end, outer_limit, type_name=type_name)
        self.removed = removed
        self.added = added

    def copy(self) -> Self:
        other = DeltaFrame(self.name, self.end, self.outer_limit, self.removed.copy(), self.added.copy(), self.type_name)
        other.follow(self)
        return other

    def step(self, walk: FrameReader) -> Event | None:
        """Enter what is removed, then what is added."""
        cursor = walk.cursor
        offset = cursor.tell()
        at = self.at
        self.at = at + 1
        if self.skipped or at > 1:
            return walk.end_container(self)
        if at == 0:
            walk.push(self.removed)
            return StructEnter(offset, "removed", REMOVED, 0, -1, -1, self.removed.count)
        added = self.added
        is_known = added.count >= 0
        count = count_distinct(cursor, added.codec)
        added.count = count
        content = cursor.tell()
        if not is_known and count > 0 and not added.fit(walk, content):
            added.count = 0
            added.rest = "unknown structs"
        cursor.seek(content)
        walk.push(added)
        return StructEnter(offset, "added", self.type_name, 4, self.end - offset - 4, -1, count)


def open_set(walk: FrameReader, leaf: Leaf, outer: i64) -> Event | None:
    """Open a set of structs, the value of the last tag: return its first event, or None if it is a leaf."""
    cursor = walk.cursor
    type_name = walk.tags.last.type_name
    codec = struct_codec(walk, "element", type_name)
    removed = pass_removed(walk, codec, peeks=True)
    is_far = removed > 0 and cursor.tell() - leaf.start > FITTING_SIZE
    count: i64 = -1 if removed < 0 or is_far else count_distinct(cursor, codec)
    content = cursor.tell()
    if is_far or count == 0 or (count > 0 and looks_like_list(cursor)):
        added = ElementsFrame(leaf.name, leaf.end, outer, count=count, codec=codec, type_name=type_name, peeks=True)
        return enter_delta(walk, leaf, added, removed, content)
    is_leaf = codec is not None and count > 0 and fits(walk, codec, count, content, leaf.end)
    return None if is_leaf else leaf.opaque("set of unknown structs")


def open_map(walk: FrameReader, leaf: Leaf, outer: i64, byte: Codec = U8) -> Event | None:
    """Open a map, the value of the last tag: return its first event, or None if it is a leaf.

    Args:
        walk: at the start of the value, and limited to it.
        leaf: the value.
        outer: the limit around it.
        byte: what bytes are taken for. They may be the name of an enum's value, which only a new tag says.
    """
    cursor = walk.cursor
    tag = walk.tags.last
    key = pair_part(walk, "key", tag.inner_type, tag.key_type_name, byte)
    value = pair_part(walk, "value", tag.value_type, tag.type_name, byte)
    if (key.codec is None and not key.peeks) or (value.codec is None and not value.peeks):
        return leaf.opaque(f"map of unknown types {tag.inner_type}, {tag.value_type}")
    if not key.peeks and not value.peeks:
        return None
    removed: i64 = 0
    count: i64 = -1
    is_far = False
    try:
        removed = pass_removed(walk, key.codec, peeks=key.peeks)
        is_far = removed > 0 and cursor.tell() - leaf.start > FITTING_SIZE
        if removed >= 0 and not is_far:
            count = count_distinct(cursor, key.codec)
    except DamagedSave as error:
        # What was taken for bytes may be names: then it is read again as those, below.
        if error is cursor.fault or byte is not U8 or tag.inner_type != BYTE_TYPE:
            raise
    content = cursor.tell()
    frame = MapFrame(leaf.name, leaf.end, outer, count, key, value)
    if not is_far and (count < 0 or (count > 0 and not frame.fit(walk, content))):
        cursor.seek(leaf.start)
        if byte is U8 and BYTE_TYPE in {tag.inner_type, tag.value_type}:
            return open_map(walk, leaf, outer, NAME)
        return leaf.opaque("map of unknown structs")
    return enter_delta(walk, leaf, frame, removed, content)


def pass_removed(walk: FrameReader, codec: Codec | None, *, peeks: bool) -> i64:
    """Pass over the elements or keys that a set or map removes from those of a new object: `i32 n; n elements`.

    Stop where they go on for more than `FITTING_SIZE` bytes.

    Returns:
        Their number, or -1 where one is of unknown layout.
    """
    cursor = walk.cursor
    start = cursor.tell()
    count = count_distinct(cursor, codec)
    if codec is not None and codec.size > 0 and not peeks:
        skip_fixed(walk, codec, count)
        return count
    for _ in range(count):
        if cursor.tell() - start > FITTING_SIZE:
            break
        if peeks and looks_like_list(cursor):
            walk.skip_properties(cursor)
        elif codec is not None:
            codec.measure(cursor, walk)
        else:
            return -1
    return count


def skip_fixed(walk: FrameReader, codec: Codec, count: i64) -> None:
    """Pass over elements that all have the same size, as far as `pass_removed` goes.

    One by one, a count that lies would cost a step for each element, even beyond the end of the stream.
    """
    cursor = walk.cursor
    most: i64 = FITTING_SIZE // codec.size + 1
    if count < most:
        most = count
    fitting: i64 = cursor.remaining() // codec.size
    if fitting < most:
        cursor.skip(fitting * codec.size)
        codec.measure(cursor, walk)  # raises, with the place of the first that does not fit
    else:
        cursor.skip(most * codec.size)


def enter_delta(walk: FrameReader, leaf: Leaf, added: ElementsFrame | MapFrame, removed: i64, content: i64) -> Event:
    """Open a set or map: its elements; or, where it removes some, two nestings with those and with what it adds.

    Args:
        walk: whose last tag it is.
        leaf: its value.
        added: the frame of its elements, perhaps of a count that is not known yet.
        removed: how many it removes.
        content: where the elements start.
    """
    type_name = walk.tags.last.type
    if removed == 0:
        walk.cursor.seek(content)
        walk.push(added)
        return StructEnter(leaf.start, leaf.name, type_name, content - leaf.start, leaf.end - content, -1, added.count)
    gone = ElementsFrame("removed", -1, -1, count=removed, codec=added.codec, type_name=added.type_name, peeks=added.peeks)
    frame = DeltaFrame(leaf.name, leaf.end, added.outer_limit, gone, added, type_name)
    added.name = "added"
    added.outer_limit = -1
    walk.cursor.seek(leaf.start + 4)
    walk.push(frame)
    return StructEnter(leaf.start, leaf.name, CONTAINER_DELTA, 4, leaf.end - leaf.start - 4, -1, -1)


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

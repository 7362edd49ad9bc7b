"""Arrays and binary structs: their frames, how what is in them is opened, and which struct it is.

| value | bytes |
|---|---|
| array | `i32 count; elements` |
| binary struct | its members, one after the other |

Old tags do not say which struct is in a set or map: hints and a look at the bytes do.
"""

from __future__ import annotations

from typing import Final, final

from streamsave._native import i64
from streamsave.decode.codecs import Array, Codec, Optional, Struct
from streamsave.errors import DamagedSave, LimitExceeded, UnsupportedSave
from streamsave.events import Event, StructEnter
from streamsave.formats.unreal.codecs import Dynamic, PropertyList, read_reference
from streamsave.formats.unreal.dialect import ROLES
from streamsave.formats.unreal.frames import AFTER_MEMBERS, Frame, FrameReader, ListFrame
from streamsave.formats.unreal.tags import looks_like_list, starts_list

__all__ = ["FITTING_SIZE", "ElementsFrame", "MembersFrame", "enter_struct", "fits", "has_list", "struct_codec", "struct_hint"]

#: How many bytes of elements and pairs are tried before the guess is believed. A source that cannot go back keeps more than that.
FITTING_SIZE: Final = 256 * 1024
#: Nestings in a set or map that no hint names: what it removes and adds, and what is in these.
NO_NAMES: Final = frozenset((*ROLES, "removed", "added"))


@final
class ElementsFrame(Frame):
    """The elements of an array or set. Without a codec, each one is a property list."""

    is_elements = True

    def step(self, walk: FrameReader) -> Event | None:
        """Open or announce the next element; among the property lists of a set there may be binary structs."""
        cursor = walk.cursor
        if not self.advance():
            return walk.end_container(self)
        codec = self.codec
        if codec is not None and not (self.peeks and starts_list(cursor, self.last_tag)):
            # A value of fixed size is passed over unread: a count that is too large would go on far beyond the end of the stream.
            cursor.need(codec.least)
            return open_codec(walk, self.name, codec, self.index)
        walk.push(ListFrame(self.name, -1, -1, index=self.index, last_tag=self.last_tag))
        return StructEnter(cursor.tell(), self.name, self.type_name, 0, -1, self.index, -1)

    def fit(self, walk: FrameReader, content: i64) -> bool:
        """Return whether they fit the bytes from `content`, where the cursor is, to the end."""
        codec = self.codec
        return looks_like_list(walk.cursor) or (codec is not None and fits(walk, codec, self.count, content, self.end))


@final
class MembersFrame(Frame):
    """The named values of a binary struct."""

    def step(self, walk: FrameReader) -> Event | None:
        struct = self.struct
        assert struct is not None  # noqa: S101 - a members frame is made with one
        offset = walk.cursor.tell()
        if self.skipped:
            return walk.exit(offset, 0)
        at = self.at
        if at < len(struct.members):
            self.at = at + 1
            return open_codec(walk, struct.names[at], struct.members[at], -1)
        if len(walk.frames) == 1:
            walk.list_end = self.claim
            walk.pop()
            return None
        start = self.claim if self.claim >= 0 else offset
        if self.end >= 0 and offset != self.end:
            return walk.pass_rest(self, start, AFTER_MEMBERS)
        return walk.exit(start, offset - start)


def has_list(walk: FrameReader, codec: Codec) -> bool:
    """Pass over a value, and return whether a property list is in it."""
    before = walk.build.lists
    codec.measure(walk.cursor, walk)
    return walk.build.lists > before


def enter_struct(walk: FrameReader, name: str, codec: Codec, start: i64, index: i64, end: i64, outer: i64 = -1) -> Event:
    """Open a binary struct; the bytes from `start` to the cursor belong to its header.

    Where it ends is known, or `end` is -1; `outer` is the limit to go back to then.
    """
    content = walk.cursor.tell()
    struct = codec if isinstance(codec, Struct) else Struct(codec.name, None, value=codec)
    walk.push(MembersFrame(name, end, outer, index=index, struct=struct))
    return StructEnter(start, name, codec.name, content - start, end - content if end >= 0 else -1, index, -1)


def open_codec(walk: FrameReader, name: str, codec: Codec, index: i64) -> Event | None:
    """Announce a value of a binary struct: a leaf, or a nesting where it has much inside."""
    cursor = walk.cursor
    start = cursor.tell()
    if not codec.streams:
        if not codec.may_have_list or walk.build.is_running or not has_list(walk, codec):
            if cursor.tell() == start:
                codec.measure(cursor, walk)
            return walk.passed(name, codec, start, index)
        cursor.seek(start)
    if isinstance(codec, PropertyList):
        start_tag = walk.dialect.tag_cache.start(codec.name)
        walk.push(ListFrame(name if codec.nested else "", -1, -1, index=index, inline=not codec.nested, last_tag=start_tag))
        return StructEnter(start, name, codec.name, 0, -1, index, -1) if codec.nested else None
    if isinstance(codec, Dynamic):
        return open_dynamic(walk, name, codec, index)
    if isinstance(codec, Optional):
        if not cursor.bool32():
            return walk.passed(name, codec, start, index)
        codec = codec.element
    elif isinstance(codec, Array):
        count = cursor.count(codec.element.least)
        walk.push(ElementsFrame(name, -1, -1, count=count, codec=codec.element))
        return StructEnter(start, name, codec.name, cursor.tell() - start, -1, index, count)
    return enter_struct(walk, name, codec, start, index, -1)


def open_dynamic(walk: FrameReader, name: str, codec: Codec, index: i64) -> Event:
    """Open a struct that has its type before it: a nesting if its bytes are a property list, else a leaf."""
    cursor = walk.cursor
    start = cursor.tell()
    if cursor.bool32():
        script_struct = read_reference(cursor)
        size = cursor.count(1)
        content = cursor.tell()
        outer = cursor.limit()
        cursor.set_limit(content + size)
        if looks_like_list(cursor):
            walk.push(ListFrame(name, content + size, outer))
            walk.script = script_struct
            walk.script_at = start
            return StructEnter(start, name, script_struct.path_name, content - start, size, index, -1)
        cursor.set_limit(outer)
    cursor.seek(start)
    return walk.field(name, codec, index)


# --- which struct it is, where no tag says it ---


def struct_codec(walk: FrameReader, role: str, type_name: str) -> Codec | None:
    """Return the codec of structs that are no property lists: by hint, by the tag's type, else a GUID."""
    return walk.dialect.struct(struct_hint(walk, role, type_name) or "Guid", -1)


def struct_hint(walk: FrameReader, role: str, type_name: str) -> str:
    """Return which struct is in the value of the last tag, by hint or by the tag's type; "" if neither says it.

    Args:
        walk: hints may be for its path.
        role: one of `ROLES`.
        type_name: what the tag says; "" if it does not.
    """
    dialect = walk.dialect
    hint = dialect.hints.get((walk.leaf.name, role), "")
    if dialect.path_hints and not hint:
        names = [step for step in walk.path() if isinstance(step, str) and step not in NO_NAMES]
        for path, hinted, struct in dialect.path_hints:
            if hinted == role and names[-len(path) :] == path:
                return struct
    return hint or type_name or dialect.owner_hint(role)


def fits(walk: FrameReader, codec: Codec, count: i64, start: i64, end: i64) -> bool:
    """Return whether `count` values take exactly the bytes from `start` to `end`. The cursor stays where it is."""
    if codec.size >= 0:
        return count * codec.size == end - start
    cursor = walk.cursor
    spent = walk.build.spent()
    before = cursor.tell()
    outer = cursor.limit()
    cursor.seek(start)
    cursor.set_limit(end)
    try:
        codec.measure_many(cursor, walk, count)
        return cursor.tell() == end
    except (DamagedSave, UnsupportedSave, LimitExceeded) as error:
        if error is cursor.fault:
            raise
        return False
    finally:
        walk.build.restore(spent)
        cursor.seek(before)
        cursor.set_limit(outer)

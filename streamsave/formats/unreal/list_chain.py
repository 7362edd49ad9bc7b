"""Whether a property list may go on at an offset: its tags and those of the lists around it follow each other up to their ends.

What looks like a tag after a wrong size may be one of another list. Then the terminator after it is not where the list around it
ends, or what follows is no tag of the next one. Nothing is contradicted by what is far away, nor by a tag that is damaged itself.
"""

from __future__ import annotations

import re
from typing import Final

from streamsave._native import i64
from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.decode.reader import Reader
from streamsave.errors import SaveError, TruncatedSave
from streamsave.events import PropertyTag
from streamsave.formats.unreal.frames import ELEMENTS, LIST, MAP, Frame
from streamsave.formats.unreal.nestings import Nestings
from streamsave.formats.unreal.pool import NO_NAME, PoolCursor
from streamsave.formats.unreal.tag_reader import TagReader
from streamsave.formats.unreal.tags import STRUCT, TypeName
from streamsave.input.windows import Windows
from streamsave.limits import Limits

__all__ = [
    "NEAR",
    "PAIR_READ",
    "STORED_ENDING",
    "TYPE_NAME",
    "ListChain",
    "ends_well",
    "has_nul",
    "has_nul_inside",
    "is_after_count",
    "is_inside",
    "is_nearly_a_type",
    "may_be_cut",
    "string_before",
]

TYPE_NAME: Final = re.compile("[A-Za-z0-9_]*Property")

#: Types of keys, values and elements: inside of a tag, one and what follows it look like a name and a type.
INNER_TYPES: Final = frozenset({
    "ArrayProperty", "BoolProperty", "ByteProperty", "DoubleProperty", "EnumProperty", "FloatProperty", "Int16Property",
    "Int64Property", "Int8Property", "IntProperty", "MapProperty", "NameProperty", "ObjectProperty", "SetProperty",
    "SoftClassProperty", "SoftObjectProperty", "StrProperty", "StructProperty", "TextProperty", "UInt16Property",
    "UInt32Property", "UInt64Property",
})  # fmt: skip
#: What a type ends in, and how many letters of that may be wrong.
ENDING: Final = "Property"
WRONG_LETTERS: Final = 2
#: Bytes of a name and a type.
NEAR: Final = 512
FIRST_PRINTABLE: Final = 0x20
LAST_PRINTABLE: Final = 0x7E

#: Bytes and tags that are looked at: windows keep so many bytes.
FAR: Final = 1 << 20
MOST_TAGS: Final = 1024
#: Where the last tags of a list lead to nothing, and where they contradict it.
UNKNOWN: Final = -1
REFUTED: Final = -2
#: How far back properties are looked for that are longer than what they are in.
LOOKED_BACK: Final = 64 * 1024
STORED_ENDING: Final = b"Property\0"
#: The last bytes of a save without a GUID: the terminator of its properties, a bool; and what is before the GUID of another one.
SAVE_END: Final = b"\5\0\0\0None\0\0\0\0\0"
SAVE_END_GUID: Final = b"\5\0\0\0None\0\1\0\0\0"
#: The part of a pair that comes after its value.
PAIR_READ: Final = 3
COUNT_SIZE: Final = 4
#: Characters of the type of structs, and the NUL after them.
STRUCT_SIZE: Final = len(STRUCT) + 1
#: Bytes of a bool, and of a GUID.
BOOL_SIZE: Final = 4
GUID_SIZE: Final = 16
#: Bytes after the end of a save that are compared with zeros.
AFTER: Final = 64


class ListChain:
    """Follows tags by their sizes."""

    def __init__(self, tags: TagReader, nestings: Nestings) -> None:
        #: Where the outermost list has to end; `NO_LIMIT` if it is that of a save.
        self.root_end: i64 = NO_LIMIT
        #: Containers without empty elements.
        self.full: frozenset[str] = frozenset()
        self._tags = tags
        self._nestings = nestings
        self._left: i64 = 0

    def leads(self, reader: Reader, depth: i64, offset: i64, shift: i64, *, is_lost: bool = True) -> bool:
        """Return whether nothing contradicts that the innermost of `depth` open nestings goes on at an offset.

        Args:
            reader: of the walk; its cursor stays.
            depth: how many nestings are open there.
            offset: where the next tag or the terminator is.
            shift: how many bytes came into all sizes that are around it, or are missing there: they may be wrong by as many.
            is_lost: what is before it is damaged. Then the next element of a container is no empty list: its terminator may be
                that of another list, since terminators follow each other.
        """
        frames = self._nestings.frames
        level: i64 = depth - 1
        if level < 0 or frames[level].kind != LIST:
            return True
        cursor = reader.cursor.fork()
        cursor.set_limit(NO_LIMIT)
        self._left = MOST_TAGS
        passed: list[list[int]] = []
        if not self._follow(reader, cursor, level, offset, shift, passed, is_lost=is_lost):
            return False
        for frame, offsets in zip(frames[:depth][::-1], passed, strict=False):
            if frame.chain is None:
                frame.chain = set()
            frame.chain.update(offsets)
        return True

    def is_passed(self, reader: Reader, start: i64, end: i64) -> bool:
        """Return whether a property that starts between two offsets ends at the second, or after it.

        Nothing that is lost ends there then: its properties end before it does, as a terminator follows them.

        Args:
            reader: of the walk; its cursor stays.
            start: what starts after it is looked at, but nothing more than `LOOKED_BACK` before the end.
            end: where something may end that is lost.
        """
        cursor = reader.cursor.fork()
        if isinstance(cursor, PoolCursor) and cursor.names:
            return False  # any two numbers may be a name and a type
        cursor.set_limit(NO_LIMIT)
        start = max(start + 1, end - LOOKED_BACK)
        if start < 0 or start >= end:
            return False
        cursor.seek(start)
        lost = cursor.peek(end - start)
        found = lost.find(STORED_ENDING)
        while found >= 0:
            name_at = string_before(lost, string_before(lost, found + len(STORED_ENDING)))
            if name_at >= 0 and self._tag_end(cursor, start + name_at) >= end:
                return True
            found = lost.find(STORED_ENDING, found + 1)
        return False

    def _tag_end(self, cursor: Cursor, offset: i64) -> i64:
        """Return where the property ends whose tag is at an offset; -1 if there is none."""
        cursor.seek(offset)
        try:
            name = cursor.name()
            kind, size = self._tags.pass_tag(cursor)
        except SaveError:
            return -1
        if is_inside(name, kind) or is_after_count(cursor, offset):
            return -1
        return cursor.tell() + size

    def _follow(
        self, reader: Reader, cursor: Cursor, level: i64, offset: i64, shift: i64, passed: list[list[int]], *, is_lost: bool
    ) -> bool:
        """Return whether the lists from that at `level` outwards may end where they do; append the tags of each."""
        frames = self._nestings.frames
        far = offset + FAR
        at = offset
        while level >= 0:
            frame = frames[level]
            tags: list[int] = []
            is_first = not passed
            passed.append(tags)
            if frame.kind == LIST:
                at = self._pass_list(reader, cursor, frame, at, far, tags, is_first=is_first)
                if at < 0:
                    return at == UNKNOWN
                if level == 0:
                    return self._ends_root(cursor, at)
            elif not _is_last(frame):
                is_full = is_lost or frame.name in self.full
                return not is_full or not _goes_on_empty(reader, cursor, frame, at)
            if frame.end >= 0 and at != frame.end and at != frame.end + shift:
                return False
            level -= 1
        return True

    def _pass_list(
        self, reader: Reader, cursor: Cursor, frame: Frame, start: i64, far: i64, passed: list[int], *, is_first: bool
    ) -> i64:
        """Return where a list ends that goes on at an offset; or `UNKNOWN`, `REFUTED`. Append where its tags are."""
        known = frame.chain
        at = start
        try:
            while True:
                if (known is not None and int(at) in known) or at > far or self._left <= 0:
                    return UNKNOWN
                self._left -= 1
                cursor.seek(at)
                name = cursor.name()
                if name == NO_NAME:
                    return cursor.tell()
                kind, size = self._tags.pass_tag(cursor)
                if "\0" in name or not TYPE_NAME.fullmatch(kind) or is_inside(name, kind):
                    break
                if size < 0 or size > NO_LIMIT - cursor.tell():
                    break
                passed.append(int(at))
                at = cursor.tell() + size
        except TruncatedSave:
            if not ends_well(cursor, reader.limits):
                return UNKNOWN
        except SaveError as error:
            if error is cursor.fault:
                return UNKNOWN
        return UNKNOWN if is_first or passed else REFUTED

    def _ends_root(self, cursor: Cursor, end: i64) -> bool:
        """Return whether what the last list is followed by is what follows it in a save, or in an object."""
        cursor.seek(end)
        ahead = cursor.peek(BOOL_SIZE + GUID_SIZE + AFTER)
        if self.root_end < NO_LIMIT and end == self.root_end:
            return True
        has_guid = int.from_bytes(ahead[:BOOL_SIZE], "little")
        if len(ahead) < BOOL_SIZE or has_guid > 1 or end > self.root_end:
            return False
        return self.root_end < NO_LIMIT or not ahead[BOOL_SIZE + has_guid * GUID_SIZE :].strip(b"\0")


def _is_last(frame: Frame) -> bool:
    """Return whether the container whose element is open has to end where that does."""
    if frame.end < 0 or frame.index + 1 < frame.count:
        return False
    return frame.kind == ELEMENTS or (frame.kind == MAP and frame.at == PAIR_READ)


def _goes_on_empty(reader: Reader, cursor: Cursor, frame: Frame, offset: i64) -> bool:
    """Return whether what follows in a container is a list without properties."""
    try:
        cursor.seek(offset)
        if frame.kind == MAP and (frame.at == PAIR_READ or not frame.value_peeks):
            if not frame.value_peeks or frame.index + 1 >= frame.count:
                return False
            if not frame.key_peeks and frame.key is not None:
                frame.key.measure(cursor, reader)
        return (frame.kind == ELEMENTS or frame.kind == MAP) and cursor.name() == NO_NAME
    except SaveError:
        return False


def ends_well(cursor: Cursor, limits: Limits) -> bool:
    """Return whether the stream ends like a save does: then what ends after it has a wrong size, and it was not cut."""
    windows: Windows = cursor.windows
    end, is_all = windows.readable_end(limits)
    if not is_all:
        return False
    last = cursor.fork()
    last.set_limit(NO_LIMIT)
    for start, size in ((SAVE_END, len(SAVE_END)), (SAVE_END_GUID, len(SAVE_END_GUID) + GUID_SIZE)):
        if end >= size:
            last.seek(end - size)
            if last.peek(len(start)) == start:
                return True
    return False


def may_be_cut(cursor: Cursor, start: i64) -> bool:
    """Return whether what starts at an offset may be a name that the stream does not have the end of: it has no NUL before."""
    if isinstance(cursor, PoolCursor) and cursor.names:
        return True
    cursor.seek(start)
    ahead = cursor.peek(NEAR)
    size = int.from_bytes(ahead[:4], "little", signed=True)
    if size < 0:
        return not any(ahead[at : at + 2] == b"\0\0" for at in range(4, min(len(ahead), 4 - 2 * size), 2))
    return b"\0" not in ahead[4 : 4 + size]


def string_before(data: bytes, end: int) -> int:
    """Return where a string of printable ASCII starts that ends at an offset, with its length; -1 if there is none."""
    if end < 1 or data[end - 1] != 0:
        return -1
    at = end - 1
    while at >= 4:
        if int.from_bytes(data[at - 4 : at], "little") == end - at:
            return at - 4
        at -= 1
        if not FIRST_PRINTABLE <= data[at] <= LAST_PRINTABLE:
            break
    return -1


def has_nul(tag: PropertyTag) -> bool:
    """Return whether one of the strings of a tag goes on after its end: its length is wrong."""
    return "\0" in tag.name or "\0" in tag.type_name or "\0" in tag.inner_type or "\0" in tag.value_type


def lacks_nul(stored: bytes) -> bool:
    """Return whether the string that bytes start with has no NUL at its end: no name does without."""
    length: i64 = int.from_bytes(stored[:COUNT_SIZE], "little", signed=True)
    end = COUNT_SIZE + (length if length >= 0 else -2 * length)
    return end <= len(stored) and (stored[end - 1] != 0 or (length < 0 and stored[end - 2] != 0))


def has_nul_inside(tree: TypeName) -> bool:
    """Return whether a name in a type goes on after its end; a tag does not say all of them."""
    return "\0" in tree.name or any(has_nul_inside(parameter) for parameter in tree.parameters)


def is_after_count(cursor: Cursor, offset: i64) -> bool:
    """Return whether a struct's tag at an offset is that of the elements of an array: before it are the end of a tag, a count."""
    look = cursor.fork()
    look.set_limit(NO_LIMIT)
    try:
        look.seek(offset)
        look.name()
        start = look.tell()
        if look.name() != STRUCT:
            return False
        type_size = look.tell() - start
        # Newer tags have a flag before the count.
        for size in (COUNT_SIZE + 1, COUNT_SIZE):
            at = offset - size - type_size
            if at < 0:
                return False
            look.seek(at)
            if look.u32() == STRUCT_SIZE or isinstance(look, PoolCursor):
                look.seek(at)
                if look.name() == STRUCT:
                    return True
    except SaveError:
        pass
    return False


def is_inside(name: str, kind: str) -> bool:
    """Return whether a tag is a part of another one: its name is a type in that. A property may be named as the type it has."""
    return name in INNER_TYPES and (name != kind or name != "ObjectProperty")


def is_nearly_a_type(name: str) -> bool:
    """Return whether a name would be a type's but for a letter or two: then the tag is one, and its size may be right."""
    return sum([one != other for one, other in zip(name[-len(ENDING) :], ENDING, strict=False)]) <= WRONG_LETTERS < len(name)

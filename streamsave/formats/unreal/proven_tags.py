"""The walk over property lists of a save whose damage is survived: no tag is given before it is proven.

A tag is a property's if its type is named like one, and if its value ends where the size says. If it does not, either of the two
is wrong. Where a list goes on after the value itself, the size is; else where one goes on at the size, the value is. The property
is lost then, and what follows it is given. If neither holds, what is around it is lost. A value of unknown layout has no end of
its own: a property has to follow its size.

What has parts without sizes is walked to its end before: see `measured_walk`.

The module is long, because all that is asked of one tag is in it; what bytes look like is in `list_chain`.
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.decode.reader import Reader
from streamsave.errors import LimitExceeded, SaveError, TruncatedSave
from streamsave.events import BlobSkip, Event, PropertyTag
from streamsave.formats.unreal.frames import ARRAY, ELEMENTS, LIST, Frame
from streamsave.formats.unreal.list_chain import (
    NEAR,
    STORED_ENDING,
    TYPE_NAME,
    ListChain,
    has_nul,
    has_nul_inside,
    is_after_count,
    is_inside,
    is_nearly_a_type,
    lacks_nul,
    may_be_cut,
    string_before,
)
from streamsave.formats.unreal.pool import NO_NAME, PoolCursor
from streamsave.formats.unreal.property_walker import PropertyWalker
from streamsave.formats.unreal.tags import STRUCT, looks_like_list
from streamsave.formats.unreal.value_decoder import ValueDecoder
from streamsave.limits import Limits
from streamsave.values import Opaque

__all__ = ["LARGE", "Doubt", "ProvenWalker"]

#: To go back over larger values may mean to inflate them again: they are read by a cursor of its own, and only measured.
LARGE: Final = 256 * 1024
#: Bytes after a measured value that are looked at together.
PIECE: Final = 64 * 1024

#: What was expected where a tag is that is none.
A_TAG: Final = "a name, a type"
#: Letters of a type that a message has.
MOST_SAID: Final = 64
GUID_SIZE: Final = 16
#: Bytes before the inner tag in the value of an array of structs.
INNER_TAG_AT: Final = 4
#: Types whose tags say what type their elements have.
CONTAINERS: Final = frozenset(("ArrayProperty", "MapProperty", "OptionalProperty", "SetProperty"))
#: The last position in a static array. A game's code says how long one is: thousands are many.
MOST_INDEX: Final = 0xFFFF
#: Doubts that are kept.
MOST_DOUBTS: Final = 4096


class Doubt:
    """A value that does not have its size: why, and how many of its elements are certain."""

    def __init__(self, error: SaveError, sound: i64) -> None:
        self.error = error
        self.sound: i64 = sound


class ProvenWalker(PropertyWalker):
    """Walks like `walker`, whose parts it shares, and proves each tag.

    Args:
        limits: as of the reader.
        walker: whose parts to share.
        doubts: takes the tags whose values do not have their size, by the offset of the tag.
    """

    def __init__(self, limits: Limits, walker: PropertyWalker, doubts: dict[int, Doubt]) -> None:
        super().__init__(limits, walker.tags.dialect)
        self.tags = walker.tags
        self.nestings = walker.nestings
        self.guesses = walker.guesses
        self.keyed = walker.keyed
        self.steps = walker.steps
        self.openers = walker.openers
        self.doubts = doubts
        #: There were more than are kept.
        self.is_hopeless = False
        #: The last tag that was read.
        self.tag: PropertyTag | None = None
        self.chain = ListChain(self.tags, self.nestings)
        self._decoder = ValueDecoder(self.tags, self.guesses, self.keyed)

    def begin_list(self, cursor: Cursor, end: i64, class_name: str) -> None:
        self.chain.root_end = end
        super().begin_list(cursor, end, class_name)

    def leads(self, reader: Reader, depth: i64, offset: i64, *, is_lost: bool = True, fault: i64 = -1) -> bool:
        frames = self.nestings.frames
        if depth < len(frames) and self.is_inner_tag(reader, frames[depth], offset):
            return False
        if fault >= 0 and self.chain.is_passed(reader, fault, offset):
            return False
        return self.chain.leads(reader, depth, offset, 0, is_lost=is_lost)

    # --- what a walk that measures does otherwise ---

    def knows(self, tag: PropertyTag) -> bool:
        """Return whether a tag was proven before."""
        return False

    def nesting_doubt(self, reader: Reader, tag: PropertyTag) -> Doubt | None:
        """Return what is wrong with the size of the value of the last tag, which may open something."""
        return None

    def large_fits(self, reader: Reader, tag: PropertyTag) -> bool:
        """Return whether the value of the last tag, a large leaf, is what its type and size say."""
        return self.measures(reader, tag)

    # --- the steps ---

    def next_tag(self, reader: Reader, frame: Frame) -> Event | None:
        was_skipped = frame.skipped
        before = self.tag
        event = super().next_tag(reader, frame)
        if not isinstance(event, PropertyTag):
            depth = len(self.nestings.frames) - 1
            if isinstance(event, BlobSkip) and not was_skipped and not self.leads(reader, depth, frame.end, is_lost=False):
                reader.cursor.seek(event.offset)
                raise reader.cursor.damaged("bytes after the end of a property list", actual=event.size)
            return event
        self.tag = event
        return event if self.knows(event) else self._prove(reader, event, before)

    def open(self, reader: Reader) -> Event | None:
        event = self.openers.open(reader)
        top = self.nestings.top
        tag = self.tag
        if event is not None and not isinstance(event, BlobSkip) and top is not None and tag is not None:
            top.tag_offset = tag.offset
        return event

    def walk(self, reader: Reader) -> Event | None:
        tag = self.tag
        if reader.leaf_end >= 0 and self.tags.nests and tag is not None:
            event = self.open(reader)
            if event is not None:
                return event
            end = reader.leaf_end
            if not self.knows(tag) and not self.is_whole(reader, tag, end):
                reader.leaf_end = end
                raise self.misfit(reader, tag)
            reader.cursor.seek(tag.value_offset)
            reader.leaf_end = end
            self.tags.nests = False
        return super().walk(reader)

    def note(self, offset: i64, doubt: Doubt) -> None:
        """Keep a doubt."""
        if len(self.doubts) >= MOST_DOUBTS:
            self.is_hopeless = True
            return
        self.doubts[offset] = doubt

    def _prove(self, reader: Reader, tag: PropertyTag, before: PropertyTag | None) -> Event:
        """Look at the value of a tag: return the tag, and stay at the start of the value; or go past it, and return what is lost.

        Args:
            reader: of the walk.
            tag: the last one that was read.
            before: the one that was read before it.

        Raises:
            DamagedSave: it is unknown where the next property is.
        """
        cursor = reader.cursor
        end = reader.leaf_end
        own_end: i64 = -1
        has_wrong_length = has_nul(tag) or is_inside(tag.name, tag.type)
        if self.tags.dialect.new_tags and has_nul_inside(self.tags.tree):
            has_wrong_length = True
        no_type = _no_type(tag, is_new=self.tags.dialect.new_tags)
        if no_type is not None or has_wrong_length:
            if no_type is None or has_wrong_length or not is_nearly_a_type(no_type):
                end = -1
            actual = (tag.type if no_type is None else no_type)[:MOST_SAID]
            error = cursor.damaged("not the tag of a property", offset=tag.offset, expected=A_TAG, actual=actual)
        elif tag.index > MOST_INDEX or tag.index < 0 or self._lacks_nul(reader, tag):
            error = cursor.damaged("not the tag of a property", offset=tag.offset, expected=A_TAG, actual=tag.name[:MOST_SAID])
        elif tag.guid is not None and self._has_none(reader, tag):
            error = cursor.damaged("the GUID of a property is its value", offset=tag.offset)
            own_end = tag.value_offset - GUID_SIZE + tag.size
            end = -1
        elif before is not None and tag.type == STRUCT and not self.tags.dialect.new_tags and _is_twice(before, tag):
            error = cursor.damaged("a property that is there twice", offset=tag.offset, actual=tag.name[:MOST_SAID])
        elif self.tags.nests:
            doubt = self.nesting_doubt(reader, tag)
            if doubt is None or doubt.sound > 0:
                return tag
            error = doubt.error
            own_end = self.struct_end(reader, tag, end)
        elif tag.size == 0 and tag.type == "BoolProperty":
            return tag
        elif self.is_whole(reader, tag, end):
            self.tags.nests = False
            cursor.seek(tag.value_offset)
            reader.leaf_end = end
            return tag
        else:
            error = self.misfit(reader, tag)
            own_end = self._own_end(reader, tag)
        reader.leaf_end = self.resume(reader, own_end, end, max(error.offset, tag.value_offset))
        self.note(tag.offset, Doubt(error, 0))
        self.tags.nests = False
        lost = None if reader.leaf_end < 0 else reader.give_up(error)
        if lost is None:
            reader.leaf_end = -1
            raise error
        return lost

    # --- where it goes on ---

    def resume(self, reader: Reader, own_end: i64, end: i64, fault: i64, lost: Frame | None = None) -> i64:
        """Return where the list goes on after a value that does not have its size; -1 if that is unknown.

        Args:
            reader: of the walk.
            own_end: where the value itself ends; -1 if it has no such end.
            end: where its size says that it ends; -1 if that is no size.
            fault: where what is wrong in it was found.
            lost: what is lost, if it was open; None: the value of the last tag.
        """
        # What looks like a property at the size may be one inside of another value.
        depth = len(self.nestings.frames)
        if (
            self._goes_on(reader, own_end)
            and not self.is_inner_tag(reader, lost, own_end)
            and self.chain.leads(reader, depth, own_end, own_end - end if end >= 0 else 0)
        ):
            return own_end
        if not self._goes_on(reader, end) or self.is_inner_tag(reader, lost, end):
            return -1
        return end if self.leads(reader, depth, end, fault=fault) else -1

    def is_inner_tag(self, reader: Reader, lost: Frame | None, offset: i64) -> bool:
        """Return whether the tag at an offset is that of the elements of an array, and no property.

        The end of the array's tag and a count are before it. If the array is lost, it is enough that it has the name of that: a
        copy of it may be anywhere in what is damaged.
        """
        dialect = self.tags.dialect
        tag = self.tag
        if offset < 0 or dialect.new_tags or not dialect.inner_tags:
            return False
        if is_after_count(reader.cursor, offset):
            return True
        if lost is not None:
            if lost.kind != ELEMENTS and lost.kind != ARRAY:
                return False
            name = lost.name
        elif tag is None or tag.inner_type == "":
            return False
        elif offset == tag.value_offset + INNER_TAG_AT and (tag.inner_type == STRUCT or _no_type(tag) is not None):
            return True
        else:
            name = tag.name
        cursor = reader.cursor.fork()
        cursor.set_limit(NO_LIMIT)
        cursor.seek(offset)
        try:
            return cursor.name() == name and cursor.name() == STRUCT
        except SaveError:
            return False

    def _goes_on(self, reader: Reader, offset: i64) -> bool:
        """Return whether a property list seems to go on at an offset."""
        cursor = reader.cursor
        if offset < 0:
            return False
        top = self.nestings.top
        try:
            cursor.seek(offset)
            if not looks_like_list(cursor):
                return False
            # Terminators follow each other: one that is not at the end of its list may be that of another.
            if top is not None and top.kind == LIST and top.end >= 0 and cursor.name() == NO_NAME:
                return cursor.tell() == top.end
        except SaveError:
            return False
        return True

    def _is_followed_in_list(self, reader: Reader, offset: i64) -> bool:
        """Return whether the value of an unknown layout may end at an offset."""
        if not self.is_followed(reader, offset) or self.is_inner_tag(reader, None, offset):
            return False
        return self.leads(reader, len(self.nestings.frames), offset, is_lost=False)

    def is_followed(self, reader: Reader, offset: i64) -> bool:
        """Return whether a tag, perhaps a damaged one, or the end of a list is at an offset; or nothing can be read there."""
        cursor = reader.cursor
        cursor.seek(offset)
        start = offset
        try:
            name = cursor.name()
            if name == NO_NAME:
                return True
            start = cursor.tell()
            kind = cursor.name()
        except TruncatedSave:
            return may_be_cut(cursor, start)
        except SaveError as error:
            return error is cursor.fault
        return "\0" not in name and "\0" not in kind and is_nearly_a_type(kind)

    def swallows(self, reader: Reader, tag: PropertyTag, end: i64) -> bool:
        """Return whether the next tag starts in a value: no tag follows it, and its last bytes are the start of one."""
        if self.is_followed(reader, end):
            return False
        cursor = reader.cursor
        start = tag.value_offset
        if end - start > NEAR:
            start = end - NEAR
        if isinstance(cursor, PoolCursor) and cursor.names:
            return any(self._goes_on(reader, at) for at in range(start, end))
        cursor.seek(start)
        ahead = cursor.peek(2 * NEAR)
        found = ahead.find(STORED_ENDING)
        while found >= 0:
            name_at = string_before(ahead, string_before(ahead, found + len(STORED_ENDING)))
            if 0 <= name_at < end - start:
                return True
            found = ahead.find(STORED_ENDING, found + 1)
        return False

    # --- does a value fit ---

    def misfit(self, reader: Reader, tag: PropertyTag) -> SaveError:
        """Make the error about a value that does not have its size."""
        message = f"value of {tag.type} {tag.name} does not have its size"
        return reader.cursor.damaged(message, offset=tag.value_offset, actual=tag.size)

    def is_whole(self, reader: Reader, tag: PropertyTag, end: i64) -> bool:
        """Return whether the value of the last tag, a leaf that ends at `end`, is what its type and size say. Moves."""
        return self._fits(reader, tag) and not self.swallows(reader, tag, end)

    def _fits(self, reader: Reader, tag: PropertyTag) -> bool:
        """Return whether the value is what its type and size say, as far as it may be built, and its bytes can be read."""
        if tag.size > LARGE:
            return not self._is_number(tag) and self.large_fits(reader, tag)
        cursor = reader.cursor
        spent = reader.spent()
        reader.start_budget()
        end = reader.leaf_end
        cursor.seek(tag.value_offset)
        try:
            value = self._decoder.value(reader, tag)
        except LimitExceeded:
            value = None
        except SaveError as error:
            return error is cursor.fault
        finally:
            reader.restore_spent(spent)
        return not isinstance(value, Opaque) or self._is_followed_in_list(reader, end)

    def measures(self, reader: Reader, tag: PropertyTag) -> bool:
        """Return whether a value has its size, without building it. Zeros may follow a number or struct. Moves."""
        cursor = reader.cursor
        end = tag.value_offset + tag.size
        outer = cursor.limit()
        spent = reader.spent()
        try:
            cursor.seek(tag.value_offset)
            cursor.set_limit(end)
            codec = self._decoder.layout(reader, tag)
            if codec is not None:
                cursor.seek(tag.value_offset)
                codec.measure(cursor, reader)
                if cursor.remaining() > 0 and self._decoder.ends_itself(tag):
                    return False
                while cursor.remaining() > 0:
                    if cursor.take(min(cursor.remaining(), PIECE)).strip(b"\0"):
                        return False
                return True
        except LimitExceeded:
            return True
        except SaveError as error:
            return error is cursor.fault
        finally:
            reader.restore_spent(spent)
            cursor.set_limit(outer)
        return self._is_followed_in_list(reader, end)

    def _has_none(self, reader: Reader, tag: PropertyTag) -> bool:
        """Return whether the list goes on where the value ends if the GUID of a property is no GUID: its flag is wrong."""
        end = tag.value_offset - GUID_SIZE + tag.size
        has_none = self._goes_on(reader, end) and self.leads(reader, len(self.nestings.frames), end)
        reader.cursor.seek(tag.value_offset)
        return has_none

    def _lacks_nul(self, reader: Reader, tag: PropertyTag) -> bool:
        """Return whether the name in the last tag, which was just read, has no NUL at its end."""
        cursor = reader.cursor
        if isinstance(cursor, PoolCursor) and cursor.names:
            return False
        stored = cursor.since(tag.offset)
        if not stored:
            cursor.seek(tag.offset)
            stored = cursor.peek(tag.value_offset - tag.offset)
            cursor.seek(tag.value_offset)
        return lacks_nul(stored)

    def _is_number(self, tag: PropertyTag) -> bool:
        """Return whether all values of a type have the same size."""
        codec = self.tags.dialect.scalar(tag.type)
        return codec is not None and codec.size >= 0 and tag.type != "ByteProperty"

    def struct_end(self, reader: Reader, tag: PropertyTag, end: i64) -> i64:
        """Return where a struct of known size ends, if a list goes on there and its tag says it ends at `end`; else -1. Moves.

        A size that is too large by those of terminators takes them along, and the lists around the struct seem to be one.
        """
        dialect = self.tags.dialect
        if tag.type != STRUCT or dialect.struct(tag.type_name, tag.size) is not None:
            return -1
        for structs in (dialect.structs, dialect.other_structs):
            codec = structs.get(tag.type_name)
            if codec is None or codec.size < 0:
                continue
            at = tag.value_offset + codec.size
            if self._goes_on(reader, at) and self.chain.leads(reader, len(self.nestings.frames), at, at - end):
                return at
        return -1

    def _own_end(self, reader: Reader, tag: PropertyTag) -> i64:
        """Return where a value ends by its own length; -1 if it has none."""
        codec = self.tags.dialect.scalar(tag.type)
        if codec is None or tag.type in {"ByteProperty", "BoolProperty"}:
            return -1
        cursor = reader.cursor
        cursor.seek(tag.value_offset)
        try:
            codec.measure(cursor, reader)
        except SaveError:
            return -1
        return cursor.tell()


def _is_twice(before: PropertyTag, tag: PropertyTag) -> bool:
    """Return whether a tag has the name and index of the property directly before it: no game writes one twice.

    One of a struct is then that of the elements of an array whose own tag is damaged.
    """
    return tag.name == before.name and tag.index == before.index and tag.offset == before.value_offset + before.size


def _no_type(tag: PropertyTag, *, is_new: bool = False) -> str | None:
    """Return the first of the types in a tag that is not named like one; None if all are. New tags have those of all elements."""
    if not TYPE_NAME.fullmatch(tag.type):
        return tag.type
    has_inner = tag.inner_type != "" or tag.type == "ArrayProperty" or (is_new and tag.type in CONTAINERS)
    if has_inner and not TYPE_NAME.fullmatch(tag.inner_type):
        return tag.inner_type
    return tag.value_type if tag.value_type and not TYPE_NAME.fullmatch(tag.value_type) else None

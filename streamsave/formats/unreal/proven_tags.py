"""The walk over property lists of a save whose damage is survived: no tag is given before it is proven.

A tag is a property's if its type is named like one, and if its value, where that has a length of its own, ends where the size
says. If it does not, either of the two is wrong. Where a list goes on after the value itself, the size is; else where one goes on
at the size, the value is. The property is lost then, and what follows it is given. If neither holds, what is around it is lost.
"""

from __future__ import annotations

import re
from typing import Final

from streamsave._native import i64
from streamsave.decode.reader import Reader
from streamsave.errors import LimitExceeded, SaveError
from streamsave.events import Event, PropertyTag
from streamsave.formats.unreal.frames import Frame
from streamsave.formats.unreal.property_walker import PropertyWalker
from streamsave.formats.unreal.tags import looks_like_list
from streamsave.formats.unreal.value_decoder import ValueDecoder
from streamsave.limits import Limits

__all__ = ["ProvenWalker"]

#: Larger values are passed over unseen: to go back over them may mean to inflate them again.
MOST_PROVEN: Final = 256 * 1024

#: What a type ends in, and how many letters of that may be wrong.
ENDING: Final = "Property"
WRONG_LETTERS: Final = 2
#: Letters of a type that a message has.
MOST_SAID: Final = 64

TYPE_NAME: Final = re.compile("[A-Za-z0-9_]*Property")


class ProvenWalker(PropertyWalker):
    """Walks like `walker`, whose parts it shares, and proves each tag."""

    def __init__(self, limits: Limits, walker: PropertyWalker) -> None:
        super().__init__(limits, walker.tags.dialect)
        self.tags = walker.tags
        self.nestings = walker.nestings
        self.guesses = walker.guesses
        self.keyed = walker.keyed
        self.steps = walker.steps
        self.openers = walker.openers
        #: The last tag that was read.
        self._tag: PropertyTag | None = None
        self._decoder = ValueDecoder(self.tags, self.guesses, self.keyed)

    def next_tag(self, reader: Reader, frame: Frame) -> Event | None:
        event = super().next_tag(reader, frame)
        if not isinstance(event, PropertyTag):
            return event
        self._tag = event
        return self._prove(reader, event)

    def walk(self, reader: Reader) -> Event | None:
        tag = self._tag
        if reader.leaf_end >= 0 and self.tags.nests and tag is not None:
            event = self.openers.open(reader)
            if event is not None:
                return event
            end = reader.leaf_end
            if tag.size <= MOST_PROVEN and not self._fits(reader, tag):
                reader.leaf_end = end
                raise self._misfit(reader, tag)
            reader.cursor.seek(tag.value_offset)
            reader.leaf_end = end
            self.tags.nests = False
        return super().walk(reader)

    def _prove(self, reader: Reader, tag: PropertyTag) -> Event:
        """Look at the value of a tag: return the tag, and stay at the start of the value; or go past it, and return what is lost.

        Raises:
            DamagedSave: it is unknown where the next property is.
        """
        cursor = reader.cursor
        end = reader.leaf_end
        if not TYPE_NAME.fullmatch(tag.type) or _has_nul(tag):
            if _has_nul(tag) or not _is_nearly_a_type(tag.type):
                end = -1
            error = cursor.damaged(
                "not the tag of a property", offset=tag.offset, expected="a name, a type", actual=tag.type[:MOST_SAID]
            )
        elif self.tags.nests or tag.size == 0 or (tag.size > MOST_PROVEN and not self._is_number(tag)):
            return tag
        elif tag.size <= MOST_PROVEN and self._fits(reader, tag):
            self.tags.nests = False
            cursor.seek(tag.value_offset)
            reader.leaf_end = end
            return tag
        else:
            error = self._misfit(reader, tag)
            own_end = self._own_end(reader, tag)
            if self._goes_on(reader, own_end) and (own_end > end or not self._goes_on(reader, end)):
                end = own_end
        reader.leaf_end = end if self._goes_on(reader, end) else -1
        lost = reader.give_up(error)
        if lost is None:
            reader.leaf_end = -1
            raise error
        return lost

    def _misfit(self, reader: Reader, tag: PropertyTag) -> SaveError:
        message = f"value of {tag.type} {tag.name} does not have its size"
        return reader.cursor.damaged(message, offset=tag.value_offset, actual=tag.size)

    def _fits(self, reader: Reader, tag: PropertyTag) -> bool:
        """Return whether the value is what its type and size say, as far as it may be built, and its bytes can be read."""
        cursor = reader.cursor
        spent = reader.spent()
        reader.start_budget()
        cursor.seek(tag.value_offset)
        try:
            self._decoder.value(reader, tag)
        except LimitExceeded:
            pass
        except SaveError as error:
            return error is cursor.fault
        finally:
            reader.restore_spent(spent)
        return True

    def _is_number(self, tag: PropertyTag) -> bool:
        """Return whether all values of a type have the same size."""
        codec = self.tags.dialect.scalar(tag.type)
        return codec is not None and codec.size >= 0 and tag.type != "ByteProperty"

    def _own_end(self, reader: Reader, tag: PropertyTag) -> i64:
        """Return where a value ends by its own length; -1 if it has none."""
        codec = self.tags.dialect.scalar(tag.type)
        if codec is None or tag.type == "ByteProperty":
            return -1
        cursor = reader.cursor
        cursor.seek(tag.value_offset)
        try:
            codec.measure(cursor, reader)
        except SaveError:
            return -1
        return cursor.tell()

    def _goes_on(self, reader: Reader, offset: i64) -> bool:
        """Return whether a property list goes on at an offset."""
        cursor = reader.cursor
        if offset < 0:
            return False
        try:
            cursor.seek(offset)
            return looks_like_list(cursor)
        except SaveError:
            return False


def _has_nul(tag: PropertyTag) -> bool:
    """Return whether one of the strings of a tag goes on after its end: its length is wrong."""
    return "\0" in tag.name or "\0" in tag.type_name or "\0" in tag.inner_type or "\0" in tag.value_type


def _is_nearly_a_type(name: str) -> bool:
    """Return whether a name would be a type's but for a letter or two: then the tag is one, and its size may be right."""
    return sum([one != other for one, other in zip(name[-len(ENDING) :], ENDING, strict=False)]) <= WRONG_LETTERS < len(name)

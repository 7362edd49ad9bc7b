"""What a family of formats has for edits: what must not be edited, where bools are, how a save is packed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from streamsave.decode.reader import Reader
from streamsave.errors import EditError
from streamsave.events import Event, ObjectHeader, PropertyTag
from streamsave.formats.unreal.reader import UnrealReader
from streamsave.formats.unreal.tag_lengths import flag_offset
from streamsave.formats.unreal.tags import FLAG_BOOL_TRUE
from streamsave.rewriting.rows import Row

__all__ = ["Family"]


class Family:
    """The interface of a family."""

    #: A new save differs also without edits.
    converts = False

    def steers(self, reader: Reader, event: Event) -> bool:
        """Return whether the value of an event says how other bytes are read: a count, a version, a kind."""
        raise NotImplementedError

    def flag(self, reader: Reader, tag: PropertyTag, value: bool) -> tuple[int, bytes]:
        """Return where the value of a bool is, and the byte that says `value`."""
        if not isinstance(reader, UnrealReader):
            raise EditError("only a tag of an Unreal save has a bool")
        offset = flag_offset(reader.dialect, reader.lengths(tag)[0])
        if not reader.dialect.new_tags:
            return offset, bytes([value])
        cursor = reader.cursor_back()
        cursor.seek(offset)
        flags = int(cursor.u8())
        return offset, bytes([flags | FLAG_BOOL_TRUE if value else flags & ~FLAG_BOOL_TRUE])

    def is_of_map(self, reader: Reader, header: ObjectHeader) -> bool:
        """Return whether an object is part of the map: the game makes it anew unless the save says that it was destroyed."""
        return False

    def write(self, rows: Iterable[Row], target: BinaryIO) -> None:
        """Write the save with edits in the order of the bytes.

        Raises:
            SaveError: the save that is read is damaged.
            EditError: what is written would be too large for its format.
            OSError: the target cannot be written.
        """
        raise NotImplementedError

"""`UnrealFamily`: what the families with properties of the Unreal engine share."""

from __future__ import annotations

from typing import TypeVar

from streamsave.events import PropertyTag
from streamsave.formats.unreal.dialect import Dialect
from streamsave.formats.unreal.reader import UnrealReader
from streamsave.formats.unreal.tag_reader import flag_offset
from streamsave.formats.unreal.tags import FLAG_BOOL_TRUE
from streamsave.rewriting.family import Facts, Family

__all__ = ["UnrealFamily"]

UnrealReaderT_co = TypeVar("UnrealReaderT_co", bound=UnrealReader, covariant=True)


class UnrealFamily(Family[UnrealReaderT_co]):
    """A family whose bools are stored in their tags."""

    def dialect_facts(self, dialect: Dialect) -> Facts:
        """Return the facts about tags that two saves must share."""
        flags = (dialect.new_tags, dialect.struct_guids, dialect.property_guids, dialect.container_types)
        return (("form of tags", (*flags, dialect.extensions, dialect.inner_tags, dialect.blobs is not None)),)

    def flag(self, tag: PropertyTag, value: bool) -> tuple[int, bytes]:
        """Do as `Family.flag`."""
        reader = self._reader
        offset = flag_offset(reader.dialect, reader.lengths(tag)[0])
        if not reader.dialect.new_tags:
            return offset, bytes([value])
        flags = int(reader.cursor_at(offset).u8())
        return offset, bytes([flags | FLAG_BOOL_TRUE if value else flags & ~FLAG_BOOL_TRUE])

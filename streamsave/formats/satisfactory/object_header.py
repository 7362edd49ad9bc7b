"""The header of an object in its level's table of contents.

| field | type | |
|---|---|---|
| is_actor | bool32 | |
| class_name | str | |
| level, instance_name | reference | the object itself |
| object_flags | u32 | SaveVersion of the level from 49 |
| need_transform | bool32 | actors only |
| rotation, translation, scale | 4, 3 and 3 * f32 | actors only |
| was_placed_in_level | bool32 | actors only |
| outer | str | other objects only |

A header is read in three steps, since a selection may rule an object out after each of them. `header_layout` has the same as
rows; a test compares both.
"""

from __future__ import annotations

from typing import Final

from librt.strings import read_i32_le

from streamsave._native import i64
from streamsave.decode.codecs import BOOL32, F32, STRING, U32, Struct
from streamsave.decode.cursor import Cursor
from streamsave.events import NEEDS_TRANSFORM, PLACED_IN_LEVEL, STORES_PLACE, ObjectHeader
from streamsave.formats.satisfactory.versions import SAVE_VERSION_OBJECT_FLAGS, Member, members
from streamsave.frequent_values import Quat, Vector

__all__ = ["ACTOR", "LEAST_HEADER", "NAMES", "PLACE", "ObjectHeaderCodec", "header_layout"]

#: `ObjectHeader.kind` of an actor.
ACTOR: Final = "actor"
QUAT: Final = Struct("Quat", Quat, x=F32, y=F32, z=F32, w=F32)
VECTOR: Final = Struct("Vector", Vector, x=F32, y=F32, z=F32)
#: What all headers begin with.
NAMES: Final = [
    Member("is_actor", BOOL32),
    Member("class_name", STRING),
    Member("level", STRING),
    Member("instance_name", STRING),
    Member("object_flags", U32, SAVE_VERSION_OBJECT_FLAGS),
]
#: What follows in those of actors, and in those of other objects.
PLACE: Final = Struct(
    "Place", None, need_transform=BOOL32, rotation=QUAT, translation=VECTOR, scale=VECTOR, was_placed_in_level=BOOL32
)
OUTER: Final = [Member("outer", STRING)]
PLACE_SIZE: Final[i64] = PLACE.size
PLACED_OFFSET: Final[i64] = PLACE.offset("was_placed_in_level")


def header_layout(version: int, *, is_actor: bool) -> Struct:
    """Return the layout of a header in a level of some SaveVersion."""
    rest = [Member("place", PLACE)] if is_actor else OUTER
    return Struct("ObjectHeader", None, **members(version, [*NAMES, *rest]))


#: The fewest bytes of a header.
LEAST_HEADER: Final[i64] = min(header_layout(0, is_actor=False).least, header_layout(0, is_actor=True).least)


class ObjectHeaderCodec:
    """Reads the headers of one level. The attributes hold the header that was decoded last."""

    def __init__(self, level_version: int) -> None:
        self._has_flags = level_version >= SAVE_VERSION_OBJECT_FLAGS
        #: Where it starts, and how many bytes it has.
        self.offset: i64 = 0
        self.size: i64 = 0
        self.is_actor = False
        self.class_name = ""
        self.level = ""
        self.instance_name = ""
        self.flags: i64 = 0
        #: Of an actor, as it is stored; else None.
        self.place: bytes | None = None
        #: The bools beside it, as `ObjectHeader.stored_flags`.
        self.stored_flags: i64 = 0
        #: Of another object, else "".
        self.outer = ""

    # --- whole headers ---

    def measure(self, toc: Cursor) -> None:
        """Pass over a header."""
        self.is_actor = toc.bool32()
        toc.skip_strings(1)
        self.skip_names(toc)
        self.skip_place(toc)

    def decode(self, toc: Cursor) -> None:
        """Read a header."""
        self.read_class(toc)
        self.read_names(toc)
        self.read_place(toc)

    def event(self, save_version: i64, prefix_size: i64, data_offset: i64, size: i64, stored_flags: i64) -> ObjectHeader:
        """Make the event of the header that was decoded last; the arguments are those of its entry among the data."""
        return ObjectHeader(
            self.offset,
            ACTOR if self.is_actor else "object",
            self.class_name,
            self.instance_name,
            self.level,
            self.outer,
            None,
            self.flags,
            save_version,
            self.size,
            prefix_size,
            data_offset,
            size,
            self.stored_flags | stored_flags,
            self.place,
        )

    # --- step by step ---

    def read_class(self, toc: Cursor) -> str:
        """Read the start of a header, up to the name of the class; return that."""
        self.offset = toc.tell()
        self.is_actor = toc.bool32()
        class_name = toc.name()
        self.class_name = class_name
        return class_name

    def read_names(self, toc: Cursor) -> None:
        """Read what follows the class: the reference to the object itself and the flags."""
        self.level = toc.name()
        self.instance_name = toc.string_once()
        self.flags = toc.u32() if self._has_flags else 0

    def skip_names(self, toc: Cursor) -> None:
        """Pass over what `read_names` reads."""
        toc.skip_strings(2)
        if self._has_flags:
            toc.skip(4)

    def read_place(self, toc: Cursor) -> None:
        """Read the end of a header: the place of an actor, the outer object of another object."""
        if self.is_actor:
            place = toc.block(PLACE_SIZE)
            self.place = place
            self.stored_flags = (
                STORES_PLACE
                | (NEEDS_TRANSFORM if read_i32_le(place, 0) != 0 else 0)
                | (PLACED_IN_LEVEL if read_i32_le(place, PLACED_OFFSET) != 0 else 0)
            )
            self.outer = ""
        else:
            self.place = None
            self.stored_flags = 0
            self.outer = toc.string()
        self.size = toc.tell() - self.offset

    def skip_place(self, toc: Cursor) -> None:
        """Pass over what `read_place` reads."""
        if self.is_actor:
            toc.skip(PLACE_SIZE)
        else:
            toc.skip_strings(1)

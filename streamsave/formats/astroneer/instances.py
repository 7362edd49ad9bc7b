"""Object records, references to them by number, and the table that makes names of these.

| field | type | |
|---|---|---|
| class_name | str | |
| name | i32 | index into the pool |
| object_flags | u32 | the engine's `RF_` bits |
| save_flags | u8 | see `SAVE_FLAG_...`; 0x01 and 0x08 are of unknown meaning |
| outer | i32 | the object that it is in, -1: none |
| property_size | u32 | bytes of the property list and of what its class writes after it |
| total_size | u32 | only with save flag 0x04: with the custom data after that |
| data | | |

Names repeat (each actor has its `Gravity`), so the full name of an object starts with the names of those that it is in:
`Researchable_C_66.Gravity`. An outer comes before what is in it; other references may point forward, and what they mean
is found by a second cursor that runs ahead over the records, at most once over the save.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from struct import Struct as Numbers
from typing import Any, ClassVar, Final

from mypy_extensions import mypyc_attr

from streamsave._fields import name_fields
from streamsave._native import i64
from streamsave.decode.codecs import I32, STRING, U8, U32, Codec, Struct
from streamsave.decode.cursor import Cursor
from streamsave.decode.reader import Length
from streamsave.errors import EditError, SaveError
from streamsave.events import ObjectHeader
from streamsave.formats.unreal.pool import PoolCursor
from streamsave.frequent_values import ObjectReference
from streamsave.limits import Limits

__all__ = [
    "ASSET",
    "CUSTOM_RECORD",
    "NOTHING",
    "RECORD",
    "TRANSFORM",
    "ActorReference",
    "InstanceReference",
    "InstanceTable",
    "Record",
    "has_custom_data",
    "kind_of",
    "read_record",
    "record_lengths",
]

SAVE_FLAG_ACTOR: Final = 0x02
SAVE_FLAG_CUSTOM_DATA: Final = 0x04
SAVE_FLAG_NATIVE: Final = 0x10
SAVE_FLAG_MANAGER: Final = 0x20

#: Native objects may have the flag of actors, too, but no actor record.
KINDS: Final = (
    (SAVE_FLAG_NATIVE, "native"),
    (SAVE_FLAG_ACTOR, "actor"),
    (SAVE_FLAG_MANAGER, "manager"),
)
OTHER_KIND: Final = "object"

#: Bytes of a child or a component of an actor record; its rotation, translation and scale.
ACTOR_LINK_SIZE: Final = 8
TRANSFORM: Final = Numbers("<10f")
#: Bytes of a size.
SIZE_WIDTH: Final = 4


#: The name and the outer of an object that is not known.
UNKNOWN: Final = -1


def kind_of(save_flags: i64) -> str:
    """Return the kind of an object with these save flags."""
    return next((kind for flag, kind in KINDS if save_flags & flag), OTHER_KIND)


#: The fields of a record, as `Record` reads them; and its layout, without and with custom data.
FIELDS: Final[dict[str, Codec]] = {
    "class_name": STRING,
    "name": I32,
    "object_flags": U32,
    "save_flags": U8,
    "outer": I32,
    "property_size": U32,
}
RECORD: Final = Struct("ObjectRecord", None, **FIELDS)
CUSTOM_RECORD: Final = Struct("ObjectRecord", None, **FIELDS, total_size=U32)


class Record:
    """One object record, up to its data."""

    def __init__(self, offset: i64, cursor: Cursor) -> None:
        self.offset: i64 = offset
        self.class_name = cursor.string()
        self.name: i64 = cursor.i32()
        self.object_flags: i64 = cursor.u32()
        self.save_flags: i64 = cursor.u8()
        self.outer: i64 = cursor.i32()
        self.property_size: i64 = cursor.u32()
        self.total_size: i64 = cursor.u32() if self.save_flags & SAVE_FLAG_CUSTOM_DATA else self.property_size
        self.data_offset: i64 = cursor.tell()


def read_record(cursor: PoolCursor, instance_count: i64) -> Record:
    """Read a record that starts at the cursor.

    Raises:
        DamagedSave: no such name or outer, or more bytes of properties than of data.
    """
    offset = cursor.tell()
    record = Record(offset, cursor)
    if record.name < 0 or record.name >= len(cursor.names):
        raise cursor.damaged(
            "name of an object", offset=offset, expected=f"0 to {len(cursor.names) - 1}", actual=int(record.name)
        )
    if record.outer < -1 or record.outer >= instance_count:
        raise cursor.damaged(
            "outer of an object", offset=offset, expected=f"-1 to {instance_count - 1}", actual=int(record.outer)
        )
    if record.total_size < record.property_size:
        raise cursor.damaged(
            "total size of an object", offset=offset, expected=f"at least {record.property_size}", actual=int(record.total_size)
        )
    return record


class InstanceTable:
    """The name and the outer of each object: eight bytes an object, four an actor, for `Limits.object_entries` at most."""

    def __init__(self, level_name: str, names: list[str], limits: Limits) -> None:
        self.level_name = level_name
        self.count: i64 = 0
        self._names = names
        self._limits = limits
        self._name_of: Any = array("i")
        self._outer_of: Any = array("i")
        self._object_of: Any = array("i")
        self._actor_count: i64 = 0
        self._make_ahead: Callable[[], PoolCursor] | None = None
        self._make_actors: Callable[[], PoolCursor] | None = None
        self._ahead: PoolCursor | None = None
        #: Records that the cursor ahead has passed.
        self._seen: i64 = 0

    def begin(self, count: i64, make_ahead: Callable[[], PoolCursor] | None) -> None:
        """Expect so many records; `make_ahead` makes a cursor at the first, on windows of its own; None: all are known."""
        self.count = count
        self._make_ahead = make_ahead

    def add(self, index: i64, record: Record) -> None:
        """Note a record; one that the cursor ahead has met is known."""
        self.name(index, record.name, record.outer)

    def name(self, index: i64, name: i64, outer: i64) -> None:
        """Note the name and the outer of an object, if they are not known; those of objects before it may not be either."""
        while index > len(self._name_of):
            self._name_of.append(UNKNOWN)
            self._outer_of.append(UNKNOWN)
        if index >= len(self._name_of):
            self._name_of.append(name)
            self._outer_of.append(outer)

    def begin_actors(self, count: i64, make_ahead: Callable[[], PoolCursor]) -> None:
        """Expect so many actor records, which are read at once when one is asked for, and forget those before."""
        self._actor_count = count
        self._object_of = array("i")
        self._make_actors = make_ahead

    def path(self, index: i64) -> str:
        """Return the full name of an object, or `#<index>` if there is none."""
        if index < 0 or index >= self.count or (index >= len(self._name_of) and not self._look_ahead(index)):
            return f"#{index}"
        path = ""
        for step in range(self._limits.depth):
            number: i64 = self._name_of[index]
            name = self._names[number] if number >= 0 else f"#{index}"
            path = f"{name}.{path}" if step > 0 else name
            index = self._outer_of[index]
            if index < 0 or index >= len(self._name_of) or len(path) > self._limits.string_size:
                break
        return path

    def actor_path(self, actor: i64) -> str:
        """Return the full name of the object that an actor record is about, or `#<index>` if there is none."""
        make = self._make_actors
        if make is not None:
            self._make_actors = None
            self._read_actors(make())
        return self.path(self._object_of[actor]) if 0 <= actor < len(self._object_of) else f"#{actor}"

    def index_of(self, value: object, *, actors: bool) -> int:
        """Return the index that a reference leads to; `NOTHING` if it is an empty one.

        What `build()` returned has the index; what has only a path is searched for.

        Raises:
            EditError: it is no reference, or to nothing in the level, or to one of several.
        """
        if not isinstance(value, ObjectReference):
            raise EditError("no reference", value)
        path = value.path_name
        if not path:
            return NOTHING
        path_of = self.actor_path if actors else self.path
        is_here = value.level_name == self.level_name
        index = value.index if isinstance(value, ActorReference if actors else InstanceReference) else NOTHING
        if index >= 0 and is_here and path_of(index) == path:
            return index
        if value.level_name and not is_here:
            raise EditError("a reference to another level", value.level_name, self.level_name)
        found = [index for index in range(self._actor_count if actors else self.count) if path_of(index) == path]
        if len(found) != 1:
            raise EditError("several objects have this name" if found else "no object has this name", path)
        return found[0]

    def _look_ahead(self, index: i64) -> bool:
        """Read records up to one; False if there is a fault, which the walk over the events will report."""
        make = self._make_ahead
        if make is None:
            return False
        try:
            cursor = self._ahead or make()
            self._ahead = cursor
            while len(self._name_of) <= index:
                record = read_record(cursor, self.count)
                cursor.seek(record.data_offset + record.total_size)
                self.add(self._seen, record)  # it may be known from the walk
                self._seen += 1
        except SaveError:
            self._make_ahead = None
            return False
        return True

    def _read_actors(self, cursor: PoolCursor) -> None:
        """Read which objects the actor records are about, up to a fault, which the walk over the events will report."""
        try:
            for _ in range(self._actor_count):
                self._object_of.append(cursor.i32())
                for _ in range(2):
                    cursor.skip(ACTOR_LINK_SIZE * cursor.count(ACTOR_LINK_SIZE))
                cursor.skip(TRANSFORM.size)
        except SaveError:
            return


def has_custom_data(header: ObjectHeader) -> bool:
    """Return whether an object has two sizes; the custom data may have no bytes."""
    return header.flags >> 32 & SAVE_FLAG_CUSTOM_DATA != 0


def record_lengths(header: ObjectHeader, cursor: Cursor) -> list[Length]:
    """Return the sizes of an object; the cursor is moved."""
    data = header.data_offset
    if not has_custom_data(header):
        return [Length(data - SIZE_WIDTH, SIZE_WIDTH, counts=False)]
    cursor.seek(data - 2 * SIZE_WIDTH)
    end = data + int(cursor.u32())
    return [Length(data - 2 * SIZE_WIDTH, SIZE_WIDTH, counts=False, end=end), Length(data - SIZE_WIDTH, SIZE_WIDTH, counts=False)]


# --- references: written out by hand, as `streamsave.frequent_values` says ---

#: What is no index in a reference: to nothing, to an asset.
NOTHING: Final = -1
ASSET: Final = -3


@mypyc_attr(acyclic=True)
class IndexReference(ObjectReference):
    """A reference by position; the path is `#<index>` where nothing is there."""

    __match_args__: ClassVar[tuple[str, ...]] = ("level_name", "path_name", "index")
    __slots__ = ("index",)

    def __init__(self, level_name: str, path_name: str, index: int) -> None:
        super().__init__(level_name, path_name)
        #: -1: no target; -3: an asset, whose path it is.
        self.index: Final = index


@mypyc_attr(acyclic=True)
class InstanceReference(IndexReference):
    """A reference by position in the instance pool."""

    __slots__ = ()


@mypyc_attr(acyclic=True)
class ActorReference(IndexReference):
    """A reference by position among the actor records."""

    __slots__ = ()


name_fields(IndexReference, IndexReference.__match_args__)

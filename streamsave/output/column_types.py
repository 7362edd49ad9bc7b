"""The type of a column of built values, found from a sample of them, and what converts a value to a plain type.

| values of the sample | type |
|---|---|
| bool | `Plain.BOOL` |
| int | `Plain.INT64`; `Plain.UINT64` if one is too large for that and none is negative |
| float; also with ints from -2**53 to 2**53, which a float holds exactly | `Plain.FLOAT` |
| str; `Guid`, as Unreal prints it | `Plain.TEXT` |
| bytes | `Plain.BYTES` |
| `DateTime`, of whole microseconds in the years 1 to 9999 | `Plain.MOMENT` |
| list, tuple | `ListOf` one type |
| map, which is a list of (key, value) | `ListOf` a `StructOf` `key` and `value` |
| dict, other attrs classes | `StructOf` the members of all of them |
| of several kinds, or none; too many or too deeply nested members, or names that differ in case only | `Plain.JSON` |

None becomes null in every column, and so does a member that a dict lacks. `JSON` is JSON text, as `json_values` writes it. A
later value may not conform to the type of its column: then the column has a null, and the last column, `misfits`, has the value
as JSON. So a table has one schema from its first row to its last, and loses nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from enum import Enum, auto
from typing import Final, NamedTuple, TypeAlias

from streamsave._lazy_attrs import names_of_fields
from streamsave.decode.json_values import is_sound
from streamsave.output.json_text import value_bytes
from streamsave.values import DateTime, Guid, ObjectReference

__all__ = [
    "CONFORMS",
    "NONCONFORMING",
    "Column",
    "ColumnType",
    "Conform",
    "ListOf",
    "Nonconforming",
    "Plain",
    "Sample",
    "StructOf",
    "items_of",
    "json_text",
    "members_of",
]

#: Name of the last column: JSON of the values that do not conform to the type of their column.
NONCONFORMING: Final = "misfits"

INT64: Final = range(-(1 << 63), 1 << 63)
UINT64: Final = range(1 << 64)
#: The largest range of ints in which a float holds each one exactly.
FLOAT_INTS: Final = range(-(1 << 53), (1 << 53) + 1)
#: Most members of a struct, and most levels of nesting; a value with more is JSON.
MOST_MEMBERS: Final = 100
MOST_DEPTH: Final = 8
#: The members of a map's entry in a table; `build()` gives a tuple of two.
MAP_ENTRY: Final = ("key", "value")
TICKS_PER_MICROSECOND: Final = 10

#: Converts a value to a type; raises `Nonconforming`.
Conform: TypeAlias = Callable[[object], object]


class Nonconforming(Exception):
    """A value does not conform to a type."""


class Plain(Enum):
    """Types that contain no other types."""

    BOOL = auto()
    INT64 = auto()
    UINT64 = auto()
    FLOAT = auto()
    TEXT = auto()
    BYTES = auto()
    MOMENT = auto()
    JSON = auto()


class ListOf(NamedTuple):
    """Lists of values of one type."""

    item: ColumnType


class StructOf(NamedTuple):
    """Structs with these members."""

    members: dict[str, ColumnType]


ColumnType: TypeAlias = Plain | ListOf | StructOf


class Column(NamedTuple):
    """A column of a table: its name, and the type of its values."""

    name: str
    type: ColumnType


def json_text(value: object) -> str:
    """Return a value as JSON text."""
    return value_bytes(value).decode("utf-8")


# --- values -> a type ---


def conform_bool(value: object) -> object:
    """Return a bool."""
    if isinstance(value, bool):
        return value
    raise Nonconforming


def conform_int64(value: object) -> object:
    """Return an int of 64 bits with sign."""
    if type(value) is int and value in INT64:
        return value
    raise Nonconforming


def conform_uint64(value: object) -> object:
    """Return an int of 64 bits without sign."""
    if type(value) is int and value in UINT64:
        return value
    raise Nonconforming


def conform_float(value: object) -> object:
    """Return a float; of an int, if no digit is lost."""
    if isinstance(value, float):
        return value
    if type(value) is int and value in FLOAT_INTS:
        return float(value)
    raise Nonconforming


def conform_text(value: object) -> object:
    """Return a string that UTF-8 can encode; the text of a `Guid`."""
    if isinstance(value, Guid):
        return str(value)
    if isinstance(value, str) and is_sound(value):
        return value
    raise Nonconforming


def conform_bytes(value: object) -> object:
    """Return bytes."""
    if isinstance(value, bytes):
        return value
    raise Nonconforming


def conform_moment(value: object) -> object:
    """Return the `datetime` of a `DateTime`, if it needs no rounding."""
    moment = moment_of(value) if isinstance(value, DateTime) else None
    if moment is None:
        raise Nonconforming
    return moment


def moment_of(value: DateTime) -> datetime | None:
    """Return the `datetime` of a moment; None if that needs rounding, or is outside of the years 1 to 9999."""
    return None if value.ticks % TICKS_PER_MICROSECOND else value.to_datetime()


#: The type of a value is the first one that it conforms to.
CONFORMS: Final[dict[Plain, Conform]] = {
    Plain.BOOL: conform_bool,
    Plain.INT64: conform_int64,
    Plain.UINT64: conform_uint64,
    Plain.FLOAT: conform_float,
    Plain.TEXT: conform_text,
    Plain.BYTES: conform_bytes,
    Plain.MOMENT: conform_moment,
}


def items_of(value: object) -> Sequence[object]:
    """Return the items of a list.

    Raises:
        Nonconforming: the value is not a list.
    """
    if isinstance(value, list) or (isinstance(value, tuple) and len(value) != len(MAP_ENTRY)):
        return value
    raise Nonconforming


def members_of(value: object) -> dict[str, object]:
    """Return the members of a dict, of a map's entry, or of an attrs class.

    Raises:
        Nonconforming: the value has no members.
    """
    if isinstance(value, dict):
        return value
    if isinstance(value, ObjectReference) and type(value) is ObjectReference:  # the most frequent one
        return {"level_name": value.level_name, "path_name": value.path_name}
    if isinstance(value, tuple) and len(value) == len(MAP_ENTRY):
        return dict(zip(MAP_ENTRY, value, strict=True))
    names = None if isinstance(value, (str, int, float, bytes, list, tuple, Guid, DateTime)) else names_of_fields(type(value))
    if names is None:
        raise Nonconforming
    return {name: getattr(value, name) for name in names}


# --- values -> their type ---


def plain_type(value: object) -> Plain | None:
    """Return the plain type of a value: the first one in `CONFORMS` that it conforms to; None if there is none."""
    if isinstance(value, float):
        return Plain.FLOAT
    if isinstance(value, bool):
        return Plain.BOOL
    if type(value) is int:
        if value in INT64:
            return Plain.INT64
        return Plain.UINT64 if value in UINT64 else None
    if isinstance(value, str):
        return Plain.TEXT if is_sound(value) else None
    if isinstance(value, bytes):
        return Plain.BYTES
    if isinstance(value, Guid):
        return Plain.TEXT
    return Plain.MOMENT if isinstance(value, DateTime) and moment_of(value) is not None else None


class Sample:
    """What is known about the values of a column, or about one part of them."""

    def __init__(self) -> None:
        #: The types of the values so far: plain ones, `ListOf`, `StructOf`.
        self.kinds: set[Plain | type[ListOf | StructOf]] = set()
        #: The smallest and the largest int, or 0.
        self.least = 0
        self.most = 0
        self.item: Sample | None = None
        self.members: dict[str, Sample] = {}

    def see(self, value: object, depth: int = 0) -> None:
        """Add one more value; `depth` is that of this part in the values of the column."""
        if value is None:
            return
        if depth > MOST_DEPTH:
            self.kinds.add(Plain.JSON)
            return
        kind = plain_type(value)
        if kind is None:
            self._see_nested(value, depth)
            return
        self.kinds.add(kind)
        if isinstance(value, int):
            self.least = min(self.least, value)
            self.most = max(self.most, value)

    def _see_nested(self, value: object, depth: int) -> None:
        try:
            items = items_of(value)
        except Nonconforming:
            pass
        else:
            self.kinds.add(ListOf)
            self.item = self.item or Sample()
            for item in items:
                self.item.see(item, depth + 1)
            return
        try:
            members = members_of(value)
        except Nonconforming:
            self.kinds.add(Plain.JSON)
            return
        self.kinds.add(StructOf)
        for name, member in members.items():
            if name in self.members or len(self.members) <= MOST_MEMBERS:
                self.members.setdefault(name, Sample()).see(member, depth + 1)

    def column_type(self, depth: int = 0) -> ColumnType:
        """Return the type that all values so far conform to."""
        kinds = self.kinds
        if kinds == {Plain.INT64, Plain.FLOAT} and self.least in FLOAT_INTS and self.most in FLOAT_INTS:
            return Plain.FLOAT
        if kinds == {Plain.INT64, Plain.UINT64} and self.least in UINT64:
            return Plain.UINT64
        if len(kinds) != 1 or depth > MOST_DEPTH:
            return Plain.JSON
        (kind,) = kinds
        if isinstance(kind, Plain):
            return kind
        if kind is ListOf:
            return ListOf(self.item.column_type(depth + 1)) if self.item is not None and self.item.kinds else Plain.JSON
        members = {name: member.column_type(depth + 1) for name, member in self.members.items()}
        return StructOf(members) if are_distinct(members) else Plain.JSON


def are_distinct(names: Iterable[str]) -> bool:
    """Return whether every reader of tables can distinguish members of these names; False for no names, or too many."""
    names = list(names)
    sound = all(name.strip() and is_sound(name) for name in names)
    return sound and 0 < len({name.casefold() for name in names}) == len(names) <= MOST_MEMBERS

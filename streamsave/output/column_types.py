"""What type a column of built values has, found from a sample of them; and values as that type asks.

| values of the sample | type |
|---|---|
| bool | `Plain.BOOL` |
| int | `Plain.INT64`; `Plain.UINT64` where one is above the signed ones and none is negative |
| float; also with ints from -2**53 to 2**53, which a float holds exactly | `Plain.FLOAT` |
| str; `Guid`, as Unreal prints it | `Plain.TEXT` |
| bytes | `Plain.BYTES` |
| `DateTime`, of whole microseconds in the years 1 to 9999 | `Plain.MOMENT` |
| list, tuple | `ListOf` one type |
| map, which is a list of (key, value) | `ListOf` a `StructOf` `key` and `value` |
| dict, other attrs classes | `StructOf` all members that one of them has |
| of several kinds, or none at all; members whose names differ in case only, or that are too many, or too deep | `Plain.JSON` |

None is no value, and fits everywhere: a null, as is a member that a dict lacks. `JSON` is JSON text, as `json_values`
writes it. A value behind the sample that the type of its column does not take is a misfit: the column has a null there, and the
value stands as JSON in the last column, `misfits`. So a table has one schema from its first row to its last, and loses nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum, auto
from typing import Final, TypeAlias

import orjson
from attrs import Factory, define, frozen, has

from streamsave.output.json_values import Json, field_names, json_value
from streamsave.values import DateTime, Guid

__all__ = ["MISFITS", "Column", "ColumnType", "ListOf", "Plain", "Sample", "StructOf", "fit_rows", "json_text"]

#: Name of the last column.
MISFITS: Final = "misfits"

INT64: Final = range(-(1 << 63), 1 << 63)
UINT64: Final = range(1 << 64)
#: The ints that a float holds exactly, together with all between them.
FLOAT_INTS: Final = range(-(1 << 53), (1 << 53) + 1)
#: Members of one struct, and levels of nesting, that still make a table; what has more is JSON.
MOST_MEMBERS: Final = 100
MOST_DEPTH: Final = 8
#: What the entry of a map has in a table; elsewhere it is a tuple of two.
MAP_ENTRY: Final = ("key", "value")
TICKS_PER_MICROSECOND: Final = 10

#: Gives a value as a type asks; raises `Misfit`.
Fit: TypeAlias = Callable[[object], object]


class Misfit(Exception):
    """A value that a type does not take."""


class Plain(Enum):
    """Types without types inside."""

    BOOL = auto()
    INT64 = auto()
    UINT64 = auto()
    FLOAT = auto()
    TEXT = auto()
    BYTES = auto()
    MOMENT = auto()
    JSON = auto()


@frozen
class ListOf:
    """Lists of values of one type."""

    item: ColumnType


@frozen
class StructOf:
    """Members by name."""

    members: dict[str, ColumnType]


ColumnType: TypeAlias = Plain | ListOf | StructOf


@frozen
class Column:
    """A name, and the type of all values below it."""

    name: str
    type: ColumnType


def json_text(value: object) -> str:
    """Write a value as JSON."""
    return orjson.dumps(json_value(value)).decode("utf-8")


# --- what each type takes ---


def fit_bool(value: object) -> object:
    """Take True and False."""
    if isinstance(value, bool):
        return value
    raise Misfit


def fit_int64(value: object) -> object:
    """Take signed ints."""
    if type(value) is int and value in INT64:
        return value
    raise Misfit


def fit_uint64(value: object) -> object:
    """Take unsigned ints."""
    if type(value) is int and value in UINT64:
        return value
    raise Misfit


def fit_float(value: object) -> object:
    """Take floats, and ints that lose nothing as floats."""
    if isinstance(value, float):
        return value
    if type(value) is int and value in FLOAT_INTS:
        return float(value)
    raise Misfit


def fit_text(value: object) -> object:
    """Take strings that UTF-8 can say."""
    if isinstance(value, Guid):
        return str(value)
    if isinstance(value, str) and isinstance(json_value(value), str):
        return value
    raise Misfit


def fit_bytes(value: object) -> object:
    """Take bytes."""
    if isinstance(value, bytes):
        return value
    raise Misfit


def fit_moment(value: object) -> object:
    """Take moments that a `datetime` can say without rounding."""
    if isinstance(value, DateTime) and value.ticks % TICKS_PER_MICROSECOND == 0:
        moment = value.to_datetime()
        if moment is not None:
            return moment
    raise Misfit


#: A value is of the first of these types that takes it.
FITS: Final[dict[Plain, Fit]] = {
    Plain.BOOL: fit_bool,
    Plain.INT64: fit_int64,
    Plain.UINT64: fit_uint64,
    Plain.FLOAT: fit_float,
    Plain.TEXT: fit_text,
    Plain.BYTES: fit_bytes,
    Plain.MOMENT: fit_moment,
}


def fit_for(column_type: ColumnType) -> Fit:
    """Give the function that takes what values of this type are, and None."""
    if isinstance(column_type, ListOf):
        fit_item = fit_for(column_type.item)
        return lambda value: None if value is None else [fit_item(item) for item in items_of(value)]
    if isinstance(column_type, StructOf):
        fits = {name: fit_for(member) for name, member in column_type.members.items()}

        def fit_members(value: object) -> object:
            if value is None:
                return None
            members = dict(members_of(value))
            if members.keys() <= fits.keys():
                return {name: fits[name](member) for name, member in members.items()}
            raise Misfit

        return fit_members
    fit = FITS.get(column_type, json_text)
    return lambda value: None if value is None else fit(value)


def items_of(value: object) -> Sequence[object]:
    """Give the items of a list.

    Raises:
        Misfit: it is none.
    """
    if isinstance(value, list) or (isinstance(value, tuple) and len(value) != len(MAP_ENTRY)):
        return value
    raise Misfit


def members_of(value: object) -> Iterable[tuple[str, object]]:
    """Give the members of a dict, of the entry of a map, or of an attrs class.

    Raises:
        Misfit: it has none.
    """
    if isinstance(value, dict):
        return value.items()
    if isinstance(value, tuple) and len(value) == len(MAP_ENTRY):
        return zip(MAP_ENTRY, value, strict=True)
    if has(type(value)) and not isinstance(value, (Guid, DateTime)):
        return [(name, getattr(value, name)) for name in field_names(type(value))]
    raise Misfit


# --- what type values have ---


@define
class Sample:
    """What is known of the values of a column, or of one place in them."""

    #: The plain types that values have, `ListOf`, `StructOf`.
    kinds: set[Plain | type[ListOf | StructOf]] = Factory(set)
    #: Of the ints.
    least: int = 0
    most: int = 0
    item: Sample | None = None
    members: dict[str, Sample] = Factory(dict)

    def see(self, value: object) -> None:
        """Look at one more value."""
        if value is None:
            return
        for kind, fit in FITS.items():
            try:
                fit(value)
            except Misfit:
                continue
            self.kinds.add(kind)
            if isinstance(value, int):
                self.least = min(self.least, value)
                self.most = max(self.most, value)
            return
        self._see_nested(value)

    def _see_nested(self, value: object) -> None:
        try:
            items = items_of(value)
        except Misfit:
            pass
        else:
            self.kinds.add(ListOf)
            self.item = self.item or Sample()
            for item in items:
                self.item.see(item)
            return
        try:
            members = members_of(value)
        except Misfit:
            self.kinds.add(Plain.JSON)
            return
        self.kinds.add(StructOf)
        for name, member in members:
            if name in self.members or len(self.members) <= MOST_MEMBERS:
                self.members.setdefault(name, Sample()).see(member)

    def column_type(self, depth: int = 0) -> ColumnType:
        """Tell the type that takes all values that were seen."""
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
        return StructOf(members) if are_told_apart(members) else Plain.JSON


def are_told_apart(names: Iterable[str]) -> bool:
    """Whether every reader of tables can tell members of these names apart; there is one at least."""
    names = list(names)
    sound = all(name.strip() and isinstance(json_value(name), str) for name in names)
    return sound and 0 < len({name.casefold() for name in names}) == len(names) <= MOST_MEMBERS


# --- rows ---


def fit_rows(columns: Sequence[Column], rows: Sequence[Sequence[object]]) -> list[list[object]]:
    """Turn rows into columns of values as their types ask, and a last one with the misfits of each row."""
    misfits: list[dict[str, Json]] = [{} for _ in rows]
    result: list[list[object]] = []
    for index, column in enumerate(columns):
        fit = fit_for(column.type)
        values: list[object] = []
        for row, row_misfits in zip(rows, misfits, strict=True):
            try:
                values.append(fit(row[index]))
            except Misfit:
                values.append(None)
                row_misfits[column.name] = json_value(row[index])
        result.append(values)
    result.append([orjson.dumps(some).decode("utf-8") if some else None for some in misfits])
    return result

"""Values as text: one line each, without characters that break a terminal or a tab-separated line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any, Final

from streamsave._fields import names_of_fields
from streamsave._native import i64
from streamsave.decode.json_values import shortest_text
from streamsave.decode.leaves import text_of
from streamsave.events import ObjectHeader
from streamsave.frequent_values import guid_text
from streamsave.values import DateTime, DynamicStruct, Guid, ObjectReference, Opaque, SoftObjectPath, Text

__all__ = [
    "classes_text",
    "clean",
    "count_text",
    "header_cells",
    "place_text",
    "quoted",
    "short_class",
    "show",
    "size_text",
    "time_text",
]

#: How many bytes of a byte string are shown.
SHOWN_BYTES: Final = 32
#: Characters that are shown of what the user wrote.
LONGEST_QUOTED: Final = 100
#: Names of members whose text is kept.
MOST_LABELS: Final = 4096
NOT_IN_LINE: Final = re.compile(r"[^ -~]")


def clean(text: str) -> str:
    r"""Escape characters that are not printable, as Python does: `\t`, `\n`, `\x1b`, `\udc80`."""
    if text.isprintable():
        return text
    return NOT_IN_LINE.sub(lambda match: match[0] if match[0].isprintable() else repr(match[0])[1:-1], text)


def short_class(class_name: str) -> str:
    """Return the last part of a class name: `/Game/…/Build_Wall.Build_Wall_C` -> `Build_Wall_C`."""
    return class_name[class_name.rfind(".") + 1 :]


def quoted(text: str) -> str:
    """Return a text of the command line in quotes, to say what is wrong with it; a long one is cut."""
    return repr(text) if len(text) <= LONGEST_QUOTED else f"{text[:LONGEST_QUOTED]!r}..."


def size_text(size: int) -> str:
    """Write a number of bytes for people: `1.5 MiB`."""
    for unit, divisor in (("GiB", 1024**3), ("MiB", 1024**2), ("KiB", 1024)):
        if size >= divisor:
            return f"{size / divisor:.1f} {unit}"
    return f"{size} B"


def count_text(count: int) -> str:
    """Write a number with commas between the thousands."""
    return format(count, ",")


def header_cells(header: ObjectHeader, scale: float, symbol: str, *, long: bool) -> tuple[str, str, str, str, str]:
    """Return class (its last part, unless `long`), name, level, size and place of an object, in units of `scale`."""
    class_name = header.class_name if long else short_class(header.class_name)
    place = place_text(header.position, scale, symbol)
    return clean(class_name), clean(header.instance_name), clean(header.level), str(header.size), place


def place_text(position: tuple[float, float, float] | None, scale: float, symbol: str) -> str:
    """Return a place as `--where 'position in ...'` takes it, in units of `scale`; `-`: it has none."""
    if position is None:
        return "-"
    x, y, z = position
    return "%.2f %.2f %.2f %s" % (x / scale, y / scale, z / scale, symbol)  # noqa: UP031 - an f-string takes longer


def classes_text(count: int) -> str:
    """Write a number of classes: `1 class`, `2 classes`."""
    return "1 class" if count == 1 else f"{count_text(count)} classes"


def time_text(seconds: int) -> str:
    """Write a duration as h:mm:ss."""
    sign = "-" if seconds < 0 else ""
    minutes, seconds = divmod(abs(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{sign}{hours}:{minutes:02}:{seconds:02}"


def show(value: object, limit: int = 200) -> str:
    """Write a value that `build()` made on one line.

    A string is written without quotes (with them inside other values), a reference as the path name of its target or `(none)`. A
    float has the fewest digits that read back as the same number, in single precision if it is one.

    Args:
        value: what to write.
        limit: about how many characters; a longer text ends in `…`.
    """
    if isinstance(value, str):
        text = clean(value[: limit + 1])
    else:
        pieces: list[str] = []
        _put(pieces, value, limit)
        text = "".join(pieces)
    return text if len(text) <= limit else text[:limit] + "…"


def _put(pieces: list[str], value: object, room: i64) -> i64:
    """Add the text of a value inside of another one, up to the first part after `room` characters; return how many are left."""
    if isinstance(value, float):
        text = shortest_text(value)
    elif isinstance(value, str):
        text = f'"{clean(value)}"'
    elif isinstance(value, ObjectReference):
        text = clean(value.path_name) or "(none)"
    elif isinstance(value, Guid):
        text = guid_text(value.data)
    elif isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, int):
        text = str(value)
    elif value is None:
        text = "null"
    elif isinstance(value, dict):
        return _put_members(pieces, "{", [_label(name) for name in value], value.values(), room, "}")
    elif isinstance(value, (list, tuple)):
        return _put_members(pieces, "[", None, value, room, "]")
    elif isinstance(value, DynamicStruct):
        name = f"{short_class(clean(value.script_struct.path_name))} "
        pieces.append(name)
        return _put(pieces, value.value, room - len(name))
    else:
        kind: type = type(value)
        names, labels = _members(kind)
        if names:
            return _put_members(pieces, f"{kind.__name__}(", labels, [getattr(value, name) for name in names], room, ")")
        text = rare_text(value)
    pieces.append(text)
    return room - len(text)


def _put_members(pieces: list[str], start: str, labels: list[str] | None, values: Iterable[object], room: i64, end: str) -> i64:
    """Do as `_put` for a value with others in it, each of which is after its label, if they have some."""
    pieces.append(start)
    room -= len(start)
    for at, value in enumerate(values):
        if room < 0:
            break
        if at:
            pieces.append(", ")
            room -= 2
        if labels is not None:
            pieces.append(labels[at])
            room -= len(labels[at])
        room = _put(pieces, value, room)
    pieces.append(end)
    return room - len(end)


@lru_cache(MOST_LABELS)
def _label(name: str) -> str:
    """Return what is before a member of a struct."""
    return f"{clean(name)}: "


@cache
def _members(kind: type) -> tuple[tuple[str, ...], list[str]]:
    """Return the fields of a class whose values are written as `Vector(x=1.0, y=2.0)`, and what is before each; or none."""
    from streamsave.formats.shapez2.header import GAME_TERMS

    names = () if issubclass(kind, (DateTime, SoftObjectPath, Text, Opaque, *GAME_TERMS)) else names_of_fields(kind) or ()
    return names, [f"{name}=" for name in names]


def bytes_text(data: bytes | bytearray) -> str:
    """Write the first `SHOWN_BYTES` bytes, and how many there are."""
    size = "1 byte" if len(data) == 1 else f"{len(data)} bytes"
    return f"{data[:SHOWN_BYTES].hex()}{'…' if len(data) > SHOWN_BYTES else ''} ({size})"


def rare_text(value: object) -> str:
    """Write a value of a class that few values have, without its fields."""
    match value:
        case bytes() | bytearray():
            return bytes_text(value)
        case SoftObjectPath():
            return clean(text_of(value) or "") or "(none)"
        case Text():
            return f'"{clean(value.source)}"'
        case Opaque():
            data: Any = value.data  # a reader of another package may give a bytearray
            return f"{bytes_text(data)} ({clean(value.reason)})"
    return clean(str(value))

"""Values as text: one line each, without characters that break a terminal or a tab-separated line."""

from __future__ import annotations

import re
from typing import Final

from streamsave._fields import names_of_fields
from streamsave._native import i64
from streamsave.consume.number_text import shortest_text
from streamsave.events import ObjectHeader
from streamsave.values import DateTime, DynamicStruct, Guid, ObjectReference, Opaque, SoftObjectPath, Text

__all__ = [
    "bytes_text",
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
    if size < 1024:
        return f"{size} B"
    for unit, divisor in (("KiB", 1024), ("MiB", 1024**2)):
        if size < divisor * 1024:
            return f"{size / divisor:.1f} {unit}"
    return f"{size / 1024**3:.1f} GiB"


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
    text = clean(value[: limit + 1]) if isinstance(value, str) else _text(value, limit)
    return text if len(text) <= limit else text[:limit] + "…"


def _text(value: object, room: i64) -> str:
    """Write a value inside of another one; of a long one, at least `room` characters."""
    if isinstance(value, float):
        return shortest_text(value)
    if isinstance(value, str):
        return f'"{clean(value)}"'
    if isinstance(value, ObjectReference):
        return clean(value.path_name) or "(none)"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "{" + _joined([f"{clean(str(key))}: " for key in value], list(value.values()), room) + "}"
    if isinstance(value, (list, tuple)):
        shown = list(value[: room + 1])
        return "[" + _joined([""] * len(shown), shown, room) + "]"
    shape = _shapes.get(type(value))
    if shape is None:
        return _rare_text(value, room)
    if not shape.names:
        return clean(str(value))
    return shape.start + _joined(shape.labels, [getattr(value, name) for name in shape.names], room) + ")"


def _rare_text(value: object, room: i64) -> str:
    """Do as `_text` for a value that is written in a way of its own, or the first one of its class."""
    if isinstance(value, (bytes, bytearray)):
        return bytes_text(value, len(value))
    if isinstance(value, SoftObjectPath):
        parts = (value.package_name, value.asset_name, value.sub_path)
        return clean(":".join([part for part in parts if part])) or "(none)"
    if isinstance(value, Text):
        return f'"{clean(value.source)}"'
    if isinstance(value, Opaque):
        return f"{bytes_text(value.data, len(value.data))} ({clean(value.reason)})"
    if isinstance(value, DynamicStruct):
        return f"{short_class(clean(value.script_struct.path_name))} {_text(value.value, room)}"
    _shapes[type(value)] = Shape(type(value))
    return _text(value, room)


def _joined(labels: list[str], values: list[object], room: i64) -> str:
    """Write values, each after its label, with commas between them, up to the first after `room` characters."""
    pieces: list[str] = []
    for index, value in enumerate(values):  # compiled, a strict `zip` takes as long as to write a number
        if room < 0:
            break
        piece = labels[index] + _text(value, room)
        pieces.append(piece)
        room -= len(piece) + 2
    return ", ".join(pieces)


class Shape:
    """How the values of a class are written: `Vector(x=1.0, y=2.0, z=3.0)`.

    Attributes:
        names: of the fields; none if the class prints itself.
        labels: what is before the value of each.
        start: what is before all.
    """

    def __init__(self, kind: type) -> None:
        from streamsave.formats.shapez2.header import GAME_TERMS

        prints_itself = issubclass(kind, (Guid, DateTime, *GAME_TERMS))
        self.names: Final = () if prints_itself else names_of_fields(kind) or ()
        self.labels: Final = [f"{name}=" for name in self.names]
        self.start: Final = f"{kind.__name__}("


#: How values are written whose class neither `_text` nor `_rare_text` names.
_shapes: dict[type, Shape] = {}


def bytes_text(start: bytes | bytearray, count: int) -> str:
    """Write `count` bytes, of which at least the first `SHOWN_BYTES` are given."""
    size = "1 byte" if count == 1 else f"{count} bytes"
    return f"{start[:SHOWN_BYTES].hex()}{'…' if count > SHOWN_BYTES else ''} ({size})"

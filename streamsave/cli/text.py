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
    return f"{count:,}"


def header_cells(header: ObjectHeader, *, long: bool) -> list[str]:
    """Return class (its last part, unless `long`), name, level and size of an object."""
    class_name = header.class_name if long else short_class(header.class_name)
    return [clean(class_name), clean(header.instance_name), clean(header.level), str(header.size)]


def place_text(place: tuple[float, float, float], scale: float, symbol: str) -> str:
    """Write x, y and z in units of `scale`."""
    x, y, z = place
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
        text = clean(value if len(value) <= limit else value[: limit + 1])
    else:
        text = _atom(value) or ""
        if not text:
            line = Line(limit)
            line.add(value)
            text = "".join(line.pieces)
    return text if len(text) <= limit else text[:limit] + "…"


def _atom(value: object) -> str | None:
    """Write a value without other values inside; return None for one that has some."""
    if isinstance(value, str):
        return f'"{clean(value)}"'
    if isinstance(value, float):
        return shortest_text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, ObjectReference):
        return clean(value.path_name) or "(none)"
    if value is None:
        return "null"
    if isinstance(value, (list, tuple, dict)) or _kept_labels.get(type(value)):
        return None
    if isinstance(value, (Guid, DateTime)):
        return str(value)
    if isinstance(value, (bytes, bytearray)):
        return bytes_text(value, len(value))
    if isinstance(value, SoftObjectPath):
        parts = (value.package_name, value.asset_name, value.sub_path)
        return clean(":".join([part for part in parts if part])) or "(none)"
    if isinstance(value, Text):
        return f'"{clean(value.source)}"'
    if isinstance(value, Opaque):
        return f"{bytes_text(value.data, len(value.data))} ({clean(value.reason)})"
    if isinstance(value, DynamicStruct) or _labels(type(value)):
        return None
    return clean(str(value))


class Line:
    """The text of a value with values inside. Of a long one, only the start is written."""

    def __init__(self, limit: i64) -> None:
        self.pieces: list[str] = []
        #: How many characters are still wanted; below 0, nothing more is added.
        self._room: i64 = limit

    def _put(self, piece: str) -> None:
        self.pieces.append(piece)
        self._room -= len(piece)

    def add(self, value: object) -> None:
        """Write a value."""
        text = _atom(value)
        if text is not None:
            self._put(text)
        elif isinstance(value, dict):
            self._put("{")
            separator = ""
            for key, item in value.items():
                self._add_member(f"{separator}{clean(str(key))}: ", item)
                if self._room < 0:
                    return
                separator = ", "
            self._put("}")
        elif isinstance(value, (list, tuple)):
            self._put("[")
            separator = ""
            for item in value:
                self._add_member(separator, item)
                if self._room < 0:
                    return
                separator = ", "
            self._put("]")
        elif isinstance(value, DynamicStruct):
            self._put(f"{short_class(clean(value.script_struct.path_name))} ")
            if self._room >= 0:
                self.add(value.value)
        else:
            for label, name in _labels(type(value)):
                self._add_member(label, getattr(value, name))
                if self._room < 0:
                    return
            self._put(")")

    def _add_member(self, label: str, value: object) -> None:
        if isinstance(value, float):
            self._put(label + shortest_text(value))
            return
        self._put(label)
        if self._room >= 0:
            self.add(value)


#: Class -> text before each of its fields, and the name of the field; none for a class that prints itself.
_kept_labels: dict[type, list[tuple[str, str]]] = {}


def _labels(kind: type) -> list[tuple[str, str]]:
    """Return what is written before each field of an attrs class, and the names of the fields; none if it prints itself."""
    labels = _kept_labels.get(kind)
    if labels is None:
        from streamsave.formats.shapez2.header import GAME_TERMS

        names = () if issubclass(kind, GAME_TERMS) else names_of_fields(kind) or ()
        labels = [(f", {name}=" if number else f"{kind.__name__}({name}=", name) for number, name in enumerate(names)]
        _kept_labels[kind] = labels
    return labels


def bytes_text(start: bytes | bytearray, count: int) -> str:
    """Write `count` bytes, of which at least the first `SHOWN_BYTES` are given."""
    size = "1 byte" if count == 1 else f"{count} bytes"
    return f"{start[:SHOWN_BYTES].hex()}{'…' if count > SHOWN_BYTES else ''} ({size})"

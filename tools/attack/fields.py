"""Where the numbers and strings of a save are: a walk in plain Python, whose cursor notes what it reads.

No layout is written down here a second time: a number is where the parser reads one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from importlib import import_module
from types import ModuleType
from typing import Any, Final

from attrs import Factory, define, frozen

from attack.pure import pure_package

INT: Final = "int"
FLOAT: Final = "float"
STRING: Final = "string"

#: Methods of the cursor that read one number: bytes, kind.
NUMBERS: Final[dict[str, tuple[int, str]]] = {
    "u8": (1, INT),
    "i16": (2, INT),
    "i32": (4, INT),
    "u32": (4, INT),
    "bool32": (4, INT),
    "i64": (8, INT),
    "f32": (4, FLOAT),
    "f64": (8, FLOAT),
}
STRINGS: Final = ("name", "string", "string_once")
#: Codes of `struct`: bytes, kind.
CODES: Final = {"b": 1, "B": 1, "?": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "Q": 8, "f": 4, "d": 8}
FLOAT_CODES: Final = "fd"
#: Longer reads of the source are no headers.
HEADER_SIZE: Final = 64
#: A limit above this is none.
FAR: Final = 1 << 40


@frozen
class Place:
    """A number or a string, as it was read.

    `size` is that of the number, or of the string's length; `value` the number, or the bytes after the length. `left` says how
    many bytes the innermost enclosing length had left when it was read, -1 for none.
    """

    offset: int
    size: int
    kind: str
    value: int
    left: int


@define
class Recording:
    """The places of one save: in the file itself, in the inflated stream, and the headers that were read around the cursor."""

    file: dict[int, Place] = Factory(dict)
    stream: dict[int, Place] = Factory(dict)
    headers: set[tuple[int, int]] = Factory(set)


class Recorder:
    """Notes what the cursors of a package read."""

    def __init__(self, package: ModuleType) -> None:
        self.recording = Recording()
        cursor: Any = _module(package, "decode.cursor").Cursor
        for name, (size, kind) in NUMBERS.items():
            setattr(cursor, name, self._number(getattr(cursor, name), size, kind))
        for name in STRINGS:
            setattr(cursor, name, self._string(getattr(cursor, name)))
        cursor.skip_strings = self._strings(cursor.skip_strings)
        cursor.unpack = self._layout(cursor.unpack)
        source: Any = _module(package, "input.source").BytesSource
        source.read_at = self._read(source.read_at)

    def note(self, cursor: Any, offset: int, size: int, kind: str, value: object) -> None:  # noqa: ANN401 - of another package
        """Note one place."""
        windows = cursor.windows
        if type(windows).__name__ == "BytesWindows":  # decoded text: no place of its own
            return
        start = getattr(windows, "_start", None)
        places = self.recording.stream if type(windows).__name__ != "FileWindows" else self.recording.file
        at = offset + (start if isinstance(start, int) else 0)
        number = int(value) if isinstance(value, int) else 0
        left = cursor.limit() - offset
        found = places.get(at)
        if found is None or (found.kind != STRING and found.size <= size):
            places[at] = Place(at, size, kind, number, left if left < FAR else -1)

    def _number(self, read: Callable[..., object], size: int, kind: str) -> Callable[..., object]:
        def recorded(cursor: Any) -> object:  # noqa: ANN401 - of another package
            offset = cursor.tell()
            value = read(cursor)
            self.note(cursor, offset, size, kind, value)
            return value

        return recorded

    def _string(self, read: Callable[..., object]) -> Callable[..., object]:
        def recorded(cursor: Any) -> object:  # noqa: ANN401 - of another package
            offset = cursor.tell()
            value = read(cursor)
            self.note(cursor, offset, 4, STRING, cursor.tell() - offset - 4)
            return value

        return recorded

    def _strings(self, skip: Callable[..., object]) -> Callable[..., object]:
        def recorded(cursor: Any, count: int) -> None:  # noqa: ANN401 - of another package
            for _ in range(count):
                offset = cursor.tell()
                skip(cursor, 1)
                self.note(cursor, offset, 4, STRING, cursor.tell() - offset - 4)

        return recorded

    def _layout(self, unpack: Callable[..., Any]) -> Callable[..., object]:
        def recorded(cursor: Any, layout: Any) -> object:  # noqa: ANN401 - of another package
            offset = cursor.tell()
            values = unpack(cursor, layout)
            pending = list(values)
            for count, code in re.findall(r"(\d*)([a-zA-Z?])", layout.format):
                if code in "sx":
                    offset += int(count or 1)
                    if code == "s":
                        pending.pop(0)
                    continue
                for _ in range(int(count or 1)):
                    self.note(cursor, offset, CODES[code], FLOAT if code in FLOAT_CODES else INT, pending.pop(0))
                    offset += CODES[code]
            return values

        return recorded

    def _read(self, read_at: Callable[..., bytes]) -> Callable[..., bytes]:
        def recorded(source: Any, offset: int, size: int) -> bytes:  # noqa: ANN401 - of another package
            data = read_at(source, offset, size)
            if data and size <= HEADER_SIZE:
                self.recording.headers.add((offset, len(data)))
            return data

        return recorded


def _module(package: ModuleType, name: str) -> Any:  # noqa: ANN401 - of another package
    return import_module(f"{package.__name__}.{name}")


def record(saves: Iterable[bytes]) -> list[Recording]:
    """Read each save twice, once walking and once building every leaf, and give the places of all that was read."""
    recordings: list[Recording] = []
    with pure_package() as package:
        recorder = Recorder(package)
        for data in saves:
            recorder.recording = Recording()
            for build in (False, True):
                try:
                    with package.open(data) as events:
                        for event in events:
                            if build and type(event).__name__ in {"PropertyTag", "Field"} and events.is_leaf():
                                events.build()
                except package.SaveError:
                    continue  # the places before the fault count
            recordings.append(recorder.recording)
    return recordings

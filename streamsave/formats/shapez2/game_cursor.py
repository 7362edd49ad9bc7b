"""The two things that differ between the members of one game: how a Text is stored, and whether there are checkpoints.

| | save | blueprint |
|---|---|---|
| Text | i32 index into `strings.bin`; -2^31: null | i16 size and that many bytes of UTF-8; size -1: null |
| checkpoint | u32, where `BinaryDataCheckpoints` of `savegame.json` is set | none |
"""

from __future__ import annotations

from typing import Final

from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder, text_of, utf8_of
from streamsave.errors import EditError
from streamsave.input.windows import Windows
from streamsave.limits import Limits

__all__ = ["CHECKPOINTS", "GameCursor", "GameEncoder"]

NULL_INDEX: Final = -(1 << 31)
#: All checkpoints that the game writes: the hash of a name as `u32`, before the thing that the name says. A test computes them.
CHECKPOINTS: Final[dict[str, int]] = {
    "blob:start": 0xC4720D54,
    "blob:end": 0x84A43021,
    "island": 0xB121029A,
    "buildings": 0xA4496D7C,
    "building": 0x35A08DE5,
    "belt-path-state:start": 0x730DB46B,
    "belt-path-state:end": 0xFCC69DC9,
    "fast-belt-path:start": 0x37DBF32A,
    "fast-belt-path:end": 0xB4C2C396,
    "super-chunk": 0xA64674EE,
    "super-chunk:shape-resources": 0x09F27CDA,
    "super-chunk:fluid-resources": 0x16473A51,
    "TrainData": 0xECEF68E7,
}


class GameCursor(Cursor):
    """A cursor that reads the strings and checkpoints of the game."""

    def __init__(self, windows: Windows, limits: Limits) -> None:
        super().__init__(windows, limits)
        #: The strings that a Text refers to by index; None where each Text holds its bytes.
        self.table: list[str] | None = None
        self.has_checkpoints = False

    def text(self) -> str | None:
        """Read a string, or None for null.

        Raises:
            DamagedSave: the index is not in the table, or the size does not fit.
        """
        start = self.tell()
        table = self.table
        if table is None:
            size = self.i16()
            if size < -1 or size > self.remaining():
                raise self.damaged("size of a string", offset=start, expected=f"-1 to {self.remaining()}", actual=size)
            return None if size < 0 else self.take(size).decode("utf-8", "surrogateescape")
        index = self.i32()
        if index == NULL_INDEX:
            return None
        if index < 0 or index >= len(table):
            raise self.damaged("index of a string", offset=start, expected=f"0 to {len(table) - 1}", actual=index)
        return table[index]

    def checkpoint(self, name: str) -> int:
        """Read a checkpoint and return it.

        Raises:
            DamagedSave: it is not the hash of `name`.
        """
        start = self.tell()
        found = self.u32()
        expected = CHECKPOINTS[name]
        if found != expected:
            known = [other for other, value in CHECKPOINTS.items() if value == found]
            raise self.damaged(
                "wrong checkpoint",
                offset=start,
                expected=f"{name}, {expected:#010x}",
                actual=f"{known[0] if known else 'unknown'}, {found:#010x}",
            )
        return expected


class GameEncoder(Encoder):
    """An encoder that writes the strings of the game; `table` is that of the save, None for a blueprint."""

    def __init__(self, table: list[str] | None) -> None:
        super().__init__()
        self._table = table

    def text(self, value: object) -> None:
        """Write a string, or None.

        Raises:
            EditError: the table does not have it, and cannot grow; or it is too long.
        """
        table = self._table
        if table is None:
            raw = b"" if value is None else utf8_of(value)
            self.integer(-1 if value is None else len(raw), 2, signed=True)
            self.put(raw)
        elif value is None:
            self.i32(NULL_INDEX)
        elif text_of(value) in table:
            self.i32(table.index(text_of(value)))
        else:
            raise EditError("the save has no such string", value)

"""Variables of scripts: `nb_globals` of the whole game, `nblvar` of each script of an entity.

| field | type | |
|---|---|---|
| type | i32 | 1 `$`, 2 `£`: text; 4 `#`, 8 `§`: integer; 16 `&`, 32 `@`: float; the sign is the first of the name |
| fval | f32 | the number, also an integer; of a text its size |
| name | char[64] | |
| text | bytes | only of a text; ends with a NUL in an entity, without one in `globals` |
"""

from __future__ import annotations

from typing import Final

from streamsave.decode.codecs import BuildContext, Codec
from streamsave.decode.cursor import Cursor
from streamsave.formats.arx.layout import text_of

__all__ = ["VARIABLE", "VARIABLE_SIZE", "Variable"]

TEXT_TYPES: Final = (1, 2)
INTEGER_TYPES: Final = (4, 8)
#: Bytes in front of the text.
VARIABLE_SIZE: Final = 72


class Variable(Codec):
    """A variable of a script."""

    def __init__(self) -> None:
        super().__init__("Variable", -1, VARIABLE_SIZE)

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        kind = cursor.i32()
        at = cursor.tell()
        fval = cursor.f32()
        cursor.skip(64)
        if kind in TEXT_TYPES:
            # A float of any kind: compared as one, before it becomes a number of bytes.
            room = float(int(cursor.remaining()))
            if not -1.0 < fval < room + 1.0:
                raise cursor.damaged("size of a text does not fit", offset=at, expected=f"0 to {room:.0f}", actual=fval)
            cursor.skip(int(fval))

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        kind = cursor.i32()
        fval = cursor.f32()
        name = text_of(cursor.take(64))
        value: object = fval
        if kind in TEXT_TYPES:
            size = int(fval)
            context.spend(0, size)
            value = cursor.take(size).removesuffix(b"\0").decode("latin-1")
        elif kind in INTEGER_TYPES and abs(fval) < 2.0**63:
            value = int(fval)
        context.spend(3, len(name))
        return {"name": name, "type": int(kind), "value": value}


VARIABLE: Final = Variable()

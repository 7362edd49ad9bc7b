"""Variables of scripts: `nb_globals` of the whole game, `nblvar` of each script of an entity.

| field | type | |
|---|---|---|
| type | i32 | 1 `$`, 2 `£`: text; 4 `#`, 8 `§`: integer; 16 `&`, 32 `@`: float; the name starts with this sign |
| fval | f32 | the number, also of an integer; for a text its size in bytes |
| name | char[64] | |
| text | bytes | only for a text; ends with a NUL in an entity, without one in `globals` |
"""

from __future__ import annotations

from typing import Final

from streamsave.decode.codecs import BuildContext, Codec
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder
from streamsave.decode.encoder import text_of as text_value
from streamsave.errors import EditError
from streamsave.formats.arx.layout import text_of

__all__ = ["GLOBAL_VARIABLE", "NAME_OFFSET", "SIGNS", "TEXT_TYPES", "VARIABLE", "VARIABLE_SIZE", "Variable", "peek_name"]

TEXT_TYPES: Final = (1, 2)
INTEGER_TYPES: Final = (4, 8)
#: How names start, by the type; the games take both signs of a pair.
TEXT_SIGNS: Final = (b"$", b"\xa3")
INTEGER_SIGNS: Final = (b"#", b"\xa7")
FLOAT_SIGNS: Final = (b"&", b"@")
SIGNS: Final = {1: TEXT_SIGNS, 2: TEXT_SIGNS, 4: INTEGER_SIGNS, 8: INTEGER_SIGNS, 16: FLOAT_SIGNS, 32: FLOAT_SIGNS}
#: Where the name starts, and its size.
NAME_OFFSET: Final = 8
NAME_SIZE: Final = 64
#: Bytes of a variable without its text.
VARIABLE_SIZE: Final = NAME_OFFSET + NAME_SIZE


def peek_name(cursor: Cursor) -> str:
    """Return the name of the variable that starts at the cursor; the cursor stays.

    Raises:
        DamagedSave: the entry ends before the name.
        SaveError: it cannot be read.
    """
    start = cursor.tell()
    cursor.skip(NAME_OFFSET)
    cursor.need(NAME_SIZE)
    name = text_of(cursor.peek(NAME_SIZE))
    cursor.seek(start)
    return name


class Variable(Codec):
    """A variable of a script; `ends_text`: a text ends with a NUL."""

    def __init__(self, *, ends_text: bool) -> None:
        super().__init__("Variable", -1, VARIABLE_SIZE)
        self._ends_text = ends_text

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        kind = cursor.i32()
        at = cursor.tell()
        fval = cursor.f32()
        cursor.skip(NAME_SIZE)
        if kind in TEXT_TYPES:
            # It may be any float, NaN too: compare it before it becomes a number of bytes.
            room = float(int(cursor.remaining()))
            if not -1.0 < fval < room + 1.0:
                raise cursor.damaged("size of a text does not fit", offset=at, expected=f"0 to {room:.0f}", actual=fval)
            cursor.skip(int(fval))

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        kind = cursor.i32()
        fval = cursor.f32()
        name = text_of(cursor.take(NAME_SIZE))
        value: object = fval
        if kind in TEXT_TYPES:
            size = int(fval)
            context.spend(0, size)
            value = cursor.take(size).removesuffix(b"\0").decode("latin-1")
        elif kind in INTEGER_TYPES and abs(fval) < 2.0**63:
            value = int(fval)
        context.spend(3, len(name))
        return {"name": name, "type": int(kind), "value": value}

    def encode(self, value: object, encoder: Encoder) -> None:
        if not isinstance(value, dict) or list(value) != ["name", "type", "value"]:
            raise EditError("not a Variable", value, "a dict of name, type, value")
        kind, content = value["type"], value["value"]
        text = b""
        number = content
        if kind in TEXT_TYPES:
            text = latin(content) + (b"\0" if self._ends_text and content else b"")
            number = len(text)
        name = latin(value["name"])
        if len(name) > NAME_SIZE:
            raise EditError("name too long", value["name"], f"at most {NAME_SIZE} bytes")
        encoder.i32(kind)
        encoder.f32(number)
        encoder.put(name + bytes(NAME_SIZE - len(name)))
        encoder.put(text)


def latin(text: object) -> bytes:
    """Return the bytes of a text.

    Raises:
        EditError: it is no text, or has other characters.
    """
    try:
        return text_value(text).encode("latin-1")
    except UnicodeEncodeError:
        raise EditError("characters that no text of a script can have", text) from None


#: Of a script of an entity, and of the whole game.
VARIABLE: Final = Variable(ends_text=True)
GLOBAL_VARIABLE: Final = Variable(ends_text=False)

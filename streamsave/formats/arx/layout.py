"""Values of Arx. Structs of fixed size are tables (`world`, `entity`) of the names of their fields and their types, as text.

| type | bytes | decoded |
|---|---|---|
| `i8` to `u64`, `f32` | 1 to 8 | number |
| `char[n]` | n | text up to the first NUL, or all n; Latin-1; the bytes after the NUL are left from earlier texts |
| `utf8[n]` | n | the same; UTF-8 if the bytes are, else Latin-1 |
| `u8[n]` | n | bytes |
| `padding[n]` | n | no value; in the value of a whole struct, bytes if they are not all zero |
| name of a struct | its size | dict |
| any of these, then `[m]` | m times | list; the first number is the outermost: `char[3][16][64]` is 3 lists of 16 texts |

Variables of scripts: `nb_globals` of the whole game, `nblvar` of each script of an entity.

| field | type | |
|---|---|---|
| type | i32 | 1 `$`, 2 `£`: text; 4 `#`, 8 `§`: integer; 16 `&`, 32 `@`: float; the name starts with this sign |
| fval | f32 | the number, also of an integer; for a text its size in bytes |
| name | char[64] | |
| text | bytes | only for a text; ends with a NUL in an entity, without one in `globals` |
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import F32, I8, I16, I32, I64, U8, U16, U32, U64, BuildContext, Codec, Repeat, Struct
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder
from streamsave.decode.encoder import text_of as text_value
from streamsave.errors import EditError
from streamsave.formats.arx.entity import ENTITY
from streamsave.formats.arx.world import PARTS, WORLD
from streamsave.values import Vector

__all__ = [
    "GLOBAL_VARIABLE",
    "NAME_OFFSET",
    "SIGNS",
    "TEXT_TYPES",
    "VARIABLE",
    "VARIABLE_SIZE",
    "Layout",
    "Padding",
    "Variable",
    "Zeros",
    "find_type",
    "peek_name",
    "struct_of",
    "text_of",
]

#: All structs, by their names.
STRUCTS: Final = PARTS | WORLD | ENTITY


def text_of(raw: bytes) -> str:
    """Return the text of a field of fixed size: up to the first NUL, or all of it."""
    return raw.partition(b"\0")[0].decode("latin-1")


class FixedString(Codec):
    """Text in a field of fixed size, ended by a NUL or by the end of the field.

    The one text that newer games write as UTF-8 was Latin-1 in older ones, and nothing but the bytes shows which it is.
    """

    def __init__(self, name: str, size: i64, encoding: str = "latin-1") -> None:
        super().__init__(name, size, size)
        self._encoding = encoding

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        raw = cursor.take(self.size).partition(b"\0")[0]
        context.spend(0, len(raw))
        try:
            return raw.decode(self._encoding)
        except UnicodeDecodeError:
            return raw.decode("latin-1")

    def encode(self, value: object, encoder: Encoder) -> None:
        raw = encoded(value, self._encoding)
        if len(raw) > self.size or b"\0" in raw:
            raise EditError("does not fit into its field", value, f"at most {self.size} bytes, without NUL")
        encoder.put(raw + bytes(self.size - len(raw)))


def encoded(text: object, encoding: str) -> bytes:
    """Return the bytes of a text.

    Raises:
        EditError: it is no text, or has other characters.
    """
    try:
        return text_value(text).encode(encoding)
    except UnicodeEncodeError:
        raise EditError("characters that the field cannot have", text) from None


class FixedBytes(Codec):
    """Bytes that are small numbers in a row or a grid."""

    def __init__(self, name: str, size: i64) -> None:
        super().__init__(name, size, size)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        context.spend(0, self.size)
        return cursor.take(self.size)

    def encode(self, value: object, encoder: Encoder) -> None:
        encoder.put(value, self.size)


class Padding(FixedBytes):
    """Bytes that mean nothing."""


class Layout(Struct):
    """A struct of fixed size."""

    def __init__(self, name: str, fields: dict[str, str]) -> None:
        super().__init__(name, None, **{field: find_type(kind) for field, kind in fields.items()})
        #: Its padding, and what that mostly is.
        self._zeros = {
            field: bytes(member.size)
            for field, member in zip(self.names, self.members, strict=True)
            if isinstance(member, Padding)
        }

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        values = super().decode(cursor, context)
        assert isinstance(values, dict)  # noqa: S101 - of a struct without a class
        for field, zeros in self._zeros.items():
            if values[field] == zeros:
                del values[field]
        return values

    def encode(self, value: object, encoder: Encoder) -> None:
        super().encode({**self._zeros, **value} if isinstance(value, dict) else value, encoder)


class Zeros(Codec):
    """Fields that are left out because all their bytes are zero. The value is the list of their names."""

    def __init__(self, names: list[str], size: i64) -> None:
        super().__init__("zeros", size, size)
        self._names = names

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        context.spend(len(self._names), 0)
        cursor.skip(self.size)
        return list(self._names)


#: The types that are known so far, by their text.
TYPES: Final[dict[str, Codec]] = {
    "i8": I8,
    "u8": U8,
    "i16": I16,
    "u16": U16,
    "i32": I32,
    "u32": U32,
    "i64": I64,
    "u64": U64,
    "f32": F32,
    "SavedVec3": Struct("SavedVec3", Vector, x=F32, y=F32, z=F32),
}
#: The types whose last dimension is their size in bytes.
SIZED: Final[dict[str, Callable[[str, i64], Codec]]] = {
    "char": FixedString,
    "utf8": lambda name, size: FixedString(name, size, "utf-8"),
    "u8": FixedBytes,
    "padding": Padding,
}


def find_type(name: str) -> Codec:
    """Return the codec of a type, always the same one for the same text."""
    codec = TYPES.get(name)
    if codec is None:
        base, bracket, dimensions = name.partition("[")
        counts = [int(count) for count in dimensions.rstrip("]").split("][")] if bracket else []
        if not counts:
            codec = Layout(name, STRUCTS[name])
        elif len(counts) == 1 and base in SIZED:
            codec = SIZED[base](name, counts[0])
        else:
            codec = Repeat(find_type("".join([base, *[f"[{count}]" for count in counts[1:]]])), counts[0], name)
        TYPES[name] = codec
    return codec


def struct_of(name: str) -> Layout:
    """Return the struct of a name."""
    codec = find_type(name)
    assert isinstance(codec, Layout)  # noqa: S101 - it is one of the tables
    return codec


# --- variables of scripts ---

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
            text = encoded(content, "latin-1") + (b"\0" if self._ends_text and content else b"")
            number = len(text)
        I32.encode(kind, encoder)
        F32.encode(number, encoder)
        find_type(f"char[{NAME_SIZE}]").encode(value["name"], encoder)
        encoder.put(text)


#: Of a script of an entity, and of the whole game.
VARIABLE: Final = Variable(ends_text=True)
GLOBAL_VARIABLE: Final = Variable(ends_text=False)

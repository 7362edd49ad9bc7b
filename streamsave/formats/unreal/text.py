"""FText: localised text, stored as how it was made.

`u32 flags; i8 history`, then by history:

| history | fields |
|---|---|
| -1 none | `bool32 has; [str]` if the version has it, else nothing |
| 0 base | `str namespace, key, source` |
| 1 named format, 3 argument format | `text format; i32 n; n * (str name; argument)` |
| 2 ordered format | `text format; i32 n; n * argument` |
| 4 number, 5 percent | `argument; bool32 has; [options]; str culture` |
| 6 currency | `str code; argument; bool32 has; [options]; str culture` |
| 7 date, 8 time | `i64 ticks; i8 style; str zone; str culture` |
| 9 date and time | `i64 ticks; i8 date style; i8 time style; str zone; str culture` |
| 10 transform | `text; u8 kind` |
| 11 string table | `str table; str key` |
| 12 generator | `name generator`; where that is not `None`: `i32 n; n bytes` of its own. Seen in no save |
| 13 raw | `str text`; of some games |

Before `UE4_TEXT_HISTORY` a text has no history: `str source, namespace, key; u32 flags`. No save that old was seen.
The gates are in `gvas.versions`.

An argument is `u8 type` and a value: 0 i64, 1 u64, 2 f32, 3 f64, 4 text, 5 gender (i32). In history 3
integers had 32 bits before `UE5_RELEASE_WIDE_ARGUMENTS`.
Options are `[bool32 always_sign]; bool32 grouping; i8 rounding; i32 * 4 digits`.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from streamsave.decode.codecs import (
    BOOL32,
    BYTES,
    F32,
    F64,
    I8,
    I32,
    I64,
    NAME,
    STRING,
    U8,
    U32,
    U64,
    Array,
    BuildContext,
    Codec,
    Map,
    Optional,
    Struct,
)
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder, typed
from streamsave.errors import EditError
from streamsave.formats.unreal.codecs import DATE_TIME
from streamsave.formats.unreal.pool import NONE
from streamsave.values import Text

__all__ = ["HISTORIES", "TextCodec", "text_codec"]

#: History -> its name, and the field that is the source of the text.
HISTORIES: Final = {
    -1: ("none", "culture_invariant"),
    0: ("base", "source"),
    1: ("named_format", "format"),
    2: ("ordered_format", "format"),
    3: ("argument_format", "format"),
    4: ("number", "value"),
    5: ("percent", "value"),
    6: ("currency", "value"),
    7: ("date", "moment"),
    8: ("time", "moment"),
    9: ("date_time", "moment"),
    10: ("transform", "text"),
    11: ("string_table", "key"),
    12: ("generator", ""),
    13: ("raw", "text"),
}
KINDS: Final = {name: kind for kind, (name, _) in HISTORIES.items()}
#: Type of an argument that is a text. A value does not have the types of the others.
TEXT: Final = 4
NO_GENERATOR: Final = frozenset(("", NONE))
#: A text that has no history.
OLD_TEXT: Final = Struct("", None, source=STRING, namespace=STRING, key=STRING, flags=U32)


def pair_of(least: object, most: object) -> tuple[object, object]:
    return least, most


DIGITS: Final = Struct("", pair_of, least=I32, most=I32)


class Argument(Codec):
    """An argument: its type, and a value of one of these codecs."""

    def __init__(self, codecs: list[Codec]) -> None:
        super().__init__("argument", -1, 2)
        self._codecs = codecs

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        kind = cursor.u8()
        if kind >= len(self._codecs):
            raise cursor.unsupported("unknown type of a text argument", expected="0 to 5", actual=kind)
        return self._codecs[kind].decode(cursor, context)

    def encode(self, value: object, encoder: Encoder) -> None:
        if not isinstance(value, Text):
            raise EditError("a text with this history can only be replaced as bytes", value)
        U8.encode(TEXT, encoder)
        self._codecs[TEXT].encode(value, encoder)


class TextCodec(Codec):
    """FText of one version.

    Args:
        invariant_flag: history -1 has `has` (`EDITOR_CULTURE_INVARIANT`).
        always_sign: number options start with that field (`EDITOR_ALWAYS_SIGN`).
        wide_integers: integers among the arguments of history 3 have 64 bits (`UE5_RELEASE_WIDE_ARGUMENTS`).
        currency_code: history 6 starts with it (`UE4_CURRENCY_CODE`).
        time_zone: histories 7 to 9 have it (`UE4_TIME_ZONE`).
        has_history: flags and history come first, not flags alone last (`UE4_TEXT_HISTORY`).
    """

    def __init__(
        self,
        *,
        invariant_flag: bool = True,
        always_sign: bool = True,
        wide_integers: bool = False,
        currency_code: bool = True,
        time_zone: bool = True,
        has_history: bool = True,
    ) -> None:
        super().__init__("text", -1, 5)
        self._invariant_flag = invariant_flag
        self._has_history = has_history
        wide = Argument([I64, U64, F32, F64, self, I32])
        narrow = wide if wide_integers else Argument([I32, U32, F32, F64, self, I32])
        sign: dict[str, Codec] = {"always_sign": BOOL32} if always_sign else {}
        options = Struct("", None, **sign, grouping=BOOL32, rounding=I8, integral_digits=DIGITS, fractional_digits=DIGITS)
        value: dict[str, Codec] = {"value": wide, "options": Optional(options), "culture": STRING}
        code: dict[str, Codec] = {"code": STRING} if currency_code else {}
        moment: dict[str, Codec] = {"moment": DATE_TIME, "style": I8}
        place: dict[str, Codec] = {"time_zone": STRING, "culture": STRING} if time_zone else {"culture": STRING}
        #: The fields of each history, of -1 first.
        self._histories: list[dict[str, Codec]] = [
            {"culture_invariant": STRING},
            {"namespace": STRING, "key": STRING, "source": STRING},
            {"format": self, "arguments": Map(STRING, wide)},
            {"format": self, "arguments": Array(wide)},
            {"format": self, "arguments": Map(STRING, narrow)},
            value,
            value,
            {**code, **value},
            {**moment, **place},
            {**moment, **place},
            {**moment, "time_style": I8, **place},
            {"text": self, "transform": U8},
            {"table": STRING, "key": STRING},
            {"generator": NAME, "contents": BYTES},
            {"text": STRING},
        ]

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        context.build.enter(cursor)
        try:
            return self._text(cursor, context) if self._has_history else self._old_text(cursor, context)
        finally:
            context.build.leave()

    def _text(self, cursor: Cursor, context: BuildContext) -> Text:
        flags = cursor.u32()
        kind = cursor.i8()
        if kind not in HISTORIES:
            raise cursor.unsupported("unknown text history", expected="-1 to 13", actual=kind)
        name, source_field = HISTORIES[kind]
        fields: dict[str, object] = {}
        if kind != -1 or (self._invariant_flag and cursor.bool32()):
            for field, codec in self._histories[kind + 1].items():
                is_left_out = field == "contents" and fields["generator"] in NO_GENERATOR
                fields[field] = None if is_left_out else codec.decode(cursor, context)
        context.spend(1 + len(fields), 0)
        source = fields.get(source_field, "")
        return Text(flags, name, source.source if isinstance(source, Text) else str(source), fields)

    def _old_text(self, cursor: Cursor, context: BuildContext) -> Text:
        values = OLD_TEXT.decode(cursor, context)
        assert isinstance(values, dict)  # noqa: S101 - a struct without a class is a dict
        fields = {name: values[name] for name in self._histories[1]}
        return Text(values["flags"], "base", values["source"], fields)

    def encode(self, value: object, encoder: Encoder) -> None:
        text = typed(value, Text, "a Text")
        kind = KINDS.get(text.history)
        if kind is None:
            raise EditError("a text with this history can only be replaced as bytes", text.history)
        fields = text.fields
        codecs = self._histories[kind + 1 if self._has_history else 1]
        if kind == -1 and not (self._invariant_flag and fields):
            codecs = {}
        if list(fields) != list(codecs):
            raise EditError("fields of a text", list(fields), list(codecs))
        if not self._has_history:
            OLD_TEXT.encode({**fields, "flags": text.flags}, encoder)
            return
        U32.encode(text.flags, encoder)
        I8.encode(kind, encoder)
        if kind == -1 and self._invariant_flag:
            BOOL32.encode(bool(fields), encoder)
        for name, codec in codecs.items():
            if name != "contents" or fields[name] is not None:
                codec.encode(fields[name], encoder)


#: Return the codec of one version, see `TextCodec`. It contains itself: if each reader had its own, it would not be freed.
text_codec: Final = cache(TextCodec)

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

from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import BYTES, BuildContext, Codec
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder
from streamsave.errors import EditError
from streamsave.formats.unreal.codecs import ticks_of
from streamsave.values import DateTime, Text

__all__ = ["TextCodec"]

HISTORIES: Final = {
    -1: "none",
    0: "base",
    1: "named_format",
    2: "ordered_format",
    3: "argument_format",
    4: "number",
    5: "percent",
    6: "currency",
    7: "date",
    8: "time",
    9: "date_time",
    10: "transform",
    11: "string_table",
    12: "generator",
    13: "raw",
}
KINDS: Final = {name: kind for kind, name in HISTORIES.items()}
#: Histories with arguments, whose types a value does not have.
WITH_ARGUMENTS: Final = frozenset(range(1, 7))


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
        self._always_sign = always_sign
        self._wide_integers = wide_integers
        self._currency_code = currency_code
        self._time_zone = time_zone
        self._has_history = has_history

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return self._text(cursor, context, 0)

    def _text(self, cursor: Cursor, context: BuildContext, depth: int) -> Text:
        if depth > cursor.limits.depth:
            raise cursor.exceeded("depth", depth)
        if not self._has_history:
            return self._old_text(cursor, context)
        flags = cursor.u32()
        kind = cursor.i8()
        history = HISTORIES.get(kind)
        if history is None:
            raise cursor.unsupported("unknown text history", expected="-1 to 13", actual=kind)
        fields: dict[str, object] = {}
        source = ""
        if kind == -1:
            if self._invariant_flag and cursor.bool32():
                source = cursor.string()
                fields["culture_invariant"] = source
        elif kind == 0:
            fields["namespace"] = cursor.string()
            fields["key"] = cursor.string()
            source = cursor.string()
            fields["source"] = source
        elif kind <= 3:
            template = self._text(cursor, context, depth + 1)
            source = template.source
            fields["format"] = template
            fields["arguments"] = self._arguments(cursor, context, kind, depth)
        elif kind <= 6:
            if kind == 6 and self._currency_code:
                fields["code"] = cursor.string()
            value = self._argument(cursor, context, depth, wide=True)
            source = str(value)
            fields["value"] = value
            fields["options"] = self._options(cursor) if cursor.bool32() else None
            fields["culture"] = cursor.string()
        elif kind <= 9:
            moment = DateTime(cursor.i64())
            source = str(moment)
            fields["moment"] = moment
            fields["style"] = cursor.i8()
            if kind == 9:
                fields["time_style"] = cursor.i8()
            if self._time_zone:
                fields["time_zone"] = cursor.string()
            fields["culture"] = cursor.string()
        elif kind == 10:
            inner = self._text(cursor, context, depth + 1)
            source = inner.source
            fields["text"] = inner
            fields["transform"] = cursor.u8()
        elif kind == 11:
            fields["table"] = cursor.string()
            source = cursor.string()
            fields["key"] = source
        elif kind == 12:
            generator = cursor.name()
            fields["generator"] = generator
            fields["contents"] = BYTES.decode(cursor, context) if generator not in {"", "None"} else None
        else:
            source = cursor.string()
            fields["text"] = source
        context.spend(1 + len(fields), len(source))
        return Text(flags, history, source, fields)

    def _old_text(self, cursor: Cursor, context: BuildContext) -> Text:
        source = cursor.string()
        fields: dict[str, object] = {"namespace": cursor.string(), "key": cursor.string(), "source": source}
        context.spend(1 + len(fields), len(source))
        return Text(cursor.u32(), "base", source, fields)

    def _arguments(self, cursor: Cursor, context: BuildContext, kind: i64, depth: int) -> list[object]:
        """Read the arguments of a format: (name, value) pairs, or bare values in history 2."""
        arguments: list[object] = []
        for _ in range(cursor.count(2)):
            if kind == 2:
                arguments.append(self._argument(cursor, context, depth, wide=True))
            else:
                name = cursor.string()
                arguments.append((name, self._argument(cursor, context, depth, wide=kind == 1 or self._wide_integers)))
        context.spend(len(arguments), 0)
        return arguments

    def _argument(self, cursor: Cursor, context: BuildContext, depth: int, *, wide: bool) -> object:
        kind = cursor.u8()
        if kind == 0:
            return cursor.i64() if wide else cursor.i32()
        if kind == 1:
            return cursor.u64() if wide else cursor.u32()
        if kind == 2:
            return cursor.f32()
        if kind == 3:
            return cursor.f64()
        if kind == 4:
            return self._text(cursor, context, depth + 1)
        if kind == 5:
            return cursor.i32()
        raise cursor.unsupported("unknown type of a text argument", expected="0 to 5", actual=kind)

    def _options(self, cursor: Cursor) -> dict[str, object]:
        options: dict[str, object] = {}
        if self._always_sign:
            options["always_sign"] = cursor.bool32()
        options["grouping"] = cursor.bool32()
        options["rounding"] = cursor.i8()
        options["integral_digits"] = (cursor.i32(), cursor.i32())
        options["fractional_digits"] = (cursor.i32(), cursor.i32())
        return options

    # --- encode ---

    def encode(self, value: object, encoder: Encoder) -> None:
        if not isinstance(value, Text):
            raise EditError("not a Text", value)
        kind = KINDS.get(value.history)
        if kind is None or kind in WITH_ARGUMENTS:
            raise EditError("a text with this history can only be replaced as bytes", value.history)
        fields = value.fields
        names = self._names(kind, fields)
        if list(fields) != names:
            raise EditError("fields of a text", list(fields), names)
        if not self._has_history:
            for name in ("source", "namespace", "key"):
                encoder.string(fields[name])
            encoder.u32(value.flags)
            return
        encoder.u32(value.flags)
        encoder.i8(kind)
        if kind == -1 and self._invariant_flag:
            encoder.bool32(bool(fields))
        for name in names:
            field = fields[name]
            if name == "text" and kind == 10:
                self.encode(field, encoder)
            elif name == "moment":
                encoder.i64(ticks_of(field))
            elif name in {"style", "time_style"}:
                encoder.i8(field)
            elif name == "transform":
                encoder.u8(field)
            elif name == "generator":
                encoder.name(field)
            elif name == "contents":
                if field is not None:
                    BYTES.encode(field, encoder)
            else:
                encoder.string(field)

    def _names(self, kind: int, fields: dict[str, object]) -> list[str]:
        """Return the names of the fields of a history, in their order."""
        if kind == -1:
            return ["culture_invariant"] if self._invariant_flag and fields else []
        if kind == 0 or not self._has_history:
            return ["namespace", "key", "source"]
        if kind <= 9:
            zone = ["time_zone"] if self._time_zone else []
            return ["moment", "style", *(["time_style"] if kind == 9 else []), *zone, "culture"]
        return {10: ["text", "transform"], 11: ["table", "key"], 12: ["generator", "contents"], 13: ["text"]}[kind]

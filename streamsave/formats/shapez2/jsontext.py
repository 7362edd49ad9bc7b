"""JSON text -> tokens with their places, in constant memory -> events.

`ijson` parses what it is fed and gives no positions. So it is fed pieces that end where a token can end (a bracket, a comma, a
quote): the last token of a piece ends there too. A number or a word is complete only when something follows, and ends before
that.

| piece | events |
|---|---|
| object, array | `StructEnter`, its members, `StructExit`, which claims the closing bracket |
| string, number, word | `Field`; claims all bytes since the last token too: its key, the comma, white space |

So a leaf is a comma (but for the first member or element), the key and colon of a member, and the value. White space may be
between them, and after a number or word.

The module is long because tokens, values and events are made in one pass.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final, TypeVar

from mypy_extensions import mypyc_attr

from streamsave._native import i64
from streamsave.decode.codecs import BuildContext, Codec
from streamsave.decode.cursor import Cursor
from streamsave.decode.reader import Reader
from streamsave.errors import EditError, SaveError, shown_value
from streamsave.events import Event, StructEnter, StructExit
from streamsave.input.windows import Windows
from streamsave.limits import Limits

__all__ = [
    "ENDS",
    "JSON_ARRAY",
    "JSON_COMMA",
    "JSON_OBJECT",
    "OTHER",
    "STARTS",
    "JsonLeaf",
    "JsonTokens",
    "JsonValue",
    "JsonWalker",
    "Role",
    "Summary",
    "Token",
    "join",
    "json_prefix_size",
]

#: Type names of the nestings that JSON makes.
JSON_OBJECT: Final = "JsonObject"
JSON_ARRAY: Final = "JsonArray"

#: Python reads no number of more than 4300 digits, and the parser in C crashes on one. Half of it: a window may end inside.
LONG_NUMBER: Final = re.compile(rb"[0-9]{2000}")
#: A whole string, a string that begins and does not end here, a bracket, a comma after a word, which may end the last window.
TOKEN_END: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|"|[\[\]{}]|(?:(?<=[0-9A-Za-z.])|\A)[ \t\r\n]*,', re.DOTALL)
STRING_END: Final = re.compile(rb'"')
#: Kinds of token: that open, that close, that are complete only when something follows, that have a text.
STARTS: Final = frozenset({"start_map", "start_array"})
ENDS: Final = frozenset({"end_map", "end_array"})
WORDS: Final = frozenset({"number", "boolean", "null"})
TEXTS: Final = frozenset({"string", "map_key"})
TYPE_NAMES: Final[dict[type, str]] = {str: "str", int: "int", float: "float", bool: "bool", type(None): "null"}
QUOTE: Final = b'"'
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
#: What may follow the text: white space, or zeros that fill a buffer.
FILLER: Final = b" \t\r\n\0"


class Token:
    """One token: `map_key`, `string`, `number`, `boolean`, `null`, `start_map`, ...; it starts where the last one ended."""

    def __init__(self, kind: str, value: object, start: int, end: int) -> None:
        self.kind = kind
        self.value = value
        self.start = start
        self.end = end


JSON_COMMA: Final = re.compile(rb"[ \t\r\n]*,")
#: The bytes of a leaf before its value.
PREFIX: Final = re.compile(rb'(?:\xef\xbb\xbf)?[ \t\r\n]*,?[ \t\r\n]*(?:"(?:[^"\\]|\\.)*"[ \t\r\n]*:[ \t\r\n]*)?', re.DOTALL)
#: Which values may replace one, by its type.
REPLACEMENTS: Final[dict[str, tuple[type, ...]]] = {
    "null": (bool, int, float, str),
    "bool": (bool,),
    "int": (int,),
    "float": (int, float),
    "str": (str,),
}
#: The integers that a game may read.
INTEGERS: Final = (-(1 << 63), (1 << 64) - 1)


def json_prefix_size(raw: bytes) -> int:
    """Return how many bytes of a leaf are before its value."""
    found = PREFIX.match(raw)
    return 0 if found is None else found.end()


class JsonLeaf(Codec):
    """A leaf of JSON text, whose bytes hold more than its value."""

    def replaced(self, raw: bytes, value: object) -> bytes:
        """Return a leaf, of which `raw` are the bytes, with another value.

        Raises:
            EditError: the value does not fit.
        """
        raise NotImplementedError


class JsonValue(JsonLeaf):
    """A value that was read with its token."""

    def __init__(self, value: object, size: i64) -> None:
        super().__init__(TYPE_NAMES[type(value)], size, 0)
        self.value = value

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        value = self.value
        context.spend(0, len(value) if isinstance(value, str) else 0)
        return value

    def replaced(self, raw: bytes, value: object) -> bytes:
        """Do as `JsonLeaf.replaced`: a value of the same kind; null may become any other, and any other null."""
        kinds = REPLACEMENTS[self.name]
        if value is not None and (not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds)):
            raise EditError("another kind of value", value, f"one like {shown_value(self.value)}")
        if self.name == "int" and isinstance(value, int) and not INTEGERS[0] <= value <= INTEGERS[1]:
            raise EditError("out of range", value, "an integer of 64 bits")
        new = value
        if self.name == "float" and isinstance(value, int):
            try:
                new = float(value)
            except OverflowError:
                raise EditError("out of range", value, "a float of 8 bytes") from None
        try:
            text = json.dumps(new, ensure_ascii=False, allow_nan=False).encode()
        except ValueError:  # of UnicodeEncodeError, too
            raise EditError("JSON cannot have it", value) from None
        return raw[: json_prefix_size(raw)] + text


def join(key: Token, value: Token) -> Token:
    """Return the first token of a member, which claims the bytes of its key too."""
    return Token(value.kind, value.value, key.start, value.end)


class JsonTokens:
    """The tokens of one JSON value that starts at or after `start`, in the inflated stream up to `end`.

    Raises, from `next`:
        DamagedSave: the text is no JSON, or ends too early.
        LimitExceeded: a string above `Limits.string_size`, nesting above `Limits.depth`.
    """

    def __init__(self, windows: Windows, limits: Limits, start: int, end: int) -> None:
        # Imported here, because only saves with JSON need it. It has no types.
        ijson: Any = import_module("ijson")

        self._faults: tuple[type[Exception], ...] = (ijson.JSONError, ValueError, ArithmeticError)
        self._windows = windows
        self._limits = limits
        self._errors = Cursor(windows, limits)
        self._made: Any = ijson.sendable_list()
        self._parser: Any = ijson.basic_parse_coro(self._made)
        self._at: int = start
        self._stop: int = end
        self._window = b""
        self._window_offset: int = start
        #: The piece that was fed last ends where a token can end; it ends inside of a string.
        self._cut = False
        self._in_string = False
        self._next: int = 0
        self._fault = False
        self._depth: int = 0
        #: The token that `peek` has found.
        self._ahead: Token | None = None
        #: The last token.
        self.last = Token("", None, start, start)
        if windows.window(start)[start - windows.window_offset :].startswith(BYTE_ORDER_MARK):
            self._at += len(BYTE_ORDER_MARK)

    def peek(self) -> None:
        """Read the next token without going to it: it shows that the last one was where it seemed to be.

        Raises:
            SaveError: as `next` does.
        """
        last = self.last
        self._ahead = self.next()
        self.last = last

    def next(self) -> Token:
        """Return the next token of the value."""
        ahead = self._ahead
        if ahead is not None:
            self._ahead = None
            self.last = ahead
            return ahead
        while self._next >= len(self._made):
            self._feed()
        kind, value = self._made[self._next]
        self._next += 1
        start = self.last.end
        end = self._at
        if kind in WORDS:
            if self._cut:
                end -= 1
            if kind == "number" and not isinstance(value, int):
                value = float(value)
        elif kind in STARTS:
            self._depth += 1
            if self._depth > self._limits.depth:
                raise self._error_at(start).exceeded("depth", self._depth)
        elif kind in ENDS:
            self._depth -= 1
        elif kind in TEXTS and len(value) > self._limits.string_size:
            raise self._error_at(start).exceeded("string_size", len(value))
        self.last = Token(kind, value, start, end)
        return self.last

    def skip_value(self, first: Token) -> int:
        """Pass over the rest of the value whose first token is given; return where it ends."""
        if first.kind in STARTS:
            depth = self._depth
            while self._depth >= depth:
                self.next()
        return self.last.end

    def check_filler(self) -> int:
        """Return where the stream ends.

        Raises:
            DamagedSave: something other than filler follows the value.
        """
        at = self.last.end
        while at < self._stop:
            window = self._windows.window(at)
            if not window:
                break
            piece = window[at - self._windows.window_offset :][: self._stop - at]
            left = piece.lstrip(FILLER)
            if left:
                raise self._damaged(at + len(piece) - len(left), "something follows the JSON value")
            at += len(piece)
        return at

    def _feed(self) -> None:
        """Feed the parser up to the next place where a token can end."""
        self._made.clear()
        self._next = 0
        if self._fault:
            raise self._damaged(self.last.end, "no sound JSON")
        at = self._at - self._window_offset
        if at >= len(self._window):
            self._window = b"" if self._at >= self._stop else self._windows.window(self._at)
            self._window_offset = self._windows.window_offset
            at = self._at - self._window_offset
            if not self._window:
                raise self._damaged(self._at, "JSON ends too early")
            self._window = self._window[: self._stop - self._window_offset]
        in_string = self._in_string
        found = (STRING_END if in_string else TOKEN_END).search(self._window, at)
        end = len(self._window) if found is None else found.end()
        self._cut = found is not None
        self._at = self._window_offset + end
        if self._at - self.last.end > 6 * self._limits.string_size:  # the longest way to write a byte is \u0000
            raise self._error_at(self.last.end).exceeded("string_size", self._at - self.last.end)
        if not in_string and LONG_NUMBER.search(self._window, at, end) is not None:
            raise self._damaged(self.last.end, "number of too many digits")
        try:
            self._parser.send(self._window[at:end])
        except self._faults:
            # The tokens before the fault come first.
            self._fault = True
        self._in_string = not self._made if in_string else found is not None and found.group() == QUOTE

    # --- errors ---

    def _error_at(self, offset: int) -> Cursor:
        self._errors.seek(offset)
        return self._errors

    def _damaged(self, offset: int, message: str) -> SaveError:
        return self._errors.damaged(message, offset=offset)


#: What a value is to who walks it, see `JsonWalker.part`.
Role = tuple[str, str]
OTHER: Final[Role] = ("", "")


# A subclass is not compiled.
@mypyc_attr(allow_interpreted_subclasses=True)
class JsonWalker:
    """Make events of JSON values."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def value(self, tokens: JsonTokens, first: Token, name: str, index: int = -1, role: Role = OTHER) -> Iterator[Event]:
        """Yield the events of a value whose first token is given."""
        if first.kind not in STARTS:
            yield self.field(first, name, index)
            return
        steps = self._reader.steps
        is_array = first.kind == "start_array"
        self._reader.cursor.seek(first.end)
        type_name = JSON_ARRAY if is_array else JSON_OBJECT
        yield StructEnter(first.start, name, type_name, first.end - first.start, -1, index, -1)
        steps.append(name if index < 0 else index)
        position = 0
        while (token := tokens.next()).kind not in ENDS:
            if is_array:
                yield from self.part(tokens, token, "", position, role)
                position += 1
            else:
                yield from self.part(tokens, join(token, tokens.next()), str(token.value), -1, role)
        steps.pop()
        yield StructExit(token.start, name, token.end - token.start)

    def part(self, tokens: JsonTokens, first: Token, name: str, index: int, role: Role) -> Iterator[Event]:
        """Return the events of a member or element; `role` is that of the object or array it is in."""
        return self.value(tokens, first, name, index)

    def field(self, token: Token, name: str, index: int = -1) -> Event:
        """Return the event of a string, number or word."""
        self._reader.cursor.seek(token.end)
        return self._reader.passed(name, JsonValue(token.value, token.end - token.start), token.start, index)


# --- values by their places ---

T = TypeVar("T")
#: Parts of a place that are looked at: all that are asked for have fewer, and shorter ones.
MOST_STEPS: Final = 8
LONGEST_STEP: Final = 64


class Summary:
    """Scalars of a JSON text by their places in it, `a/b/c`: those asked for.

    Reading ends before the place `stop`, if those that are `needed` are known by then.
    """

    def __init__(
        self, tokens: JsonTokens, keys: frozenset[str], stop: str | None = None, needed: frozenset[str] = frozenset()
    ) -> None:
        self.values: dict[str, object] = {}
        #: For each open nesting: the key of a member, or the number of an element.
        steps: list[object] = []
        while True:
            token = tokens.next()
            if token.kind == "map_key":
                steps[-1] = str(token.value)[:LONGEST_STEP]
                continue
            if token.kind in ENDS:
                steps.pop()
            else:
                if steps and isinstance(steps[-1], int):
                    steps[-1] += 1
                place = "/".join(map(str, steps[:MOST_STEPS]))
                if token.kind in STARTS:
                    if place == stop and self.values.keys() >= needed:
                        return
                    steps.append(-1 if token.kind == "start_array" else "")
                elif place in keys:
                    self.values[place] = token.value
            if not steps:
                return

    def value(self, key: str, kind: type[T]) -> T | None:
        """Return a str, an int or a float, or None where the place has none; an integer is a float, too."""
        value = self.values.get(key)
        if kind is float and isinstance(value, int) and value.bit_length() <= 1000:
            value = float(value)
        return value if isinstance(value, kind) and not isinstance(self.values.get(key), bool) else None

    def flag(self, key: str) -> bool:
        """Return a bool, which may be written as a number; False where the place has none."""
        value = self.values.get(key)
        return isinstance(value, (bool, int, float)) and value != 0

    def version(self, cursor: Cursor, key: str) -> int:
        """Return the version, which decides the layouts.

        Raises:
            UnsupportedSave: there is none, or one below 1.
        """
        version = self.value(key, int)
        if version is None or not 0 < version < 1 << 31:
            raise cursor.unsupported(f"version {key}", expected="1 or later", actual=self.values.get(key, "nothing"))
        return version

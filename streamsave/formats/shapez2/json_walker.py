"""JSON text -> events.

| piece | events |
|---|---|
| object, array | `StructEnter`, its members, `StructExit`, which claims the closing bracket |
| string, number, word | `Field`; claims all bytes since the last token too: its key, the comma, white space |
"""

from __future__ import annotations

from collections.abc import Iterator

from streamsave.decode.reader import Reader
from streamsave.events import Event, StructEnter, StructExit
from streamsave.formats.shapez2.jsontext import JSON_ARRAY, JSON_OBJECT, STARTS, JsonTokens, JsonValue, Token

__all__ = ["JsonWalker", "join"]


def join(key: Token, value: Token) -> Token:
    """Return the first token of a member, which claims the bytes of its key too."""
    return Token(value.kind, value.value, key.start, value.end)


class JsonWalker:
    """Make events of JSON values."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def value(self, tokens: JsonTokens, first: Token, name: str, index: int = -1) -> Iterator[Event]:
        """Yield the events of a value whose first token is given."""
        if first.kind in STARTS:
            steps = self._reader.steps
            yield self.enter(first, name, index)
            steps.append(name if index < 0 else index)
            yield from self._members(tokens, is_array=first.kind == "start_array")
            steps.pop()
            yield StructExit(tokens.start, name, tokens.end - tokens.start)
        else:
            yield self.field(first, name, index)

    def enter(self, token: Token, name: str, index: int = -1) -> StructEnter:
        """Return the event that opens an object or array."""
        self._reader.cursor.seek(token.end)
        type_name = JSON_ARRAY if token.kind == "start_array" else JSON_OBJECT
        return StructEnter(token.start, name, type_name, token.end - token.start, -1, index, -1)

    def field(self, token: Token, name: str, index: int = -1) -> Event:
        """Return the event of a string, number or word."""
        reader = self._reader
        reader.cursor.seek(token.end)
        return reader.passed(name, JsonValue(token.value, token.end - token.start), token.start, index)

    def _members(self, tokens: JsonTokens, *, is_array: bool) -> Iterator[Event]:
        """Yield the events of the members of an open object or array; read its closing bracket."""
        index = 0
        while True:
            token = tokens.next()
            if is_array:
                if token.kind == "end_array":
                    break
                yield from self.value(tokens, token, "", index)
                index += 1
            else:
                if token.kind == "end_map":
                    break
                yield from self.value(tokens, join(token, tokens.next()), str(token.value))

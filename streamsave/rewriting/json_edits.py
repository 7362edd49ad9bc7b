"""Edits of JSON text: a member or element is left out with the comma that it needs."""

from __future__ import annotations

from typing import Final

from streamsave.events import Field
from streamsave.formats.shapez2.configs import DecodedConfiguration
from streamsave.formats.shapez2.game_reader import GameReader
from streamsave.formats.shapez2.json_leaf import JSON_COMMA, json_prefix_size
from streamsave.formats.shapez2.jsontext import JSON_ARRAY, JSON_OBJECT, JsonValue

__all__ = ["JSON_NESTINGS", "before_json_value", "json_span"]

#: Type names of the nestings of JSON.
JSON_NESTINGS: Final = (JSON_ARRAY, JSON_OBJECT)
#: A comma and the white space before it have fewer bytes, in anything that writes JSON.
COMMA_SIZE: Final = 65536


def json_span(reader: GameReader, start: int, end: int, edited_to: int) -> tuple[int, int]:
    """Return the bytes to leave out with a member or element: a comma before it, or after it if it is the first that is left."""
    if start >= edited_to and JSON_COMMA.match(reader.bytes_at(start, COMMA_SIZE)):
        return start, end
    after = JSON_COMMA.match(reader.bytes_at(end, COMMA_SIZE))
    return max(start, edited_to), end if after is None else end + after.end()


def before_json_value(reader: GameReader, event: Field) -> int:
    """Return how many bytes of a leaf are before its value."""
    if isinstance(reader.codec, (JsonValue, DecodedConfiguration)):
        return json_prefix_size(reader.bytes_at(event.offset, event.size))
    return 0

"""JSON values -> events whose spans cover the text."""

from __future__ import annotations

from shapez2_cursors import reader_over

from streamsave import Field, StructEnter, StructExit
from streamsave.formats.shapez2.json_walker import JsonWalker, join
from streamsave.formats.shapez2.jsontext import JsonTokens, Token


def test_events():
    text = b' {"a": [1, "x"], "b":null }'
    reader = reader_over(text)
    tokens = JsonTokens(reader.windows, reader.limits, 0, len(text))
    events = []
    paths = []
    values = []
    for event in JsonWalker(reader).value(tokens, tokens.next(), "value"):
        events.append(event)
        paths.append(reader.path())
        if isinstance(event, Field):
            values.append(reader.value(event))
    assert events == [
        StructEnter(0, "value", "JsonObject", 2, -1, -1, -1),
        StructEnter(2, "a", "JsonArray", 6, -1, -1, -1),
        Field(8, "", "int", 1, 0),
        Field(9, "", "str", 5, 1),
        StructExit(14, "a", 1),
        Field(15, "b", "null", 11, -1),
        StructExit(26, "value", 1),
    ]
    assert values == [1, "x", None]
    assert paths[2:4] == [("value", "a", 0), ("value", "a", 1)]
    assert reader.steps == []


def test_join():
    token = join(Token("map_key", "a", 3, 6), Token("number", 5, 6, 9))
    assert (token.kind, token.value, token.start, token.end) == ("number", 5, 3, 9)

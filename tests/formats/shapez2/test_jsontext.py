"""JSON text: tokens and their places, events whose spans cover it, other values, and what is refused."""

import pytest
from cursors import windows_over
from saves import raises
from shapez2_cursors import reader_over

from streamsave import DamagedSave, Field, LimitExceeded, Limits, StructEnter, StructExit
from streamsave.errors import EditError
from streamsave.formats.shapez2.jsontext import ENDS, STARTS, JsonTokens, JsonValue, JsonWalker, Token, json_prefix_size
from streamsave.input.windows import BytesWindows


def tokens_of(text: bytes, limits: Limits | None = None, window: int = 0) -> list[Token]:
    tokens = JsonTokens(windows_over(text, window) if window else BytesWindows(text), limits or Limits(), 0, len(text))
    found = [tokens.next()]
    depth = found[0].kind in STARTS
    while depth:
        found.append(tokens.next())
        depth += (found[-1].kind in STARTS) - (found[-1].kind in ENDS)
    tokens.check_filler()
    return found


TEXT = b' {"a": [1, -2.5e1 , true,null], "\\u00f6" :"x\\"y", "b":{}}'


@pytest.mark.parametrize("window", [0, 1, 2, 3, 7, 64])
def test_tokens_cover_the_text(window):
    found = tokens_of(TEXT, window=window)
    assert [(token.kind, token.value) for token in found] == [
        ("start_map", None),
        ("map_key", "a"),
        ("start_array", None),
        ("number", 1),
        ("number", -25.0),
        ("boolean", True),
        ("null", None),
        ("end_array", None),
        ("map_key", "\xf6"),
        ("string", 'x"y'),
        ("map_key", "b"),
        ("start_map", None),
        ("end_map", None),
        ("end_map", None),
    ]
    assert [token.start for token in found] == [0, *(token.end for token in found[:-1])]
    assert found[-1].end == len(TEXT)


@pytest.mark.parametrize(
    ("text", "kind"),
    [(b'"abc"', "string"), (b"[]", "start_array"), (b"\xef\xbb\xbf[]", "start_array"), (b"[] \t\r\n\0\0", "start_array")],
)
def test_texts_that_are_read(text, kind):
    assert tokens_of(text)[0].kind == kind


@pytest.mark.parametrize("text", [b"", b"[", b"[1", b'["a', b"[1 2]", b"{1:2}", b"[nul]", b"]", b'["\\x"]'])
def test_texts_that_are_not(text):
    with pytest.raises(DamagedSave):
        tokens_of(text)


def test_something_after_the_value():
    with raises(DamagedSave, match="something follows the JSON value", offset=4):
        tokens_of(b"[] \0x")


def test_string_size_at_the_limit_and_one_above():
    for text in (b'["abcd"]', b'{"abcd":1}'):
        tokens_of(text, Limits(string_size=4))
        with pytest.raises(LimitExceeded, match="string_size"):
            tokens_of(text, Limits(string_size=3))


def test_depth_at_the_limit_and_one_above():
    tokens_of(b'[{"a":[]}]', Limits(depth=3))
    with raises(LimitExceeded, match="depth", value=3):
        tokens_of(b'[{"a":[]}]', Limits(depth=2))


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


LEAVES = [
    (b"7", 7, 8, b"8"),
    (b",\n  7", 7, -1, b",\n  -1"),
    (b'"a":7', 7, 8, b'"a":8'),
    (b', "a\\": " : "x"', "x", 'y"\n', b', "a\\": " : "y\\"\\n"'),
    (b',"x"', "x", "\u00c4", b',"\xc3\x84"'),
    (b'\xef\xbb\xbf"x"', "x", "", b'\xef\xbb\xbf""'),
    (b'"a":1.5', 1.5, 2, b'"a":2.0'),
    (b'"a":true', True, False, b'"a":false'),
    (b'"a":null', None, "x", b'"a":"x"'),
    (b'"a":"x"', "x", None, b'"a":null'),
]


@pytest.mark.parametrize(("raw", "old", "new", "expected"), LEAVES)
def test_another_value(raw, old, new, expected):
    assert JsonValue(old, 0).replaced(raw, new) == expected
    assert expected.startswith(raw[: json_prefix_size(raw)])


@pytest.mark.parametrize(
    ("old", "new"),
    [(7, True), (7, 7.5), (7, "7"), (1.5, "x"), (1.5, float("nan")), (True, 1), ("x", 1), (None, []), ("x", "\ud800")],
)
def test_what_does_not_fit(old, new):
    with pytest.raises(EditError):
        JsonValue(old, 0).replaced(b"0", new)

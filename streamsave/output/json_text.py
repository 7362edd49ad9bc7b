"""JSON text: one line of UTF-8 for each value, of any depth.

Terminals obey control characters. orjson escapes those below U+0020; this module escapes U+007F to U+009F, too: the text means
the same to every reader of JSON. Beyond some 250 levels orjson refuses a value: this module then writes it piece by piece.

Nearly all values are written without the copy that `to_jsonable` makes: orjson takes numbers, strings, dicts, lists and tuples as
they are, and asks `json_step` about the others.
"""

from __future__ import annotations

import re
from binascii import b2a_base64
from collections.abc import Iterable, Iterator
from typing import Final

from streamsave.decode.json_values import Json, has_unwritable_float, json_step, to_jsonable

try:
    import orjson
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        'tables and JSON text need orjson, of the extras `arrow`, `dask` and `cli`: pip install "streamsave[arrow]"',
        name=missing.name,
    ) from None

__all__ = [
    "PIECE_SIZE",
    "HeldText",
    "escaped",
    "held_json",
    "json_bytes",
    "leaf_text",
    "value_bytes",
    "value_text",
]

#: DEL and the C1 controls, in UTF-8.
CONTROL: Final = re.compile(rb"\x7f|\xc2[\x80-\x9f]")
INDENT: Final = b"  "
#: Bytes of text that make a piece.
PIECE_SIZE: Final = 64 * 1024
#: Most bytes of text that are held in memory; more goes to a temporary file.
HELD_SIZE: Final = 4 * 1024 * 1024
#: Dataclasses and moments of `datetime` are no values of ours: they are refused, not written.
AS_THEY_ARE: Final = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME


def leaf_text(parts: Iterator[tuple[int, list[object] | bytes]]) -> Iterator[bytes]:
    """Yield the text of an array, set, map or of bytes, slice by slice: the same as that of the built value.

    Args:
        parts: what `EventStream.slices` has returned.

    Raises:
        SaveError: an element is damaged, or more than `Limits` allows to build.
    """
    before, end = b"[", b"]"
    for _, elements in parts:
        if not isinstance(elements, bytes):
            yield before + value_text(elements)[1:-1]
            before = b","
            continue
        if end == b"]":
            yield b'{"base64":"'
            end = b'"}'
        yield b2a_base64(elements, newline=False)  # three bytes, or a multiple of that, in all but the last
    yield b"[]" if before == b"[" and end == b"]" else end


class HeldText:
    """Text of any length that is written later: in memory, or in a temporary file.

    Args:
        pieces: of the text.

    Raises:
        OSError, from all methods: the file cannot be used.
    """

    def __init__(self, pieces: Iterable[bytes] = ()) -> None:
        from tempfile import SpooledTemporaryFile  # noqa: PLC0415 - takes long, and most commands hold nothing

        self._file: Final = SpooledTemporaryFile(max_size=HELD_SIZE)  # noqa: SIM115 - closed with the text
        #: Bytes of text.
        self.size = 0
        for piece in pieces:
            self.add(piece)

    def __del__(self) -> None:
        self._file.close()

    def __reduce__(self) -> tuple[object, ...]:
        return HeldText, ([b"".join(self.take())],)

    def add(self, text: bytes) -> None:
        """Add text."""
        self._file.write(text)
        self.size += len(text)

    def take(self) -> Iterator[bytes]:
        """Yield the text in pieces, then discard it."""
        if self.size:
            self._file.seek(0)
            while piece := self._file.read(PIECE_SIZE):
                yield piece
            self.drop()

    def drop(self) -> None:
        """Discard the text."""
        self._file.seek(0)
        self._file.truncate()
        self.size = 0


def held_json(parts: Iterator[tuple[int, list[object] | bytes]]) -> HeldText:
    """Return the text of an array, set, map or of bytes, of which these are the slices.

    Raises:
        SaveError: an element is damaged, or more than `Limits` allows to build.
    """
    return HeldText(map(escaped, leaf_text(parts)))


def value_bytes(value: object) -> bytes:
    """Return a built value, an event or a header as JSON text on one line: what `json_bytes` makes of its `to_jsonable`.

    Raises:
        TypeError: `to_jsonable` cannot express the value.
    """
    return escaped(value_text(value))


def value_text(value: object) -> bytes:
    """Return what `value_bytes` does, but U+007F to U+009F may be as they are: for text that is given to `escaped` later.

    To look for them once in all text takes a thirtieth less time than to look in the text of each value.

    Raises:
        TypeError: `to_jsonable` cannot express the value.
    """
    try:
        data = orjson.dumps(value, json_step, AS_THEY_ARE)
    except orjson.JSONEncodeError:  # a lone surrogate, an int of more than 64 bits, too many levels, or no value of ours
        return json_bytes(to_jsonable(value))
    # orjson writes null for NaN and infinities, as it does for None. (`in` would first try its left side as a number.)
    if data.find(b"null") >= 0 and has_unwritable_float(value):
        return json_bytes(to_jsonable(value))
    return data


def json_bytes(value: Json, *, pretty: bool = False) -> bytes:
    """Return what `to_jsonable` made as JSON text, on one line, or indented if `pretty`.

    Raises:
        TypeError: `to_jsonable` did not make the value.
    """
    try:
        data = orjson.dumps(value, option=orjson.OPT_INDENT_2 if pretty else None)
    except orjson.JSONEncodeError:
        data = _piece_by_piece(value, pretty=pretty)
    return escaped(data)


def escaped(data: bytes) -> bytes:
    """Return JSON text with the controls escaped that orjson leaves as they are."""
    if data.find(b"\x7f") >= 0 or (not data.isascii() and data.find(b"\xc2") >= 0):
        return CONTROL.sub(_escape, data)
    return data


def _escape(found: re.Match[bytes]) -> bytes:
    # The last byte of the UTF-8 of these characters is their number.
    return b"\\u00%02x" % found[0][-1]


def _piece_by_piece(value: Json, *, pretty: bool) -> bytes:
    """Return the bytes that orjson would return if it took values of any depth."""
    pieces: list[bytes] = []
    colon = b": " if pretty else b":"
    #: What is to be written, the next thing last: text as it is, or a value and its level.
    waiting: list[bytes | tuple[Json, int]] = [(value, 0)]
    while waiting:
        item = waiting.pop()
        if isinstance(item, bytes):
            pieces.append(item)
            continue
        part, level = item
        if not part or not isinstance(part, (dict, list)):
            pieces.append(orjson.dumps(part))
            continue
        line = b"\n" + INDENT * (level + 1) if pretty else b""
        if isinstance(part, dict):
            opening, closing = b"{", b"}"
            members = [(orjson.dumps(key) + colon, member) for key, member in part.items()]
        else:
            opening, closing = b"[", b"]"
            members = [(b"", member) for member in part]
        pieces.append(opening)
        waiting.append(line[: -len(INDENT)] + closing if pretty else closing)
        for number in range(len(members) - 1, -1, -1):
            label, member = members[number]
            waiting.append((member, level + 1))
            waiting.append((b"," if number else b"") + line + label)
    return b"".join(pieces)

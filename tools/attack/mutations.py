"""One thing made wrong: a number, a string, a block, a bit.

A mutation changes a `Draft`. Those of `AIMED` know where the numbers and strings of a part are, those of `JSON` know tokens,
those of `BLIND` nothing. Most changes of a size are followed by the lengths around them: the parser must read on after it.

The module is long because it is a list of mutations.
"""

from __future__ import annotations

import base64
import binascii
import random
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from attack.edited import Edited
from attack.fields import FLOAT, INT, STRING, Place
from attack.layers import Part

INT_MAX: Final = (1 << 31) - 1
INT_MIN: Final = -(1 << 31)
#: What a number is set to, besides what depends on the number.
NUMBERS: Final = (0, 1, -1, INT_MIN, INT_MAX)
WIDE_NUMBERS: Final = (-(1 << 63), (1 << 63) - 1, 1 << 32, (1 << 32) - 1, 1 << 62)
FLOATS: Final = (float("nan"), float("inf"), float("-inf"), -0.0, 5e-324, 1e-40, 3.5e38, 1e308)
TEXTS: Final = (
    b"\0",
    b"None\0",
    b"StructProperty\0",
    b"ArrayProperty\0",
    b"MapProperty\0",
    b"SetProperty\0",
    b"BoolProperty\0",
    b"ByteProperty\0",
    b"StrProperty\0",
    b"TextProperty\0",
    b"IntProperty\0",
    b"no NUL",
    b"a\0b\0",
    b"\xff\xfe\x80\0",
    b"../../evil\0",
)
#: A string's length is one of these, or depends on the string.
WIDE_TEXTS: Final = ("ü", "\ud800", "\udc00x", "\U0001f600", "")
#: How much more than its value a length may enclose: what of a tag's header comes after the size.
HEADER_ROOM: Final = 64
#: Lengths smaller than this are numbers of another kind more often than not.
LEAST_LENGTH: Final = 8
LONGEST_BLOCK: Final = 256
#: How many of the lengths around a change are made to fit, the innermost first; the last is all of them.
DEPTHS: Final = (1, 1, 2, 3, 1000, 1000, 1000)

JSON_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.){0,4096}"|-?[0-9][0-9.eE+-]{0,40}|true|false|null|[\[\]{},:]')
JSON_VALUES: Final = (
    b"0", b"1", b"-1", b"2147483647", b"-2147483648", b"2147483648", b"9223372036854775808", b"1e999", b"0.5", b"1" * 400,
    b"null", b"true", b"[]", b"{}", b'""', b'"\\ud800"', b'"\xff"', b"NaN", b"[" * 200, b'{"a":' * 200, b"", b'"x', b"\0", b"$",
)  # fmt: skip
BASE64: Final = re.compile(rb'"([A-Za-z0-9+/]{4,4000}={0,2})"')


class Draft:
    """A part that is being changed. Places are given as they were: `at` says where they are now."""

    def __init__(self, part: Part, others: Sequence[Part], draw: random.Random) -> None:
        self.data = Edited(part.data)
        self.part = part
        #: Parts to take bytes from.
        self.others = others
        self.draw = draw
        #: What was done, in words.
        self.steps: list[str] = []
        self._moves: list[tuple[int, int]] = []

    def at(self, offset: int) -> int:
        """Return where the bytes that were at `offset` are now."""
        for start, delta in self._moves:
            if offset >= start:
                offset += delta
        return offset

    def set(self, place: Place, value: int) -> None:
        """Write a number as it is stored, cut to its size."""
        at = self.at(place.offset)
        raw = (value & ((1 << 8 * place.size) - 1)).to_bytes(place.size, "little")
        self.data[at : at + place.size] = raw[: max(len(self.data) - at, 0)]

    def replace(self, start: int, end: int, new: bytes, *, depth: int) -> None:
        """Put bytes in place of others; so many of the lengths that enclose them are made to fit, the innermost first."""
        delta = len(new) - (end - start)
        if delta and depth:
            for place in list(self.lengths_around(start, end))[-depth:]:
                self.set(place, self.number_at(place) + delta)
        self.data[start:end] = new
        if delta:
            self._moves.append((end, delta))

    def lengths_around(self, start: int, end: int) -> Iterator[Place]:
        """Find the numbers that may be lengths of what encloses a block."""
        for place in self.part.places:
            at = self.at(place.offset) + place.size
            if at > start:
                break
            if place.kind == INT and place.value >= LEAST_LENGTH and at + place.value + HEADER_ROOM >= end:
                yield place

    def number_at(self, place: Place) -> int:
        """Read a number as it is now."""
        at = self.at(place.offset)
        return int.from_bytes(self.data[at : at + place.size], "little", signed=True)

    def depth(self) -> int:
        """How many lengths shall be made to fit this time."""
        return self.draw.choice(DEPTHS) if self.draw.random() < 0.7 else 0

    def position(self) -> int:
        """Any place in the data; half the time where something starts."""
        places = self.part.places
        if places and self.draw.random() < 0.5:
            return min(self.at(self.draw.choice(places).offset), len(self.data))
        return self.draw.randrange(len(self.data) + 1)

    def block(self) -> tuple[int, int]:
        """Any block: where it starts and ends."""
        start, end = self.position(), self.position()
        if abs(end - start) > LONGEST_BLOCK or self.draw.random() < 0.5:
            end = min(start + self.draw.randrange(1, LONGEST_BLOCK), len(self.data))
        return (start, end) if start <= end else (end, start)


def attack_values(place: Place, draw: random.Random, others: Sequence[Place] = ()) -> int:
    """Choose what a number becomes: an extreme, its neighbour, the neighbour of what encloses it, another number."""
    choice = draw.randrange(10)
    if choice < 4:
        return draw.choice(NUMBERS)
    if choice < 6:
        return place.value + draw.choice((-1, 1))
    if choice == 6 and place.left >= 0:
        return place.left + draw.choice((-1, 0, 1)) - draw.choice((0, place.size))
    if choice == 7 and others:
        return draw.choice(others).value
    if choice == 8 and place.size == 8:
        return draw.choice(WIDE_NUMBERS)
    return draw.choice(
        (place.value * 2, -place.value, draw.randrange(256), draw.randrange(1 << 32), place.value ^ 1 << draw.randrange(32))
    )


# --- aimed


def number(draft: Draft) -> None:
    """Set a number, or the length of a string, to a value that hurts."""
    places = [place for place in draft.part.places if place.kind != FLOAT]
    if not places:
        return header(draft)
    place = draft.draw.choice(places)
    value = attack_values(place, draft.draw, places)
    draft.set(place, value)
    draft.steps.append(f"{place.kind} at {place.offset:#x}: {place.value} -> {value}")
    return None


def header(draft: Draft) -> None:
    """Set a number in a header that is read around the cursor."""
    headers = draft.part.headers
    if not headers:
        return flip(draft)
    start, size = draft.draw.choice(headers)
    width = draft.draw.choice((1, 2, 4, 4, 8))
    offset = start + draft.draw.randrange(max(size - width + 1, 1))
    known = int.from_bytes(draft.part.data[offset : offset + width], "little", signed=True)
    place = Place(offset, width, INT, known, len(draft.part.data) - offset)
    value = attack_values(place, draft.draw)
    draft.set(place, value)
    draft.steps.append(f"header at {offset:#x}: {known} -> {value}")
    return None


def amplify(draft: Draft) -> None:
    """Let a count lie, and the lengths around it with it, so that nothing but the end of the stream contradicts."""
    draw = draft.draw
    places = [place for place in draft.part.places if place.kind == INT]
    if not places:
        return header(draft)
    place = draw.choice(places)
    count = 1 << draw.choice((12, 16, 20, 26, 30))
    draft.set(place, count)
    size = draw.choice((1, 4, 16, 64))
    start = draft.at(place.offset)
    for length in draft.lengths_around(start, start + place.size):
        draft.set(length, min(draft.number_at(length) + count * size, INT_MAX))
    draft.steps.append(f"amplify {place.offset:#x}: {place.value} -> {count}")
    return None


def real(draft: Draft) -> None:
    """Set a float to one that is none, or hardly one."""
    places = [place for place in draft.part.places if place.kind == FLOAT]
    if not places:
        return number(draft)
    place = draft.draw.choice(places)
    value = draft.draw.choice(FLOATS)
    raw = struct.pack("<f" if place.size == 4 and abs(value) < 3.4e38 else "<d", value)[: place.size]
    draft.set(place, int.from_bytes(raw, "little"))
    draft.steps.append(f"float at {place.offset:#x}: {value}")
    return None


def text(draft: Draft) -> None:
    """Put another string in place of one, or make one of what is none."""
    draw = draft.draw
    places = [place for place in draft.part.places if place.kind == STRING]
    if not places:
        return number(draft)
    place = draw.choice(places)
    start = draft.at(place.offset)
    end = min(start + 4 + place.value, len(draft.data))
    choice = draw.randrange(4)
    if choice == 0:
        wide = (draw.choice(WIDE_TEXTS) + draw.choice(("\0", ""))).encode("utf-16-le", "surrogatepass")
        new = struct.pack("<i", -(len(wide) // 2)) + wide
    elif choice == 1:
        other = draw.choice(places)
        new = draft.part.data[other.offset : other.offset + 4 + other.value]
    elif choice == 2:
        made = draw.choice(TEXTS)
        new = struct.pack("<i", len(made)) + made
    else:
        old = bytearray(draft.data[start:end])
        if len(old) > 4:
            old[draw.randrange(4, len(old))] = draw.choice(b"\0\x80\xff")
        new = bytes(old)
    draft.replace(start, end, new, depth=draft.depth())
    draft.steps.append(f"string at {place.offset:#x}: {new[4:40]!r}")
    return None


def structure(draft: Draft) -> None:
    """Take out, double or swap what is between two places."""
    draw = draft.draw
    places = draft.part.places
    if len(places) < 3:
        return block(draft)
    first = draw.randrange(len(places) - 1)
    last = min(first + draw.choice((1, 2, 5, 20)), len(places) - 1)
    start, end = (min(draft.at(places[index].offset), len(draft.data)) for index in (first, last))
    kind = draw.randrange(3)
    content = bytes(draft.data[start:end])
    if kind == 0:
        draft.replace(start, end, b"", depth=draft.depth())
    elif kind == 1:
        draft.replace(end, end, content * draw.choice((1, 1, 2, 20)), depth=draft.depth())
    else:
        place = draw.choice(places)
        at = min(draft.at(place.offset), len(draft.data))
        draft.replace(at, at, content, depth=draft.depth())
    draft.steps.append(f"{('out', 'double', 'copy')[kind]} {start:#x} to {end:#x}")
    return None


def exchange(draft: Draft) -> None:
    """Swap two numbers of the same width: sizes, counts, versions."""
    places = [place for place in draft.part.places if place.kind == INT]
    if len(places) < 2:
        return number(draft)
    one = draft.draw.choice(places)
    near = [place for place in places if place.size == one.size and place.value != one.value]
    if not near:
        return number(draft)
    other = draft.draw.choice(near)
    draft.set(one, other.value)
    draft.set(other, one.value)
    draft.steps.append(f"numbers at {one.offset:#x} and {other.offset:#x} swapped: {one.value}, {other.value}")
    return None


def graft(draft: Draft) -> None:
    """Put what is between two places of another save in, before a place or instead of what is there."""
    draw = draft.draw
    others = [part for part in draft.others if len(part.places) > 2]
    places = draft.part.places
    if len(places) < 3 or not others:
        return structure(draft)
    other = draw.choice(others)
    reach = draw.choice((1, 2, 5, 20))
    first = draw.randrange(len(other.places) - 1)
    last = min(first + reach, len(other.places) - 1)
    content = other.data[other.places[first].offset : other.places[last].offset]
    index = draw.randrange(len(places) - 1)
    end_index = index if draw.random() < 0.5 else min(index + reach, len(places) - 1)
    start, end = (min(draft.at(places[at].offset), len(draft.data)) for at in (index, end_index))
    draft.replace(start, end, content, depth=draft.depth())
    draft.steps.append(f"{len(content)} bytes of another save at {start:#x}, instead of {end - start}")
    return None


# --- JSON


def json_token(draft: Draft) -> None:
    """Put something else in place of a token, or take it out, or double it."""
    draw = draft.draw
    start = draw.randrange(len(draft.data) + 1)
    token = JSON_TOKEN.search(draft.data, start) or JSON_TOKEN.search(draft.data)
    if token is None:
        return flip(draft)
    other = JSON_TOKEN.search(draft.data, draw.randrange(len(draft.data)))
    new = draw.choice((draw.choice(JSON_VALUES), draw.choice(JSON_VALUES), b"", token[0] * 2, other[0] if other else b"0"))
    draft.steps.append(f"token at {token.start():#x}: {bytes(token[0][:30])!r} -> {bytes(new[:30])!r}")
    draft.data[token.start() : token.end()] = new
    return None


def json_base64(draft: Draft) -> None:
    """Change what is inside of base64."""
    draw = draft.draw
    found = BASE64.search(draft.data, draw.randrange(len(draft.data) + 1)) or BASE64.search(draft.data)
    if found is None:
        return json_token(draft)
    try:
        inner = bytearray(base64.b64decode(found[1], validate=True))
    except binascii.Error:
        return json_token(draft)
    at = draw.randrange(len(inner))
    width = draw.choice((1, 2, 4))
    inner[at : at + width] = (draw.choice((*NUMBERS, 2, 255)) & ((1 << 8 * width) - 1)).to_bytes(width, "little")
    draft.data[found.start(1) : found.end(1)] = base64.b64encode(inner)
    draft.steps.append(f"in base64 at {found.start():#x}, byte {at}")
    return None


# --- blind


def flip(draft: Draft) -> None:
    """Flip a bit."""
    if draft.data:
        at = draft.draw.randrange(len(draft.data))
        draft.data[at] ^= 1 << draft.draw.randrange(8)
        draft.steps.append(f"bit of {at:#x}")


def byte(draft: Draft) -> None:
    """Set a byte."""
    if draft.data:
        at = draft.draw.randrange(len(draft.data))
        draft.data[at] = draft.draw.choice((0, 1, 2, 0x7F, 0x80, 0xFF, draft.draw.randrange(256)))
        draft.steps.append(f"byte {at:#x}")


def run(draft: Draft) -> None:
    """Set some bytes to the same value."""
    start, end = draft.block()
    value = draft.draw.choice((b"\0", b"\xff", b"A", b"\x7f"))
    draft.data[start:end] = value * (end - start)
    draft.steps.append(f"run {start:#x} to {end:#x}")


def cut(draft: Draft) -> None:
    """End early."""
    at = draft.position()
    draft.replace(at, len(draft.data), b"", depth=draft.depth() if draft.draw.random() < 0.4 else 0)
    draft.steps.append(f"cut at {at:#x}")


def block(draft: Draft) -> None:
    """Take a block out, double it, or swap it with another."""
    draw = draft.draw
    start, end = draft.block()
    kind = draw.randrange(3)
    if kind == 0:
        draft.replace(start, end, b"", depth=draft.depth())
    elif kind == 1:
        draft.replace(end, end, bytes(draft.data[start:end]), depth=draft.depth())
    else:
        other = draw.randrange(len(draft.data) + 1)
        moved = bytes(draft.data[other : other + end - start])
        draft.data[other : other + len(moved)] = draft.data[start : start + len(moved)]
        draft.data[start : start + len(moved)] = moved
    draft.steps.append(f"{('out', 'double', 'swap')[kind]} {start:#x} to {end:#x}")


def insert(draft: Draft) -> None:
    """Put bytes in: zeros, or any."""
    at = draft.position()
    size = draft.draw.choice((1, 1, 2, 4, 8, 64))
    new = bytes(size) if draft.draw.random() < 0.5 else draft.draw.randbytes(size)
    draft.replace(at, at, new, depth=draft.depth())
    draft.steps.append(f"{size} in at {at:#x}")


def splice(draft: Draft) -> None:
    """Take a block of another save, or its end."""
    other = draft.draw.choice(draft.others).data
    start, end = draft.block()
    at = draft.draw.randrange(len(other) + 1)
    size = draft.draw.choice((end - start, len(other) - at))
    draft.replace(start, end, other[at : at + size], depth=draft.depth())
    draft.steps.append(f"splice {size} at {start:#x}")


AIMED: Final[Sequence[Callable[[Draft], None]]] = (
    number, number, number, amplify, header, real, text, text, structure, exchange, graft,
)  # fmt: skip
BLIND: Final[Sequence[Callable[[Draft], None]]] = (flip, flip, byte, run, cut, block, insert, splice)
JSON: Final[Sequence[Callable[[Draft], None]]] = (json_token, json_token, json_base64)

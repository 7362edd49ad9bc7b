"""One encoded object, stamped many times with other ids and numbers.

A template is encoded once from Python values that hold marks: ids of ten characters, unused numbers. The bytes
around the marks are kept, and a stamp fills the gaps; every stamp of a template has the same length, so the size of
many is known before any is made.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping, Sequence
from random import Random

from attrs import field, frozen

from writer.dialect import Dialect
from writer.primitives import floats
from writer.satisfactory import Encoded, Object

OWN = "@OWN@OWN@@"
OTHER = "@OTH@OTH@@"
THIRD = "@THI@THI@@"

REAL_BYTES = b"\x5a\xa5\xc3\x71"
REAL: float = struct.unpack("<f", REAL_BYTES)[0]
DOUBLE_BYTES = struct.pack("<d", REAL)
COUNT = 0x5AA5C33C
COUNT_BYTES = struct.pack("<i", COUNT)
TRANSFORM_SIZE = 40
PLACED_SIZE = 4

_MARKS = re.compile(b"(" + b"|".join(re.escape(mark) for mark in (
    OWN.encode(), OTHER.encode(), THIRD.encode(), DOUBLE_BYTES, REAL_BYTES, COUNT_BYTES,
)) + b")")  # fmt: skip

Names = Mapping[bytes, bytes]


def names(own: bytes, other: bytes = b"2147483647", third: bytes = b"2147483646") -> Names:
    """The ids to fill in."""
    return {OWN.encode(): own, OTHER.encode(): other, THIRD.encode(): third}


@frozen
class Stamp:
    """Bytes with gaps."""

    size: int
    parts: list[bytes]
    gaps: Sequence[int]

    @classmethod
    def of(cls, data: bytes) -> Stamp:
        """Find the marks."""
        parts = _MARKS.split(data)
        return cls(len(data), parts, range(1, len(parts), 2))

    def fill(self, ids: Names, random: Random) -> bytes:
        """The bytes with all gaps filled: ids as given, numbers at random."""
        if not self.gaps:
            return self.parts[0]
        parts = self.parts.copy()
        for gap in self.gaps:
            mark = parts[gap]
            if mark in ids:
                parts[gap] = ids[mark]
            elif mark == COUNT_BYTES:
                parts[gap] = struct.pack("<i", random.randrange(1, 201))
            elif mark == REAL_BYTES:
                parts[gap] = struct.pack("<f", random.random())
            else:
                parts[gap] = struct.pack("<d", random.uniform(-800.0, 800.0))
        return b"".join(parts)


def _without_transform(toc: bytes) -> bytes:
    return toc[: -TRANSFORM_SIZE - PLACED_SIZE]


@frozen
class Template:
    """A TOC entry and data with gaps; the transform of an actor is a gap of its own."""

    source: Object
    toc: Stamp
    toc_end: bytes
    data: Stamp
    actor: bool = field(kw_only=True)

    @classmethod
    def of(cls, one: Object, dialect: Dialect) -> Template:
        """Encode an object that holds marks."""
        toc, actor = one.header(dialect.save_version), one.outer is None
        end = toc[-PLACED_SIZE:] if actor else b""
        return cls(one, Stamp.of(_without_transform(toc) if actor else toc), end, Stamp.of(one.data(dialect)), actor=actor)

    def stamp(self, ids: Names, random: Random, transform: bytes) -> Encoded:
        """An object with these ids, there."""
        toc = self.toc.fill(ids, random)
        return Encoded(self.source, toc + transform + self.toc_end if self.actor else toc, self.data.fill(ids, random))


def transform(rotation: Sequence[float], position: Sequence[float]) -> bytes:
    """A transform of a TOC entry, unscaled."""
    return floats((*rotation, *position, 1.0, 1.0, 1.0))

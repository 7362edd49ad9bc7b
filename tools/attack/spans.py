"""Where the objects of a Satisfactory save are: a parser of its own, which shares no code with the package.

It reads headers and lengths, nothing inside an object, and only sound saves. So what the package gives of a damaged one can be
compared with what somebody else read in the sound one.

| SaveVersion | inflated stream |
|---|---|
| to 28 | i32 size; headers; entries |
| 29 to 36 | i32 size; i32 levels; each: name, i32 size, headers, i32 size, entries, list; the persistent level, without name |
| 41 on | sizes are i64, the map of partitions comes before the levels, entries have an i32 version and a bool before the size |
| 51 on | streaming levels: i32 version after the entries; 53 on: version data of the body, of levels, of entries |
| blueprint | i32 size; i32 size, headers, i32 size, entries (without version) |
"""

from __future__ import annotations

import struct
from typing import Final

from attrs import frozen
from writer.primitives import fstring
from writer.satisfactory import HEADER_FIELDS

VERSION_DATA: Final = 53
LEVEL_VERSION: Final = 51
WIDE: Final = 41
LEVELS: Final = 29
#: Version of a blueprint's header; a save's is higher since the oldest that is known.
BLUEPRINT_HEADER: Final = 2
TRANSFORM_SIZE: Final = 48
GUID_AND_VERSION: Final = 20


@frozen
class Span:
    """An object: its header, its entry with the size and the data in it, as offsets in the inflated stream."""

    kind: str
    class_name: str
    level: str
    name: str
    header: tuple[int, int]
    entry: tuple[int, int]
    size_at: int
    data: tuple[int, int]

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What its header says."""
        return self.kind, self.class_name, self.level, self.name


@frozen
class Blobs:
    """A level: its objects and the numbers that enclose them."""

    objects: tuple[Span, ...]
    #: Offset and width of the sizes of the headers and of the entries; None where there is none.
    toc_size: tuple[int, int] | None
    data_size: tuple[int, int] | None
    #: Where the two counts are; four bytes each.
    toc_count: int
    data_count: int


@frozen
class Spans:
    """A save: its levels, and offset and width of its size."""

    levels: tuple[Blobs, ...]
    size: tuple[int, int]


class _Reader:
    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data = data
        self.at = at

    def number(self, layout: str) -> int:
        (value,) = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return int(value)

    def skip(self, size: int) -> None:
        if not 0 <= size <= len(self.data) - self.at:
            message = f"{size} bytes at {self.at} are more than there are"
            raise ValueError(message)
        self.at += size

    def text(self) -> str:
        size = self.number("i")
        start = self.at
        self.skip(size if size >= 0 else -2 * size)
        raw = self.data[start : self.at]
        return raw.decode("latin-1" if size >= 0 else "utf-16-le", "surrogatepass").removesuffix("\0")

    def texts(self, count: int) -> None:
        for _ in range(count):
            self.text()

    def version_data(self) -> None:
        self.skip(26)  # u32, i32, i32, i32, three u16, u32
        self.text()
        self.skip(self.number("i") * GUID_AND_VERSION)

    def partitions(self) -> None:
        for _ in range(self.number("i")):
            self.text()
            self.skip(8)
            for _ in range(self.number("i")):
                self.text()
                self.skip(4)


def spans_of(data: bytes, body: bytes) -> Spans:
    """Read the objects of a sound save: the file, and its inflated stream.

    Raises:
        ValueError: the lengths do not fit.
    """
    head, version = struct.unpack_from("<ii", data)
    reader = _Reader(body)
    if head <= BLUEPRINT_HEADER:
        reader.number("i")
        return Spans((_level(reader, version, "i", is_blueprint=True),), (0, 4))
    wide = "q" if version >= WIDE else "i"
    width = struct.calcsize("<" + wide)
    reader.number(wide)
    if version < LEVELS:
        return Spans((_level(reader, version, ""),), (0, width))
    if version >= VERSION_DATA:
        reader.version_data()
    if version >= WIDE:
        reader.partitions()
    levels: list[Blobs] = []
    for _ in range(reader.number("i")):
        reader.text()
        levels.append(_streaming_level(reader, version, wide))
    levels.append(_level(reader, version, wide))
    return Spans(tuple(levels), (0, width))


def _streaming_level(reader: _Reader, version: int, wide: str) -> Blobs:
    """Read a level whose version is after its blobs."""
    start = reader.at
    for _ in range(2):
        size = reader.number(wide)
        reader.skip(size)
    after = reader.at
    level_version = reader.number("i") if version >= LEVEL_VERSION else version
    reader.texts(2 * reader.number("i"))
    if version >= VERSION_DATA and reader.number("i"):
        reader.version_data()
    end = reader.at
    reader.at = start
    found = _level(reader, level_version, wide)
    if reader.at != after:
        message = "a level does not end where its sizes say"
        raise ValueError(message)
    reader.at = end
    return found


def _level(reader: _Reader, version: int, wide: str, *, is_blueprint: bool = False) -> Blobs:
    """Read headers and entries; `wide` is the layout of their sizes, empty where there are none."""
    width = struct.calcsize("<" + wide)
    toc_size = data_size = None
    end = -1
    if wide:
        toc_size = (reader.at, width)
        size = reader.number(wide)
        end = reader.at + size
    toc_count = reader.at
    headers = [_header(reader, version) for _ in range(reader.number("i"))]
    if wide:
        reader.at = end  # a list of what was destroyed may come before
        data_size = (reader.at, width)
        size = reader.number(wide)
        end = reader.at + size
    data_count = reader.at
    if reader.number("i") != len(headers):
        message = "not as many entries as headers"
        raise ValueError(message)
    found = tuple(_entry(reader, *header, version=version, is_blueprint=is_blueprint) for header in headers)
    if wide and reader.at != end:
        message = "entries do not end where their size says"
        raise ValueError(message)
    return Blobs(found, toc_size, data_size, toc_count, data_count)


def _header(reader: _Reader, version: int) -> tuple[tuple[int, int], tuple[str, str, str, str]]:
    start = reader.at
    is_actor = reader.number("i")
    class_name, level, name = reader.text(), reader.text(), reader.text()
    for write in [write for _, write, first in HEADER_FIELDS if version >= first]:
        reader.text() if write is fstring else reader.skip(4)
    if is_actor:
        reader.skip(TRANSFORM_SIZE)
    else:
        reader.text()
    return (start, reader.at), ("actor" if is_actor else "object", class_name, level, name)


def _entry(reader: _Reader, header: tuple[int, int], key: tuple[str, str, str, str], *, version: int, is_blueprint: bool) -> Span:
    start = reader.at
    own_version = version
    if version >= WIDE and not is_blueprint:
        own_version = reader.number("i")
        reader.number("i")
    size_at = reader.at
    size = reader.number("i")
    data = (reader.at, reader.at + size)
    reader.skip(size)
    # The version of a level may be older than what wrote the save: then its entries have no version data either.
    if not is_blueprint and version >= VERSION_DATA and own_version >= VERSION_DATA and reader.number("i"):
        reader.version_data()
    return Span(*key, header, (start, reader.at), size_at, data)

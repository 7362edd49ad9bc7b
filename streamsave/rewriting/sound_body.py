"""A body of a Satisfactory save or blueprint from what is sound of a damaged one.

Objects are taken as they are: the header of each, and its data. What is around them is made anew:

| part | if it is lost |
|---|---|
| size of the body, number of levels, sizes and counts of the headers and objects of a level | counted |
| version data of the save | those of a level |
| validation grids | those of the game, without cells; none of a world that is not partitioned |
| name of a level | the level is lost |
| SaveVersion of a level, its version data | those of the save, of the level before |
| destroyed objects of a level, those at the end | none |
| the persistent level | one without objects |
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from streamsave.claims import claims_value
from streamsave.errors import DamagedSave, SaveError
from streamsave.events import BlobSkip, ChunkStart, Damage, Event, Field, ObjectEnd, ObjectHeader, StructEnter, StructExit
from streamsave.formats.satisfactory.body_reader import BodyReader
from streamsave.formats.satisfactory.header import SaveHeader
from streamsave.formats.satisfactory.level_layout import BLUEPRINT_LAYOUT, LevelLayout, level_layout
from streamsave.formats.satisfactory.levels import LEVEL
from streamsave.formats.satisfactory.versions import (
    SAVE_VERSION_COMPRESSED,
    SAVE_VERSION_LEVELS,
    SAVE_VERSION_VALIDATION_GRIDS,
    SAVE_VERSION_VERSION_DATA,
)
from streamsave.input.windows import Windows
from streamsave.rewriting.empty_grids import empty_grids
from streamsave.rewriting.family import Family
from streamsave.rewriting.packing import edited
from streamsave.rewriting.remains import Remains
from streamsave.rewriting.rows import Row

__all__ = ["SoundBody"]

#: Bytes of the inflated stream that was read, or others.
Piece: TypeAlias = "tuple[int, int] | bytes"
#: No list, no version data.
NOTHING: Final = bytes(4)
GRIDS: Final = "validation_grids"
VERSION_DATA: Final = "version_data"
LEVEL_VERSION: Final = "level_save_version"
LAST_LIST: Final = "unresolved_destroyed_actors"
HEADERS_LIST: Final = "toc_destroyed_actors"
AFTER_HEADERS: Final = "bytes after the headers"
#: How many nestings are open around an object.
LEVEL_DEPTH: Final = 1


class SoundLevel:
    """What is sound of one level."""

    def __init__(self, name: Piece) -> None:
        #: Its bytes; none of the persistent level.
        self.name = name
        self.headers: list[Piece] = []
        self.objects: list[Piece] = []
        self.count = 0
        #: How many bytes the objects have more than what is taken of them.
        self.growth = 0
        self.tail: dict[str, Piece] = {}


class SoundBody:
    """Takes the events of a damaged save, but for the first.

    Args:
        reader: makes the events.
        family: of the save.
        header: of the save; None of a blueprint.
    """

    def __init__(self, reader: BodyReader, family: Family, header: SaveHeader | None) -> None:
        self._reader = reader
        self._family = family
        self._version = -1 if header is None else header.save_version
        self._is_partitioned = header is not None and header.is_partitioned_world is True
        self._layout: LevelLayout = BLUEPRINT_LAYOUT if header is None else level_layout(header.save_version)
        #: Values outside of the levels.
        self._start: dict[str, Piece] = {}
        self._levels: list[SoundLevel] = []
        self._after: list[Piece] = []
        self._rows: list[Row] = []
        #: How many objects are sound.
        self.count = 0
        # What is open: how many nestings, the level, the object and what is left of it, the bytes of something else.
        self._depth = 0
        self._level: SoundLevel | None = None
        self._header: ObjectHeader | None = None
        self._remains: Remains | None = None
        self._opened: StructEnter | None = None
        self._last: Event | None = None

    # --- events ---

    def feed(self, event: Event) -> None:
        """Take the next event."""
        if self._header is not None:
            self._feed_object(self._header, event)
        elif isinstance(event, ObjectHeader) and self._depth == LEVEL_DEPTH:
            self._header = event
            self._remains = Remains(self._reader, self._family, LEVEL_DEPTH)
            self._remains.feed(event)
        elif isinstance(event, StructEnter) and event.type_name == LEVEL:
            size = event.header_size - self._layout.blob.size
            self._level = SoundLevel((event.offset, event.offset + size) if size > 0 else b"")
        elif isinstance(event, StructEnter) and self._depth == 0:
            self._opened = event
        elif isinstance(event, StructExit) and self._depth == LEVEL_DEPTH:
            self._leave(event)
        elif isinstance(event, Damage):
            self._opened = None
            if isinstance(self._last, Field) and not claims_value(self._last, event):
                self._take_back(self._last)
        elif isinstance(event, (Field, BlobSkip)):
            self._take(event)
        if isinstance(event, (StructEnter, ObjectHeader)):
            self._depth += 1
        elif isinstance(event, (StructExit, ObjectEnd)):
            self._depth -= 1
        if not isinstance(event, ChunkStart):
            self._last = event

    def _feed_object(self, header: ObjectHeader, event: Event) -> None:
        remains = self._remains
        try:
            if remains is not None:
                remains.feed(event)
                if remains.end >= 0:
                    self._remains = None  # it has no end
        except SaveError:
            self._remains = None
        if not isinstance(event, ObjectEnd) or self._depth > LEVEL_DEPTH + 1:
            return
        self._header = None
        level = self._level
        if self._remains is not None and level is not None:
            add(level.headers, header.offset, header.offset + header.header_size)
            add(level.objects, header.data_offset - header.prefix_size, event.offset + event.size)
            level.count += 1
            rows = list(self._remains.ledger.rows())
            level.growth += sum(len(row.data) - (row.end - row.start) for row in rows)
            self._rows += rows
            self.count += 1

    def _leave(self, event: StructExit) -> None:
        """Leave a level, or what comes before the levels."""
        level = self._level
        opened = self._opened
        if level is not None:
            self._levels.append(level)
        elif opened is not None:
            self._start[opened.name] = (opened.offset, event.offset + event.size)
        self._level = None
        self._opened = None

    def _take(self, event: Field | BlobSkip) -> None:
        """Take a value between objects."""
        piece = (event.offset, event.offset + event.size)
        level = self._level
        if isinstance(event, BlobSkip):
            is_header = event.reason == AFTER_HEADERS
            pieces = self._after if level is None else level.headers if is_header else level.objects
            pieces.append(piece)
        elif level is None:
            self._start[event.name] = piece
        elif event.name == HEADERS_LIST:
            level.headers.append(piece)
        else:
            level.tail[event.name] = piece

    def _take_back(self, event: Field) -> None:
        """Leave a value between objects out, the last one: it is damaged."""
        level = self._level
        if level is None:
            self._start.pop(event.name, None)
        elif event.name == HEADERS_LIST:
            level.headers.pop()
        else:
            level.tail.pop(event.name, None)

    # --- the new body ---

    def write(self, windows: Windows) -> Iterator[bytes | memoryview]:
        """Yield the new body.

        Raises:
            SaveError: something is lost that nothing can stand for.
        """
        rows = iter(sorted(self._rows))
        row = next(rows, None)
        for piece in self._body():
            if isinstance(piece, bytes):
                yield piece
                continue
            start, end = piece
            inside: list[Row] = []
            while row is not None and row.start < end:
                if row.start >= start:
                    inside.append(row)
                row = next(rows, None)
            yield from edited(windows, inside, start, end)

    def _body(self) -> list[Piece]:
        version = self._version
        pieces: list[Piece] = []
        if version >= SAVE_VERSION_VERSION_DATA:
            pieces.append(self._start.get(VERSION_DATA, b"") or self._other_version_data())
        if version >= SAVE_VERSION_VALIDATION_GRIDS:
            grids = empty_grids(version) if self._is_partitioned else NOTHING
            pieces.append(self._start.get(GRIDS, grids))
        levels = [level for level in self._levels if level.name]
        last = next((level for level in self._levels if not level.name), SoundLevel(b""))
        if version >= SAVE_VERSION_LEVELS:
            pieces.append(len(levels).to_bytes(4, "little"))
        before: Piece = NOTHING
        for level in levels:
            pieces += [level.name, *self._blobs(level)]
            tail: dict[str, Piece] = {
                LEVEL_VERSION: version.to_bytes(4, "little", signed=True),
                VERSION_DATA: before,
            } | level.tail
            pieces += [tail.get(name, NOTHING) for name in self._layout.tail.names]
            before = tail[VERSION_DATA]
        pieces += self._blobs(last)
        pieces += [last.tail.get(name, NOTHING) for name in self._layout.persistent_tail.names]
        if version >= SAVE_VERSION_LEVELS:
            pieces.append(self._start.get(LAST_LIST, NOTHING))
        pieces += self._after
        if 0 <= version < SAVE_VERSION_COMPRESSED:
            return pieces
        size = sum(map(size_of, pieces)) + sum(level.growth for level in [*levels, last])
        return [size.to_bytes(8 if self._reader.has_wide_size else 4, "little"), *pieces]

    def _blobs(self, level: SoundLevel) -> list[Piece]:
        """Return the headers and the objects of a level, each with its size and count."""
        width = self._layout.blob.size - 4
        found: list[Piece] = []
        for pieces, growth in ((level.headers, 0), (level.objects, level.growth)):
            size = 4 + sum(map(size_of, pieces)) + growth
            found += [size.to_bytes(width, "little") if width else b"", level.count.to_bytes(4, "little"), *pieces]
        return found

    def _other_version_data(self) -> Piece:
        """Return version data of a level, without the bool before it.

        Raises:
            DamagedSave: no level has any.
        """
        for level in self._levels:
            piece = level.tail.get(VERSION_DATA)
            if isinstance(piece, tuple) and size_of(piece) > len(NOTHING):
                return piece[0] + len(NOTHING), piece[1]
        raise DamagedSave("the version data of the save are lost, and no level has any", 0)


def add(pieces: list[Piece], start: int, end: int) -> None:
    """Add bytes of the stream to pieces."""
    last = pieces[-1] if pieces else b""
    if isinstance(last, tuple) and last[1] == start:
        pieces[-1] = (last[0], end)
    elif end > start:
        pieces.append((start, end))


def size_of(piece: Piece) -> int:
    """Return the size of a piece in bytes."""
    return len(piece) if isinstance(piece, bytes) else piece[1] - piece[0]

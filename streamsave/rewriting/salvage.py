"""Make a sound save from a damaged one.

The damaged save is read as with `on_damage="resync"`. All that comes as `Damage`, and all that no game writes, is dropped; sizes
and counts are updated. The new save is checked before it appears.

| format | what is dropped |
|---|---|
| Satisfactory | objects, instances of foundations, levels: `SoundBody` |
| Unreal save games | properties, elements of containers (`remains`); the rest of the save, if the end of the damage is unknown |
| Arx | entries |
| shapez 2 | objects, what comes after them in their island or member, else members of the archive; entries of blueprints |
| Astroneer | the data of objects, which are referred to by number; a save that has lost more is refused |

The body of a Satisfactory save or blueprint is made again. The header and the data of each sound object are copied. The parts
around them are replaced:

| part | replacement if it is lost |
|---|---|
| size of the body, number of levels, sizes and counts of the headers and objects of a level | they are always counted again |
| version data of the save | those of a level |
| validation grids | those of the game, without cells; none of a world that is not partitioned |
| name of a level | the level is lost |
| SaveVersion of a level, its version data | that which its headers show, those of the level before |
| destroyed objects of a level, those at the end | none |
| the persistent level | one without objects |

The module is long because half of it is the body of a Satisfactory save, which has a rule for each part that may be lost.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from streamsave._new_file import new_file
from streamsave.check.checker import LAST_LIST
from streamsave.check.finding import Finding
from streamsave.claims import claims_value
from streamsave.consume.stream import EventStream, opened
from streamsave.decode.encoder import Encoder
from streamsave.decode.reader import Reader
from streamsave.errors import DamagedSave, SaveError
from streamsave.events import (
    BlobSkip,
    ChunkStart,
    Damage,
    Event,
    Field,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    StructEnter,
    StructExit,
)
from streamsave.formats import Format, MakeReader
from streamsave.formats.satisfactory.levels import LEVEL
from streamsave.formats.satisfactory.reader import VALIDATION_GRIDS, BodyReader, SatisfactoryReader
from streamsave.formats.satisfactory.versions import (
    SAVE_VERSION_COMPRESSED,
    SAVE_VERSION_FAR_GRID,
    SAVE_VERSION_LEVELS,
    SAVE_VERSION_VALIDATION_GRIDS,
    SAVE_VERSION_VERSION_DATA,
    SAVE_VERSION_WIDE_FOLIAGE_GRID,
)
from streamsave.formats.unreal.frames import AFTER_LIST, LEFT_OVER
from streamsave.formats.unreal.pool import NONE
from streamsave.input.source import KeptSource, Source, SourceLike
from streamsave.input.windows import FileWindows, Windows
from streamsave.limits import Limits
from streamsave.recovery.losses import PROPERTY, Losses
from streamsave.rewriting.cutting import stored_name
from streamsave.rewriting.family import Family, make_family
from streamsave.rewriting.packing import edited
from streamsave.rewriting.remains import Remains
from streamsave.rewriting.rewrite import unchanged
from streamsave.rewriting.satisfactory import SatisfactoryFamily
from streamsave.rewriting.verifying import verify_save
from streamsave.values import Loss

__all__ = ["SaveSalvage", "empty_grids"]

#: Findings that the new save must not have.
WRONG: Final = frozenset(("header", "md5", "tiling"))


class SaveSalvage:
    """Makes a sound save from a damaged one.

    Args:
        source: as for `streamsave.open`.
        limits: what to refuse.
        type_hints: as for `streamsave.open`.
        objects_at: as for `streamsave.open`.
        reader: as for `streamsave.open`.

    Raises:
        SaveError: the start of the save cannot be read, or saves of this format cannot be written.
        OSError: the save cannot be opened.
    """

    def __init__(
        self,
        source: SourceLike,
        limits: Limits | None = None,
        *,
        type_hints: Mapping[str, str] | None = None,
        objects_at: Sequence[str] | None = None,
        reader: Format | MakeReader | None = None,
    ) -> None:
        self._chosen = reader
        self._unchanged = unchanged(source)
        #: What `check` found in the new save.
        self.findings: list[Finding] = []
        make = partial(EventStream, resyncs=True, type_hints=type_hints, objects_at=objects_at, reader=reader)
        self._events, self._family = opened(partial(resynced, make), source, limits, None)
        driver = self._events._driver  # noqa: SLF001 - as the reader
        assert driver is not None  # noqa: S101 - it goes on after damage
        self._losses = driver.losses
        #: Whether the save gets another wrapper, as its own cannot be written.
        self.is_converted = self._family.converts

    def write(self, target: str | os.PathLike[str]) -> Iterator[Damage]:
        """Yield all losses; after the last one, write the new save.

        Raises:
            SaveError: nothing is left of the save, or the new one would not be sound.
            EditError: a size is too large for its field.
            OSError: the save cannot be read, or the new one cannot be written.
        """
        family = self._family
        reader = self._events._reader
        try:
            sound: SoundBody | Remains
            if isinstance(reader, BodyReader):
                sound = SoundBody(self._events, reader, family, self._losses)
            else:
                sound = Remains(family, self._losses)
            count = 0
            for event in self._sound_events():
                if isinstance(event, Damage):
                    count += 1
                    yield event
                sound.feed(event)
            if count and not sound.count:
                raise DamagedSave("nothing of it is sound: there is nothing to save", 0)
            with new_file(target, verify=self._verify, source=self._unchanged) as file:
                if isinstance(sound, SoundBody):
                    assert isinstance(family, SatisfactoryFamily)  # noqa: S101 - it has the readers of bodies
                    family.write_body(sound.pieces(reader.windows), file)
                elif not (count or sound.ledger.rows or family.parts or family.converts):
                    file.writelines(edited(FileWindows(self._events._source), ()))  # noqa: SLF001 - as the reader
                else:
                    family.end = sound.end
                    family.write(sound.ledger.rows, file)
        finally:
            self._events.close()

    def _sound_events(self) -> Iterator[Event]:
        """Yield all events. Decode all values: after one that cannot be decoded, its `Damage` comes."""
        events = self._events
        for event in events:
            yield self._loss_of(event) if isinstance(event, BlobSkip) and event.reason in LEFT_OVER else event
            if isinstance(event, (PropertyTag, Field)):
                with suppress(SaveError):  # a `Damage` follows, or the stream ends
                    if events.is_leaf():
                        events.build()

    def _loss_of(self, skip: BlobSkip) -> Damage:
        """Return the loss of the bytes after the end of a list, the last event.

        No game writes such bytes. They come as bytes of unknown layout, not as damage.
        """
        reason = skip.reason
        size = len(stored_name(NONE, self._family)) if reason == AFTER_LIST else 0
        path = self._events.path
        error = DamagedSave(reason, skip.offset + size, path=path)
        damage = Damage(skip.offset, skip.size, error, Loss(PROPERTY, reason, path, skip.size - size))
        self._losses.note_damage(damage)
        return damage

    def _verify(self, path: Path) -> None:
        """Check the new save.

        Raises:
            SaveError: it is not sound.
        """
        self.findings = verify_save(path, self._events._reader.limits, None, reader=self._chosen, wrong=WRONG)


def resynced(make: Callable[..., EventStream], source: Source, limits: Limits) -> tuple[EventStream, Family[Reader]]:
    """Return the stream of a damaged save, which goes on after damage, and the family that writes the new one."""
    events = make(KeptSource(source), limits)
    return events, make_family(events._source, events._reader, limits, "plz")  # noqa: SLF001 - as the reader


# --- the body of a Satisfactory save or blueprint ---

#: A range of the inflated stream, or new bytes.
Piece: TypeAlias = "tuple[int, int] | bytes"
#: No list, no version data.
NOTHING: Final = bytes(4)
GRIDS: Final = "validation_grids"
VERSION_DATA: Final = "version_data"
LEVEL_VERSION: Final = "level_save_version"
HEADERS_LIST: Final = "toc_destroyed_actors"
AFTER_HEADERS: Final = "bytes after the headers"
#: The size of a cell of the grid of foliage, in centimetres.
FOLIAGE_CELL: Final = 26500
OLD_FOLIAGE_CELL: Final = 12798
#: Number of nestings around an object.
LEVEL_DEPTH: Final = 1


class SoundLevel:
    """The sound parts of one level."""

    def __init__(self, name: Piece, version: int = 0) -> None:
        #: The bytes of the name; b"" for the persistent level.
        self.name = name
        #: The SaveVersion that its headers are read by.
        self.version = version
        self.headers: list[Piece] = []
        self.after_headers: list[Piece] = []
        self.objects: list[Piece] = []
        self.count = 0
        #: Values outside of objects.
        self.values: dict[str, Piece] = {}


class SoundBody:
    """Take the events of a damaged save, and make a new body.

    Args:
        events: the stream.
        reader: makes the events.
        family: of the save.
        losses: of the stream, for `Remains`.
    """

    def __init__(self, events: EventStream, reader: BodyReader, family: Family[Reader], losses: Losses) -> None:
        self._events = events
        self._reader = reader
        self._begin_object = partial(Remains, family, losses, LEVEL_DEPTH)
        #: What is in no level: values, and bytes after all levels (`objects`).
        self._outside = SoundLevel(b"")
        self._levels: list[SoundLevel] = []
        #: Number of sound objects.
        self.count = 0
        # What is open: the level, the object and its sound part, another struct.
        self._level: SoundLevel | None = None
        self._header: ObjectHeader | None = None
        self._remains: Remains | None = None
        self._opened: StructEnter | None = None
        self._last: Event | None = None

    # --- events ---

    def feed(self, event: Event) -> None:
        """Take the last event of the stream."""
        level = self._level or self._outside
        depth = self._events.depth - isinstance(event, (StructEnter, ObjectHeader))
        if self._header is None and isinstance(event, ObjectHeader) and depth == LEVEL_DEPTH:
            self._header = event
            self._remains = self._begin_object()
        if self._header is not None:
            self._feed_object(self._header, event, depth)
        elif isinstance(event, StructEnter) and event.type_name == LEVEL:
            size = event.header_size - self._reader.layout.blob.size
            opened = self._reader.open_level
            version = 0 if opened is None else opened.version
            self._level = SoundLevel((event.offset, event.offset + size) if size > 0 else b"", version)
            self._levels.append(self._level)
        elif isinstance(event, StructEnter) and depth == 0:
            self._opened = event
        elif isinstance(event, StructExit) and depth == 0:
            if self._level is None and self._opened is not None:
                level.values[self._opened.name] = (self._opened.offset, event.offset + event.size)
            self._level = self._opened = None
        elif isinstance(event, Damage):
            self._opened = None
            if isinstance(self._last, Field) and not claims_value(self._last, event):
                level.values.pop(self._last.name, None)
        elif isinstance(event, Field):
            level.values[event.name] = (event.offset, event.offset + event.size)
        elif isinstance(event, BlobSkip):
            pieces = level.after_headers if event.reason == AFTER_HEADERS else level.objects
            pieces.append((event.offset, event.offset + event.size))
        if not isinstance(event, ChunkStart):
            self._last = event

    def _feed_object(self, header: ObjectHeader, event: Event, depth: int) -> None:
        """Take the last event of the stream, with so many nestings around it, in an object or at its end."""
        remains = self._remains
        level = self._level
        try:
            if remains is not None:
                remains.feed(event)
        except SaveError:
            self._remains = remains = None
        if not isinstance(event, ObjectEnd) or depth > LEVEL_DEPTH:
            return
        self._header = None
        if remains is not None and remains.end < 0 and level is not None:
            add(level.headers, header.offset, header.offset + header.header_size)
            at = header.data_offset - header.prefix_size
            for row in remains.ledger.rows:
                add(level.objects, at, row.start)
                level.objects.append(row.data)
                at = row.end
            add(level.objects, at, event.offset + event.size)
            level.count += 1
            self.count += 1

    # --- the new body ---

    def pieces(self, windows: Windows) -> Iterator[bytes | memoryview]:
        """Yield the new body.

        Raises:
            SaveError: a lost part has no replacement.
        """
        for piece in self._body():
            if isinstance(piece, bytes):
                yield piece
            else:
                yield from edited(windows, (), *piece)

    def _body(self) -> list[Piece]:
        reader = self._reader
        header = reader.header if isinstance(reader, SatisfactoryReader) else None  # a blueprint has none of these parts
        version = -1 if header is None else header.save_version
        outside = self._outside.values
        pieces: list[Piece] = []
        if version >= SAVE_VERSION_VERSION_DATA:
            pieces.append(outside.get(VERSION_DATA, b"") or self._other_version_data())
        if version >= SAVE_VERSION_VALIDATION_GRIDS:
            is_partitioned = header is not None and header.is_partitioned_world is True
            pieces.append(outside.get(GRIDS, empty_grids(version) if is_partitioned else NOTHING))
        levels = [level for level in self._levels if level.name]
        last = next((level for level in self._levels if not level.name), SoundLevel(b""))
        if version >= SAVE_VERSION_LEVELS:
            pieces.append(len(levels).to_bytes(4, "little"))
        before: Piece = NOTHING
        for level in levels:
            pieces += [level.name, *self._blobs(level)]
            tail: dict[str, Piece] = {
                LEVEL_VERSION: level.version.to_bytes(4, "little", signed=True),
                VERSION_DATA: before if level.version >= SAVE_VERSION_VERSION_DATA else NOTHING,
            } | level.values
            pieces += [tail.get(name, NOTHING) for name in reader.layout.tail.names]
            before = tail[VERSION_DATA]
        pieces += self._blobs(last)
        pieces += [last.values.get(name, NOTHING) for name in reader.layout.persistent_tail.names]
        if version >= SAVE_VERSION_LEVELS:
            pieces.append(outside.get(LAST_LIST, NOTHING))
        pieces += self._outside.objects
        if 0 <= version < SAVE_VERSION_COMPRESSED:
            return pieces
        size = sum(map(size_of, pieces))
        return [size.to_bytes(int(reader.size_codec.size), "little"), *pieces]

    def _blobs(self, level: SoundLevel) -> list[Piece]:
        """Return the headers and the objects of a level, each blob with its size and count."""
        width = self._reader.layout.blob.size - 4
        found: list[Piece] = []
        for pieces in ([*level.headers, level.values.get(HEADERS_LIST, b""), *level.after_headers], level.objects):
            size = 4 + sum(map(size_of, pieces))
            found += [size.to_bytes(width, "little") if width else b"", level.count.to_bytes(4, "little"), *pieces]
        return found

    def _other_version_data(self) -> Piece:
        """Return the version data of a level, without the bool before them.

        Raises:
            DamagedSave: no level has any.
        """
        for level in self._levels:
            piece = level.values.get(VERSION_DATA)
            if isinstance(piece, tuple) and size_of(piece) > len(NOTHING):
                return piece[0] + len(NOTHING), piece[1]
        raise DamagedSave("the version data of the save are lost, and no level has any", 0)


def add(pieces: list[Piece], start: int, end: int) -> None:
    """Add a range of the stream to pieces; adjacent ranges become one."""
    last = pieces[-1] if pieces else b""
    if isinstance(last, tuple) and last[1] == start:
        pieces[-1] = (last[0], end)
    elif end > start:
        pieces.append((start, end))


def size_of(piece: Piece) -> int:
    """Return the size of a piece in bytes."""
    return len(piece) if isinstance(piece, bytes) else piece[1] - piece[0]


def empty_grids(save_version: int) -> bytes:
    """Return the encoded grids of the game's world, without cells.

    The game writes them into every save of a partitioned world, and other tools expect this number of grids.
    """
    foliage = FOLIAGE_CELL if save_version >= SAVE_VERSION_WIDE_FOLIAGE_GRID else OLD_FOLIAGE_CELL
    far = [("ExplorationGridFar", 20480)] if save_version >= SAVE_VERSION_FAR_GRID else []
    sizes = [("MainGrid", 12800), ("LandscapeGrid", 51200), ("ExplorationGrid", 20480), ("FoliageGrid", foliage), *far]
    grids: list[object] = [grid(NONE, 0, [(NONE, 0)])]
    grids += [grid(name, size, []) for name, size in (*sizes, ("HLOD0_256m_1023m", 25600))]
    encoder = Encoder()
    VALIDATION_GRIDS.encode(grids, encoder)
    return bytes(encoder.data)


def grid(name: str, cell_size: int, cells: list[tuple[str, int]]) -> dict[str, object]:
    """Return one grid; `cells` are names and hashes."""
    return {"grid": name, "cell_size": cell_size, "grid_hash": 0, "cells": cells}

"""shapez 2: members of the archive, islands, buildings, states and entries of blueprints are frames; a fault costs the smallest.

A member has no sizes between its values. So it is walked once before anything in it is given: its end shows whether its counts
are right.

| member | given |
|---|---|
| walked to its end | all of it, without damaged objects |
| objects that do not lead to its end | those before the first damaged one |
| any other | nothing |
"""

from __future__ import annotations

from collections.abc import Iterator

from streamsave.decode.reader import Reader
from streamsave.errors import DamagedSave, SaveError
from streamsave.events import PADDING, BlobSkip, Damage, Event, ObjectEnd, ObjectHeader, SaveEnd, StructExit
from streamsave.formats.shapez2.blueprint import BlueprintWalker
from streamsave.formats.shapez2.blueprint_entry import read_entry
from streamsave.formats.shapez2.code import CodeReader
from streamsave.formats.shapez2.game_reader import GameReader
from streamsave.formats.shapez2.jsontext import JsonTokens, Token
from streamsave.formats.shapez2.objects import BUILDING_SIZE, ObjectWalker
from streamsave.formats.shapez2.places import place_of
from streamsave.formats.shapez2.primitives import ISLAND_TILE, ROTATION
from streamsave.formats.shapez2.reader import FIRST, OPAQUE, SaveReader
from streamsave.formats.shapez2.versions import SAVE_NEWEST
from streamsave.input.members import Chunk
from streamsave.input.zip_directory import Archive

__all__ = ["events"]


def events(reader: Reader) -> Iterator[Event]:
    """Yield the events of a save or a blueprint, and a `Damage` in place of what is lost."""
    if isinstance(reader, CodeReader):
        start = reader.start()
        yield start
        yield from reader.content(SoundEntries(reader, start.version))
        return
    assert isinstance(reader, SaveReader)  # noqa: S101 - `families` has no other
    archive = Archive(reader.source, reader.limits, FIRST)
    start = reader.start(archive)
    yield start
    objects = SoundObjects(reader, start.version)
    for index in range(len(archive.chunks)):
        yield from _member(reader, archive, index, objects)
    end = archive.size()
    for gap in archive.gaps():  # it may be a member whose entry was lost
        error = DamagedSave(gap.message(), end)
        error.compressed_offset = gap.offset
        yield reader.lost(error, "member", gap.name, end, end, size=gap.member_size)
    yield SaveEnd(end)


# --- members ---


def _member(reader: SaveReader, archive: Archive, index: int, objects: ObjectWalker) -> Iterator[Event]:
    """Yield the events of a member; after a fault, its `Damage` and its end."""
    chunk = archive.chunks[index]
    is_open = False
    verdict: tuple[int, SaveError] | None = None
    depth = given = 0
    fault: SaveError | None = None
    try:
        for event in reader.scope(index, objects):
            is_open = True
            yield event
            if event is reader.member:
                if not reader.was_skipped and chunk.size > 0:
                    verdict = _verdict(reader, chunk, objects)
            elif isinstance(event, ObjectHeader):
                depth += 1
            elif isinstance(event, ObjectEnd):
                depth -= 1
                given += depth == 0
            if verdict is not None and depth == 0 and given == verdict[0]:
                raise verdict[1]
    except SaveError as error:
        if not reader.survives(error):
            raise
        fault = error
    if fault is None:
        return
    member = reader.member
    assert member is not None  # noqa: S101 - `scope` begins with it
    shown = reader.gives(member.type_name)
    reader.steps[:] = [chunk.name]
    # What an entry of no bytes hides has a size that is unknown.
    stated = chunk.size or -1
    end = chunk.offset + archive.shorten(index)
    reader.stream_end = archive.size()
    reader.cursor.set_limit(end)
    if shown and not is_open:
        yield member
    yield reader.lost(fault, "member", chunk.name, chunk.offset, end, int(shown), size=stated)
    reader.steps.pop()
    reader.cursor.seek(end)
    if shown:
        yield StructExit(end, chunk.name, 0)


def _verdict(reader: SaveReader, chunk: Chunk, objects: ObjectWalker) -> tuple[int, SaveError] | None:
    """Walk all of a member without giving it, and go back to its start.

    Returns:
        How many objects are certain, and the fault after them; None if the member is sound, or only objects in it are not.
    """
    member = reader.member
    if member is None or member.type_name == OPAQUE:
        return None
    certain = depth = 0
    lost: SaveError | None = None
    is_filled = True
    fault: SaveError | None = None
    try:
        reader.cursor.peek(1)  # enters the chunk before the first event in it
        reader.steps.append(chunk.name)
        for event in reader.walk_unseen(reader.content(member.type_name, chunk, objects)):
            if isinstance(event, Damage):
                lost = lost or event.error
            elif isinstance(event, ObjectHeader):
                depth += 1
            elif isinstance(event, ObjectEnd):
                depth -= 1
                certain += depth == 0 and lost is None
            elif isinstance(event, BlobSkip) and depth == 0:
                is_filled = event.reason == PADDING
    except SaveError as error:
        reader.survives(error)  # writes the path into it
        fault = error
    reader.steps.clear()
    reader.leaf_end = -1
    reader.damage = None
    reader.cursor.set_limit(chunk.offset + chunk.size)
    reader.cursor.seek(chunk.offset)
    fault = fault or (None if is_filled else lost)
    return None if fault is None else (certain, fault)


# --- objects ---


class SoundObjects(ObjectWalker):
    """Islands, buildings and states: each has a size."""

    def placed(
        self, header: ObjectHeader, name: str, type_name: str, content: Iterator[Event], *, has_data: bool
    ) -> Iterator[Event]:
        reader = self.reader
        around = len(reader.steps)
        outer = reader.cursor.limit()
        fault: SaveError | None = None
        try:
            yield from ObjectWalker.placed(self, header, name, type_name, content, has_data=has_data)
        except SaveError as error:
            if not reader.survives(error):
                raise
            fault = error
        if fault is not None:
            reader.cursor.set_limit(outer)
            yield from _lost_object(reader, fault, header, around)

    def buildings(self, outer: str) -> Iterator[Event]:
        if not self.reader.game.has_checkpoints:
            self._prove_chain()
        yield from ObjectWalker.buildings(self, outer)

    def _prove_chain(self) -> None:
        """Go from building to building, and back: only the end shows whether each starts where it seems to.

        Raises:
            DamagedSave: they do not end where their blob does.
        """
        cursor = self.reader.game
        start = cursor.tell()
        for _ in range(cursor.count(BUILDING_SIZE)):
            cursor.skip(ISLAND_TILE.size + ROTATION.size)
            cursor.text()
            if cursor.u8():
                cursor.skip(self.layouts.framed_size())
        if cursor.remaining() > 0 and self.version <= SAVE_NEWEST:
            raise cursor.damaged("buildings end before their blob does", expected="0 bytes left", actual=cursor.remaining())
        cursor.seek(start)


class SoundEntries(BlueprintWalker):
    """Entries of a blueprint: each is read to its end first, and the next token shows that this was its end."""

    def _entry(self, tokens: JsonTokens, first: Token, kind: str) -> Iterator[Event]:
        reader = self.reader
        members = read_entry(tokens, reader.cursor)
        end, after = tokens.start, tokens.end
        tokens.peek()
        around = len(reader.steps)
        header: ObjectHeader | None = None
        fault: SaveError | None = None
        try:
            for event in self.entry(members, first, end, after, kind):
                if header is None and isinstance(event, ObjectHeader):
                    header = event
                yield event
        except SaveError as error:
            if not reader.survives(error):
                raise
            fault = error
        if fault is not None and header is None:
            yield reader.lost(fault, "object", "", first.start, after)
        elif fault is not None and header is not None:
            yield from _lost_object(reader, fault, header, around, after)
        reader.cursor.seek(after)


def _lost_object(reader: GameReader, fault: SaveError, header: ObjectHeader, around: int, after: int = -1) -> Iterator[Event]:
    """Yield the `Damage` of an object, and its end; `after` is where its closing bracket ends, if it has one."""
    end = header.data_offset + header.size
    del reader.steps[around:]
    reader.steps.append(place_of(header))
    yield reader.lost(fault, "object", header.instance_name, header.data_offset, end)
    reader.steps.pop()
    reader.cursor.seek(end)
    yield ObjectEnd(end, header.instance_name, max(after - end, 0))

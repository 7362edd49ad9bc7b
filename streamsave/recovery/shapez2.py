"""shapez 2: members of the archive, islands, buildings, states and entries of blueprints are parts.

A member has no sizes between its values. So one without objects is walked once before anything in it is given: its end shows
whether its counts are right. Islands, buildings and states have sizes, and say which ones they are: what is lost of these is lost
alone, and where their member cannot be read any further, those before that place were given.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from streamsave.errors import DamagedSave, SaveError
from streamsave.events import Event, ObjectHeader, SaveEnd
from streamsave.formats.shapez2.code import BlueprintWalker, CodeReader, read_entry
from streamsave.formats.shapez2.jsontext import JsonTokens, Token
from streamsave.formats.shapez2.objects import BUILDING_SIZE, ObjectWalker
from streamsave.formats.shapez2.primitives import ISLAND_TILE, ROTATION
from streamsave.formats.shapez2.reader import FIRST, OPAQUE, SaveReader
from streamsave.formats.shapez2.versions import SAVE_NEWEST
from streamsave.input.zip_archive import Archive
from streamsave.recovery.driver import Family
from streamsave.recovery.losses import Part, lost_part

__all__ = ["ArchiveFamily", "CodeFamily"]


class CodeFamily(Family):
    """Entries of a blueprint."""

    def events(self) -> Iterator[Event | Part]:
        reader = self.reader
        assert isinstance(reader, CodeReader)  # noqa: S101 - it is its family
        start = reader.start()
        yield start
        yield from reader.content(SoundEntries(reader, start.version))


class SoundEntries(BlueprintWalker):
    """Entries of a blueprint: each is read to its end first, and the next token shows that this was its end."""

    def _entry(self, tokens: JsonTokens, first: Token, kind: str) -> Iterator[Event]:
        members = read_entry(tokens, self.reader.cursor)
        end, after = tokens.last.start, tokens.last.end
        tokens.peek()
        try:
            name = self.header(members, first, end, kind).instance_name
        except SaveError:  # the walk meets it, too
            name = ""
        yield Part(self.entry(members, first, end, after, kind), "object", name, after)  # type: ignore[misc]  # for the driver


class ArchiveFamily(Family):
    """Members of an archive."""

    def events(self) -> Iterator[Event | Part]:
        reader = self.reader
        assert isinstance(reader, SaveReader)  # noqa: S101 - it is its family
        archive = Archive(reader.source, reader.limits, FIRST)
        start = reader.start(archive)
        yield start
        objects = SoundObjects(reader, start.version)
        for index in range(len(archive.chunks)):
            chunk = archive.chunks[index]
            ends = partial(end_of, reader, archive, index)
            yield Part(certain(reader, index, objects), "member", chunk.name, chunk.offset + chunk.size, find_end=ends)
        end = archive.size()
        for gap in archive.gaps():  # it may be a member whose entry was lost
            error = DamagedSave(gap.message(), end)
            error.compressed_offset = gap.offset
            yield lost_part(error, "member", gap.name, end, gap.member_size)
        yield SaveEnd(end)


def end_of(reader: SaveReader, archive: Archive, index: int) -> tuple[int, int]:
    """Return where a member ends, which may be sound, but smaller than it declares; and the size that it declares."""
    chunk = archive.chunks[index]
    claimed = chunk.size or -1
    end = chunk.offset + archive.shorten(index)
    reader.stream_end = archive.size()
    return end, claimed  # what an entry of no bytes hides has a size that is unknown


class SoundObjects(ObjectWalker):
    """Islands, buildings and states: each has a size."""

    def placed(
        self, header: ObjectHeader, name: str, type_name: str, content: Iterator[Event], *, has_data: bool
    ) -> Iterator[Event]:
        events = ObjectWalker.placed(self, header, name, type_name, content, has_data=has_data)
        yield Part(events, "object", header.instance_name, header.data_offset + header.size)  # type: ignore[misc]  # as above

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


# --- is a member certain? ---


def certain(reader: SaveReader, index: int, objects: ObjectWalker) -> Iterator[Event | Part]:
    """Yield the events of a member; if it has no objects, only once it is proven.

    Raises:
        SaveError: it is damaged.
    """
    events: Iterator[Event | Part] = reader.scope(index, objects)
    for event in events:
        yield event
        if event is reader.member and not reader.was_skipped:
            prove_values(reader, objects)


def prove_values(reader: SaveReader, objects: ObjectWalker) -> None:
    """Walk all of the open member without giving it, up to its first object, and go back to its start.

    Raises:
        SaveError: it is damaged.
    """
    member = reader.member
    cursor = reader.cursor
    if member is None or member.type_name == OPAQUE or member.size == 0:
        return
    steps = len(reader.steps)
    reader.steps.append(member.name)
    cursor.peek(1)  # enters the chunk before the first event in it
    content: Iterator[Event | Part] = reader.content(member, objects)
    for event in content:
        if isinstance(event, Part):
            break
        reader.pass_leaf()
    del reader.steps[steps:]
    reader.leave_leaf()
    cursor.set_limit(member.offset + member.size)
    cursor.seek(member.offset)

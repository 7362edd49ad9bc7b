"""What the file table of a container may have lost: entries that are in its gaps, and entries that were emptied.

| found | how |
|---|---|
| an entry in a gap | unpacked, it starts with the version of a struct of the game; or the gap starts with a whole packed stream |
| an emptied entry | it is stored in no bytes, but has chunks, which no other entry uses |
| `pld`, `player`, `globals` | each save has them; this one has one of them, and gaps |

When the game shortens an entry, the end of the longer one stays in a gap: that is no entry. When it removes one, all of it stays
there. In the file, this looks like a row that was lost, so it is reported, too. But entities that a script has made are removed
when they are gone: these are told apart, as `LostEntry.may_be_gone`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from streamsave.errors import SaveError
from streamsave.formats.arx.container import SINGLE_KINDS
from streamsave.formats.arx.header import ArxContainer, ArxEntry
from streamsave.formats.arx.layout import struct_of
from streamsave.formats.arx.versions import STRUCT_VERSION
from streamsave.input.arx_entries import EntryUnpacker
from streamsave.input.source import Source
from streamsave.limits import Limits

__all__ = ["LostEntry", "lost_entries"]

#: How a packed stream starts: imploded (the first byte is inverted), or deflated by zlib.
STREAM_START: Final = re.compile(rb"[\xfe\xff][\x04-\x06]|\x78[\x01\x5e\x9c\xda]")
DEFLATE_START: Final = 0x78
CODECS: Final = ("stored", "implode", "deflate")
#: Where the version is: in IO_SAVE, and in all others.
VERSION_OFFSETS: Final = (struct_of("IO_SAVE").offset("version"), 0)
#: Where IO_SAVE says whether a script has made the entity, an i32, and what it says then.
SCRIPTLOAD: Final = struct_of("IO_SAVE").offset("scriptload")
MADE_BY_SCRIPT: Final = (b"\1\0\0\0", b"\2\0\0\0")
HEAD_SIZE: Final = SCRIPTLOAD + 4
#: Packed bytes that are enough for so many.
PACKED_HEAD_SIZE: Final = 1024

#: Bytes of a gap that are searched at a time.
PIECE_SIZE: Final = 64 * 1024
#: What a search may cost: places that are looked at, and bytes that are unpacked to see where a stream ends.
MOST_PLACES: Final = 1000
MOST_UNPACKED: Final = 1 << 20


class LostEntry(NamedTuple):
    """An entry that the table may have lost."""

    #: Where it is in the file, as far as that is known.
    offset: int
    #: "" if only its bytes are left.
    name: str
    #: What is wrong, in words.
    message: str
    #: An entity that a script has made: the game drops its row when it is gone.
    may_be_gone: bool = False


def lost_entries(source: Source, container: ArxContainer, emptied: list[ArxEntry], limits: Limits) -> list[LostEntry]:
    """Return the entries that the table may have lost, in the order of the file.

    Args:
        source: the file.
        container: its table.
        emptied: entries of no bytes that have chunks, as `read_container` finds them.
        limits: what to refuse.
    """
    found: dict[int, LostEntry] = {}
    for entry in emptied:
        chunks = [chunk for chunk in entry.chunks if chunk[1] > 0 and _is_free(chunk, container.gaps)]
        if chunks:
            first = min(chunks)[0]
            size = sum(size for _, size in chunks)
            message = f"entry {entry.name!r} is empty, but has chunks of {size} bytes, the first at {first:#x}"
            found[first] = LostEntry(first, entry.name, message)
    search = _Search(source, limits)
    for offset, size in container.gaps:
        for place, may_be_gone in search.entries(offset, offset + size):
            message = f"an entry at {place:#x} is not in the file table: its row was lost, or the game has removed it"
            found.setdefault(place, LostEntry(place, "", message, may_be_gone))
    return [*_missing(container), *[found[place] for place in sorted(found)]]


def _missing(container: ArxContainer) -> Iterator[LostEntry]:
    """Yield those entries that each save has, but this one does not, though some of its bytes belong to no entry."""
    names = {entry.name for entry in container.entries}
    if container.gaps and not names.isdisjoint(SINGLE_KINDS):
        for name in SINGLE_KINDS:
            if name not in names:
                message = f"there is no entry {name!r}, which each save has, but bytes that belong to no entry"
                yield LostEntry(container.gaps[0][0], name, message)


def _is_free(chunk: tuple[int, int], gaps: list[tuple[int, int]]) -> bool:
    """Return whether no entry uses the bytes of a chunk."""
    offset, size = chunk
    return any(start <= offset and offset + size <= start + length for start, length in gaps)


class _Search:
    """Looks for entries in gaps, and adds up what that costs."""

    def __init__(self, source: Source, limits: Limits) -> None:
        self._source = source
        self._limits = limits
        self._places_left = MOST_PLACES
        self._unpacked_left = MOST_UNPACKED

    def entries(self, start: int, end: int) -> Iterator[tuple[int, bool]]:
        """Yield where entries start in a gap, and whether each is an entity that a script has made."""
        found = self._entry_at(start, end, CODECS)
        if found is not None or self._is_whole(start, end):
            yield start, found is True
        for place, packed in self._streams(start + 1, end):
            if self._places_left <= 0:
                break
            self._places_left -= 1
            found = self._entry_at(place, end, (packed,))
            if found is not None:
                yield place, found

    def _streams(self, start: int, end: int) -> Iterator[tuple[int, str]]:
        """Yield where a packed stream may start in `[start, end)`, and how it is packed."""
        at = start
        while end - at > 1:
            data = self._source.read_at(at, min(PIECE_SIZE, end - at))
            for match in STREAM_START.finditer(data):
                yield at + match.start(), "deflate" if match[0][0] == DEFLATE_START else "implode"
            if len(data) < 2:
                break
            at += len(data) - 1

    def _entry_at(self, place: int, end: int, codecs: tuple[str, ...]) -> bool | None:
        """Return whether an entry at a place is an entity that a script has made; None if no struct of the game starts there."""
        for codec in codecs:
            head = b""
            unpacker = self._unpacker(place, min(end, place + PACKED_HEAD_SIZE), codec, HEAD_SIZE)
            try:
                while len(head) < HEAD_SIZE and (piece := unpacker.read()):
                    head += piece
            except SaveError:  # what came before it counts
                pass
            if any(head.startswith(STRUCT_VERSION, offset) for offset in VERSION_OFFSETS):
                return head.startswith(STRUCT_VERSION, VERSION_OFFSETS[0]) and head[SCRIPTLOAD:HEAD_SIZE] in MADE_BY_SCRIPT
        return None

    def _is_whole(self, place: int, end: int) -> bool:
        """Return whether a packed stream of one byte or more starts at a place, and is sound up to its end."""
        if not STREAM_START.match(self._source.read_at(place, min(2, end - place))):
            return False
        for codec in CODECS[1:]:
            unpacker = self._unpacker(place, end, codec, -1)
            size = 0
            try:
                while self._unpacked_left > 0 and (piece := unpacker.read()):
                    size += len(piece)
                    self._unpacked_left -= len(piece)
            except SaveError:  # bytes after a stream are none of it
                pass
            if size > 0 and unpacker.has_ended():
                return True
        return False

    def _unpacker(self, place: int, end: int, codec: str, size: int) -> EntryUnpacker:
        stored = end - place
        return EntryUnpacker(
            self._source, ArxEntry(0, "", b"", "blob", "blob", codec, size, stored, [(place, stored)]), self._limits
        )

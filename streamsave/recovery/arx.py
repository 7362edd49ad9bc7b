"""Arx: each entry is a part. What the file table has lost is reported at the end.

An entry is given only if it is the one that its row names. This is proven before anything in it is given, and `check` reports it:

| entry | first struct | what has to be there |
|---|---|---|
| `pld` | PLAYER_LEVEL_DATA | `version` 1.005; nothing after it |
| `globals` | SAVE_GLOBALS | `version` 1.005; a padding of zeros; variables whose names start with the sign of their type |
| `lvlNNN` | INDEX | `version` 1.005; counts of what is in the entry, and not all 0 if anything follows |
| `player` | PLAYER | `version` 0 |
| entity | IO_SAVE | `version` 1.005; but in a stub, a `filename` that ends in the class, and `ident`, the number |

An imploded entry has no checksum, and its size may be unknown. Then it has to end where what it counts ends (`reader` sees that),
and `size` in old rows, if it is the packed size in most of them, has to be that of its chunks or of its stream.

So a row that leads to bytes of another entry gives nothing of it. Which of two levels is which is not proven: what Arx Fatalis
writes is the level of each entity in it, not its own. Blobs, and entries too short for a struct, are passed over. What cannot be
read proves nothing, and is for the walk to report.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

from streamsave.decode.cursor import Cursor
from streamsave.errors import DamagedSave
from streamsave.events import BlobSkip, Event, ObjectHeader, SaveEnd
from streamsave.formats.arx.container import is_nameless, read_container
from streamsave.formats.arx.header import ArxContainer, ArxEntry
from streamsave.formats.arx.layout import NAME_OFFSET, SIGNS, TEXT_TYPES, VARIABLE_SIZE, struct_of
from streamsave.formats.arx.lost_entries import lost_entries
from streamsave.formats.arx.reader import FIRST_STRUCTS, ArxReader
from streamsave.formats.arx.versions import STRUCT_VERSION
from streamsave.input.arx_entries import EntryWindows
from streamsave.recovery.driver import Family
from streamsave.recovery.losses import Part, lost_part

__all__ = ["ArxFamily"]

#: The version of a PLAYER.
PLAYER_VERSION: Final = bytes(4)
FILENAME_OFFSET: Final = struct_of("IO_SAVE").offset("filename")
IDENT_OFFSET: Final = struct_of("IO_SAVE").offset("ident")
ENTITY_HEAD: Final = IDENT_OFFSET + 4
GLOBALS_OFFSET: Final = struct_of("SAVE_GLOBALS").offset("nb_globals")
PADDING_OFFSET: Final = struct_of("SAVE_GLOBALS").offset("padding")
#: The four counts of INDEX, which follow each other.
COUNTS: Final = struct.Struct("<4i")
COUNTS_OFFSET: Final = struct_of("INDEX").offset("nb_inter")
#: So many rows with a size that fits are no chance.
LEAST_SIZES: Final = 3
#: Bytes of what INDEX counts, in the order of its counts.
COUNTED_SIZES: Final = (*[struct_of(name).size for name in ("IO_INDEX", "PATH", "LIGHT")], 1)


def prove_entry(cursor: Cursor, kind: str, name: str, end: int) -> None:
    """Look at an entry that starts at the cursor and ends at `end`; the cursor stays.

    Raises:
        DamagedSave: it is not what its name says.
    """
    first = FIRST_STRUCTS.get(kind)
    start = cursor.tell()
    if first is None or end - start < first.size:
        return
    where, version = first.offset("version"), PLAYER_VERSION if kind == "player" else STRUCT_VERSION
    head = cursor.peek(ENTITY_HEAD)
    found = head[where : where + len(version)]
    if found != version:
        raise cursor.damaged(
            f"entry {name!r} does not start as its kind does", offset=start + where, expected=version, actual=found
        )
    if kind == "pld" and end - start > first.size:
        raise cursor.damaged(
            f"entry {name!r} has more than one struct",
            offset=start + first.size,
            expected=int(first.size),
            actual=int(end - start),
        )
    if kind == "globals":
        _prove_globals(cursor, name, end)
        cursor.seek(start)
    elif kind == "level":
        _prove_level(cursor, name, end)
    elif kind == "entity":
        _prove_entity(cursor, name, head)


def certain_sizes(container: ArxContainer, packed_sizes: list[int]) -> list[int]:
    """Return the packed sizes that rows give, if most of this container's are those of their chunks; else none.

    No game reads them, so only a container itself shows whether its writer kept them.
    """
    fitting = sum(size == entry.stored_size for size, entry in zip(packed_sizes, container.entries, strict=False))
    return packed_sizes if fitting >= LEAST_SIZES and 2 * fitting > len(container.entries) else []


def prove_size(cursor: Cursor, entry: ArxEntry, packed_size: int, windows: EntryWindows) -> None:
    """Compare the size in an entry's row with its chunks, and with where its stream has ended; the cursor is at its start.

    Raises:
        DamagedSave: it is neither.
    """
    found = windows.packed_size()
    if packed_size != entry.stored_size and packed_size != found >= 0:
        raise cursor.damaged(
            f"the chunks of entry {entry.name!r} are not as its row says", expected=packed_size, actual=int(found)
        )


def _prove_globals(cursor: Cursor, name: str, end: int) -> None:
    start = cursor.tell()
    size = int(struct_of("SAVE_GLOBALS").size)
    head = cursor.peek(size)
    padding = head[PADDING_OFFSET:]
    if padding.count(0) != len(padding):
        at = PADDING_OFFSET + len(padding) - len(padding.lstrip(b"\0"))
        raise cursor.damaged(f"the padding of entry {name!r} is not zero", offset=start + at, expected=0, actual=head[at])
    if len(head) < size:
        return
    (count,) = struct.unpack_from("<i", head, GLOBALS_OFFSET)
    at = start + size
    if not count and at < end:
        raise cursor.damaged(f"entry {name!r} has bytes, but no variable", offset=at, expected=0, actual=end - at)
    for _ in range(min(count, (end - at) // VARIABLE_SIZE)):
        cursor.seek(at)
        head = cursor.peek(VARIABLE_SIZE)
        if len(head) < VARIABLE_SIZE:
            return
        kind, number = struct.unpack_from("<if", head)
        sign = head[NAME_OFFSET : NAME_OFFSET + 1]
        if sign not in SIGNS.get(kind, ()):
            raise cursor.damaged(f"a variable of entry {name!r} does not have the sign of its type", actual=(kind, sign))
        at += VARIABLE_SIZE
        if kind in TEXT_TYPES:
            if not -1.0 < number < end - at + 1.0:
                return
            at += int(number)


def _prove_level(cursor: Cursor, name: str, end: int) -> None:
    head = cursor.peek(COUNTS_OFFSET + COUNTS.size)
    if len(head) < COUNTS_OFFSET + COUNTS.size:
        return
    counts = COUNTS.unpack_from(head, COUNTS_OFFSET)
    room = int(end - cursor.tell() - struct_of("INDEX").size)
    wanted = sum(count * size for count, size in zip(counts, COUNTED_SIZES, strict=True))
    if min(counts) < 0 or wanted > room or (room and not wanted):
        raise cursor.damaged(
            f"entry {name!r} counts other things than it has", offset=cursor.tell() + COUNTS_OFFSET, expected=room, actual=wanted
        )


def _prove_entity(cursor: Cursor, name: str, head: bytes) -> None:
    if len(head) < ENTITY_HEAD:
        return
    path = head[FILENAME_OFFSET:IDENT_OFFSET].split(b"\0")[0].decode("latin-1").lower().replace("\\", "/")
    if not path:
        return
    (ident,) = struct.unpack_from("<i", head, IDENT_OFFSET)
    class_name, _, number = name.lower().rpartition("_")
    stem = path.rpartition("/")[2].rpartition(".")[0]
    if (stem, ident) != (class_name, int(number)):
        raise cursor.damaged(f"entry {name!r} is another one", expected=name, actual=f"{stem}_{ident:04d}")


class ArxFamily(Family):
    """Entries of a container."""

    def __init__(self, reader: ArxReader) -> None:
        super().__init__(reader)
        self._arx = reader

    def events(self) -> Iterator[Event | Part]:
        reader = self._arx
        emptied: list[ArxEntry] = []
        packed_sizes: list[int] = []
        container = read_container(reader.source, reader.limits, emptied, packed_sizes)
        yield reader.start(container)
        sizes = certain_sizes(container, packed_sizes)
        has_zeros = any(map(is_nameless, container.entries))
        for entry in container.entries:
            if has_zeros and entry.kind == "blob" and not entry.stored_size:
                error = DamagedSave("a part of the file table is zeros: no entry has no name", int(reader.cursor.tell()))
                yield lost_part(error, "member", entry.name, int(reader.cursor.tell()), -1)
                continue
            yield Part(proven(reader, entry, sizes), "member", entry.name, 0, find_end=self._entry_end)
        end = int(reader.cursor.tell())
        for lost in lost_entries(reader.source, container, emptied, reader.limits):
            if not lost.may_be_gone:
                error = DamagedSave(lost.message, end)
                error.compressed_offset = lost.offset
                yield lost_part(error, "member", lost.name, end, -1)
        yield SaveEnd(end)

    def _entry_end(self) -> tuple[int, int]:
        """Return where the open entry can be unpacked no further, and its size."""
        entries = self._arx.entries
        end, _ = entries.readable_end(self._arx.limits)
        return end, int(entries.size) or -1  # what an entry of no bytes hides has a size that is unknown


def proven(reader: ArxReader, entry: ArxEntry, sizes: list[int]) -> Iterator[Event]:
    """Yield the events of an entry, if it is the one that its row names.

    Args:
        reader: makes them.
        entry: its row.
        sizes: the packed sizes in the rows of all entries, if they count.
    """
    cursor = reader.cursor
    for event in reader.scope(entry):
        if entry.size < 0 and isinstance(event, BlobSkip) and event.reason == f"bytes after the {entry.kind}":
            raise cursor.damaged(
                f"entry {entry.name!r} ends after what it counts",
                offset=event.offset,
                expected=event.offset + event.size,
                actual=event.offset,
            )
        yield event
        if isinstance(event, ObjectHeader) and not reader.was_skipped:
            outer = cursor.limit()
            reader.steps.append(entry.name)
            end = cursor.tell() + reader.entries.open()
            cursor.set_limit(end)
            if sizes:
                prove_size(cursor, entry, sizes[entry.index], reader.entries)
            prove_entry(cursor, entry.kind, entry.name, int(end))
            reader.steps.pop()
            cursor.set_limit(outer)

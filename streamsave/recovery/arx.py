"""Arx: each entry is a frame, so a fault costs the entry that it is in. What the file table has lost is reported at the end.

An entry is given only if it is the one that its row names (`entry_proof`, which `check` reports, too). An imploded entry has no
checksum: it has to end where what it counts ends, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from streamsave.errors import DamagedSave, SaveError
from streamsave.events import BlobSkip, Event, ObjectEnd, ObjectHeader, SaveEnd
from streamsave.formats.arx.container import read_container
from streamsave.formats.arx.entry_proof import certain_sizes, prove_entry, prove_size
from streamsave.formats.arx.header import ArxEntry
from streamsave.formats.arx.lost_entries import lost_entries
from streamsave.formats.arx.reader import ArxReader

__all__ = ["events"]


def events(reader: ArxReader) -> Iterator[Event]:
    """Yield the events of a save, and a `Damage` in place of each entry that is lost."""
    emptied: list[ArxEntry] = []
    packed_sizes: list[int] = []
    container = read_container(reader.source, reader.limits, emptied, packed_sizes)
    yield reader.start(container)
    sizes = certain_sizes(container, packed_sizes)
    for entry in container.entries:
        yield from _entry(reader, entry, sizes)
    end = int(reader.cursor.tell())
    for lost in lost_entries(reader.source, container, emptied, reader.limits):
        if not lost.may_be_gone:
            error = DamagedSave(lost.message, end)
            error.compressed_offset = lost.offset
            yield reader.lost(error, "member", lost.name, end, end, size=-1)
    yield SaveEnd(end)


def _entry(reader: ArxReader, entry: ArxEntry, sizes: list[int]) -> Iterator[Event]:
    """Yield the events of an entry; after a fault, its `Damage` and its end."""
    start = reader.cursor.tell()
    outer = reader.cursor.limit()
    fault: SaveError | None = None
    try:
        for event in reader.scope(entry):
            if entry.size < 0 and isinstance(event, BlobSkip) and event.reason == f"bytes behind the {entry.kind}":
                raise reader.cursor.damaged(
                    f"entry {entry.name!r} ends after what it counts",
                    offset=event.offset,
                    expected=event.offset + event.size,
                    actual=event.offset,
                )
            yield event
            if isinstance(event, ObjectHeader) and not reader.was_skipped:
                _prove(reader, entry, sizes)
    except SaveError as error:
        if not reader.survives(error):
            raise
        fault = error
    if fault is not None:
        reader.steps[:] = [entry.name]
        stated = int(reader.entries.size)
        end, _ = reader.entries.readable_end(reader.limits)
        # What an entry of no bytes hides has a size that is unknown.
        yield reader.lost(fault, "member", entry.name, start, end, size=stated if stated != 0 else -1)
        reader.steps.pop()
        reader.cursor.seek(end)
        reader.cursor.set_limit(outer)
        yield ObjectEnd(reader.cursor.tell(), entry.name, 0)


def _prove(reader: ArxReader, entry: ArxEntry, sizes: list[int]) -> None:
    """Raise a `SaveError` if an entry, which starts at the cursor, is not the one that its row names."""
    cursor = reader.cursor
    outer = cursor.limit()
    reader.steps.append(entry.name)
    end = cursor.tell() + reader.entries.open()
    cursor.set_limit(end)
    if sizes:
        prove_size(cursor, entry, sizes[entry.index], reader.entries)
    prove_entry(cursor, entry.kind, entry.name, int(end))
    reader.steps.pop()
    cursor.set_limit(outer)

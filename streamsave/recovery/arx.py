"""Arx: each entry is a part. What the file table has lost is reported at the end.

An entry is given only if it is the one that its row names (`arx_proof`, which `check` reports, too). An imploded entry has no
checksum: it has to end where what it counts ends, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from streamsave.errors import DamagedSave
from streamsave.events import BlobSkip, Event, ObjectHeader, SaveEnd
from streamsave.formats.arx.container import read_container
from streamsave.formats.arx.header import ArxEntry
from streamsave.formats.arx.lost_entries import lost_entries
from streamsave.formats.arx.reader import ArxReader
from streamsave.recovery.arx_proof import certain_sizes, prove_entry, prove_size
from streamsave.recovery.driver import Family, Part, lost_part

__all__ = ["ArxFamily"]


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
        for entry in container.entries:
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

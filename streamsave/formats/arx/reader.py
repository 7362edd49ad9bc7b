"""A save of Arx Fatalis or Arx Libertatis: a container of entries, and structs of fixed size in each.

The inflated stream is all entries, unpacked, one after the other, in the order of the file table. Where the table does not give
the size of an entry, the entry counts as far as it was read: whole when it is walked (it is unpacked once before, to measure
it), not at all when it is skipped. A damaged entry counts as far as it unpacks. The bytes of the file that belong to no entry
are listed in `SaveStart.header`; with resync, a `Damage` at the end says which entries may be among them (`lost_entries`).

| event | for |
|---|---|
| `ObjectHeader` | an entry: kind, class of the entity, name; `size` is -1 where the table does not give it |
| `ChunkStart` | the entry is read |
| `StructEnter` | a section: a struct, or an array of structs or variables |
| `Field` | a row of a struct, a variable, a list of texts |
| `BlobSkip` | padding, an entry without a layout, bytes that no section claims |
| `ObjectEnd` | the entry was sound, unless it was skipped |

| part | what it does |
|---|---|
| `entries` | unpacks entries (`input.entry_windows`) |
| `EntryWalker` | walks the sections of an entry, by its kind |
| `SectionWalker` | walks one section |

`sparse` is honoured, see `sections`.
"""

from __future__ import annotations

from collections.abc import Iterator

from streamsave.decode.cursor import Cursor
from streamsave.decode.length import Length
from streamsave.decode.reader import Reader
from streamsave.errors import DamagedSave, SaveError
from streamsave.events import Event, ObjectEnd, ObjectHeader, SaveEnd, SaveStart, StructEnter
from streamsave.formats.arx.container import read_container
from streamsave.formats.arx.entry_proof import certain_sizes, prove_entry, prove_size
from streamsave.formats.arx.entry_walker import EntryWalker
from streamsave.formats.arx.header import ArxContainer, ArxEntry
from streamsave.formats.arx.lost_entries import lost_entries
from streamsave.formats.arx.sections import SectionWalker
from streamsave.input.entry_windows import EntryWindows
from streamsave.input.source import Source
from streamsave.input.windows import FileWindows
from streamsave.limits import Limits

__all__ = ["ArxReader"]


class ArxReader(Reader):
    """Read a save."""

    def __init__(self, source: Source, limits: Limits) -> None:
        super().__init__(Cursor(FileWindows(source), limits), limits)
        self.source = source
        self.header: ArxContainer | None = None
        self.entries = EntryWindows(source, limits, [])
        #: Whether the consumer has passed over the entry that was announced last, and which entry that is.
        self._skipped = False
        self.entry_index = -1
        #: Open arrays, and where their counts are.
        self.counted: list[tuple[StructEnter, Length]] = []
        #: With resync, the packed sizes of all entries, as their rows say; none if that is not known.
        self._packed_sizes: list[int] = []

    def events(self) -> Iterator[Event]:
        emptied: list[ArxEntry] = []
        packed_sizes: list[int] = []
        container = read_container(self.source, self.limits, emptied, packed_sizes)
        self._packed_sizes = certain_sizes(container, packed_sizes) if self.resyncs else []
        self.header = container
        self.entries = EntryWindows(self.source, self.limits, container.entries)
        self.windows = self.entries
        self.cursor = Cursor(self.entries, self.limits)
        yield SaveStart(0, "arx", container.version, container)
        sections = SectionWalker(self)
        self.counted = sections.counted
        walker = EntryWalker(self, sections)
        for entry in container.entries:
            yield from self._entry(entry, container.version, walker)
        if self.resyncs:
            yield from self._lost_entries(container, emptied)
        yield SaveEnd(self.cursor.tell())

    def _entry(self, entry: ArxEntry, version: int, walker: EntryWalker) -> Iterator[Event]:
        """Yield the events of an entry; only its header if the consumer passes over it."""
        cursor = self.cursor
        outer = cursor.limit()
        start = cursor.tell()
        self.entries.enter(entry.index, start)
        self._skipped = False
        self.entry_index = entry.index
        self.counted.clear()
        fault: SaveError | None = None
        try:
            yield ObjectHeader(start, entry.kind, entry.class_name, entry.name, "", "", None, 0, version, 0, 0, start, entry.size)
            if not self._skipped:
                self.steps.append(entry.name)
                end = start + self.entries.open()
                cursor.set_limit(end)
                if self._packed_sizes:
                    prove_size(cursor, entry, self._packed_sizes[entry.index], self.entries)
                if self.resyncs:
                    prove_entry(cursor, entry.kind, entry.name, int(end))
                yield from walker.content(entry.kind, end)
                if cursor.tell() < end:
                    if self.resyncs and entry.size < 0:
                        # No checksum and no size shows that it was unpacked from the right bytes: only its own counts do.
                        raise cursor.damaged(
                            f"entry {entry.name!r} ends after what it counts", expected=int(end), actual=int(cursor.tell())
                        )
                    yield walker.sections.rest(end, f"bytes behind the {entry.kind}")
                self.entries.finish()
                self.steps.pop()
        except SaveError as error:
            if not self.survives(error):
                raise
            fault = error
        if fault is not None:
            self.steps[:] = [entry.name]
            stated = self.entries.size
            end, _ = self.entries.readable_end(self.limits)
            # What an entry of no bytes hides has a size that is unknown.
            yield self.lost(fault, "member", entry.name, start, end, size=stated if stated != 0 else -1)
            self.steps.pop()
            cursor.seek(end)
        cursor.set_limit(outer)
        yield ObjectEnd(cursor.tell(), entry.name, 0)

    def _lost_entries(self, container: ArxContainer, emptied: list[ArxEntry]) -> Iterator[Event]:
        """Yield a `Damage` for each entry that the table may have lost."""
        end = self.cursor.tell()
        for lost in lost_entries(self.source, container, emptied, self.limits):
            if lost.may_be_gone:
                continue
            error = DamagedSave(lost.message, int(end))
            error.compressed_offset = lost.offset
            yield self.lost(error, "member", lost.name, end, end, size=-1)

    def skip(self, event: Event) -> bool:
        if isinstance(event, ObjectHeader):
            self._skipped = True
            self.cursor.seek(event.data_offset + max(self.entries.size, 0))
            return True
        return super().skip(event)

    def leads_to_objects(self, event: Event) -> bool:
        return False  # entries lie one beside the other, in nothing

    def lengths(self, event: Event) -> list[Length]:
        return [length for enter, length in self.counted if enter is event]

    def verify(self, event: Event) -> None:
        if isinstance(event, ObjectHeader):
            self.entries.finish()

    def key_of(self, offset: int) -> int:
        return self.entry_index  # offsets depend on which entries of unknown size were skipped

    def measure(self, event: ObjectHeader) -> int:
        return int(self.entries.measure())

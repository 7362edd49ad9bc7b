"""A save of Arx Fatalis or Arx Libertatis: a container of entries, and structs of fixed size in each.

The inflated stream is all entries, unpacked, one after the other, in the order of the file table. Where the table does not give
the size of an entry, the entry counts as far as it was read: whole when it is walked (it is unpacked once before, to measure
it), not at all when it is skipped. A damaged entry counts as far as it unpacks. The bytes of the file that belong to no entry
are listed in `SaveStart.header`.

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
| `entries` | unpacks entries (`input.arx_entries`) |
| `EntryWalker` | walks the sections of an entry, by its kind |

`sparse` is honoured, see `entry_walker`.
"""

from __future__ import annotations

from collections.abc import Iterator

from streamsave.decode.cursor import Cursor
from streamsave.decode.length import Length
from streamsave.decode.reader import Reader
from streamsave.events import Event, ObjectEnd, ObjectHeader, SaveEnd, SaveStart, StructEnter
from streamsave.formats.arx.container import read_container
from streamsave.formats.arx.entry_walker import EntryWalker
from streamsave.formats.arx.header import ArxContainer, ArxEntry
from streamsave.input.arx_entries import EntryWindows
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
        #: The consumer has passed over the entry that was announced last; which entry that is.
        self.was_skipped = False
        self.entry_index = -1
        #: Open arrays, and where their counts are.
        self.counted: list[tuple[StructEnter, Length]] = []

    def events(self) -> Iterator[Event]:
        container = read_container(self.source, self.limits)
        yield self.start(container)
        for entry in container.entries:
            yield from self.scope(entry)
        yield SaveEnd(self.cursor.tell())

    def start(self, container: ArxContainer) -> SaveStart:
        """Begin with the entries of a container; return the first event."""
        self.header = container
        self.entries = EntryWindows(self.source, self.limits, container.entries)
        self.windows = self.entries
        self.cursor = Cursor(self.entries, self.limits)
        return SaveStart(0, "arx", container.version, container)

    def scope(self, entry: ArxEntry) -> Iterator[Event]:
        """Yield the events of an entry; only its header if the consumer passes over it."""
        cursor = self.cursor
        walker = EntryWalker(self)
        outer = cursor.limit()
        start = cursor.tell()
        version = 0 if self.header is None else self.header.version
        self.entries.enter(entry.index, start)
        self.was_skipped = False
        self.entry_index = entry.index
        self.counted = walker.counted
        yield ObjectHeader(start, entry.kind, entry.class_name, entry.name, "", "", None, 0, version, 0, 0, start, entry.size)
        if not self.was_skipped:
            self.steps.append(entry.name)
            end = start + self.entries.open()
            cursor.set_limit(end)
            yield from walker.content(entry.kind, end)
            if cursor.tell() < end:
                yield walker.rest(end, f"bytes after the {entry.kind}")
            self.entries.finish()
            self.steps.pop()
        cursor.set_limit(outer)
        yield ObjectEnd(cursor.tell(), entry.name, 0)

    def skip(self, event: Event) -> bool:
        if isinstance(event, ObjectHeader):
            self.was_skipped = True
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

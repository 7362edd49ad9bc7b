"""A save of Arx Fatalis or Arx Libertatis: a container of entries, and structs of fixed size in each.

The inflated stream is all entries, unpacked, one after the other, in the order of the file table. Where the table does not give
the size of an entry, the entry counts as far as it was read: whole when it is walked (it is unpacked once before, to measure
it), not at all when it is skipped. A damaged entry counts as far as it unpacks. The bytes of the file that belong to no entry
are listed in `SaveStart.header`.

| entry | sections, in order |
|---|---|
| `pld` | PLAYER_LEVEL_DATA |
| `player` | PLAYER, quests char[80], keys char[64], SavedMapMarkerData |
| `globals` | SAVE_GLOBALS, variables |
| `lvlNNN` | INDEX, IO_INDEX, PATH, SavedPlayingAmbiance, LIGHT |
| entity | see `entity` |

How many there are of each is in a struct before them. An entry too short for its first struct, or of an unknown kind, is opaque.

| event | for |
|---|---|
| `ObjectHeader` | an entry: kind, class of the entity, name; `size` is -1 where the table does not give it |
| `ChunkStart` | the entry is read |
| `StructEnter` | a section: a struct, or an array of structs, texts or variables |
| `Field` | a field of a struct, a variable, a text |
| `BlobSkip` | padding, an entry without a layout, bytes that no section claims |
| `ObjectEnd` | the entry was sound, unless it was skipped |

With `sparse`, fields of a struct whose bytes are all zero are left out; one `Field` named `zeros` replaces each run of them, and
its value is their names.

The module is long because one class reads all kinds of entries.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from streamsave._native import i64
from streamsave.decode.codecs import I32, Codec
from streamsave.decode.cursor import Cursor
from streamsave.decode.reader import Length, Reader
from streamsave.events import (
    PADDING,
    BlobSkip,
    Event,
    Field,
    ObjectEnd,
    ObjectHeader,
    SaveEnd,
    SaveStart,
    StructEnter,
    StructExit,
)
from streamsave.formats.arx.container import read_container
from streamsave.formats.arx.entity import HAS_INVENTORY, HAS_TWEAKER, KINDS
from streamsave.formats.arx.header import ArxContainer, ArxEntry
from streamsave.formats.arx.layout import GLOBAL_VARIABLE, VARIABLE, Layout, Padding, Zeros, find_type, peek_name, struct_of
from streamsave.input.arx_entries import EntryWindows
from streamsave.input.source import Source
from streamsave.input.windows import FileWindows
from streamsave.limits import Limits

__all__ = ["FIRST_STRUCTS", "STEERING_ROWS", "ArxReader"]

#: At least as many zeros as the longest field has bytes.
ZEROS: Final = bytes(128 * 1024)

#: Fields that say which sections follow, and fields with a number of bytes in place of elements.
SAVESYSTEM_TYPE: Final = "savesystem_type"
SYSTEM_FLAGS: Final = "system_flags"
IN_BYTES: Final = "ambiances_data_size"


class Section(NamedTuple):
    """One struct; or as many elements as the field `counted_by` of a struct before it says.

    Without a type, it is the struct of the kind of an entity; with `flag`, it is there if `system_flags` has it.
    """

    name: str
    element: Codec | None
    counted_by: str = ""
    flag: int = 0


SECTIONS: Final[dict[str, list[Section]]] = {
    "pld": [Section("level_data", find_type("PLAYER_LEVEL_DATA"))],
    "player": [
        Section("player", find_type("PLAYER")),
        Section("quests", find_type("char[80]"), "nb_player_quest"),
        Section("keyring", find_type("char[64]"), "keyring_nb"),
        Section("map_markers", find_type("SavedMapMarkerData"), "nb_mapmarkers"),
    ],
    "globals": [Section("globals", find_type("SAVE_GLOBALS")), Section("variables", GLOBAL_VARIABLE, "nb_globals")],
    "level": [
        Section("index", find_type("INDEX")),
        Section("inter", find_type("IO_INDEX"), "nb_inter"),
        Section("paths", find_type("PATH"), "nb_paths"),
        Section("ambiances", find_type("SavedPlayingAmbiance"), IN_BYTES),
        Section("lights", find_type("LIGHT"), "nb_lights"),
    ],
    "entity": [
        Section("io", find_type("IO_SAVE")),
        Section("timers", find_type("TIMERS_SAVE"), "nbtimers"),
        Section("script", find_type("SCRIPT_SAVE")),
        Section("script_variables", VARIABLE, "nblvar"),
        Section("override_script", find_type("SCRIPT_SAVE")),
        Section("override_script_variables", VARIABLE, "nblvar"),
        Section("kind", None),
        Section("inventory", find_type("INVENTORY_DATA_SAVE"), flag=HAS_INVENTORY),
        Section("tweaker", find_type("SavedTweakerInfo"), flag=HAS_TWEAKER),
        Section("groups", find_type("SavedGroupData"), "nb_iogroups"),
        Section("tweaks", find_type("SavedTweakInfo"), "tweak_nb"),
    ],
}
#: Names of the fields that say what follows a struct.
STEERING_ROWS: Final = frozenset(
    {
        SAVESYSTEM_TYPE,
        SYSTEM_FLAGS,
        *(section.counted_by for sections in SECTIONS.values() for section in sections if section.counted_by),
    }
)
#: Those of each struct, by its name: their names, offsets and sizes.
ROWS_OF: Final[dict[str, list[tuple[str, int, int]]]] = {
    section.element.name: [
        (name, section.element.offset(name), int(member.size))
        for name, member in zip(section.element.names, section.element.members, strict=True)
        if name in STEERING_ROWS
    ]
    for sections in SECTIONS.values()
    for section in sections
    if isinstance(section.element, Layout)
}
#: The first struct of each kind of entry.
FIRST_STRUCTS: Final[dict[str, Layout]] = {
    kind: sections[0].element for kind, sections in SECTIONS.items() if isinstance(sections[0].element, Layout)
}


class ArxReader(Reader):
    """Read a save."""

    ends_show_sizes = False

    def __init__(self, source: Source, limits: Limits) -> None:
        super().__init__(Cursor(FileWindows(source), limits))
        self.source = source
        self.header: ArxContainer | None = None
        self.entries = EntryWindows(source, limits, [])
        #: The consumer has passed over the entry that was announced last; which entry that is.
        self.was_skipped = False
        self.entry_index = -1
        #: Open arrays, and where their counts are.
        self.counted: list[tuple[StructEnter, Length]] = []
        #: The numbers of steering fields that were read last, and where they are.
        self._numbers: dict[str, tuple[i64, Length]] = {}

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
        self.cursor = Cursor(self.entries, self.limits)
        return SaveStart(0, "arx", container.version, container)

    def scope(self, entry: ArxEntry) -> Iterator[Event]:
        """Yield the events of an entry; only its header if the consumer passes over it."""
        cursor = self.cursor
        outer = cursor.limit()
        start = cursor.tell()
        version = 0 if self.header is None else self.header.version
        self.entries.enter(entry.index, start)
        self.was_skipped = False
        self.entry_index = entry.index
        self.counted = []
        yield ObjectHeader(start, entry.kind, entry.class_name, entry.name, "", "", None, 0, version, 0, 0, start, entry.size)
        if not self.was_skipped:
            self.steps.append(entry.name)
            end = start + self.entries.open()
            cursor.set_limit(end)
            yield from self.content(entry.kind, end)
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

    def verify(self, event: Event) -> None:
        if isinstance(event, ObjectHeader):
            self.entries.finish()

    def key_of(self, offset: int) -> int:
        return self.entry_index  # offsets depend on which entries of unknown size were skipped

    def measure(self, event: ObjectHeader) -> int:
        return int(self.entries.measure())

    # --- entries ---

    def content(self, kind: str, end: i64) -> Iterator[Event]:
        """Yield the events of an entry that starts at the cursor and ends at `end`."""
        cursor = self.cursor
        size = end - cursor.tell()
        first = FIRST_STRUCTS.get(kind)
        if first is None:
            yield from self.blob(end, "entry of an unknown kind")
        elif size < first.size:
            yield from self.blob(end, f"too short for a {first.name} of {first.size} bytes")
        elif kind == "entity" and size == first.size:
            yield from self.struct("stub", struct_of("IO_SAVE"))
        else:
            for name, element, count_name, flag in SECTIONS[kind]:
                if element is None:
                    number: i64 = self._numbers[SAVESYSTEM_TYPE][0]
                    if int(number) not in KINDS:
                        yield from self.blob(end, f"unknown kind of entity {number}")
                        break
                    yield from self.struct(KINDS[int(number)][0], struct_of(KINDS[int(number)][1]))
                elif count_name:
                    number, length = self._numbers[count_name]
                    unit: i64 = 1 if length.counts else element.size
                    yield from self.array(name, element, number // unit, length)
                    start = cursor.tell()
                    cursor.skip(number % unit)
                    cursor.seek(start)
                    yield from self.blob(start + number % unit, "part of an ambiance")
                elif not flag or int(self._numbers[SYSTEM_FLAGS][0]) & flag:
                    assert isinstance(element, Layout)  # noqa: S101 - of the table
                    self._read_numbers(element)
                    yield from self.struct(name, element)
        yield from self.blob(end, f"bytes after the {kind}")

    def _read_numbers(self, struct: Layout) -> None:
        """Read the steering fields of a struct that starts at the cursor, and is about to be walked; the cursor stays.

        Raises:
            DamagedSave: a count, or a number of bytes, is negative.
        """
        cursor = self.cursor
        start = cursor.tell()
        for name, offset, size in ROWS_OF[struct.name]:
            at: i64 = start + offset
            cursor.seek(at)
            number = cursor.i32() if size == I32.size else cursor.i16()
            if number < 0 and name != SAVESYSTEM_TYPE and name != SYSTEM_FLAGS:
                raise cursor.damaged(f"count {number} is negative", offset=at, expected="0 or more", actual=int(number))
            self._numbers[name] = (number, Length(int(at), size, name != IN_BYTES))
        cursor.seek(start)

    # --- sections ---

    def struct(self, name: str, struct: Layout, index: int = -1) -> Iterator[Event]:
        """Yield the events of a struct; `index` is its position in an array, or -1."""
        cursor = self.cursor
        start = cursor.tell()
        end: i64 = start + struct.size
        if end > cursor.limit():
            raise cursor.damaged(f"no room for a {struct.name}", expected=f"{struct.size} bytes", actual=cursor.remaining())
        self.steps.append(name)
        if index >= 0:
            self.steps.append(index)
        cursor.check_reaches(start)  # what was passed over before it was not read
        yield StructEnter(start, name, struct.name, 0, struct.size, index, -1)
        if cursor.tell() == start:  # else the consumer has passed over it
            sparse = self.options.sparse
            zeros: list[str] = []
            at: i64 = start
            zeros_start = start
            for row in range(len(struct.members)):
                codec = struct.members[row]
                size: i64 = codec.size
                is_padding = isinstance(codec, Padding)
                if sparse:
                    cursor.seek(at)
                    cursor.need(size)  # a peek passes over a fault: what cannot be read is no field
                    if cursor.peek(size) == ZEROS[:size]:
                        zeros.append("padding" if is_padding else struct.names[row])
                        at += size
                        continue
                    if zeros:
                        yield self._zeros(zeros, zeros_start, at)
                        zeros = []
                if is_padding:
                    cursor.seek(at)
                    cursor.check_reaches(at + size)
                    yield BlobSkip(at, size, PADDING)
                else:
                    cursor.seek(at + size)
                    yield self.passed(struct.names[row], codec, at)
                at += size
                zeros_start = at
            if zeros:
                yield self._zeros(zeros, zeros_start, end)
        self.steps.pop()
        if index >= 0:
            self.steps.pop()
        cursor.seek(end)
        yield StructExit(end, name, 0)

    def array(self, name: str, element: Codec, count: i64, length: Length) -> Iterator[Event]:
        """Yield the events of an array of structs, texts or variables; `length` is where their number is.

        The `Field` of a variable has its name. Only walking variables shows where they end.
        """
        cursor = self.cursor
        start = cursor.tell()
        room = cursor.remaining() // element.least
        if count > room:
            raise cursor.damaged(f"{count} {name} do not fit", expected=f"0 to {room}", actual=int(count))
        size: i64 = -1 if element.size < 0 else count * element.size
        enter = StructEnter(start, name, f"{element.name}[]", 0, size, -1, count)
        self.counted.append((enter, length))
        self.steps.append(name)
        yield enter
        if size >= 0:
            self.steps.pop()  # each element adds the name, and its position
        if cursor.tell() == start:
            for index in range(count):
                if isinstance(element, Layout):
                    yield from self.struct(name, element, index)
                elif size < 0:
                    yield self.field(peek_name(cursor), element)
                else:
                    cursor.seek(start + index * element.size)
                    yield self.field(name, element, index)
        self.counted.pop()
        if size >= 0:
            cursor.seek(start + size)
        else:
            self.steps.pop()
        yield StructExit(cursor.tell(), name, 0)

    def _zeros(self, names: list[str], start: i64, end: i64) -> Field:
        """Return the event of fields that are left out."""
        self.cursor.seek(end)
        return self.passed("zeros", Zeros(names, end - start), start)

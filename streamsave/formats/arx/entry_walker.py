"""Entries -> events: which sections each kind of entry has, and what is in a section.

| entry | sections, in order |
|---|---|
| `pld` | PLAYER_LEVEL_DATA |
| `player` | PLAYER, quests char[80], keys char[64], SavedMapMarkerData |
| `globals` | SAVE_GLOBALS, variables |
| `lvlNNN` | INDEX, IO_INDEX, PATH, SavedPlayingAmbiance, LIGHT |
| entity | see `entity` |

How many there are of each is in a struct before them. An entry too short for its first struct, or of an unknown kind, is opaque.

| section | events |
|---|---|
| struct | `StructEnter`, a `Field` for each row, `BlobSkip` for padding, `StructExit` |
| array of structs | `StructEnter`, the structs, `StructExit` |
| array of texts, of variables | `StructEnter`, a `Field` for each, `StructExit` |

With `sparse`, rows of a struct whose bytes are all zero are left out; one `Field` named `zeros` replaces each run of them, and
its value is their names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import Codec
from streamsave.decode.length import Length
from streamsave.decode.reader import Reader
from streamsave.events import PADDING, BlobSkip, Event, Field, StructEnter, StructExit
from streamsave.formats.arx import entity, world
from streamsave.formats.arx.layout import GLOBAL_VARIABLE, VARIABLE, Layout, Row, Zeros, find_type, peek_name

__all__ = ["FIRST_STRUCTS", "STEERING_ROWS", "EntryWalker"]

#: At least as many zeros as the longest row has bytes.
ZEROS: Final = bytes(128 * 1024)

#: Rows that say which sections follow, and rows with a number of bytes in place of elements.
SAVESYSTEM_TYPE: Final = "savesystem_type"
SYSTEM_FLAGS: Final = "system_flags"
IN_BYTES: Final = "ambiances_data_size"


class Section:
    """One struct; or as many elements as the row `count` of a struct before it says.

    Without an element, it is the struct of the kind of an entity; with `flag`, it is there if `system_flags` has it.
    """

    def __init__(self, name: str, element: Codec | None, count: str = "", flag: int = 0) -> None:
        self.name = name
        self.element = element
        self.count = count
        self.flag: i64 = flag


SECTIONS: Final[dict[str, list[Section]]] = {
    "pld": [Section("level_data", world.PLAYER_LEVEL_DATA)],
    "player": [
        Section("player", world.PLAYER),
        Section("quests", find_type("char[80]"), "nb_player_quest"),
        Section("keyring", find_type("char[64]"), "keyring_nb"),
        Section("map_markers", world.SAVED_MAP_MARKER_DATA, "nb_mapmarkers"),
    ],
    "globals": [Section("globals", world.SAVE_GLOBALS), Section("variables", GLOBAL_VARIABLE, "nb_globals")],
    "level": [
        Section("index", world.INDEX),
        Section("inter", world.IO_INDEX, "nb_inter"),
        Section("paths", world.PATH, "nb_paths"),
        Section("ambiances", world.SAVED_PLAYING_AMBIANCE, IN_BYTES),
        Section("lights", world.LIGHT, "nb_lights"),
    ],
    "entity": [
        Section("io", entity.IO_SAVE),
        Section("timers", entity.TIMERS_SAVE, "nbtimers"),
        Section("script", entity.SCRIPT_SAVE),
        Section("script_variables", VARIABLE, "nblvar"),
        Section("override_script", entity.SCRIPT_SAVE),
        Section("override_script_variables", VARIABLE, "nblvar"),
        Section("kind", None),
        Section("inventory", entity.INVENTORY_DATA_SAVE, flag=entity.HAS_INVENTORY),
        Section("tweaker", entity.SAVED_TWEAKER_INFO, flag=entity.HAS_TWEAKER),
        Section("groups", entity.SAVED_GROUP_DATA, "nb_iogroups"),
        Section("tweaks", entity.SAVED_TWEAK_INFO, "tweak_nb"),
    ],
}
#: Names of the rows that say what follows a struct.
STEERING_ROWS: Final = frozenset(
    {SAVESYSTEM_TYPE, SYSTEM_FLAGS, *(section.count for sections in SECTIONS.values() for section in sections if section.count)}
)
#: Those of each struct, by its name.
ROWS_OF: Final[dict[str, list[Row]]] = {
    section.element.name: [row for row in section.element.rows if row.name in STEERING_ROWS]
    for sections in SECTIONS.values()
    for section in sections
    if isinstance(section.element, Layout)
}
#: The first struct of each kind of entry.
FIRST_STRUCTS: Final[dict[str, Codec]] = {
    kind: sections[0].element for kind, sections in SECTIONS.items() if sections[0].element is not None
}


class EntryWalker:
    """Make events of the entries at the reader's cursor."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        #: The open arrays, and where their counts are.
        self.counted: list[tuple[StructEnter, Length]] = []
        #: The numbers of steering rows that were read last, and where they are.
        self._numbers: dict[str, tuple[i64, Length]] = {}

    def content(self, kind: str, end: i64) -> Iterator[Event]:
        """Yield the events of an entry that starts at the cursor and ends at `end`; leave what no section claims."""
        size = end - self._reader.cursor.tell()
        first = FIRST_STRUCTS.get(kind)
        if first is None or size < first.size:
            if size > 0:
                short = "" if first is None else f"too short for a {first.name} of {first.size} bytes"
                yield self.rest(end, short or "entry of an unknown kind")
        elif first is entity.IO_SAVE and size == first.size:
            yield from self.struct("stub", entity.IO_SAVE)
        else:
            for section in SECTIONS[kind]:
                element = section.element
                if section.count:
                    assert element is not None  # noqa: S101 - of the table
                    number, length = self._numbers[section.count]
                    odd: i64 = 0 if length.counts else number % element.size
                    count = number if length.counts else number // element.size
                    yield from self.array(section.name, element, count, length)
                    if odd:
                        yield self._odd(odd)
                elif isinstance(element, Layout):
                    if not section.flag or self._numbers[SYSTEM_FLAGS][0] & section.flag:
                        self.read_numbers(element)
                        yield from self.struct(section.name, element)
                else:
                    kind_number = self._numbers[SAVESYSTEM_TYPE][0]
                    found = entity.KINDS.get(int(kind_number))
                    if found is None:
                        if self._reader.cursor.tell() < end:
                            yield self.rest(end, f"unknown kind of entity {kind_number}")
                        return
                    yield from self.struct(found[0], found[1])

    def read_numbers(self, struct: Layout) -> None:
        """Read the steering rows of a struct that starts at the cursor, and is about to be walked; the cursor stays.

        Raises:
            DamagedSave: a count, or a number of bytes, is negative.
        """
        cursor = self._reader.cursor
        start = cursor.tell()
        for row in ROWS_OF[struct.name]:
            at = start + row.offset
            cursor.seek(at)
            number = cursor.i32() if row.codec.size == 4 else cursor.i16()
            if number < 0 and row.name != SAVESYSTEM_TYPE and row.name != SYSTEM_FLAGS:
                raise cursor.damaged(f"count {number} is negative", offset=at, expected="0 or more", actual=int(number))
            self._numbers[row.name] = (number, Length(int(at), int(row.codec.size), row.name != IN_BYTES))
        cursor.seek(start)

    # --- sections ---

    def struct(self, name: str, struct: Layout, index: int = -1) -> Iterator[Event]:
        """Yield the events of a struct; `index` is its position in an array, or -1."""
        reader = self._reader
        cursor = reader.cursor
        start = cursor.tell()
        end: i64 = start + struct.size
        at: i64
        size: i64
        if end > cursor.limit():
            raise cursor.damaged(f"no room for a {struct.name}", expected=f"{struct.size} bytes", actual=cursor.remaining())
        reader.steps.append(name)
        if index >= 0:
            reader.steps.append(index)
        cursor.check_reaches(start)  # what was passed over before it was not read
        yield StructEnter(start, name, struct.name, 0, struct.size, index, -1)
        if cursor.tell() == start:  # else the consumer has passed over it
            sparse = reader.sparse
            zeros: list[str] = []
            zeros_start = start
            for row in struct.rows:
                at = start + row.offset
                size = row.codec.size
                if sparse:
                    cursor.seek(at)
                    cursor.need(size)  # a peek passes over a fault: what cannot be read is no field
                    if cursor.peek(size) == ZEROS[:size]:
                        if not zeros:
                            zeros_start = at
                        zeros.append("padding" if row.padding else row.name)
                        continue
                    if zeros:
                        yield self._zeros(zeros, zeros_start, at)
                        zeros = []
                if row.padding:
                    cursor.seek(at)
                    cursor.check_reaches(at + size)
                    yield BlobSkip(at, size, PADDING)
                else:
                    cursor.seek(at + size)
                    yield reader.passed(row.name, row.codec, at)
            if zeros:
                yield self._zeros(zeros, zeros_start, end)
        if index >= 0:
            reader.steps.pop()
        reader.steps.pop()
        cursor.seek(end)
        yield StructExit(end, name, 0)

    def array(self, name: str, element: Codec, count: i64, length: Length | None = None) -> Iterator[Event]:
        """Yield the events of an array of structs, texts or variables; `length` is where their number is.

        The `Field` of a variable has its name. Only walking variables shows where they end.
        """
        reader = self._reader
        cursor = reader.cursor
        start = cursor.tell()
        room = cursor.remaining() // element.least
        if count > room:
            raise cursor.damaged(f"{count} {name} do not fit", expected=f"0 to {room}", actual=int(count))
        size: i64 = -1 if element.size < 0 else count * element.size
        enter = StructEnter(start, name, f"{element.name}[]", 0, size, -1, count)
        if length is not None:
            self.counted.append((enter, length))
        reader.steps.append(name)
        yield enter
        if size >= 0:
            reader.steps.pop()  # each element adds the name, and its position
        if cursor.tell() == start:
            for index in range(count):
                if isinstance(element, Layout):
                    yield from self.struct(name, element, index)
                elif size < 0:
                    yield reader.field(peek_name(cursor), element)
                else:
                    cursor.seek(start + index * element.size)
                    yield reader.field(name, element, index)
        if length is not None:
            self.counted.pop()
        if size >= 0:
            cursor.seek(start + size)
        else:
            reader.steps.pop()
        yield StructExit(cursor.tell(), name, 0)

    def rest(self, end: i64, reason: str) -> BlobSkip:
        """Pass over what is left before `end`; return its event."""
        cursor = self._reader.cursor
        start = cursor.tell()
        cursor.pass_to(end)
        return BlobSkip(start, end - start, reason)

    def _odd(self, size: i64) -> BlobSkip:
        """Pass over the bytes after an array whose size is no number of elements; return their event."""
        start = self._reader.cursor.tell()
        self._reader.cursor.skip(size)
        self._reader.cursor.check_reaches(start + size)
        return BlobSkip(start, size, "part of an ambiance")

    def _zeros(self, names: list[str], start: i64, end: i64) -> Field:
        """Return the event of rows that are left out."""
        self._reader.cursor.seek(end)
        return self._reader.passed("zeros", Zeros(names, end - start), start)

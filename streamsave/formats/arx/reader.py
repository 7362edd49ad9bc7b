"""A save of Arx Fatalis or Arx Libertatis: a container of entries, and structs of fixed size in each.

The inflated stream is all entries behind each other, unpacked, in the order of the file table. An entry whose size the table
does not tell counts as far as it was looked at: whole when it is walked (it is then unpacked once to measure it), not at all
when it is skipped. What is in the file but in no entry is in `SaveStart.header`.

| event | for |
|---|---|
| `ObjectHeader` | an entry: kind, class of the entity, name; `size` is -1 where the table does not tell |
| `ChunkStart` | that it is looked into |
| `StructEnter` | a section: a struct, or an array of structs or variables |
| `Field` | a row of a struct, a variable, a list of texts |
| `BlobSkip` | padding, an entry that no table describes, bytes that no section claims |
| `ObjectEnd` | that it was sound, unless it was skipped |

The sections of an entry are listed in `world` and `entity`, a variable is described in `variables`. With `sparse`, rows of a
struct whose bytes are all zero are left out; a `Field` named `zeros` stands for each run of them, and its value is their names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mypy_extensions import i64

from streamsave.decode.cursor import Cursor
from streamsave.decode.reader import Reader
from streamsave.errors import SaveError
from streamsave.events import BlobSkip, Event, Field, ObjectEnd, ObjectHeader, SaveEnd, SaveStart, StructEnter, StructExit
from streamsave.formats.arx import entity, world
from streamsave.formats.arx.container import read_container
from streamsave.formats.arx.header import ArxContainer, ArxEntry
from streamsave.formats.arx.layout import Layout, Zeros, find_type, text_of
from streamsave.formats.arx.variables import VARIABLE, VARIABLE_SIZE
from streamsave.input.arx_entries import EntryWindows
from streamsave.input.source import Source
from streamsave.input.windows import FileWindows
from streamsave.limits import Limits

__all__ = ["ArxReader"]

#: Where the counts and flags stand that say what follows a struct.
NB_GLOBALS: Final = 4
NB_INTER: Final = 8
NB_PATHS: Final = 12
NB_LIGHTS: Final = 16
AMBIANCES_DATA_SIZE: Final = 20
NB_PLAYER_QUEST: Final = 92140
KEYRING_NB: Final = 143344
NB_MAPMARKERS: Final = 143556
SAVESYSTEM_TYPE: Final = 0
NBTIMERS: Final = 448
SYSTEM_FLAGS: Final = 52028
NB_IOGROUPS: Final = 54010
TWEAK_NB: Final = 54532

#: As many zeros as the longest field has bytes.
ZEROS: Final = bytes(128 * 1024)


class ArxReader(Reader):
    """Walks a save."""

    def __init__(self, source: Source, limits: Limits) -> None:
        super().__init__(Cursor(FileWindows(source), limits), limits)
        self.source = source
        self.header: ArxContainer | None = None
        self.entries = EntryWindows(source, limits, [])
        #: The entry of unknown size that was announced last was skipped.
        self._skipped = False
        #: Which entry was announced last.
        self._entry_index = -1

    def events(self) -> Iterator[Event]:
        container = read_container(self.source, self.limits)
        self.header = container
        self.entries = EntryWindows(self.source, self.limits, container.entries)
        self.windows = self.entries
        self.cursor = Cursor(self.entries, self.limits)
        yield SaveStart(0, "arx", container.version, container)
        for entry in container.entries:
            yield from self._entry(entry, container.version)
        yield SaveEnd(self.cursor.tell())

    def _entry(self, entry: ArxEntry, version: int) -> Iterator[Event]:
        """Walk an entry, unless the consumer has passed over it."""
        cursor = self.cursor
        outer = cursor.limit()
        start = cursor.tell()
        self.entries.enter(entry.index, start)
        self._skipped = False
        self._entry_index = entry.index
        fault: SaveError | None = None
        try:
            yield ObjectHeader(start, entry.kind, entry.class_name, entry.name, "", "", None, 0, version, 0, 0, start, entry.size)
            if not self._skipped:
                self.steps.append(entry.name)
                end = start + self.entries.open()
                cursor.set_limit(end)
                yield from self._content(entry, end)
                if cursor.tell() < end:
                    yield self._rest(end, f"bytes behind the {entry.kind}")
                self.entries.finish()
                self.steps.pop()
        except SaveError as error:
            if not self.survives(error):
                raise
            fault = error
        if fault is not None:
            self.steps[:] = [entry.name]
            end = start + max(self.entries.size, 0)
            yield self.lost(fault, "member", entry.name, start, end)
            self.steps.pop()
            cursor.seek(end)
        cursor.set_limit(outer)
        yield ObjectEnd(cursor.tell(), entry.name, 0)

    def skip(self, event: Event) -> bool:
        if isinstance(event, ObjectHeader):
            self._skipped = True
            self.cursor.seek(event.data_offset + max(self.entries.size, 0))
            return True
        return super().skip(event)

    def verify(self, event: Event) -> None:
        if isinstance(event, ObjectHeader):
            self.entries.finish()

    def key_of(self, header: ObjectHeader) -> int:
        return self._entry_index  # offsets depend on which entries of unknown size were skipped

    def measure(self, event: ObjectHeader) -> int:
        return int(self.entries.measure())

    def _rest(self, end: i64, reason: str) -> BlobSkip:
        """Pass over what is left of an entry."""
        start = self.cursor.tell()
        self.cursor.seek(end)
        return BlobSkip(start, end - start, reason)

    # --- entries ---

    def _content(self, entry: ArxEntry, end: i64) -> Iterator[Event]:
        """Walk what is in an entry, by its name; leave to the caller what no section claims."""
        kind = entry.kind
        size = end - self.cursor.tell()
        first = FIRST_STRUCTS.get(kind)
        if first is None:
            if size > 0:
                yield self._rest(end, "entry of an unknown kind")
        elif size < first.size:
            if size > 0:
                yield self._rest(end, f"too short for a {first.name} of {first.size} bytes")
        elif kind == "pld":
            yield from self._struct("level_data", world.PLAYER_LEVEL_DATA)
        elif kind == "player":
            yield from self._player()
        elif kind == "globals":
            count = self._count_at(NB_GLOBALS)
            yield from self._struct("globals", world.SAVE_GLOBALS)
            yield from self._variables("variables", count)
        elif kind == "level":
            yield from self._level()
        elif size == first.size:
            yield from self._struct("stub", entity.IO_SAVE)
        else:
            yield from self._entity(end)

    def _player(self) -> Iterator[Event]:
        quest_count = self._count_at(NB_PLAYER_QUEST)
        key_count = self._count_at(KEYRING_NB)
        marker_count = self._count_at(NB_MAPMARKERS)
        yield from self._struct("player", world.PLAYER)
        yield from self._texts("quests", "char[80]", quest_count)
        yield from self._texts("keyring", "char[64]", key_count)
        yield from self._structs("map_markers", world.SAVED_MAP_MARKER_DATA, marker_count)

    def _level(self) -> Iterator[Event]:
        inter_count = self._count_at(NB_INTER)
        path_count = self._count_at(NB_PATHS)
        light_count = self._count_at(NB_LIGHTS)
        ambiances_size = self._count_at(AMBIANCES_DATA_SIZE)
        ambiance = world.SAVED_PLAYING_AMBIANCE
        yield from self._struct("index", world.INDEX)
        yield from self._structs("inter", world.IO_INDEX, inter_count)
        yield from self._structs("paths", world.PATH, path_count)
        yield from self._structs("ambiances", ambiance, ambiances_size // ambiance.size)
        odd = ambiances_size % ambiance.size
        if odd:
            start = self.cursor.tell()
            self.cursor.skip(odd)
            yield BlobSkip(start, odd, "part of an ambiance")
        yield from self._structs("lights", world.LIGHT, light_count)

    def _entity(self, end: i64) -> Iterator[Event]:
        savesystem_type = self._number_at(SAVESYSTEM_TYPE)
        timer_count = self._count_at(NBTIMERS)
        system_flags = self._number_at(SYSTEM_FLAGS)
        group_count = self._count_at(NB_IOGROUPS, 2)
        tweak_count = self._count_at(TWEAK_NB, 2)
        yield from self._struct("io", entity.IO_SAVE)
        yield from self._structs("timers", entity.TIMERS_SAVE, timer_count)
        for script in ("script", "override_script"):
            variable_count = self._count_at(0)
            yield from self._struct(script, entity.SCRIPT_SAVE)
            yield from self._variables(f"{script}_variables", variable_count)
        kind = entity.KINDS.get(int(savesystem_type))
        if kind is None:
            if self.cursor.tell() < end:
                yield self._rest(end, f"unknown kind of entity {savesystem_type}")
            return
        yield from self._struct(kind[0], kind[1])
        if system_flags & entity.HAS_INVENTORY:
            yield from self._struct("inventory", entity.INVENTORY_DATA_SAVE)
        if system_flags & entity.HAS_TWEAKER:
            yield from self._struct("tweaker", entity.SAVED_TWEAKER_INFO)
        yield from self._structs("groups", entity.SAVED_GROUP_DATA, group_count)
        yield from self._structs("tweaks", entity.SAVED_TWEAK_INFO, tweak_count)

    # --- numbers of a struct that is about to be walked ---

    def _number_at(self, offset: i64, size: i64 = 4) -> i64:
        """Read a number of the struct that starts at the cursor, without moving."""
        cursor = self.cursor
        start = cursor.tell()
        cursor.seek(start + offset)
        value = cursor.i32() if size == 4 else cursor.i16()
        cursor.seek(start)
        return value

    def _count_at(self, offset: i64, size: i64 = 4) -> i64:
        """Read a count of the struct that starts at the cursor, without moving."""
        count = self._number_at(offset, size)
        if count < 0:
            raise self.cursor.damaged(
                f"count {count} is negative", offset=self.cursor.tell() + offset, expected="0 or more", actual=int(count)
            )
        return count

    # --- sections ---

    def _struct(self, name: str, struct: Layout, index: int = -1) -> Iterator[Event]:
        """Walk a struct: a field for each row, or for each run of zeros."""
        cursor = self.cursor
        start = cursor.tell()
        end: i64 = start + struct.size
        if end > cursor.limit():
            raise cursor.damaged(f"no room for a {struct.name}", expected=f"{struct.size} bytes", actual=cursor.remaining())
        self.steps.append(name)
        if index >= 0:
            self.steps.append(index)
        yield StructEnter(start, name, struct.name, 0, struct.size, index, -1)
        if cursor.tell() == start:
            zeros: list[str] = []
            zeros_start = start
            for row in struct.rows:
                at: i64 = start + row.offset
                size: i64 = row.codec.size
                cursor.seek(at)
                if self.sparse:
                    if cursor.peek(size) == ZEROS[:size]:
                        if not zeros:
                            zeros_start = at
                        zeros.append("padding" if row.padding else row.name)
                        continue
                    if zeros:
                        yield self._zeros(zeros, zeros_start, at)
                        zeros = []
                        cursor.seek(at)
                if row.padding:
                    yield BlobSkip(at, size, "padding")
                else:
                    cursor.seek(at + size)
                    yield self.passed(row.name, row.codec, at)
            if zeros:
                yield self._zeros(zeros, zeros_start, end)
        if index >= 0:
            self.steps.pop()
        self.steps.pop()
        cursor.seek(end)
        yield StructExit(end, name, 0)

    def _structs(self, name: str, struct: Layout, count: i64) -> Iterator[Event]:
        """Walk an array of structs."""
        cursor = self.cursor
        start = cursor.tell()
        self._check_count(count, struct.size, name)
        size: i64 = count * struct.size
        self.steps.append(name)
        yield StructEnter(start, name, f"{struct.name}[]", 0, size, -1, count)
        self.steps.pop()
        if cursor.tell() == start and count > 0:
            for index in range(count):
                yield from self._struct(name, struct, index)
        cursor.seek(start + size)
        yield StructExit(start + size, name, 0)

    def _texts(self, name: str, kind: str, count: i64) -> Iterator[Event]:
        """Walk an array of texts of one size, a field each."""
        cursor = self.cursor
        codec = find_type(kind)
        start = cursor.tell()
        self._check_count(count, codec.size, name)
        end: i64 = start + count * codec.size
        self.steps.append(name)
        yield StructEnter(start, name, f"{kind}[]", 0, end - start, -1, count)
        self.steps.pop()
        if cursor.tell() == start and count > 0:
            for index in range(count):
                cursor.seek(start + index * codec.size)
                yield self.field(name, codec, index)
        cursor.seek(end)
        yield StructExit(end, name, 0)

    def _variables(self, name: str, count: i64) -> Iterator[Event]:
        """Walk variables, a field each, that has the variable's name."""
        cursor = self.cursor
        self._check_count(count, VARIABLE_SIZE, name)
        self.steps.append(name)
        yield StructEnter(cursor.tell(), name, "Variable[]", 0, -1, -1, count)
        for _ in range(count):
            start = cursor.tell()
            cursor.skip(8)
            variable = text_of(cursor.peek(64))
            cursor.seek(start)
            yield self.field(variable, VARIABLE)
        self.steps.pop()
        yield StructExit(cursor.tell(), name, 0)

    def _check_count(self, count: i64, size: i64, name: str) -> None:
        """Refuse more elements than there is room for."""
        room = self.cursor.remaining() // size
        if count > room:
            raise self.cursor.damaged(f"{count} {name} do not fit", expected=f"0 to {room}", actual=int(count))

    def _zeros(self, names: list[str], start: i64, end: i64) -> Field:
        """Announce fields that are left out."""
        self.cursor.seek(end)
        return self.passed("zeros", Zeros(names, end - start), start)


#: What an entry starts with; one that is shorter is not what its name says.
FIRST_STRUCTS: Final[dict[str, Layout]] = {
    "pld": world.PLAYER_LEVEL_DATA,
    "player": world.PLAYER,
    "globals": world.SAVE_GLOBALS,
    "level": world.INDEX,
    "entity": entity.IO_SAVE,
}

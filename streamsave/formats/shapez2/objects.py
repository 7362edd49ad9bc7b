"""Islands and buildings: what is where, and what it is doing.

maps/main/islands/<n>.bin:

| piece | type |
|---|---|
| island_count | i32 |
| checkpoint | island; from here on, once for each island |
| position, id, rotation | GlobalChunkCoordinate, Text, Rotation |
| data | Blob: bool has_configuration; Blob of the configuration if it has one; Blob of the buildings |

Buildings of an island:

| piece | type |
|---|---|
| checkpoint | buildings |
| building_count | i32 |
| checkpoint | building; from here on, once for each building |
| position, rotation, id | IslandTileCoordinate, Rotation, Text |
| has_configuration | bool |
| configuration | Blob, if it has one |

maps/main/buildings/<n>.bin, the states:

| piece | type |
|---|---|
| island_count, then each | i32; GlobalChunkCoordinate, Text id, Blob of the state |
| building_count, then each | i32; GlobalTileCoordinate, Text id, Blob of the state |

State:

| piece | type |
|---|---|
| serialization_id | Text; null: nothing follows |
| state | Blob, see `members` |

An `ObjectHeader` claims the bytes before the blob, or before the configuration; the blob with its checkpoints is its data. The
name of an object is its place; that of a building starts with the place of its island: `(0, 0, 0):(8, 9, 0)`. Places are in
tiles, those of islands in places of islands. `flags` are the rotation, 0 to 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mypy_extensions import mypyc_attr

from streamsave._native import i64
from streamsave.decode.codecs import BOOL8, I32, Codec
from streamsave.events import Event, ObjectEnd, ObjectHeader
from streamsave.formats.shapez2.configs import BUILDING_CONFIGURATIONS, ISLAND_CONFIGURATIONS
from streamsave.formats.shapez2.game_reader import BUILDING, ISLAND, GameReader, make_transform, place_of
from streamsave.formats.shapez2.layout import SIZE_SIZE, Blob, LayoutWalker
from streamsave.formats.shapez2.members import STATES
from streamsave.formats.shapez2.primitives import GLOBAL_CHUNK, ISLAND_TILE, ROTATION, TEXT

__all__ = ["BUILDINGS", "BUILDING_SIZE", "ISLAND_DATA", "ObjectWalker"]

#: Bytes of a Text in a save: an index.
INDEX_SIZE: Final = 4
#: The least bytes of one object, without checkpoints: a count that needs more than there are is damage.
ISLAND_SIZE: Final[i64] = GLOBAL_CHUNK.size + INDEX_SIZE + ROTATION.size + SIZE_SIZE
BUILDING_SIZE: Final[i64] = ISLAND_TILE.size + ROTATION.size + INDEX_SIZE + BOOL8.size
#: has_configuration, and the count of buildings in its blob.
ISLAND_DATA_SIZE: Final = BOOL8.size + SIZE_SIZE + I32.size
STATE_SIZE: Final[i64] = GLOBAL_CHUNK.size + INDEX_SIZE + SIZE_SIZE

#: How the name of an object starts, before its place, so that no two objects have the same name.
PREFIXES: Final = {
    ISLAND: "",
    BUILDING: "",
    "island state": "island state:",
    "building state": "building state:",
}
#: Type names of the blob of an island, and of that of its buildings.
ISLAND_DATA: Final = "PlacedIslandData"
BUILDINGS: Final = "BuildingsData"


# A subclass is not compiled.
@mypyc_attr(allow_interpreted_subclasses=True)
class ObjectWalker:
    """Make events of islands, buildings and their states."""

    def __init__(self, reader: GameReader, version: int) -> None:
        self.reader = reader
        self.layouts = LayoutWalker(reader)
        self.version = version
        #: The member that the objects are in.
        self._member_name = ""

    # --- islands and buildings ---

    def islands(self, member_name: str) -> Iterator[Event]:
        """Yield the events of a member `maps/main/islands/<n>.bin`, which starts at the cursor."""
        self._member_name = member_name
        cursor = self.reader.game
        count = yield from self.reader.count_field("island_count", ISLAND_SIZE)
        for _ in range(count):
            if cursor.has_checkpoints:
                yield self.layouts.checkpoint(ISLAND)
            start = cursor.tell()
            place = self._global_place()
            island = cursor.text() or ""
            rotation = cursor.u8()
            header = self._header(ISLAND, island, "", place, rotation, start, self._data_size(ISLAND_DATA_SIZE))
            content = self._island_data(island, header.instance_name)
            yield from self.placed(header, "data", ISLAND_DATA, content, has_data=True)

    def _island_data(self, island: str, outer: str) -> Iterator[Event]:
        """Yield the events of what is in the blob of an island."""
        reader = self.reader
        if (yield from reader.read_field("has_configuration", BOOL8, reader.cursor.u8)):
            yield from self.layouts.piece("configuration", blob_of("Configuration", island, ISLAND_CONFIGURATIONS))
        yield from self.layouts.framed("buildings", BUILDINGS, self.buildings(outer))

    def buildings(self, outer: str) -> Iterator[Event]:
        """Yield the events of what is in the blob of an island's buildings."""
        reader = self.reader
        if reader.game.has_checkpoints:
            yield self.layouts.checkpoint("buildings")
        count = yield from reader.count_field("building_count", BUILDING_SIZE)
        for _ in range(count):
            if reader.game.has_checkpoints:
                yield self.layouts.checkpoint(BUILDING)
            yield from self._building(outer)

    def _building(self, outer: str) -> Iterator[Event]:
        cursor = self.reader.game
        start = cursor.tell()
        x, y, z = cursor.i16(), cursor.i16(), cursor.u8()
        rotation = cursor.u8()
        building = cursor.text() or ""
        has_configuration = cursor.u8()
        size = self.layouts.framed_size() if has_configuration else 0
        header = self._header(BUILDING, building, outer, (x, y, z), rotation, start, size)
        blob = blob_of("Configuration", building, BUILDING_CONFIGURATIONS)
        content = self.layouts.content(blob)
        yield from self.placed(header, "configuration", blob.name, content, has_data=has_configuration != 0)

    # --- states ---

    def states(self, member_name: str) -> Iterator[Event]:
        """Yield the events of a member `maps/main/buildings/<n>.bin`, which starts at the cursor."""
        self._member_name = member_name
        reader = self.reader
        for kind in (ISLAND, BUILDING):
            count = yield from reader.count_field(f"{kind}_count", STATE_SIZE)
            for _ in range(count):
                yield from self._object_state(f"{kind} state")

    def _object_state(self, kind: str) -> Iterator[Event]:
        start = self.reader.cursor.tell()
        place = self._global_place()
        name = self.reader.game.text() or ""
        header = self._header(kind, name, "", place, 0, start, self._data_size(INDEX_SIZE))
        yield from self.placed(header, "state", "State", self._state(), has_data=True)

    def _state(self) -> Iterator[Event]:
        """Yield the events of what is in the blob of a state: its id, then its content."""
        reader = self.reader
        serialization_id = yield from reader.read_field("serialization_id", TEXT, reader.game.text)
        if serialization_id is not None:
            yield from self.layouts.piece("content", blob_of("State", serialization_id, STATES))

    # --- objects ---

    def _data_size(self, least: int) -> int:
        """Return the bytes of the data of an object, whose content takes `least` bytes or more.

        Raises:
            DamagedSave: it has less: padding looks like that, where a count is too high.
        """
        size = self.layouts.framed_size()
        if size < SIZE_SIZE + least:
            raise self.reader.cursor.damaged(
                "data is too small for an object", expected=f"{SIZE_SIZE + least} bytes or more", actual=size
            )
        return size

    def _global_place(self) -> tuple[i64, i64, i64]:
        """Read a GlobalChunkCoordinate or GlobalTileCoordinate."""
        cursor = self.reader.cursor
        return cursor.i32(), cursor.i32(), cursor.i16()

    def _header(
        self, kind: str, name: str, outer: str, place: tuple[i64, i64, i64], rotation: i64, start: i64, size: i64
    ) -> ObjectHeader:
        """Return the header of an object whose data starts at the cursor."""
        x, y, z = place
        prefix = f"{outer}:" if outer else PREFIXES[kind]
        data_offset = self.reader.cursor.tell()
        self.reader.was_skipped = False
        return ObjectHeader(
            start,
            kind,
            name,
            f"{prefix}({x}, {y}, {z})",
            self._member_name,
            outer,
            make_transform(x, y, z, rotation),
            rotation,
            self.version,
            data_offset - start,
            0,
            data_offset,
            size,
        )

    def placed(
        self, header: ObjectHeader, name: str, type_name: str, content: Iterator[Event], *, has_data: bool
    ) -> Iterator[Event]:
        """Yield the events of an object, whose data is one blob with this content."""
        reader = self.reader
        end: i64 = header.data_offset + header.size
        yield header
        if not reader.was_skipped and has_data:
            reader.steps.append(place_of(header))
            yield from self.layouts.framed(name, type_name, content)
            reader.steps.pop()
        reader.cursor.seek(end)
        yield ObjectEnd(end, header.instance_name, 0)


def blob_of(what: str, name: str, layouts: dict[str, Codec]) -> Blob:
    """Return the layout of a configuration or a state by its id; opaque for an id that is not known."""
    content = layouts.get(name)
    if content is None:
        return Blob(what, None, f"{what.lower()} of unknown id {name}")
    return Blob(content.name, content)

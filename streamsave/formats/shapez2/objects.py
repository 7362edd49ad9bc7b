"""Islands and buildings: what stands where, and what it is doing.

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
| state | Blob, see `states` |

An `ObjectHeader` claims what stands in front of the blob, or of the configuration; the blob with its checkpoints is its data.
The name of an object is its place, of a building behind that of its island: `(0, 0, 0):(8, 9, 0)`. Places are in tiles, those of
islands in places of islands. `flags` are the rotation, 0 to 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import BOOL8, I32, Codec
from streamsave.errors import SaveError
from streamsave.events import Event, ObjectEnd, ObjectHeader
from streamsave.formats.shapez2.configs import BUILDING_CONFIGURATIONS, ISLAND_CONFIGURATIONS
from streamsave.formats.shapez2.layout import Blob
from streamsave.formats.shapez2.primitives import TEXT
from streamsave.formats.shapez2.states import STATES
from streamsave.formats.shapez2.walker import BLOB_START, GameWalker
from streamsave.values import Transform

__all__ = ["ObjectWalker", "make_transform", "place_of"]

#: Bytes of the pieces in front of an object's data, without checkpoint: what a count is held against.
ISLAND_SIZE: Final = 19
BUILDING_SIZE: Final = 11
STATE_SIZE: Final = 18

#: What stands in front of the place in the name of an object, so that no two objects have the same.
PREFIXES: Final[dict[str, str]] = {
    "island": "",
    "building": "",
    "island state": "island state:",
    "building state": "building state:",
}
HALF: Final = 0.7071067811865476
#: Quaternions about the upward axis: east, south, west, north. They turn x (east) to y, which counts to the south: in players'
#: blueprints a Foundation_1x2 that is turned south has buildings at y from 2 to 37, one that is turned north from -18 to 17.
TURNS: Final[list[tuple[float, float, float, float]]] = [
    (0.0, 0.0, 0.0, 1.0),
    (0.0, 0.0, HALF, HALF),
    (0.0, 0.0, 1.0, 0.0),
    (0.0, 0.0, -HALF, HALF),
]


def make_transform(x: i64, y: i64, z: i64, rotation: i64) -> Transform:
    """Make the place of an object, in tiles."""
    return Transform(TURNS[rotation & 3], (float(x), float(y), float(z)), (1.0, 1.0, 1.0))


class ObjectWalker(GameWalker):
    """Walks islands, buildings and their states."""

    #: The version and the member that objects are in.
    version: int = 0
    member_name: str = ""

    # --- islands and buildings ---

    def walk_islands(self) -> Iterator[Event]:
        """Walk a member `maps/main/islands/<n>.bin`."""
        cursor = self.cursor
        start = cursor.tell()
        count = cursor.count(ISLAND_SIZE)
        yield self.passed("island_count", I32, start)
        for _ in range(count):
            if self.game.has_checkpoints:
                yield self.checkpoint("island")
            start = cursor.tell()
            x, y, z = cursor.i32(), cursor.i32(), cursor.i16()
            island = self.game.text() or ""
            rotation = cursor.u8()
            size = self._data_size()
            header = self._header("island", island, "", (x, y, z), rotation, start, size)
            yield from self._object(
                header, "data", "PlacedIslandData", self._island_data(island, header.instance_name), has_data=True
            )

    def _island_data(self, island: str, outer: str) -> Iterator[Event]:
        """Walk what is in the blob of an island."""
        start = self.cursor.tell()
        has_configuration = self.cursor.u8()
        yield self.passed("has_configuration", BOOL8, start)
        if has_configuration:
            yield from self.walk_blob("configuration", configuration_blob(island, ISLAND_CONFIGURATIONS))
        yield from self.frame("buildings", "BuildingsData", self._buildings(outer))

    def _buildings(self, outer: str) -> Iterator[Event]:
        """Walk what is in the blob of an island's buildings."""
        if self.game.has_checkpoints:
            yield self.checkpoint("buildings")
        start = self.cursor.tell()
        count = self.cursor.count(BUILDING_SIZE)
        yield self.passed("building_count", I32, start)
        for _ in range(count):
            if self.game.has_checkpoints:
                yield self.checkpoint("building")
            yield from self._building(outer)

    def _building(self, outer: str) -> Iterator[Event]:
        cursor = self.cursor
        start = cursor.tell()
        x, y, z = cursor.i16(), cursor.i16(), cursor.u8()
        rotation = cursor.u8()
        building = self.game.text() or ""
        has_configuration = cursor.u8()
        size = self._data_size() if has_configuration else 0
        header = self._header("building", building, outer, (x, y, z), rotation, start, size)
        blob = configuration_blob(building, BUILDING_CONFIGURATIONS)
        content = self.blob_content(blob)
        yield from self._object(header, "configuration", blob.name, content, has_data=has_configuration != 0)

    # --- states ---

    def walk_states(self) -> Iterator[Event]:
        """Walk a member `maps/main/buildings/<n>.bin`."""
        for kind in ("island", "building"):
            start = self.cursor.tell()
            count = self.cursor.count(STATE_SIZE)
            yield self.passed(f"{kind}_count", I32, start)
            for _ in range(count):
                yield from self._object_state(f"{kind} state")

    def _object_state(self, kind: str) -> Iterator[Event]:
        cursor = self.cursor
        start = cursor.tell()
        x, y, z = cursor.i32(), cursor.i32(), cursor.i16()
        name = self.game.text() or ""
        header = self._header(kind, name, "", (x, y, z), 0, start, self._data_size())
        yield from self._object(header, "state", "State", self._state(), has_data=True)

    def _state(self) -> Iterator[Event]:
        """Walk what is in the blob of a state: which it is, and then that."""
        start = self.cursor.tell()
        serialization_id = self.game.text()
        yield self.passed("serialization_id", TEXT, start)
        if serialization_id is not None:
            yield from self.walk_blob("content", state_blob(serialization_id))

    # --- headers ---

    def _data_size(self) -> i64:
        """Look ahead how many bytes a blob has that starts here, with its checkpoints; the cursor stays."""
        cursor = self.cursor
        start = cursor.tell()
        frame: i64 = 4
        if self.game.has_checkpoints:
            self.game.checkpoint(BLOB_START)
            frame = 12
        size = self.blob_size() + frame
        cursor.seek(start)
        if size > cursor.remaining():
            raise cursor.damaged("blob has no room for its end", expected=f"{cursor.remaining()} bytes", actual=size)
        return size

    def _header(
        self, kind: str, name: str, outer: str, place: tuple[i64, i64, i64], rotation: i64, start: i64, size: i64
    ) -> ObjectHeader:
        """Announce an object whose data starts at the cursor."""
        x, y, z = place
        prefix = PREFIXES[kind] if not outer else f"{outer}:"
        data_offset = self.cursor.tell()
        self.was_skipped = False
        return ObjectHeader(
            start,
            kind,
            name,
            f"{prefix}({x}, {y}, {z})",
            self.member_name,
            outer,
            make_transform(x, y, z, rotation),
            rotation,
            self.version,
            data_offset - start,
            0,
            data_offset,
            size,
        )

    def _object(
        self, header: ObjectHeader, name: str, type_name: str, content: Iterator[Event], *, has_data: bool
    ) -> Iterator[Event]:
        """Walk an object, whose data is one blob with this content."""
        cursor = self.cursor
        end: i64 = header.data_offset + header.size
        around = len(self.steps)
        outer = cursor.limit()
        fault: SaveError | None = None
        try:
            yield header
            if not self.was_skipped and has_data:
                self.steps.append(place_of(header))
                yield from self.frame(name, type_name, content)
                self.steps.pop()
        except SaveError as error:
            if not self.survives(error):
                raise
            fault = error
        if fault is not None:
            del self.steps[around:]
            self.steps.append(place_of(header))
            cursor.set_limit(outer)
            yield self.lost(fault, "object", header.instance_name, header.data_offset, end)
            self.steps.pop()
        cursor.seek(end)
        yield ObjectEnd(end, header.instance_name, 0)


def place_of(header: ObjectHeader) -> str:
    """Give the part of an object's name that tells it from its neighbours."""
    return header.instance_name.rpartition(":")[2]


def configuration_blob(name: str, layouts: dict[str, Codec]) -> Blob:
    """Find how the configuration of an id is read."""
    content = layouts.get(name)
    if content is None:
        return Blob("Configuration", None, f"configuration of unknown id {name}")
    return Blob(content.name, content)


def state_blob(name: str) -> Blob:
    """Find how the state of a serialization id is read."""
    content = STATES.get(name)
    if content is None:
        return Blob("State", None, f"state of unknown id {name}")
    return Blob(name, content)

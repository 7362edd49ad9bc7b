"""What some classes append after their property list.

+---------------------------+-----------------------------------------------------------------+
| belts, lifts              | i32 n; n * (InventoryItem; f32 offset)                          |
| conveyor chains           | ref first, last; i32 n; n * segment; f32 length; i32 items,     |
|                           | lead, tail; i32 n; n * (InventoryItem; f32 offset)              |
|   segment                 | ref chain, belt; i32 n; n * 9 f64; 3 f32; 3 i32                 |
| power lines               | 2 ref; SaveVersion 33..39: 6 f32                                |
| circuit subsystem         | i32 n; n * (i32 id; ref circuit)                                |
| game mode, game state     | i32 n; n * ref                                                  |
| player state              | UniqueNetIdRepl                                                 |
| road vehicles             | i32 n; n * (FString bone; 13 LWC; u8 flags)                     |
| trains                    | as vehicles; ref front, back                                    |
| drones                    | as vehicles; >= 39: bool32 has [action]; i32 n; n * action      |
|   action                  | FString struct; property list                                   |
| lightweight buildables    | >= 48: i32 version; i32 n; n * (ref class; i32 m; m * instance) |
|   instance                | 10 f64; 4 ref; 8 f32; ref; u8; 2 ref; >= 2: dynamic struct;     |
|                           | >= 3: player handle                                             |
| actor components          | >= 41: i32 0                                                    |
+---------------------------+-----------------------------------------------------------------+
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Protocol

from attrs import frozen

from writer.dialect import (
    SAVE_VERSION_64_BIT,
    SAVE_VERSION_CACHED_WIRES,
    SAVE_VERSION_CACHED_WIRES_GONE,
    SAVE_VERSION_DRONE_ACTION_STRUCTS,
    SAVE_VERSION_LIGHTWEIGHT_VERSION,
    Dialect,
)
from writer.primitives import NO_REF, Ref, bool32, counted, doubles, f32, floats, fstring, i32, ref, refs, u8
from writer.structs import DynamicStruct, Item, PlayerHandle, dynamic, lwc
from writer.tags import Props, property_list

LIGHTWEIGHT_DYNAMIC = 2
LIGHTWEIGHT_PLAYER = 3

NOBODY = PlayerHandle()
ORIGIN = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0)


class Trailer(Protocol):
    """Anything that can write itself after a property list."""

    def encode(self, dialect: Dialect) -> bytes:
        """The bytes of the trailer."""


@frozen
class Opaque:
    """Given bytes, e.g. of an unknown class."""

    data: bytes = b""

    def encode(self, _dialect: Dialect) -> bytes:
        """The bytes."""
        return self.data


@frozen
class ComponentTail:
    """The always empty list of modified properties of an actor component."""

    def encode(self, dialect: Dialect) -> bytes:
        """Four zero bytes, or nothing."""
        return i32(0) if dialect.save_version >= SAVE_VERSION_64_BIT else b""


@frozen
class BeltItem:
    """An item on a belt and how far it has come."""

    item: Item
    offset: float


@frozen
class Belt:
    """The items on a belt or lift."""

    items: Sequence[BeltItem] = ()

    def encode(self, dialect: Dialect) -> bytes:
        """Counted items."""
        return _belt_items(self.items, dialect)


def _belt_items(items: Sequence[BeltItem], dialect: Dialect) -> bytes:
    return counted(items, lambda item: item.item.encode(dialect) + f32(item.offset))


@frozen
class Segment:
    """A belt inside a chain; each point is location, arrive tangent, leave tangent."""

    chain: Ref
    belt: Ref
    points: Sequence[Sequence[float]] = ()
    lengths: tuple[float, float, float] = (0.0, 0.0, 0.0)
    indices: tuple[int, int, int] = (0, 0, 0)

    def encode(self) -> bytes:
        """One segment."""
        points = counted(self.points, doubles)
        return ref(self.chain) + ref(self.belt) + points + floats(self.lengths) + struct.pack("<3i", *self.indices)


@frozen
class Chain:
    """A conveyor chain."""

    first: Ref
    last: Ref
    segments: Sequence[Segment] = ()
    length: float = 0.0
    counts: tuple[int, int, int] = (0, 0, 0)
    items: Sequence[BeltItem] = ()

    def encode(self, dialect: Dialect) -> bytes:
        """Ends, segments, length, counters, items."""
        ends = ref(self.first) + ref(self.last)
        middle = counted(self.segments, Segment.encode) + f32(self.length) + struct.pack("<3i", *self.counts)
        return ends + middle + _belt_items(self.items, dialect)


@frozen
class PowerLine:
    """What a power line connects; ``locations`` of both ends are only written for SaveVersion 33 .. 39."""

    first: Ref
    second: Ref
    locations: Sequence[float] = (0.0,) * 6

    def encode(self, dialect: Dialect) -> bytes:
        """Two connections."""
        cached = SAVE_VERSION_CACHED_WIRES <= dialect.save_version < SAVE_VERSION_CACHED_WIRES_GONE
        return ref(self.first) + ref(self.second) + (floats(self.locations) if cached else b"")


@frozen
class Circuits:
    """All circuits by their id."""

    circuits: Sequence[tuple[int, Ref]] = ()

    def encode(self, _dialect: Dialect) -> bytes:
        """Id and circuit."""
        return counted(self.circuits, lambda pair: i32(pair[0]) + ref(pair[1]))


@frozen
class Players:
    """The player states of a game mode or game state."""

    states: Sequence[Ref] = ()

    def encode(self, _dialect: Dialect) -> bytes:
        """Counted references."""
        return refs(self.states)


@frozen
class Body:
    """A rigid body of a vehicle: position, rotation, angular and linear velocity."""

    bone: str
    state: Sequence[float]
    flags: int = 0


@frozen
class Vehicle:
    """The physics of a road vehicle."""

    bodies: Sequence[Body] = ()

    def encode(self, dialect: Dialect) -> bytes:
        """Counted bodies."""
        return counted(self.bodies, lambda body: fstring(body.bone) + lwc(body.state, dialect) + u8(body.flags))


@frozen
class Train:
    """A locomotive or wagon: its physics and its neighbours."""

    bodies: Sequence[Body] = ()
    front: Ref = NO_REF
    back: Ref = NO_REF

    def encode(self, dialect: Dialect) -> bytes:
        """Physics, front, back."""
        return Vehicle(self.bodies).encode(dialect) + ref(self.front) + ref(self.back)


@frozen
class Action:
    """What a drone does."""

    struct: str
    fields: Props = ()

    def encode(self, dialect: Dialect) -> bytes:
        """Struct name and fields."""
        return fstring(self.struct) + property_list(self.fields, dialect)


@frozen
class Drone:
    """A drone: its physics, what it does and what it will do."""

    bodies: Sequence[Body] = ()
    active: Action | None = None
    queue: Sequence[Action] = ()

    def encode(self, dialect: Dialect) -> bytes:
        """Physics, active action, queue."""
        physics = Vehicle(self.bodies).encode(dialect)
        if dialect.save_version < SAVE_VERSION_DRONE_ACTION_STRUCTS:
            return physics
        active = bool32(False) if self.active is None else bool32(True) + self.active.encode(dialect)
        return physics + active + counted(self.queue, lambda action: action.encode(dialect))


@frozen
class Instance:
    """One lightweight buildable, e.g. a foundation."""

    transform: Sequence[float] = ORIGIN
    swatch: Ref = NO_REF
    material: Ref = NO_REF
    pattern: Ref = NO_REF
    skin: Ref = NO_REF
    primary: Sequence[float] = (0.0, 0.0, 0.0, 1.0)
    secondary: Sequence[float] = (0.0, 0.0, 0.0, 1.0)
    finish: Ref = NO_REF
    pattern_rotation: int = 0
    recipe: Ref = NO_REF
    proxy: Ref = NO_REF
    type_data: DynamicStruct | None = None
    builder: PlayerHandle = NOBODY

    def encode(self, dialect: Dialect, version: int) -> bytes:
        """One instance as that version of the subsystem has it."""
        return b"".join((
            doubles(self.transform),
            ref(self.swatch), ref(self.material), ref(self.pattern), ref(self.skin),
            floats(self.primary), floats(self.secondary), ref(self.finish), u8(self.pattern_rotation),
            ref(self.recipe), ref(self.proxy),
            dynamic(self.type_data, dialect) if version >= LIGHTWEIGHT_DYNAMIC else b"",
            self.builder.encode(dialect) if version >= LIGHTWEIGHT_PLAYER else b"",
        ))  # fmt: skip


def lightweight_head(dialect: Dialect, version: int, classes: int) -> bytes:
    """What precedes the first class: the version, from SaveVersion 48 on, and the number of classes."""
    written = i32(version) if dialect.save_version >= SAVE_VERSION_LIGHTWEIGHT_VERSION else b""
    return written + i32(classes)


def lightweight_version(dialect: Dialect) -> int:
    """The version of the lightweight subsystem that goes with a SaveVersion."""
    for first, version in ((58, 4), (53, 3), (SAVE_VERSION_LIGHTWEIGHT_VERSION, 2)):
        if dialect.save_version >= first:
            return version
    return 1


@frozen
class Lightweight:
    """All lightweight buildables by class; ``version`` overrides the one that goes with the SaveVersion."""

    classes: Sequence[tuple[Ref, Sequence[Instance]]] = ()
    version: int | None = None

    def encode(self, dialect: Dialect) -> bytes:
        """Version, classes, instances."""
        version = lightweight_version(dialect) if self.version is None else self.version
        parts = [lightweight_head(dialect, version, len(self.classes))]
        for buildable, instances in self.classes:
            parts.append(ref(buildable) + counted(instances, lambda one: one.encode(dialect, version)))
        return b"".join(parts)


NO_TRAILER = Opaque()

"""Values and structs as Astroneer writes them: names are indexes into the pool, objects are indexes into the instance pool.

An actor record:

| field | type | |
|---|---|---|
| object | i32 | |
| children | i32 n, n times: i32 name, i32 actor | |
| components | i32 n, n times: i32 name, i32 object | |
| transform | 4 f32 rotation, 3 f32 translation, 3 f32 scale | |

A record of a player controller: `u32 actor`, `u32 last pawn` (an object), `u64 network_uuid`.

Voxel terrain is what `VoxelVolumeComponent`, one for each planet, writes after its properties:

| field | type | |
|---|---|---|
| terrain_version | i32 | `TERRAIN_VERSION` |
| terrain_id | i32 | a seed, or an id |
| voxel_blocks | i32 n, n blocks | |
| unknown_records_8 | i32 n, n times 8 bytes | |
| unknown_records_18 | i32 n, n times 18 bytes | 4 f32, 2 u8 |
| terrain_end | u64 | 2 in all seen |

What is in the slots of an actor is the custom data of its `SlotsComponent`: `i32 n`, n slots.

| field | type | |
|---|---|---|
| name | i32 | index into the pool |
| items | i32 n, n times i32 | objects |
| unknown_bytes | i32 n, n times u8 | one for each item; 0 in all seen |
| positions | i32 n, n times i32 | one for each item: 0, but others where items share a slot |

Entities and their components are datums. All of one class are in one object, a container, which has no properties:

| field | type | |
|---|---|---|
| next_id | i32 | of the next new datum: -1 for the first one, then down |
| first_free | i32 | slot, -1: none is free |
| slots | i32 n, n times: i32 datum, i32 id | datum: its position, in the lower 28 bits; the others are unknown flags |
| unknown | i32 | 0 in all seen |
| datums | i32 n, n datums | |

Of a free slot, `datum` is -1, and `id` is the next free slot, -1: none.

| datum | type | |
|---|---|---|
| reference | AstroDatumRef | to itself |
| properties | property list | |
| entity | AstroDatumRef | of a component: the entity that has it |
| scene_component | AstroDatumRef | of an entity |
| components | i32 n, n times AstroDatumRef | of an entity |
| parent | AstroDatumRef | of an entity |
| children | i32 n, n times AstroDatumRef | of an entity |

An `AstroDatumRef` is `i32 slot`, `i32 id`, `i32 container`, an object. It refers to nothing if all three are -1.

A block is `i64 key`, `i32 size`, and `voxels`: one zlib stream of that many bytes. `raw()` returns the stream as it is stored,
for `zlib.decompress`; `build()` returns what it inflates to. No other block is inflated.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from streamsave._native import i64
from streamsave.decode.codecs import BYTES, F32, I32, I64, U8, U64, Array, BuildContext, Codec, Name, Repeat, Struct, list_of
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder, typed
from streamsave.decode.reader import Length, Reader
from streamsave.events import Event, StructEnter, StructExit
from streamsave.formats.astroneer.instances import ASSET, NOTHING, TRANSFORM, ActorReference, InstanceReference, InstanceTable
from streamsave.formats.astroneer.versions import TERRAIN_VERSION
from streamsave.formats.gvas.header import GvasHeader
from streamsave.formats.gvas.structs import MULTICAST_TYPES, PATH_TYPES, make_dialect
from streamsave.formats.unreal.codecs import PropertyList
from streamsave.input.stages import INFLATE_ERRORS, fast_zlib
from streamsave.values import Delegate, Guid, ObjectReference, Transform

__all__ = [
    "BLOCK",
    "BLOCKS",
    "DATUM_ARRAYS",
    "DATUM_SLOTS",
    "PROPERTIES_END",
    "TERRAIN",
    "TERRAIN_END",
    "LevelLayout",
    "PoolCodec",
    "block_length",
    "is_terrain",
    "walk_terrain",
]


class IndexCodec(Codec):
    """An index of an object, or of an actor record; -1 is none. With `has_assets`, -3 and a name are an asset."""

    def __init__(self, table: InstanceTable, *, actors: bool = False, has_assets: bool = False) -> None:
        super().__init__("actor" if actors else "object", -1 if has_assets else 4, 4)
        self._table = table
        self._actors = actors
        self._has_assets = has_assets

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        index = cursor.i32()
        context.spend(1, 0)
        level = path = ""
        if index >= 0 or (index != NOTHING and not self._has_assets):
            table = self._table
            level = table.level_name
            path = table.actor_path(index) if self._actors else table.path(index)
        elif index == ASSET:
            path = cursor.name()
        elif index != NOTHING:
            raise cursor.unsupported("kind of a reference", expected="an index, -1 or -3", actual=int(index))
        return ActorReference(level, path, int(index)) if self._actors else InstanceReference(level, path, int(index))

    def encode(self, value: object, encoder: Encoder) -> None:
        if self._has_assets and isinstance(value, ObjectReference) and is_asset(value):
            I32.encode(ASSET, encoder)
            encoder.name(value.path_name)
        else:
            I32.encode(self._table.index_of(value, actors=self._actors), encoder)


def is_asset(value: ObjectReference) -> bool:
    """Return whether a reference is to an asset. Names of objects have no slash."""
    return value.path_name.startswith("/") or (isinstance(value, InstanceReference) and value.index == ASSET)


class TransformCodec(Struct):
    """A place of floats: of them come tuples."""

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        context.spend(10, 0)
        numbers = cursor.unpack(TRANSFORM)
        return Transform(numbers[0:4], numbers[4:7], numbers[7:10])

    def encode(self, value: object, encoder: Encoder) -> None:
        place = typed(value, Transform, "a Transform")
        for part, count in ((place.rotation, 4), (place.translation, 3), (place.scale, 3)):
            for number in list_of(list(part), count):
                F32.encode(number, encoder)


class PoolCodec(Codec):
    """The string pool: it has been read when it is announced."""

    def __init__(self, names: list[str]) -> None:
        super().__init__("str[]", -1, 8)
        self.names = names

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        for name in self.names:
            context.spend(1, len(name))
        return list(self.names)


class PropertiesEnd(Codec):
    """What ends a property list that something else follows: the name `None`, `bool32`, a GUID if that is set."""

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        cursor.name()
        if cursor.remaining() >= 4 and cursor.bool32():
            return Guid(cursor.take(16))
        return None


class Deflated(Codec):
    """One zlib stream; its value is what it inflates to."""

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        start = cursor.tell()
        inflater: Any = fast_zlib.decompressobj()
        try:
            data: bytes = inflater.decompress(cursor.take(cursor.remaining()), cursor.limits.build_size + 1)
        except INFLATE_ERRORS:
            raise cursor.damaged("no sound zlib stream", offset=start) from None
        context.spend(0, len(data))
        if not inflater.eof or inflater.unused_data:
            raise cursor.damaged("a zlib stream of another size", offset=start)
        return data


#: How the names of classes end: of what has slots, of the container of all entities, of any container.
SLOTS_END: Final = ".SlotsComponent"
ENTITIES_END: Final = ".AstroEntityContainer"
DATUMS_END: Final = "Container"
#: Structs of datums, and the types of the arrays that hold them.
ENTITY: Final = "Entity"
COMPONENT: Final = "Component"
DATUM_ARRAYS: Final = (f"{ENTITY}[]", f"{COMPONENT}[]")
#: Type of the array of the slots, by which datums are referred to.
DATUM_SLOTS: Final = "DatumSlot[]"
#: A name by its index: unlike a name as a string, of one size.
POOL_NAME: Final[Codec] = Name("name", 4, 4)
TRANSFORM_3F: Final[Codec] = TransformCodec(
    "Transform3f", Transform, rotation=Repeat(F32, 4), translation=Repeat(F32, 3), scale=Repeat(F32, 3)
)
PROPERTIES_END: Final[Codec] = PropertiesEnd("Guid?", -1, 4)
DEFLATED: Final[Codec] = Deflated("zlib", -1, 0)


class LevelLayout:
    """The layouts of one level: what is in them refers to its own pools."""

    def __init__(self, header: GvasHeader, table: InstanceTable) -> None:
        instance = IndexCodec(table)
        actor = IndexCodec(table, actors=True)
        #: The values of an actor record: announced one by one, since lists may be long.
        self.actor_members: list[tuple[str, Codec]] = [
            ("object", instance),
            ("children", Array(Struct("Child", None, name=POOL_NAME, actor=actor))),
            ("components", Array(Struct("Component", None, name=POOL_NAME, object=instance))),
            ("transform", TRANSFORM_3F),
        ]
        self.root_actors = Array(actor)
        self.player_controllers = Array(Struct("PlayerController", None, actor=actor, last_pawn=instance, network_uuid=U64))
        #: That of the save game, but for names and objects.
        self.dialect = make_dialect(header)
        self.dialect.blobs = None
        reference = IndexCodec(table, has_assets=True)
        delegate = Struct("Delegate", Delegate, object=reference, function=POOL_NAME)
        self.dialect.types |= dict.fromkeys(PATH_TYPES, reference)
        self.dialect.types |= dict.fromkeys(MULTICAST_TYPES, Array(delegate))
        self.dialect.types["DelegateProperty"] = delegate
        datum = Struct("AstroDatumRef", None, slot=I32, id=I32, container=instance)
        self.dialect.structs["AstroDatumRef"] = datum
        #: What is in the slots of an actor; entities, and components of one class.
        self.slots = Array(
            Struct("Slot", None, name=POOL_NAME, items=Array(instance), unknown_bytes=Array(U8), positions=Array(I32))
        )
        datums = Array(datum)
        self.entities = datum_table(ENTITY, datum, scene_component=datum, components=datums, parent=datum, children=datums)
        self.components = datum_table(COMPONENT, datum, entity=datum)

    def values_of(self, class_name: str) -> Codec | None:
        """Return the layout of what an object of this class has in place of properties; None if it is unknown."""
        if class_name.endswith(ENTITIES_END):
            return self.entities
        return self.components if class_name.endswith(DATUMS_END) else None

    def custom_data_of(self, class_name: str) -> Codec | None:
        """Return the layout of the custom data of an object of this class; None if it is unknown."""
        return self.slots if class_name.endswith(SLOTS_END) else None


def datum_table(name: str, reference: Codec, **members: Codec) -> Struct:
    """Make the layout of all datums of one class, which have these members after their properties."""
    return Struct(
        "DatumTable",
        None,
        next_id=I32,
        first_free=I32,
        slots=Array(Struct("DatumSlot", None, datum=I32, id=I32)),
        unknown=I32,
        datums=Array(Struct(name, None, reference=reference, properties=PropertyList(nested=True), **members)),
    )


# --- terrain ---

CLASS_ENDS_WITH: Final = ".VoxelVolumeComponent"
BLOCKS: Final = "voxel_blocks"
BLOCK: Final = "VoxelBlock"
TERRAIN: Final = Struct(
    "Terrain",
    None,
    terrain_version=I32,
    terrain_id=I32,
    voxel_blocks=Array(Struct(BLOCK, None, key=I64, voxels=BYTES)),
    unknown_records_8=Array(Struct("UnknownRecord8", None, first=I32, second=I32)),
    unknown_records_18=Array(Struct("UnknownRecord18", None, first=F32, second=F32, third=F32, fourth=F32, fifth=U8, sixth=U8)),
    terrain_end=U64,
)
#: The last number in all seen.
TERRAIN_END: Final = 2


def is_terrain(class_name: str, cursor: Cursor) -> bool:
    """Return whether terrain of the known version starts here."""
    if not class_name.endswith(CLASS_ENDS_WITH) or cursor.remaining() < 4:
        return False
    cursor.need(4)
    return int.from_bytes(cursor.peek(4), "little") == TERRAIN_VERSION


def walk_terrain(reader: Reader) -> Iterator[Event]:
    """Walk the terrain that starts at the cursor."""
    for name, member in zip(TERRAIN.names, TERRAIN.members, strict=True):
        if name == BLOCKS and isinstance(member, Array):
            yield from walk_blocks(reader, member.element.least)
        else:
            yield reader.field(name, member)


def walk_blocks(reader: Reader, least: i64) -> Iterator[Event]:
    """Walk the voxel blocks that start at the cursor, of `least` bytes or more each; the stream of each is a leaf."""
    cursor = reader.cursor
    start = cursor.tell()
    count = cursor.count(least)
    yield StructEnter(start, BLOCKS, BLOCK, 4, -1, -1, count)
    reader.steps.append(BLOCKS)
    for index in range(count):
        start = cursor.tell()
        cursor.skip(8)
        size = cursor.count(1)
        end = cursor.tell() + size
        cursor.seek(start)
        yield StructEnter(start, BLOCKS, BLOCK, 0, end - start, index, -1)
        reader.steps.append(int(index))
        if cursor.tell() < end:
            yield reader.field("key", I64)
            yield reader.field("size", I32)
            cursor.skip(size)
            yield reader.passed("voxels", DEFLATED, end - size)
        reader.steps.pop()
        yield StructExit(end, BLOCKS, 0)
    reader.steps.pop()
    yield StructExit(cursor.tell(), BLOCKS, 0)


def block_length(block: StructEnter) -> Length:
    """Return the size of a voxel block."""
    return Length(block.offset + I64.size, I32.size, counts=False)

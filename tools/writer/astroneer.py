"""Write Astroneer saves: names in a pool, objects, actor records, and what is around them.

+------------------+-----------------------------------------------------------------+
| GVAS header      | as engine 4.18 writes it; class AstroSave                       |
| properties       | FString "None"; u32 0                                           |
| version          | u32; later layout: u8                                           |
| level name       | FString; later layout: u32                                      |
| level            | u32 version; i64 n + 1, n * FString; u32 n, n * object record;  |
|                  | u32 n, n * actor record; u32 n, n * i32 root; u32 first import  |
| controllers      | i32 n; n * (u32 actor, u32 object, u64)                         |
| remote players   | i32 n; n * (level, u64)                                         |
+------------------+-----------------------------------------------------------------+

A property tag: i32 name, i32 type, i32 size, i32 index, what the type adds (its names as i32, too), u8 has GUID. Index 0 of the
pool is "None" and not stored; lists end with a "None" that is.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Sequence
from typing import Any

from attrs import Factory, define, field, frozen

from writer.primitives import NO_GUID, counted, floats, fstring, i32, i64, sized, u8, u32

MAGIC = bytes.fromhex("BE40374AEE0B74A3")
VERSION = 41
LEVEL_NAME = "/Game/Maps/Staging_T2"
FLAG_ACTOR, FLAG_CUSTOM, FLAG_NATIVE, FLAG_MANAGER = 0x02, 0x04, 0x10, 0x20
ASSET = -3
TERRAIN_CLASS = "/Script/Terrain2.VoxelVolumeComponent"
NO_PLACE = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0)

NUMBERS = {
    "IntProperty": "i",
    "UInt32Property": "I",
    "UInt64Property": "Q",
    "FloatProperty": "f",
    "DoubleProperty": "d",
    "ByteProperty": "B",
    "BoolProperty": "?",
}


class Pool:
    """Names, each once, in the order in which they were asked for."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._index: dict[str, int] = {}

    def index(self, name: str) -> bytes:
        """The index of a name, which may be new."""
        if name not in self._index:
            self.names.append(name)
            self._index[name] = len(self.names)
        return i32(self._index[name])


@frozen
class Type:
    """A property's type: `inner` of arrays and sets, keys and `value` of maps, `name` of structs and enums."""

    type: str
    name: str = ""
    inner: Type | None = None
    value: Type | None = None

    def extras(self, pool: Pool, value: Any) -> bytes:  # noqa: ANN401 - as many types as properties have
        """What a tag adds."""
        match self.type:
            case "StructProperty":
                return pool.index(self.name) + NO_GUID
            case "BoolProperty":
                return u8(value)
            case "ByteProperty" | "EnumProperty":
                return pool.index(self.name or "None")
            case "ArrayProperty" | "SetProperty":
                return pool.index(self._inner.type)
            case "MapProperty":
                assert self.value is not None  # noqa: S101 - made so below
                return pool.index(self._inner.type) + pool.index(self.value.type)
        return b""

    @property
    def _inner(self) -> Type:
        assert self.inner is not None  # noqa: S101 - made so below
        return self.inner

    def payload(self, pool: Pool, name: str, value: Any) -> bytes:  # noqa: ANN401 - as above
        """The value of a property."""
        if self.type == "BoolProperty":
            return b""
        if self.type == "ArrayProperty":
            data = b"".join(self._inner.element(pool, each) for each in value)
            if self._inner.type != "StructProperty":
                return i32(len(value)) + data
            inner = Prop(name, self._inner, data)
            return i32(len(value)) + inner.tag(pool, len(data)) + data
        return self.element(pool, value)

    def element(self, pool: Pool, value: Any) -> bytes:  # noqa: ANN401 - as above
        """The value in a container."""
        if self.type == "NameProperty" or (self.name and self.type in {"ByteProperty", "EnumProperty"}):
            return pool.index(value)
        if self.type in NUMBERS:
            return struct.pack("<" + NUMBERS[self.type], value)
        match self.type:
            case "StrProperty":
                return fstring(value)
            case "ObjectProperty":
                return i32(value) if isinstance(value, int) else i32(ASSET) + pool.index(value)
            case "StructProperty" if isinstance(value, bytes):
                return value
            case "StructProperty":
                return property_list(pool, value)
            case "SetProperty":
                return i32(0) + counted(value, lambda each: self._inner.element(pool, each))
            case "MapProperty":
                assert self.value is not None  # noqa: S101 - made so below
                of = self.value
                return i32(0) + counted(value, lambda pair: self._inner.element(pool, pair[0]) + of.element(pool, pair[1]))
        raise TypeError(self.type)


INT, UINT32, UINT64, FLOAT, DOUBLE, BYTE, BOOL, NAME, STR, OBJECT = (
    Type(f"{name}Property") for name in ("Int", "UInt32", "UInt64", "Float", "Double", "Byte", "Bool", "Name", "Str", "Object")
)


def enum(name: str) -> Type:
    """An enum in a byte."""
    return Type("ByteProperty", name)


def new_enum(name: str) -> Type:
    """An enum of its own type."""
    return Type("EnumProperty", name)


def struct_of(name: str) -> Type:
    """A struct: its value is a property list, or bytes."""
    return Type("StructProperty", name)


def array(inner: Type) -> Type:
    """An array."""
    return Type("ArrayProperty", inner=inner)


def set_of(inner: Type) -> Type:
    """A set."""
    return Type("SetProperty", inner=inner)


def map_of(key: Type, value: Type) -> Type:
    """A map; its value is a list of pairs."""
    return Type("MapProperty", inner=key, value=value)


@frozen
class Prop:
    """A property."""

    name: str
    type: Type
    value: Any
    index: int = 0
    guid: bytes | None = None

    def tag(self, pool: Pool, size: int) -> bytes:
        """What comes before the value."""
        head = pool.index(self.name) + pool.index(self.type.type) + i32(size) + i32(self.index)
        return head + self.type.extras(pool, self.value) + (u8(0) if self.guid is None else u8(1) + self.guid)

    def encode(self, pool: Pool) -> bytes:
        """Tag and value."""
        payload = self.type.payload(pool, self.name, self.value)
        return self.tag(pool, len(payload)) + payload


def property_list(pool: Pool, props: Sequence[Prop]) -> bytes:
    """Properties, then the stored "None"."""
    return b"".join(prop.encode(pool) for prop in props) + pool.index("None")


@frozen
class Terrain:
    """Voxel blocks: key and inflated bytes; records of unknown meaning."""

    id: int
    blocks: Sequence[tuple[int, bytes]] = ()
    pairs: Sequence[tuple[int, int]] = ()
    samples: Sequence[tuple[float, float, float, float, int, int]] = ()

    def encode(self) -> bytes:
        """What follows the properties."""
        return b"".join((
            i32(3),
            i32(self.id),
            counted(self.blocks, lambda block: i64(block[0]) + sized(zlib.compress(block[1]))),
            counted(self.pairs, lambda pair: i32(pair[0]) + i32(pair[1])),
            counted(self.samples, lambda sample: struct.pack("<4f2B", *sample)),
            i64(2),
        ))  # fmt: skip


@frozen
class Instance:
    """An object. `properties` are None for one without a property list: then `data` is all it has."""

    class_name: str
    name: str
    properties: Sequence[Prop] | None = ()
    outer: int = -1
    save_flags: int = 0
    object_flags: int = 0
    #: After the properties; custom data after that.
    data: bytes | Callable[[Pool], bytes] = b""
    custom: bytes | Callable[[Pool], bytes] | None = None
    guid: bytes | None = None
    terrain: Terrain | None = None

    def encode(self, pool: Pool) -> bytes:
        """The record."""
        body = b""
        if self.properties is not None:
            body = property_list(pool, self.properties) + (u32(0) if self.guid is None else u32(1) + self.guid)
        data = self.data(pool) if callable(self.data) else self.data
        body += (b"" if self.terrain is None else self.terrain.encode()) + data
        flags = self.save_flags | (0 if self.custom is None else FLAG_CUSTOM)
        head = fstring(self.class_name) + pool.index(self.name) + u32(self.object_flags) + u8(flags) + i32(self.outer)
        custom = self.custom(pool) if callable(self.custom) else self.custom
        total = b"" if custom is None else u32(len(body) + len(custom))
        return head + u32(len(body)) + total + body + (custom or b"")


@frozen
class Actor:
    """An actor record."""

    object: int
    children: Sequence[tuple[str, int]] = ()
    components: Sequence[tuple[str, int]] = ()
    place: Sequence[float] = NO_PLACE

    def encode(self, pool: Pool) -> bytes:
        """The record."""
        links = [counted(each, lambda link: pool.index(link[0]) + i32(link[1])) for each in (self.children, self.components)]
        return i32(self.object) + links[0] + links[1] + floats(self.place)


@define
class Level:
    """The pools of one level."""

    objects: Sequence[Instance] = ()
    actors: Sequence[Actor] = ()
    roots: Sequence[int] = ()
    first_import: int | None = None
    version: int = VERSION

    def encode(self) -> bytes:
        """All of it; the pool gets what the rest asks for."""
        pool = Pool()
        for instance in self.objects:
            pool.index(instance.name)
        objects = counted(self.objects, lambda each: each.encode(pool))
        actors = counted(self.actors, lambda each: each.encode(pool))
        first_import = len(self.objects) if self.first_import is None else self.first_import
        names = i64(len(pool.names) + 1) + b"".join(map(fstring, pool.names))
        return b"".join((u32(self.version), names, objects, actors, counted(self.roots, i32), u32(first_import)))

    def names(self) -> list[str]:
        """The pool, as a reader has it."""
        pool = Pool()
        for instance in self.objects:
            pool.index(instance.name)
        for each in self.objects:
            each.encode(pool)
        for record in self.actors:
            record.encode(pool)
        return ["None", *pool.names]


@define
class Save:
    """A save. `later` is the layout of which no real save was seen."""

    level: Level = Factory(Level)
    controllers: Sequence[tuple[int, int, int]] = ()
    remote: Sequence[tuple[Level, int]] = ()
    level_name: str = LEVEL_NAME
    version: int = VERSION
    later: bool = False
    class_name: str = field(default="AstroSave")
    behind: bytes = b""

    def gvas(self) -> bytes:
        """The save game as it is inside of its wrapper."""
        return b"".join((
            self.header(),
            fstring("None") + u32(0) + u32(self.version),
            u8(1) if self.later else b"",
            fstring(self.level_name),
            u32(7) if self.later else b"",
            self.level.encode(),
            counted(self.controllers, lambda row: struct.pack("<IIQ", *row)),
            counted(self.remote, lambda row: row[0].encode() + struct.pack("<Q", row[1])),
            self.behind,
        ))  # fmt: skip

    def header(self) -> bytes:
        """The header of the save game."""
        engine = b"GVAS" + i32(2) + i32(514) + struct.pack("<HHHI", 4, 18, 2, 0) + fstring("++UE4+Release-4.18")
        versions = i32(3) + i32(1) + bytes(range(16)) + i32(10)
        return engine + versions + fstring(self.class_name)

    def encode(self) -> bytes:
        """The file as the game writes it."""
        return wrap(self.gvas())


def wrap(gvas: bytes, size: int | None = None) -> bytes:
    """A save game after the 16 bytes, in zlib with a window of 4 KiB, as the game has it."""
    deflater = zlib.compressobj(wbits=12)
    size = len(gvas) if size is None else size
    return MAGIC + u32(1) + u32(size) + deflater.compress(gvas) + deflater.flush()

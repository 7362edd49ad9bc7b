"""Satisfactory .sav: header, chunks, levels, objects.

Header, by SaveHeaderVersion:

+----------------------------------------------------------------+
| i32 SaveHeaderVersion, SaveVersion, BuildVersion               |
| >= 14: FString SaveName                                        |
| FString MapName, MapOptions, SessionName                       |
| i32 PlayDurationSeconds; i64 SaveDateTime                      |
| >= 5: u8 SessionVisibility      >= 7: i32 EditorObjectVersion  |
| >= 8: FString ModMetadata; bool32 IsModdedSave                 |
| >= 10: FString SaveIdentifier   >= 11: bool32 IsPartitioned    |
| >= 12: FMD5Hash SaveDataHash    >= 13: bool32 IsCreativeMode   |
+----------------------------------------------------------------+

Body, by SaveVersion (sizes are i32 below 41, i64 from 41 on):

+---------------------------+------------------------------------------------------------+
| size of what follows      |                                                            |
| >= 53                     | version data of the persistent level                       |
| >= 41                     | validation grids                                           |
| < 29                      | TOC; DATA; destroyed                                       |
| >= 29                     | i32 n; n * streaming level; persistent level; unresolved   |
| streaming level           | FString name; size, TOC; size, DATA; >= 51: i32            |
|                           | SaveVersion; destroyed; >= 53: bool32 [version data]       |
| persistent level          | size, TOC; size, DATA; map of destroyed                    |
| TOC                       | i32 n; n * header; [copy of the destroyed]                 |
| DATA                      | i32 n; n * ([>= 41: i32 SaveVersion, bool32 migrate;]      |
|                           | i32 size; bytes; [own >= 53: bool32 [version data]])       |
+---------------------------+------------------------------------------------------------+

The layouts differ in gates only, so one function per structure writes them all, in one place.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Sequence

from attrs import define, field, frozen

from writer.chunks import chunks
from writer.dialect import SAVE_VERSION_64_BIT, UE5_INITIAL, Dialect
from writer.primitives import NO_REF, Ref, bool32, counted, floats, fstring, i32, i64, md5_hash, ref, refs, u8, u32
from writer.tags import Props, property_list
from writer.trailers import NO_TRAILER, ORIGIN, Trailer

SAVE_VERSION_LEVELS = 29
SAVE_VERSION_OBJECT_FLAGS = 49
SAVE_VERSION_PER_LEVEL = 51
SAVE_VERSION_VERSION_DATA = 53

HEADER_VISIBILITY = 5
HEADER_EDITOR_VERSION = 7
HEADER_MODS = 8
HEADER_IDENTIFIER = 10
HEADER_PARTITIONED = 11
HEADER_HASH = 12
HEADER_CREATIVE = 13
HEADER_SAVE_NAME = 14

PERSISTENT = "Persistent_Level"

#: Fields in the header of an object after the reference to itself: name, how it is written, the SaveVersion that brought it.
HEADER_FIELDS = (("flags", u32, SAVE_VERSION_OBJECT_FLAGS),)

# SaveVersion -> (SaveHeaderVersion, BuildVersion) of a release that wrote it
RELEASES = {
    25: (8, 152331), 28: (9, 177909), 29: (9, 193448), 36: (10, 211839), 41: (13, 238433), 42: (13, 273254),
    46: (13, 385279), 51: (14, 403662), 52: (14, 460533), 53: (14, 474567), 58: (14, 481836), 59: (14, 490000), 60: (14, 495413),
}  # fmt: skip


@frozen
class VersionData:
    """FSaveObjectVersionData: u32 0; i32 ue4, ue5, licensee; u16 x3; u32 changelist; FString branch; custom versions."""

    ue4: int = 522
    ue5: int = 1017
    licensee: int = 3
    engine: tuple[int, int, int] = (5, 6, 1)
    changelist: int = 481836
    branch: str = "++FactoryGame+rel-main-1.2.0"
    custom: Sequence[tuple[bytes, int]] = ()

    def encode(self) -> bytes:
        """All fields."""
        numbers = struct.pack("<Iiii3HI", 0, self.ue4, self.ue5, self.licensee, *self.engine, self.changelist)
        return numbers + fstring(self.branch) + counted(self.custom, lambda pair: pair[0] + i32(pair[1]))


def optional(data: VersionData | None) -> bytes:
    """Version data that may be absent."""
    return bool32(False) if data is None else bool32(True) + data.encode()


@frozen
class SaveHeader:
    """The uncompressed header; ``hash_valid=False`` writes no hash."""

    save_version: int
    header_version: int
    build_version: int
    save_name: str = "oracle"
    map_name: str = PERSISTENT
    map_options: str = "?startloc=Grass Fields?sessionName=oracle?Visibility=SV_Private"
    session_name: str = "oracle"
    play_duration: int = 3600
    save_date_time: int = 638_000_000_000_000_000
    visibility: int = 0
    editor_version: int = 40
    mod_metadata: str = ""
    modded: bool = False
    identifier: str = "c3RyZWFtc2F2ZS1vcmFjbGU"
    partitioned: bool = True
    hash_valid: bool = True
    creative: bool = False

    def encode(self, digest: bytes) -> bytes:
        """Every field this header version has."""
        version = self.header_version
        gated = (
            (HEADER_VISIBILITY, u8(self.visibility)),
            (HEADER_EDITOR_VERSION, i32(self.editor_version)),
            (HEADER_MODS, fstring(self.mod_metadata) + bool32(self.modded)),
            (HEADER_IDENTIFIER, fstring(self.identifier)),
            (HEADER_PARTITIONED, bool32(self.partitioned)),
            (HEADER_HASH, md5_hash(digest if self.hash_valid else None)),
            (HEADER_CREATIVE, bool32(self.creative)),
        )
        return b"".join((
            i32(version), i32(self.save_version), i32(self.build_version),
            fstring(self.save_name) if version >= HEADER_SAVE_NAME else b"",
            fstring(self.map_name), fstring(self.map_options), fstring(self.session_name),
            i32(self.play_duration), i64(self.save_date_time),
            *(data for first, data in gated if version >= first),
        ))  # fmt: skip


def release_header(save_version: int) -> SaveHeader:
    """The header of a release that wrote this SaveVersion; change it with :func:`attrs.evolve`."""
    header_version, build_version = RELEASES[save_version]
    return SaveHeader(save_version, header_version, build_version)


@frozen
class Object:
    """An actor, or (with an ``outer``) a component or other object.

    ``save_version``, ``migrate`` and ``version_data`` are the object's own; by default those of its level.
    ``with_list=False`` stops before the property list, which some mods do.
    """

    class_name: str
    instance_name: str
    properties: Props = ()
    trailer: Trailer = NO_TRAILER
    outer: str | None = None
    transform: Sequence[float] = ORIGIN
    owner: Ref = NO_REF
    components: Sequence[Ref] = ()
    level: str = PERSISTENT
    flags: int = 8
    need_transform: bool = False
    placed_in_level: bool = False
    save_version: int | None = None
    migrate: bool = False
    version_data: VersionData | None = None
    with_list: bool = True

    @property
    def ref(self) -> Ref:
        """A reference to this object."""
        return Ref(self.level, self.instance_name)

    def header(self, level_version: int) -> bytes:
        """Its entry in the TOC."""
        fields = b"".join(write(getattr(self, name)) for name, write, first in HEADER_FIELDS if level_version >= first)
        start = bool32(self.outer is None) + fstring(self.class_name) + ref(self.ref) + fields
        if self.outer is not None:
            return start + fstring(self.outer)
        return start + bool32(self.need_transform) + floats(self.transform) + bool32(self.placed_in_level)

    def data(self, dialect: Dialect) -> bytes:
        """Its data: owner and components of an actor, property list, no GUID, trailer."""
        actor = ref(self.owner) + refs(self.components) if self.outer is None else b""
        if not self.with_list:
            return actor
        control = b"\0" if dialect.serialization_control else b""
        return actor + control + property_list(self.properties, dialect) + bool32(False) + self.trailer.encode(dialect)


@frozen
class Encoded:
    """An object that is bytes already."""

    toc: bytes
    data: bytes


Anything = Object | Encoded


@define
class Level:
    """A level. ``toc_destroyed`` is the copy in the TOC: by default as ``destroyed``."""

    name: str
    objects: Iterable[Anything] = ()
    destroyed: Sequence[Ref] = ()
    toc_destroyed: Sequence[Ref] | None = field(default=None)
    save_version: int | None = None
    version_data: VersionData | None = None


@frozen
class Grid:
    """A grid of validation data: the hash of each of its cells."""

    name: str
    cell_size: int
    grid_hash: int
    cells: Sequence[tuple[str, int]] = ()

    def encode(self) -> bytes:
        """FString name; i32 cell size; u32 hash; i32 n; n * (FString cell; u32 hash)."""
        cells = counted(self.cells, lambda cell: fstring(cell[0]) + u32(cell[1]))
        return fstring(self.name) + i32(self.cell_size) + u32(self.grid_hash) + cells


@define
class World:
    """A whole save. ``unresolved=None`` leaves the last list out, as some tools do.

    ``destroyed`` and ``toc_destroyed`` are the persistent level's maps (a plain list below SaveVersion 29).
    """

    header: SaveHeader
    levels: Sequence[Level] = ()
    objects: Iterable[Anything] = ()
    destroyed: Sequence[tuple[str, Sequence[Ref]]] = ()
    toc_destroyed: Sequence[tuple[str, Sequence[Ref]]] | None = None
    grids: Sequence[Grid] = ()
    unresolved: Sequence[Ref] | None = ()
    version_data: VersionData | None = None

    @property
    def dialect(self) -> Dialect:
        """The versions of the persistent level."""
        return dialect_of(self.header.save_version, self.version_data)


def dialect_of(save_version: int, data: VersionData | None) -> Dialect:
    """The versions in scope given the version data found."""
    return Dialect(save_version, UE5_INITIAL if data is None else data.ue5)


def _pairs(pairs: Sequence[tuple[str, Sequence[Ref]]]) -> bytes:
    return counted(pairs, lambda pair: fstring(pair[0]) + refs(pair[1]))


def blobs(
    objects: Iterable[Anything],
    dialect: Dialect,
    file_version: int,
    toc_tail: bytes = b"",
    *,
    sized: bool = True,
    per_object: bool = True,
) -> bytes:
    """TOC and DATA of one level."""
    tocs, datas = [], []
    for one in objects:
        version, migrate, data = dialect.save_version, False, None
        if isinstance(one, Object):
            data, migrate = one.version_data, one.migrate
            version = version if one.save_version is None else one.save_version
            ue5 = data.ue5 if data is not None else dialect.ue5
            tocs.append(one.header(dialect.save_version))
            content = one.data(Dialect(version, ue5))
        else:
            tocs.append(one.toc)
            content = one.data
        versions = i32(version) + bool32(migrate) if per_object and file_version >= SAVE_VERSION_64_BIT else b""
        own = optional(data) if per_object and version >= SAVE_VERSION_VERSION_DATA else b""
        datas.append(versions + i32(len(content)) + content + own)
    width = 8 if file_version >= SAVE_VERSION_64_BIT and per_object else 4
    both = i32(len(tocs)) + b"".join(tocs) + toc_tail, i32(len(datas)) + b"".join(datas)
    return b"".join((len(blob).to_bytes(width, "little") if sized else b"") + blob for blob in both)


def _streaming_level(level: Level, file_version: int) -> bytes:
    version = file_version if level.save_version is None else level.save_version
    copy = level.destroyed if level.toc_destroyed is None else level.toc_destroyed
    dialect = dialect_of(version, level.version_data)
    return (
        fstring(level.name)
        + blobs(level.objects, dialect, file_version, refs(copy) if copy else b"")
        + (i32(version) if file_version >= SAVE_VERSION_PER_LEVEL else b"")
        + refs(level.destroyed)
        + (optional(level.version_data) if file_version >= SAVE_VERSION_VERSION_DATA else b"")
    )


def _persistent_level(world: World) -> bytes:
    version = world.header.save_version
    copy = world.destroyed if world.toc_destroyed is None else world.toc_destroyed
    levels = version >= SAVE_VERSION_LEVELS
    destroyed = _pairs(world.destroyed) if levels else refs([one for _, several in world.destroyed for one in several])
    return blobs(world.objects, world.dialect, version, _pairs(copy) if copy and levels else b"", sized=levels) + destroyed


def body(world: World) -> bytes:
    """Everything after the body size."""
    version = world.header.save_version
    levels = version >= SAVE_VERSION_LEVELS
    return (
        ((world.version_data or VersionData()).encode() if version >= SAVE_VERSION_VERSION_DATA else b"")
        + (counted(world.grids, Grid.encode) if version >= SAVE_VERSION_64_BIT else b"")
        + (counted(world.levels, lambda level: _streaming_level(level, version)) if levels else b"")
        + _persistent_level(world)
        + (refs(world.unresolved) if levels and world.unresolved is not None else b"")
    )


def save_bytes(world: World, *, level: int = 6) -> bytes:
    """A whole save file: header, then chunks compressed at zlib ``level``."""
    wide = world.header.save_version >= SAVE_VERSION_64_BIT
    stored = chunks(body(world), size_width=8 if wide else 4, level=level, v2=wide)
    return world.header.encode(hashlib.md5(stored, usedforsecurity=False).digest()) + stored

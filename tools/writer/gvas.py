"""Save games (GVAS), and what games put around them.

+-------------------+-----------------------------------------------------------+
| magic             | "GVAS"; "MSGF": the settings of a server of Satisfactory  |
| SaveGameVersion   | i32                                                       |
| UE4, UE5          | i32 each; UE5 only from SaveGameVersion 3 on              |
| engine            | 3 * u16; u32 changelist; FString branch                   |
| custom versions   | from 2 on: i32 format; i32 n; n * entry                   |
| class             | FString; what the class writes; from UE5 1011 on u8       |
|                   | (not after "MSGF", which has UE5 in its version 2)        |
| properties        | list                                                      |
| object GUID       | bool32; [GUID]                                            |
+-------------------+-----------------------------------------------------------+
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Sequence
from uuid import UUID

from attrs import field, frozen

from writer.dialect import Dialect
from writer.oodle import oodle
from writer.primitives import NO_GUID, bool32, counted, fstring, i32, sized, u8, u32
from writer.tags import Props, property_list

UE4_STRUCT_GUID = 441
UE4_INNER_ARRAY_TAG = 500
UE4_PROPERTY_GUID = 503
UE4_CONTAINER_TYPES = 509
UE4_SOFT_PATH = 514
UE5_LARGE_WORLD = 1004
UE5_ASSET_PATHS = 1007
UE5_SERIALIZATION_CONTROL = 1011
UE5_COMPLETE_TYPE_NAMES = 1012

EDITOR_OBJECT = UUID("e4b068ed-f494-42e9-a231-da0b2e46bb41")
UE5_RELEASE = UUID("d89b5e42-24bd-4d46-8412-aca8df641779")
FORTNITE_MAIN = UUID("601d1886-ac64-4f84-aa16-d3de0deac7d6")
CORE_OBJECT = UUID("375ec13c-06e4-48fb-b500-84f0262a717e")

FORTNITE_UTF8_SUB_PATH = 192

FORMAT_GUIDS = 1
FORMAT_ENUMS = 2
FORMAT_OPTIMIZED = 3

ARCHIVE_TAG = 0x9E2A83C1
ARCHIVE_V2 = 0x22222222
BLOCK_SIZE = 0x20000
COMPRESSOR_ZLIB = 3
SERVER_MAGIC = b"MSGF"


def words(guid: UUID) -> bytes:
    """A GUID as four little-endian words."""
    return b"".join(guid.bytes[at : at + 4][::-1] for at in range(0, 16, 4))


@frozen
class GameDialect(Dialect):
    """The versions of a save game."""

    save_version: int = 0
    ue5: int = 0
    ue4: int = 522
    #: Of the parts of the engine and the game that the save names.
    custom_versions: Sequence[tuple[UUID, int]] = ()

    def custom_version(self, part: UUID) -> int:
        """The version of a part, -1 where the save does not name it."""
        return next((version for guid, version in self.custom_versions if guid == part), -1)

    @property
    def doubles(self) -> bool:
        """Worlds are large."""
        return self.ue5 >= UE5_LARGE_WORLD

    @property
    def soft_path_parts(self) -> int:
        """The package is stored from UE5 on, the path inside from 4.18 on."""
        if self.ue5 >= UE5_ASSET_PATHS:
            return 3
        return 2 if self.ue4 >= UE4_SOFT_PATH else 1

    @property
    def utf8_sub_paths(self) -> bool:
        """The path inside of a soft path is UTF-8, where that gives its package."""
        return self.soft_path_parts == 3 and self.custom_version(FORTNITE_MAIN) >= FORTNITE_UTF8_SUB_PATH

    def sub_path(self, path: str) -> bytes:
        """An FString, UTF-8 without a NUL, or nothing."""
        if self.utf8_sub_paths:
            return sized(path.encode())
        return fstring(path) if self.soft_path_parts > 1 else b""

    @property
    def inner_tags(self) -> bool:
        """An array of structs starts with a tag of its own."""
        return self.ue4 >= UE4_INNER_ARRAY_TAG and not self.new_tags

    def tag_extras(self, kind: str, extras: bytes) -> bytes:
        """Older engines give no GUID of structs, no types in sets and maps."""
        if kind == "StructProperty" and self.ue4 < UE4_STRUCT_GUID:
            return extras[: -len(NO_GUID)]
        if kind in {"SetProperty", "MapProperty"} and self.ue4 < UE4_CONTAINER_TYPES:
            return b""
        return extras

    def tag_end(self, guid: bytes | None) -> bytes:
        """Older engines have no GUID of properties; one has extensions in old tags."""
        end = super().tag_end(guid) if self.ue4 >= UE4_PROPERTY_GUID else b""
        return end + b"\0" if self.ue5 == UE5_SERIALIZATION_CONTROL else end


@frozen
class SaveGame:
    """A save game. ``class_header`` is between the name of the class and its properties, ``tail`` after the GUID."""

    props: Props = ()
    save_game_version: int = 3
    ue4: int = 522
    ue5: int = 1008
    engine: tuple[int, int, int] = (5, 1, 1)
    changelist: int = 0
    branch: str = "++UE5+Release-5.1"
    custom_format: int = FORMAT_OPTIMIZED
    custom_versions: Sequence[tuple[UUID, int]] = field(default=((EDITOR_OBJECT, 40), (UE5_RELEASE, 41), (CORE_OBJECT, 4)))
    class_name: str = "/Script/Game.Save"
    class_header: bytes = b""
    object_guid: bytes | None = None
    #: Games with numbers of their own may leave out the version of UE5.
    has_ue5: bool = True
    magic: bytes = b"GVAS"
    tail: bytes = b""

    @property
    def dialect(self) -> GameDialect:
        """How its properties are spelled."""
        # Numbers take the place of GUIDs in one format: whose they are is not known.
        tells_parts = self.save_game_version >= 2 and self.custom_format != FORMAT_ENUMS
        return GameDialect(
            ue4=self.ue4,
            ue5=self.ue5 if self._has_ue5() else 0,
            custom_versions=self.custom_versions if tells_parts else (),
        )

    def _has_ue5(self) -> bool:
        return (self.save_game_version >= 3 and self.has_ue5) or self.magic == SERVER_MAGIC

    def header(self) -> bytes:
        """Everything before the properties."""
        parts = [self.magic, i32(self.save_game_version), i32(self.ue4)]
        if self._has_ue5():
            parts.append(i32(self.ue5))
        parts += [struct.pack("<3HI", *self.engine, self.changelist), fstring(self.branch)]
        if self.save_game_version >= 2:
            parts += [i32(self.custom_format), counted(self.custom_versions, self._custom_version)]
        if self.magic != SERVER_MAGIC:
            parts.append(fstring(self.class_name))
        parts.append(self.class_header)
        if self.dialect.serialization_control:
            parts.append(u8(0))
        return b"".join(parts)

    def _custom_version(self, entry: tuple[UUID, int]) -> bytes:
        guid, version = entry
        if self.custom_format == FORMAT_ENUMS:
            return u32(guid.int & 0xFFFF) + i32(version)
        return words(guid) + i32(version) + (fstring("Part") if self.custom_format == FORMAT_GUIDS else b"")

    def encode(self) -> bytes:
        """The whole save game."""
        guid = bool32(self.object_guid is not None) + (self.object_guid or b"")
        return self.header() + property_list(self.props, self.dialect) + guid + self.tail


# --- wrappers ---


def plz(data: bytes, kind: int = 0x32, magic: bytes = b"PlZ") -> bytes:
    """Palworld: 0x30 stored, 0x31 zlib, 0x32 zlib in zlib."""
    body = data if kind == 0x30 else zlib.compress(data, 9)
    compressed_size = len(body)
    if kind == 0x32:
        body = zlib.compress(body, 9)
    return u32(len(data)) + u32(compressed_size) + magic + u8(kind) + body


def plm(data: bytes) -> bytes:
    """Palworld since Oodle."""
    body = oodle(data)
    return u32(len(data)) + u32(len(body)) + b"PlM" + u8(0x31) + body


def cnk(data: bytes) -> bytes:
    """Palworld with a prefix."""
    return u32(len(data)) + u32(len(data)) + b"CNK0" + plz(data, 0x31)


def gswu(data: bytes) -> bytes:
    """A prefix of 16 bytes."""
    return b"GSWU" + bytes(12) + data


def zlib_block(data: bytes) -> bytes:
    """A block of an archive, as small as zlib can make it."""
    return zlib.compress(data, 9)


def archive(data: bytes, *, block_size: int = BLOCK_SIZE, version: int = 0, pack: Callable[[bytes], bytes] = zlib_block) -> bytes:
    """Unreal's compressed archive of blocks."""
    blocks = [data[at : at + block_size] for at in range(0, len(data), block_size)]
    packed = [pack(block) for block in blocks]
    head = struct.pack("<IIQ", ARCHIVE_TAG, version, block_size)
    if version == ARCHIVE_V2:
        head += u8(COMPRESSOR_ZLIB)
    sizes = [(sum(map(len, packed)), len(data)), *zip(map(len, packed), map(len, blocks), strict=True)]
    return head + b"".join(struct.pack("<QQ", *pair) for pair in sizes) + b"".join(packed)


def archives(data: bytes, *, block_size: int = BLOCK_SIZE) -> bytes:
    """The size of a save game and the save game itself, in an archive for each block."""
    data = sized(data)
    blocks = [data[at : at + block_size] for at in range(0, len(data), block_size)]
    return b"".join(archive(block, block_size=block_size, version=ARCHIVE_V2) for block in blocks)


# --- what follows the properties ---


@frozen
class KeyProfile:
    """A profile of keys: its identifier, the name of its object, and the properties of that."""

    identifier: str
    name: str
    props: Props = ()
    mapping_count: int = 0
    object_guid: bytes | None = None


def key_profiles(profiles: Sequence[KeyProfile], dialect: GameDialect) -> bytes:
    """What the settings of a player's keys write after their properties."""

    def row(profile: KeyProfile) -> bytes:
        class_path = fstring("/Script/EnhancedInput.EnhancedPlayerMappableKeyProfile")
        return fstring(profile.identifier) + class_path + fstring(profile.name) + i32(profile.mapping_count)

    def sub_object(profile: KeyProfile) -> bytes:
        control = u8(0) if dialect.serialization_control else b""
        guid = bool32(profile.object_guid is not None) + (profile.object_guid or b"")
        return control + property_list(profile.props, dialect) + guid + fstring("ObjectEnd")

    return i32(1) + counted(profiles, row) + b"".join(map(sub_object, profiles))

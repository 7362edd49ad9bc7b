"""The header: before the properties, in the same stream.

| field | type | from |
|---|---|---|
| size | u32: bytes after it | only in an archive, and not in all |
| magic | `GVAS`, or `MSGF` for the settings of a server of Satisfactory | |
| save_game_version | i32 | |
| package_version_ue4 | i32 | |
| package_version_ue5 | i32 | SaveGameVersion 3; games with numbers of their own may leave it out; `MSGF` has it before 3 |
| engine major, minor, patch | u16 each | |
| changelist | u32 | bit 31: a licensee's build |
| branch | str | |
| custom_version_format | i32 | SaveGameVersion 2 |
| custom_versions | i32 n, n entries | SaveGameVersion 2 |
| save_game_class | str | not after `MSGF` |
| class_header | by what is there | see `MARKER`, `CLASS_HEADERS` |
| serialization_control | u8, another one if it has bit 0x02 | UE5 version 1011 |

Custom version, by format: 1 `guid, i32 version, str name`; 2 `u32 tag, i32 version`; 3 `guid, i32 version`.
"""

from __future__ import annotations

import operator
import re
from typing import Final

from attrs import define, frozen

from streamsave.decode.codecs import I32, STRING, BuildContext, Struct
from streamsave.decode.cursor import Cursor
from streamsave.errors import DamagedSave
from streamsave.formats.gvas.sniff import MAGIC, SERVER_MAGIC
from streamsave.formats.gvas.versions import (
    SAVE_GAME_CUSTOM_VERSIONS,
    SAVE_GAME_UE5,
    UE5_LEAST,
    UE5_MOST,
)
from streamsave.formats.unreal.tags import UE5_SERIALIZATION_CONTROL, looks_like_list
from streamsave.values import Guid, Header

__all__ = [
    "CustomVersion",
    "GvasHeader",
    "read_header",
    "read_stated_size",
    "read_to_class",
]

FORMAT_GUIDS: Final = 1
FORMAT_ENUMS: Final = 2
FORMAT_OPTIMIZED: Final = 3
#: Bytes of an entry, at least.
LEAST_CUSTOM_VERSION: Final = {FORMAT_GUIDS: 24, FORMAT_ENUMS: 8, FORMAT_OPTIMIZED: 20}

#: An overridable class: its operation follows. The known controls that have the bit; 0x01 is reserved.
CONTROL_OVERRIDABLE: Final = 0x02
OVERRIDABLE_CONTROLS: Final = b"\2\3"

#: A string that some classes write before their properties, as it is stored, and what they write then.
MARKER: Final = b"\x11\0\0\0ABF_SAVE_VERSION\0"
MARKED_HEADER: Final = Struct("ClassHeader", None, marker=STRING, version=I32, kind=I32, size=I32)
#: What classes write, by the end of the class's name; only if the properties start right after it.
CLASS_HEADERS: Final = {
    "Abiotic_WorldSave_C": MARKED_HEADER,
    "Abiotic_WorldMetadataSave_C": MARKED_HEADER,
    "Abiotic_CharacterSave_C": Struct("ClassHeader", None, version=I32, size=I32),
}
#: The properties are searched for up to so many bytes after the class's name.
CLASS_HEADER_SIZE: Final = 64
#: How the name of a property starts; a string in capitals, which is none; how its type ends, and how many letters show that.
NAME: Final = re.compile(rb"[\0-\3]?[\x02-\x40]\0\0\0[A-Za-z_][A-Za-z0-9_]")
MARKER_TEXT: Final = re.compile(rb"[\x02-\x40]\0\0\0[A-Z0-9_]+\0")
TYPE_END: Final = b"Property"
KNOWN_LETTERS: Final = 5
#: What the size and index of a small property are; bytes of a property at least.
ZEROS: Final = bytes(8)
LEAST_PROPERTY: Final = 31


@frozen
class CustomVersion:
    """The version of one part of the engine or the game.

    Attributes:
        key (Guid | int): which part: its GUID, or its number in saves of format 2.
        version (int): its version.
        name (str | None): the name of the part; None but in format 1.
    """

    key: Guid | int
    version: int
    name: str | None = None


@define
class GvasHeader(Header):
    """What a save game says about itself. Fields that the version does not have are None.

    Attributes:
        save_game_version (int): version of the header.
        package_version_ue4 (int): the engine's version of packages.
        package_version_ue5 (int | None): the same of Unreal Engine 5; None before that.
        engine_version (tuple[int, int, int]): major, minor, patch.
        changelist (int): number of the engine's build.
        branch (str): name of the engine's branch, which many games set to their own.
        custom_version_format (int | None): how the custom versions are stored: 1, 2 or 3; None if there are none.
        custom_versions (list[CustomVersion]): versions of parts of the engine and the game.
        save_game_class (str): the class; "" after the magic `MSGF`.
        class_header (dict[str, object] | bytes | None): what the class writes before its properties: values by name, or bytes of
            unknown layout; None if nothing.
        serialization_control (int | None): a byte before the properties; None before object version 1011 of UE5.
        wrapper (str): what is around the save game: `"raw"`, `"PlZ 0x32 (zlib, zlib)"`, ...
        size (int): bytes of the header: the properties start there.
        magic (str | None): `"MSGF"` for the settings of a server of Satisfactory, which have no class; None for `GVAS`.
        stated_size (int | None): how many bytes follow the number before the magic, as that says; None where there is no such
            number.
    """

    save_game_version: int
    package_version_ue4: int
    package_version_ue5: int | None
    engine_version: tuple[int, int, int]
    changelist: int
    branch: str
    custom_version_format: int | None
    custom_versions: list[CustomVersion]
    save_game_class: str
    class_header: dict[str, object] | bytes | None = None
    serialization_control: int | None = None
    wrapper: str = "raw"
    size: int = 0
    magic: str | None = None
    stated_size: int | None = None

    @property
    def ue5_version(self) -> int:
        """The package version of UE5, 0 before that."""
        return self.package_version_ue5 or 0

    def custom_version(self, key: bytes) -> int:
        """Return the version of a part, -1 if the save does not name it."""
        guid = Guid(key)
        return next((entry.version for entry in self.custom_versions if entry.key == guid), -1)


def read_header(cursor: Cursor, context: BuildContext) -> GvasHeader:
    """Read the header at the start of the stream.

    Raises:
        UnsupportedSave: no magic, or custom versions of unknown format.
    """
    header = read_to_class(cursor)
    has_control = header.ue5_version >= UE5_SERIALIZATION_CONTROL
    header.class_header = _class_header(cursor, context, header.save_game_class, has_control=has_control)
    if has_control:
        header.serialization_control = cursor.u8()
        # A control whose other bits are unknown may have its one byte alone: the properties are never passed over.
        if header.serialization_control & CONTROL_OVERRIDABLE and not looks_like_list(cursor):
            cursor.skip(1)
    header.size = cursor.tell()
    return header


def read_stated_size(cursor: Cursor) -> int | None:
    """Read the number before the magic, if there is one: how many bytes follow it."""
    return cursor.u32() if cursor.peek(8)[4:] == MAGIC else None


def read_to_class(cursor: Cursor) -> GvasHeader:
    """Read the header as far as every class has it: up to the name of the class.

    Raises:
        UnsupportedSave: no magic, or custom versions of unknown format.
    """
    magic = cursor.take(4)
    is_server = magic == SERVER_MAGIC
    if magic != MAGIC and not is_server:
        raise cursor.unsupported("no save game starts here", expected="GVAS", actual=magic)
    save_game_version = cursor.i32()
    package_version_ue4 = cursor.i32()
    package_version_ue5: int | None = None
    has_own_versions = is_server or save_game_version > SAVE_GAME_UE5
    if _is_ue5_next(cursor) if has_own_versions else save_game_version == SAVE_GAME_UE5:
        package_version_ue5 = cursor.i32()
    engine_version = (cursor.u16(), cursor.u16(), cursor.u16())
    changelist = cursor.u32()
    branch = cursor.string()
    custom_version_format: int | None = None
    custom_versions: list[CustomVersion] = []
    if save_game_version >= SAVE_GAME_CUSTOM_VERSIONS:
        custom_version_format = cursor.i32()
        custom_versions = _custom_versions(cursor, custom_version_format)
    return GvasHeader(
        save_game_version=save_game_version,
        package_version_ue4=package_version_ue4,
        package_version_ue5=package_version_ue5,
        engine_version=engine_version,
        changelist=changelist,
        branch=branch,
        custom_version_format=custom_version_format,
        custom_versions=custom_versions,
        save_game_class="" if is_server else cursor.string(),
        magic=magic.decode("ascii") if is_server else None,
    )


def _is_ue5_next(cursor: Cursor) -> bool:
    """Return whether a package version of UE5 is next, not the number of an engine: 4 or 5, and its minor version."""
    value = int.from_bytes(cursor.peek(4), "little")
    return value == 0 or UE5_LEAST <= value <= UE5_MOST


def _custom_versions(cursor: Cursor, kind: int) -> list[CustomVersion]:
    if kind not in LEAST_CUSTOM_VERSION:
        raise cursor.unsupported("format of custom versions", expected="1, 2 or 3", actual=kind)
    count = cursor.count(LEAST_CUSTOM_VERSION[kind])
    if count > cursor.limits.table_entries:
        raise cursor.exceeded("table_entries", count)
    entries = []
    for _ in range(count):
        key = cursor.u32() if kind == FORMAT_ENUMS else Guid(cursor.take(16))
        version = cursor.i32()
        entries.append(CustomVersion(key, version, cursor.string() if kind == FORMAT_GUIDS else None))
    return entries


def _class_header(
    cursor: Cursor, context: BuildContext, class_name: str, *, has_control: bool
) -> dict[str, object] | bytes | None:
    """Read what the class writes before its properties: what is there shows it, as not every save of a class has it.

    If it is no known layout, search for the first property.
    """
    start = cursor.tell()
    if cursor.peek(len(MARKER)) == MARKER:
        values = MARKED_HEADER.decode(cursor, context)
        return values if isinstance(values, dict) else None
    least = int(has_control)
    for size in range(least, CLASS_HEADER_SIZE + least + 1):
        cursor.seek(start)
        # If no properties come before the end, the save was cut: there is at least the name that ends them.
        cursor.need(size)
        cursor.skip(size)
        if looks_like_list(cursor):
            cursor.seek(start)
            data = cursor.take(size)
            cursor.seek(start)
            header_size = size - _control_size(data) if has_control else size
            values = _known_header(cursor, context, class_name, start + header_size) if header_size else None
            if values is not None or header_size == 0 or _may_be_property(data):
                return values
            return cursor.take(header_size)
    cursor.seek(start)
    return None


def _known_header(cursor: Cursor, context: BuildContext, class_name: str, end: int) -> dict[str, object] | None:
    """Return what a class writes up to `end` by its layout; None, without moving, if there is none that ends there."""
    known = CLASS_HEADERS.get(class_name.rpartition(".")[2])
    start = cursor.tell()
    if known is not None and start + known.least <= end:
        try:
            values = known.decode(cursor, context)
        except DamagedSave:
            values = None
        if isinstance(values, dict) and cursor.tell() == end:
            return values
        cursor.seek(start)
    return None


def _may_be_property(data: bytes) -> bool:
    """Return whether bytes before what looks like a property may be one themselves, damaged: then they are no class header.

    A property starts with a name and a type, which ends in a word that can be recognised if few of its letters are wrong. Where
    both were overwritten, its size and index are left, which are mostly zero.
    """
    if NAME.match(data) and not MARKER_TEXT.match(data):
        return True  # perhaps after the control of the serialization
    if len(data) >= LEAST_PROPERTY and ZEROS in data:
        return True
    size = len(TYPE_END)
    return any(sum(map(operator.eq, data[at : at + size], TYPE_END)) >= KNOWN_LETTERS for at in range(len(data) - size + 1))


def _control_size(data: bytes) -> int:
    """Return how many bytes at the end of `data`, up to the first property, are the control of the serialization: 1 or 2.

    A class header may end in a byte that looks like the control of an overridable class. Then the byte after it is no control
    of its own, unless it is 0, that of all other classes.
    """
    is_overridable = len(data) > 1 and data[-2] in OVERRIDABLE_CONTROLS
    return 2 if is_overridable and (len(data) == 2 or data[-1] != 0) else 1

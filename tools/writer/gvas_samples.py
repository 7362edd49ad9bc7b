"""Tiny save games: every kind of property in each era of the engine, each wrapper, and ones with one thing wrong.

The module is long because it is a list of samples.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Sequence
from typing import Any

from attrs import evolve

from writer import palworld_worlds
from writer.gvas import (
    ARCHIVE_V2,
    CORE_OBJECT,
    EDITOR_OBJECT,
    FORMAT_ENUMS,
    FORMAT_GUIDS,
    FORTNITE_MAIN,
    SERVER_MAGIC,
    UE4_CONTAINER_TYPES,
    UE4_SOFT_PATH,
    UE5_ASSET_PATHS,
    UE5_RELEASE,
    GameDialect,
    KeyProfile,
    SaveGame,
    archive,
    archives,
    cnk,
    gswu,
    key_profiles,
    plz,
    zlib_block,
)
from writer.oodle import OODLE_DEADLY
from writer.primitives import bool32, counted, f32, fstring, gzipped, i32, i64, sized, u8, u32
from writer.structs import COLOR, DATE_TIME, GUID, INT_POINT, LINEAR_COLOR, VECTOR, lwc
from writer.tags import (
    BOOL,
    BYTE,
    CORE,
    DOUBLE,
    FLOAT,
    INT,
    INT8,
    INT16,
    INT64,
    NAME,
    STR,
    TEXT,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    Array,
    Delta,
    Encoded,
    Enum,
    Fields,
    Map,
    Native,
    Prop,
    PropType,
    Set,
    byte_enum,
    property_list,
)
from writer.text import BaseText, PlainText, TableText

AnyProp = Prop[Any]

PATHS = ("ObjectProperty", "ClassProperty", "InterfaceProperty", "WeakObjectProperty", "AssetObjectProperty")
ITEM = Fields("Item", "/Script/Game")
KEY_HANDLE_MAP: Native[None] = Native("KeyHandleMap", CORE, encode=lambda _value, _dialect: b"")
GAMEPLAY_TAGS: Native[Sequence[str]] = Native(
    "GameplayTagContainer", CORE, encode=lambda names, _dialect: counted(names, fstring)
)
KEY_GUID = bytes(range(0x81, 0x91))


def delegate(function: str) -> bytes:
    """Object, function."""
    return fstring("/Game/Map.Map:Level.Actor") + fstring(function)


def raw(name: str) -> PropType[bytes]:
    """A type whose values are encoded already."""
    return Encoded(name, bytes)


def item(count: int) -> list[AnyProp]:
    """A struct as a property list."""
    return [Prop("Name", NAME, f"Item_{count}"), Prop("Count", INT, count)]


def soft_path(game: SaveGame, sub_path: str = "") -> bytes:
    """A soft object path, as the versions have it."""
    if game.dialect.ue5 >= UE5_ASSET_PATHS:
        return fstring("/Game/Things") + fstring("Thing") + fstring(sub_path)
    if game.ue4 >= UE4_SOFT_PATH:
        return fstring("/Game/Things.Thing") + fstring(sub_path)
    return fstring("/Game/Things.Thing")


def scalars() -> list[AnyProp]:
    """One property of each type without elements."""
    numbers: list[tuple[PropType[Any], Any]] = [
        (INT8, -8), (INT16, -16), (INT, -32), (INT64, -64), (UINT8, 8), (UINT16, 16), (UINT32, 1 << 31), (UINT64, 1 << 63),
        (FLOAT, 0.5), (DOUBLE, 0.25), (BOOL, True), (BYTE, 7), (STR, "Größe"), (NAME, "Name_3"),
    ]  # fmt: skip
    props: list[AnyProp] = [Prop(kind.name.removesuffix("Property"), kind, value) for kind, value in numbers]
    props += [Prop("False", BOOL, False), Prop("Empty", STR, ""), Prop("Static", INT, 1), Prop("Static", INT, 2, index=1)]
    props += [Prop("NaN", DOUBLE, float("nan")), Prop("Infinity", FLOAT, float("inf"))]
    props += [Prop(name, Encoded(name, fstring), f"/Game/{name}") for name in PATHS]
    props += [
        Prop("Enum", Enum("EKind", "/Script/Game"), "EKind::B"),
        Prop("ByteEnum", byte_enum("EKind", "/Script/Game"), "EKind::A"),
        Prop("Lazy", raw("LazyObjectProperty"), KEY_GUID),
        Prop("Delegate", raw("DelegateProperty"), delegate("Called")),
        Prop("Multicast", raw("MulticastInlineDelegateProperty"), i32(2) + delegate("One") + delegate("Two")),
        Prop("Sparse", raw("MulticastSparseDelegateProperty"), i32(0)),
        Prop("Utf8", raw("Utf8StrProperty"), sized("käse".encode())),
        Prop("Verse", raw("VerseStringProperty"), sized(b"verse")),
        Prop("Unknown", raw("QuantumProperty"), b"\x01\x02\x03"),
        Prop("Text", TEXT, BaseText("ns", "key", "source")),
        Prop("Table", TEXT, TableText("table", "key")),
        Prop("Optional", raw("OptionalProperty"), b""),
    ]
    return props[:-1]


def binary_structs(dialect: GameDialect) -> list[AnyProp]:
    """One property of each binary struct."""

    def core(name: str, data: bytes) -> AnyProp:
        return Prop(name, Native(name, CORE, encode=lambda value, _: bytes(value)), data)

    reals = {"Vector2D": 2, "Vector4": 4, "Plane": 4, "Quat": 4, "Rotator": 3, "Matrix": 16, "TwoVectors": 6}
    props = [core(name, lwc([at + 0.5 for at in range(count)], dialect)) for name, count in reals.items()]
    return [
        *props,
        Prop("Vector", VECTOR, (1.0, 2.0, 3.0)),
        Prop("Guid", GUID, KEY_GUID),
        Prop("DateTime", DATE_TIME, 638_000_000_000_000_000),
        Prop("Color", COLOR, b"\x01\x02\x03\x04"),
        Prop("LinearColor", LINEAR_COLOR, (0.0, 0.5, 1.0, 1.0)),
        Prop("IntPoint", INT_POINT, (3, 4)),
        core("Timespan", i64(36_000_000_000)),
        core("Box", lwc([0.0] * 6, dialect) + u8(1)),
        core("Box2D", lwc([0.0] * 4, dialect) + u8(1)),
        core("Vector3f", struct.pack("<3f", 1, 2, 3)),
        core("Vector3d", struct.pack("<3d", 1, 2, 3)),
        core("FrameNumber", i32(24)),
        core("RichCurveKey", bytes(3) + struct.pack("<6f", *range(6))),
        core("GameplayTagContainer", counted(["Tag.A", "Tag.B"], fstring)),
        core("TopLevelAssetPath", fstring("/Game/A") + fstring("B")),
        core("PerPlatformFloat", bool32(True) + f32(0.5)),
        core("UniqueNetIdRepl", i32(0)),
        core("InstancedStruct", fstring("/Script/Game.Item") + sized(fstring("None"))),
        core("MysteryStruct", b"\xff\xfe\xfd\xfc\xfb"),
    ]


def containers() -> list[AnyProp]:
    """Arrays, sets and maps; those of structs give no type before the new tags."""
    return [
        Prop("Ints", Array(INT), [1, 2, 3]),
        Prop("Bytes", Array(BYTE), b"bytes"),
        Prop("Bools", Array(BOOL), [True, False]),
        Prop("Names", Array(NAME), ["a", "b"]),
        Prop("Texts", Array(TEXT), [BaseText("", "k", "s")]),
        Prop("Items", Array(ITEM), [item(1), item(2)]),
        Prop("NoItems", Array(ITEM), []),
        Prop("Vectors", Array(VECTOR), [(1.0, 2.0, 3.0)]),
        Prop("NameSet", Set(NAME), ["a", "b"]),
        Prop("GuidSet", Set(GUID), [KEY_GUID, bytes(16)]),
        Prop("ItemSet", Set(ITEM), [item(3)]),
        Prop("Scores", Map(NAME, INT), {"a": 1, "b": 2}),
        Prop("ByGuid", Map(GUID, ITEM), [(KEY_GUID, item(4)), (bytes(16), item(5))]),
        Prop("ByItem", Map(ITEM, GUID), [(item(6), KEY_GUID)]),
        Prop("GuidByName", Map(NAME, GUID), [("a", KEY_GUID), ("b", KEY_GUID)]),
        Prop("NoGuids", Map(GUID, GUID), []),
        Prop("ByVector", Map(INT, VECTOR), [(1, (1.0, 2.0, 3.0))]),
    ]


def deltas() -> list[AnyProp]:
    """Sets and maps that remove something: leaves, and ones with much inside."""
    return [
        Prop("Numbers", Set(INT), Delta([4, 5], [6])),
        Prop("Scores", Map(NAME, INT), Delta(["old"], [("new", 5)])),
        Prop("GuidSet", Set(GUID), Delta([KEY_GUID], [bytes(16)])),
        Prop("OnlyRemoved", Set(ITEM), Delta([item(1)], [])),
        Prop("ItemSet", Set(ITEM), Delta([item(1), item(2)], [item(3)])),
        Prop("ByName", Map(NAME, ITEM), Delta(["old"], [("new", item(4))])),
        Prop("ByGuid", Map(GUID, ITEM), Delta([KEY_GUID, bytes(16)], [(bytes(16), item(5))])),
        Prop("ByItem", Map(ITEM, INT), Delta([item(6)], [(item(7), 8), (item(9), 10)])),
        Prop("Behind", INT, 1),
    ]


def game(empty: SaveGame) -> SaveGame:
    """The save game, with one property of everything."""
    props = scalars() + binary_structs(empty.dialect)
    if empty.ue4 >= UE4_CONTAINER_TYPES:
        props += containers()
    else:
        props += [prop for prop in containers() if prop.type.name == "ArrayProperty"]
    soft = soft_path(empty, "Inner")
    props += [
        Prop("Soft", raw("SoftObjectProperty"), soft),
        Prop("SoftPath", Native("SoftObjectPath", CORE, encode=lambda value, _: bytes(value)), soft),
        Prop("FieldPath", raw("FieldPathProperty"), counted(["Count"], fstring) + fstring("/Script/Game.Item")),
        Prop("Nested", ITEM, [Prop("Inner", ITEM, item(7))]),
        Prop("Plain", TEXT, PlainText("invariant")),
    ]
    return evolve(empty, props=props)


OLD_VERSIONS = ((EDITOR_OBJECT, 40), (CORE_OBJECT, 4))

#: One for each era of tags and headers.
ERAS: dict[str, Callable[[], SaveGame]] = {
    "ue4-440-version-1": lambda: evolve(
        game(SaveGame(save_game_version=1, ue4=440, engine=(4, 5, 0), branch="++UE4")),
        # Without custom versions texts are the oldest, and no field has an owner.
        props=[prop for prop in game(SaveGame(save_game_version=1, ue4=440)).props if prop.name not in {"Plain", "FieldPath"}],
    ),
    "ue4-502": lambda: game(
        SaveGame(save_game_version=2, ue4=502, engine=(4, 11, 0), custom_format=FORMAT_GUIDS, custom_versions=OLD_VERSIONS)
    ),
    "ue4-508": lambda: game(SaveGame(save_game_version=2, ue4=508, engine=(4, 14, 0), custom_versions=OLD_VERSIONS)),
    "ue4-513": lambda: game(SaveGame(save_game_version=2, ue4=513, engine=(4, 17, 0), custom_versions=OLD_VERSIONS)),
    "ue4-522": lambda: game(SaveGame(save_game_version=2, ue4=522, engine=(4, 27, 2), custom_versions=OLD_VERSIONS)),
    "ue4-522-version-34": lambda: game(
        SaveGame(save_game_version=34, has_ue5=False, engine=(4, 27, 2), custom_versions=OLD_VERSIONS)
    ),
    "ue5-1004": lambda: game(SaveGame(ue5=1004, engine=(5, 0, 3))),
    "ue5-1008": lambda: game(SaveGame(ue5=1008)),
    "ue5-1011": lambda: game(SaveGame(ue5=1011, engine=(5, 4, 0))),
    "ue5-1012": lambda: game(SaveGame(ue5=1012, engine=(5, 4, 4), object_guid=KEY_GUID)),
    "ue5-1018": lambda: game(SaveGame(ue5=1018, engine=(5, 7, 0))),
}


def plain() -> SaveGame:
    """A small one, for wrappers and faults."""
    return SaveGame(item(1))


def abiotic(*, new: bool) -> SaveGame:
    """A class with a header of its own: known by name, or found by looking."""
    bare = SaveGame(item(1), ue5=1012, engine=(5, 4, 4))
    rest = len(bare.encode()) - len(bare.header()) + 1
    if new:
        return evolve(bare, class_name="/Game/New.New_C", class_header=u32(1) + b"\x07" * 9)
    header = fstring("ABF_SAVE_VERSION") + i32(3) + i32(1) + i32(rest)
    return evolve(bare, class_name="/Game/Saves/Abiotic_WorldSave.Abiotic_WorldSave_C", class_header=header)


def server_settings() -> SaveGame:
    """The settings of a server of Satisfactory: no class, and four bytes of zeros at the end."""
    return SaveGame(
        item(1),
        save_game_version=2,
        ue5=1009,
        engine=(5, 3, 2),
        branch="++FactoryGame+rel-main-1.0.0",
        magic=SERVER_MAGIC,
        tail=bytes(4),
    )


def key_settings(ue5: int) -> SaveGame:
    """The settings of a player's keys, with two objects after the properties."""
    bare = SaveGame(item(1), ue5=ue5, class_name="/Script/EnhancedInput.EnhancedInputUserSettings")
    profiles = [
        KeyProfile("InputUserSettings.Profiles.Default", "Profile_0", [*item(2), Prop("Nested", ITEM, item(3))]),
        KeyProfile("InputUserSettings.Profiles.Other", "Profile_1", object_guid=KEY_GUID),
    ]
    return evolve(bare, tail=key_profiles(profiles, bare.dialect))


def object_bytes(bare: SaveGame) -> SaveGame:
    """Arrays of bytes that are an object each: of an actor, of two components; and plain bytes of the same name."""
    control = b"\0" if bare.dialect.serialization_control else b""
    nested = [*item(2), Prop("Nested", ITEM, item(3)), Prop("Items", Array(ITEM), [item(4), item(5)])]
    one, other = (control + property_list(props, bare.dialect) for props in (nested, item(6)))
    references = counted(
        [("/Script/Game.Part", "Port"), ("/Script/Game.Part", "Radius")],
        lambda each: fstring(each[0]) + fstring(each[1]) + bytes(16),
    )
    blobs = [one + bool32(False), other + bool32(True) + KEY_GUID + i32(0), other + bool32(False) + references, b"plain", b""]
    return evolve(
        bare,
        props=[
            *item(1),
            Prop(
                "Actors",
                Array(Fields("Actor", "/Script/Game")),
                [[*item(9), Prop("ByteData", Array(BYTE), blob)] for blob in blobs],
            ),
        ],
    )


def valid() -> dict[str, bytes]:
    """All sample files by name."""
    data = plain().encode()
    files = {name: make().encode() for name, make in ERAS.items()}
    files |= {
        "custom-enums": evolve(plain(), custom_format=FORMAT_ENUMS).encode(),
        "empty": SaveGame().encode(),
        "deltas": SaveGame(deltas()).encode(),
        "deltas-new-tags": SaveGame(deltas(), ue5=1012, engine=(5, 4, 4)).encode(),
        "class-header-abiotic": abiotic(new=False).encode(),
        "class-header-unknown": abiotic(new=True).encode(),
        "wrapper-plz-30": plz(data, 0x30),
        "wrapper-plz-31": plz(data, 0x31),
        "wrapper-plz-32": plz(data, 0x32),
        "wrapper-cnk": cnk(data),
        "wrapper-gswu": gswu(data),
        "wrapper-zlib": zlib.compress(data, 9),
        "wrapper-gzip": gzipped(data),
        "wrapper-archive": archive(data, block_size=64),
        "wrapper-archive-size": archives(evolve(plain(), ue5=1017, engine=(5, 6, 1)).encode(), block_size=64),
        "server-settings": server_settings().encode(),
        "key-profiles": key_settings(1009).encode(),
        "key-profiles-new-tags": key_settings(1012).encode(),
        "object-bytes": object_bytes(SaveGame(save_game_version=2, ue4=522, engine=(4, 27, 2))).encode(),
        "object-bytes-new-tags": object_bytes(SaveGame(ue5=1017, engine=(5, 6, 1))).encode(),
        "wrapper-archive-2": archive(data, block_size=64, version=ARCHIVE_V2) + archive(b"behind"),
        "utf8-sub-path": evolve(
            plain(),
            ue5=1017,
            custom_versions=((EDITOR_OBJECT, 40), (UE5_RELEASE, 51), (FORTNITE_MAIN, 193), (CORE_OBJECT, 4)),
            props=[Prop("Soft", raw("SoftObjectProperty"), fstring("/Game/P") + fstring("A") + sized("Ä".encode()))],
        ).encode(),
    }
    return files | palworld_worlds.valid()


def damaged_item(block: bytes) -> bytes:
    """A block of an archive whose checksum is wrong, if it has a certain item in it."""
    packed = zlib_block(block)
    return packed[:-1] + bytes((packed[-1] ^ 1,)) if b"Item_2" in block else packed


def one_property(kind: PropType[Any], value: object) -> bytes:
    """A save game with one property, in tags that name the struct."""
    return SaveGame([Prop("Of", kind, value)], ue5=1012, engine=(5, 4, 4)).encode()


def invalid() -> dict[str, bytes]:
    """Save games with one thing wrong each."""
    data = plain().encode()
    header = len(plain().header())
    wrapped = plz(data, 0x31)
    bad_sizes = struct.pack("<II", len(data) + 1, len(wrapped) - 12)
    tag_size = data.index(i32(4), header)
    bare = one_property(Array(KEY_HANDLE_MAP), [None] * 7)
    count_at = bare.rindex(i32(7))
    keys = one_property(Map(INT, GUID), Delta([1, 2], []))
    keys_at = keys.rindex(i32(2) + i32(1))
    cut_keys = keys[: keys_at - 5] + i32(1 << 30) + keys[keys_at - 1 : keys_at] + i32(1 << 26) + keys[keys_at + 4 : keys_at + 8]
    return {
        "no-properties": data[:header],
        "cut-in-value": data[: tag_size + 6],
        "cut-in-guid": data[:-1],
        "size-negative": data[:tag_size] + i32(-1) + data[tag_size + 4 :],
        "size-too-large": data[:tag_size] + i32(1 << 30) + data[tag_size + 4 :],
        "custom-format": evolve(plain(), custom_format=7).encode(),
        "custom-count": plain().header()[:55] + b"\xff\xff\xff\x7f",
        "plz-kind": wrapped[:11] + b"\x39" + wrapped[12:],
        "plz-size": bad_sizes + wrapped[8:],
        "plz-junk": wrapped + b"junk",
        "plz-cut": wrapped[:-9],
        "plz-adler": wrapped[:-1] + bytes((wrapped[-1] ^ 1,)),
        "plz-stored-less": u32(len(data) + 9) + plz(data, 0x30)[4:],
        "plz-stored-more": u32(len(data) - 9) + plz(data, 0x30)[4:],
        "plz-inner-junk": plz(data, 0x32) + b"junk",
        "first-property-damaged": data[: header + 4] + b"\0" + data[header + 5 :],
        "plz-bomb": plz(b"GVAS" + bytes(1 << 18), 0x32),
        "plm-junk": u32(len(data)) + u32(8) + b"PlM1" + b"\x8c\x0a" + bytes(6),
        "plm-deadly": u32(len(data)) + u32(260) + b"PlM1" + OODLE_DEADLY,
        "removed-keys-past-end": cut_keys,
        "structs-of-no-bytes-most": bare[:count_at] + i32((1 << 31) - 1) + bare[count_at + 4 :],
        "removed-keys-of-no-bytes": one_property(Map(KEY_HANDLE_MAP, INT), Delta([None] * (1 << 19), [])),
        "archive-sums": archive(data)[:16] + u32(1) + archive(data)[20:],
        "archive-cut": archive(data)[:60],
        "archive-adler": archive(SaveGame(containers()).encode(), block_size=128, pack=damaged_item),
    }

"""The dialect of a save game: how values and binary structs are stored in its versions."""

from __future__ import annotations

from typing import Final

from streamsave.decode.codecs import (
    BOOL32,
    F16,
    F32,
    F64,
    I32,
    I64,
    NAME,
    STRING,
    U8,
    UTF8_STRING,
    Array,
    BuildContext,
    Codec,
    Map,
    Optional,
    Struct,
    list_of,
)
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder
from streamsave.errors import EditError
from streamsave.formats.gvas.header import GvasHeader
from streamsave.formats.gvas.versions import (
    CORE_FIELD_OWNER,
    CORE_OBJECT,
    EDITOR_ALWAYS_SIGN,
    EDITOR_CULTURE_INVARIANT,
    EDITOR_OBJECT,
    FORTNITE_MAIN,
    FORTNITE_UTF8_SUB_PATH,
    UE4_CONTAINER_TYPES,
    UE4_CURRENCY_CODE,
    UE4_INNER_ARRAY_TAG,
    UE4_NET_ID_TYPE,
    UE4_PROPERTY_GUID,
    UE4_SOFT_PATH,
    UE4_STRUCT_GUID,
    UE4_TEXT_HISTORY,
    UE4_TIME_ZONE,
    UE5_ASSET_PATHS,
    UE5_LARGE_WORLD,
    UE5_RELEASE,
    UE5_RELEASE_WIDE_ARGUMENTS,
)
from streamsave.formats.palworld.game import WORLD
from streamsave.formats.unreal.codecs import ABSENT, GUID, SIZED_PROPERTIES, PropertyList, soft_object
from streamsave.formats.unreal.dialect import BlobLayouts, Dialect, engine_structs
from streamsave.formats.unreal.tags import UE5_SERIALIZATION_CONTROL, UE5_TYPE_TREES
from streamsave.formats.unreal.text import text_codec
from streamsave.values import Box, Delegate, FieldPath, Quat, Rotator, Timespan, Vector, Vector2D, Vector4

__all__ = ["make_dialect", "struct_table"]

#: Types of values that are the text of a path.
PATH_TYPES: Final = (
    "ObjectProperty",
    "ClassProperty",
    "InterfaceProperty",
    "WeakObjectProperty",
    "AssetObjectProperty",
    "AssetClassProperty",
)
SOFT_TYPES: Final = ("SoftObjectProperty", "SoftClassProperty")
MULTICAST_TYPES: Final = ("MulticastDelegateProperty", "MulticastInlineDelegateProperty", "MulticastSparseDelegateProperty")
UTF8_TYPES: Final = ("Utf8StrProperty", "VerseStringProperty", "AnsiStrProperty")


class PerPlatform(Codec):
    """A value for each platform, or only for one: `bool32 cooked; value`, or, uncooked, `i32 n; n (str platform; value)`."""

    def __init__(self, name: str, element: Codec) -> None:
        super().__init__(name, -1, 4 + element.least)
        self._element = element
        self._platforms = Map(STRING, element)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        cooked = cursor.bool32()
        default = self._element.decode(cursor, context)
        if cooked:
            return {"default": default, "platforms": []}
        return {"default": default, "platforms": self._platforms.decode(cursor, context)}

    def encode(self, value: object, encoder: Encoder) -> None:
        if not isinstance(value, dict) or value.keys() != {"default", "platforms"}:
            raise EditError(f"not a {self.name}", value, "a dict of default, platforms")
        platforms = list_of(value["platforms"])
        BOOL32.encode(not platforms, encoder)
        self._element.encode(value["default"], encoder)
        if platforms:
            self._platforms.encode(platforms, encoder)


class NetId(Codec):
    """A player's id at an online service: `i32 size`; if it is not 0, `[str type]; str contents`."""

    def __init__(self, *, has_type: bool) -> None:
        super().__init__("UniqueNetIdRepl", -1, 4)
        self._has_type = has_type

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        if cursor.i32() <= 0:
            return None
        values: dict[str, object] = {}
        if self._has_type:
            values["type"] = cursor.name()
        values["contents"] = cursor.string()
        return values

    def encode(self, value: object, encoder: Encoder) -> None:
        names = {"type", "contents"} if self._has_type else {"contents"}
        if value is None:
            I32.encode(0, encoder)
            return
        if not isinstance(value, dict) or value.keys() != names:
            raise EditError(f"not a {self.name}", value, f"None, or a dict of {', '.join(sorted(names))}")
        inner = Encoder()
        inner.string(value["contents"])
        encoder.count(len(inner.data))
        if self._has_type:
            encoder.name(value["type"])
        encoder.put(bytes(inner.data))


DELEGATE: Final[Codec] = Struct("Delegate", Delegate, object=STRING, function=STRING)
SKELETAL_LOD: Final[Codec] = Struct(
    "SkeletalMeshSamplingLODBuiltData", None, weights=Array(F32), aliases=Array(I32), total_weight=F32
)
#: What the construction script of a component has set.
MODIFIED: Final[Codec] = Array(Struct("MemberReference", None, parent=STRING, name=NAME, guid=GUID))
#: Of one game, Voyage: three halves, as a vector and as a rotator.
VOYAGE_VECTOR: Final[Codec] = Struct("VoyageFloat3Packed16", Vector, x=F16, y=F16, z=F16)
VOYAGE_ROTATOR: Final[Codec] = Struct("Rotator", Rotator, pitch=F16, yaw=F16, roll=F16)


def struct_table(real: Codec, soft: Codec, net_id: Codec) -> dict[str, Codec]:
    """Make the table of binary structs."""
    table = engine_structs(real)
    vector = table["Vector"]
    vector2 = table["Vector2D"]
    vector4 = table["Vector4"]
    rows: list[Codec] = [
        Struct("Timespan", Timespan, ticks=I64),
        Struct("Vector2f", Vector2D, x=F32, y=F32),
        Struct("Vector4f", Vector4, x=F32, y=F32, z=F32, w=F32),
        Struct("Quat4f", Quat, x=F32, y=F32, z=F32, w=F32),
        Struct("Vector2d", Vector2D, x=F64, y=F64),
        Struct("Vector3d", Vector, x=F64, y=F64, z=F64),
        Struct("Vector4d", Vector4, x=F64, y=F64, z=F64, w=F64),
        Struct("Quat4d", Quat, x=F64, y=F64, z=F64, w=F64),
        Struct("Box2D", Box, min=vector2, max=vector2, is_valid=U8),
        Struct("Matrix", None, x=vector4, y=vector4, z=vector4, w=vector4),
        Struct("TwoVectors", None, first=vector, second=vector),
        Struct("FrameNumber", None, value=I32),
        Struct(
            "RichCurveKey",
            None,
            interpolation_mode=U8,
            tangent_mode=U8,
            tangent_weight_mode=U8,
            time=F32,
            value=F32,
            arrive_tangent=F32,
            arrive_tangent_weight=F32,
            leave_tangent=F32,
            leave_tangent_weight=F32,
        ),
        Struct("KeyHandleMap", None),
        Struct("TopLevelAssetPath", None, package_name=NAME, asset_name=NAME),
        PerPlatform("PerPlatformFloat", F32),
        PerPlatform("PerPlatformInt", I32),
        PerPlatform("PerPlatformBool", BOOL32),
        Struct("InstancedStruct", None, script_struct=STRING, value=SIZED_PROPERTIES),
        SKELETAL_LOD,
        VOYAGE_VECTOR,
        Struct("VoyageFloat16", None, value=F16),
        Struct("VoyagePackedTransform", None, translation=vector, rotation=VOYAGE_ROTATOR, scale=VOYAGE_VECTOR),
        Struct("VoyagePackedLocalTransform", None, translation=table["Vector3f"], rotation=VOYAGE_ROTATOR, scale=VOYAGE_VECTOR),
        net_id,
    ]
    table |= {row.name: row for row in rows}
    table["Plane"] = vector4
    table["SoftObjectPath"] = soft
    table["SoftClassPath"] = soft
    table["StringAssetReference"] = soft
    table["StringClassReference"] = soft
    table["GameplayTagContainer"] = Array(NAME)
    return table


def soft_object_path(header: GvasHeader) -> Codec:
    """Return the codec of soft object paths."""
    if header.ue5_version >= UE5_ASSET_PATHS:
        if header.custom_version(FORTNITE_MAIN) >= FORTNITE_UTF8_SUB_PATH:
            return soft_object(3, UTF8_STRING)
        return soft_object(3)
    return soft_object(2 if header.package_version_ue4 >= UE4_SOFT_PATH else 1)


class ObjectBlobs(BlobLayouts):
    """Arrays of bytes that are an object each, as many games store their actors and components.

    | field | type | |
    |---|---|---|
    | serialization_control | u8 | object version 1011 of UE5 |
    | properties | property list | |
    | object_guid | bool32, then 16 bytes if set | |
    | ucs_modified_properties | i32 n, n times: str class, name, 16 bytes GUID | of components: set by a script |

    Each value has to be as its type says: a game may write such arrays in a way of its own, such as objects as numbers.
    """

    def __init__(self, *, has_control: bool) -> None:
        super().__init__("ByteData", "", frozenset(), is_certain=False)
        control: dict[str, Codec] = {"serialization_control": U8} if has_control else {}
        rows = {**control, "properties": PropertyList(nested=True, is_strict=True), "object_guid": Optional(GUID)}
        self._layouts = [
            Struct("SavedObject", None, **rows),
            Struct("SavedComponent", None, **rows, ucs_modified_properties=MODIFIED),
        ]

    def layouts(self, names: list[str], noted: str, versions: bytes | None) -> list[Struct]:
        return self._layouts


def make_dialect(header: GvasHeader) -> Dialect:
    """Make the dialect of one save game."""
    ue4 = header.package_version_ue4
    ue5 = header.ue5_version
    dialect = Dialect()
    dialect.new_tags = ue5 >= UE5_TYPE_TREES
    dialect.extensions = UE5_SERIALIZATION_CONTROL <= ue5 < UE5_TYPE_TREES
    dialect.struct_guids = ue4 >= UE4_STRUCT_GUID
    dialect.inner_tags = ue4 >= UE4_INNER_ARRAY_TAG
    dialect.property_guids = ue4 >= UE4_PROPERTY_GUID
    dialect.container_types = ue4 >= UE4_CONTAINER_TYPES
    editor = header.custom_version(EDITOR_OBJECT)
    text = text_codec(
        invariant_flag=editor >= EDITOR_CULTURE_INVARIANT,
        always_sign=editor >= EDITOR_ALWAYS_SIGN,
        wide_integers=header.custom_version(UE5_RELEASE) >= UE5_RELEASE_WIDE_ARGUMENTS,
        currency_code=ue4 >= UE4_CURRENCY_CODE,
        time_zone=ue4 >= UE4_TIME_ZONE,
        has_history=ue4 >= UE4_TEXT_HISTORY,
    )
    soft = soft_object_path(header)
    dialect.types = {"TextProperty": text, "DelegateProperty": DELEGATE}
    dialect.types |= dict.fromkeys(PATH_TYPES, STRING)
    dialect.types |= dict.fromkeys(SOFT_TYPES, soft)
    dialect.types |= dict.fromkeys(MULTICAST_TYPES, Array(DELEGATE))
    dialect.types |= dict.fromkeys(UTF8_TYPES, UTF8_STRING)
    owner = NAME if header.custom_version(CORE_OBJECT) >= CORE_FIELD_OWNER else ABSENT
    dialect.types["FieldPathProperty"] = Struct("FieldPath", FieldPath, names=Array(NAME), owner=owner)
    net_id = NetId(has_type=ue4 >= UE4_NET_ID_TYPE)
    wide = ue5 >= UE5_LARGE_WORLD
    dialect.structs = struct_table(F64 if wide else F32, soft, net_id)
    dialect.other_structs = struct_table(F32 if wide else F64, soft, net_id)
    if header.save_game_class == WORLD:
        from streamsave.formats.palworld.blobs import PalworldBlobs  # noqa: PLC0415 - many tables, for the worlds of one game

        dialect.blobs = PalworldBlobs()
    else:
        dialect.blobs = ObjectBlobs(has_control=ue5 >= UE5_SERIALIZATION_CONTROL)
    return dialect

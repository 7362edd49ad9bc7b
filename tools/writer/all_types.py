"""A property of every type, and every struct with a binary layout: one actor holds them all."""

from __future__ import annotations

from writer import structs
from writer.dialect import SAVE_VERSION_ITEM_STATE_STRUCTS
from writer.primitives import EMPTY_WITH_NUL, NO_REF, Ref
from writer.satisfactory import Object
from writer.tags import (
    BOOL,
    BYTE,
    DOUBLE,
    FLOAT,
    INT,
    INT8,
    INT16,
    INT64,
    INTERFACE,
    NAME,
    OBJECT,
    SOFT_OBJECT,
    STR,
    TEXT,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    Array,
    Enum,
    Fields,
    Map,
    Prop,
    Props,
    Set,
    SoftPath,
    byte_enum,
)
from writer.text import Argument, BaseText, FormatText, PlainText, TableText, TransformText
from writer.vocabulary import BUILT, COPPER, FOUNDATION, IRON, STACK, AnyProp, actor

GUID_A = bytes(range(16))
GUID_B = bytes(range(16, 32))
BLUEPRINT_STRUCT = bytes.fromhex("aa3c5b1f2e4d4c6b8a9d0e1f20314253")


def scalars() -> list[AnyProp]:
    """A property of every scalar type."""
    return [
        Prop("mInt8", INT8, -8),
        Prop("mInt16", INT16, -1600),
        Prop("mInt", INT, -123456),
        Prop("mInt64", INT64, -(1 << 62)),
        Prop("mUInt8", UINT8, 200),
        Prop("mUInt16", UINT16, 65000),
        Prop("mUInt32", UINT32, 4_000_000_000),
        Prop("mUInt64", UINT64, (1 << 64) - 1),
        Prop("mFloat", FLOAT, 0.5),
        Prop("mDouble", DOUBLE, 1e300),
        Prop("mYes", BOOL, True),
        Prop("mNo", BOOL, False),
        Prop("mByte", BYTE, 255),
        Prop("mPurity", byte_enum("EResourcePurity"), "RP_Pure"),
        Prop("mSetting", Enum("ENodePuritySettings"), "ENodePuritySettings::NPS_Default"),
        Prop("mStr", STR, "plain"),
        Prop("mEmptyStr", STR, ""),
        Prop("mNulStr", STR, EMPTY_WITH_NUL),
        Prop("mWideStr", STR, "Eisenstäbe 鉄 🏭"),
        Prop("mName", NAME, "SomeName"),
        Prop("mObject", OBJECT, actor("MapManager")),
        Prop("mNothing", OBJECT, NO_REF),
        Prop("mInterface", INTERFACE, actor("BuildableSubsystem")),
        Prop("mSoft", SOFT_OBJECT, SoftPath("/Game/Maps", "Maps", "")),
        Prop("mStatic", INT, 1),
        Prop("mStatic", INT, 2, 1),
        Prop("mStatic", INT, 3, 2),
        Prop("mGuided", INT, 7, guid=GUID_A),
        Prop("mStaticGuided", BOOL, True, 4, GUID_B),
    ]


def texts() -> list[AnyProp]:
    """A text of every history known."""
    base = BaseText("Shared", "Key_01", "{Count} iron plates")
    arguments = [Argument("Count", 0, -3), Argument("Big", 1, 1 << 63), Argument("Half", 2, 0.5)]
    arguments.append(Argument("Name", 4, PlainText("x")))
    return [
        Prop("mTextEmpty", TEXT, PlainText()),
        Prop("mTextPlain", TEXT, PlainText("Fabrik Süd")),
        Prop("mTextBase", TEXT, base),
        Prop("mTextNoNamespace", TEXT, BaseText(EMPTY_WITH_NUL, "9ACBF93A4C340F38", "No namespace, but its NUL")),
        Prop("mTextNamed", TEXT, FormatText(base, arguments)),
        Prop("mTextArguments", TEXT, FormatText(base, arguments[:1], history=3)),
        Prop("mTextUpper", TEXT, TransformText(FormatText(base, [Argument("Count", 4, base)]))),
        Prop("mTextTable", TEXT, TableText("/Game/Strings", "Entry")),
    ]


def containers() -> list[AnyProp]:
    """Arrays, sets and maps, also empty ones and of structs."""
    stacks: list[list[AnyProp]] = [
        [Prop("Item", structs.INVENTORY_ITEM, structs.Item(IRON)), Prop("NumItems", INT, count)] for count in (1, 200)
    ]
    built = [Prop("BuildCount", INT, 12)]
    fields_to_fields: list[tuple[Props, Props]] = [([Prop("Key", STR, "k")], built), ([], [])]
    return [
        Prop("mEmpty", Array(INT), []),
        Prop("mInts", Array(INT), [1, -2, 3]),
        Prop("mInt8s", Array(INT8), [-1, 2]),
        Prop("mInt64s", Array(INT64), [1 << 40]),
        Prop("mUInt32s", Array(UINT32), [7]),
        Prop("mUInt64s", Array(UINT64), [1 << 63]),
        Prop("mFloats", Array(FLOAT), [0.25, -4.0]),
        Prop("mDoubles", Array(DOUBLE), [0.1]),
        Prop("mBools", Array(BOOL), [True, False, True]),
        Prop("mBytes", Array(BYTE), bytes(range(0, 256, 5))),
        Prop("mEnums", Array(Enum("EFoo")), ["EFoo::A", "EFoo::B"]),
        Prop("mStrs", Array(STR), ["a", "", "ö"]),
        Prop("mNames", Array(NAME), ["A", "B"]),
        Prop("mTexts", Array(TEXT), [PlainText("one"), TableText("T", "K")]),
        Prop("mObjects", Array(OBJECT), [actor("A"), NO_REF]),
        Prop("mInterfaces", Array(INTERFACE), [actor("B")]),
        Prop("mSofts", Array(SOFT_OBJECT), [SoftPath("/Game/P", "A", "")]),
        Prop("mInventoryStacks", Array(STACK), stacks),
        Prop("mNoStacks", Array(STACK), []),
        Prop("mColors", Array(structs.LINEAR_COLOR), [(0.0, 0.5, 1.0, 1.0)] * 2),
        Prop("mSetInts", Set(INT), [5, 6]),
        Prop("mSetNames", Set(NAME), ["N"]),
        Prop("mSetStrs", Set(STR), ["S"]),
        Prop("mSetObjects", Set(OBJECT), [actor("C")]),
        Prop("mSetEmpty", Set(UINT32), []),
        Prop("mSetFields", Set(Fields("Pair")), [[Prop("Key", STR, "k")], []]),
        Prop("mMapEmpty", Map(INT, INT), []),
        Prop("mMapIntInt", Map(INT, INT), {1: 2, 3: 4}),
        Prop("mMapObjectInt", Map(OBJECT, INT), {IRON: 500}),
        Prop("mMapObjectInt64", Map(OBJECT, INT64), {IRON: 1 << 40}),
        Prop("mMapObjectByte", Map(OBJECT, BYTE), {IRON: 9}),
        Prop("mMapObjectObject", Map(OBJECT, OBJECT), {IRON: COPPER}),
        Prop("mMapNameFloat", Map(NAME, FLOAT), {"n": 0.5}),
        Prop("mMapStrBool", Map(STR, BOOL), {"yes": True, "no": False}),
        Prop("mActorsBuiltCount", Map(OBJECT, BUILT), {FOUNDATION: built}),
        Prop("mTrackGraphs", Map(INT, Fields("TrackGraph")), {0: []}),
        Prop("mInt64Fields", Map(INT64, BUILT), {1 << 33: built}),
        Prop("mEnumFields", Map(Enum("EFoo"), BUILT), {"EFoo::A": built}),
        Prop("mFieldsFields", Map(Fields("Pair"), BUILT), fields_to_fields),
    ]  # fmt: skip


def structs_of(save_version: int) -> list[AnyProp]:
    """Every struct with a binary layout, and property lists in property lists."""
    state = structs.DynamicStruct(Ref("", "/Script/FactoryGame.FGJetPackItemState"), [Prop("CurrentFuel", FLOAT, 0.5)])
    raw = structs.DynamicStruct(Ref("", "/Script/FicsItNetworksComputer.FINItemStateFileSystem"), raw=b"\x01\x02\x03raw")
    trace = structs.Trace(actor("A"), structs.Trace(actor("B")), "AFGBuildable_GetSub")
    box = structs.Bounds((-1.0, -2.0, -3.0), (1.0, 2.0, 3.0))
    identity = structs.ClientIdentity("offline", [(1, b"epic-id"), (6, bytes(8))])
    editor = Fields("RecipeAmountStruct", "/Game/FactoryGame/Schematics/RecipeAmountStruct", BLUEPRINT_STRUCT)
    nested = [Prop("Inner", Fields("FloatRange"), [Prop("Bound", Fields("FloatRangeBound"), [Prop("Value", FLOAT, 1.0)])])]
    props: list[AnyProp] = [
        Prop("mColor", structs.COLOR, b"\x01\x02\x03\xff"),
        Prop("mLinearColor", structs.LINEAR_COLOR, (0.0, 0.25, 0.5, 1.0)),
        Prop("mGuid", structs.GUID, GUID_A),
        Prop("mIntPoint", structs.INT_POINT, (-1, 2)),
        Prop("mIntVector", structs.INT_VECTOR, (-1, 2, 3)),
        Prop("mIntVector4", structs.INT_VECTOR4, (-1, 2, 3, 4)),
        Prop("mFluidBox", structs.FLUID_BOX, 12.5),
        Prop("mDateTime", structs.DATE_TIME, 638_000_000_000_000_000),
        Prop("mVector2D", structs.VECTOR2D, (1.0, 2.0)),
        Prop("mVector", structs.VECTOR, (1.0, 2.0, 3.0)),
        Prop("mRotator", structs.ROTATOR, (0.0, 90.0, 0.0)),
        Prop("mQuat", structs.QUAT, (0.0, 0.0, 0.0, 1.0)),
        Prop("mVector4", structs.VECTOR4, (1.0, 2.0, 3.0, 4.0)),
        Prop("mVector4D", structs.VECTOR4D, (1.0, 2.0, 3.0, 4.0)),
        Prop("mBox", structs.BOX, box),
        Prop("mBox3f", structs.BOX3F, box),
        Prop("mTrackPosition", structs.TRACK_POSITION, structs.TrackPosition(actor("Track"), 120.5, 1.0)),
        Prop("mItem", structs.INVENTORY_ITEM, structs.Item(IRON)),
        Prop("mNoItem", structs.INVENTORY_ITEM, structs.Item()),
        Prop("mClientIdentityInfo", structs.CLIENT_IDENTITY, identity),
        Prop("mUniqueId", structs.UNIQUE_NET_ID, structs.UniqueNetId(0xF1, b"\x05\x06", 1)),
        Prop("mPlayer", structs.PLAYER_HANDLE, structs.PlayerHandle(1, 3)),
        Prop("mBrush", structs.SLATE_BRUSH, "brush"),
        Prop("mSoftClass", structs.SOFT_CLASS_PATH, SoftPath("/Game/C", "C_C", "")),
        Prop("mSoftPath", structs.SOFT_OBJECT_PATH, SoftPath("/Game/O", "O", "Sub")),
        Prop("mTimer", structs.TIMER_HANDLE, []),
        Prop("mTrace", structs.FIN_TRACE, trace),
        Prop("mReflectionTrace", structs.FIR_TRACE, structs.Trace(NO_REF)),
        Prop("mPixel", structs.FIN_PIXEL, bytes(34)),
        Prop("mFrames", structs.FIC_FRAME_RANGE, (0, 1 << 40)),
        Prop("mIndexing", structs.LB_INDEXING, (0, -1, 2)),
        Prop("mNested", Fields("BoxSphereBounds"), nested),
        Prop("mEmptyFields", Fields("Hotbar"), []),
        Prop("mEditorStruct", editor, [Prop("Amount_2_0F", INT, 2)]),
        Prop("mEditorStructs", Array(editor), [[Prop("Amount_2_0F", INT, 3)]]),
        Prop("Locations", structs.VECTOR, (0.0, 0.0, 0.0)),
        Prop("Locations", structs.VECTOR, (9.0, 9.0, 9.0), 1),
    ]
    if save_version >= SAVE_VERSION_ITEM_STATE_STRUCTS:
        props += [
            Prop("mItemWithState", structs.INVENTORY_ITEM, structs.Item(IRON, state)),
            Prop("mItemWithRaw", structs.INVENTORY_ITEM, structs.Item(IRON, raw)),
        ]
    else:
        props.append(Prop("mItemWithActor", structs.INVENTORY_ITEM, structs.Item(IRON, legacy_state=actor("State_1"))))
    return props


def all_types(save_version: int) -> Object:
    """One actor with a property of every kind."""
    return Object(
        "/Game/Oracle/BP_Museum.BP_Museum_C",
        actor("BP_Museum_C_1").path,
        [*scalars(), *texts(), *containers(), *structs_of(save_version)],
        components=[actor("BP_Museum_C_1.Inventory")],
        need_transform=True,
    )

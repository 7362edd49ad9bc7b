"""Tiny worlds that together hold every property type, struct, trailer and level structure.

``sample("sv46")`` is the world itself, so a test can compare what a parser read with the values that were written.
The museum is one actor with a property of every kind; the other objects carry one class trailer each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import evolve

from writer import structs
from writer.blueprint import Blueprint, BlueprintConfig
from writer.dialect import SAVE_VERSION_64_BIT, SAVE_VERSION_ITEM_STATE_STRUCTS
from writer.primitives import EMPTY_WITH_NUL, NO_REF, Ref
from writer.satisfactory import (
    PERSISTENT,
    SAVE_VERSION_LEVELS,
    SAVE_VERSION_PER_LEVEL,
    SAVE_VERSION_VERSION_DATA,
    Grid,
    Level,
    Object,
    VersionData,
    World,
    release_header,
)
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
    Encoded,
    Enum,
    Fields,
    Map,
    Native,
    Prop,
    Props,
    PropType,
    Set,
    SoftPath,
    byte_enum,
)
from writer.text import Argument, BaseText, FormatText, PlainText, TableText, TransformText
from writer.trailers import (
    NO_TRAILER,
    Action,
    Belt,
    BeltItem,
    Body,
    Chain,
    Circuits,
    ComponentTail,
    Drone,
    Instance,
    Lightweight,
    Opaque,
    Players,
    PowerLine,
    Segment,
    Train,
    Vehicle,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from writer.trailers import Trailer

SAMPLES = {
    "sv25": 25, "sv28": 28, "sv29": 29, "sv36": 36,
    "sv41": 41, "sv42": 42, "sv46": 46, "sv51": 51, "sv52": 52, "sv53": 53, "sv58": 58, "sv60": 60,
}  # fmt: skip

BLUEPRINTS = {"sv36": 36, "sv46": 46, "sv51": 51, "sv58": 58}
CONFIGS = {
    "v0": BlueprintConfig(0, "old"),
    "v2": BlueprintConfig(2, "Größe"),
    "v3": BlueprintConfig(3, "with a library"),
    "v4": BlueprintConfig(4, "edited", editors=[("epic-1", "Pioneer", "EOS"), ("steam-2", "", "Steam")]),
    "v6": BlueprintConfig(6, "five bytes"),
    "v6-short": BlueprintConfig(6, "two bytes", save_version=53),
}

AnyProp = Prop[Any]

GUID_A = bytes(range(16))
GUID_B = bytes(range(16, 32))
BLUEPRINT_STRUCT = bytes.fromhex("aa3c5b1f2e4d4c6b8a9d0e1f20314253")
SAVE_VERSION_GUID = bytes.fromhex("2f3e0421d61fe613519d3b5130a23636")
GAME_VERSION_GUID = bytes.fromhex("c11de6f4ce9a027c61d5d7853d6a2fe4")

IRON = Ref("", "/Game/FactoryGame/Resource/Parts/IronPlate/Desc_IronPlate.Desc_IronPlate_C")
COPPER = Ref("", "/Game/FactoryGame/Resource/Parts/CopperSheet/Desc_CopperSheet.Desc_CopperSheet_C")
FOUNDATION = Ref("", "/Game/FactoryGame/Buildable/Building/Foundation/Build_Foundation_8x2_01.Build_Foundation_8x2_01_C")
SWATCH = Ref("", "/Game/FactoryGame/Buildable/-Shared/Customization/Swatches/SwatchDesc_Slot0.SwatchDesc_Slot0_C")

STACK = Fields("InventoryStack")
SPAWN = Fields("SpawnData")
SPLINE = Fields("SplinePointData")
WIRE = Fields("WireInstance")
CELL = Fields("FoliageRemovalSaveDataPerCell")
REMOVED = Fields("FoliageRemovalSaveDataForFoliageType")
BUILT = Fields("ActorBuiltData")


def actor(path: str) -> Ref:
    """A reference into the persistent level."""
    return Ref(PERSISTENT, f"{PERSISTENT}:PersistentLevel.{path}")


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


def museum(save_version: int) -> Object:
    """One actor with a property of every kind."""
    return Object(
        "/Game/Oracle/BP_Museum.BP_Museum_C",
        actor("BP_Museum_C_1").path,
        [*scalars(), *texts(), *containers(), *structs_of(save_version)],
        components=[actor("BP_Museum_C_1.Inventory")],
        need_transform=True,
    )


def _of(class_name: str, name: str, trailer: Trailer, props: Sequence[AnyProp] = ()) -> Object:
    return Object(class_name, actor(name).path, props, trailer, owner=actor("BuildableSubsystem"), need_transform=True)


def _buildable(path: str, trailer: Trailer, props: Sequence[AnyProp] = ()) -> Object:
    name = path.rsplit("/", 1)[1]
    return _of(f"/Game/FactoryGame/{path}.{name}_C", f"{name}_C_2147000001", trailer, props)


def trailers(save_version: int) -> Iterator[Object]:
    """An object with each trailer there is."""
    on_belt = [BeltItem(structs.Item(IRON), 12.5), BeltItem(structs.Item(COPPER), 80.25)]
    belt, chain = actor("Build_ConveyorBeltMk1_C_2147000001"), actor("FGConveyorChainActor_2147000002")
    body = Body("root", [float(value) for value in range(13)], 2)
    vector = structs.VECTOR
    tangents = [Prop(name, vector, (1.0, 0.0, 0.0)) for name in ("ArriveTangent", "LeaveTangent")]
    point = [Prop("Location", vector, (0.0, 0.0, 0.0)), *tangents]
    wire = [Prop("Locations", vector, (1.0, 2.0, 3.0)), Prop("Locations", vector, (4.0, 5.0, 6.0), 1)]
    items_in_belts = on_belt if save_version < SAVE_VERSION_ITEM_STATE_STRUCTS else []
    yield _buildable(
        "Buildable/Factory/ConveyorBeltMk1/Build_ConveyorBeltMk1",
        Belt(items_in_belts),
        [Prop("mSplineData", Array(SPLINE), [point, point])],
    )
    yield _buildable("Buildable/Factory/ConveyorLiftMk2/Build_ConveyorLiftMk2", Belt(items_in_belts))
    ends = PowerLine(actor("Pole_1.PowerConnection"), actor("Pole_2.PowerConnection"), (1.0, 2.0, 3.0, 4.0, 5.0, 6.0))
    yield _buildable("Buildable/Factory/PowerLine/Build_PowerLine", ends, [Prop("mWireInstances", Array(WIRE), [wire])])
    yield _buildable("Events/Christmas/Buildings/PowerLineLights/Build_XmassLightsLine", ends)
    if save_version >= 46:
        points = [[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0], [99.0] * 9]
        segment = Segment(chain, belt, points, (0.0, 0.0, 638.5), (7, 6, 0))
        for suffix in ("", "_RepSizeMedium", "_RepSizeLarge", "_RepSizeHuge", "_RepSizeNoCull"):
            chained = Chain(belt, belt, [segment], 638.5, (8, 7, 6), on_belt)
            yield _of(f"/Script/FactoryGame.FGConveyorChainActor{suffix}", f"FGConveyorChainActor{suffix}_2147000002", chained)
        instance = Instance(swatch=SWATCH, recipe=Ref("", "/Game/Recipe_Foundation"), builder=structs.PlayerHandle(1, 2))
        beam_type = Ref("", "/Script/FactoryGame.BuildableBeamLightweightData")
        beam = structs.DynamicStruct(beam_type, [Prop("BeamLength", FLOAT, 400.0)])
        classes = [(FOUNDATION, [instance, evolve(instance, type_data=beam)]), (Ref("", "/Game/Build_Empty_C"), [])]
        yield _of("/Script/FactoryGame.FGLightweightBuildableSubsystem", "LightweightBuildableSubsystem", Lightweight(classes))
    circuits = Circuits([(12, actor("CircuitSubsystem.FGPowerCircuit_1")), (13, actor("CircuitSubsystem.FGPowerCircuit_2"))])
    yield _buildable("-Shared/Blueprint/BP_CircuitSubsystem", circuits)
    players = Players([actor("BP_PlayerState_C_1"), actor("BP_PlayerState_C_2")])
    yield _buildable("-Shared/Blueprint/BP_GameMode", players)
    yield _buildable("-Shared/Blueprint/BP_GameState", players)
    ids: list[Trailer] = [
        structs.UniqueNetId(0x19, bytes(range(10))),
        structs.UniqueNetId(0xF1, bytes(range(33)), 1),
        structs.UniqueNetId(0xF8, type_name="NULL", contents="DESKTOP-1"),
        structs.UniqueNetId(0x08, contents="7656"),
        structs.UniqueNetId(0x03),
        Opaque(),
    ]
    player_class = "/Game/FactoryGame/Character/Player/BP_PlayerState.BP_PlayerState_C"
    for number, identity in enumerate(ids, 1):
        yield _of(player_class, f"BP_PlayerState_C_{number}", identity)
    yield _buildable("Buildable/Vehicle/Tractor/BP_Tractor", Vehicle([body, evolve(body, bone="wheel")]))
    yield _buildable("Buildable/Vehicle/Truck/BP_Truck", Vehicle())
    yield _buildable("Buildable/Vehicle/Train/Locomotive/BP_Locomotive", Train([], NO_REF, actor("BP_FreightWagon_C_2147000001")))
    yield _buildable("Buildable/Vehicle/Train/Wagon/BP_FreightWagon", Train([], actor("BP_Locomotive_C_2147000001")))
    docking = Action("DroneAction_DockingSequence", [Prop("mStage", INT, 2)])
    queue = [docking, Action("DroneAction_Idle")]
    yield _buildable("Buildable/Factory/DroneStation/BP_DroneTransport", Drone([], docking, queue))
    for name in ("FGInventoryComponent", "FGFactoryConnectionComponent", "FGHealthComponent", "FGPowerInfoComponent"):
        yield component(f"/Script/FactoryGame.{name}", "BP_Museum_C_1", name)
    circuit, owner = actor("CircuitSubsystem.FGPowerCircuit_1"), actor("CircuitSubsystem")
    yield Object("/Script/FactoryGame.FGPowerCircuit", circuit.path, [Prop("mCircuitID", INT, 12)], outer=owner.path)


def component(class_name: str, owner: str, name: str, props: Sequence[AnyProp] = ()) -> Object:
    """An actor component."""
    return Object(class_name, actor(f"{owner}.{name}").path, props, ComponentTail(), outer=actor(owner).path, flags=0x40008)


def untyped(save_version: int) -> Iterator[Object]:
    """Sets and maps of binary structs: before the new tags only owner and name of the property tell their types."""
    vectors = [(1.5, -2.0, 3.0), (4.0, 5.0, 6.0)]
    removed: list[AnyProp] = [
        Prop("RemovedLocations", Array(structs.VECTOR), vectors),
        Prop("RemovedLocationLookup", Set(UINT32), [1, 2, 4_000_000_000]),
    ]
    per_cell = [Prop("SaveDataMap", Map(OBJECT, REMOVED), [(Ref("", "/Game/SM_Bush"), removed)])]
    cells: list[tuple[Sequence[int], Props]] = [((1, -2, 3), per_cell), ((0, 0, 0), [])]
    saved: list[AnyProp] = [
        Prop("mSaveData", Map(structs.INT_VECTOR, CELL), cells),
        Prop("mUnresolvedSaveData", Map(structs.INT_VECTOR, CELL), []),
    ]
    guids = [Prop("mDestroyedPickups", Set(structs.GUID), [GUID_A, GUID_B]), Prop("mLootedDropPods", Set(structs.GUID), [GUID_B])]
    balancer = Fields("LBBalancerData", "/Script/LoadBalancers")
    mapping = [Prop("mIndexMapping", Map(INT, structs.LB_INDEXING), {4: (1, 2, 3), 5: (-1, 0, 0)})]
    yield _of("/Script/FactoryGame.FGFoliageRemovalSubsystem", "FoliageRemovalSubsystem", NO_TRAILER, saved)
    yield _of("/Script/FactoryGame.FGScannableSubsystem", "ScannableSubsystem", NO_TRAILER, guids)
    mod = "/LoadBalancers/Build_LoadBalancer.Build_LoadBalancer_C"
    yield _of(mod, "Build_LoadBalancer_C_1", NO_TRAILER, [Prop("mBalancerData", balancer, mapping)])
    if save_version < SAVE_VERSION_64_BIT:
        places = [Prop("mRemovalLocations", Set(structs.VECTOR), vectors)]
        yield _of("/Script/FactoryGame.FGFoliageRemoval", "FoliageRemoval_1", NO_TRAILER, places)


def unknown(save_version: int) -> Iterator[Object]:
    """What no reader can know: a binary struct, a property type and a class of some mod; a struct with stray bytes."""
    binary: Native[bytes] = Native("OracleBinary", "/Script/Oracle", encode=lambda data, _dialect: data)
    strange: PropType[bytes] = Encoded("OracleProperty", bytes)
    stray: Native[structs.Item] = Native("InventoryItem", encode=lambda one, dialect: one.encode(dialect) + bytes(4))
    props: list[AnyProp] = [
        Prop("mBefore", INT, 1),
        Prop("mBinary", binary, b"\xff\xfe\xfd\x7fbinary"),
        Prop("mStrange", strange, b"strange"),
        Prop("mAfter", INT, 2),
    ]
    if save_version == 46:
        props.insert(1, Prop("mStray", stray, structs.Item(IRON)))
    if save_version < SAVE_VERSION_LEVELS:
        stopped = _of("/Game/FicsItNetworks/FINComputerSubsystem.FINComputerSubsystem_C", "FINComputerSubsystem", NO_TRAILER)
        yield evolve(stopped, with_list=False)
    yield _of("/Oracle/BP_Unknown.BP_Unknown_C", "BP_Unknown_C_1", Opaque(b"bytes nobody knows"), props)


def old_objects(save_version: int) -> Iterator[Object]:
    """Objects that kept the SaveVersion of an earlier game, and one that never wrote a property list."""
    vectors: list[AnyProp] = [
        Prop("mPosition", structs.VECTOR, (1.0, 2.0, 3.0)),
        Prop("mItem", structs.INVENTORY_ITEM, structs.Item(IRON)),
    ]
    old = Object("/Game/Oracle/BP_Old.BP_Old_C", actor("BP_Old_C_1").path, vectors, save_version=36, migrate=True)
    if save_version < SAVE_VERSION_64_BIT:
        return
    if save_version < SAVE_VERSION_VERSION_DATA:
        yield old
        yield evolve(component("/Script/FactoryGame.FGHealthComponent", "BP_Old_C_1", "Health"), save_version=36, migrate=True)
    if save_version >= SAVE_VERSION_VERSION_DATA:
        newer = VersionData(ue5=1017, custom=[(SAVE_VERSION_GUID, save_version)])
        older = VersionData(ue5=1009, engine=(5, 3, 2), branch="++FactoryGame+rel-main-1.1.0")
        yield evolve(old, save_version=save_version, migrate=False, version_data=newer)
        yield evolve(old, instance_name=actor("BP_Old_C_2").path, save_version=SAVE_VERSION_VERSION_DATA, version_data=older)


def everything(save_version: int, *, old: bool = True) -> list[Object]:
    """All objects of a sample."""
    mixed = old_objects(save_version) if old else ()
    return [museum(save_version), *trailers(save_version), *untyped(save_version), *unknown(save_version), *mixed]


def _creature(level: str, number: int) -> Object:
    path = f"{PERSISTENT}:PersistentLevel.BP_EnemySpawner{number}"
    spawn: list[AnyProp] = [
        Prop("creature", OBJECT, actor(f"Char_Hog_C_{number}")),
        Prop("WasKilled", BOOL, False),
        Prop("NumTimesKilled", INT, number),
    ]
    return Object(
        "/Game/FactoryGame/Character/Creature/BP_CreatureSpawner.BP_CreatureSpawner_C",
        path,
        [Prop("mSpawnData", Array(SPAWN), [spawn])],
        level=level,
        placed_in_level=True,
        flags=0x280008,
    )


def levels(save_version: int) -> list[Level]:
    """Streaming levels: empty, plain, destroyed with, without and with a stale copy, older than the file."""
    if save_version < SAVE_VERSION_LEVELS:
        return []
    names = ["6NC37KIWBL4EUC1G6ANOZ14U2", "2J4PGNO3844RV4WUX3IXE99RH", "AIH3C4LI19ODUG77WR1KF9XJF", "39TNKS313CPLAGFUXSOFM7EP4"]
    gone = [[Ref(name, f"{PERSISTENT}:PersistentLevel.BP_BerryBush{number}") for number in range(3)] for name in names]
    data = VersionData(custom=[(SAVE_VERSION_GUID, save_version)]) if save_version >= SAVE_VERSION_VERSION_DATA else None
    made = [
        Level("EMPTY37KIWBL4EUC1G6ANOZ14U2", version_data=data),
        Level(names[0], [_creature(names[0], 1), _creature(names[0], 2)], version_data=data),
        Level(names[1], [_creature(names[1], 3)], gone[1], version_data=data),
        Level(names[2], [_creature(names[2], 4)], gone[2], [], version_data=data),
        Level(names[3], [_creature(names[3], 5)], gone[3], gone[3][:2], version_data=data),
    ]
    if save_version >= SAVE_VERSION_PER_LEVEL:
        name = "OLDPGNO3844RV4WUX3IXE99RH"
        ported = evolve(_creature(name, 7), save_version=52, migrate=True)
        made.append(Level(name, [_creature(name, 6), ported], save_version=46))
    return made


def grids() -> list[Grid]:
    """Validation grids: the nameless one with the version, and two of the map."""
    return [
        Grid("None", 0, 455009369, [("None", 15403147)]),
        Grid("MainGrid", 12800, 3661604656, [("6NC37KIWBL4EUC1G6ANOZ14U2", 3530549183), ("2J4PGNO3844RV4WUX3IXE99", 2443459223)]),
        Grid("LandscapeGrid", 51200, 0),
        Grid("ExplorationGrid", 20480, 1387433991, [("AIH3C4LI19ODUG77WR1KF9XJF", 1319193060)]),
        Grid("FoliageGrid", 26500, 0),
        Grid("HLOD0_256m_1023m", 25600, 0),
    ]


def sample(name: str) -> World:
    """The world of that name, see :data:`SAMPLES`."""
    save_version = SAMPLES[name]
    data = None
    if save_version >= SAVE_VERSION_VERSION_DATA:
        data = VersionData(custom=[(SAVE_VERSION_GUID, save_version), (GAME_VERSION_GUID, 28)])
    lost = [Ref("6NC37KIWBL4EUC1G6ANOZ14U2", f"{PERSISTENT}:PersistentLevel.BP_WAT1_C_7")]
    destroyed = [(PERSISTENT, lost if save_version < SAVE_VERSION_LEVELS else [])]
    if SAVE_VERSION_LEVELS <= save_version < SAVE_VERSION_PER_LEVEL:
        destroyed = []
    head = release_header(save_version)
    if save_version == 42:
        head = evolve(head, modded=True, mod_metadata='{"Mods":[{"Reference":"Oracle","Version":"1.0.0"}]}', partitioned=False)
    return World(
        head,
        levels(save_version),
        everything(save_version),
        destroyed=destroyed,
        grids=grids() if head.partitioned else [],
        unresolved=lost if save_version >= SAVE_VERSION_PER_LEVEL else None if save_version == SAVE_VERSION_LEVELS else [],
        version_data=data,
    )


def blueprint(name: str) -> Blueprint:
    """The blueprint of that name, see :data:`BLUEPRINTS`."""
    save_version = BLUEPRINTS[name]
    objects = everything(save_version, old=False)
    return Blueprint(save_version, objects, (4, 4, 8), [(IRON, 20), (COPPER, 1)], [Ref("", "/Game/Recipe_Foundation")])

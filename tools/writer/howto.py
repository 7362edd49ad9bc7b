"""Small saves in which the recipes of `streamsave/HOWTO.md` find what they look for.

| file | what it is |
|---|---|
| `world.sav` | a factory of Satisfactory: machines, stores, poles and a wire, trains, a cart, a player, things of two mods |
| `yesterday.sav` | the same, before things were built and made |
| `damaged.sav` | the same as `world.sav`, with damage in a store |
| `blueprint.sbp` | a blueprint with damage in one of two stores |
| `Level.sav` | a world of Palworld with two players, their pals, a guild with a base and a chest |
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from attrs import evolve

from writer import palworld as raw
from writer.blueprint import Blueprint
from writer.dialect import Dialect
from writer.gvas import SaveGame, plz
from writer.palworld import AGES, AnyProp, Blob, guid
from writer.palworld_worlds import CLASS, array, base_camp, entries, fields, group, nested, with_id
from writer.primitives import counted, f32, fstring, i32, i64, sized, u8
from writer.satisfactory import Anything, Encoded, Object, World, release_header, save_bytes
from writer.structs import GUID, INVENTORY_ITEM, Item
from writer.tags import BOOL, DOUBLE, FLOAT, INT, INT64, NAME, OBJECT, STR, TEXT, Array, Fields, Map, Prop, property_list
from writer.text import PlainText
from writer.trailers import ComponentTail, Players, PowerLine
from writer.vocabulary import STACK, actor, buildable, item, recipe

__all__ = ["files"]

SAVE_VERSION = 46
LEVEL = "Persistent_Level:PersistentLevel."
SHARED = "/Game/FactoryGame/-Shared/Blueprint"
VEHICLE = "/Game/FactoryGame/Buildable/Vehicle"
MODS = {"Mods": [{"Reference": "SkyUI", "Name": "SkyUI", "Version": "1.5.0"}, {"Reference": "Lights", "Version": "2.0.1"}]}
METRE = 100.0
DAY = 24 * 3600 * 10_000_000

# --- Satisfactory ---


def place(x: float, y: float, z: float = 0.0) -> tuple[float, ...]:
    """A transform at a place in metres."""
    return (0.0, 0.0, 0.0, 1.0, x * METRE, y * METRE, z * METRE, 1.0, 1.0, 1.0)


def part(owner: str, kind: str, name: str, *props: AnyProp) -> Object:
    """A component of an actor."""
    return Object(f"/Script/FactoryGame.{kind}", f"{LEVEL}{owner}.{name}", props, ComponentTail(), outer=f"{LEVEL}{owner}")


def built(class_name: str, name: str, where: Sequence[float], props: Sequence[AnyProp] = (), *parts: Object) -> list[Object]:
    """An actor and its components."""
    refs = [one.ref for one in parts]
    return [Object(class_name, f"{LEVEL}{name}", props, transform=where, components=refs, need_transform=True), *parts]


def stacks(*held: tuple[str, int]) -> AnyProp:
    """The slots of an inventory."""
    slots = [[Prop("Item", INVENTORY_ITEM, Item(item(name))), Prop("NumItems", INT, count)] for name, count in held]
    empty: list[AnyProp] = [Prop("Item", INVENTORY_ITEM, Item()), Prop("NumItems", INT, 0)]
    return Prop("mInventoryStacks", Array(STACK), [*slots, empty])


def container(number: int, where: Sequence[float], *held: tuple[str, int]) -> list[Object]:
    """A store."""
    name = f"Build_StorageContainerMk1_C_{number}"
    store = part(name, "FGInventoryComponent", "StorageInventory", stacks(*held))
    kind = buildable("Factory/StorageContainerMk1", "Build_StorageContainerMk1")
    return built(kind, name, where, [Prop("mStorageInventory", OBJECT, store.ref)], store)


def machine(number: int, where: Sequence[float], made: str, *, runs: bool, wire: str = "") -> list[Object]:
    """A constructor; without a wire it has no power."""
    name = f"Build_ConstructorMk1_C_{number}"
    wires: list[AnyProp] = [Prop("mWires", Array(OBJECT), [actor(wire)]), Prop("mCircuitID", INT, 1)] if wire else []
    power = part(name, "FGPowerConnectionComponent", "PowerInput", *wires)
    props: list[AnyProp] = [Prop("mCurrentRecipe", OBJECT, recipe("Constructor", made))]
    if runs:
        props.append(Prop("mIsProducing", BOOL, value=True))
    return built(buildable("Factory/ConstructorMk1", "Build_ConstructorMk1"), name, where, props, power)


def pole(number: int, where: Sequence[float], *wires: str) -> list[Object]:
    """A power pole."""
    name = f"Build_PowerPoleMk1_C_{number}"
    listed: list[AnyProp] = [Prop("mWires", Array(OBJECT), [actor(wire) for wire in wires])] if wires else []
    power = part(name, "FGPowerConnectionComponent", "PowerConnection", *listed)
    return built(buildable("Factory/PowerPoleMk1", "Build_PowerPoleMk1"), name, where, [], power)


def wire(name: str, first: str, second: str, where: Sequence[float]) -> Object:
    """A wire between two connections."""
    kind = buildable("Factory/PowerLine", "Build_PowerLine")
    return Object(kind, f"{LEVEL}{name}", [], PowerLine(actor(first), actor(second)), transform=where, need_transform=True)


def trains() -> Iterator[Object]:
    """Two stations, and a train that goes to both."""
    for number, name in ((1, "Iron mine"), (2, "Harbour")):
        named = Prop("mStationName", TEXT, PlainText(name))
        yield Object("/Script/FactoryGame.FGTrainStationIdentifier", f"{LEVEL}FGTrainStationIdentifier_{number}", [named])
    stops = [[Prop("Station", OBJECT, actor(f"FGTrainStationIdentifier_{number}"))] for number in (1, 2)]
    listed = Prop("mStops", Array(Fields("TimeTableStop")), stops)
    yield Object("/Script/FactoryGame.FGRailroadTimeTable", f"{LEVEL}FGRailroadTimeTable_1", [listed])
    props: list[AnyProp] = [
        Prop("mTrainName", TEXT, PlainText("Iron express")),
        Prop("TimeTable", OBJECT, actor("FGRailroadTimeTable_1")),
    ]
    yield Object(f"{VEHICLE}/Train/-Shared/BP_Train.BP_Train_C", f"{LEVEL}BP_Train_C_1", props)


def markers() -> Object:
    """What a player has marked on the map."""
    where: list[AnyProp] = [Prop("X", DOUBLE, -215000.0), Prop("Y", DOUBLE, -94000.0), Prop("Z", DOUBLE, 0.0)]
    home: list[AnyProp] = [
        Prop("Location", Fields("Vector_NetQuantize"), where),
        Prop("Name", STR, "Home"),
        Prop("IconID", INT, 651),
        Prop("Scale", FLOAT, 1.0),
    ]
    listed = Prop("mMapMarkers", Array(Fields("MapMarker")), [home])
    return Object("/Script/FactoryGame.FGMapManager", f"{LEVEL}MapManager", [listed])


def objects(*, today: bool) -> Iterator[Object]:
    """The world, today or yesterday."""
    players = Players([])
    named = [Prop("mSaveSessionName", STR, "First try")]
    yield Object(f"{SHARED}/BP_GameMode.BP_GameMode_C", f"{LEVEL}BP_GameMode_C_1", named, players)
    yield Object(f"{SHARED}/BP_GameState.BP_GameState_C", f"{LEVEL}BP_GameState_C_1", [], players)
    unlocked: list[AnyProp] = [Prop("mIsMapUnlocked", BOOL, value=False), Prop("mNumTotalInventorySlots", INT, 30)]
    if not today:
        unlocked.append(Prop("mIsBuildingOverclockUnlocked", BOOL, value=True))
    yield Object(f"{SHARED}/BP_UnlockSubsystem.BP_UnlockSubsystem_C", f"{LEVEL}UnlockSubsystem", unlocked)
    yield markers()
    bag = part("Char_Player_C_1", "FGInventoryComponent", "inventory", stacks(("IronPlate", 40), ("Cable", 12)))
    health = part("Char_Player_C_1", "FGHealthComponent", "HealthComponent", Prop("mCurrentHealth", FLOAT, 65.0))
    player = "/Game/FactoryGame/Character/Player/Char_Player.Char_Player_C"
    yield from built(player, "Char_Player_C_1", place(-2119, -915, 50), [], bag, health)
    yield from built(f"{VEHICLE}/Golfcart/BP_Golfcart.BP_Golfcart_C", "BP_Golfcart_C_1", place(-1480, -610, 12))
    yield from machine(1, place(-2150, -940), "IronPlate", runs=True, wire="Build_PowerLine_C_1")
    yield from machine(2, place(-2140, -940), "IronPlate", runs=today)
    yield from pole(1, place(-2145, -930), "Build_PowerLine_C_1")
    yield wire(
        "Build_PowerLine_C_1",
        "Build_ConstructorMk1_C_1.PowerInput",
        "Build_PowerPoleMk1_C_1.PowerConnection",
        place(-2150, -940),
    )
    plates = ("IronPlate", 400 if today else 150)
    powered = [actor("Build_ConstructorMk1_C_1.PowerInput"), actor("Build_PowerPoleMk1_C_1.PowerConnection")]
    circuit: list[AnyProp] = [Prop("mCircuitID", INT, 1), Prop("mComponents", Array(OBJECT), powered)]
    yield Object("/Script/FactoryGame.FGPowerCircuit", f"{LEVEL}CircuitSubsystem.FGPowerCircuit_1", circuit)
    yield from container(1, place(-2130, -930), plates, ("IronScrew", 900))
    yield from trains()
    yield from built("/SkyUI/Sign/Build_SkySign.Build_SkySign_C", "Build_SkySign_C_1", place(-2100, -900))
    yield from built("/Lights/Lamp/Build_Lamp.Build_Lamp_C", "Build_Lamp_C_1", place(-2101, -900))
    if today:
        yield from machine(3, place(-2130, -940), "Wire", runs=False)
        yield from container(2, place(-2120, -930), ("Wire", 250))
        yield from pole(2, place(-900, 300))
        yield from built("/SkyUI/Sign/Build_SkySign.Build_SkySign_C", "Build_SkySign_C_2", place(-2100, -890))


def world(*, today: bool, sound: bool = True) -> bytes:
    """A save of the world; if it is not sound, an inventory in it cannot be read."""
    header = release_header(SAVE_VERSION)
    header = evolve(
        header,
        map_options="?startloc=Grass Fields?sessionName=First try?Visibility=SV_Private",
        session_name="First try",
        play_duration=45_296 if today else 38_400,
        save_date_time=header.save_date_time + (DAY if today else 0),
        mod_metadata=json.dumps(MODS),
        modded=True,
    )
    made: Iterator[Anything] = objects(today=today)
    if not sound:
        dialect = Dialect(SAVE_VERSION)
        made = (spoilt(one, dialect) if "StorageContainerMk1_C_1." in one.instance_name else one for one in objects(today=today))
    return save_bytes(World(header, (), made), level=9)


def spoilt(one: Object, dialect: Dialect) -> Encoded:
    """An object whose first property has a type of no known length: nothing in it can be read."""
    data = one.data(dialect)
    name = b"mInventoryStacks\0"
    at = data.index(name) + len(name)
    return Encoded(one.header(SAVE_VERSION), data[:at] + b"\xff\xff\xff\x7f" + data[at + 4 :])


def blueprint() -> bytes:
    """A blueprint of two containers; what is in the second one is damaged."""
    sound = container(1, place(0, 0), ("IronPlate", 10))
    actor_2, store = container(2, place(2, 0), ("Wire", 20))
    made = Blueprint(SAVE_VERSION, [*sound, actor_2, spoilt(store, Dialect(SAVE_VERSION))])
    return made.encode(level=9)


# --- Palworld ---

AGE = AGES["1.0"]
DIALECT = SaveGame(class_name=CLASS).dialect
ANNA = bytes(12) + i32(1)
BERT = b"".join(number.to_bytes(4, "little") for number in (0xFCE11ED5, 0, 0, 0))
GUILD, BASE, CHEST = 6, 16, 15


def character(player: bytes, number: int, *props: AnyProp) -> tuple[list[AnyProp], list[AnyProp]]:
    """An entry of the map of characters; a pal has no player's id."""
    listed = property_list([Prop("SaveParameter", fields("PalIndividualCharacterSaveParameter"), list(props))], DIALECT)
    blob = Blob(listed + i32(0) + guid(GUILD) + AGE.end, ["6cf6fc0f"])
    return [Prop("PlayerUId", GUID, player), Prop("InstanceId", GUID, guid(number))], blob.props(AGE)


def player(player_id: bytes, number: int, name: str, *level: AnyProp) -> tuple[list[AnyProp], list[AnyProp]]:
    """A player."""
    return character(player_id, number, Prop("NickName", STR, name), *level, Prop("IsPlayer", BOOL, value=True))


def pal(number: int, species: str, level: int, owner: bytes, name: str = "") -> tuple[list[AnyProp], list[AnyProp]]:
    """A pal of a player."""
    named: list[AnyProp] = [Prop("NickName", STR, name)] if name else []
    known = [Prop("CharacterID", NAME, species), *named, Prop("Level", INT, level), Prop("OwnerPlayerUId", GUID, owner)]
    return character(bytes(16), number, *known)


def guild() -> list[AnyProp]:
    """The guild of both players, with one base."""
    end = AGE.end
    members = counted([(ANNA, 101), (BERT, 102)], lambda one: one[0] + guid(one[1]))
    data = guid(GUILD) + fstring("Group") + members + end + u8(2) + counted([BASE], guid) + end
    data += i32(3) + counted([BASE], guid) + fstring("Night shift") + guid(0)
    data += i32(0) + sized(b"\1\2") + end + ANNA
    people = (("Anna", ANNA), ("Bert", BERT))
    data += counted(people, lambda one: one[1] + i64(638_000_000) + fstring(one[0]) + u8(1))
    data += counted([1], lambda role: u8(role) + sized(b"\0\1")) + end
    return group(AGE, "Guild", Blob(data, ["e447387f"]))


def slots(*held: tuple[str, int]) -> AnyProp:
    """The slots of a container."""
    made = []
    for at, (name, count) in enumerate(held):
        data = i32(at) + i32(count) + raw.item(name) + raw.PERMISSION + f32(0.0) + AGE.end
        made.append(Blob(data, ["7eb4ea12"]).props(AGE))
    return array("Slots", made)


def palworld() -> bytes:
    """A world."""
    chest = nested("GuildItemStorage", Blob(guid(CHEST) + AGE.end).props(AGE))
    key, value = fields("Key"), fields("Value")
    people = [
        player(ANNA, 101, "Anna", Prop("Level", INT, 30), Prop("Exp", INT64, 573_000)),
        player(BERT, 102, "Bert", Prop("Level", INT, 12)),
        pal(201, "Anubis", 28, ANNA, "Foxy"),
        pal(202, "SheepBall", 3, BERT),
        pal(203, "SheepBall", 4, BERT),
    ]
    containers: list[tuple[list[AnyProp], list[AnyProp]]] = [
        ([Prop("ID", GUID, guid(CHEST))], [slots(("Wood", 250), ("PalSphere", 40))]),
        ([Prop("ID", GUID, guid(41))], [slots(("Stone", 9))]),
    ]
    data = [
        Prop("CharacterSaveParameterMap", Map(key, value), people),
        entries("BaseCampSaveData", with_id("Id"), [base_camp(AGE)]),
        Prop("ItemContainerSaveData", Map(key, value), containers),
        entries("GroupSaveDataMap", with_id("Id"), [guild()]),
        Prop("GuildExtraSaveDataMap", Map(GUID, fields("Extra")), [(guid(GUILD), [chest])]),
    ]
    return plz(SaveGame([nested("worldSaveData", data)], class_name=CLASS).encode(), 0x31)


def files() -> dict[str, bytes]:
    """All saves by name."""
    return {
        "world.sav": world(today=True),
        "yesterday.sav": world(today=False),
        "damaged.sav": world(today=True, sound=False),
        "blueprint.sbp": blueprint(),
        "Level.sav": palworld(),
    }

"""Palworld: small worlds of each age, with every kind of `RawData` at its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import evolve

from writer import palworld as raw
from writer.dialect import Dialect
from writer.gvas import SaveGame, plz
from writer.palworld import AGES, Age, AnyProp, Blob, guid
from writer.palworld_objects import IDS, concrete_models, modules
from writer.structs import GUID
from writer.tags import BYTE, INT, NAME, Array, Enum, Fields, Map, Prop

PACKAGE = "/Script/Pal"
CLASS = "/Script/Pal.PalWorldSaveGame"

#: The classes of map objects in a world: one with properties, one with alternatives, one with many versions.
FEW = ("", "ItemDropOnDamag", "HatchingEgg", "FarmBlockV2", "ItemChest")


def fields(name: str) -> Fields:
    """A struct of the game that is a property list."""
    return Fields(name, PACKAGE)


def with_id(*names: str) -> list[AnyProp]:
    """The key of a map."""
    return [Prop(name, GUID, guid(at)) for at, name in enumerate(names, 1)]


def by_enum(enum: str, blobs: Mapping[str, Blob], age: Age) -> AnyProp:
    """A map from the values of an enum to blobs."""
    pairs = [(f"{enum}::{name}", blob.props(age)) for name, blob in blobs.items()]
    return Prop("ModuleMap", Map(Enum(enum, PACKAGE), fields("PalModuleSaveData")), pairs)


def array(name: str, elements: Sequence[Sequence[AnyProp]]) -> AnyProp:
    """An array of structs."""
    return Prop(name, Array(fields(f"Pal{name}")), elements)


def entries(name: str, key: Sequence[AnyProp], values: Sequence[Sequence[AnyProp]]) -> AnyProp:
    """A map whose keys and values are structs."""
    return Prop(name, Map(fields(f"Pal{name}Key"), fields(f"Pal{name}")), [(key, value) for value in values])


def nested(name: str, props: Sequence[AnyProp]) -> AnyProp:
    """A struct."""
    return Prop(name, fields(f"Pal{name}"), props)


def map_object(age: Age, name: str, concrete: Blob, connector: Blob, module_map: Mapping[str, Blob]) -> list[AnyProp]:
    """A map object: its id, then what it is."""
    model = [
        *raw.map_model(age).props(age),
        nested("BuildProcess", raw.build_process(age).props(age)),
        nested("Connector", connector.props(age)),
    ]
    if age.has(raw.CHAIN):
        model.append(nested("Paint", raw.paint(age).props(age)))
    concrete_model = [*concrete.props(age), by_enum("EPalMapObjectConcreteModelModuleType", module_map, age)]
    return [Prop("MapObjectId", NAME, IDS[name]), nested("Model", model), nested("ConcreteModel", concrete_model)]


def map_objects(age: Age, dialect: Dialect, names: Sequence[str]) -> list[list[AnyProp]]:
    """Map objects of some classes; the first has all modules."""
    models = concrete_models(age, dialect)
    ways = raw.connectors(age)
    return [
        map_object(age, name, models[name], ways[at % len(ways)], modules(age) if at == 0 else {})
        for at, name in enumerate(names)
    ]


def foliage(age: Age) -> list[AnyProp]:
    """Plants in a cell."""
    instances = [blob.props(age) for blob in raw.foliage_instances(age)]
    model = [*raw.foliage_model(age).props(age), entries("InstanceDataMap", with_id("Guid"), instances)]
    return [Prop("ModelMap", Map(NAME, fields("PalFoliageModel")), [("tree", model)])]


def group(age: Age, kind: str, blob: Blob) -> list[AnyProp]:
    """A group: its type, then what it is."""
    return [Prop("GroupType", Enum("EPalGroupType", PACKAGE), f"EPalGroupType::{kind}"), *blob.props(age)]


def work(age: Age, kind: str, blob: Blob) -> list[AnyProp]:
    """Something to do: its type, then what it is, and who does it."""
    assign = raw.work_assign(age, kind).props(age)
    return [
        Prop("WorkableType", Enum("EPalWorkableType", PACKAGE), f"EPalWorkableType::{kind}"),
        *blob.props(age),
        Prop("WorkAssignMap", Map(INT, fields("PalWorkAssign")), [(0, assign)] if kind.startswith("Progress") else []),
    ]


def base_camp(age: Age) -> list[AnyProp]:
    """A base."""
    return [
        *raw.base_camp(age).props(age),
        nested("WorkerDirector", raw.worker_director(age).props(age)),
        nested("WorkCollection", raw.work_collection(age).props(age)),
        by_enum("EPalBaseCampModuleType", raw.camp_modules(age), age),
    ]


def world_data(age: Age, dialect: Dialect, names: Sequence[str]) -> list[AnyProp]:
    """What is in a world."""
    slot = raw.character_slot(age).props(age)
    item_slot = raw.item_slot(age).props(age)
    props = [
        entries("CharacterSaveParameterMap", with_id("PlayerUId", "InstanceId"), [raw.character(age, dialect).props(age)]),
        array("MapObjectSaveData", map_objects(age, dialect, names)),
        entries("FoliageGridSaveDataMap", with_id("Cell"), [foliage(age)]),
        array("WorkSaveData", [work(age, kind, blob) for kind, blob in raw.works(age).items()]),
        entries("BaseCampSaveData", with_id("Id"), [base_camp(age)]),
        entries("ItemContainerSaveData", with_id("Id"), [[*raw.item_container(age).props(age), array("Slots", [item_slot])]]),
        array("DynamicItemSaveData", [blob.props(age) for blob in raw.dynamic_items(age, dialect)]),
        entries("CharacterContainerSaveData", with_id("Id"), [[*Blob(b"").props(age), array("Slots", [slot])]]),
        entries("GroupSaveDataMap", with_id("Id"), [group(age, kind, blob) for kind, blob in raw.groups(age).items()]),
    ]
    if age.kind == raw.VERSIONS:
        extras = [nested(name, blob.props(age)) for name, blob in raw.guild_extras(age).items()]
        props.append(entries("GuildExtraSaveDataMap", with_id("Id"), [extras]))
    if age.name == "1.0":
        stored = nested("SaveParameter", raw.character(age, dialect, "Anubis").props(age))
        props.append(nested("CharacterParameterStorageSaveData", [array("StoredParameterInfoSaveData", [[stored]])]))
    # Nothing is known of it.
    props.append(nested("MysterySaveData", [Prop("RawData", Array(BYTE), b"mystery")]))
    return props


def world(age: Age, names: Sequence[str] = FEW, ue5: int = 1008) -> SaveGame:
    """A world of an age, with map objects of some classes."""
    empty = SaveGame(class_name=CLASS, ue5=ue5)
    data = world_data(age, empty.dialect, names)
    return evolve(empty, props=[Prop("Version", INT, 100), nested("worldSaveData", data)])


def valid() -> dict[str, bytes]:
    """A world of each age by name: as one file the game could have written."""
    return {f"palworld-{name}": plz(world(age).encode(), 0x32 if name == "0.1" else 0x31) for name, age in AGES.items()}

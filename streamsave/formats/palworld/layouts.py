"""The layouts of Palworld's `RawData`, by the place they are at: the tables of `FORMAT.md`, in the same order.

A layout depends on the versions of the value and, where one place has several kinds, on a name that comes before it: the id of a
map object, the type of a group, the key of a map. Some have more than one layout with the same versions: the first that takes the
bytes exactly is right.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from streamsave.decode.codecs import BYTES, F32, I32, I64, STRING, U8, Array, Codec, Struct
from streamsave.formats.palworld.codecs import CLASS_END, CONNECTOR, FLAG, PACKED_ROTATOR, PACKED_VECTOR, Connectors
from streamsave.formats.palworld.map_objects import concrete_model, map_object_module
from streamsave.formats.palworld.structs import (
    BYTE_ARRAY,
    COLOR,
    END,
    INSTANCE_ID,
    ITEM_AND_COUNT,
    ITEM_ID,
    MARKER,
    PERMISSION,
    STRINGS,
    TRANSFORM,
    VECTOR,
    layout,
)
from streamsave.formats.palworld.versions import (
    CHAIN,
    GUILD_NAME_MODIFIER,
    GUILD_ROLES,
    HAS_PROPERTIES,
    MODEL_1_0,
    SINCE_FAULTY,
    SINCE_VERSIONS,
    SLOT_ITEM,
    WEAPON_TEXT,
    Member,
    Versions,
    members,
)
from streamsave.formats.palworld.work import work, work_assignment
from streamsave.formats.unreal.codecs import GUID, PropertyList

__all__ = ["PLACES", "Place"]

PROPERTIES: Final[Codec] = PropertyList(nested=True)

#: What a guild of one player has of its own. No real one was seen.
INDEPENDENT: Final = [
    Member("player_uid", GUID),
    Member("guild_name_of_player", STRING),
    Member("last_online_real_time", I64),
    Member("player_name", STRING),
]

# --- characters ---


def character(versions: Versions, _: str) -> list[Struct]:
    """A player or a pal: properties with one struct, `SaveParameter`."""
    rows = [Member("object", PROPERTIES), Member("reserved", I32), Member("group_id", GUID), END]
    return [layout("PalCharacter", versions, rows)]


def character_slot(versions: Versions, _: str) -> list[Struct]:
    """A slot of a palbox or party."""
    rows = [
        Member("player_uid", GUID),
        Member("instance_id", GUID),
        Member("permission_tribe_id", U8),
        Member("reserved", U8, SINCE_VERSIONS),
        END,
    ]
    return [layout("PalCharacterSlot", versions, rows)]


# --- items ---


def item_container(versions: Versions, _: str) -> list[Struct]:
    """A container: which items it takes."""
    rows = [Member("permission", PERMISSION), Member("item_ids", STRINGS, SINCE_FAULTY), END]
    return [layout("PalItemContainer", versions, rows)]


def item_slot(versions: Versions, _: str) -> list[Struct]:
    """A slot of a container."""
    rows = [
        Member("slot_index", I32, SLOT_ITEM),
        Member("stack_count", I32, SLOT_ITEM),
        Member("item_id", ITEM_ID, SLOT_ITEM),
        Member("permission", PERMISSION),
        Member("corruption_progress_value", F32),
        END,
    ]
    return [layout("PalItemSlot", versions, rows)]


def dynamic_item(versions: Versions, _: str) -> list[Struct]:
    """An item with a state of its own. The bytes show which kind: the versions only say whether properties are in it."""
    base = [Member("created_world_id", GUID), Member("local_id_in_created_world", GUID), Member("static_id", STRING), END]
    egg = [
        *base,
        Member("character_id", STRING),
        Member("object", PROPERTIES),
        Member("reserved", I32),
        Member("id", GUID),
        END,
        END,
    ]
    armor = [*base, Member("durability", F32), END]
    weapon = [
        *base,
        Member("durability", F32),
        Member("remaining_bullets", I32),
        Member("passive_skill_list", STRINGS),
        Member("text", STRING, WEAPON_TEXT),
        END,
    ]
    kinds = [("PalArmorItem", armor), ("PalWeaponItem", weapon), ("PalEggItem", egg)]
    if HAS_PROPERTIES.holds(versions):
        kinds.reverse()
    return [layout(name, versions, rows) for name, rows in kinds]


# --- groups ---


def group(versions: Versions, kind: str) -> list[Struct]:
    """A group of characters: wild ones, an organization of the game, a guild of players."""
    base = [Member("group_id", GUID), Member("group_name", STRING), Member("individual_characters", Array(INSTANCE_ID)), END]
    if kind == "Neutral":
        return [layout("PalGroup", versions, base)]
    base += [Member("org_type", U8), Member("base_ids", Array(GUID)), END]
    if kind == "Organization":
        return [layout("PalOrganization", versions, base)]
    base += [
        Member("base_camp_level", I32),
        Member("base_camp_points", Array(GUID)),
        Member("guild_name", STRING),
    ]
    if kind == "IndependentGuild":
        return [layout("PalIndependentGuild", versions, [*base, *INDEPENDENT, END])]
    if kind != "Guild":
        return []
    player = [
        Member("player_uid", GUID),
        Member("last_online_real_time", I64),
        Member("player_name", STRING),
        Member("role", U8, GUILD_ROLES),
    ]
    permissions = Struct("PalGuildPermissions", None, role=U8, permissions=BYTE_ARRAY)
    rows = [
        *base,
        Member("last_guild_name_modifier_player_uid", GUID, GUILD_NAME_MODIFIER),
        Member("markers", Array(MARKER), GUILD_ROLES),
        Member("chest_roles", BYTE_ARRAY, GUILD_ROLES),
        END,
        Member("admin_player_uid", GUID),
        Member("players", Array(Struct("PalGuildPlayer", None, **members(versions, player)))),
        Member("role_permissions", Array(permissions), GUILD_ROLES),
        END,
    ]
    return [layout("PalGuild", versions, rows)]


def guild_storage(versions: Versions, _: str) -> list[Struct]:
    """The chest of a guild."""
    return [layout("PalGuildItemStorage", versions, [Member("container_id", GUID), END])]


def guild_lab(versions: Versions, _: str) -> list[Struct]:
    """The research of a guild."""
    research = Struct("PalResearch", None, research_id=STRING, work_amount=F32)
    rows = [Member("research_info", Array(research)), Member("current_research_id", STRING), END]
    return [layout("PalGuildLab", versions, rows)]


def guild_expedition(versions: Versions, _: str) -> list[Struct]:
    """The expedition of a guild."""
    return [layout("PalGuildExpedition", versions, [Member("value", I32), END])]


# --- bases ---


def base_camp(versions: Versions, _: str) -> list[Struct]:
    """A base."""
    rows = [
        Member("id", GUID),
        Member("name", STRING),
        Member("state", U8),
        Member("transform", TRANSFORM),
        Member("area_range", F32),
        Member("group_id_belong_to", GUID),
        Member("fast_travel_local_transform", TRANSFORM),
        Member("owner_map_object_instance_id", GUID),
        END,
    ]
    return [layout("PalBaseCamp", versions, rows)]


def worker_director(versions: Versions, _: str) -> list[Struct]:
    """Who works in a base."""
    rows = [
        Member("id", GUID),
        Member("spawn_transform", TRANSFORM),
        Member("current_order_type", U8),
        Member("current_battle_type", U8),
        Member("container_id", GUID),
        END,
    ]
    return [layout("PalWorkerDirector", versions, rows)]


def work_collection(versions: Versions, _: str) -> list[Struct]:
    """What there is to do in a base."""
    return [layout("PalWorkCollection", versions, [Member("id", GUID), Member("work_ids", Array(GUID)), END])]


def camp_module(versions: Versions, kind: str) -> list[Struct]:
    """A module of a base, by the key of the map."""
    if kind == "TransportItemDirector":
        transport = Struct("PalTransportItem", None, item_infos=Array(ITEM_AND_COUNT), character_location=VECTOR)
        return [layout("PalTransportItemDirector", versions, [Member("transport_item_infos", Array(transport)), END])]
    if kind == "PassiveEffect":
        effect = [Member("type", U8), Member("raw_data", BYTES), Member("custom_version_data", BYTES, SINCE_FAULTY)]
        effects = Array(Struct("PalPassiveEffect", None, **members(versions, effect)))
        return [layout("PalPassiveEffects", versions, [Member("passive_effects", effects), END])]
    return []


# --- the world ---


def foliage_model(versions: Versions, _: str) -> list[Struct]:
    """The plants of one model in a cell of the world."""
    cell = Struct("PalCell", None, x=I64, y=I64, z=I64)
    rows = [Member("model_id", STRING), Member("foliage_preset_type", U8), Member("cell_coord", cell), END]
    return [layout("PalFoliageModel", versions, rows)]


def foliage_instance(versions: Versions, _: str) -> list[Struct]:
    """A plant."""
    rows = [
        Member("model_instance_id", GUID),
        Member("rotator", PACKED_ROTATOR),
        Member("location", PACKED_VECTOR),
        Member("scale_x", F32),
        Member("hp", I32),
        Member("ticks", I64, SINCE_VERSIONS),
        END,
    ]
    return [layout("PalFoliageInstance", versions, rows)]


def map_model(versions: Versions, _: str) -> list[Struct]:
    """What all map objects have."""
    rows = [
        Member("instance_id", GUID),
        Member("concrete_model_instance_id", GUID),
        Member("base_camp_id_belong_to", GUID),
        Member("group_id_belong_to", GUID),
        Member("hp", I32),
        Member("max_hp", I32),
        Member("initial_transform_cache", TRANSFORM),
        Member("repair_work_id", GUID),
        Member("owner_spawner_level_object_instance_id", GUID),
        Member("owner_instance_id", GUID),
        Member("build_player_uid", GUID),
        Member("interact_restrict_type", U8),
        Member("stage_instance_id", GUID),
        Member("stage_is_valid", FLAG),
        Member("created_at", I64),
        Member("ticks", I64, SINCE_FAULTY),
        Member("number", I32, MODEL_1_0),
        END,
    ]
    return [layout("PalMapObjectModel", versions, rows)]


def build_process(versions: Versions, _: str) -> list[Struct]:
    """How far a building is."""
    return [layout("PalBuildProcess", versions, [Member("state", U8), Member("id", GUID), END])]


def connector(versions: Versions, _: str) -> list[Struct]:
    """What a building is connected to. Classes with more connectors have them after the end of the first class."""
    base = [Member("supported_level", I32), Member("any_place", CONNECTOR)]
    if not CHAIN.holds(versions):
        return [layout("PalConnector", versions, [*base, Member("other_connectors", Connectors(0))])]
    end_size = CLASS_END.least
    return [
        layout("PalConnector", versions, [*base, END]),
        layout("PalConnector", versions, [*base, END, Member("other_connectors", Connectors(end_size)), END]),
        layout("PalConnector", versions, [*base, END, Member("other_connectors", Connectors(2 * end_size)), END, END]),
    ]


def paint(versions: Versions, _: str) -> list[Struct]:
    """The colour of a building."""
    return [layout("PalPaint", versions, [Member("color", COLOR), Member("reserved", I32), END])]


class Place:
    """What is at one place: the name of the kind, and its layouts by the versions and, if it is `named`, a name before it."""

    def __init__(self, kind: str, layouts: Callable[[Versions, str], list[Struct]], *, named: bool = False) -> None:
        self.kind = kind
        self.layouts = layouts
        self.named = named


#: The last two names of the path around a `RawData` -> what it is. Keys and values of maps have no names of their own.
PLACES: Final = {
    "worldSaveData.CharacterSaveParameterMap": Place("character", character),
    "StoredParameterInfoSaveData.SaveParameter": Place("character", character),
    "CharacterContainerSaveData.Slots": Place("char_container_slot", character_slot),
    "worldSaveData.ItemContainerSaveData": Place("item_container", item_container),
    "ItemContainerSaveData.Slots": Place("item_slot", item_slot),
    "worldSaveData.DynamicItemSaveData": Place("dynamic_item", dynamic_item),
    "worldSaveData.GroupSaveDataMap": Place("group", group, named=True),
    "GuildExtraSaveDataMap.GuildItemStorage": Place("guild_storage", guild_storage),
    "GuildExtraSaveDataMap.Lab": Place("guild_lab", guild_lab),
    "GuildExtraSaveDataMap.Expedition": Place("guild_expedition", guild_expedition),
    "worldSaveData.BaseCampSaveData": Place("base_camp", base_camp),
    "BaseCampSaveData.WorkerDirector": Place("worker_director", worker_director),
    "BaseCampSaveData.WorkCollection": Place("work_collection", work_collection),
    "BaseCampSaveData.ModuleMap": Place("camp_module", camp_module, named=True),
    "FoliageGridSaveDataMap.ModelMap": Place("foliage_model", foliage_model),
    "ModelMap.InstanceDataMap": Place("foliage_instance", foliage_instance),
    "MapObjectSaveData.Model": Place("map_model", map_model),
    "Model.BuildProcess": Place("build_process", build_process),
    "Model.Connector": Place("connector", connector),
    "Model.Paint": Place("paint", paint),
    "MapObjectSaveData.ConcreteModel": Place("concrete", concrete_model, named=True),
    "ConcreteModel.ModuleMap": Place("module", map_object_module, named=True),
    "worldSaveData.WorkSaveData": Place("work", work, named=True),
    "WorkSaveData.WorkAssignMap": Place("work_assign", work_assignment, named=True),
}

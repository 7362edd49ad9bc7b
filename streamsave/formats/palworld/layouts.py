"""The layouts of Palworld's `RawData`, by the place they are at: the tables of `FORMAT.md`, in the same order.

A layout depends on the versions of the value and, where one place has several kinds, on a name that comes before it: the id of a
map object, the type of a group, the key of a map. Some have more than one layout with the same versions: the first that takes the
bytes exactly is right.

The module is long because each layout has rows of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from streamsave.decode.codecs import BYTES, F32, F64, I32, I64, STRING, U8, Array, Codec, Struct
from streamsave.formats.palworld.codecs import (
    BYTE_ARRAY,
    CLASS_END,
    COLOR,
    CONNECTOR,
    END,
    FLAG,
    INSTANCE_ID,
    ITEM_AND_COUNT,
    ITEM_ID,
    MARKER,
    PACKED_ROTATOR,
    PACKED_VECTOR,
    PERMISSION,
    QUAT,
    STRINGS,
    TRANSFORM,
    VECTOR,
    Connectors,
    Constant,
)
from streamsave.formats.palworld.map_objects import concrete_model, map_object_module
from streamsave.formats.palworld.versions import (
    CHAIN,
    GUILD_NAME_MODIFIER,
    GUILD_ROLES,
    HAS_PROPERTIES,
    MODEL_1_0,
    PROGRESS_KIND,
    SINCE_FAULTY,
    SINCE_LATE_PLAIN,
    SINCE_VERSIONS,
    SLOT_ITEM,
    WEAPON_TEXT,
    Layout,
    Member,
    Versions,
    layout,
)
from streamsave.formats.unreal.codecs import GUID, PropertyList

__all__ = ["PLACES", "Place"]

#: Makes the layouts that a value of some versions may have, after a name.
MakeLayouts: TypeAlias = Callable[[Versions, str], list[Layout]]

PROPERTIES: Final[Codec] = PropertyList(nested=True)

#: What a guild of one player has of its own. No real one was seen.
INDEPENDENT: Final = [
    Member("player_uid", GUID),
    Member("guild_name_of_player", STRING),
    Member("last_online_real_time", I64),
    Member("player_name", STRING),
]

# --- characters and items ---

#: A player or a pal: properties with one struct, `SaveParameter`.
CHARACTER: Final[Layout] = (
    "PalCharacter",
    [Member("object", PROPERTIES), Member("reserved", I32), Member("group_id", GUID), END],
)
#: A slot of a palbox or party.
CHARACTER_SLOT: Final[Layout] = (
    "PalCharacterSlot",
    [
        Member("player_uid", GUID),
        Member("instance_id", GUID),
        Member("permission_tribe_id", U8),
        Member("reserved", U8, SINCE_VERSIONS),
        END,
    ],
)
#: A container: which items it takes.
ITEM_CONTAINER: Final[Layout] = (
    "PalItemContainer",
    [Member("permission", PERMISSION), Member("item_ids", STRINGS, SINCE_LATE_PLAIN), END],
)
#: A slot of a container.
ITEM_SLOT: Final[Layout] = (
    "PalItemSlot",
    [
        Member("slot_index", I32, SLOT_ITEM),
        Member("stack_count", I32, SLOT_ITEM),
        Member("item_id", ITEM_ID, SLOT_ITEM),
        Member("permission", PERMISSION),
        Member("corruption_progress_value", F32),
        END,
    ],
)

#: What all items with a state of their own have. The bytes show which kind it is.
DYNAMIC_ITEM: Final = [
    Member("created_world_id", GUID),
    Member("local_id_in_created_world", GUID),
    Member("static_id", STRING),
    END,
]
ARMOR: Final[Layout] = ("PalArmorItem", [*DYNAMIC_ITEM, Member("durability", F32), END])
WEAPON: Final[Layout] = (
    "PalWeaponItem",
    [
        *DYNAMIC_ITEM,
        Member("durability", F32),
        Member("remaining_bullets", I32),
        Member("passive_skill_list", STRINGS),
        Member("text", STRING, WEAPON_TEXT),
        END,
    ],
)
EGG: Final[Layout] = (
    "PalEggItem",
    [
        *DYNAMIC_ITEM,
        Member("character_id", STRING),
        Member("object", PROPERTIES),
        Member("reserved", I32),
        Member("id", GUID),
        END,
        END,
    ],
)


def dynamic_item(versions: Versions, _: str) -> list[Layout]:
    """An item with a state of its own: the versions only say whether properties are in it."""
    return [EGG, WEAPON, ARMOR] if HAS_PROPERTIES.holds(versions) else [ARMOR, WEAPON, EGG]


# --- groups ---

#: What all groups of characters have; what an organization of the game or a guild of players has, too; and what any guild has.
GROUP: Final = [
    Member("group_id", GUID),
    Member("group_name", STRING),
    Member("individual_characters", Array(INSTANCE_ID)),
    END,
]
ORGANIZATION: Final = [*GROUP, Member("org_type", U8), Member("base_ids", Array(GUID)), END]
ANY_GUILD: Final = [
    *ORGANIZATION,
    Member("base_camp_level", I32),
    Member("base_camp_points", Array(GUID)),
    Member("guild_name", STRING),
]
GUILD_PLAYER: Final[Layout] = (
    "PalGuildPlayer",
    [
        Member("player_uid", GUID),
        Member("last_online_real_time", I64),
        Member("player_name", STRING),
        Member("role", U8, GUILD_ROLES),
    ],
)
PERMISSIONS: Final = Struct("PalGuildPermissions", None, role=U8, permissions=BYTE_ARRAY)
GUILD: Final = [
    *ANY_GUILD,
    Member("last_guild_name_modifier_player_uid", GUID, GUILD_NAME_MODIFIER),
    Member("markers", Array(MARKER), GUILD_ROLES),
    Member("chest_roles", BYTE_ARRAY, GUILD_ROLES),
    END,
    Member("admin_player_uid", GUID),
    Member("players", GUILD_PLAYER),
    Member("role_permissions", Array(PERMISSIONS), GUILD_ROLES),
    END,
]
#: By the type of the group.
GROUPS: Final[dict[str, Layout]] = {
    "Neutral": ("PalGroup", GROUP),
    "Organization": ("PalOrganization", ORGANIZATION),
    "Guild": ("PalGuild", GUILD),
    "IndependentGuild": ("PalIndependentGuild", [*ANY_GUILD, *INDEPENDENT, END]),
}
RESEARCH: Final = Struct("PalResearch", None, research_id=STRING, work_amount=F32)
#: The chest of a guild.
GUILD_STORAGE: Final[Layout] = ("PalGuildItemStorage", [Member("container_id", GUID), END])
#: The research of a guild.
GUILD_LAB: Final[Layout] = ("PalGuildLab", [Member("research_info", Array(RESEARCH)), Member("current_research_id", STRING), END])
#: The expedition of a guild.
GUILD_EXPEDITION: Final[Layout] = ("PalGuildExpedition", [Member("value", I32), END])

# --- bases ---

#: A base.
BASE_CAMP: Final[Layout] = (
    "PalBaseCamp",
    [
        Member("id", GUID),
        Member("name", STRING),
        Member("state", U8),
        Member("transform", TRANSFORM),
        Member("area_range", F32),
        Member("group_id_belong_to", GUID),
        Member("fast_travel_local_transform", TRANSFORM),
        Member("owner_map_object_instance_id", GUID),
        END,
    ],
)
#: Who works in a base.
WORKER_DIRECTOR: Final[Layout] = (
    "PalWorkerDirector",
    [
        Member("id", GUID),
        Member("spawn_transform", TRANSFORM),
        Member("current_order_type", U8),
        Member("current_battle_type", U8),
        Member("container_id", GUID),
        END,
    ],
)
#: What there is to do in a base.
WORK_COLLECTION: Final[Layout] = ("PalWorkCollection", [Member("id", GUID), Member("work_ids", Array(GUID)), END])
TRANSPORT: Final = Struct("PalTransportItem", None, item_infos=Array(ITEM_AND_COUNT), character_location=VECTOR)
EFFECT: Final[Layout] = (
    "PalPassiveEffect",
    [Member("type", U8), Member("raw_data", BYTES), Member("custom_version_data", BYTES, SINCE_FAULTY)],
)
#: A module of a base, by the key of the map.
CAMP_MODULES: Final[dict[str, Layout]] = {
    "TransportItemDirector": ("PalTransportItemDirector", [Member("transport_item_infos", Array(TRANSPORT)), END]),
    "PassiveEffect": ("PalPassiveEffects", [Member("passive_effects", EFFECT), END]),
}

# --- the world ---

CELL: Final = Struct("PalCell", None, x=I64, y=I64, z=I64)
#: The plants of one model in a cell of the world.
FOLIAGE_MODEL: Final[Layout] = (
    "PalFoliageModel",
    [Member("model_id", STRING), Member("foliage_preset_type", U8), Member("cell_coord", CELL), END],
)
#: A plant.
FOLIAGE_INSTANCE: Final[Layout] = (
    "PalFoliageInstance",
    [
        Member("model_instance_id", GUID),
        Member("rotator", PACKED_ROTATOR),
        Member("location", PACKED_VECTOR),
        Member("scale_x", F32),
        Member("hp", I32),
        Member("ticks", I64, SINCE_VERSIONS),
        END,
    ],
)
#: What all map objects have.
MAP_MODEL: Final[Layout] = (
    "PalMapObjectModel",
    [
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
    ],
)
#: How far a building is.
BUILD_PROCESS: Final[Layout] = ("PalBuildProcess", [Member("state", U8), Member("id", GUID), END])
#: The colour of a building.
PAINT: Final[Layout] = ("PalPaint", [Member("color", COLOR), Member("reserved", I32), END])
#: What happens to a map object, by the key of the map.
EFFECTS: Final[dict[str, Layout]] = {"Burn": ("PalBurn", [Member("number", F32), Member("reserved", I64), END, END])}
#: What a building is connected to. Classes with more connectors have them after the end of the first class.
CONNECTORS: Final = [Member("supported_level", I32), Member("any_place", CONNECTOR)]
#: In the id of each pillar.
PILLAR: Final = "pillar"


def connector(versions: Versions, map_object_id: str) -> list[Layout]:
    """What a building is connected to: one connector, or more and the ends of one class or two; of a pillar, a flag, too."""
    end = CLASS_END.least if CHAIN.holds(versions) else 0
    more = [[*CONNECTORS, END, Member("other_connectors", Connectors(ends * end)), *[END] * ends] for ends in (1, 2)]
    rows = [[*CONNECTORS, END], *more] if end else more[:1]
    if PILLAR in map_object_id.lower():
        pillar = [Member("other_connectors", Connectors(FLAG.least + end)), Member("flag", FLAG), END]
        rows.insert(0, [*CONNECTORS, END, *pillar])
    return [("PalConnector", row) for row in rows]


# --- work: what there is to do, and who does it ---

#: A place to stand while working: where, and which way to look.
PLACE: Final = Struct("PalWorkPlace", None, location=VECTOR, facing=VECTOR)
SUITABILITY: Final = Struct(
    "PalSuitabilityProgress", None, work_suitability=U8, required_amount=F32, current_amount=F32, auto_amount_by_sec=F32
)
MULTI_TYPE: Final = "Progress_MultiType"

WORK: Final = [
    Member("id", GUID),
    Member("location", VECTOR),
    Member("rotation", QUAT),
    Member("bounds_origin", VECTOR),
    Member("bounds_extent", VECTOR),
    Member("bounds_radius", F64),
    Member("base_camp_id_belong_to", GUID),
    Member("owner_map_object_model_id", GUID),
    Member("owner_map_object_concrete_model_id", GUID),
    Member("current_state", U8),
    Member("assign_locations", Array(PLACE)),
    Member("behaviour_type", U8),
    Member("assign_define_data_id", STRING),
    Member("override_work_type", U8),
    Member("assignable_fixed_type", U8),
    Member("assignable_otomo", FLAG),
    Member("can_trigger_worker_event", FLAG),
    Member("can_steal_assign", FLAG),
    END,
]
PROGRESS: Final = [
    Member("required_work_amount", F32),
    Member("work_experience", I32),
    Member("kind", U8, PROGRESS_KIND),
    Member("current_work_amount", F32),
    Member("auto_work_self_amount_by_sec", F32),
    END,
]
#: What follows the base, by type. Types that are not here have nothing of their own.
OWN: Final[dict[str, list[Member]]] = {
    "Defense": [Member("defense_combat_type", U8), END],
    "Progress": PROGRESS,
    MULTI_TYPE: [*PROGRESS, Member("progress_by_type", Array(SUITABILITY)), Member("class_end", CLASS_END)],
    "ReviveCharacter": [Member("target_individual_id", INSTANCE_ID), END],
}
#: Where the work is: its kind, and what that holds.
TRANSFORMS: Final = [
    [Member("transform_type", Constant(U8, 2)), Member("map_object_instance_id", GUID), END, END],
    [Member("transform_type", Constant(U8, 1)), Member("transform", TRANSFORM), END],
    [Member("transform_type", Constant(U8, 3)), Member("guid", GUID), Member("instance_id", GUID), END],
]
ASSIGNMENT: Final = [
    Member("id", GUID),
    Member("location_index", I32),
    Member("assign_type", U8),
    Member("assigned_individual_id", INSTANCE_ID),
    Member("state", U8),
    Member("fixed", FLAG),
    END,
]
SUITABLE: Final = [Member("suitability", U8), Member("suitability_rank", U8), Member("suitability_state", U8), END]


def work(_: Versions, kind: str) -> list[Layout]:
    """Something to do, by the type of the work."""
    return [("PalWork", [*WORK, *OWN.get(kind, []), *transform]) for transform in TRANSFORMS]


def work_assignment(_: Versions, kind: str) -> list[Layout]:
    """Who does it, by the type of the work."""
    return [("PalWorkAssign", [*ASSIGNMENT, *SUITABLE] if kind == MULTI_TYPE else ASSIGNMENT)]


class Place:
    """What is at one place.

    Args:
        kind: its name.
        tables: the layout; or, if it depends on a name before it, that of each name; or a function of the versions and that name.
        named: it depends on the name.
    """

    def __init__(self, kind: str, tables: Layout | dict[str, Layout] | MakeLayouts, *, named: bool = False) -> None:
        self.kind = kind
        self.named = named
        self._tables = tables

    def layouts(self, versions: Versions, noted: str) -> list[Struct]:
        """Return the layouts that a value of these versions may have, after a name."""
        tables = self._tables
        if isinstance(tables, dict):
            found = [tables[noted]] if noted in tables else []
        else:
            found = [tables] if isinstance(tables, tuple) else tables(versions, noted)
        return [layout(versions, table) for table in found]


#: The last two names of the path around a `RawData` -> what it is. Keys and values of maps have no names of their own.
PLACES: Final = {
    "worldSaveData.CharacterSaveParameterMap": Place("character", CHARACTER),
    "StoredParameterInfoSaveData.SaveParameter": Place("character", CHARACTER),
    "CharacterContainerSaveData.Slots": Place("char_container_slot", CHARACTER_SLOT),
    "worldSaveData.ItemContainerSaveData": Place("item_container", ITEM_CONTAINER),
    "ItemContainerSaveData.Slots": Place("item_slot", ITEM_SLOT),
    "worldSaveData.DynamicItemSaveData": Place("dynamic_item", dynamic_item),
    "worldSaveData.GroupSaveDataMap": Place("group", GROUPS, named=True),
    "GuildExtraSaveDataMap.GuildItemStorage": Place("guild_storage", GUILD_STORAGE),
    "GuildExtraSaveDataMap.Lab": Place("guild_lab", GUILD_LAB),
    "GuildExtraSaveDataMap.Expedition": Place("guild_expedition", GUILD_EXPEDITION),
    "worldSaveData.BaseCampSaveData": Place("base_camp", BASE_CAMP),
    "BaseCampSaveData.WorkerDirector": Place("worker_director", WORKER_DIRECTOR),
    "BaseCampSaveData.WorkCollection": Place("work_collection", WORK_COLLECTION),
    "BaseCampSaveData.ModuleMap": Place("camp_module", CAMP_MODULES, named=True),
    "FoliageGridSaveDataMap.ModelMap": Place("foliage_model", FOLIAGE_MODEL),
    "ModelMap.InstanceDataMap": Place("foliage_instance", FOLIAGE_INSTANCE),
    "MapObjectSaveData.Model": Place("map_model", MAP_MODEL),
    "Model.BuildProcess": Place("build_process", BUILD_PROCESS),
    "Model.Connector": Place("connector", connector, named=True),
    "Model.Paint": Place("paint", PAINT),
    "Model.EffectMap": Place("effect", EFFECTS, named=True),
    "MapObjectSaveData.ConcreteModel": Place("concrete", concrete_model, named=True),
    "ConcreteModel.ModuleMap": Place("module", map_object_module, named=True),
    "worldSaveData.WorkSaveData": Place("work", work, named=True),
    "WorkSaveData.WorkAssignMap": Place("work_assign", work_assignment, named=True),
}

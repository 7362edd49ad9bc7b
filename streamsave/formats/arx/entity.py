"""Structs of an entity: anything in a level that has a place, from an item to a goblin.

| in order | how many |
|---|---|
| IO_SAVE | 1; a stub ends here: all zero but its version and `show` 255, it marks something destroyed |
| TIMERS_SAVE | `nbtimers` |
| SCRIPT_SAVE, variables | 1, `nblvar`: the script |
| SCRIPT_SAVE, variables | 1, `nblvar`: the script that overrides it |
| the struct of its kind | 1, by `savesystem_type`: see `KINDS` |
| INVENTORY_DATA_SAVE | 1 if `system_flags` has `HAS_INVENTORY` |
| SavedTweakerInfo | 1 if `system_flags` has `HAS_TWEAKER` |
| SavedGroupData | `nb_iogroups` |
| SavedTweakInfo | `tweak_nb` |
"""

from __future__ import annotations

from typing import Final

from streamsave.formats.arx import parts  # noqa: F401 - the structs that the tables name
from streamsave.formats.arx.layout import Layout, layout

__all__ = [
    "HAS_INVENTORY",
    "HAS_TWEAKER",
    "INVENTORY_DATA_SAVE",
    "IO_SAVE",
    "KINDS",
    "SAVED_GROUP_DATA",
    "SAVED_TWEAKER_INFO",
    "SAVED_TWEAK_INFO",
    "SCRIPT_SAVE",
    "TIMERS_SAVE",
]

IO_SAVE: Final[Layout] = layout(
    "IO_SAVE",
    55192,
    (0, "savesystem_type", "i32"),
    (4, "saveflags", "i32"),
    (8, "version", "f32"),
    (12, "filename", "char[256]"),
    (268, "ident", "i32"),
    (272, "ioflags", "i32"),
    (276, "pos", "SavedVec3"),
    (288, "initpos", "SavedVec3"),
    (300, "lastpos", "SavedVec3"),
    (312, "move", "SavedVec3"),
    (324, "lastmove", "SavedVec3"),
    (336, "angle", "SavedAnglef"),
    (348, "initangle", "SavedAnglef"),
    (360, "scale", "f32"),
    (364, "savetime", "u32"),
    (368, "weight", "f32"),
    (372, "locname", "char[64]"),
    (436, "editor_flags", "u16"),
    (438, "game_flags", "u16"),
    (440, "material", "i32"),
    (444, "level", "i16"),
    (446, "truelevel", "i16"),
    (448, "nbtimers", "i32"),
    (452, "scriptload", "i32"),
    (456, "show", "i16"),
    (458, "collision", "i16"),
    (460, "mainevent", "char[64]"),
    (524, "velocity", "SavedVec3"),
    (536, "stopped", "i32"),
    (540, "physics", "SavedIOPhysics"),
    (608, "original_radius", "f32"),
    (612, "original_height", "f32"),
    (616, "anims", "char[200][256]"),
    (51816, "animlayer", "SavedAnimUse[4]"),
    (51960, "id_targetinfo", "char[64]"),
    (52024, "inventory", "i32"),
    (52028, "system_flags", "i32"),
    (52032, "basespeed", "f32"),
    (52036, "speed_modif", "f32"),
    (52040, "frameloss", "f32"),
    (52044, "spellcast_data", "SavedSpellcastData"),
    (52064, "rubber", "f32"),
    (52068, "max_durability", "f32"),
    (52072, "durability", "f32"),
    (52076, "poisonous", "i16"),
    (52078, "poisonous_count", "i16"),
    (52080, "nb_linked", "i32"),
    (52084, "linked_data", "IO_LINKED_DATA[16]"),
    (54004, "head_rot", "f32"),
    (54008, "damager_damages", "i16"),
    (54010, "nb_iogroups", "i16"),
    (54012, "damager_type", "i32"),
    (54016, "type_flags", "u32"),
    (54020, "stepmaterial", "char[128]"),
    (54148, "armormaterial", "char[128]"),
    (54276, "weaponmaterial", "char[128]"),
    (54404, "strikespeech", "char[128]"),
    (54532, "tweak_nb", "i16"),
    (54534, "padd", "padding[2]"),
    (54536, "halo", "SavedHalo"),
    (54572, "secretvalue", "i8"),
    (54573, "paddd", "padding[3]"),
    (54576, "shop_category", "char[128]"),
    (54704, "shop_multiply", "f32"),
    (54708, "aflags", "i32"),
    (54712, "ignition", "f32"),
    (54716, "inventory_skin", "char[128]"),
    (54844, "usepath_name", "char[64]"),
    (54908, "usepath_starttime", "u32"),
    (54912, "usepath_curtime", "u32"),
    (54916, "usepath_aupflags", "i32"),
    (54920, "usepath_initpos", "SavedVec3"),
    (54932, "usepath_last_wp", "i32"),
    (54936, "padddd", "padding[256]"),
)

TIMERS_SAVE: Final[Layout] = layout(
    "TIMERS_SAVE",
    92,
    (0, "name", "char[64]"),
    (64, "count", "i32"),
    (68, "interval", "i32"),
    (72, "pos", "i32"),
    (76, "remaining", "i32"),
    (80, "script", "i32"),
    (84, "longinfo", "i32"),
    (88, "flags", "i32"),
)

SCRIPT_SAVE: Final[Layout] = layout(
    "SCRIPT_SAVE",
    12,
    (0, "nblvar", "i32"),
    (4, "lastcall", "u32"),
    (8, "allowevents", "i32"),
)

NPC_IO_SAVE: Final[Layout] = layout(
    "NPC_IO_SAVE",
    2024,
    (0, "maxlife", "f32"),
    (4, "life", "f32"),
    (8, "maxmana", "f32"),
    (12, "mana", "f32"),
    (16, "reachedtarget", "i32"),
    (20, "id_weapon", "char[64]"),
    (84, "detect", "i32"),
    (88, "movemode", "i32"),
    (92, "armor_class", "f32"),
    (96, "absorb", "f32"),
    (100, "damages", "f32"),
    (104, "tohit", "f32"),
    (108, "aimtime", "f32"),
    (112, "behavior", "u32"),
    (116, "behavior_param", "f32"),
    (120, "tactics", "i32"),
    (124, "xpvalue", "i32"),
    (128, "cut", "i32"),
    (132, "moveproblem", "f32"),
    (136, "weapontype", "i32"),
    (140, "weaponinhand", "i32"),
    (144, "fightdecision", "i32"),
    (148, "padding", "padding[256]"),
    (404, "look_around_inc", "f32"),
    (408, "collid_time", "u32"),
    (412, "collid_state", "i32"),
    (416, "speakpitch", "f32"),
    (420, "lastmouth", "f32"),
    (424, "stacked", "SavedBehaviour[5]"),
    (1264, "weapon", "char[64]"),
    (1328, "critical", "f32"),
    (1332, "reach", "f32"),
    (1336, "backstab_skill", "f32"),
    (1340, "poisonned", "f32"),
    (1344, "resist_poison", "u8"),
    (1345, "resist_magic", "u8"),
    (1346, "resist_fire", "u8"),
    (1347, "padd", "padding[1]"),
    (1348, "strike_time", "i16"),
    (1350, "walk_start_time", "i16"),
    (1352, "aiming_start", "i32"),
    (1356, "npcflags", "i32"),
    (1360, "pathfind", "SavedPathfindTarget"),
    (1380, "ex_rotate", "SavedExtraRotate"),
    (1440, "blood_color", "u32"),
    (1444, "stackedtarget", "char[5][64]"),
    (1764, "f_detect", "f32"),
    (1768, "cuts", "i16"),
    (1770, "spadd", "padding[2]"),
    (1772, "paddd", "padding[252]"),
)

ITEM_IO_SAVE: Final[Layout] = layout(
    "ITEM_IO_SAVE",
    502,
    (0, "price", "i32"),
    (4, "maxcount", "i16"),
    (6, "count", "i16"),
    (8, "food_value", "i8"),
    (9, "stealvalue", "i8"),
    (10, "playerstacksize", "i16"),
    (12, "light_value", "i16"),
    (14, "equipitem", "SavedEquipItem"),
    (246, "padd", "padding[256]"),
)

FIX_IO_SAVE: Final[Layout] = layout(
    "FIX_IO_SAVE",
    260,
    (0, "trapvalue", "i8"),
    (1, "padd", "padding[3]"),
    (4, "paddd", "padding[256]"),
)

CAMERA_IO_SAVE: Final[Layout] = layout(
    "CAMERA_IO_SAVE",
    360,
    (0, "cam", "SavedCamera"),
)

MARKER_IO_SAVE: Final[Layout] = layout(
    "MARKER_IO_SAVE",
    4,
    (0, "dummy", "i32"),
)

INVENTORY_DATA_SAVE: Final[Layout] = layout(
    "INVENTORY_DATA_SAVE",
    54344,
    (0, "io", "char[64]"),
    (64, "sizex", "i32"),
    (68, "sizey", "i32"),
    (72, "slot_io", "char[20][20][64]"),
    (25672, "slot_show", "i32[20][20]"),
    (27272, "initio", "char[20][20][64]"),
    (52872, "weapon", "char[64]"),
    (52936, "targetinfo", "char[64]"),
    (53000, "linked_id", "char[16][64]"),
    (54024, "stackedtarget", "char[5][64]"),
)

SAVED_TWEAKER_INFO: Final[Layout] = layout(
    "SavedTweakerInfo",
    768,
    (0, "filename", "char[256]"),
    (256, "skintochange", "char[256]"),
    (512, "skinchangeto", "char[256]"),
)

SAVED_GROUP_DATA: Final[Layout] = layout(
    "SavedGroupData",
    64,
    (0, "name", "char[64]"),
)

SAVED_TWEAK_INFO: Final[Layout] = layout(
    "SavedTweakInfo",
    516,
    (0, "type", "i32"),
    (4, "param1", "char[256]"),
    (260, "param2", "char[256]"),
)

#: Bits of `IO_SAVE.system_flags`.
HAS_TWEAKER: Final = 1
HAS_INVENTORY: Final = 2

#: By `IO_SAVE.savesystem_type`: name and struct of the section for this kind of entity.
KINDS: Final[dict[int, tuple[str, Layout]]] = {
    1: ("npc", NPC_IO_SAVE),
    2: ("item", ITEM_IO_SAVE),
    3: ("fix", FIX_IO_SAVE),
    4: ("camera", CAMERA_IO_SAVE),
    5: ("marker", MARKER_IO_SAVE),
}

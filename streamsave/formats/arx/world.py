"""Structs of the entries that a save has once, or once for each level: `pld`, `player`, `globals`, `lvlNNN`; see `entry_walker`.

There is one layout only. Later fields took the place of padding, and are zero in older saves: in PLAYER_LEVEL_DATA all from
`playthrough_start` on, and the upper half of `time`. `version` is 1.005 in all structs but PLAYER, where it is 0.
"""

from __future__ import annotations

from typing import Final

from streamsave.formats.arx import parts  # noqa: F401 - the structs that the tables name
from streamsave.formats.arx.layout import Layout, layout

__all__ = [
    "INDEX",
    "IO_INDEX",
    "LIGHT",
    "PATH",
    "PLAYER",
    "PLAYER_LEVEL_DATA",
    "SAVED_MAP_MARKER_DATA",
    "SAVED_PLAYING_AMBIANCE",
    "SAVE_GLOBALS",
]

PLAYER_LEVEL_DATA: Final[Layout] = layout(
    "PLAYER_LEVEL_DATA",
    396,
    (0, "version", "f32"),
    (4, "name", "utf8[256]"),
    (260, "level", "i32"),
    (264, "time", "i64"),
    (272, "playthrough_start", "i64"),
    (280, "playthrough_id", "u64"),
    (288, "oldest_al_version", "u64"),
    (296, "newest_al_version", "u64"),
    (304, "last_al_version", "u64"),
    (312, "last_engine_version", "char[64]"),
    (376, "padd", "padding[20]"),
)

PLAYER: Final[Layout] = layout(
    "PLAYER",
    144584,
    (0, "version", "f32"),
    (4, "current_movement", "i32"),
    (8, "last_movement", "i32"),
    (12, "misc_flags", "u32"),
    (16, "attribute_strength", "f32"),
    (20, "attribute_dexterity", "f32"),
    (24, "attribute_constitution", "f32"),
    (28, "attribute_mind", "f32"),
    (32, "skill_stealth", "f32"),
    (36, "skill_mecanism", "f32"),
    (40, "skill_intuition", "f32"),
    (44, "skill_etheral_link", "f32"),
    (48, "skill_object_knowledge", "f32"),
    (52, "skill_casting", "f32"),
    (56, "skill_projectile", "f32"),
    (60, "skill_close_combat", "f32"),
    (64, "skill_defense", "f32"),
    (68, "critical_hit", "f32"),
    (72, "aim_time", "i32"),
    (76, "life", "f32"),
    (80, "maxlife", "f32"),
    (84, "mana", "f32"),
    (88, "maxmana", "f32"),
    (92, "level", "i32"),
    (96, "attribute_redistribute", "i16"),
    (98, "skill_redistribute", "i16"),
    (100, "armor_class", "f32"),
    (104, "resist_magic", "f32"),
    (108, "resist_poison", "f32"),
    (112, "xp", "i32"),
    (116, "skin", "i32"),
    (120, "rune_flags", "u32"),
    (124, "damages", "f32"),
    (128, "poison", "f32"),
    (132, "hunger", "f32"),
    (136, "pos", "SavedVec3"),
    (148, "angle", "SavedAnglef"),
    (160, "size", "SavedVec3"),
    (172, "inzone", "char[64]"),
    (236, "right_io", "char[64]"),
    (300, "left_io", "char[64]"),
    (364, "equipsecondary_io", "char[64]"),
    (428, "equipshield_io", "char[64]"),
    (492, "curtorch", "char[64]"),
    (556, "gold", "i32"),
    (560, "falling", "i32"),
    (564, "doingmagic", "i16"),
    (566, "interface", "i16"),
    (568, "invisibility", "f32"),
    (572, "useanim", "padding[36]"),
    (608, "physics", "SavedIOPhysics"),
    (676, "jumpstarttime", "u32"),
    (680, "jumpphase", "i32"),
    (684, "id_inventory", "char[3][16][3][64]"),
    (9900, "inventory_show", "i32[3][16][3]"),
    (10476, "minimap", "SavedMiniMap[32]"),
    (91372, "equiped", "char[12][64]"),
    (92140, "nb_player_quest", "i32"),
    (92144, "anims", "char[200][256]"),
    (143344, "keyring_nb", "i32"),
    (143348, "playerflags", "i32"),
    (143352, "teleport_to_level", "char[64]"),
    (143416, "teleport_to_position", "char[64]"),
    (143480, "teleport_to_angle", "i32"),
    (143484, "change_level_icon", "i32"),
    (143488, "bag", "i16"),
    (143490, "sp_flags", "i16"),
    (143492, "precast", "SavedPrecast[3]"),
    (143552, "global_magic_mode", "i32"),
    (143556, "nb_mapmarkers", "i32"),
    (143560, "last_valid_pos", "SavedVec3"),
    (143572, "dragged_entity", "char[64]"),
    (143636, "padding", "padding[948]"),
)

SAVED_MAP_MARKER_DATA: Final[Layout] = layout(
    "SavedMapMarkerData",
    76,
    (0, "x", "f32"),
    (4, "y", "f32"),
    (8, "lvl", "i32"),
    (12, "name", "char[64]"),
)

SAVE_GLOBALS: Final[Layout] = layout(
    "SAVE_GLOBALS",
    1032,
    (0, "version", "f32"),
    (4, "nb_globals", "i32"),
    (8, "padding", "padding[1024]"),
)

INDEX: Final[Layout] = layout(
    "INDEX",
    1516,
    (0, "version", "f32"),
    (4, "time", "u32"),
    (8, "nb_inter", "i32"),
    (12, "nb_paths", "i32"),
    (16, "nb_lights", "i32"),
    (20, "ambiances_data_size", "i32"),
    (24, "gmods_stacked", "SavedGlobalMods"),
    (180, "gmods_current", "SavedGlobalMods"),
    (336, "gmods_desired", "SavedGlobalMods"),
    (492, "padding", "padding[1024]"),
)

IO_INDEX: Final[Layout] = layout(
    "IO_INDEX",
    1296,
    (0, "filename", "char[256]"),
    (256, "ident", "i32"),
    (260, "num", "i32"),
    (264, "level", "i16"),
    (266, "truelevel", "i16"),
    (268, "padding", "padding[1028]"),
)

PATH: Final[Layout] = layout(
    "PATH",
    384,
    (0, "name", "char[64]"),
    (64, "controled", "char[64]"),
    (128, "padd", "padding[256]"),
)

SAVED_PLAYING_AMBIANCE: Final[Layout] = layout(
    "SavedPlayingAmbiance",
    268,
    (0, "name", "char[256]"),
    (256, "volume", "f32"),
    (260, "loop", "i32"),
    (264, "type", "i32"),
)

LIGHT: Final[Layout] = layout(
    "LIGHT",
    8,
    (0, "status", "i16"),
    (2, "padding", "padding[6]"),
)

"""Structs that are fields of others, of 8 to 2528 bytes.

A table has a name, a size, and rows of offset, name and type; see `layout`. The structs are packed: no row is aligned.
"""

from __future__ import annotations

from streamsave.formats.arx.layout import layout

__all__: list[str] = []

layout(
    "SavedColor",
    12,
    (0, "r", "f32"),
    (4, "g", "f32"),
    (8, "b", "f32"),
)

layout(
    "SavedAnglef",
    12,
    (0, "a", "f32"),
    (4, "b", "f32"),
    (8, "g", "f32"),
)

layout(
    "SavedCylinder",
    20,
    (0, "origin", "SavedVec3"),
    (12, "radius", "f32"),
    (16, "height", "f32"),
)

layout(
    "SavedIOPhysics",
    68,
    (0, "cyl", "SavedCylinder"),
    (20, "startpos", "SavedVec3"),
    (32, "targetpos", "SavedVec3"),
    (44, "velocity", "SavedVec3"),
    (56, "forces", "SavedVec3"),
)

layout(
    "SavedGlobalMods",
    156,
    (0, "flags", "i32"),
    (4, "depthcolor", "SavedColor"),
    (16, "zclip", "f32"),
    (20, "padding", "padding[136]"),
)

layout(
    "SavedMiniMap",
    2528,
    (0, "padding", "padding[4]"),
    (4, "offsetx", "f32"),
    (8, "offsety", "f32"),
    (12, "xratio", "f32"),
    (16, "yratio", "f32"),
    (20, "width", "f32"),
    (24, "height", "f32"),
    (28, "revealed", "u8[50][50]"),
)

layout(
    "SavedPrecast",
    20,
    (0, "typ", "i32"),
    (4, "level", "i32"),
    (8, "launch_time", "u32"),
    (12, "flags", "i32"),
    (16, "duration", "i32"),
)

layout(
    "SavedModInfo",
    44,
    (0, "link_origin", "i32"),
    (4, "link_position", "SavedVec3"),
    (16, "scale", "SavedVec3"),
    (28, "rot", "SavedAnglef"),
    (40, "flags", "u32"),
)

layout(
    "IO_LINKED_DATA",
    120,
    (0, "lgroup", "i32"),
    (4, "lidx", "i32"),
    (8, "lidx2", "i32"),
    (12, "modinfo", "SavedModInfo"),
    (56, "linked_id", "char[64]"),
)

layout(
    "SavedAnimUse",
    36,
    (0, "next_anim", "i32"),
    (4, "cur_anim", "i32"),
    (8, "altidx_next", "i16"),
    (10, "altidx_cur", "i16"),
    (12, "ctime", "i32"),
    (16, "flags", "u32"),
    (20, "nextflags", "u32"),
    (24, "lastframe", "i32"),
    (28, "pour", "f32"),
    (32, "fr", "i32"),
)

layout(
    "SavedSpellcastData",
    20,
    (0, "castingspell", "i32"),
    (4, "symb", "u8[4]"),
    (8, "spell_flags", "i16"),
    (10, "spell_level", "i16"),
    (12, "target", "i32"),
    (16, "duration", "i32"),
)

layout(
    "SavedHalo",
    36,
    (0, "color", "SavedColor"),
    (12, "radius", "f32"),
    (16, "flags", "u32"),
    (20, "dynlight", "i32"),
    (24, "offset", "SavedVec3"),
)

layout(
    "SavedBehaviour",
    168,
    (0, "exist", "i32"),
    (4, "behavior", "u32"),
    (8, "behavior_param", "f32"),
    (12, "tactics", "i32"),
    (16, "target", "i32"),
    (20, "movemode", "i32"),
    (24, "animlayer", "SavedAnimUse[4]"),
)

layout(
    "SavedPathfindTarget",
    20,
    (0, "padding", "padding[16]"),
    (16, "truetarget", "i32"),
)

layout(
    "SavedExtraRotate",
    60,
    (0, "flags", "i32"),
    (4, "group_number", "i16[4]"),
    (12, "group_rotate", "SavedAnglef[4]"),
)

layout(
    "SavedEquipItemElement",
    8,
    (0, "value", "f32"),
    (4, "flags", "i16"),
    (6, "special", "i16"),
)

layout(
    "SavedEquipItem",
    232,
    (0, "elements", "SavedEquipItemElement[29]"),
)

layout(
    "SavedRect",
    16,
    (0, "left", "i32"),
    (4, "top", "i32"),
    (8, "right", "i32"),
    (12, "bottom", "i32"),
)

layout(
    "SavedMatrix",
    64,
    (0, "m11", "f32"),
    (4, "m12", "f32"),
    (8, "m13", "f32"),
    (12, "m14", "f32"),
    (16, "m21", "f32"),
    (20, "m22", "f32"),
    (24, "m23", "f32"),
    (28, "m24", "f32"),
    (32, "m31", "f32"),
    (36, "m32", "f32"),
    (40, "m33", "f32"),
    (44, "m34", "f32"),
    (48, "m41", "f32"),
    (52, "m42", "f32"),
    (56, "m43", "f32"),
    (60, "m44", "f32"),
)

layout(
    "SavedCamera",
    360,
    (0, "pos", "SavedVec3"),
    (12, "ycos", "f32"),
    (16, "ysin", "f32"),
    (20, "xsin", "f32"),
    (24, "xcos", "f32"),
    (28, "use_focal1", "f32"),
    (32, "xmod", "f32"),
    (36, "ymod", "f32"),
    (40, "zmod", "f32"),
    (44, "pos2", "SavedVec3"),
    (56, "y_cos", "f32"),
    (60, "y_sin", "f32"),
    (64, "x_cos", "f32"),
    (68, "x_sin", "f32"),
    (72, "z_cos", "f32"),
    (76, "z_sin", "f32"),
    (80, "focal", "f32"),
    (84, "use_focal", "f32"),
    (88, "z_mul", "f32"),
    (92, "posleft", "f32"),
    (96, "postop", "f32"),
    (100, "xmod2", "f32"),
    (104, "ymod2", "f32"),
    (108, "matrix", "SavedMatrix"),
    (172, "angle", "SavedAnglef"),
    (184, "d_pos", "SavedVec3"),
    (196, "d_angle", "SavedAnglef"),
    (208, "lasttarget", "SavedVec3"),
    (220, "lastpos", "SavedVec3"),
    (232, "translatetarget", "SavedVec3"),
    (244, "lastinfovalid", "i32"),
    (248, "norm", "SavedVec3"),
    (260, "fadecolor", "SavedColor"),
    (272, "clip", "SavedRect"),
    (288, "clipz0", "f32"),
    (292, "clipz1", "f32"),
    (296, "centerx", "i32"),
    (300, "centery", "i32"),
    (304, "smoothing", "f32"),
    (308, "add_x", "f32"),
    (312, "add_y", "f32"),
    (316, "x_snap", "i32"),
    (320, "z_snap", "i32"),
    (324, "z_div", "f32"),
    (328, "clip3d", "i32"),
    (332, "type", "i32"),
    (336, "bkgcolor", "u32"),
    (340, "nbdrawn", "i32"),
    (344, "cdepth", "f32"),
    (348, "size", "SavedAnglef"),
)

"""Structs of Arx saves, written from values: little-endian, packed, each field after the one before.

The format of a field is one of `struct`'s letters, a struct's name, or `n*` before either; `64s` is text with NULs after
it, `4B` bytes, `20x` padding.
"""

from __future__ import annotations

import struct
from typing import Any

#: Name: its fields, in order, without any room between them.
STRUCTS = {
    "SavedColor": "r:f g:f b:f",
    "SavedVec3": "x:f y:f z:f",
    "SavedAnglef": "a:f b:f g:f",
    "SavedCylinder": "origin:SavedVec3 radius:f height:f",
    "SavedIOPhysics": "cyl:SavedCylinder startpos:SavedVec3 targetpos:SavedVec3 velocity:SavedVec3 forces:SavedVec3",
    "SavedGlobalMods": "flags:i depthcolor:SavedColor zclip:f 136x",
    "SavedMiniMap": "4x offsetx:f offsety:f xratio:f yratio:f width:f height:f revealed:50*50B",
    "SavedPrecast": "typ:i level:i launch_time:I flags:i duration:i",
    "SavedModInfo": "link_origin:i link_position:SavedVec3 scale:SavedVec3 rot:SavedAnglef flags:I",
    "IO_LINKED_DATA": "lgroup:i lidx:i lidx2:i modinfo:SavedModInfo linked_id:64s",
    "SavedAnimUse": "next_anim:i cur_anim:i altidx_next:h altidx_cur:h ctime:i flags:I nextflags:I lastframe:i pour:f fr:i",
    "SavedSpellcastData": "castingspell:i symb:4B spell_flags:h spell_level:h target:i duration:i",
    "SavedHalo": "color:SavedColor radius:f flags:I dynlight:i offset:SavedVec3",
    "SavedBehaviour": "exist:i behavior:I behavior_param:f tactics:i target:i movemode:i animlayer:4*SavedAnimUse",
    "SavedPathfindTarget": "16x truetarget:i",
    "SavedExtraRotate": "flags:i group_number:4*h group_rotate:4*SavedAnglef",
    "SavedEquipItemElement": "value:f flags:h special:h",
    "SavedEquipItem": "elements:29*SavedEquipItemElement",
    "SavedRect": "left:i top:i right:i bottom:i",
    "SavedMatrix": "m11:f m12:f m13:f m14:f m21:f m22:f m23:f m24:f m31:f m32:f m33:f m34:f m41:f m42:f m43:f m44:f",
    "SavedCamera": (
        "pos:SavedVec3 ycos:f ysin:f xsin:f xcos:f use_focal1:f xmod:f ymod:f zmod:f pos2:SavedVec3 y_cos:f y_sin:f "
        "x_cos:f x_sin:f z_cos:f z_sin:f focal:f use_focal:f z_mul:f posleft:f postop:f xmod2:f ymod2:f "
        "matrix:SavedMatrix angle:SavedAnglef d_pos:SavedVec3 d_angle:SavedAnglef lasttarget:SavedVec3 lastpos:SavedVec3 "
        "translatetarget:SavedVec3 lastinfovalid:i norm:SavedVec3 fadecolor:SavedColor clip:SavedRect clipz0:f clipz1:f "
        "centerx:i centery:i smoothing:f add_x:f add_y:f x_snap:i z_snap:i z_div:f clip3d:i type:i bkgcolor:I nbdrawn:i "
        "cdepth:f size:SavedAnglef"
    ),
    "PLAYER_LEVEL_DATA": (
        "version:f name:256s level:i time:q playthrough_start:q playthrough_id:Q oldest_al_version:Q newest_al_version:Q "
        "last_al_version:Q last_engine_version:64s 20x"
    ),
    "PLAYER": (
        "version:f current_movement:i last_movement:i misc_flags:I attribute_strength:f attribute_dexterity:f "
        "attribute_constitution:f attribute_mind:f skill_stealth:f skill_mecanism:f skill_intuition:f "
        "skill_etheral_link:f skill_object_knowledge:f skill_casting:f skill_projectile:f skill_close_combat:f "
        "skill_defense:f critical_hit:f aim_time:i life:f maxlife:f mana:f maxmana:f level:i attribute_redistribute:h "
        "skill_redistribute:h armor_class:f resist_magic:f resist_poison:f xp:i skin:i rune_flags:I damages:f poison:f "
        "hunger:f pos:SavedVec3 angle:SavedAnglef size:SavedVec3 inzone:64s right_io:64s left_io:64s "
        "equipsecondary_io:64s equipshield_io:64s curtorch:64s gold:i falling:i doingmagic:h interface:h invisibility:f "
        "36x physics:SavedIOPhysics jumpstarttime:I jumpphase:i id_inventory:3*16*3*64s inventory_show:3*16*3*i "
        "minimap:32*SavedMiniMap equiped:12*64s nb_player_quest:i anims:200*256s keyring_nb:i playerflags:i "
        "teleport_to_level:64s teleport_to_position:64s teleport_to_angle:i change_level_icon:i bag:h sp_flags:h "
        "precast:3*SavedPrecast global_magic_mode:i nb_mapmarkers:i last_valid_pos:SavedVec3 dragged_entity:64s 948x"
    ),
    "SavedMapMarkerData": "x:f y:f lvl:i name:64s",
    "SAVE_GLOBALS": "version:f nb_globals:i 1024x",
    "INDEX": (
        "version:f time:I nb_inter:i nb_paths:i nb_lights:i ambiances_data_size:i gmods_stacked:SavedGlobalMods "
        "gmods_current:SavedGlobalMods gmods_desired:SavedGlobalMods 1024x"
    ),
    "IO_INDEX": "filename:256s ident:i num:i level:h truelevel:h 1028x",
    "PATH": "name:64s controled:64s 256x",
    "SavedPlayingAmbiance": "name:256s volume:f loop:i type:i",
    "LIGHT": "status:h 6x",
    "IO_SAVE": (
        "savesystem_type:i saveflags:i version:f filename:256s ident:i ioflags:i pos:SavedVec3 initpos:SavedVec3 "
        "lastpos:SavedVec3 move:SavedVec3 lastmove:SavedVec3 angle:SavedAnglef initangle:SavedAnglef scale:f savetime:I "
        "weight:f locname:64s editor_flags:H game_flags:H material:i level:h truelevel:h nbtimers:i scriptload:i show:h "
        "collision:h mainevent:64s velocity:SavedVec3 stopped:i physics:SavedIOPhysics original_radius:f "
        "original_height:f anims:200*256s animlayer:4*SavedAnimUse id_targetinfo:64s inventory:i system_flags:i "
        "basespeed:f speed_modif:f frameloss:f spellcast_data:SavedSpellcastData rubber:f max_durability:f durability:f "
        "poisonous:h poisonous_count:h nb_linked:i linked_data:16*IO_LINKED_DATA head_rot:f damager_damages:h "
        "nb_iogroups:h damager_type:i type_flags:I stepmaterial:128s armormaterial:128s weaponmaterial:128s "
        "strikespeech:128s tweak_nb:h 2x halo:SavedHalo secretvalue:b 3x shop_category:128s shop_multiply:f aflags:i "
        "ignition:f inventory_skin:128s usepath_name:64s usepath_starttime:I usepath_curtime:I usepath_aupflags:i "
        "usepath_initpos:SavedVec3 usepath_last_wp:i 256x"
    ),
    "TIMERS_SAVE": "name:64s count:i interval:i pos:i remaining:i script:i longinfo:i flags:i",
    "SCRIPT_SAVE": "nblvar:i lastcall:I allowevents:i",
    "NPC_IO_SAVE": (
        "maxlife:f life:f maxmana:f mana:f reachedtarget:i id_weapon:64s detect:i movemode:i armor_class:f absorb:f "
        "damages:f tohit:f aimtime:f behavior:I behavior_param:f tactics:i xpvalue:i cut:i moveproblem:f weapontype:i "
        "weaponinhand:i fightdecision:i 256x look_around_inc:f collid_time:I collid_state:i speakpitch:f lastmouth:f "
        "stacked:5*SavedBehaviour weapon:64s critical:f reach:f backstab_skill:f poisonned:f resist_poison:B "
        "resist_magic:B resist_fire:B 1x strike_time:h walk_start_time:h aiming_start:i npcflags:i "
        "pathfind:SavedPathfindTarget ex_rotate:SavedExtraRotate blood_color:I stackedtarget:5*64s f_detect:f cuts:h 2x "
        "252x"
    ),
    "ITEM_IO_SAVE": (
        "price:i maxcount:h count:h food_value:b stealvalue:b playerstacksize:h light_value:h equipitem:SavedEquipItem 256x"
    ),
    "FIX_IO_SAVE": "trapvalue:b 3x 256x",
    "CAMERA_IO_SAVE": "cam:SavedCamera",
    "MARKER_IO_SAVE": "dummy:i",
    "INVENTORY_DATA_SAVE": (
        "io:64s sizex:i sizey:i slot_io:20*20*64s slot_show:20*20*i initio:20*20*64s weapon:64s targetinfo:64s "
        "linked_id:16*64s stackedtarget:5*64s"
    ),
    "SavedTweakerInfo": "filename:256s skintochange:256s skinchangeto:256s",
    "SavedGroupData": "name:64s",
    "SavedTweakInfo": "type:i param1:256s param2:256s",
}

#: What a struct is made of: dicts by field, tuples for vectors; what is left out is zero, or empty text.
Values = dict[str, Any]

VECTOR = "SavedVec3"


def fields_of(name: str) -> list[tuple[str, str]]:
    """Give names and formats of a struct's fields; padding has no name."""
    pairs = [field.rpartition(":") for field in STRUCTS[name].split()]
    return [(field, form) for field, _, form in pairs]


def encode_struct(name: str, values: Values | tuple[float, float, float]) -> bytes:
    """Write a struct."""
    if isinstance(values, tuple):
        return struct.pack("<3f", *values)
    fields = fields_of(name)
    unknown = set(values) - {field for field, _ in fields}
    if unknown:
        raise KeyError(f"{name} has no {', '.join(sorted(unknown))}")
    return b"".join(_encode(form, values.get(field)) for field, form in fields)


def _encode(form: str, value: Any) -> bytes:  # noqa: ANN401
    count, star, element = form.partition("*")
    if star:
        items = list(value or ())
        return b"".join(_encode(element, items[index] if index < len(items) else None) for index in range(int(count)))
    if form in STRUCTS:
        return encode_struct(form, value or {})
    if form[-1] in "sx":
        return struct.pack(f"<{form}", text_bytes(value or ""))[: struct.calcsize(form)] if form[-1] == "s" else struct.pack(form)
    if form[-1] == "B" and form != "B":
        return bytes(value or b"").ljust(int(form[:-1]), b"\0")
    return struct.pack(f"<{form}", value or 0)


def text_bytes(text: str | bytes) -> bytes:
    """Give the bytes of a text, which may be given as bytes already."""
    return text if isinstance(text, bytes) else text.encode("latin-1")


def whole_struct(name: str, values: Values) -> Any:  # noqa: ANN401
    """Give all values of a struct as a reader finds them: what was left out is there, floats have 32 bits."""
    if name == VECTOR:
        return struct.unpack("<3f", encode_struct(name, values or (0.0, 0.0, 0.0)))
    return {field: _whole(form, values.get(field)) for field, form in fields_of(name) if field}


def _whole(form: str, value: Any) -> Any:  # noqa: ANN401
    count, star, element = form.partition("*")
    if star:
        items = list(value or ())
        return [_whole(element, items[index] if index < len(items) else None) for index in range(int(count))]
    if form in STRUCTS:
        return whole_struct(form, value or {})
    data = _encode(form, value)
    if form[-1] == "s":
        return data.partition(b"\0")[0].decode("latin-1")
    return data if form[-1] == "B" and form != "B" else struct.unpack(f"<{form}", data)[0]

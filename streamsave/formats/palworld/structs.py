"""Structs that several layouts of Palworld's `RawData` have."""

from __future__ import annotations

from typing import Final

from streamsave.decode.codecs import F32, F64, I32, STRING, U8, U32, Array, Codec, Struct
from streamsave.formats.palworld.codecs import CLASS_END, FLAG
from streamsave.formats.palworld.versions import CHAIN, Member
from streamsave.formats.unreal.codecs import GUID
from streamsave.values import LinearColor, Quat, Vector

__all__ = [
    "BYTE_ARRAY",
    "COLOR",
    "END",
    "INSTANCE_ID",
    "ITEM_AND_COUNT",
    "ITEM_ID",
    "MARKER",
    "PERMISSION",
    "QUAT",
    "STRINGS",
    "TRANSFORM",
    "TRIED_PLAYER",
    "VECTOR",
]

#: The end of the fields of one class.
END: Final = Member("class_end", CLASS_END, CHAIN)

VECTOR: Final = Struct("Vector", Vector, x=F64, y=F64, z=F64)
QUAT: Final = Struct("Quat", Quat, x=F64, y=F64, z=F64, w=F64)
TRANSFORM: Final = Struct("Transform", None, rotation=QUAT, translation=VECTOR, scale_3d=VECTOR)
COLOR: Final = Struct("LinearColor", LinearColor, r=F32, g=F32, b=F32, a=F32)

BYTE_ARRAY: Final[Codec] = Array(U8)
STRINGS: Final[Codec] = Array(STRING)

#: An item: which one, and its entry among the dynamic items.
ITEM_ID: Final = Struct("PalItemId", None, static_id=STRING, created_world_id=GUID, local_id_in_created_world=GUID)
ITEM_AND_COUNT: Final = Struct("PalItemAndNum", None, item_id=ITEM_ID, num=U32)
#: A character.
INSTANCE_ID: Final = Struct("PalInstanceId", None, player_uid=GUID, instance_id=GUID)
#: Which items a slot or container takes.
PERMISSION: Final = Struct("PalItemPermission", None, type_a=BYTE_ARRAY, type_b=BYTE_ARRAY, item_static_ids=STRINGS)

#: A mark on the map of a guild.
MARKER: Final = Struct("PalGuildMarker", None, id=GUID, location=VECTOR, icon=I32, owner=GUID)
#: A player who has tried the password of a lock.
TRIED_PLAYER: Final = Struct("PalTriedPlayer", None, player_uid=GUID, try_failed_count=I32, is_successful=FLAG)

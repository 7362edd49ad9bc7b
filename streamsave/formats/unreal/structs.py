"""Binary structs of the engine itself, which look the same in every Unreal save but for the precision of their numbers."""

from __future__ import annotations

from streamsave.decode.codecs import F32, I32, U8, Codec, Struct
from streamsave.formats.unreal.codecs import DATE_TIME, GUID
from streamsave.values import Box, Color, LinearColor, Quat, Rotator, Vector, Vector2D, Vector4

__all__ = ["engine_structs"]


def engine_structs(real: Codec) -> dict[str, Codec]:
    """Make the table; `real` is a float, or a double where worlds are large."""
    vector = Struct("Vector", Vector, x=real, y=real, z=real)
    vector4 = Struct("Vector4", Vector4, x=real, y=real, z=real, w=real)
    vector3f = Struct("Vector3f", Vector, x=F32, y=F32, z=F32)
    rows: list[Codec] = [
        Struct("Color", Color, b=U8, g=U8, r=U8, a=U8),
        Struct("LinearColor", LinearColor, r=F32, g=F32, b=F32, a=F32),
        Struct("IntPoint", None, x=I32, y=I32),
        Struct("IntVector", None, x=I32, y=I32, z=I32),
        Struct("IntVector4", None, x=I32, y=I32, z=I32, w=I32),
        vector,
        vector4,
        vector3f,
        Struct("Vector2D", Vector2D, x=real, y=real),
        Struct("Rotator", Rotator, pitch=real, yaw=real, roll=real),
        Struct("Quat", Quat, x=real, y=real, z=real, w=real),
        Struct("Box", Box, min=vector, max=vector, is_valid=U8),
        Struct("Box3f", Box, min=vector3f, max=vector3f, is_valid=U8),
    ]
    table = {row.name: row for row in rows}
    table["Guid"] = GUID
    table["DateTime"] = DATE_TIME
    table["Vector4D"] = vector4
    return table

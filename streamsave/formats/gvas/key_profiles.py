"""What `EnhancedInputUserSettings` and the classes made of it write after their properties: profiles of keys, which are objects.

| field | type | |
|---|---|---|
| save_version | i32 | 1 |
| profiles | i32 n, n profiles | |
| sub_objects | n objects | of the profiles, in their order |

| profile | type | |
|---|---|---|
| profile_identifier, class_path, object_path | str each | |
| mapping_count | i32 | keys that the player has changed; what is stored of each is not known, so only 0 is read |

| sub-object | type | |
|---|---|---|
| serialization_control | u8 | object version 1011 of UE5 |
| properties | property list | |
| object_guid | bool32, then 16 bytes if set | |
| end | str | `ObjectEnd` |
"""

from __future__ import annotations

from typing import Final

from streamsave.decode.codecs import I32, STRING, U8, Array, BuildContext, Codec, Optional, Struct
from streamsave.decode.cursor import Cursor
from streamsave.decode.reader import FINAL_LIMITS
from streamsave.errors import LimitExceeded, SaveError, TruncatedSave
from streamsave.formats.unreal.codecs import GUID, PropertyList

__all__ = ["KEY_PROFILES_CLASS", "KEY_PROFILE_STEERING", "NO_KEY_PROFILES", "key_profiles"]

#: How the names of the classes end.
KEY_PROFILES_CLASS: Final = "InputUserSettings"
SAVE_VERSION: Final = 1
#: All of it without profiles.
NO_KEY_PROFILES: Final = SAVE_VERSION.to_bytes(4, "little") + bytes(4)
OBJECT_END: Final = "ObjectEnd"
PROFILE: Final = Struct("KeyProfile", None, profile_identifier=STRING, class_path=STRING, object_path=STRING, mapping_count=I32)
#: Fields that say how others are read.
KEY_PROFILE_STEERING: Final = frozenset(("save_version", "profiles", "end"))


def key_profiles(cursor: Cursor, context: BuildContext, *, has_control: bool) -> Struct | None:
    """Return the layout of what follows the properties and the GUID; None if it is another one.

    Args:
        cursor: where they would start; it goes to their end.
        context: passes over property lists.
        has_control: each object has a `serialization_control`.

    Raises:
        TruncatedSave: the stream ends inside of them. No such class leaves them out.
    """
    control: dict[str, Codec] = {"serialization_control": U8} if has_control else {}
    sub_object = Struct(
        "SubObject", None, **control, properties=PropertyList(nested=True), object_guid=Optional(GUID), end=STRING
    )
    try:
        names = _walk(cursor, context, sub_object)
    except TruncatedSave:
        raise
    except SaveError as error:
        if isinstance(error, LimitExceeded) and error.limit in FINAL_LIMITS:
            raise
        return None
    if names is None:
        return None
    sub_objects = Struct("SubObjects", None, **dict.fromkeys(names, sub_object))
    return Struct("KeyProfiles", None, save_version=I32, profiles=Array(PROFILE), sub_objects=sub_objects)


def _walk(cursor: Cursor, context: BuildContext, sub_object: Struct) -> list[str] | None:
    """Walk them to their end; return the names of the objects, None if something in them is not as described."""
    if cursor.i32() != SAVE_VERSION:
        return None
    count = cursor.count(PROFILE.least)
    if count > cursor.limits.table_entries:
        return None
    names = []
    for _ in range(count):
        cursor.skip_strings(2)
        names.append(cursor.string())
        if cursor.i32() != 0:
            return None
    if len(set(names)) < len(names):
        return None
    for _ in names:
        for member in sub_object.members[:-1]:
            member.measure(cursor, context)
        if cursor.string() != OBJECT_END:
            return None
    return names

"""Which object of one save is which of the other.

| object | is known by |
|---|---|
| with a name of its own | level, class and name |
| whose name is only its number: a foundation of Satisfactory, `Things[3]` | level, class and place |
| the same without a place, or without any name | level and class: equal ones belong together, the others in their order |

Objects that have all of this in common belong together in their order.
"""

from __future__ import annotations

from operator import attrgetter
from struct import Struct
from typing import Final

from streamsave._native import i64
from streamsave.events import OBJECT_MEMBERS, STORED_MEMBERS, ObjectHeader

__all__ = ["header_members", "is_certain", "is_like", "is_numbered", "is_same_object", "known_by", "state_of"]

#: A position and a rotation as bytes: other than numbers, those of one place are the same, also if it is no number.
PLACE: Final = Struct("7d")
SCALE: Final = Struct("3d")
#: The kind of objects of Satisfactory that are numbered in their class.
LIGHTWEIGHT: Final = "lightweight"
#: What a header says besides what an object is known by, and its place.
STATE: Final = [name for name in OBJECT_MEMBERS if name not in {"class_name", "instance_name", "level", "transform"}]
#: The same as a tuple; and what only some saves store.
says = attrgetter(*STATE)
stores = attrgetter(*STORED_MEMBERS)


def is_numbered(header: ObjectHeader) -> bool:
    """Return whether the name of an object is its number among others: it changes when one before it comes or goes."""
    name = header.instance_name
    if header.kind == LIGHTWEIGHT or not name:
        return True
    end: i64 = len(name)
    return name[end - 1] == "]" and name.startswith(header.level + "[") and name[len(header.level) + 1 : end - 1].isdigit()


def is_same_object(old: ObjectHeader, new: ObjectHeader) -> bool:
    """Return whether two objects are one in two states."""
    if old.class_name != new.class_name or old.level != new.level:
        return False
    if old.instance_name == new.instance_name and not is_numbered(old):
        return True
    return is_numbered(old) and is_numbered(new) and old._is_placed_like(new)


def is_like(old: ObjectHeader, new: ObjectHeader) -> bool:
    """Return whether the headers of an object in two states say the same."""
    return old.stored_flags == new.stored_flags and old._is_placed_like(new) and bool(says(old) == says(new))


def is_certain(header: ObjectHeader) -> bool:
    """Return whether an object is known by more than its class."""
    return not is_numbered(header) or header.transform is not None


def known_by(header: ObjectHeader) -> tuple[object, ...]:
    """Return what an object is known by."""
    if not is_numbered(header):
        return header.level, header.class_name, header.instance_name
    place = header.transform
    return header.level, header.class_name, b"" if place is None else PLACE.pack(*place.translation, *place.rotation)


def state_of(header: ObjectHeader) -> tuple[object, ...]:
    """Return what `header_members` does in a form that is hashed."""
    place = header.transform
    packed = b"" if place is None else PLACE.pack(*place.translation, *place.rotation) + SCALE.pack(*place.scale)
    return packed, says(header), tuple(map(bool, stores(header)))


def header_members(header: ObjectHeader) -> dict[str, object]:
    """Return what the header of an object says, besides what it is known by. Flags that its save does not store are false."""
    place = header.transform
    members: dict[str, object] = {}
    if place is not None:
        members = {"@position": place.translation, "@rotation": place.rotation, "@scale": place.scale}
    members |= {f"@{name}": getattr(header, name) for name in STATE}
    return members | {f"@{name}": bool(getattr(header, name)) for name in STORED_MEMBERS}

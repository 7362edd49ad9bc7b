"""What was taken from a save to be inserted in another one."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from streamsave.events import ObjectHeader, PropertyTag

__all__ = ["Cutting", "Facts"]

#: Pairs of a name and what it is.
Facts: TypeAlias = tuple[tuple[str, object], ...]


class Cutting(NamedTuple):
    """An object or a property: its bytes, and what a save has to have in common with the one that it is from."""

    event: ObjectHeader | PropertyTag
    #: The header of an object that is somewhere else than before its data; else nothing.
    header: bytes
    data: bytes
    facts: Facts
    #: An object of the map: a save does not have it among its destroyed ones.
    is_of_map: bool

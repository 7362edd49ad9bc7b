"""References to objects that the save does not have.

The names of objects are held in a Bloom filter of fixed size. A name that is not in the filter is certainly not in the save, so
every reference that is reported does dangle. In a save of a million objects, about one in 70,000 dangling references is missed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Final

from attrs import AttrsInstance, define, fields, has

from streamsave.check.finding import NOTE, Finding
from streamsave.errors import PathStep
from streamsave.events import PropertyTag
from streamsave.values import ObjectReference

__all__ = ["NameFilter", "References", "has_references"]

#: Bits of the filter (8 MiB), and how many of them a name sets.
FILTER_BITS: Final = 1 << 26
FILTER_HASHES: Final = 4

#: Types of properties that refer to objects, and binary structs that do.
REFERENCE_TYPES: Final = frozenset(("ObjectProperty", "InterfaceProperty"))
REFERENCE_STRUCTS: Final = frozenset(("RailroadTrackPosition",))

#: The end of the name of a level's own object.
LEVEL_OBJECT: Final = ":PersistentLevel"


class NameFilter:
    """A Bloom filter of names: `in` may be wrong when it is True, never when it is False."""

    def __init__(self) -> None:
        self._bits = bytearray(FILTER_BITS // 8)

    def add(self, name: str) -> None:
        """Add a name."""
        for bit in self._places(name):
            self._bits[bit >> 3] |= 1 << (bit & 7)

    def __contains__(self, name: str) -> bool:
        return all(self._bits[bit >> 3] & 1 << (bit & 7) for bit in self._places(name))

    def _places(self, name: str) -> list[int]:
        digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4 * FILTER_HASHES).digest()
        return [int.from_bytes(digest[at : at + 4], "little") % FILTER_BITS for at in range(0, 4 * FILTER_HASHES, 4)]


@define
class References:
    """Counts references to objects, and those among them whose target is not in the save."""

    #: The names of all objects of the save.
    names: NameFilter
    count: int = 0
    dangling: int = 0
    #: Target, offset and path of the first one that dangles.
    first: tuple[str, int, tuple[PathStep, ...]] | None = None

    def add(self, path: tuple[PathStep, ...], offset: int, value: object) -> None:
        """Look up all references in a built value. References to assets have no level; levels are no objects of the save."""
        for reference in references_in(value):
            if not reference.level_name or not reference.path_name or reference.path_name.endswith(LEVEL_OBJECT):
                continue
            self.count += 1
            if reference.path_name not in self.names:
                self.dangling += 1
                if self.first is None:
                    self.first = (reference.path_name, offset, path)

    def findings(self) -> Iterator[Finding]:
        """Yield one note about all references that dangle, if there are any."""
        if self.first is None:
            return
        target, offset, path = self.first
        message = (
            f"at least {self.dangling} of {self.count} references to objects have no target in the save; the first is to {target}"
        )
        yield Finding(NOTE, "dangling", message, offset, path)


def has_references(tag: PropertyTag) -> bool:
    """Return whether a property is a leaf that holds references to objects, and so has to be built to find them."""
    if tag.type in REFERENCE_TYPES or tag.type_name in REFERENCE_STRUCTS:
        return True
    if tag.inner_type == "StructProperty" or tag.value_type == "StructProperty":
        return False  # a container of structs is no leaf: the references in it come as events of their own
    return tag.inner_type in REFERENCE_TYPES or tag.value_type in REFERENCE_TYPES


def references_in(value: object) -> Iterator[ObjectReference]:
    """Yield all references in a built value."""
    if isinstance(value, ObjectReference):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from references_in(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from references_in(part)
    elif has(kind := type(value)):
        attrs_class: type[AttrsInstance] = kind
        for attribute in fields(attrs_class):
            yield from references_in(getattr(value, attribute.name))

"""References of Satisfactory that are taken out when their target is dropped: a connection without the other side is open.

| property | of | what becomes of it |
|---|---|---|
| mConnectedComponent | connections of belts, pipes, hyper tubes, trains | it refers to nothing |
| mWires | power connections | the element goes |
| mConnectedComponents | connections of tracks | the element goes |
| mComponents | power circuits | the element goes |
| mFluidIntegrantScriptInterfaces | pipe networks | the element goes |
| mBuildables | blueprint designers | the element goes |

What else refers to it stays: the game takes a reference without a target for an empty one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from streamsave.events import PropertyTag
from streamsave.values import ObjectReference

__all__ = ["is_link", "may_link", "unlinked"]

LINKS: Final = frozenset(("mConnectedComponent",))
LISTS: Final = frozenset(("mWires", "mConnectedComponents", "mComponents", "mFluidIntegrantScriptInterfaces", "mBuildables"))
#: Names of classes that have these properties.
CLASSES: Final = re.compile("Connection|Circuit|PipeNetwork|BlueprintDesigner")
#: What has a list for its value.
ARRAY: Final = "ArrayProperty"
OBJECT: Final = "ObjectProperty"


@lru_cache(maxsize=1 << 12)
def may_link(class_name: str) -> bool:
    """Return whether the objects of a class may have such a property."""
    return CLASSES.search(class_name) is not None


def is_link(tag: PropertyTag) -> bool:
    """Return whether a property is one of them."""
    return tag.name in LISTS if tag.type == ARRAY else tag.type == OBJECT and tag.name in LINKS


def unlinked(value: object, is_gone: Callable[[str], bool]) -> tuple[object, int]:
    """Return the value of such a property without references to what is gone, and how many there were.

    Args:
        value: of the property.
        is_gone: returns whether the object of a name is dropped.
    """
    if isinstance(value, list):
        kept = [part for part in value if not (isinstance(part, ObjectReference) and is_gone(part.path_name))]
        return kept, len(value) - len(kept)
    if isinstance(value, ObjectReference) and is_gone(value.path_name):
        return ObjectReference("", ""), 1
    return value, 0

"""Update what refers to dropped objects of Satisfactory: conveyor chains, connections, the lists of destroyed objects.

Conveyor chains lose dropped belts at their ends, with the items on them. The trailer of a chain has a segment for each belt,
from the front of the chain to its end. Lengths count from the end. The items are in a ring buffer, from the front one on; the
items of the segments follow each other.

| dropped belts | effect on the chain |
|---|---|
| at the front | their segments and items are removed; the others keep their lengths, and indices start at 0 again |
| at the end | the same, and all lengths shrink by the removed length |
| in between | none: the chain would have to be split |

References to dropped objects are removed: a connection without its other side is open.

| property | of | effect |
|---|---|---|
| mConnectedComponent | connections of belts, pipes, hyper tubes, trains | it refers to nothing |
| mWires | power connections | the element is removed |
| mConnectedComponents | connections of tracks | the element is removed |
| mComponents | power circuits | the element is removed |
| mFluidIntegrantScriptInterfaces | pipe networks | the element is removed |
| mBuildables | blueprint designers | the element is removed |

Other references are kept: the game treats a reference without a target as empty.

A level has two lists of destroyed objects: one after its objects, and a copy after their headers. The game restores an object of
the map that is not in the save, unless such a list has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from streamsave.decode.codecs import list_of
from streamsave.decode.paths import Step
from streamsave.errors import PathStep
from streamsave.events import Event, ObjectHeader
from streamsave.formats.satisfactory.game import CHAINS, TRAILER
from streamsave.rewriting.assignments import UNLINK, Assignment, Change
from streamsave.rewriting.family import is_map
from streamsave.values import ObjectReference

__all__ = [
    "DESTROYED",
    "Shorten",
    "Unlink",
    "is_chain",
    "is_copy",
    "may_link",
    "shortened",
    "unlinked",
    "with_destroyed",
    "without",
]


#: The index of an item where there is none.
NO_ITEM: Final = -1


def is_chain(header: ObjectHeader) -> bool:
    """Return whether an object is a conveyor chain."""
    return header.class_name.rpartition(".")[2].startswith(CHAINS)


def shortened(trailer: object, is_gone: Callable[[str], bool]) -> dict[str, object] | None:
    """Return the trailer of a chain without the dropped belts at its ends; None if it does not change.

    Args:
        trailer: as `build()` returns it.
        is_gone: returns whether an object of this name is dropped.
    """
    if not isinstance(trailer, dict):
        return None
    segments: list[dict[str, Any]] = trailer["chain_spline_segments"]
    items: list[dict[str, Any]] = trailer["conveyor_chain_items"]
    belts = [segment["conveyor_base"] for segment in segments]
    kept = [number for number, belt in enumerate(belts) if not (isinstance(belt, ObjectReference) and is_gone(belt.path_name))]
    if not kept or len(kept) == len(belts) or kept[-1] - kept[0] >= len(kept):
        return None
    first, last = kept[0], kept[-1] + 1
    counts = [item_count(segment, int(trailer["num_items"])) for segment in segments]
    if min(counts) < 0 or sum(counts) != len(items):
        return None  # segments and items contradict each other
    cut = segments[last - 1]["starts_at_length"]
    end = segments[first]["ends_at_length"]
    left = items[sum(counts[:first]) : sum(counts[:last])]
    filled = [segment for segment, count in zip(segments[first:last], counts[first:last], strict=True) if count]
    return {
        **trailer,
        "first_conveyor": belts[first],
        "last_conveyor": belts[last - 1],
        "chain_spline_segments": [
            {
                **segment,
                "starts_at_length": segment["starts_at_length"] - cut,
                "ends_at_length": segment["ends_at_length"] - cut,
                "index_in_chain_array": number,
            }
            for number, segment in enumerate(segments[first:last])
        ],
        "total_length": end - cut,
        "lead_item_index": filled[0]["first_item_index"] if filled else NO_ITEM,
        "tail_item_index": filled[-1]["last_item_index"] if filled else NO_ITEM,
        "conveyor_chain_items": [{**item, "offset": item["offset"] - cut} for item in left],
    }


def item_count(segment: Mapping[str, object], room: int) -> int:
    """Return the number of items of a segment in a ring buffer of `room` items; -1 if its indices are invalid."""
    first, last = segment["first_item_index"], segment["last_item_index"]
    if not isinstance(first, int) or not isinstance(last, int) or (first == NO_ITEM) != (last == NO_ITEM):
        return -1
    if first == NO_ITEM:
        return 0
    return (last - first) % room + 1 if 0 <= first < room and 0 <= last < room else -1


LINKS: Final = frozenset(
    (
        "mConnectedComponent",
        "mWires",
        "mConnectedComponents",
        "mComponents",
        "mFluidIntegrantScriptInterfaces",
        "mBuildables",
    )
)
#: Matches the names of classes with these properties.
CLASSES: Final = re.compile("Connection|Circuit|PipeNetwork|BlueprintDesigner")


@lru_cache(maxsize=1 << 12)
def may_link(class_name: str) -> bool:
    """Return whether the objects of a class may have a property of `LINKS`."""
    return CLASSES.search(class_name) is not None


def unlinked(value: object, is_gone: Callable[[str], bool]) -> object:
    """Return the value of a property of `LINKS` without references to dropped objects.

    Args:
        value: of the property.
        is_gone: returns whether an object of this name is dropped.
    """
    if isinstance(value, list):
        return [part for part in value if not (isinstance(part, ObjectReference) and is_gone(part.path_name))]
    return ObjectReference("", "") if isinstance(value, ObjectReference) and is_gone(value.path_name) else value


class Unlink(Assignment):
    """Remove references to dropped objects from properties.

    Args:
        is_gone: returns whether an object of this name is dropped.
        names: of the properties; `LINKS` if left out.
    """

    def __init__(self, is_gone: Callable[[str], bool], names: frozenset[str] = LINKS) -> None:
        super().__init__("", (), None)
        self._is_gone = is_gone
        self._names = names

    def match(self, place: tuple[PathStep, ...], keys: dict[tuple[PathStep, ...], object]) -> tuple[Step, ...] | None:
        """Do as `Assignment.match`."""
        return () if len(place) == 1 and place[0] in self._names else None

    def applied(self, old: object, rest: tuple[Step, ...]) -> tuple[object, int]:
        """Do as `Assignment.applied`."""
        new = unlinked(old, self._is_gone)
        return new, len(old) - len(new) if isinstance(old, list) and isinstance(new, list) else int(old != new)

    def change(self, header: ObjectHeader, name: str, old: object, new: object) -> Change:
        """Do as `Assignment.change`."""
        return Change(UNLINK, header.class_name, header.instance_name, name, old, new)


class Shorten(Unlink):
    """Remove dropped belts from the trailer of a chain."""

    def __init__(self, is_gone: Callable[[str], bool]) -> None:
        super().__init__(is_gone, frozenset((TRAILER,)))

    def applied(self, old: object, rest: tuple[Step, ...]) -> tuple[object, int]:
        """Do as `Assignment.applied`."""
        new = shortened(old, self._is_gone) or old
        return new, belt_count(old) - belt_count(new)

    def change(self, header: ObjectHeader, name: str, old: object, new: object) -> Change:
        """Do as `Assignment.change`, with the number of belts as the values."""
        path = f"{name}.chain_spline_segments"
        return Change(UNLINK, header.class_name, header.instance_name, path, belt_count(old), belt_count(new))


def belt_count(trailer: object) -> int:
    """Return the number of belts in the trailer of a chain."""
    return len(list_of(trailer["chain_spline_segments"])) if isinstance(trailer, dict) else 0


DESTROYED: Final = frozenset(("destroyed_actors", "toc_destroyed_actors"))
#: How the name of the copy among the headers starts.
COPY: Final = "toc_"


def is_copy(name: str) -> bool:
    """Return whether the list of this name is the copy among the headers."""
    return name.startswith(COPY)


def with_destroyed(old: object, field: Event, destroyed: Sequence[ObjectReference]) -> list[object] | None:
    """Return a list of destroyed objects with more objects; None if they cannot be added.

    The persistent level has a map of a list for each level. An empty one cannot get entries: no save before SaveVersion 51 is
    known to have any.

    Args:
        old: the value of the list.
        field: the list.
        destroyed: the objects to add.
    """
    listed = list_of(old)
    if not is_map(field):
        return [*listed, *destroyed]
    if not listed:
        return None
    by_level = {pair[0]: list_of(pair[1]) for pair in listed if isinstance(pair, tuple)}
    for reference in destroyed:
        by_level[reference.level_name] = [*by_level.get(reference.level_name, []), reference]
    return list(by_level.items())


def without(value: object, gone: frozenset[tuple[str, str]]) -> object:
    """Return the value of a list of destroyed objects without some of them, given by level and name."""
    listed = list_of(value)
    if any(isinstance(each, tuple) for each in listed):
        return [(each[0], without(each[1], gone)) if isinstance(each, tuple) else each for each in listed]
    return [each for each in listed if not (isinstance(each, ObjectReference) and (each.level_name, each.path_name) in gone)]

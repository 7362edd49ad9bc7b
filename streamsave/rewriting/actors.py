"""What dropped objects of Satisfactory leave in others: chains of belts, connections, the lists of destroyed objects.

Chains of conveyor belts lose belts at their ends: the entries of these go, with the items on them. The trailer of a chain has a
segment for each belt, from the front of the chain to its end. Lengths count from the end. The items are in a ring, from the front
one on; the rings of segments follow each other.

| belts are gone | what becomes of the chain |
|---|---|
| at the front | segments and items go; the rest keeps its lengths, and counts from 0 again |
| at the end | the same; all lengths shrink by what is gone |
| in between | it stays as it is: it would have to become two |

References are taken out when their target is dropped: a connection without the other side is open.

| property | of | what becomes of it |
|---|---|---|
| mConnectedComponent | connections of belts, pipes, hyper tubes, trains | it refers to nothing |
| mWires | power connections | the element goes |
| mConnectedComponents | connections of tracks | the element goes |
| mComponents | power circuits | the element goes |
| mFluidIntegrantScriptInterfaces | pipe networks | the element goes |
| mBuildables | blueprint designers | the element goes |

What else refers to it stays: the game takes a reference without a target for an empty one.

A level has two lists of destroyed objects: one after its objects, and a copy after their headers. The game makes an object of the
map anew that is in no save, unless such a list has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from streamsave.decode.codecs import list_of
from streamsave.decode.paths import Step
from streamsave.errors import PathStep
from streamsave.events import Field, ObjectHeader
from streamsave.formats.satisfactory.game import CHAINS, TRAILER
from streamsave.rewriting.assignments import UNLINK, Assignment, Change
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
    """Return whether an object is a chain of belts."""
    return header.class_name.rpartition(".")[2].startswith(CHAINS)


def shortened(trailer: object, is_gone: Callable[[str], bool]) -> dict[str, object] | None:
    """Return the trailer of a chain without belts that are gone from its ends; None if it stays as it is.

    Args:
        trailer: as `build()` returns it.
        is_gone: returns whether the object of a name is dropped.
    """
    if not isinstance(trailer, dict):
        return None
    segments: list[dict[str, object]] = trailer["chain_spline_segments"]
    items: list[dict[str, object]] = trailer["conveyor_chain_items"]
    belts = [segment["conveyor_base"] for segment in segments]
    kept = [number for number, belt in enumerate(belts) if not (isinstance(belt, ObjectReference) and is_gone(belt.path_name))]
    if not kept or len(kept) == len(belts) or kept[-1] - kept[0] >= len(kept):
        return None
    first, last = kept[0], kept[-1] + 1
    counts = [item_count(segment, int(trailer["num_items"])) for segment in segments]
    if min(counts) < 0 or sum(counts) != len(items):
        return None  # the segments say something else than the items
    cut = as_float(segments[last - 1]["starts_at_length"])
    end = as_float(segments[first]["ends_at_length"])
    left = items[sum(counts[:first]) : sum(counts[:last])]
    filled = [segment for segment, count in zip(segments[first:last], counts[first:last], strict=True) if count]
    return {
        **trailer,
        "first_conveyor": belts[first],
        "last_conveyor": belts[last - 1],
        "chain_spline_segments": [
            {
                **segment,
                "starts_at_length": as_float(segment["starts_at_length"]) - cut,
                "ends_at_length": as_float(segment["ends_at_length"]) - cut,
                "index_in_chain_array": number,
            }
            for number, segment in enumerate(segments[first:last])
        ],
        "total_length": end - cut,
        "lead_item_index": filled[0]["first_item_index"] if filled else NO_ITEM,
        "tail_item_index": filled[-1]["last_item_index"] if filled else NO_ITEM,
        "conveyor_chain_items": [{**item, "offset": as_float(item["offset"]) - cut} for item in left],
    }


def item_count(segment: Mapping[str, object], room: int) -> int:
    """Return how many items a segment has in a ring with room for so many; -1 if it cannot be."""
    first, last = segment["first_item_index"], segment["last_item_index"]
    if not isinstance(first, int) or not isinstance(last, int) or (first == NO_ITEM) != (last == NO_ITEM):
        return -1
    if first == NO_ITEM:
        return 0
    return (last - first) % room + 1 if 0 <= first < room and 0 <= last < room else -1


def as_float(value: object) -> float:
    """Return a length, which is one by the layout of the trailer."""
    assert isinstance(value, float)  # noqa: S101 - see above
    return value


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
#: Names of classes that have these properties.
CLASSES: Final = re.compile("Connection|Circuit|PipeNetwork|BlueprintDesigner")


def may_link(class_name: str) -> bool:
    """Return whether the objects of a class may have such a property."""
    return CLASSES.search(class_name) is not None


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


class Unlink(Assignment):
    """Takes references to dropped objects out of such properties.

    Args:
        is_gone: returns whether the object of a name is dropped.
        names: of the properties.
    """

    def __init__(self, is_gone: Callable[[str], bool], names: frozenset[str] = LINKS) -> None:
        super().__init__("", (), None)
        self._is_gone = is_gone
        self._names = names

    def match(self, place: Sequence[PathStep], keys: dict[tuple[PathStep, ...], object]) -> tuple[Step, ...] | None:
        """Do as `Assignment.match`."""
        return () if len(place) == 1 and place[0] in self._names else None

    def applied(self, old: object, rest: tuple[Step, ...]) -> object:
        """Do as `Assignment.applied`."""
        return unlinked(old, self._is_gone)[0]

    def count(self, old: object, new: object) -> int:
        """Do as `Assignment.count`."""
        return unlinked(old, self._is_gone)[1]

    def change(self, header: ObjectHeader, name: str, old: object, new: object) -> Change:
        """Do as `Assignment.change`."""
        return Change(UNLINK, header.class_name, header.instance_name, name, old, new)


class Shorten(Unlink):
    """Takes dropped belts out of the trailer of a chain."""

    def __init__(self, is_gone: Callable[[str], bool]) -> None:
        super().__init__(is_gone, frozenset((TRAILER,)))

    def applied(self, old: object, rest: tuple[Step, ...]) -> object:
        """Do as `Assignment.applied`."""
        new = shortened(old, self._is_gone)
        return old if new is None else new

    def count(self, old: object, new: object) -> int:
        """Do as `Assignment.count`."""
        return belt_count(old) - belt_count(new)

    def change(self, header: ObjectHeader, name: str, old: object, new: object) -> Change:
        """Do as `Assignment.change`: how many belts there are."""
        path = f"{name}.chain_spline_segments"
        return Change(UNLINK, header.class_name, header.instance_name, path, belt_count(old), belt_count(new))


def belt_count(trailer: object) -> int:
    """Return how many belts the trailer of a chain has."""
    return len(list_of(trailer["chain_spline_segments"])) if isinstance(trailer, dict) else 0


DESTROYED: Final = frozenset(("destroyed_actors", "toc_destroyed_actors"))
#: How the type of a map starts: the persistent level has one list for each level.
MAP: Final = "{"
#: How the name of the copy among the headers starts.
COPY: Final = "toc_"


def is_copy(field: Field) -> bool:
    """Return whether a list is the one among the headers."""
    return field.name.startswith(COPY)


def with_destroyed(old: object, field: Field, destroyed: Sequence[ObjectReference]) -> list[object] | None:
    """Return the value of a list with more objects; None if they cannot be noted there.

    Only an entry shows that a map is one: no save before SaveVersion 51 was seen with one.

    Args:
        old: the value.
        field: the list.
        destroyed: the objects.
    """
    listed = list_of(old)
    if not field.type.startswith(MAP):
        return [*listed, *destroyed]
    if not listed:
        return None
    by_level = {pair[0]: list_of(pair[1]) for pair in listed if isinstance(pair, tuple)}
    for reference in destroyed:
        by_level[reference.level_name] = [*by_level.get(reference.level_name, []), reference]
    return list(by_level.items())


def without(value: object, gone: frozenset[tuple[str, str]]) -> object:
    """Return the value of such a list without some objects: their levels and names."""
    listed = list_of(value)
    if any(isinstance(each, tuple) for each in listed):
        return [(each[0], without(each[1], gone)) if isinstance(each, tuple) else each for each in listed]
    return [each for each in listed if not (isinstance(each, ObjectReference) and (each.level_name, each.path_name) in gone)]

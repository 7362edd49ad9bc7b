"""Chains of conveyor belts that lose belts at their ends: the entries of these go, with the items on them.

The trailer of a chain has a segment for each belt, from the front of the chain to its end. Lengths count from the end. The items
are in a ring, from the front one on; the rings of segments follow each other.

| belts are gone | what becomes of the chain |
|---|---|
| at the front | segments and items go; the rest keeps its lengths, and counts from 0 again |
| at the end | the same; all lengths shrink by what is gone |
| in between | it stays as it is: it would have to become two |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from streamsave.events import ObjectHeader
from streamsave.formats.satisfactory.game import CHAINS
from streamsave.values import ObjectReference

__all__ = ["is_chain", "shortened"]

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

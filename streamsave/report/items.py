"""Items in stores: the stacks and the Dimensional Depot of Satisfactory, and the slots of Palworld."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamsave.values import InventoryItem, ObjectReference

__all__ = ["DEPOT", "STORED", "depot_of", "slot_of", "stacks_of"]

#: The class of the object that is the Dimensional Depot, without its path, and its property: mods call other things so.
DEPOT: Final = "FGCentralStorageSubsystem"
STORED: Final = "mStoredItems"


def stacks_of(value: object) -> Iterator[tuple[str, int]]:
    """Yield item and number of each stack of `mInventoryStacks` that is not empty."""
    for stack in value if isinstance(value, list) else ():
        if isinstance(stack, dict):
            item, count = stack.get("Item"), stack.get("NumItems")
            if isinstance(item, InventoryItem) and isinstance(count, int) and count > 0:
                yield short_name(item.item), count


def depot_of(value: object) -> Iterator[tuple[str, int]]:
    """Yield item and number of each entry of `mStoredItems`, the Dimensional Depot, that is not empty."""
    for entry in value if isinstance(value, list) else ():
        if isinstance(entry, dict):
            item, count = entry.get("ItemClass"), entry.get("amount")
            if isinstance(item, ObjectReference) and isinstance(count, int) and count > 0:
                yield short_name(item), count


def short_name(item: ObjectReference) -> str:
    """Return the name of the class of an item, without its path."""
    return item.path_name[item.path_name.rfind(".") + 1 :]


def slot_of(slot: dict[str, object]) -> tuple[str, object, object]:
    """Return item, number and index of a slot: in the blob, or before game 0.4 as properties."""
    data = slot.get("RawData")
    if isinstance(data, dict) and "item_id" in data:
        item = data["item_id"]
        name = str(item.get("static_id", "")) if isinstance(item, dict) else ""
        return name, data.get("stack_count"), data.get("slot_index")
    item = slot.get("ItemId")
    return (str(item.get("StaticId", "")) if isinstance(item, dict) else ""), slot.get("StackCount"), slot.get("SlotIndex")

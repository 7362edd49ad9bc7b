"""Items in stores: the stacks of Satisfactory, and the slots of Palworld."""

from __future__ import annotations

from collections.abc import Iterator

from streamsave.values import InventoryItem

__all__ = ["slot_of", "stacks_of"]


def stacks_of(value: object) -> Iterator[tuple[str, int]]:
    """Yield item and number of each stack of `mInventoryStacks` that is not empty."""
    for stack in value if isinstance(value, list) else ():
        if isinstance(stack, dict):
            item, count = stack.get("Item"), stack.get("NumItems")
            if isinstance(item, InventoryItem) and isinstance(count, int) and count > 0:
                yield item.item.path_name[item.item.path_name.rfind(".") + 1 :], count


def slot_of(slot: dict[str, object]) -> tuple[str, object, object]:
    """Return item, number and index of a slot: in the blob, or before game 0.4 as properties."""
    data = slot.get("RawData")
    if isinstance(data, dict) and "item_id" in data:
        item = data["item_id"]
        name = str(item.get("static_id", "")) if isinstance(item, dict) else ""
        return name, data.get("stack_count"), data.get("slot_index")
    item = slot.get("ItemId")
    return (str(item.get("StaticId", "")) if isinstance(item, dict) else ""), slot.get("StackCount"), slot.get("SlotIndex")

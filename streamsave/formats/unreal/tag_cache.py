"""Heads of old tags that were read before: all bytes of a tag but its size and index.

Objects of a class have the same properties in the same order, nearly always. So each head knows which one came behind it last
time, and comparing the bytes ahead with that one's is much cheaper than reading them name by name. A wrong guess costs nothing
but the comparison: bytes that are equal mean the same, and all others are read.
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64

__all__ = ["TagHead", "TagHeads"]

#: Heads are dropped when there are this many, so that names that never repeat cost no memory.
KEPT_HEADS: Final = 4096
#: Longer ones are not kept.
KEPT_SIZE: Final = 256


class TagHead:
    """What a tag says in front of its value, but for size and index."""

    #: The head that came last behind this one in a property list, if it was not the end of the list.
    next: TagHead | None = None
    #: Bytes in front of `size` and behind `array_index`, as they are stored.
    lead = b""
    tail = b""
    #: Bytes of the whole tag; 0 if it is not kept.
    size: i64 = 0
    type_name = ""
    inner_type = ""
    value_type = ""
    flag = False
    struct_guid: bytes | None = None
    guid: bytes | None = None
    #: The value may open something, but not if it has `leaf_size` bytes: those of a binary struct.
    nests = False
    leaf_size: i64 = -1

    def __init__(self, name: str, property_type: str) -> None:
        self.name = name
        self.type = property_type


class TagHeads:
    """The heads of one dialect."""

    def __init__(self) -> None:
        self._heads: dict[bytes, TagHead] = {}
        self._lists: dict[str, TagHead] = {}

    def first(self, type_name: str) -> TagHead:
        """Give what stands for the start of a property list of a class or struct: its `next` is the first tag."""
        start = self._lists.get(type_name)
        if start is None:
            if len(self._lists) >= KEPT_HEADS:
                self._lists.clear()
            start = TagHead("", "")
            self._lists[type_name] = start
        return start

    def keep(self, head: TagHead, raw: bytes, lead_size: int) -> TagHead:
        """Give the one head that is stored as `raw`, with 8 bytes of size and index in it: `head`, or one from before."""
        if not raw or len(raw) > KEPT_SIZE:
            return head
        lead = raw[:lead_size]
        tail = raw[lead_size + 8 :]
        key = lead + tail
        known = self._heads.get(key)
        if known is not None:
            return known
        head.lead = lead
        head.tail = tail
        head.size = len(raw)
        if len(self._heads) >= KEPT_HEADS:
            self._heads.clear()
        self._heads[key] = head
        return head

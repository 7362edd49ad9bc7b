"""Old tags that were read before: all bytes of a tag but its size and index.

Objects of a class nearly always have the same properties in the same order. So each cached tag knows which one came after it last
time. Comparing the next bytes with that one is much cheaper than reading them name by name. A wrong guess costs only the
comparison: equal bytes mean the same, all others are read.
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.known_bytes import BytesAround

__all__ = ["CachedTag", "TagCache"]

#: The cache is emptied when it has this many tags, so that names that never repeat cost no memory.
KEPT_TAGS: Final = 4096
#: Longer ones are not kept.
KEPT_SIZE: Final = 256


NOTHING: Final = BytesAround(b"", b"")


class CachedTag:
    """What an old tag says besides its size and index. There are few, and all is read often: no default is in the class."""

    def __init__(self, name: str, property_type: str) -> None:
        self.name = name
        self.type = property_type
        #: The tag that came after this one last time, if it was not the end of the list.
        self.next: CachedTag | None = None
        #: Bytes before `size` and after `array_index`, as they are stored.
        self.stored = NOTHING
        #: Bytes of the whole tag; 0 if it is not kept.
        self.size: i64 = 0
        self.type_name = ""
        self.inner_type = ""
        self.value_type = ""
        self.flag = False
        self.struct_guid: bytes | None = None
        self.guid: bytes | None = None
        #: The value may open something, but not if it has `leaf_size` bytes: then it is a binary struct.
        self.nests = False
        self.leaf_size: i64 = -1
        #: The value says what a blob is that follows.
        self.is_noted = False


class TagCache:
    """The cached tags of one dialect."""

    def __init__(self) -> None:
        self._tags: dict[bytes, CachedTag] = {}
        self._starts: dict[str, CachedTag] = {}

    def start(self, type_name: str) -> CachedTag:
        """Return the stand-in for the start of a property list of a class or struct: its `next` is the first tag."""
        start = self._starts.get(type_name)
        if start is None:
            start = CachedTag("", "")
            if len(type_name) <= KEPT_SIZE:
                if len(self._starts) >= KEPT_TAGS:
                    self._starts.clear()
                self._starts[type_name] = start
        return start

    def keep(self, tag: CachedTag, raw: bytes, lead_size: int) -> CachedTag:
        """Return the one cached tag with these bytes: `tag`, or one from before.

        Args:
            tag: what was read.
            raw: all bytes of the tag, or none if they are not at hand: then it is not cached.
            lead_size: how many of them come before the 8 bytes of size and index.
        """
        if not raw or len(raw) > KEPT_SIZE:
            return tag
        lead = raw[:lead_size]
        tail = raw[lead_size + 8 :]
        key = lead + tail
        known = self._tags.get(key)
        if known is not None:
            return known
        tag.stored = BytesAround(lead, tail)
        tag.size = len(raw)
        if len(self._tags) >= KEPT_TAGS:
            self._tags.clear()
        self._tags[key] = tag
        return tag

"""References to objects that the save does not have.

The names of objects are held in a Bloom filter of fixed size. A name that is not in the filter is certainly not in the save, so
every reference that is reported does dangle. In a save of a million objects, about one in 200,000 dangling references is missed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from librt.strings import BytesWriter, read_i64_le

from streamsave._native import i64
from streamsave.check.finding import NOTE, Finding
from streamsave.consume.stream import EventStream
from streamsave.decode.build import references_in
from streamsave.decode.reader import Selecting
from streamsave.errors import PathStep
from streamsave.events import Field, ObjectHeader, PropertyTag

__all__ = ["NameFilter", "NamesOnly", "References", "targets_in"]

#: The filter has 8 MiB in blocks of 64 bytes, which a CPU loads at once. A name sets so many bits, all in one block.
BLOCKS: Final = 1 << 17
BLOCK_SIZE: Final = 64
FILTER_HASHES: Final = 5
#: Zeros, of which the filter is made at first.
ZEROS: Final = bytes(64 * 1024)
#: An odd number that mixes bits by multiplication (the golden ratio), and the bits of a hash.
SPREAD: Final = 0x1E3779B97F4A7C15
MASK: Final = (1 << 62) - 1
#: Bytes that are mixed in at a time.
WORD: Final = 8

#: The end of the name of a level's own object.
LEVEL_OBJECT: Final = ":PersistentLevel"
#: An array, set or map of more bytes is read some elements at a time.
MOST_AT_ONCE: Final = 64 * 1024


class NameFilter:
    """A Bloom filter of names: `in` may be wrong when it is True, never when it is False."""

    def __init__(self) -> None:
        #: A `BytesWriter` is the only array of bytes that compiled code changes without a call.
        self._bits: Final = BytesWriter()
        for _ in range(BLOCKS * BLOCK_SIZE // len(ZEROS)):
            self._bits.write(ZEROS)

    def add(self, name: str) -> None:
        """Add a name."""
        self._are_set(name, sets=True)

    def __contains__(self, name: str) -> bool:
        return self._are_set(name, sets=False)

    def _are_set(self, name: str, *, sets: bool) -> bool:
        """Return whether the bits of a name are set, or set them."""
        bits = self._bits
        number: i64 = _hash(name.encode("utf-8", "surrogatepass"))
        block = (number & (BLOCKS - 1)) * BLOCK_SIZE
        number >>= 17
        for _ in range(FILTER_HASHES):
            at = block + ((number >> 3) & 63)
            held: int = bits[at]
            bit: int = 1 << (number & 7)
            if sets:
                bits[at] = held | bit
            elif not held & bit:
                return False
            number >>= 9
        return True


def _hash(data: bytes) -> i64:
    """Return a number of 62 bits that looks random: the same in every process and in every build.

    Compiled, eight bytes take one multiplication; to make one number of the name takes ten times as long.
    """
    size: i64 = len(data)
    number: i64 = size * SPREAD & MASK
    if size < WORD:
        data += ZEROS[: WORD - size]
        size = WORD
    at: i64 = 0
    while at < size:
        # The last eight bytes may have been there before.
        word: int = read_i64_le(data, min(at, size - WORD))
        number = (number ^ word) * SPREAD & MASK
        number ^= number >> 29
        at += WORD
    number = number * SPREAD & MASK
    return number ^ (number >> 31)


class NamesOnly(Selecting):
    """Wants no object, but notes the names of all. The data of objects need not even be inflated for that.

    The headers of some objects come in spite of that: of those that contain others, and of all where a reader asks for none. The
    caller passes over them.
    """

    def __init__(self, names: NameFilter) -> None:
        super().__init__()
        self.needs_data = False
        self.needs_rest = False
        self._names = names

    def wants_names(self, class_name: str, instance_name: str, level: str) -> bool:
        """Note the name."""
        self._names.add(instance_name)
        return False

    def takes(self, header: ObjectHeader) -> bool:
        """Note the name, and let the header come: what is in the object need not be walked."""
        self._names.add(header.instance_name)
        return True


class References:
    """Counts references to objects, and those among them whose target is not in the save.

    Args:
        names: the names of all objects of the save.
        is_gone: returns whether an object of a name was there before and is no more; None: that is not counted.
    """

    def __init__(self, names: NameFilter, is_gone: Callable[[str], bool] | None = None) -> None:
        self.names = names
        self._is_gone = is_gone
        #: How many of those that dangle did not before, and the target of the first one.
        self._gone_count = 0
        self._first_gone = ""
        self.count = 0
        self.dangling = 0
        #: Target, offset and path of the first one that dangles.
        self.first: tuple[str, int, tuple[PathStep, ...]] | None = None

    def add(self, parts: Iterable[list[str]]) -> str | None:
        """Look up the objects that a value refers to, some at a time; return the first that is missing.

        Levels are no objects of the save.
        """
        missing: str | None = None
        for targets in parts:
            for target in targets:
                if target.endswith(LEVEL_OBJECT):
                    continue
                self.count += 1
                if target not in self.names:
                    self.dangling += 1
                    if missing is None:
                        missing = target
                    if self._is_gone is not None and self._is_gone(target):
                        self._gone_count += 1
                        self._first_gone = self._first_gone or target
        return missing

    def findings(self) -> Iterator[Finding]:
        """Yield one note about all references that dangle, if there are any, and one about those that did not before."""
        if self.first is None:
            return
        target, offset, path = self.first
        message = (
            f"at least {self.dangling} of {self.count} references to objects have no target in the save; the first is to {target}"
        )
        yield Finding(NOTE, "dangling", message, offset, path)
        if self._gone_count:
            message = f"{self._gone_count:,} references have lost their target; the first is to {self._first_gone}"
            yield Finding(NOTE, "gone", message, offset, path)


def targets_in(event: PropertyTag | Field, events: EventStream) -> Iterator[list[str]]:
    """Yield what `EventStream.references` returns for a leaf, the last event: of a large one some at a time.

    Raises:
        SaveError: the value is damaged, or an element is more than `Limits` allows to build.
    """
    slices = events.slices() if event.size > MOST_AT_ONCE else None
    if slices is None:
        yield events.references()
        return
    for _, elements in slices:
        yield references_in(elements)

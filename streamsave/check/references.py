"""References to objects that the save does not have.

The names of objects are held in a Bloom filter of fixed size. A name that is not in the filter is certainly not in the save, so
every reference that is reported does dangle. In a save of a million objects, about one in 200,000 dangling references is missed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from librt.strings import BytesWriter, read_i32_le, read_i64_le

from streamsave._native import i64
from streamsave.check.finding import NOTE, Finding
from streamsave.consume.stream import EventStream
from streamsave.decode.references import references_in
from streamsave.decode.selecting import Selecting
from streamsave.errors import PathStep
from streamsave.events import Field, ObjectHeader, PropertyTag

__all__ = ["NameFilter", "NamesOnly", "References", "has_references", "targets_in"]

#: The filter has at most 8 MiB in blocks of 64 bytes, which a CPU loads at once. A name sets so many bits, all in one block.
BLOCKS: Final = 1 << 17
BLOCK_SIZE: Final = 64
FILTER_HASHES: Final = 5
#: In a filter that fits the caches of a CPU, to look up a name takes a third of the time. So that of a small file is smaller: a
#: world of 3.4 MB with 83,000 objects has one of 1 MiB.
LEAST_BLOCKS: Final = 1 << 12
FILE_BYTES_A_BLOCK: Final = 256
#: Zeros, of which the filter is made at first.
ZEROS: Final = bytes(64 * 1024)
#: An odd number that mixes bits by multiplication (the golden ratio), and the bits of a hash.
SPREAD: Final = 0x1E3779B97F4A7C15
MASK: Final = (1 << 62) - 1
#: Bytes that are mixed in at a time.
WORD: Final = 8

#: Types of properties that refer to objects, and binary structs that do.
REFERENCE_TYPES: Final = frozenset(("ObjectProperty", "InterfaceProperty"))
REFERENCE_STRUCTS: Final = frozenset(("RailroadTrackPosition",))

#: The end of the name of a level's own object.
LEVEL_OBJECT: Final = ":PersistentLevel"
LEVEL_BYTES: Final = b":PersistentLevel"
#: Bytes of a reference of two empty texts.
LEAST_REFERENCE: Final = 8
#: Bytes of a number of elements.
COUNT_SIZE: Final = 4
#: An array, set or map of more bytes is read some elements at a time.
MOST_AT_ONCE: Final = 64 * 1024


class NameFilter:
    """A Bloom filter of names: `in` may be wrong when it is True, never when it is False.

    Args:
        file_size: bytes of the save; None if they are unknown.
    """

    def __init__(self, file_size: int | None = None) -> None:
        blocks: i64 = BLOCKS
        if file_size is not None:
            while blocks > LEAST_BLOCKS and blocks // 2 * FILE_BYTES_A_BLOCK >= file_size:
                blocks //= 2
        self._mask: i64 = blocks - 1
        #: A `BytesWriter` is the only array of bytes that compiled code changes without a call.
        self._bits: Final = BytesWriter()
        for _ in range(blocks * BLOCK_SIZE // len(ZEROS)):
            self._bits.write(ZEROS)

    def add(self, name: str) -> None:
        """Add a name."""
        bits = self._bits
        number: i64 = _hash(_encoded(name))
        block = (number & self._mask) * BLOCK_SIZE
        number >>= 17
        for _ in range(FILTER_HASHES):
            at = block + ((number >> 3) & 63)
            held: int = bits[at]
            held |= 1 << (number & 7)
            bits[at] = held
            number >>= 9

    def __contains__(self, name: str) -> bool:
        return self.has(_encoded(name))

    def has(self, data: bytes) -> bool:
        """Return what `in` does for a name in UTF-8."""
        bits = self._bits
        number: i64 = _hash(data)
        block = (number & self._mask) * BLOCK_SIZE
        number >>= 17
        for _ in range(FILTER_HASHES):
            held: int = bits[block + ((number >> 3) & 63)]
            if not held >> (number & 7) & 1:
                return False
            number >>= 9
        return True


def _encoded(name: str) -> bytes:
    try:
        return name.encode()
    except UnicodeEncodeError:
        return name.encode("utf-8", "surrogatepass")


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

    def wants_header(self, header: ObjectHeader) -> bool:
        """Note the name."""
        self._names.add(header.instance_name)
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
        #: How many references with a target `_pass_reference` has met.
        self._passed: i64 = 0
        #: Target, offset and path of the first one that dangles.
        self.first: tuple[str, int, tuple[PathStep, ...]] | None = None

    def add(self, targets: list[str]) -> str | None:
        """Look up the objects that a value refers to; return the first that is missing. Levels are no objects of the save."""
        missing: str | None = None
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

    # Most references are looked up as they are stored, which takes a fifth of the time of decoding them. What is no sound
    # reference, is not in ASCII, or has no target is left to `add`: nothing of it was counted.

    def add_stored(self, data: bytes) -> bool:
        """Look up a reference as it is stored: two texts. Return whether that was done."""
        self._passed = 0
        end: i64 = len(data)
        if end < LEAST_REFERENCE or not data.isascii() or self._pass_reference(data, 0) != end:
            return False
        self.count += self._passed
        return True

    def add_stored_list(self, data: bytes, before: i64) -> bool:
        """Look up references as they are stored: so many, a number of more, and these. Return whether that was done."""
        self._passed = 0
        end: i64 = len(data)
        if end < COUNT_SIZE or not data.isascii():
            return False
        at: i64 = 0
        while before > 0 and at >= 0:
            at = self._pass_reference(data, at)
            before -= 1
        if at < 0 or at > end - COUNT_SIZE:
            return False
        left: int = read_i32_le(data, at)
        at += COUNT_SIZE
        while left > 0 and at >= 0:
            at = self._pass_reference(data, at)
            left -= 1
        if left != 0 or at != end:
            return False
        self.count += self._passed
        return True

    def _pass_reference(self, data: bytes, at: i64) -> i64:
        """Return where a reference ends: a level and a path, each a size of four bytes, and bytes that a NUL ends.

        -1 if it has to be decoded.
        """
        end: i64 = len(data)
        if at > end - LEAST_REFERENCE:
            return -1
        level_size: int = read_i32_le(data, at)
        if level_size < 0 or level_size > end - at - LEAST_REFERENCE:
            return -1
        path_at = at + 4 + level_size
        path_size: int = read_i32_le(data, path_at)
        if path_size < 0 or path_size > end - path_at - 4:
            return -1
        stop = path_at + 4 + path_size
        if level_size > 0 and data.find(0, at + 4, path_at) != path_at - 1:
            return -1
        if path_size > 0 and data.find(0, path_at + 4, stop) != stop - 1:
            return -1
        if level_size > 1 and path_size > 1:
            path = data[path_at + 4 : stop - 1]
            if not path.endswith(LEVEL_BYTES):
                if not self.names.has(path):
                    return -1
                self._passed += 1
        return stop

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


def has_references(tag: PropertyTag) -> bool:
    """Return whether a property is a leaf that holds references to objects, and so has to be built to find them."""
    if tag.type in REFERENCE_TYPES or tag.type_name in REFERENCE_STRUCTS:
        return True
    if tag.inner_type == "StructProperty" or tag.value_type == "StructProperty":
        return False  # a container of structs is no leaf: the references in it come as events of their own
    return tag.inner_type in REFERENCE_TYPES or tag.value_type in REFERENCE_TYPES


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

"""Is a save sound? Walks everything once, in constant memory, and tells what contradicts what.

| what | severity |
|---|---|
| the bytes cannot be decoded | fatal |
| MD5 of the stored chunks differs from the header's | finding |
| a byte that no event claims, or that two claim | finding |
| a list at the end that the game always writes is missing | finding |
| bytes left over in an object of the game itself | finding |
| bytes of unknown layout: mods, newer games | note |
| objects that an older version has written | note |
| a stale copy of a list of destroyed actors | note |
| references whose target is not in the save | note: the game refers to what only its own map has |
| Arx: what `streamsave.check.arx_references` finds | finding, or note where a sound save may have it |

Names of objects are held in a Bloom filter of fixed size: what it does not know is certainly not in the save, so every reference
told as dangling is; with a million objects it misses about one in 70,000 of those that dangle.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from typing import Final

from attrs import Factory, define, fields, frozen, has

from streamsave.check.arx_references import container_faults, reference_faults
from streamsave.claims import claimed_spans, claims_value
from streamsave.errors import PathStep, SaveError
from streamsave.events import (
    BlobSkip,
    ChunkStart,
    Event,
    Field,
    ObjectHeader,
    PropertyTag,
    SaveEnd,
    SaveStart,
)
from streamsave.formats.arx.header import ArxContainer
from streamsave.formats.satisfactory.header import SaveHeader
from streamsave.input.source import Source, SourceLike, open_source
from streamsave.limits import Limits
from streamsave.stream.stream import EventStream
from streamsave.values import ObjectReference

__all__ = ["FATAL", "FINDING", "NOTE", "Finding", "check"]

FATAL: Final = "fatal"
FINDING: Final = "finding"
NOTE: Final = "note"

#: Bits of the filter (8 MiB), and how many of them a name sets.
FILTER_BITS: Final = 1 << 26
FILTER_HASHES: Final = 4

#: How much of a file is hashed at a time.
PIECE_SIZE: Final = 1024 * 1024

#: Classes of the game itself, whose layouts are all known.
GAME_CLASSES: Final = ("/Script/FactoryGame.", "/Game/FactoryGame/")
#: What a format calls bytes that mean nothing.
PADDING: Final = "padding"
UNKNOWN_TRAILER: Final = "unknown trailing data of "

#: Types of properties that refer to objects, and binary structs that do.
REFERENCE_TYPES: Final = frozenset(("ObjectProperty", "InterfaceProperty"))
REFERENCE_STRUCTS: Final = frozenset(("RailroadTrackPosition",))

#: How the name of a level's own object ends.
LEVEL_OBJECT: Final = ":PersistentLevel"

#: The last list of a save, from this version on.
LAST_LIST: Final = "unresolved_destroyed_actors"
LAST_LIST_FROM: Final = 29
#: What was destroyed is not in the save any more, so these lists are not looked up.
DESTROYED: Final = "destroyed_actors"
STALE_LIST: Final = "toc_destroyed_actors"


@frozen
class Finding:
    """One thing that a check has to say."""

    severity: str
    #: What kind of thing: `"md5"`, `"tiling"`, ...
    kind: str
    message: str
    #: Position in the inflated stream, or None where it is about the whole save.
    offset: int | None = None
    path: tuple[PathStep, ...] = ()


class KeptSource(Source):
    """A source that is read several times: no reader may say that what it has read can be forgotten."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.name = source.name

    def read_at(self, offset: int, size: int) -> bytes:
        """Give what is there."""
        return self._source.read_at(offset, size)

    def size(self) -> int | None:
        """Tell what is known."""
        return self._source.size()

    def close(self) -> None:
        """Close what was opened."""
        self._source.close()


class NameFilter:
    """A Bloom filter of names: `in` is never wrong when it says no."""

    def __init__(self) -> None:
        self._bits = bytearray(FILTER_BITS // 8)

    def add(self, name: str) -> None:
        """Remember a name."""
        for bit in self._places(name):
            self._bits[bit >> 3] |= 1 << (bit & 7)

    def __contains__(self, name: str) -> bool:
        return all(self._bits[bit >> 3] & 1 << (bit & 7) for bit in self._places(name))

    def _places(self, name: str) -> list[int]:
        digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=4 * FILTER_HASHES).digest()
        return [int.from_bytes(digest[at : at + 4], "little") % FILTER_BITS for at in range(0, 4 * FILTER_HASHES, 4)]


@define
class Claims:
    """The spans that events claim, joined where they touch: a few, however long the save is."""

    #: Start -> end, and end -> start.
    _ends: dict[int, int] = Factory(dict)
    _starts: dict[int, int] = Factory(dict)
    #: Spans that somebody has claimed before.
    doubled: list[tuple[int, int]] = Factory(list)

    def add(self, start: int, end: int) -> None:
        """Claim `[start, end)`."""
        if end <= start:
            return
        if start in self._ends or end in self._starts:
            self.doubled.append((start, end))
            return
        if end in self._ends:
            right = self._ends.pop(end)
            del self._starts[right]
            end = right
        if start in self._starts:
            left = self._starts.pop(start)
            del self._ends[left]
            start = left
        self._ends[start] = end
        self._starts[end] = start

    def faults(self, size: int) -> Iterator[tuple[int, str]]:
        """Tell where the claims do not make up `[0, size)`."""
        for start, end in self.doubled:
            yield start, f"{end - start} bytes that two events claim"
        at = 0
        for start, end in sorted(self._ends.items()):
            if start > at:
                yield at, f"{start - at} bytes that no event claims"
            elif start < at:
                yield start, f"{min(at, end) - start} bytes that two events claim"
            at = max(at, end)
        if at != size:
            yield at, f"events claim {at} bytes of {size}"


@define
class Checker:
    """One walk over a save."""

    names: NameFilter
    claims: Claims = Factory(Claims)
    blobs: Counter[str] = Factory(Counter)
    first_blob: dict[str, tuple[int, tuple[PathStep, ...]]] = Factory(dict)
    old_objects: Counter[int] = Factory(Counter)
    references: int = 0
    dangling: int = 0
    first_dangling: Finding | None = None
    version: int = 0
    toc_destroyed: object = None
    has_last_list: bool = False
    last: Event | None = None

    def walk(self, events: EventStream) -> Iterator[Finding]:
        """Walk all events and give what is found, in the order of the save, then the sums."""
        for event in events:
            if isinstance(event, ChunkStart):
                continue
            self._claim(event)
            if isinstance(event, SaveStart):
                self.version = event.version
            elif isinstance(event, ObjectHeader):
                if event.save_version != self.version:
                    self.old_objects[event.save_version] += 1
            elif isinstance(event, BlobSkip):
                self._blob(event, events.path)
            elif isinstance(event, PropertyTag):
                if _refers(event):
                    self._look_for_references(events.path, event.offset, events.build())
            elif isinstance(event, Field):
                yield from self._field(event, events)
            elif isinstance(event, SaveEnd):
                yield from self._tiling(event.offset)
        yield from self._sums()

    def _claim(self, event: Event) -> None:
        """Claim for the event before this one: only now it shows whether that one was a leaf."""
        last = self.last
        self.last = event
        if last is not None:
            for start, end in claimed_spans(last, with_value=claims_value(last, event)):
                self.claims.add(start, end)

    def _field(self, event: Field, events: EventStream) -> Iterator[Finding]:
        path = events.path
        value = events.build()
        if event.name == LAST_LIST:
            self.has_last_list = True
        elif event.name == STALE_LIST:
            self.toc_destroyed = value
        elif event.name == DESTROYED:
            if self.toc_destroyed is not None and self.toc_destroyed != value:
                yield Finding(NOTE, "stale-list", "the copy of this list among the headers is stale", event.offset, path)
            self.toc_destroyed = None
        else:
            self._look_for_references(path, event.offset, value)

    def _blob(self, event: BlobSkip, path: tuple[PathStep, ...]) -> None:
        if event.reason == PADDING:
            return
        self.blobs[event.reason] += 1
        self.first_blob.setdefault(event.reason, (event.offset, path))

    def _look_for_references(self, path: tuple[PathStep, ...], offset: int, value: object) -> None:
        """Look up all references in a value; those to assets have no level, and a level is no object of the save."""
        for reference in _references(value):
            if not reference.level_name or not reference.path_name or reference.path_name.endswith(LEVEL_OBJECT):
                continue
            self.references += 1
            if reference.path_name not in self.names:
                self.dangling += 1
                if self.first_dangling is None:
                    self.first_dangling = Finding(NOTE, "dangling", reference.path_name, offset, path)

    def _tiling(self, size: int) -> Iterator[Finding]:
        for offset, message in self.claims.faults(size):
            yield Finding(FINDING, "tiling", message, offset)

    def _sums(self) -> Iterator[Finding]:
        for reason, count in sorted(self.blobs.items()):
            offset, path = self.first_blob[reason]
            own = reason.removeprefix(UNKNOWN_TRAILER).startswith(GAME_CLASSES) and reason.startswith(UNKNOWN_TRAILER)
            yield Finding(FINDING if own else NOTE, "unknown-bytes", f"{reason} ({count} times, here first)", offset, path)
        for version, count in sorted(self.old_objects.items()):
            yield Finding(NOTE, "old-objects", f"{count} objects were written by version {version}, the save by {self.version}")
        if self.first_dangling is not None:
            first = self.first_dangling
            message = (
                f"at least {self.dangling} of {self.references} references to objects have no target in the save;"
                f" the first is to {first.message}"
            )
            yield Finding(NOTE, "dangling", message, first.offset, first.path)


def check(source: SourceLike, *, limits: Limits | None = None) -> Iterator[Finding]:
    """Check one save: give what is found, and end with a fatal finding where the save cannot be decoded further.

    A pipe is spooled, since names have to be known before references are looked up.

    Raises:
        OSError: the source cannot be read.
        TypeError: `source` is none of the kinds that `streamsave.open` takes.
    """
    opened = KeptSource(open_source(source))
    try:
        yield from _check(opened, Limits() if limits is None else limits)
    finally:
        opened.close()


def _check(source: Source, limits: Limits) -> Iterator[Finding]:
    names = NameFilter()
    try:
        events = EventStream(source, limits)
        start = next(events)
        if isinstance(start, SaveStart) and isinstance(start.header, SaveHeader):
            yield from _check_md5(source, start.header)
        for event in events:
            if isinstance(event, ObjectHeader):
                names.add(event.instance_name)
                events.skip()
        checker = Checker(names)
        yield from checker.walk(EventStream(source, limits))
        if isinstance(start, SaveStart) and isinstance(start.header, ArxContainer):
            yield from _check_arx(source, start.header, limits)
        is_save = isinstance(start, SaveStart) and isinstance(start.header, SaveHeader)
        if is_save and checker.version >= LAST_LIST_FROM and not checker.has_last_list:
            yield Finding(FINDING, "missing-list", f"{LAST_LIST} is missing: the game always writes it")
    except SaveError as error:
        yield Finding(FATAL, "undecodable", str(error), error.offset, error.path)


def _check_arx(source: Source, container: ArxContainer, limits: Limits) -> Iterator[Finding]:
    """Hold the entries of an Arx save against each other."""
    for fault in container_faults(container):
        yield Finding(FINDING, "file-table", fault.message, None, fault.path)
    for fault in reference_faults(EventStream(source, limits), container):
        yield Finding(FINDING if fault.serious else NOTE, "dangling", fault.message, None, fault.path)


def _check_md5(source: Source, header: SaveHeader) -> Iterator[Finding]:
    """Hash all that follows the header, as it is stored."""
    if header.save_data_hash is None:
        return
    digest = hashlib.md5(usedforsecurity=False)
    offset = header.size
    while piece := source.read_at(offset, PIECE_SIZE):
        digest.update(piece)
        offset += len(piece)
    if digest.digest() != header.save_data_hash:
        message = f"MD5 of the chunks is {digest.hexdigest()}, the header says {header.save_data_hash.hex()}"
        yield Finding(FINDING, "md5", message)


def _refers(tag: PropertyTag) -> bool:
    """Tell whether a property is a leaf with references to objects in it."""
    if tag.type in REFERENCE_TYPES or tag.type_name in REFERENCE_STRUCTS:
        return True
    if tag.inner_type == "StructProperty" or tag.value_type == "StructProperty":
        return False
    return tag.inner_type in REFERENCE_TYPES or tag.value_type in REFERENCE_TYPES


def _references(value: object) -> Iterator[ObjectReference]:
    """Give all references in a built value."""
    if isinstance(value, ObjectReference):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _references(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _references(part)
    elif has(kind := type(value)):
        for attribute in fields(kind):
            yield from _references(getattr(value, attribute.name))

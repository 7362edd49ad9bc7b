"""What can be damaged in a save: objects, sizes, numbers of elements, elements, values. One walk finds them."""

from __future__ import annotations

import struct
from typing import Final

from attrs import field, frozen, mutable

import streamsave
from salvaging.wrappers import Edit, Save, Span
from streamsave import Field, ObjectEnd, ObjectHeader, PropertyTag, StructEnter, StructExit

__all__ = ["Key", "Places", "Size", "Thing", "key_of", "places_of"]

#: The least bytes of an object that is damaged inside.
LEAST: Final = 16
#: Names of these fields in Astroneer and shapez 2.
TABLES: Final = {"names", "strings"}

#: What a header says of an object; or the names that lead to a value.
Key = tuple[object, ...]


@mutable
class Thing:
    """An object, a property or an element: where it is in the stream."""

    key: Key
    #: The header in the table of contents, if it is apart from the data; else empty.
    head: Span
    #: All that is together with the data: a prefix, or the header.
    start: int
    data: int
    end: int = -1
    holds: bool = False

    @property
    def entry(self) -> Span:
        """Where its entry, element or property starts and ends."""
        return self.start, self.end


@frozen
class Size:
    """A stored size: where it is, how wide, and from where to where what it counts goes."""

    at: int
    width: int
    start: int
    end: int
    owner: Thing

    def edit(self, size: int) -> Edit:
        """Store another size."""
        return self.at, self.at + self.width, struct.pack("<q" if self.width == 8 else "<i", size)

    def value(self, stream: bytes) -> int:
        """Return the stored size."""
        return int.from_bytes(stream[self.at : self.at + self.width], "little", signed=True)


@frozen
class Places:
    """What can be damaged in a save."""

    objects: list[Thing] = field(factory=list)
    #: What has a size: objects; or properties, in formats whose objects have none.
    sizes: list[Size] = field(factory=list)
    #: Where a number of elements is stored, and what it is.
    counts: list[tuple[int, int]] = field(factory=list)
    #: Entries and elements that can be missing, or twice.
    elements: list[Span] = field(factory=list)
    #: All sizes around something.
    around: list[Size] = field(factory=list)
    #: Innermost values: their names from the outside in.
    leaves: list[Thing] = field(factory=list)
    #: Tables of names, to which objects refer by number.
    tables: list[Span] = field(factory=list)
    #: Properties with others inside.
    nests: list[Thing] = field(factory=list)

    def bodies(self, *, of_values: bool) -> list[Span]:
        """Return where the bytes of objects are; of values, those of properties with enough bytes."""
        if of_values:
            spans = [(size.start, size.end) for size in self.sizes]
        else:
            spans = [(thing.data, thing.end) for thing in self.objects if not thing.holds]
        return [span for span in spans if span[1] - span[0] > LEAST]


def key_of(header: ObjectHeader) -> Key:
    """Return what a header says, without offsets and sizes."""
    place = header.transform
    return (
        header.kind,
        header.class_name,
        header.instance_name,
        header.level,
        header.outer,
        header.flags,
        header.stored_flags,
        None if place is None else (place.rotation, place.translation, place.scale),
    )


def _thing(header: ObjectHeader, *, holds: bool) -> Thing:
    head = (header.offset, header.offset + header.header_size)
    start = header.data_offset - header.prefix_size
    if head[1] == start:
        start, head = head[0], (head[0], head[0])
    return Thing(key_of(header), head, start, header.data_offset, -1, holds)


def _tag_size(stream: bytes, tag: PropertyTag) -> int:
    """Return where the size of a property is stored, or -1: where only one number of its tag is it."""
    stored = struct.pack("<i", tag.size)
    first = stream.find(stored, tag.offset, tag.value_offset)
    return first if first >= 0 and stream.find(stored, first + 1, tag.value_offset) < 0 else -1


def places_of(save: Save) -> Places:
    """Find what can be damaged: one walk over the sound save.

    Raises:
        SaveError: it is damaged.
    """
    stream = save.stream
    if save.rows:
        return _places_of_arx(save)
    found = Places()
    tags: list[Size] = []
    elements: list[Span] = []
    open_: list[tuple[object, Thing | None, Span]] = []  # the event, its object, the start of its element
    names: list[str] = []
    levels: list[list[Thing]] = []
    with streamsave.open(save.data) as events:
        for event in events:
            if isinstance(event, PropertyTag):
                end = event.value_offset + event.size
                thing = Thing((*names, event.name), (event.offset, event.offset), event.offset, event.value_offset, end)
                at = _tag_size(stream, event) if event.size >= 8 else -1
                if at >= 0:
                    tags.append(Size(at, 4, event.value_offset, end, thing))
                (found.leaves if events.is_leaf() else found.nests).append(thing)
            elif isinstance(event, Field):
                start, end = event.offset, event.offset + event.size
                found.leaves.append(Thing((*names, event.name), (start, start), start, start, end))
                if event.name in TABLES:
                    found.tables.append((start, end))
                elif event.name == "body_size":
                    found.around.append(Size(start, event.size, end, len(stream), found.leaves[-1]))
                elif event.name == "data_blob":
                    width = event.size - 4
                    size = int.from_bytes(stream[start : start + width], "little")
                    found.around.append(Size(start, width, start + width, start + width + size, found.leaves[-1]))
            elif isinstance(event, ObjectHeader):
                made = _thing(event, holds=events.holds_objects(event))
                if levels and not any(thing for _, thing, _ in open_):
                    levels[-1].append(made)
                names.append("")
                open_.append((event, made, (event.offset, event.offset)))
            elif isinstance(event, StructEnter):
                names.append(event.name)
                open_.append((event, None, (event.offset, event.offset)))
                if event.type_name == "Level":
                    levels.append([])
                stored = struct.pack("<i", event.count)
                if event.count > 0 and event.header_size >= 4:
                    for at in (event.offset, event.offset + event.header_size - 4):
                        if stream[at : at + 4] == stored:
                            found.counts.append((at, event.count))
                            break
            elif isinstance(event, (StructExit, ObjectEnd)):
                opened, ended, (start, _) = open_.pop()
                names.pop()
                end = event.offset + event.size
                if ended is not None:
                    ended.end = end
                    found.objects.append(ended)
                    header = opened
                    at = ended.data - 4
                    if isinstance(header, ObjectHeader) and at >= 0 and header.size >= 0 and not save.format.startswith("gvas"):
                        (size,) = struct.unpack_from("<i", stream, at)
                        if size == header.size and ended.data - ended.start >= 4:
                            found.sizes.append(Size(at, 4, ended.data, ended.data + size, ended))
                elif isinstance(opened, StructEnter) and opened.index >= 0 and opened.type_name != "Level":
                    elements.append((start, end))
    for level in levels:
        for at in {min(thing.head[0] for thing in level) - 4, min(thing.start for thing in level) - 4} if level else ():
            if struct.unpack_from("<i", stream, at)[0] == len(level):
                found.counts.append((at, len(level)))
    found.around.extend(tags)
    if not found.sizes:
        found.sizes.extend(tags)
    found.elements.extend(sorted({thing.entry for thing in found.objects if not thing.holds}))
    if len(found.elements) < 2:
        found.elements[:] = sorted(elements)
    found.objects.sort(key=lambda thing: (thing.start, thing.data))
    found.sizes.sort(key=lambda size: (size.start, size.end))
    found.counts.sort()
    return found


def _places_of_arx(save: Save) -> Places:
    found = Places()
    with streamsave.open(save.data) as events:
        for event in events:
            if isinstance(event, ObjectHeader):
                at, row = save.rows[event.instance_name]
                (size,) = struct.unpack_from("<I", save.stream, row[1] - 20)
                thing = Thing(key_of(event), (at, at), at, at, at + size)
                found.objects.append(thing)
                found.sizes.append(Size(row[1] - 8, 4, at, at + size, thing))
                found.elements.append(row)
                events.skip()
    first = min(start for _, (start, _) in save.rows.values())
    found.counts.extend([(first - 4, len(save.rows)), *((row[1] - 16, 1) for _, row in save.rows.values())])
    found.objects.sort(key=lambda thing: thing.start)
    found.sizes.sort(key=lambda size: size.start)
    return found

"""The instances of the lightweight buildable subsystem: each foundation, wall and beam of a world is an object inside of it.

| event | bytes |
|---|---|
| `StructEnter` trailer, `Field`s up to the version | as `trailers.lightweight_trailer` has them |
| `StructEnter` buildables, and one for each class | the number of classes |
| `Field` buildable_class | its reference |
| `StructEnter` instances | the number of instances |
| `ObjectHeader` of the kind `lightweight` | none: class and number are known, the place is at the start of its data |
| `Field`s, `ObjectEnd` | its data |

No size is stored: each instance is measured before its header comes. `build()` of the subsystem gives its instances as values,
without headers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import Array, BuildContext, Codec, Struct
from streamsave.decode.cursor import Cursor
from streamsave.events import Event, ObjectEnd, ObjectHeader, StructEnter, StructExit
from streamsave.formats.satisfactory.trailers import LIGHTWEIGHT_SUBSYSTEM
from streamsave.formats.unreal.reader import UnrealReader

__all__ = ["LIGHTWEIGHT", "LightweightWalker", "holds_instances"]

#: Kind of object.
LIGHTWEIGHT: Final = "lightweight"
#: How many nestings are open in the trailer: as many as where it is walked like any other.
TRAILER_DEPTH: Final = 2
#: Bytes of rotation, translation and scale, with which an instance starts.
PLACE_SIZE: Final = 80


def holds_instances(class_name: str) -> bool:
    """Return whether objects of this class contain instances."""
    return class_name.endswith(LIGHTWEIGHT_SUBSYSTEM)


class Repeat(Codec):
    """A number of values one after the other, whose count was read."""

    def __init__(self, element: Codec, count: i64) -> None:
        super().__init__(element.name, -1, 0)
        self._element = element
        self._count: i64 = count

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        self._element.measure_many(cursor, context, self._count)


class LightweightWalker:
    """Walks the trailer of one subsystem.

    Args:
        header: of the subsystem.
        trailer: its layout.
    """

    def __init__(self, header: ObjectHeader, trailer: Struct) -> None:
        self._header = header
        self._trailer = trailer
        #: The class of the instances that are walked, and what the names of these start with.
        self._class_name = ""
        self._prefix = ""
        #: How many there are.
        self._count: i64 = 0

    def events(self, reader: UnrealReader) -> Iterator[Event]:
        """Walk the trailer, which starts at the cursor."""
        cursor = reader.cursor
        trailer = self._trailer
        start = cursor.tell()
        reader.steps.append("trailer")
        yield reader.entered(StructEnter(start, "trailer", trailer.name, 0, -1, -1, -1), trailer, TRAILER_DEPTH)
        if cursor.tell() == start:
            yield from self._members(reader)
        reader.set_outer_depth(0)
        reader.steps.pop()
        end = cursor.tell()
        yield StructExit(end, "trailer", 0)

    def _members(self, reader: UnrealReader) -> Iterator[Event]:
        """Walk the members of the trailer."""
        trailer = self._trailer
        for at in range(len(trailer.names)):
            codec = trailer.members[at]
            if isinstance(codec, Array):
                yield from self._buildables(reader, trailer.names[at], codec)
            else:
                yield reader.field(trailer.names[at], codec)

    def _buildables(self, reader: UnrealReader, name: str, codec: Array) -> Iterator[Event]:
        """Walk the classes."""
        cursor = reader.cursor
        buildable = codec.element
        assert isinstance(buildable, Struct)  # noqa: S101 - it is one of `lightweight_trailer`
        start = cursor.tell()
        count = cursor.count(buildable.least)
        content = cursor.tell()
        reader.steps.append(name)
        enter = StructEnter(start, name, codec.name, content - start, -1, -1, count)
        yield reader.entered(enter, Repeat(buildable, count), TRAILER_DEPTH + 1)
        if cursor.tell() == content:
            for index in range(count):
                reader.steps.append(int(index))
                yield from self._buildable(reader, name, buildable, index)
                reader.steps.pop()
        reader.steps.pop()
        yield StructExit(cursor.tell(), name, 0)

    def _buildable(self, reader: UnrealReader, name: str, buildable: Struct, index: i64) -> Iterator[Event]:
        """Walk one class: the reference to it, then its instances."""
        cursor = reader.cursor
        start = cursor.tell()
        enter = StructEnter(start, name, buildable.name, 0, -1, index, -1)
        yield reader.entered(enter, buildable, TRAILER_DEPTH + 2)
        if cursor.tell() == start:
            cursor.string()
            class_name = cursor.string()
            yield reader.passed(buildable.names[0], buildable.members[0], start)
            instances = buildable.members[1]
            assert isinstance(instances, Array)  # noqa: S101 - as above
            yield from self._class_instances(reader, buildable.names[1], instances, class_name)
        yield StructExit(cursor.tell(), name, 0)

    def _class_instances(self, reader: UnrealReader, name: str, codec: Array, class_name: str) -> Iterator[Event]:
        cursor = reader.cursor
        instance = codec.element
        assert isinstance(instance, Struct)  # noqa: S101 - as above
        start = cursor.tell()
        self._class_name = class_name
        self._prefix = f"{self._header.instance_name}.{class_name[class_name.rfind('.') + 1 :]}_"
        self._count = cursor.count(instance.least)
        content = cursor.tell()
        reader.steps.append(name)
        enter = StructEnter(start, name, codec.name, content - start, -1, -1, self._count)
        yield reader.entered(enter, Repeat(instance, self._count), TRAILER_DEPTH + 3)
        if cursor.tell() == content:
            yield from self._instances(reader, name, instance, 0, self._count)
        reader.steps.pop()
        yield StructExit(cursor.tell(), name, 0)

    def _instances(self, reader: UnrealReader, name: str, instance: Struct, first: i64, last: i64) -> Iterator[Event]:
        """Walk the instances from the number `first` up to `last`, which is not among them."""
        cursor = reader.cursor
        wanted = reader.selecting
        around = self._header
        class_name = self._class_name
        for index in range(first, last):
            if reader.building:
                yield reader.field(name, instance, index)
                continue
            if wanted is not None and not wanted.wants_class(class_name):
                instance.measure_many(cursor, reader, last - index)
                return
            start = cursor.tell()
            instance.measure(cursor, reader)
            end = cursor.tell()
            instance_name = f"{self._prefix}{index}"
            if wanted is not None and not wanted.wants_names(class_name, instance_name, around.level):
                continue
            cursor.seek(start)
            place = cursor.block(PLACE_SIZE)
            cursor.seek(start)
            header = ObjectHeader(
                start,
                LIGHTWEIGHT,
                class_name,
                instance_name,
                around.level,
                around.instance_name,
                None,
                0,
                around.save_version,
                0,
                0,
                start,
                end - start,
                place=place,
            )
            if wanted is not None and not wanted.wants_header(header):
                cursor.seek(end)
                continue
            yield header
            if cursor.tell() == start:
                reader.steps.append(int(index))
                reader.begin_members(instance, end)
                event = reader.walk()
                if event is not None:
                    yield event
                reader.steps.pop()
            cursor.seek(end)
            yield ObjectEnd(end, instance_name, 0)

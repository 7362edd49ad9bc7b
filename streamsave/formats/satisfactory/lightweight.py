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
from streamsave.formats.unreal.codecs import REFERENCE, read_reference
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

    def events(self, reader: UnrealReader) -> Iterator[Event]:
        """Walk the trailer, which starts at the cursor."""
        yield from self._nesting(reader, "trailer", self._trailer, -1, TRAILER_DEPTH)
        reader.set_outer_depth(0)

    def _nesting(self, reader: UnrealReader, name: str, codec: Codec, index: i64, depth: i64) -> Iterator[Event]:
        """Walk a struct, or an array of structs: so many nestings are open then."""
        cursor = reader.cursor
        start = cursor.tell()
        count: i64 = -1
        content = codec
        if isinstance(codec, Array):
            count = cursor.count(codec.element.least)
            content = Repeat(codec.element, count)
        at = cursor.tell()
        if index < 0:
            reader.steps.append(name)
        yield reader.entered(StructEnter(start, name, codec.name, at - start, -1, index, count), content, depth)
        if cursor.tell() == at:
            if isinstance(codec, Array):
                yield from self._elements(reader, name, codec.element, count, depth)
            elif isinstance(codec, Struct):
                yield from self._members(reader, codec, depth)
        if index < 0:
            reader.steps.pop()
        yield StructExit(cursor.tell(), name, 0)

    def _elements(self, reader: UnrealReader, name: str, element: Codec, count: i64, depth: i64) -> Iterator[Event]:
        """Walk classes, or instances of one."""
        assert isinstance(element, Struct)  # noqa: S101 - it is one of `lightweight_trailer`
        if not element.streams:
            yield from self._instances(reader, name, element, 0, count)
            return
        for index in range(count):
            reader.steps.append(int(index))
            yield from self._nesting(reader, name, element, index, depth + 1)
            reader.steps.pop()

    def _members(self, reader: UnrealReader, struct: Struct, depth: i64) -> Iterator[Event]:
        """Walk the members of the trailer or of a class: that is the reference to it, then its instances."""
        cursor = reader.cursor
        for name, codec in zip(struct.names, struct.members, strict=True):
            if isinstance(codec, Array):
                yield from self._nesting(reader, name, codec, -1, depth + 1)
            elif codec is REFERENCE:
                start = cursor.tell()
                self._class_name = read_reference(cursor).path_name
                self._prefix = f"{self._header.instance_name}.{self._class_name[self._class_name.rfind('.') + 1 :]}_"
                yield reader.passed(name, codec, start)
            else:
                yield reader.field(name, codec)

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

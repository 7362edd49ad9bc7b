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
from streamsave.decode.codecs import Array, Codec, Repeat, Struct
from streamsave.events import WIDE_PLACE, Event, ObjectEnd, ObjectHeader, StructEnter, StructExit
from streamsave.formats.satisfactory.trailers import LIGHTWEIGHT_SUBSYSTEM
from streamsave.formats.unreal.codecs import REFERENCE, read_reference
from streamsave.formats.unreal.reader import UnrealReader

__all__ = ["LIGHTWEIGHT", "LightweightWalker", "holds_instances"]

#: Kind of object.
LIGHTWEIGHT: Final = "lightweight"
#: How many nestings are open in the trailer: as many as where it is walked like any other.
TRAILER_DEPTH: Final = 2


def holds_instances(class_name: str) -> bool:
    """Return whether objects of this class contain instances."""
    return class_name.endswith(LIGHTWEIGHT_SUBSYSTEM)


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
        yield from self._walk(reader, "trailer", self._trailer, -1, TRAILER_DEPTH)
        reader.set_outer_depth(0)

    def _walk(self, reader: UnrealReader, name: str, codec: Codec, index: i64, depth: i64) -> Iterator[Event]:
        """Walk the trailer, the array of classes, one of these, or its reference and instances."""
        cursor = reader.cursor
        start = cursor.tell()
        if codec is REFERENCE:
            self._class_name = read_reference(cursor).path_name
            self._prefix = f"{self._header.instance_name}.{self._class_name[self._class_name.rfind('.') + 1 :]}_"
            yield reader.passed(name, codec, start)
            return
        if not codec.streams:
            yield reader.field(name, codec)
            return
        count: i64 = -1
        content = codec
        if isinstance(codec, Array):
            count = cursor.count(codec.element.least)
            content = Repeat(codec.element, count, codec.element.name)
        at = cursor.tell()
        reader.steps.append(name if index < 0 else int(index))
        yield reader.entered(StructEnter(start, name, codec.name, at - start, -1, index, count), content, depth)
        if cursor.tell() == at:
            if isinstance(codec, Struct):
                for member_name, member in zip(codec.names, codec.members, strict=True):
                    yield from self._walk(reader, member_name, member, -1, depth + 1)
            elif isinstance(codec, Array):
                assert isinstance(codec.element, Struct)  # noqa: S101 - it is one of `lightweight_trailer`
                if codec.element.streams:
                    for number in range(count):
                        yield from self._walk(reader, name, codec.element, number, depth + 1)
                else:
                    yield from self._instances(reader, name, codec.element, 0, count)
        if index < 0:
            reader.steps.pop()
        yield StructExit(cursor.tell(), name, 0)
        if index >= 0:  # the end of an element is still in it
            reader.steps.pop()

    def _instances(self, reader: UnrealReader, name: str, instance: Struct, first: i64, last: i64) -> Iterator[Event]:
        """Walk the instances from the number `first` up to `last`, which is not among them."""
        cursor = reader.cursor
        wanted = reader.selecting
        around = self._header
        class_name = self._class_name
        for index in range(first, last):
            if reader.build.is_running:
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
            place = cursor.block(WIDE_PLACE.size)
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
                yield from reader.walk_on()
                reader.steps.pop()
            cursor.seek(end)
            yield ObjectEnd(end, instance_name, 0)

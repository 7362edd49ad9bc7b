"""A made format of another package with big-endian numbers, which no codec has: sizes, counts, and values.

| part | content |
|---|---|
| file | zlib stream: u16 count, herds |
| herd | u8 size and name, u32 size of what follows, f64 weight, u16 count, herds |
"""

import struct

from streamsave import Field, ObjectEnd, ObjectHeader, SaveEnd, SaveStart, StructEnter, StructExit
from streamsave.decode.reader import Leaf, Length
from streamsave.formats import Cursor, Reader, zlib_windows
from streamsave.headers import Header
from streamsave.rewriting.family import Family
from streamsave.rewriting.packing import compressed, edited

COUNT, SIZE, WEIGHT = struct.Struct(">H"), struct.Struct(">I"), struct.Struct(">d")


class HerdReader(Reader):
    writer = "herd_format:HerdFamily"

    def __init__(self, source, limits):
        super().__init__(Cursor(zlib_windows(source, limits), limits))

    def events(self):
        yield SaveStart(0, "herds", 1, Header())
        yield from self.herds()
        if not self.cursor.at_end():
            raise self.cursor.damaged("bytes after the last herd")
        yield SaveEnd(self.cursor.tell())

    def herds(self):
        cursor = self.cursor
        start = cursor.tell()
        if len(self.steps) > self.limits.depth:
            raise cursor.exceeded("depth", len(self.steps))
        (count,) = cursor.unpack(COUNT)
        yield StructEnter(start, "herds", "", 2, -1, -1, count)
        self.steps.append("herds")
        for _ in range(count):
            yield from self.herd()
        self.steps.pop()
        yield StructExit(cursor.tell(), "herds", 0)

    def herd(self):
        cursor = self.cursor
        start = cursor.tell()
        name = cursor.take(cursor.u8()).decode("latin-1")
        (size,) = cursor.unpack(SIZE)
        data, limit = cursor.tell(), cursor.limit()
        cursor.check_reaches(data + size)
        yield ObjectHeader(start, "herd", "herd", name, "", "", None, 0, 1, data - start, 0, data, size)
        if cursor.tell() == data:
            cursor.set_limit(data + size)
            self.steps.append(name)
            cursor.skip(8)
            cursor.seek(data)
            self.announce(Leaf("weight", data, data + 8, -1, None, opens=False))
            yield Field(data, "weight", "f64", 8, -1)
            cursor.seek(data + 8)
            yield from self.herds()
            if cursor.tell() != data + size:
                raise cursor.damaged("a herd ends before its size says")
            self.steps.pop()
        cursor.set_limit(limit)
        cursor.seek(data + size)
        yield ObjectEnd(data + size, name, 0)

    def decode(self, event):
        return self.cursor.unpack(WEIGHT)[0]

    def holds_objects(self, header):
        return True


class HerdFamily(Family):
    def lengths(self, event):
        if isinstance(event, ObjectHeader):
            return [Length(event.data_offset - 4, 4, counts=False, order="big")]
        return [Length(event.offset, 2, counts=True, order="big")] if isinstance(event, StructEnter) else []

    def encode(self, event, value):
        return WEIGHT.pack(value)

    def write(self, rows, target):
        target.writelines(compressed(edited(self.reader.windows, rows), fast=self.fast))


def herds(*inside: bytes) -> bytes:
    return COUNT.pack(len(inside)) + b"".join(inside)


def herd(name: str, weight: float, *inside: bytes) -> bytes:
    data = WEIGHT.pack(weight) + herds(*inside)
    return bytes([len(name)]) + name.encode() + SIZE.pack(len(data)) + data


STREAM = herds(herd("cows", 0.1, herd("calves", 2.5), herd("bulls", 3.5)), herd("hens", 4.5))

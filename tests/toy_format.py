"""A made format of another package, and the package: a folder that Python's tools take for an installed distribution.

| part | content |
|---|---|
| start | `TOY1`, u8 version, u8 count of objects |
| object | u8 size and name, f32 x, f32 y (in blocks), u32 size of the data; in it, i32 hits and i32 lives |
"""

import struct
from pathlib import Path

MODULE = """
from streamsave.formats import Format, Label, PlaceUnit

def sniff(head, source):
    return head.startswith(b"TOY1")

TOY = Format(
    "Toy save",
    sniff,
    "toy_reader:ToyReader",
    extensions=(".toy",),
    labels={"played": Label("play time", "seconds")},
    place_unit=PlaceUnit("bl", "blocks", 1),
)
"""

READER = """
from attrs import frozen

from streamsave.decode.codecs import I32
from streamsave.events import ObjectEnd, ObjectHeader, SaveEnd, SaveStart, StructEnter, StructExit
from streamsave.formats import Cursor, FileWindows, Reader
from streamsave.headers import Header
from streamsave.values import Transform

@frozen
class ToyHeader(Header):
    played: int

class ToyReader(Reader):
    def __init__(self, source, limits):
        super().__init__(Cursor(FileWindows(source), limits))

    def events(self):
        cursor = self.cursor
        cursor.skip(4)
        version, count = cursor.u8(), cursor.u8()
        yield SaveStart(0, "toy", version, ToyHeader(3661))
        yield StructEnter(0, "objects", "", cursor.tell(), -1, -1, count)
        self.steps.append("objects")
        # A consumer that skips the struct is walked through it: its size is unknown.
        for _ in range(count):
            start = cursor.tell()
            name = cursor.take(cursor.u8()).decode("latin-1")
            x, y = cursor.f32(), cursor.f32()
            size = cursor.u32()
            data = cursor.tell()
            cursor.check_reaches(data + size)
            place = Transform((0.0, 0.0, 0.0, 1.0), (x, y, 0.0), (1.0, 1.0, 1.0))
            kind = name.partition("_")[0]
            yield ObjectHeader(start, "thing", kind, name, "", "", place, 0, version, data - start, 0, data, size)
            if cursor.tell() == data:
                self.steps.append(name)
                yield self.field("hits", I32)
                cursor.seek(data + 4)
                yield self.field("lives", I32)
                cursor.seek(data + 8)
                self.steps.pop()
            cursor.seek(data + size)
            yield ObjectEnd(data + size, name, 0)
        self.steps.pop()
        yield StructExit(cursor.tell(), "objects", 0)
        yield SaveEnd(cursor.tell())
"""

OBJECTS = {"ball_1": (1.5, 2.0, 3, 7), "doll_1": (4.0, -8.0, 5, 9)}


def toy_save(objects: dict[str, tuple[float, float, int, int]] = OBJECTS) -> bytes:
    """The bytes of a save: name -> x, y, hits, lives."""
    data = b"TOY1\x02" + bytes([len(objects)])
    for name, (x, y, hits, lives) in objects.items():
        data += bytes([len(name)]) + name.encode() + struct.pack("<ffIii", x, y, 8, hits, lives)
    return data


def install(folder: Path, entry: str = "toy_format_rows:TOY", *, package: str = "toy", name: str = "toy", **files: str) -> Path:
    """Put the package into a folder for `sys.path`: its modules (others with the same names win) and its entry point."""
    for module, text in ({"toy_format_rows": MODULE, "toy_reader": READER, **files}).items():
        (folder / f"{module}.py").write_text(text, encoding="utf-8")
    about = folder / f"{package}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(f"[streamsave.formats]\n{name} = {entry}\n", encoding="utf-8")
    return folder

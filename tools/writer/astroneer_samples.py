"""Tiny Astroneer saves: every construct, every wrapper, and saves with one thing wrong."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable

from writer.astroneer import (
    BOOL,
    BYTE,
    DOUBLE,
    FLAG_ACTOR,
    FLAG_MANAGER,
    FLAG_NATIVE,
    FLOAT,
    INT,
    MAGIC,
    NAME,
    OBJECT,
    STR,
    TERRAIN_CLASS,
    UINT32,
    UINT64,
    Actor,
    Instance,
    Level,
    Pool,
    Prop,
    Save,
    Terrain,
    array,
    enum,
    map_of,
    new_enum,
    property_list,
    set_of,
    struct_of,
    wrap,
)
from writer.primitives import i32, u32

ROVER = "/Game/Vehicles/Rover.Rover_C"
INDEX_NAME = "SAMPLE$2020.06.14-17.40.07"


def world() -> Level:
    """A level with each kind of object and of value."""
    rover = [
        Prop("bIsOn", BOOL, True),
        Prop("Count", INT, -7),
        Prop("Seed", UINT32, 4_000_000_000),
        Prop("Player", UINT64, 1 << 63),
        Prop("Power", FLOAT, 0.5, index=1),
        Prop("Day", DOUBLE, 0.125, guid=bytes(range(16))),
        Prop("Slot", BYTE, 3),
        Prop("Mode", enum("EMode"), "EMode::Fast"),
        Prop("State", new_enum("EState"), "EState::Idle"),
        Prop("Tag", NAME, "Left"),
        Prop("Label", STR, "iron, mostly"),
        Prop("Engine", OBJECT, 2),
        Prop("Nothing", OBJECT, -1),
        Prop("ItemType", OBJECT, "/Game/Items/Drill.Drill_C"),
        Prop("Place", struct_of("Vector"), struct.pack("<3f", 1, 2, 0.5)),
        Prop("Ref", struct_of("AstroDatumRef"), struct.pack("<3i", 0, -1, 6)),
        Prop("Odd", struct_of("AttachmentState"), b"\0\0\0\0\xff\xff\xff\xff\0"),
        Prop("Replicated", struct_of("RepState"), [Prop("Level", INT, 2), Prop("Owner", OBJECT, 0)]),
        Prop("Numbers", array(INT), [1, 2, 3]),
        Prop("Names", array(NAME), ["Left", "Right"]),
        Prop("Parts", array(OBJECT), [2, -1]),
        Prop("Bytes", array(BYTE), [1, 2]),
        Prop("Slots", array(struct_of("SlotReference")), [[Prop("SlotName", NAME, "Left")], [Prop("SlotName", NAME, "Right")]]),
        Prop("Tags", set_of(NAME), ["Left"]),
        Prop("Progress", map_of(new_enum("EGoal"), INT), [("EGoal::First", 5)]),
        Prop("Goals", map_of(NAME, struct_of("Goal")), [("Left", [Prop("Done", BOOL, False)])]),
    ]
    blocks = [(-5, b"dirt" * 400), (1 << 40, b"")]
    terrain = Terrain(77, blocks, [(1, 2), (3, 4)], [(0.5, 1.0, 1.5, 2.0, 1, 255)])
    return Level(
        objects=[
            Instance("/Script/Astro.AstroEntityWorld", "AstroEntityWorld_2", save_flags=FLAG_MANAGER),
            Instance(ROVER, "Rover_C_0", rover, save_flags=FLAG_ACTOR, object_flags=8),
            Instance("/Script/Astro.SlotsComponent", "Slots", outer=1, custom=b"\3\0\0\0slots"),
            Instance("/Game/Planets/Terran.Terran_C", "Terran_1", save_flags=FLAG_ACTOR, custom=b"planet", guid=bytes(range(16))),
            Instance(TERRAIN_CLASS, "TerranVoxels", outer=3, terrain=terrain),
            Instance("/Game/Game.PlayController_C", "Player_0", [Prop("Count", INT, 1)], save_flags=FLAG_ACTOR, data=b"tail"),
            Instance("/Script/Astro.AstroEntityContainer", "Container", None, data=b"\xfc\xfb\xff\xff" * 4),
            Instance("/Script/Engine.StaticMeshComponent", "Mesh", None, outer=1, save_flags=FLAG_NATIVE),
        ],
        actors=[
            Actor(1, [("Seat", 2)], [("Slots", 2)], (0.0, 0.0, 0.0, 1.0, 100.0, -250.0, 1.0, 1.0, 1.0, 1.0)),
            Actor(3, (), [("TerranVoxels", 4)]),
            Actor(5),
        ],
        roots=[1, 0],
        first_import=6,
    )


def full() -> Save:
    """Everything the verified layout has."""
    return Save(world(), controllers=[(2, 1, 1 << 63)])


def remote() -> Save:
    """Two players, one of them remote; the verified layout has it, but no real save does."""
    other = Level([Instance(ROVER, "Rover_C_9", [Prop("Tag", NAME, "Right")], save_flags=FLAG_ACTOR)], [Actor(0)], [0])
    return Save(world(), remote=[(other, 12)])


def later() -> Save:
    """The layout of later games, as others give it."""
    level = world()
    level.version = 44
    return Save(level, controllers=[(0, 1, 5)], version=44, later=True)


def entities(rest: bytes = b"") -> Save:
    """An entity with one component, which is to have a second one, and a slot with an item; `rest` follows each of them."""
    nothing = i32(-1) * 3
    start = struct.pack("<3i 4i i i 2i", -2, 1, 2, 0, -1, -1, -1, 0, 1, 0, -1)

    def entity(pool: Pool) -> bytes:
        properties = [Prop("Name", NAME, "Base"), Prop("ViewActor", OBJECT, 2)]
        parts = struct.pack("<4i", 1, 0, -1, 1)
        return start + i32(0) + property_list(pool, properties) + nothing + parts + nothing + i32(0) + rest

    def lock(pool: Pool) -> bytes:
        properties = [Prop("Ref", struct_of("AstroDatumRef"), nothing), Prop("Owners", array(OBJECT), [2])]
        return start + i32(1) + property_list(pool, properties) + struct.pack("<3i", 0, -1, 0) + rest

    def slots(pool: Pool) -> bytes:
        return i32(1) + pool.index("Seat") + struct.pack("<iiiBii", 1, 4, 1, 0, 1, 2) + rest

    return Save(
        Level(
            [
                Instance("/Script/Astro.AstroEntityContainer", "Entities", None, data=entity),
                Instance("/Script/Astro.LockComponentContainer", "Locks", None, data=lock),
                Instance(ROVER, "Rover_C_0", save_flags=FLAG_ACTOR),
                Instance("/Script/Astro.SlotsComponent", "Slots", outer=2, custom=slots),
                Instance(ROVER, "Rover_C_1", save_flags=FLAG_ACTOR),
            ],
            [Actor(2, (), [("Slots", 3)]), Actor(4)],
            [0, 1],
        )
    )


def zipped(method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive with the save game after another member."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data, how in (("readme.txt", b"hello", zipfile.ZIP_STORED), ("save.gvas", full().gvas(), method)):
            archive.writestr(zipfile.ZipInfo(name), data, how)
    return out.getvalue()


class Pipe(io.RawIOBase):
    """What a zip archive is written to whose sizes come after the members: a file that cannot seek."""

    def __init__(self) -> None:
        self.data = bytearray()

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, data: object) -> int:
        """Append."""
        piece = memoryview(data).cast("B")  # type: ignore[arg-type]
        self.data += piece
        return len(piece)


def zip_stream() -> bytes:
    """A zip archive that was written to a pipe."""
    out = Pipe()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo("save.gvas"), full().gvas(), zipfile.ZIP_DEFLATED)
    return bytes(out.data)


def guid(number: int) -> bytes:
    """Some GUID."""
    return bytes((number, *range(1, 16)))


def file_name(number: int) -> str:
    """The name of the file of a piece with that GUID."""
    raw = guid(number)
    return (raw[3::-1] + raw[5:3:-1] + raw[7:5:-1] + raw[8:]).hex().upper()


def index(names: list[tuple[str, int]]) -> bytes:
    """An index of Xbox pieces: names, and numbers of their GUIDs."""
    entries = [name.encode("utf-16-le").ljust(128, b"\0") + guid(number) * 2 for name, number in names]
    return i32(4) + i32(len(entries)) + b"".join(entries)


def pieces(data: bytes, size: int = 500) -> dict[str, bytes]:
    """A folder with a save in pieces, which are small here: file name -> bytes."""
    parts = [data[at : at + size] for at in range(0, len(data), size)]
    names = [(f"{INDEX_NAME}$${number}${len(parts)}$1", number) for number in range(len(parts))]
    older = ("OLDER$c2019.01.01-00.00.00", 200)
    files = {"container.1": index([older, *reversed(names)]), file_name(200): Save().encode()}
    return files | {file_name(number): part for number, part in enumerate(parts)}


VALID: dict[str, Callable[[], bytes]] = {
    "full.savegame": lambda: full().encode(),
    "empty.savegame": lambda: Save().encode(),
    "entities.savegame": lambda: entities().encode(),
    "remote.savegame": lambda: remote().encode(),
    "later-unverified.savegame": lambda: later().encode(),
    "bare.gvas": lambda: full().gvas(),
    "deflated.zip": zipped,
    "stored.zip": lambda: zipped(zipfile.ZIP_STORED),
    "stream.zip": zip_stream,
}


def _with(change: Callable[[bytes], bytes]) -> bytes:
    """A save whose save game was changed, in a wrapper that fits."""
    return wrap(change(full().gvas()))


def _number(name: str, value: int, offset: int = 0) -> bytes:
    """The save game with a number after the (last) string `name` replaced."""

    def change(data: bytes) -> bytes:
        at = data.rindex(name.encode() + b"\0") + len(name) + 1 + offset
        return data[:at] + i32(value) + data[at + 4 :]

    return _with(change)


def _broken_block() -> bytes:
    def change(data: bytes) -> bytes:
        packed = zlib.compress(b"dirt" * 400)
        return data.replace(packed, b"\0" * len(packed))

    return _with(change)


def invalid() -> dict[str, bytes]:
    """Saves with one thing wrong."""
    good = full().encode()
    sized = full().gvas()
    archive = zipped()
    one = Level([Instance("/Script/A.A", "A")])
    return {
        "wrapper-version.savegame": MAGIC + u32(2) + good[12:],
        "wrapper-only.savegame": good[:12],
        "size-too-small.savegame": wrap(sized, len(sized) - 1),
        "size-too-large.savegame": wrap(sized, len(sized) + 1),
        "size-huge.savegame": wrap(sized, 0xFFFFFFFF),
        "cut.savegame": good[:-40],
        "bytes-behind.savegame": good + b"x",
        "no-zlib.savegame": good[:16] + b"x" + good[17:],
        "other-class.savegame": Save(class_name="OtherSave").encode(),
        "no-level-name.savegame": Save(level_name="Staging").encode(),
        "object-name.savegame": _number(ROVER, 10_000),
        "object-outer.savegame": _number(ROVER, 10_000, 9),
        "object-size.savegame": _number(ROVER, 0x7FFFFFFF, 13),
        "object-count.savegame": wrap(sized[:-600]),
        "custom-smaller.savegame": _number("/Script/Astro.SlotsComponent", 0, 17),
        "voxels-broken.savegame": _broken_block(),
        "no-names.savegame": wrap(Save(one).gvas().replace(struct.pack("<Iq", 41, 3), struct.pack("<Iq", 41, 0))),
        "names-negative.savegame": wrap(Save(one).gvas().replace(struct.pack("<Iq", 41, 3), struct.pack("<Iq", 41, -1))),
        "names-huge.savegame": wrap(Save(one).gvas().replace(struct.pack("<Iq", 41, 3), struct.pack("<Iq", 41, 1 << 62))),
        "zip-crc.zip": archive.replace(struct.pack("<I", zlib.crc32(sized)), b"\1\2\3\4"),
        "zip-no-directory.zip": archive[: archive.index(b"PK\1\2")],
        "zip-cut.zip": archive[: len(archive) // 2],
        "index-alone.32": index([(INDEX_NAME, 1)]),
        "index-cut.32": index([(INDEX_NAME, 1), (INDEX_NAME, 2)])[:168],
        "index-longer.32": index([(INDEX_NAME, 1)]) + b"x",
    }

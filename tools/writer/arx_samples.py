"""A tiny world of Arx that has every construct once, as all four containers, and what can be wrong with a container.

The same world is in every container, so that a reader must find the same in all of them.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

from writer.arx import (
    DEFLATE,
    DEFLATED,
    IMPLODE,
    LEGACY,
    NO_EXTENSION,
    RELEASE,
    STORED,
    UNKNOWN_SIZE,
    Container,
    Entry,
    Row,
    assemble,
    crypt,
    implode,
    pack,
)
from writer.arx_entries import (
    CAMERA,
    FIX,
    ITEM,
    MARKER,
    NPC,
    VERSION,
    Entity,
    Globals,
    Level,
    LevelData,
    Part,
    Player,
    Stub,
    Variable,
)
from writer.arx_structs import Values, encode_struct


def entity_file(name: str, kind: str) -> str:
    """Give the path that the original game writes for an entity."""
    return f"c:\\arx\\graph\\obj3d\\interactive\\{kind}\\{name}\\{name}.teo"


BREAD = Entity(
    ITEM,
    {"filename": entity_file("bread", "items"), "ident": 1, "ioflags": 4, "pos": (1.5, -2.0, 30.25), "show": 4, "scale": 1.0},
    own={"price": 3, "maxcount": 10, "count": 2, "food_value": -4, "equipitem": {"elements": [{"value": 1.5, "special": -1}]}},
)
GOBLIN = Entity(
    NPC,
    {
        "filename": entity_file("goblin_base", "npc"),
        "ident": 7,
        "ioflags": 8,
        "show": 1,
        "game_flags": 5,
        "locname": "[goblin_base]",
        "anims": ["goblin_wait.tea", "", "goblin_walk.tea"],
        "halo": {"color": {"r": 1.0, "g": 0.5}, "radius": 45.0},
        "spellcast_data": {"castingspell": -1, "symb": b"\1\2\3\4"},
        "nb_linked": 1,
        "linked_data": [{"lgroup": 2, "modinfo": {"scale": (1.0, 2.0, 3.0), "rot": {"b": 90.0}}, "linked_id": "long_sword_0003"}],
        "id_targetinfo": "player",
    },
    timers=[{"name": "sleep", "count": 3, "interval": 1500, "pos": -1, "remaining": 200}, {"name": "wake", "script": 1}],
    variables=[(2, "\xa3name", "gr\xf6k"), (8, "\xa7calls", -12), (32, "@angle", 0.25), (2, "\xa3empty", "")],
    override_variables=[(8, "\xa7met", 1)],
    own={"life": 17.5, "maxlife": 20.0, "weapon": "long_sword_0003", "stackedtarget": ["player", "none"], "cuts": -2},
    inventory={"io": "goblin_base_0007", "sizex": 3, "sizey": 11, "slot_io": [[], ["", "bread_0001"]], "slot_show": [[], [0, 1]]},
    tweaker={"filename": "goblin_base_lord", "skinchangeto": "npc_goblin_lord"},
    groups=["guards", "goblins"],
    tweaks=[{"type": 1, "param1": "head", "param2": "helmet"}],
)
DOOR = Entity(FIX, {"filename": entity_file("door", "fix_inter"), "ident": 2, "show": 1}, own={"trapvalue": -1})
CAMERA_1 = Entity(
    CAMERA, {"filename": entity_file("camera", "system"), "ident": 1}, own={"cam": {"pos": (1.0, 2.0, 3.0), "focal": 310.0}}
)
MARKER_1 = Entity(MARKER, {"filename": entity_file("marker", "system"), "ident": 1}, own={"dummy": 9})

ENTITIES = {"goblin_base_0007": GOBLIN, "bread_0001": BREAD, "door_0002": DOOR, "camera_0001": CAMERA_1, "marker_0001": MARKER_1}

LEVEL_DATA: Values = {
    "version": VERSION,
    "name": "Fort\x80",
    "level": 1,
    "time": 3_723_000,
    "playthrough_id": (1 << 64) - 2,
    "newest_al_version": 0x0001_0002_0001_0000,
    "last_engine_version": "Arx Libertatis 1.2.1",
}
QUESTS = ["[quest_fortress]", "[quest_king]"]
KEYS = ["key_cell_0001"]
MARKERS: list[Values] = [{"x": 0.5, "y": -1.0, "lvl": 3, "name": "[castle]"}]
PLAYER: Values = {
    "attribute_strength": 12.0,
    "life": 31.5,
    "level": 3,
    "xp": 4500,
    "pos": (9000.0, -100.5, 4.0),
    "id_inventory": [[["", "bread_0001"]]],
    "inventory_show": [[[0, 1]]],
    "minimap": [{}, {"width": 250.0, "revealed": [bytes(range(50))]}],
    "equiped": ["", "", "long_sword_0003"],
    "precast": [{"typ": 4, "level": 2}],
}
GLOBALS: list[Variable] = [(1, "$castle", "open"), (4, "#quest", 42), (16, "&ratio", 1.5), (1, "$nothing", "")]
INDEX: Values = {"version": VERSION, "time": 55, "gmods_current": {"flags": 3, "depthcolor": {"g": 0.5}, "zclip": 6400.0}}
INTER: list[Values] = [
    {"filename": entity_file("goblin_base", "npc"), "ident": 7},
    {"filename": entity_file("door", "fix_inter"), "ident": 2, "level": -1},
    {"filename": entity_file("torch", "items"), "ident": 9},
]
PATHS: list[Values] = [{"name": "gate", "controled": "door_0002"}]
AMBIANCES: list[Values] = [{"name": "ambient_cave.amb", "volume": 0.75, "loop": 1, "type": 2}]
LIGHTS: list[Values] = [{"status": 1}, {"status": -1}]


#: The entries that are no entities, by name.
PARTS: dict[str, Part] = {
    "pld": LevelData(LEVEL_DATA),
    "player": Player(PLAYER, QUESTS, KEYS, MARKERS),
    "globals": Globals(GLOBALS),
    "lvl001": Level(INDEX, INTER, PATHS, AMBIANCES, LIGHTS),
}
WORLD: dict[str, Part] = {**PARTS, **ENTITIES, "torch_0009": Stub()}


def whole_entries() -> dict[str, Values]:
    """Give the values of all entries as a reader finds them, by entry and section."""
    return {name: part.whole() for name, part in WORLD.items()}


def inner_files() -> dict[str, bytes]:
    """Give all entries of the world."""
    return {**{name: part.encode() for name, part in WORLD.items()}, "readme": b"Neither a level nor an entity."}


def original(version: int, **options: Any) -> Container:  # noqa: ANN401
    """Make the container of the original game: all entries imploded."""
    chunks = options.pop("chunks", 1)
    upper = options.pop("upper", False)
    entries = []
    for name, data in inner_files().items():
        full = f"{name}.sav"
        entries.append(Entry((full.upper() if upper else full).encode(), data, chunks=chunks))
    return Container(version, entries, **options)


def mixed(version: int, **options: Any) -> Container:  # noqa: ANN401
    """Make the container of Arx Libertatis: each entry packed in the next of all ways."""
    suffix = ".SAV" if version < NO_EXTENSION else ""
    ways = [(DEFLATED, False), (IMPLODE, True), (STORED, False), (IMPLODE, False)]
    entries = []
    for index, (name, data) in enumerate(inner_files().items()):
        codec, unknown = ways[index % len(ways)]
        if codec == STORED and len(data) > 2000:
            codec = DEFLATED
        entries.append(Entry((name + suffix).encode(), data, codec, chunks=1 + index % 3, unknown_size=unknown))
    entries.append(Entry(b"empty" + suffix.encode(), b"", STORED))
    return Container(version, entries, **options)


def duplicated() -> Container:
    """Make a container where two entries have one name, and one is packed in an unknown way."""
    first = inner_files()
    entries = [
        Entry(b"pld", first["pld"], DEFLATED),
        Entry(b"note", b"first", STORED),
        Entry(b"note", b"second", DEFLATED),
        Entry(b"secret", b"?", 7),
    ]
    return Container(NO_EXTENSION, entries, stale=b"\xee" * 44)


SAMPLES = {
    "v1.0": lambda: original(LEGACY, chunks=3),
    "v1.1": lambda: original(RELEASE),
    "v1.1-defragmented": lambda: original(RELEASE, chunks=0),
    "v1.1-gaps": lambda: original(RELEASE, chunks=3, upper=True, gap=b"\xee" * 17),
    "v2.0": lambda: mixed(DEFLATE),
    "v2.1": lambda: mixed(NO_EXTENSION, gap=b"gap", stale=bytes(50)),
    "v2.1-duplicates": duplicated,
}

# --- what can be wrong

PLAIN = b"pld and all the rest"


def one_row(**changes: Any) -> bytes:  # noqa: ANN401
    """Write a container with one stored entry, but for the changes."""
    table_offset, entry_count = changes.pop("table_offset", None), changes.pop("entry_count", None)
    values: dict[str, Any] = {"name": b"note", "a": len(PLAIN), "b": STORED, "chunks": [(len(PLAIN), 0)], **changes}
    return assemble(PLAIN, NO_EXTENSION, [Row(**values)], table_offset=table_offset, entry_count=entry_count)


def rows(*chunks: list[tuple[int, int]]) -> bytes:
    """Write a container with a stored entry for each list of chunks."""
    made = [Row(f"note{index}".encode(), sum(size for size, _ in each), STORED, each) for index, each in enumerate(chunks)]
    return assemble(PLAIN, NO_EXTENSION, made)


def packed(data: bytes, codec: int, size: int = UNKNOWN_SIZE) -> bytes:
    """Write a container with one entry of such packed bytes."""
    return assemble(data, NO_EXTENSION, [Row(b"note", size, codec, [(len(data), 0)])])


def variable_of(fval: float) -> bytes:
    """Write a container where a global text has such a size."""
    head = encode_struct("SAVE_GLOBALS", {"version": VERSION, "nb_globals": 1})
    data = head + struct.pack("<if64s", 1, fval, b"$text") + b"text"
    return Container(NO_EXTENSION, [Entry(b"globals", data, DEFLATED)]).encode()


def entity_of(**io: Any) -> bytes:  # noqa: ANN401
    """Write a container with one entity whose IO_SAVE says such things, and nothing follows them."""
    data = encode_struct("IO_SAVE", {"version": VERSION, "savesystem_type": ITEM, **io}) + bytes(24 + 502)
    return Container(RELEASE, [Entry(b"bread_0001.sav", data)]).encode()


def invalid_samples() -> dict[str, bytes]:
    """Give a small file for each thing that can be wrong, by name."""
    imploded = crypt(implode(PLAIN))
    bomb = pack(bytes(1 << 20), DEFLATED)
    return {
        "empty": b"",
        "three-bytes": one_row()[:3],
        "cut-in-data": Container(NO_EXTENSION, [Entry(b"pld", inner_files()["pld"], DEFLATED)]).encode()[:40],
        "cut-in-table": one_row()[:-3],
        "cut-in-name": one_row()[: 4 + len(PLAIN) + 8 + 2],
        "table-behind-file": struct.pack("<I", 4000) + packed(imploded, IMPLODE)[4:],
        "table-at-its-own-offset": struct.pack("<I", 0xFFFFFFFC) + b"\x78\x9c" + one_row()[6:],
        "table-over-data": one_row(chunks=[(len(PLAIN) + 8, 0)], a=len(PLAIN) + 8),
        "entries-2147483647": one_row(entry_count=0x7FFFFFFF),
        "entries-one-more": one_row(entry_count=2),
        "entries-65537": one_row(entry_count=65537),
        "chunks-2147483647": one_row(chunk_count=0x7FFFFFFF),
        "chunks-one-more": one_row(chunk_count=2),
        "chunk-past-data": one_row(chunks=[(len(PLAIN), 1)]),
        "chunk-past-4-gib": one_row(chunks=[(2, 0xFFFFFFFF)]),
        "chunk-of-4-gib": one_row(chunks=[(0xFFFFFFFF, 4)]),
        "entries-identical": rows([(5, 0)], [(5, 0)]),
        "entries-nested": rows([(20, 0)], [(5, 7)]),
        "entries-overlapping": rows([(9, 0)], [(9, 8)]),
        "chunks-of-one-overlapping": rows([(9, 0), (9, 0)]),
        "sizes-past-total": assemble(PLAIN, NO_EXTENSION, [Row(b"note", 0xFFFFFFFE, DEFLATED, [])] * 3),
        "stored-too-small": one_row(a=len(PLAIN) - 1),
        "stored-too-large": one_row(a=len(PLAIN) + 1),
        "name-without-end": assemble(PLAIN, NO_EXTENSION, [Row(b"n" * 300, 0, STORED, [])]),
        "name-of-64-kib": assemble(PLAIN, NO_EXTENSION, [Row(b"n" * 65536, 0, STORED, [])]),
        "deflate-too-small": packed(zlib.compress(PLAIN), DEFLATED, len(PLAIN) - 1),
        "deflate-too-large": packed(zlib.compress(PLAIN), DEFLATED, len(PLAIN) + 1),
        "deflate-size-far": packed(zlib.compress(PLAIN), DEFLATED, 1 << 30),
        "row-missing": assemble(
            pack(inner_files()["globals"], DEFLATED) + PLAIN,
            NO_EXTENSION,
            [Row(b"note", len(PLAIN), STORED, [(len(PLAIN), len(pack(inner_files()["globals"], DEFLATED)))])],
        ),
        "entry-emptied": one_row(a=0),
        "deflate-cut": packed(zlib.compress(PLAIN)[:-5], DEFLATED, len(PLAIN)),
        "deflate-junk": packed(zlib.compress(PLAIN) + b"junk", DEFLATED, len(PLAIN)),
        "deflate-raw": packed(zlib.compress(PLAIN)[2:], DEFLATED, len(PLAIN)),
        "deflate-bomb": packed(bomb, DEFLATED, 10),
        "implode-too-small": packed(imploded, IMPLODE, len(PLAIN) - 1),
        "implode-too-large": packed(imploded, IMPLODE, len(PLAIN) + 1),
        "implode-cut": packed(imploded[:-2], IMPLODE),
        "implode-bad-flag": packed(crypt(b"\2" + implode(PLAIN)[1:]), IMPLODE),
        "implode-far": packed(crypt(bytes([0, 4, 0xFF, 0xFF, 0xFF])), IMPLODE),
        "implode-empty": packed(b"", IMPLODE, 5),
        "variable-nan": variable_of(float("nan")),
        "variable-infinite": variable_of(float("inf")),
        "variable-negative": variable_of(-3.0),
        "variable-too-long": variable_of(5.0),
        "timers-2147483647": entity_of(nbtimers=0x7FFFFFFF),
        "timers-negative": entity_of(nbtimers=-1),
        "groups-negative": entity_of(nb_iogroups=-1),
        "inventory-missing": entity_of(system_flags=2),
        "unsafe-names": Container(
            NO_EXTENSION,
            [
                Entry(name, b"do not write me", STORED)
                for name in (
                    b"../up",
                    b"/tmp/absolute",
                    b"..",
                    b".",
                    b"",
                    b"a/b",
                    b"a\\b",
                    b"c:x",
                    b"NUL",
                    b"n" * 255,
                    b"\x1b[2J",
                )
            ],
        ).encode(),
    }

"""Rules for formats whose events do not show everything: `test_check` and the tests of the formats have the cases."""

from __future__ import annotations

import pytest
from attrs import evolve
from cursors import cursor_over
from saves import ROOT, VALID, start_of
from writer.arx import DEFLATED, NO_EXTENSION, Container, Entry
from writer.arx_entries import VERSION, Entity
from writer.arx_samples import BREAD, entity_file
from writer.arx_structs import encode_struct

import streamsave
from streamsave.check.check import check
from streamsave.check.format_rules import arx_references, container_findings, entity_name, header_findings


@pytest.mark.parametrize(
    ("changes", "odd"),
    [
        ({"save_game_version": 1}, ""),
        ({"save_game_version": 0}, "SaveGameVersion of no engine: 0"),
        ({"save_game_version": 255}, ""),
        ({"save_game_version": 256}, "SaveGameVersion of no engine: 256"),
        ({"package_version_ue4": 214}, ""),
        ({"package_version_ue4": 213}, "package version of UE4 of no engine: 213"),
        ({"package_version_ue4": 999}, ""),
        ({"package_version_ue4": 1000}, "package version of UE4 of no engine: 1000"),
        ({"engine_version": (4, 0, 0)}, ""),
        ({"engine_version": (3, 9, 9)}, "there is no such version of the engine: 3.9.9"),
        ({"engine_version": (5, 99, 999)}, ""),
        ({"engine_version": (6, 0, 0)}, "there is no such version of the engine: 6.0.0"),
        ({"engine_version": (5, 100, 0)}, "there is no such version of the engine: 5.100.0"),
        ({"engine_version": (5, 0, 1000)}, "there is no such version of the engine: 5.0.1000"),
    ],
)
def test_numbers_of_no_engine(changes, odd):
    path = VALID / "gvas" / "ue5-1018.sav"
    header = evolve(start_of(path).header, **changes)
    found = [finding.message for finding in header_findings(header, cursor_over(path.read_bytes()))]
    assert found == ([odd] if odd else [])


# --- References of Arx saves that lead nowhere ---


ARX = ROOT / "corpora" / "valid" / "arx"


def faults(source):
    with streamsave.open(source) as events:
        header = next(events).header
        found = [*container_findings(header), *arx_references(events, header)]
    return [("/".join(map(str, fault.path)), fault.message) for fault in found]


def unclaimed(data: bytes) -> list[str]:
    """What a check says of bytes that belong to no entry."""
    return [found.message for found in check(data) if found.kind == "unclaimed"]


def test_check():
    findings = [(found.severity, found.kind) for found in check(ARX / "v2.1.sav")]
    unknown = ("note", "unknown-bytes")  # of the entry that is neither a level nor an entity
    gaps = [("note", "unclaimed")] * 2  # before the table, and after it
    assert findings == [unknown, *gaps, ("finding", "dangling"), ("note", "dangling"), ("note", "dangling")]
    assert [(found.severity, found.kind) for found in check(ARX / "v2.1-duplicates.sav") if not found.kind.startswith("un")] == [
        ("finding", "file-table"),
        ("finding", "file-table"),
        ("finding", "dangling"),
    ]
    invalid = ROOT / "corpora" / "invalid" / "arx" / "deflate-cut.sav"
    assert [found.severity for found in check(invalid)] == ["fatal"]


def save(**entries):
    return Container(NO_EXTENSION, [Entry(name.encode(), data, DEFLATED) for name, data in entries.items()]).encode()


@pytest.mark.parametrize("name", ["v1.0", "v1.1-gaps", "v2.0", "v2.1"])
def test_the_world_lacks_a_sword(name):
    assert faults(ARX / f"{name}.sav") == [
        ("player/player/equiped/2", "there is no entry 'long_sword_0003'"),
        ("goblin_base_0007/npc/weapon", "there is no entry 'long_sword_0003'"),
        ("lvl001/inter/2", "'torch_0009' was destroyed"),
    ]


@pytest.mark.slow
def test_real_containers(corpus):
    paths = sorted((corpus / "arx").glob("*.sav"))
    if not paths:
        pytest.skip("there are no real saves of Arx")
    for path in paths:
        assert faults(path) == [], path.name


def test_the_table():
    assert faults(ARX / "v2.1-duplicates.sav") == [
        ("note", "several entries have this name"),
        ("secret", "packed in an unknown (7) way"),
        ("pld/level_data/level", "there is no entry 'lvl001'"),
    ]
    made = Container(NO_EXTENSION, [Entry(b"a", b"x", DEFLATED, unknown_size=True)]).encode()
    assert faults(made) == [("a", "of unknown size, which only an imploded entry may be")]


def test_an_entity_under_another_name():
    assert faults(save(bread_0001=BREAD.encode())) == []
    assert faults(save(bread_0002=BREAD.encode())) == [("bread_0002/io", "file and number are those of 'bread_0001'")]


def test_only_the_slots_that_count():
    slots = [["bread_0001", "x_0001"], ["x_0002"], ["player", "SELF", "none"]]
    inventory = {"sizex": 1, "sizey": 2, "slot_io": slots, "targetinfo": "x_0003"}
    bread = Entity(2, {"filename": entity_file("BREAD", "items"), "ident": 1}, inventory=inventory)
    assert faults(save(bread_0001=bread.encode())) == [
        ("bread_0001/inventory/slot_io/0/1", "there is no entry 'x_0001'"),
        ("bread_0001/inventory/targetinfo", "there is no entry 'x_0003'"),
    ]


def test_level():
    index = encode_struct("INDEX", {"version": VERSION, "nb_paths": 3})
    names = ("Cart_0001", "none", "Cart_0002")
    paths = b"".join(encode_struct("PATH", {"name": "a", "controled": name}) for name in names)
    assert faults(save(lvl001=index + paths)) == [
        ("lvl001/paths/0/controled", "there is no entry 'cart_0001'"),
        ("lvl001/paths/2/controled", "there is no entry 'cart_0002'"),
    ]


NAMES = [
    (r"C:\ARX\GRAPH\OBJ3D\INTERACTIVE\NPC\GOBLIN_BASE\GOBLIN_BASE.TEO", 7, "goblin_base_0007"),
    ("graph/obj3d/interactive/items/bread/bread.teo", 12345, "bread_12345"),
    ("bread", 1, "bread_0001"),
    ("a.b.teo", -1, "a.b_-001"),
    ("", 0, "_0000"),
]


@pytest.mark.parametrize(("filename", "ident", "name"), NAMES)
def test_entity_name(filename, ident, name):
    assert entity_name(filename, ident) == name

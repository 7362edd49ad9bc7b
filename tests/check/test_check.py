"""Is a save sound? What `streamsave.check.check` finds in samples, in saves with one thing wrong, and in real ones."""

import hashlib
import struct
from pathlib import Path
from random import Random

import pytest
from attrs import evolve
from cli_runs import LEVEL, thing
from edits import family_of
from saves import ROOT, SATISFACTORY, VALID, deflate, head_and_body, inflate
from writer.primitives import Ref
from writer.satisfactory import SAVE_VERSION_VERSION_DATA, Level, Object, VersionData, World, release_header, save_bytes
from writer.structs import VECTOR
from writer.tags import INT, OBJECT, STR, Array, Map, Prop
from writer.trailers import ComponentTail, Opaque

import streamsave
from streamsave import Field, Limits, ObjectHeader, PropertyTag, SaveError, StructEnter
from streamsave.check import FATAL, FINDING, NOTE, Finding, check
from streamsave.check.check import PIECE_SIZE
from streamsave.check.checker import NO_REFERENCES
from streamsave.check.references import LEVEL_OBJECT

NEWEST = 58
CHEST = LEVEL + "BP_Chest_C_1"

ALL = [path.relative_to(VALID).as_posix() for path in sorted(VALID.glob("*/*")) if path.is_file()]


def kinds(findings: list[Finding]) -> list[tuple[str, str]]:
    return [(finding.severity, finding.kind) for finding in findings]


@pytest.mark.parametrize("name", ALL)
def test_no_sample_of_any_game_has_unclaimed_bytes(name):
    assert [finding for finding in list(check(VALID / name)) if finding.kind in {"tiling", "undecodable", "md5"}] == []


def is_readable(path: Path) -> bool:
    """Whether each value of a save can be built."""
    try:
        with streamsave.open(path) as events:
            for event in events:
                if isinstance(event, (Field, PropertyTag)) and events.is_leaf():
                    events.build()
    except SaveError:
        return False
    return True


@pytest.mark.parametrize(
    "path", sorted((ROOT / "corpora" / "invalid").glob("*/*")), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_what_cannot_be_read_is_not_sound(path):
    """A value that has not the size that its tag says is a fault, though all that follows it can be read."""
    assert any(finding.severity == FATAL for finding in check(path)) is not is_readable(path)


@pytest.mark.parametrize("name", ["sv25.sav", "sv46.sav", "sv58.sbp"])
def test_all_references_are_looked_up(name):
    """Those in items and delegates, too: so many as the built save has, but for what refers to nothing in the save."""
    built = 0
    with streamsave.open(SATISFACTORY / name) as events:
        for event in events:
            is_list = isinstance(event, Field) and event.name in NO_REFERENCES
            if isinstance(event, (Field, PropertyTag)) and not is_list and events.is_leaf():
                built += sum(not target.endswith(LEVEL_OBJECT) for target in events.references())
    (note,) = [finding for finding in check(SATISFACTORY / name) if finding.kind == "dangling"]
    assert f" of {built} references" in note.message


def world(*objects: Object, version: int = NEWEST, levels: tuple[Level, ...] = (), **more: object) -> bytes:
    data = VersionData() if version >= SAVE_VERSION_VERSION_DATA else None
    return save_bytes(World(release_header(version), levels, objects, version_data=data, **more))


def sound_save() -> bytes:
    """A save of which nothing at all is to be said."""
    chest = thing("BP_Chest_C_1", Prop("mCount", INT, 3), Prop("mPoint", VECTOR, (1.0, 2.0, 3.0)))
    return world(chest, thing("BP_Lamp_C_1", Prop("mOwner", OBJECT, Ref("Persistent_Level", CHEST))))


GONE = [Ref("FOREST", f"{LEVEL}BP_Bush_C_{number}") for number in range(3)]
NOWHERE = Ref("Persistent_Level", LEVEL + "BP_Gone_C_1")
HERE = Ref("Persistent_Level", CHEST)
HARMLESS = [Ref("", "/Game/Recipe_Foundation"), Ref("", ""), Ref("Persistent_Level", "Persistent_Level:PersistentLevel"), HERE]
STALE = "the copy of this list among the headers is stale"
MISSING_LIST = (FINDING, "missing-list", (), "unresolved_destroyed_actors is missing: the game always writes it")


def stale(copy: list[Ref] | None) -> bytes:
    """The copy of the list of a level that says which of its actors are gone."""
    return world(levels=(Level("FOREST", [], GONE, copy), Level("DESERT", [], GONE)))


def dangling(count: int, *path: str) -> tuple[str, str, tuple[str, ...], str]:
    text = f"at least 1 of {count} references to objects have no target in the save; the first is to {NOWHERE.path}"
    return NOTE, "dangling", ("Persistent_Level", CHEST, *path), text


def after(class_name: str, data: bytes = b"\0\0\0\1") -> bytes:
    """Bytes after an object. Of the game's own classes all layouts are known; those of mods may write what they like."""
    return world(Object(class_name, CHEST, trailer=Opaque(data)))


def unknown(severity: str, class_name: str, what: str = "unknown trailing data of ", times: int = 1) -> tuple[object, ...]:
    return severity, "unknown-bytes", ("Persistent_Level", CHEST), f"{what}{class_name} ({times} times, here first)"


def part(trailer: Opaque | ComponentTail) -> Object:
    return Object("/Script/FactoryGame.FGInventoryComponent", CHEST + ".Part", trailer=trailer, outer=CHEST)


MANAGER, WALL = "/Script/FactoryGame.FGMapManager", "/Game/FactoryGame/Buildable/Build_Wall.Build_Wall_C"
MOD, OTHER_MOD, PICKUP = "/Oracle/BP_Mod.BP_Mod_C", "/Game/Oracle/BP_Mod.BP_Mod_C", "/Script/FactoryGame.FGItemPickup_Spawnable"
#: What is in a save -> the save, severity, kind, path and message of all findings.
CASES = {
    "nothing wrong": (sound_save(), []),
    "no hash": (save_bytes(World(evolve(release_header(46), hash_valid=False))), []),
    "before hashes": (world(thing("BP_Chest_C_1"), version=28), []),
    **{
        f"no final list, {version}": (world(version=version, unresolved=None), [MISSING_LIST]) for version in (29, 36, 46, NEWEST)
    },
    "before levels": (world(version=28), []),
    # No copy at all is what the game writes, too.
    **{f"a copy {copy}": (stale(copy), []) for copy in (None, [], GONE)},
    **{
        f"a stale copy {number}": (stale(copy), [(NOTE, "stale-list", ("FOREST", "destroyed_actors"), STALE)])
        for number, copy in enumerate((GONE[:2], GONE[::-1], [*GONE, GONE[0]]))
    },
    "a persistent copy": (world(destroyed=[("FOREST", GONE)], toc_destroyed=[("FOREST", GONE)]), []),
    "a stale persistent copy": (
        world(destroyed=[("FOREST", GONE)], toc_destroyed=[("FOREST", GONE[:1])]),
        [(NOTE, "stale-list", ("Persistent_Level", "destroyed_actors"), STALE)],
    ),
    "lists refer to nothing": (world(destroyed=[("FOREST", GONE)], unresolved=GONE), []),
    "a reference": (world(thing("BP_Chest_C_1", Prop("mX", OBJECT, NOWHERE))), [dangling(1, "mX")]),
    "an array": (world(thing("BP_Chest_C_1", Prop("mX", Array(OBJECT), [HERE, NOWHERE]))), [dangling(2, "mX")]),
    "a map": (world(thing("BP_Chest_C_1", Prop("mX", Map(INT, OBJECT), [(1, HERE), (2, NOWHERE)]))), [dangling(2, "mX")]),
    "keys": (world(thing("BP_Chest_C_1", Prop("mX", Map(OBJECT, INT), [(HERE, 1), (NOWHERE, 2)]))), [dangling(2, "mX")]),
    "an owner": (world(thing("BP_Chest_C_1", owner=NOWHERE)), [dangling(1, "actor")]),
    "components": (world(thing("BP_Chest_C_1", components=[HERE, NOWHERE])), [dangling(2, "actor")]),
    "assets, levels, nothing": (world(thing("BP_Chest_C_1", Prop("mX", Array(OBJECT), HARMLESS))), []),
    "what comes later": (
        world(
            thing("BP_Chest_C_1"), levels=(Level("FOREST", [thing("BP_Lamp_C_1", Prop("mOwner", OBJECT, HERE), level="FOREST")]),)
        ),
        [],
    ),
    **{name: (after(name), [unknown(FINDING, name)]) for name in (MANAGER, WALL)},
    **{name: (after(name), [unknown(NOTE, name)]) for name in (MOD, OTHER_MOD)},
    # Editors of maps write it; mods may.
    "an empty list": (after(PICKUP, bytes(4)), [unknown(NOTE, PICKUP, "an empty list, as only other tools write it, after ")]),
    "an empty list of a mod": (after(MOD, bytes(4)), [unknown(NOTE, MOD)]),
    "zeros after a component": (world(thing("BP_Chest_C_1"), part(ComponentTail())), []),
    "bytes are summed": (
        world(
            Object(MOD, CHEST, trailer=Opaque(b"mod")), *(Object(MOD, f"{CHEST}{at}", trailer=Opaque(b"mod")) for at in range(4))
        ),
        [unknown(NOTE, MOD, times=5)],
    ),
    "old objects": (
        world(thing("BP_Chest_C_1", save_version=46), thing("BP_Lamp_C_1", save_version=46), version=52),
        [(NOTE, "old-objects", (), "2 objects were written by version 46, the save by 52")],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_findings(name):
    data, expected = CASES[name]
    assert [(found.severity, found.kind, found.path, found.message) for found in check(data)] == expected


def test_more_zeros_after_a_component():
    assert kinds(list(check(world(thing("BP_Chest_C_1"), part(Opaque(bytes(8))))))) == [(FINDING, "unknown-bytes")]


def test_chunks_that_were_changed_after_the_hash():
    """The content is the same, but compressed in another way."""
    data = sound_save()
    head, body = head_and_body(data)
    changed = deflate(head, body)
    assert kinds(list(check(changed))) == [(FINDING, "md5")]
    old, new = (hashlib.md5(each[len(head) :], usedforsecurity=False).digest() for each in (data, changed))
    assert head.count(old) == 1
    assert list(check(changed.replace(old, new))) == []


def test_all_pieces_of_a_long_file_are_hashed():
    """A file is hashed in pieces; this one has two, and the fault is in the last byte of the second."""
    noise = Random(3).randbytes(PIECE_SIZE + 1000).hex()[: 2 * PIECE_SIZE]
    things = [
        thing(f"BP_A_C_{number}", Prop("mX", STR, noise[at : at + 60_000]))
        for number, at in enumerate(range(0, len(noise), 60_000))
    ]
    data = world(*things)
    assert PIECE_SIZE < len(data) < 2 * PIECE_SIZE
    assert list(check(data)) == []
    assert kinds(list(check(data + b"\0")))[0] == (FINDING, "md5")


@pytest.mark.slow
def test_a_real_world_that_an_editor_has_saved(corpus):
    """Each of these lists is four zeros at the end of its object, by the bytes themselves."""
    path = corpus / "more" / "sv46-once-edited-with-a-map-editor.sav"
    findings = list(check(path))
    assert {finding.severity for finding in findings} == {NOTE}
    (said,) = [finding for finding in findings if "empty list" in finding.message]
    stream = inflate(path.read_bytes())
    count = 0
    with streamsave.open(path) as events:
        for event in events:
            if isinstance(event, ObjectHeader) and event.class_name.endswith(".FGItemPickup_Spawnable"):
                data = stream[event.data_offset : event.data_offset + event.size]
                count += data.endswith(b"\5\0\0\0None\0" + bytes(8))
    assert f"FGItemPickup_Spawnable ({count} times" in said.message
    assert count == 22


def test_truncated():
    data = (SATISFACTORY / "sv58.sav").read_bytes()
    for size in (0, 3, 11, 40, *range(100, len(data), 293), len(data) - 1):
        findings = list(check(data[:size]))
        assert findings[-1].severity == FATAL, size
        assert [finding.severity for finding in findings].count(FATAL) == 1


def test_two_saves_in_one_file():
    data = sound_save()
    assert kinds(list(check(data + data))) == [(FINDING, "md5"), (FATAL, "undecodable")]


def test_what_the_limits_refuse_is_fatal():
    (finding,) = check(sound_save(), limits=Limits(string_size=16))
    assert finding.severity == FATAL
    assert "string_size" in finding.message


def test_errors_of_the_source_pass(tmp_path):
    with pytest.raises(FileNotFoundError):
        list(check(tmp_path / "nowhere.sav"))
    with pytest.raises(TypeError):
        list(check(3))


@pytest.mark.slow
def test_real_saves_are_sound(corpus):
    """Only tools leave out what the game always writes, or write what it does not. Larger ones hold nothing that these do not."""
    folder = corpus / "satisfactory"
    paths = [path for path in sorted([*folder.glob("*.sav"), *folder.glob("blueprints/*")]) if path.stat().st_size < 900_000]
    assert paths
    for path in paths:
        serious = [finding for finding in check(path) if finding.severity != NOTE]
        assert bool(serious) == ("rewritten" in path.name), (path.name, serious)
        assert FATAL not in {finding.severity for finding in serious}
        assert "tiling" not in {finding.kind for finding in serious}


@pytest.mark.parametrize("name", ["sv29.sav", "sv46.sav", "sv58.sav"])
def test_an_array_that_counts_too_few_elements(name):
    """The last element is left over: no game writes that, and other readers refuse the save."""
    data = (SATISFACTORY / name).read_bytes()
    head, body = head_and_body(data)
    with streamsave.open(data) as events:
        arrays = (event for event in events if isinstance(event, StructEnter) and event.type_name == "ArrayProperty")
        count = next(event for event in arrays if event.count > 1)
        (place,) = [field.offset for field in family_of(events).lengths(count) if field.counts]
    assert struct.unpack_from("<i", body, place) == (count.count,)
    fewer = body[:place] + struct.pack("<i", count.count - 1) + body[place + 4 :]
    before = {finding.message for finding in check(data)}
    new = [finding for finding in check(deflate(head, fewer)) if finding.message not in before]
    assert ("bytes after the last element (1 times, here first)", FINDING) in [(one.message, one.severity) for one in new]

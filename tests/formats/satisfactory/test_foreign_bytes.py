"""No object is given with bytes that are not its own, where sizes and entries lead on as if all were well.

Up to SaveVersion 40, an entry is a bare size, so nothing in it says whose it is; in blueprints, four zeros are an entry.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from foreign import SoundSave
from satisfactory_layouts import header_of
from saves import SATISFACTORY, head_and_body
from strategies import data_of
from writer.blueprint import Blueprint
from writer.primitives import Ref
from writer.satisfactory import Level, Object, World, save_bytes
from writer.tags import INT, STR, Prop
from writer.trailers import Opaque

import streamsave
from streamsave import ObjectHeader

FOLDER = "Persistent_Level:PersistentLevel."
PODS = 6
#: The first component: actors come before.
FIRST = PODS
#: Those in which an entry says its version.
NEWER = [41, 46, 52, 58, 60]


def pods(prefix: str) -> list[Object]:
    """Actors, and after them their components: many are alike, and none names what it belongs to."""
    actors = []
    components = []
    for at in range(PODS):
        name = f"{FOLDER}{prefix}_{at}"
        parts = [Ref("Persistent_Level", f"{name}.{part}") for part in ("Power", "Inventory", "Input")]
        actors.append(Object("/Game/Pod.Pod_C", name, [Prop("mNumber", INT, at)], components=parts))
        for part in parts:
            kind = part.path.rpartition(".")[2]
            props = {
                "Power": [Prop("mLast", INT, at)] if at % 3 else [],
                "Inventory": [Prop("mSlots", STR, "x" * (400 + at))],
                "Input": [],
            }[kind]
            components.append(Object(f"/Script/FactoryGame.FG{kind}Component", part.path, props, outer=name))
    return actors + components


@cache
def world(version: int) -> SoundSave:
    """A save with streaming levels, if it may have some."""
    data = data_of(version)
    levels = [Level(name, pods(name), [Ref("A", "B")], version_data=data) for name in ("Cell", "Next")]
    made = World(header_of(version), levels if version >= 29 else [], pods("Main"), version_data=data)
    return SoundSave(save_bytes(made))


@cache
def blueprint(version: int) -> SoundSave:
    """A blueprint whose components end with an empty list."""
    actors = []
    components = []
    for at in range(4):
        name = f"{FOLDER}Belt_{at}"
        parts = [Ref("Persistent_Level", f"{name}.ConveyorAny{end}") for end in range(2)]
        actors.append(Object("/Game/Belt.Belt_C", name, [Prop("mNumber", INT, at)], components=parts))
        for part in parts:
            props = [Prop("mName", STR, "y" * 100)] if at == 2 else []
            kind = "/Script/FactoryGame.FGFactoryConnectionComponent"
            components.append(Object(kind, part.path, props, outer=name, trailer=Opaque(bytes(4))))
    return SoundSave(Blueprint(version, actors + components).encode())


def places(version: int) -> range:
    """Components that have others after them: the first one, and so on."""
    return range(FIRST, len(world(version).levels[-1].objects) - 2, 3)


# --- the oracle itself ---


@pytest.mark.parametrize("path", sorted([*SATISFACTORY.glob("*.sav"), *SATISFACTORY.glob("*.sbp")]), ids=lambda path: path.name)
def test_a_sound_save_has_no_foreign_bytes(path):
    data = path.read_bytes()
    save = SoundSave(data)
    assert head_and_body(save.changed([])) == head_and_body(data)
    assert save.foreign(data) == []
    with streamsave.open(data) as events:
        given = [event.instance_name for event in events if isinstance(event, ObjectHeader) and event.kind != "lightweight"]
    assert given == [one.name for level in save.levels for one in level.objects]


@pytest.mark.parametrize("version", [36, 58])
def test_the_oracle_sees_bytes_of_others(version):
    """Two entries that are of the same size are swapped: that is a change that nothing in the save shows."""
    save = world(version)
    one, other = [each for each in save.levels[-1].objects if each.class_name.endswith("FGPowerComponent")][1:3]
    assert save.data_of(one) != save.data_of(other)
    edits = [(each.data[0], each.data[1] - each.data[0], save.data_of(new)) for each, new in ((one, other), (other, one))]
    assert save.foreign(save.changed(edits)) == [one.name, other.name]


# --- an object covers the next one ---


@pytest.mark.parametrize("version", [25, 28, *NEWER])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_size_that_ends_where_a_later_object_ends(version, count):
    save = world(version)
    for level in (save.levels[0], save.levels[-1]):
        for at in places(version):
            last = level.objects[min(at + count, len(level.objects) - 1)]
            assert save.foreign(save.size_up_to(level.objects[at], last)) == []


@pytest.mark.parametrize("version", [29, 36])
@pytest.mark.parametrize("at", [FIRST + 1, FIRST + 6, FIRST + 12])
def test_a_size_that_ends_where_the_next_object_ends_in_old_saves(version, at):
    save = world(version)
    one, last = save.levels[-1].objects[at : at + 2]
    assert save.foreign(save.size_up_to(one, last)) == []


@pytest.mark.parametrize("at", [3136, 3238, 3392])
def test_a_size_that_ends_where_the_next_object_ends_in_a_real_save(corpus, at):
    """Hundreds of components are given with the bytes of the next one."""
    save = real(corpus / "satisfactory" / "u7-hv10-sv36-216k.sav")
    one, last = save.levels[-1].objects[at : at + 2]
    assert save.foreign(save.size_up_to(one, last)) == []


# --- an entry is missing ---


@pytest.mark.parametrize("version", [25, 28, *NEWER])
@pytest.mark.parametrize("sizes", [0, 1, 2])
def test_an_entry_that_is_missing(version, sizes):
    save = world(version)
    for level in (save.levels[0], save.levels[-1]):
        for at in places(version):
            assert save.foreign(save.entry_gone(level, level.objects[at], sizes)) == []


@pytest.mark.parametrize("version", [29, 36])
@pytest.mark.parametrize(("where", "sizes"), [(0, 0), (0, 1), (0, 2), (-1, 2)])
def test_an_entry_that_is_missing_in_old_saves(version, where, sizes):
    save = world(version)
    level = save.levels[where]
    for at in places(version):
        assert save.foreign(save.entry_gone(level, level.objects[at], sizes)) == []


@pytest.mark.parametrize("version", [29, 36])
@pytest.mark.parametrize("sizes", [0, 1])
def test_an_entry_that_is_missing_at_the_end_of_old_saves(version, sizes):
    """The size of the body says that there are more bytes."""
    save = world(version)
    level = save.levels[-1]
    assert save.foreign(save.entry_gone(level, level.objects[FIRST + 3], sizes)) == []


@pytest.mark.parametrize("at", [3136, 3238, 3392])
def test_an_entry_that_is_missing_in_a_real_save(corpus, at):
    save = real(corpus / "satisfactory" / "u7-hv10-sv36-216k.sav")
    level = save.levels[-1]
    assert save.foreign(save.entry_gone(level, level.objects[at], 0)) == []


# --- an entry is there twice ---


@pytest.mark.parametrize("version", [25, 28, 29, 36, *NEWER])
@pytest.mark.parametrize("sizes", [0, 1, 2])
def test_an_entry_that_is_there_twice(version, sizes):
    save = world(version)
    for level in (save.levels[0], save.levels[-1]):
        for at in (0, *places(version)):
            assert save.foreign(save.entry_twice(level, level.objects[at], sizes)) == []


@pytest.mark.slow
@pytest.mark.parametrize(("level", "at"), [(-1, 3238), (11, 286), (12, 0)])
def test_an_entry_that_is_there_twice_in_a_real_save(corpus, level, at):
    save = real(corpus / "satisfactory" / "u7-hv10-sv36-216k.sav")
    for sizes in (0, 1):
        assert save.foreign(save.entry_twice(save.levels[level], save.levels[level].objects[at], sizes)) == []


# --- two sizes of a blueprint ---


@pytest.mark.parametrize("version", [46, 51, 58])
@pytest.mark.parametrize(("one", "other"), [(4, 5), (4, 8), (6, 9)])
def test_two_sizes_of_a_blueprint(version, one, other):
    save = blueprint(version)
    objects = save.levels[0].objects
    assert save.foreign(save.two_sizes(objects[one], objects[other], objects[other + 1])) == []


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [("u1-1-single-container.sbp", 2, 3), ("elevated-straight-road-1.0.sbp", 146, 155)],
)
def test_two_sizes_of_a_real_blueprint(corpus, name, one, other):
    save = real(corpus / "satisfactory" / "blueprints" / name)
    objects = save.levels[0].objects
    assert save.foreign(save.two_sizes(objects[one], objects[other], objects[other + 1])) == []


@cache
def real(path: Path) -> SoundSave:
    """A real save; several tests damage it."""
    return SoundSave(path.read_bytes())

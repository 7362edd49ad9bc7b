"""References to objects: which properties have them, what is looked up, and the filter of names."""

import re

import pytest
from cli_runs import LEVEL, STACK, thing
from writer.primitives import Ref
from writer.satisfactory import VersionData, World, release_header, save_bytes
from writer.tags import OBJECT, Array, Map, Prop

from streamsave import Limits, ObjectHeader
from streamsave.check import NOTE, check
from streamsave.check.references import NameFilter, NamesOnly, References
from streamsave.decode.build import references_in
from streamsave.values import ObjectReference

HERE = ObjectReference("Persistent_Level", LEVEL + "BP_Chest_C_1")
GONE = ObjectReference("Persistent_Level", LEVEL + "BP_Gone_C_1")


def references_of(*values: object) -> References:
    """What is counted in these values, in a save that has one object."""
    names = NameFilter()
    names.add(HERE.path_name)
    references = References(names)
    for offset, value in enumerate(values):
        missing = references.add([references_in(value)])
        if missing is not None and references.first is None:
            references.first = (missing, offset, (f"m{offset}",))
    return references


@pytest.mark.parametrize(
    ("value", "count", "dangling"),
    [
        (HERE, 1, 0),
        (GONE, 1, 1),
        ([HERE, GONE, GONE], 3, 2),
        (ObjectReference("Persistent_Level", "Persistent_Level:PersistentLevel"), 0, 0),
        (ObjectReference("Persistent_Level", "Größe"), 1, 1),
        (None, 0, 0),
    ],
)
def test_looked_up(value, count, dangling):
    references = references_of(value)
    assert (references.count, references.dangling) == (count, dangling)


def test_findings():
    """One note, with the place of the first reference that dangles."""
    assert list(references_of(HERE).findings()) == []
    (note,) = references_of(HERE, GONE, GONE).findings()
    assert (note.severity, note.kind, note.offset, note.path) == (NOTE, "dangling", 1, ("m1",))
    expected = f"at least 2 of 3 references to objects have no target in the save; the first is to {GONE.path_name}"
    assert note.message == expected


def save(*properties: Prop[object]) -> bytes:
    return save_bytes(World(release_header(58), (), [thing("BP_Chest_C_1", *properties)], version_data=VersionData()))


def test_a_container_of_structs_is_read_event_by_event():
    """It may be large: it is never built whole, and a reference in it has the path of its own place."""
    entries = [(Ref(HERE.level_name, HERE.path_name), [Prop("mOwner", OBJECT, Ref(GONE.level_name, GONE.path_name))])] * 40
    (note,) = check(save(Prop("mMap", Map(OBJECT, STACK), entries)), limits=Limits(build_nodes=20))
    assert (note.severity, note.kind) == (NOTE, "dangling")
    assert note.path == ("Persistent_Level", HERE.path_name, "mMap", 0, "value", "mOwner")
    assert note.message.startswith("at least 40 of 80 references ")


def test_name_filter():
    names = NameFilter()
    inside = [f"{LEVEL}Build_Wall_C_{number}" for number in range(20_000)] + ["", "Größe", "\udcff"]
    assert not any(name in names for name in inside)
    for name in inside:
        names.add(name)
    assert all(name in names for name in inside)
    for other in ("Floor", "Door"):  # of another length, and of the same
        assert not any(f"{LEVEL}Build_{other}_C_{number}" in names for number in range(20_000))
    assert len(names._bits) == 8 << 20


def test_bytes_that_change_places_make_another_name():
    names = NameFilter()
    names.add("12345678" + "x" * 60 + "abcdefgh")
    assert "abcdefgh" + "x" * 60 + "12345678" not in names
    names.add("a")
    assert "a\0" not in names
    assert "" not in names


@pytest.mark.parametrize("size", range(20))
def test_each_byte_of_a_name_counts(size):
    name = "n" * size
    names = NameFilter()
    names.add(name)
    assert name in names
    assert not any(name[:at] + "m" + name[at + 1 :] in names for at in range(size))
    assert name + "n" not in names


def test_name_filter_has_the_same_bits_in_every_build():
    names = NameFilter()
    names.add(LEVEL + "Build_Wall_C_1")
    bits = {(at.start(), at[0][0]) for at in re.finditer(rb"[^\0]", names._bits.getvalue())}
    assert bits == {(3149062, 8), (3149083, 2), (3149106, 4), (3149111, 1), (3149115, 64)}


def test_a_container_of_references_is_built():
    many = [Ref(GONE.level_name, GONE.path_name)] * 3
    (note,) = check(save(Prop("mMany", Array(OBJECT), many)))
    assert note.path == ("Persistent_Level", HERE.path_name, "mMany")
    assert note.message.startswith("at least 3 of 3 references ")


def test_names_are_noted_wherever_a_reader_asks():
    names = NameFilter()
    wanted = NamesOnly(names)
    assert wanted.wants_kind("actor")
    assert wanted.wants_class("C")
    assert not wanted.wants_names("C", "by name", "L")
    assert "by name" in names
    assert wanted.takes(ObjectHeader(0, "actor", "C", "taken", "L", "", None, 0, 0, 0, 0, 0, 0))
    assert "taken" in names

"""`build()`: events -> plain values. What the writer wrote comes back, whichever way it is asked for."""

import math
from typing import Any

import pytest
from expected_values import property_values, reference, value_of
from hypothesis import given
from hypothesis import strategies as st
from profiles import examples
from saves import inflate, read
from strategies import VERSIONS, data_of, dialect_of, objects, property_lists, worlds
from tiling import assert_tiled
from writer.dialect import Dialect
from writer.samples import SAMPLES, sample
from writer.satisfactory import Object, World, release_header, save_bytes
from writer.tags import BOOL, INT, Prop

import streamsave
from streamsave import Field, ObjectHeader, PropertyTag, StructEnter
from streamsave.decode.build import references_in
from streamsave.decode.leaves import is_key, leaves, split_name, text_of
from streamsave.values import (
    ContainerDelta,
    DateTime,
    DynamicStruct,
    Guid,
    InventoryItem,
    ObjectReference,
    Opaque,
    SoftObjectPath,
    Text,
    Vector,
)

PERSISTENT = "Persistent_Level"


def world_of(save_version: int, *props: Prop[Any]) -> World:
    """A world of one object with these properties."""
    one = Object("/Script/Oracle.OracleObject", "One", props, outer="Owner")
    return World(release_header(save_version), objects=[one], version_data=data_of(save_version))


def built_objects(data: bytes) -> list[dict[str, Any]]:
    """All objects of a save, each built whole."""
    with streamsave.open(data) as events:
        return [events.build() for event in events if isinstance(event, ObjectHeader)]


def built_properties(data: bytes) -> list[tuple[PropertyTag, object]]:
    """All properties at the top of the objects, each built by itself."""
    with streamsave.open(data) as events:
        return [(event, events.build()) for event in events if isinstance(event, PropertyTag)]


def dialect_for(world: World, one: Object) -> Dialect:
    """What one object was written with."""
    version = world.header.save_version if one.save_version is None else one.save_version
    return Dialect(version, world.dialect.ue5 if one.version_data is None else one.version_data.ue5)


@pytest.mark.parametrize("name", SAMPLES)
def test_objects_of_the_samples_are_as_written(name):
    """Every property type, struct and container in every version."""
    world = sample(name)
    written = [one for level in world.levels for one in level.objects] + list(world.objects)
    for one, built in zip(written, built_objects(save_bytes(world)), strict=True):
        assert isinstance(one, Object)
        assert built["class_name"] == one.class_name
        assert built["properties"] == property_values(one.properties, dialect_for(world, one))


@pytest.mark.slow
@given(st.data())
@examples(150)
def test_properties_come_back(data):
    """Each by itself, and all of an object together, in every version's spelling."""
    version = data.draw(st.sampled_from(VERSIONS))
    dialect = dialect_of(version)
    props = data.draw(property_lists(dialect))
    save = save_bytes(world_of(version, *props))
    assert built_objects(save)[0]["properties"] == property_values(props, dialect)
    tags = built_properties(save)
    assert [tag.name for tag, _ in tags] == [prop.name for prop in props]
    for (tag, built), prop in zip(tags, props, strict=True):
        assert (tag.type, tag.index, tag.guid) == (prop.type.name, prop.index, prop.guid)
        assert built == value_of(prop.type, prop.value, dialect)


@pytest.mark.slow
@given(worlds())
@examples(40)
def test_worlds_come_back(world):
    """Objects in all levels, what was destroyed, what is unresolved; and their bytes are tiled."""
    save = save_bytes(world)
    written = [one for level in world.levels for one in level.objects] + list(world.objects)
    seen: list[dict[str, Any]] = []
    fields: list[tuple[str, object]] = []
    with streamsave.open(save) as events:
        for event in events:
            if isinstance(event, ObjectHeader):
                built = events.build()
                seen.append(built)
            elif isinstance(event, Field) and event.name in ("destroyed_actors", "unresolved_destroyed_actors"):
                fields.append((event.name, events.build()))
    assert [one["properties"] for one in seen] == [property_values(one.properties, world.dialect) for one in written]
    assert [one["instance_name"] for one in seen] == [one.instance_name for one in written]
    destroyed = [[reference(ref) for ref in level.destroyed] for level in world.levels]
    if world.header.save_version >= 29:
        destroyed.append([(name, [reference(ref) for ref in refs]) for name, refs in world.destroyed])
    else:
        destroyed.append([reference(ref) for _, refs in world.destroyed for ref in refs])
    assert [value for name, value in fields if name == "destroyed_actors"] == destroyed
    if world.header.save_version >= 29 and world.unresolved is not None:
        assert fields[-1] == ("unresolved_destroyed_actors", [reference(ref) for ref in world.unresolved])
    assert_tiled(read(save), len(inflate(save)))


@pytest.mark.slow
@given(st.data())
@examples(30)
def test_build_of_a_level_is_that_of_its_objects(data):
    version = data.draw(st.sampled_from(VERSIONS))
    written = data.draw(st.lists(objects(dialect_of(version)), max_size=3))
    save = save_bytes(World(release_header(version), objects=written, version_data=data_of(version)))
    with streamsave.open(save) as events:
        level = next(events.build() for event in events if isinstance(event, StructEnter) and event.name == PERSISTENT)
    assert level.get("objects", []) == built_objects(save)


@pytest.mark.slow
def test_a_name_may_repeat_as_often_as_there_is_room():
    """Each gets its number at once: to look for a free name from the start each time would take hours."""
    many = 200_000
    data = save_bytes(world_of(52, *[Prop("m", BOOL, True)] * many, Prop("m#7", INT, 7), Prop("m", INT, 8)))
    properties = built_objects(data)[0]["properties"]
    assert list(properties)[:3] == ["m", "m#2", "m#3"]
    assert list(properties)[-3:] == [f"m#{many}", "m#7#2", f"m#{many + 1}"]
    (found,) = streamsave.objects(data, fields=["m"])
    assert found.fields == {"m": True}


def test_guid_prints_as_unreal_does():
    assert str(Guid(bytes(range(16)))) == "03020100-07060504-0B0A0908-0F0E0D0C"


HERE = ObjectReference("Level", "Here")
GONE = ObjectReference("Level", "Gone")
CLASS = ObjectReference("", "/Script/A.B")


@pytest.mark.parametrize(
    ("value", "targets"),
    [
        (HERE, ["Here"]),
        ([HERE, GONE, GONE], ["Here", "Gone", "Gone"]),
        ({"a": {"b": GONE}}, ["Gone"]),
        ([("key", GONE), (HERE, 1)], ["Gone", "Here"]),
        (DynamicStruct(CLASS, {"mOwner": GONE}), ["Gone"]),
        (DynamicStruct(GONE, {"a": [HERE], "b": [(HERE, {"c": GONE})]}), ["Gone", "Here", "Here", "Gone"]),
        (InventoryItem(CLASS, HERE), ["Here"]),
        (ContainerDelta([HERE], [GONE]), ["Here", "Gone"]),
        # An asset, and nothing:
        (CLASS, []),
        (ObjectReference("Level", ""), []),
        ("text", []),
        (b"bytes", []),
        (1.5, []),
        (Vector(1.0, 2.0, 3.0), []),
        (None, []),
    ],
)
def test_references_in(value, targets):
    assert references_in(value) == targets


# --- innermost values, and the texts of values ---

IRON = ObjectReference("", "/Game/Iron.Iron_C")

TEXTS = [
    ("x", "x"),
    (True, "true"),
    (False, "false"),
    (5, "5"),
    (0.5, "0.5"),
    (math.inf, "inf"),
    (IRON, "/Game/Iron.Iron_C"),
    (Text(0, "base", "Hi", {}), "Hi"),
    (SoftObjectPath("/Game/A", "B", ""), "/Game/A:B"),
    (SoftObjectPath("/Game/A", "B", "c"), "/Game/A:B:c"),
    (Guid(bytes(16)), "00000000-00000000-00000000-00000000"),
    (DateTime(0), "0001-01-01 00:00:00"),
    (None, None),
    (b"x", None),
    ([1], None),
    ({"a": 1}, None),
    (Opaque(b"x", "unknown"), None),
    (Vector(1.0, 2.0, 3.0), None),
]


@pytest.mark.parametrize(("value", "text"), TEXTS, ids=[str(number) for number in range(len(TEXTS))])
def test_text_of(value, text):
    assert text_of(value) == text


LEAVES = [
    (5, [5]),
    (None, [None]),
    ([], [[]]),
    (b"ab", [b"ab"]),
    ([1, [None, "x"], (True,)], [1, None, "x", True]),
    ({"a": 1, "b": {"c": IRON}}, [1, IRON]),
    (Vector(1.0, 2.0, 3.0), [1.0, 2.0, 3.0]),
    (DynamicStruct(IRON, {"mCharge": 0.5}), [IRON, 0.5]),
    (Opaque(b"x", "unknown"), [1]),
    ([(IRON, 5)], [IRON, 5]),
    (DateTime(0), ["0001-01-01T00:00:00", "0001-01-01 00:00:00"]),
    (SoftObjectPath("/Game/A", "B", "c"), ["/Game/A", "B", "c", "/Game/A:B:c"]),
]


@pytest.mark.parametrize(("value", "innermost"), LEAVES, ids=[str(number) for number in range(len(LEAVES))])
def test_leaves(value, innermost):
    assert list(leaves(value)) == innermost


def test_a_key_has_its_own_text_too():
    assert is_key(DateTime(0), "0001-01-01 00:00:00")
    assert is_key(SoftObjectPath("/Game/A", "B", ""), "/Game/A:B")
    assert not is_key(5, "6")


@pytest.mark.parametrize(
    ("name", "steps"), [("a", ("a",)), ("a[1]", ("a", 1)), ("a[x]", ("a[x]",)), ("[1]", ("[1]",)), ("a[1]#2", ("a[1]#2",))]
)
def test_split_name(name, steps):
    assert split_name(name) == steps

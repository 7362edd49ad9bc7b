"""Saves of Astroneer from values: what is written comes back, and damage costs the object that it is in."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve
from contract import flipped
from damage import losses, survived, survivors
from expected_values import by_name
from hypothesis import assume, given
from hypothesis import strategies as st
from profiles import examples
from saves import read, without_chunks
from strategies_astroneer import read_struct, saves
from tiling import assert_tiled
from writer.astroneer import FLAG_ACTOR, FLAG_CUSTOM, FLAG_MANAGER, FLAG_NATIVE, NUMBERS, Instance, Level, Prop, Save, Type, wrap

import streamsave
from streamsave import Field, ObjectHeader, SaveError, StructEnter
from streamsave.formats.astroneer.instances import ActorReference, InstanceReference
from streamsave.values import Guid, Opaque, Transform

KINDS = ((FLAG_NATIVE, "native"), (FLAG_ACTOR, "actor"), (FLAG_MANAGER, "manager"), (0xFF, "object"))


# --- what is written, as it is read ---


class World:
    """A level's values as they are read: what refers to something has its full name."""

    def __init__(self, level: Level, name: str) -> None:
        self.level = level
        self.name = name

    def path(self, index: int) -> str:
        """The name of an object, after the names of those that it is in."""
        if not 0 <= index < len(self.level.objects):
            return f"#{index}"
        one = self.level.objects[index]
        return one.name if one.outer < 0 else f"{self.path(one.outer)}.{one.name}"

    def instance(self, value: int | str) -> InstanceReference:
        """A reference to an object, to nothing, to an asset."""
        if isinstance(value, str):
            return InstanceReference("", value, -3)
        return InstanceReference("", "", -1) if value == -1 else InstanceReference(self.name, self.path(value), value)

    def actor(self, index: int) -> ActorReference:
        """A reference to a record of an actor."""
        if index == -1:
            return ActorReference("", "", -1)
        known = index < len(self.level.actors)
        return ActorReference(self.name, self.path(self.level.actors[index].object) if known else f"#{index}", index)

    def value(self, kind: Type, value: Any) -> object:
        """A value of any type."""
        match kind.type:
            case "ObjectProperty":
                return self.instance(value)
            case "StructProperty":
                return read_struct(kind.name, value) if isinstance(value, bytes) else self.properties(value)
            case "ArrayProperty" | "SetProperty":
                assert kind.inner is not None
                if kind.type == "ArrayProperty" and kind.inner.type == "ByteProperty" and not kind.inner.name:
                    return bytes(value)
                return [self.value(kind.inner, one) for one in value]
            case "MapProperty":
                assert kind.inner is not None
                assert kind.value is not None
                return [(self.value(kind.inner, key), self.value(kind.value, one)) for key, one in value]
        assert kind.type in {*NUMBERS, "NameProperty", "StrProperty", "EnumProperty"}
        return value

    def properties(self, props: list[Prop]) -> dict[str, object]:
        """A property list: a name that repeats gets a number."""
        return by_name((prop.name, prop.index, self.value(prop.type, prop.value)) for prop in props)

    def object(self, index: int) -> dict[str, object]:
        """All that events say of an object."""
        one = self.level.objects[index]
        flags = one.save_flags | (0 if one.custom is None else FLAG_CUSTOM)
        return {
            "kind": next(kind for flag, kind in KINDS if flags & flag or flag == 0xFF),
            "class_name": one.class_name,
            "instance_name": self.path(index),
            "level": self.name,
            "outer": self.path(one.outer) if one.outer >= 0 else "",
            "transform": None,
            "flags": one.object_flags | flags << 32,
            "save_version": self.level.version,
            "properties": self.properties(list(one.properties or ())),
        } | self._behind(one)

    def _behind(self, one: Instance) -> dict[str, object]:
        """What follows the properties of an object, or replaces them."""
        found: dict[str, object] = {}
        if one.properties is not None and (one.terrain is not None or one.data or one.custom is not None):
            found["object_guid"] = None if one.guid is None else Guid(one.guid)
        if one.terrain is not None:
            blocks = [{"key": key, "voxels": data} for key, data in one.terrain.blocks]
            numbers = ("first", "second", "third", "fourth", "fifth", "sixth")
            found |= {"terrain_version": 3, "terrain_id": one.terrain.id, "voxel_blocks": blocks}
            found["unknown_records_8"] = [dict(zip(numbers[:2], pair, strict=True)) for pair in one.terrain.pairs]
            found["unknown_records_18"] = [dict(zip(numbers, sample, strict=True)) for sample in one.terrain.samples]
            found["terrain_end"] = 2
        if one.data:
            reason = "no properties: data" if one.properties is None else "unknown trailing data"
            found[f"{reason} of {one.class_name}"] = Opaque(one.data, f"{reason} of {one.class_name}")
        if one.custom is not None:
            reason = f"custom data of {one.class_name}"
            found[reason] = Opaque(one.custom, reason)
        return found

    def objects(self) -> list[dict[str, object]]:
        """All objects of the level."""
        return [self.object(index) for index in range(len(self.level.objects))]

    def records(self) -> list[dict[str, object]]:
        """All records of actors."""
        return [
            {
                "object": self.instance(one.object),
                "children": [{"name": name, "actor": self.actor(index)} for name, index in one.children],
                "components": [{"name": name, "object": self.instance(index)} for name, index in one.components],
                "transform": Transform(tuple(one.place[:4]), tuple(one.place[4:7]), tuple(one.place[7:])),  # type: ignore[arg-type]
            }
            for one in self.level.actors
        ]


def worlds(save: Save) -> list[World]:
    """The level of a save, and those of remote players."""
    others = [World(level, f"remote player {index}") for index, (level, _) in enumerate(save.remote)]
    return [World(save.level, save.level_name), *others]


# --- what is read ---

#: In the place of an object that cannot be built.
LOST = object()


def objects(data: bytes, **options: Any) -> list[Any]:
    """All objects, built."""
    found: list[Any] = []
    with streamsave.open(data, **options) as events:
        for event in events:
            if isinstance(event, ObjectHeader):
                try:
                    found.append(without_sizes(events.build()))
                except SaveError:
                    if not options:
                        raise
                    found.append(LOST)
    return found


def without_sizes(built: Any) -> Any:
    """A built object without the packed sizes of its terrain."""
    for block in built.get("voxel_blocks", ()):
        del block["size"]
    return built


def in_zip(data: bytes) -> bytes:
    """A save game in a zip archive."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("save.gvas", data)
    return file.getvalue()


WRAPPERS: dict[str, Callable[[bytes], bytes]] = {"raw": bytes, "zlib": wrap, "zip": in_zip}


@pytest.mark.slow
@examples(60)
@given(saves(), st.sampled_from(list(WRAPPERS)))
def test_saves_come_back(save, name):
    data = WRAPPERS[name](save.gvas())
    expected = worlds(save)
    assert objects(data) == [one for world in expected for one in world.objects()]
    records, names, roots, controllers = [], [], [], []
    with streamsave.open(data) as events:
        for event in events:
            if isinstance(event, StructEnter) and event.name == "actor_records":
                records.append(events.build())
            elif isinstance(event, Field) and event.name == "names":
                names.append(events.build())
            elif isinstance(event, Field) and event.name == "root_actors":
                roots.append(events.build())
            elif isinstance(event, Field) and event.name == "player_controllers":
                controllers = events.build()
    assert records == [world.records() for world in expected]
    assert names == [world.level.names() for world in expected]
    assert roots == [[world.actor(index) for index in world.level.roots] for world in expected]
    first = expected[0]
    assert controllers == [
        {"actor": first.actor(actor), "last_pawn": first.instance(pawn), "network_uuid": uuid}
        for actor, pawn, uuid in save.controllers
    ]
    assert_tiled(read(data), len(save.gvas()))


# --- damage ---


@pytest.mark.slow
@examples(60)
@given(saves(), st.data())
def test_a_byte_of_an_object_costs_that_object(save, data):
    """Nothing checks it, so it may have other values now, or be lost; whatever it is, no other object is.

    No bytes are after the save: with these, records have to look like those of the game, and these here have any numbers.
    """
    save = evolve(save, behind=b"")
    whole = save.gvas()
    headers = [event for event in read(whole) if isinstance(event, ObjectHeader)]
    sized = [index for index, header in enumerate(headers) if header.size]
    assume(sized)
    which = data.draw(st.sampled_from(sized))
    at = headers[which].data_offset + data.draw(st.integers(0, headers[which].size - 1))
    bad = flipped(whole, at, data.draw(st.integers(1, 255)))
    seen = survived(bad)
    assert [event for event in seen if isinstance(event, ObjectHeader)] == headers
    assert {name for _, name in losses(seen)} <= {headers[which].instance_name}
    assert_tiled(seen, len(whole))
    sound = [one for world in worlds(save) for one in world.objects()]
    left = objects(bad, on_damage="resync")
    assert left[:which] + left[which + 1 :] == sound[:which] + sound[which + 1 :]


@pytest.mark.slow
@examples(60)
@given(saves(), st.sampled_from(["zlib", "zip"]), st.data())
def test_a_byte_of_a_wrapper_is_found(save, name, data):
    """What came before the checksum has been given already, so it may be wrong; but an error says that something is."""
    whole = WRAPPERS[name](save.gvas())
    bad = flipped(whole, data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(1, 255)))
    seen = survivors(bad)
    if seen is not None and not losses(seen):
        # Of an archive only the member is read: not its time, nor the directory.
        assert seen == without_chunks(read(whole))

"""Arrays of bytes that have a layout: their events, verbs on them, and what is wrong with them."""

from __future__ import annotations

import json
import struct

import pytest
from cli_runs import run
from palworld_blobs import CHAINED, DIALECT, NEW, OLD, element, map_object, opened, read, reasons, ref
from tiling import assert_tiled
from writer import palworld as raw
from writer.palworld import Blob, guid
from writer.palworld_worlds import nested, world
from writer.primitives import counted, fstring, i32
from writer.tags import BYTE, INT, NAME, Array, Prop

import streamsave
from streamsave import BlobSkip, Damage, Field, Limits, ObjectHeader, PropertyTag, StructEnter, StructExit, TruncatedSave
from streamsave.formats.unreal.blob_opener import LARGEST_BLOB

BUILT = raw.build_process(OLD)


def building(props: object) -> bytes:
    """A world with one building, which has only a `BuildProcess`."""
    return map_object("Wall", "Model", [nested("BuildProcess", props)])


def test_events_of_a_blob():
    data = building(BUILT.props(OLD))
    with streamsave.open(data) as events:
        made = list(events)
    at = next(at for at, event in enumerate(made) if isinstance(event, PropertyTag) and event.name == "RawData")
    tag, enter, state, key, end = made[at : at + 5]
    start = tag.value_offset
    assert (tag.size, tag.inner_type) == (21, "ByteProperty")
    assert enter == StructEnter(start, "RawData", "PalBuildProcess", 4, 17, -1, -1)
    assert (state, key) == (Field(start + 4, "state", "u8", 1, -1), Field(start + 5, "id", "Guid", 16, -1))
    assert end == StructExit(start + 21, "RawData", 0)


def test_events_of_a_property_list_among_the_members():
    data = element("CharacterSaveParameterMap", raw.character(CHAINED, DIALECT).props(CHAINED))
    with streamsave.open(data) as events:
        made = [(event, events.path[-4:], events.depth) for event in events]
    at = next(at for at, (event, _, _) in enumerate(made) if isinstance(event, StructEnter) and event.name == "RawData")
    depth = made[at][2]
    inside = [(event, path, level - depth) for event, path, level in made[at + 1 :] if level >= depth]
    names = [(type(event).__name__, getattr(event, "name", ""), level) for event, _, level in inside][:9]
    assert names == [
        ("StructEnter", "object", 1),
        ("PropertyTag", "SaveParameter", 1),
        ("StructEnter", "SaveParameter", 2),
        ("PropertyTag", "CharacterID", 2),
        ("PropertyTag", "Level", 2),
        ("StructExit", "SaveParameter", 1),
        ("StructExit", "object", 0),
        ("Field", "reserved", 0),
        ("Field", "group_id", 0),
    ]
    assert inside[3][1] == ("RawData", "object", "SaveParameter", "CharacterID")
    assert inside[6][0].size == len(fstring("None"))
    assert inside[7][1][-2:] == ("RawData", "reserved")


@pytest.mark.parametrize("age", [OLD, NEW])
def test_verbs(age):
    """A tag that is skipped costs nothing more; what is stepped into can be skipped, built and copied as any struct."""
    data = world(age).encode()
    with streamsave.open(data) as events:
        everything = list(events)
    inside = sum(1 for event in everything if isinstance(event, Field))
    for verb in ("skip", "build", "raw"):
        for step in (PropertyTag, StructEnter):
            with streamsave.open(data) as events:
                made = []
                for event in events:
                    made.append(event)
                    if isinstance(event, step) and event.name == "RawData":
                        result = getattr(events, verb)()
                        if verb == "raw" and isinstance(event, StructEnter):
                            assert len(result) == event.size
                        if verb == "raw" and isinstance(event, PropertyTag):
                            assert len(result) == event.size
            assert sum(1 for event in made if isinstance(event, Field)) < inside
            assert made[-1] == everything[-1]


def test_built_as_a_whole_or_in_parts():
    data = building(raw.build_process(NEW).props(NEW))
    with streamsave.open(data, objects_at=[]) as events:
        for event in events:
            if isinstance(event, ObjectHeader):
                built = events.build()
    blob = built["properties"]["worldSaveData"]["MapObjectSaveData"][0]["Model"]["BuildProcess"]["RawData"]
    assert blob == read(data)[1]
    with streamsave.open(data) as events:
        parts = {}
        for event in events:
            if isinstance(event, Field):
                parts[event.name] = events.build()
    assert parts == blob


def test_connectors_are_the_same_in_parts():
    """They are not counted: a field of them ends where its bytes do."""
    for blob in raw.connectors(NEW)[:3]:
        data = map_object("Wall", "Model", [nested("Connector", blob.props(NEW))])
        whole = read(data)[1]
        with streamsave.open(data) as events:
            parts = {event.name: events.build() for event in events if isinstance(event, Field)}
        assert parts == whole


def test_json_goes_through_the_layer(tmp_path):
    path = tmp_path / "world.sav"
    path.write_bytes(building(BUILT.props(OLD)))
    result = run("json", path)
    assert result.exit_code == 0
    blob = find(json.loads(result.stdout), "RawData")
    assert blob == {"state": 1, "id": str(ref(0))}


def find(value: object, name: str) -> object:
    """The first member of that name, however deep."""
    if isinstance(value, list):
        return next((found for item in value if (found := find(item, name)) is not None), None)
    if isinstance(value, dict):
        return value[name] if name in value else find(list(value.values()), name)
    return None


def test_an_empty_blob_is_a_leaf():
    data = building(Blob(b"").props(OLD))
    with streamsave.open(data) as events:
        assert [events.build() for event in events if isinstance(event, PropertyTag) and event.name == "RawData"] == [b""]


@pytest.mark.parametrize("count", [16, 18, -1, 1 << 30])
def test_a_count_that_is_not_the_size(count):
    """It is no blob then: it stays the array it is, with the fault that such an array has."""
    data = building(BUILT.props(OLD))
    at = data.index(i32(17) + BUILT.data)
    broken = data[:at] + i32(count) + data[at + 4 :]
    with streamsave.open(broken) as events:
        made = list(events)
    assert_tiled(made, len(broken))
    assert not [event for event in made if isinstance(event, (BlobSkip, Field))]


def test_other_arrays_of_bytes_are_leaves():
    props = [Prop("Data", Array(BYTE), BUILT.data), Prop("RawData", Array(INT), [1, 2]), Prop("RawData", NAME, "name")]
    with streamsave.open(building(props)) as events:
        built = [events.build() for event in events if isinstance(event, PropertyTag) and event.name in {"Data", "RawData"}]
    assert built == [BUILT.data, [1, 2], "name"]


def group(characters: int) -> bytes:
    """A world with a group of many characters."""
    blob = guid(6) + fstring("") + counted(range(characters), raw.instance)
    return element("GroupSaveDataMap", [Prop("GroupType", NAME, "EPalGroupType::Neutral"), *Blob(blob).props(OLD)])


def test_the_largest_blob():
    """One that is larger is passed over, not held."""
    most = (LARGEST_BLOB - 24) // 32
    assert [type(event) for event in opened(group(most))] == [StructEnter]
    assert reasons(group(most + 1)) == ["RawData too large to decode: group of Neutral"]


@pytest.mark.parametrize("kind", ["raise", "resync"])
def test_what_no_layout_takes_is_no_damage(kind):
    """It costs only itself, in strict mode too."""
    wrong = nested("BuildProcess", Blob(b"\1\2\3").props(OLD))
    right = nested("Paint", raw.paint(NEW).props(NEW))
    with streamsave.open(map_object("Wall", "Model", [wrong, right]), on_damage=kind) as events:
        made = list(events)
    assert [event.reason for event in made if isinstance(event, BlobSkip)] == ["RawData of unknown layout: build_process"]
    assert [event.type_name for event in made if isinstance(event, StructEnter) and event.name == "RawData"] == ["PalPaint"]
    assert not [event for event in made if isinstance(event, Damage)]


def test_what_is_unknown_can_be_built():
    data = building(Blob(b"\1\2\3").props(OLD))
    with streamsave.open(data) as events:
        for event in events:
            if isinstance(event, PropertyTag) and event.name == "RawData":
                built = events.build()
    assert (built.data, built.reason) == (i32(3) + b"\1\2\3", "RawData of unknown layout: build_process")


@pytest.mark.parametrize("values_after", [b"", b"\1", i32(1) + bytes(19), b"\xff" * 24, bytes(70_000)])
def test_versions_that_are_none(values_after):
    """What is there is another property, or is broken: it is no fault of the blob."""
    for name in ("CustomVersionData", "Other"):
        props = [Prop("RawData", Array(BYTE), BUILT.data), Prop(name, Array(BYTE), values_after)]
        assert len(opened(building(props))) == 1
    props = [Prop("RawData", Array(BYTE), BUILT.data), Prop("CustomVersionData", NAME, "name")]
    assert len(opened(building(props))) == 1


def test_a_damaged_tag_after_a_blob_is_met_where_it_is():
    data = building([*BUILT.props(OLD), Prop("After", INT, 1)])
    at = data.index(fstring("After"))
    broken = data[:at] + struct.pack("<i", 1 << 30) + data[at + 4 :]
    made = []
    with pytest.raises(streamsave.DamagedSave) as caught, streamsave.open(broken) as events:
        made.extend(events)
    assert caught.value.offset == at
    assert [event.name for event in made if isinstance(event, Field)] == ["state", "id"]


@pytest.mark.parametrize("age", [OLD, NEW])
def test_damage_inside_a_list_costs_that_list(age):
    """A property list in a blob has tags with sizes: the smallest value around the fault is lost."""
    data = element("CharacterSaveParameterMap", raw.character(age, DIALECT).props(age))
    at = data.index(fstring("Level"))
    broken = data[:at] + struct.pack("<i", 1 << 30) + data[at + 4 :]
    with pytest.raises(streamsave.DamagedSave), streamsave.open(broken) as events:
        list(events)
    with streamsave.open(broken, on_damage="resync", objects_at=[]) as events:
        made = list(events)
    damage = [event for event in made if isinstance(event, Damage)]
    assert [event.lost.name for event in damage] == ["SaveParameter"]
    assert "group_id" in [event.name for event in made if isinstance(event, Field)]
    assert_tiled(made, len(broken))


def test_a_cut_before_the_versions_gives_no_other_events():
    """Whether they follow is not known: that a blob has a layout, or none, would be a guess."""
    data = building(raw.build_process(NEW).props(NEW))
    with streamsave.open(data) as events:
        whole = list(events)
    start = next(event.value_offset for event in whole if isinstance(event, PropertyTag) and event.name == "RawData")
    for size in range(start, data.index(b"CustomVersionData") + 120):
        made = []
        with pytest.raises(TruncatedSave), streamsave.open(data[:size]) as events:
            made.extend(events)
        assert made == whole[: len(made)]
        with streamsave.open(data[:size], on_damage="resync") as events:
            rescued = list(events)
        assert_tiled(rescued, size)


def test_a_pipe_gives_the_same():
    data = world(NEW).encode()
    with streamsave.open(data) as events:
        whole = list(events)
    pieces = iter([data[at : at + 1000] for at in range(0, len(data), 1000)])
    with streamsave.open(pieces) as events:
        assert list(events) == whole


def test_depth_counts():
    data = element("CharacterSaveParameterMap", raw.character(OLD, DIALECT).props(OLD))
    with streamsave.open(data) as events:
        deepest = max(events.depth for _ in events)
    with streamsave.open(data, limits=Limits(depth=deepest)) as events:
        assert [event for event in events if isinstance(event, Field)]
    with pytest.raises(streamsave.LimitExceeded), streamsave.open(data, limits=Limits(depth=deepest - 2)) as events:
        list(events)

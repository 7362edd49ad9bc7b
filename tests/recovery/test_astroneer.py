"""Records of damaged saves: what does not lead to the end of the save is not given."""

import zlib

import damage
import pytest
from proofs import lies_after
from saves import VALID, headers_of, read, without_chunks
from writer.astroneer import INT, Instance, Level, Prop, Save, Terrain, map_of, struct_of, wrap
from writer.primitives import fstring, i32

import streamsave
from streamsave import Damage, Event, Field, ObjectHeader, StructEnter

FILE = (VALID / "astroneer" / "full.savegame").read_bytes()
BODY = zlib.decompress(FILE[16:])


def survived(body: bytes) -> list[Event]:
    return damage.survived(wrap(body))


SOUND = survived(BODY)
OBJECTS = [event for event in SOUND if isinstance(event, ObjectHeader)]
ACTORS = next(event.offset for event in SOUND if isinstance(event, StructEnter) and event.name == "actor_records")
COUNT = next(event.offset for event in SOUND if getattr(event, "name", "") == "object_count")


AFTER = {"actor_records", "root_actors", "player_controllers"}


@pytest.mark.parametrize("at", [ACTORS, COUNT], ids=["actors", "objects"])
@pytest.mark.parametrize("change", [-1, 1])
def test_a_wrong_number_of_records_costs_those_that_are_not_certain(at, change):
    number = int.from_bytes(BODY[at : at + 4], "little") + change
    events = survived(BODY[:at] + number.to_bytes(4, "little") + BODY[at + 4 :])
    given = [event for event in events if isinstance(event, ObjectHeader)]
    assert given == OBJECTS[: len(given)]
    # Four objects are named by actors, or come before such: if their number is wrong, one of the others may be missing.
    assert len(given) >= (len(OBJECTS) - 3 if at == ACTORS else 4)
    assert any(isinstance(event, Damage) for event in events)
    after = [event for event in events if getattr(event, "name", "") in AFTER]
    assert after == ([] if at == ACTORS else [event for event in SOUND if getattr(event, "name", "") in AFTER])


def test_a_name_that_takes_the_number_of_objects():
    """Those at the end would be counted back from another number, and have the names of others."""
    at = next(at for at in range(COUNT - 5, 0, -1) if int.from_bytes(BODY[at : at + 4], "little") == COUNT - at - 4)
    events = survived(BODY[:at] + i32(COUNT - at) + BODY[at + 4 :])
    assert not any(isinstance(event, ObjectHeader) for event in events)
    assert any(isinstance(event, Damage) and event.offset + event.size == len(BODY) for event in events)


def offset_of(name: str) -> int:
    """Where the last value of a name starts."""
    return next(event.offset for event in reversed(SOUND) if getattr(event, "name", "") == name)


@pytest.mark.parametrize(
    ("at", "put_in", "taken"),
    [
        # Its indexes are none then, or those after it.
        pytest.param(ACTORS + 4, 2, 0, id="a-record-2"),
        pytest.param(ACTORS + 4, 4, 0, id="a-record-4"),
        pytest.param(ACTORS + 4, 0, 4, id="a-record-shorter"),
        # The number of what follows, or an index, would be a scale.
        pytest.param(offset_of("transform") + 24, 0, 8, id="a-place"),
    ],
)
def test_an_actor_record_of_another_size_is_not_given(at, put_in, taken):
    events = survived(BODY[:at] + bytes(put_in) + BODY[at + taken :])
    assert any(isinstance(event, Damage) for event in events)
    assert not any(getattr(event, "name", "") in AFTER for event in events)


def test_terrain_is_no_guid():
    at = offset_of("terrain_version") - 4
    (damage,) = [event for event in survived(BODY[:at] + i32(1) + BODY[at + 4 :]) if isinstance(event, Damage)]
    assert (damage.error.message, damage.lost.kind) == ("a GUID", "object")


def test_bytes_after_sound_terrain_cost_nothing():
    level = Level([Instance("/Script/Terrain2.VoxelVolumeComponent", "Voxels", [], data=b"\xff" * 4, terrain=Terrain(1))])
    data = Save(level).encode()
    assert repr(damage.survived(data)) == repr(without_chunks(read(data)))


def test_each_level_has_names_of_its_own():
    """The same number is another name in the next level: a sound save loses nothing."""
    things = Prop("Things", map_of(INT, struct_of("Thing")), [(1, [Prop("Number", INT, 7)])])
    first, other = (Level([Instance("/Script/Thing", "", props)]) for props in ([things], [Prop("Count", INT, 1), things]))
    data = Save(first, remote=[(other, 1)]).encode()
    assert repr(damage.survived(data)) == repr(without_chunks(read(data)))


def test_what_is_before_the_properties_is_no_part_of_the_header():
    """The class writes nothing there: a name has another length, and they were searched."""
    at = BODY.index(fstring("None"))
    events = survived(BODY[:at] + b"\xff" * 20 + BODY[at:])
    assert [(event.error.message, event.offset) for event in events if isinstance(event, Damage)] == [
        ("bytes before the properties", 0)
    ]


def test_a_level_whose_name_goes_on_after_its_end():
    at = BODY.index(fstring("/Game/Maps/Staging_T2"))
    events = survived(BODY[:at] + i32(22 + 7) + BODY[at + 4 :])
    assert [event.lost.kind for event in events if isinstance(event, Damage)] == ["rest of the save"]
    assert not any(isinstance(event, Field) for event in events)


@pytest.mark.parametrize("more", [b"\1", bytes(20)], ids=["a-byte", "zeros"])
def test_bytes_after_the_save_cost_what_follows_the_objects(more):
    """They may be some of its numbers, if others were put in before."""
    sound, events = list(map(repr, SOUND)), survived(BODY + more)
    last = sound.index(repr(OBJECTS[-1]))
    assert [repr(event) for event in events[:last]] == sound[:last]
    assert [event.error.message for event in events[last:] if isinstance(event, Damage)] == ["bytes after the save"]
    assert not any(isinstance(event, Field) for event in events[last:])


def test_a_cut_costs_the_last_record_before_it():
    """Its size may be what is wrong."""
    for cut in range(OBJECTS[3].offset, OBJECTS[4].offset, 7):
        before = 3 if cut >= OBJECTS[3].data_offset else 2
        seen = damage.survived(BODY[:cut])  # without a wrapper that says where it ends
        assert [event for event in seen if isinstance(event, ObjectHeader)] == OBJECTS[:before]


ONE_OBJECT = "invalid/astroneer/version-negative.savegame"


@pytest.mark.parametrize(
    ("name", "edits"),
    [
        pytest.param(ONE_OBJECT, [(0x123, 0x123, "0000")], id="bytes-in-the-only-object"),
        pytest.param(ONE_OBJECT, [(0xF2, 0xF6, "34000000")], id="its-size"),
        pytest.param(ONE_OBJECT, [(0xF6, 0xFA, "13000000417374726f456e74697479576f726c645f3200")], id="its-first-name"),
        pytest.param(ONE_OBJECT, [(0x12E, 0x12E, "00")], id="a-byte-after-the-last-object"),
        pytest.param("invalid/astroneer/voxels-broken.savegame", [(0xB21, 0xB21, "0100000000000000")], id="a-player-more"),
        pytest.param("valid/astroneer/remote.savegame", [(0xB6F, 0xB70, "02")], id="an-object-more"),
        pytest.param("valid/astroneer/bare.gvas", [(0xA59, 0xA5D, "09000000")], id="actors-more-than-there-are"),
        pytest.param("valid/astroneer/bare.gvas", [(0x3F6, 0x3FA, "05000000")], id="a-name-that-swallows-others"),
        pytest.param("valid/astroneer/bare.gvas", [(0xB1D, 0xB35, "")], id="numbers-before-the-cut"),
        pytest.param("valid/astroneer/bare.gvas", [(0xA28, 0xB07, "")], id="a-class-that-swallows-actors"),
        pytest.param("valid/astroneer/full.savegame", [(0x783, 0x784, "01")], id="a-guid-that-is-the-next-tag"),
        pytest.param("valid/astroneer/full.savegame", [(0x701, 0x70D, "600000000000000000000000")], id="an-array-of-no-type"),
    ],
)
def test_records_that_end_elsewhere_than_the_stream_are_not_given(name, edits):
    findings, lost = lies_after(name, edits)
    assert findings == []
    assert lost > 0


def given(body: bytes) -> tuple[dict[tuple[str, str, str], bytes], int]:
    """The bytes of the objects of the first level by class, name and outer; how many losses are reported."""
    found: dict[tuple[str, str, str], bytes] = {}
    lost = 0
    with streamsave.open(wrap(body), on_damage="resync") as events:
        for event in events:
            lost += isinstance(event, Damage)
            if isinstance(event, ObjectHeader) and not event.level.startswith("remote"):
                found[event.class_name, event.instance_name, event.outer] = events.raw()
    return found, lost


def damages(body: bytes, objects: list[ObjectHeader], number: int) -> dict[str, bytes]:
    """The stream with one fault in or around one of its objects."""
    one, following = objects[number : number + 2]
    start, end = one.offset, one.data_offset + one.size
    at = one.data_offset - 4  # the size of the properties, or of all: no custom data follows
    swallowing = (following.data_offset + following.size - one.data_offset).to_bytes(4, "little")
    return {
        "bytes missing": body[: end - 9] + body[end - 6 :],
        "bytes put in": body[: end - 9] + b"\1\2\3" + body[end - 9 :],
        "a wrong size": body[:at] + (one.size + 50).to_bytes(4, "little") + body[at + 4 :],
        "a size that ends where the next object does": body[:at] + swallowing + body[at + 4 :],
        "a record missing": body[:start] + body[end:],
        "a record twice": body[:end] + body[start:end] + body[end:],
    }


def test_a_fault_in_any_object_costs_that_object_and_what_is_in_it():
    """What is given is what the sound save gives."""
    sound, _ = given(BODY)
    for number, one in enumerate(OBJECTS[:-1]):
        inside = sum(other.instance_name.startswith(f"{one.instance_name}.") for other in OBJECTS)
        for what, bad in damages(BODY, OBJECTS, number).items():
            left, losses = given(bad)
            assert left.items() <= sound.items(), (number, what)
            assert losses > 0 or one.size < 9, (number, what)
        bad = BODY[: one.offset + 4] + b"#" + BODY[one.offset + 5 :]  # its class has no slash
        left, _ = given(bad)
        assert left.items() <= sound.items(), number
        assert len(left) >= len(sound) - inside - 3, number


@pytest.mark.slow
def test_a_fault_in_an_object_of_a_real_save_costs_few_others(real_save):
    """What is given is what the sound save gives, and no more."""
    data = real_save("astroneer/xbox-2020-162k.savegame").read_bytes()
    body = zlib.decompress(data[16:])
    sound, losses = given(body)
    assert losses == 0
    objects = headers_of(data)
    named = [
        number
        for number, one in enumerate(objects)
        if one.kind == "object" and one.size > 60 and one.data_offset - one.offset < 90
    ]
    for number in (named[len(named) // 3], named[len(named) // 2]):
        for what, bad in damages(body, objects, number).items():
            left, losses = given(bad)
            assert losses > 0, what
            assert left.items() <= sound.items(), what
            assert len(left) > len(sound) * 0.98, what


def test_a_level_that_counts_objects_and_has_none():
    """Nothing of it is given but what comes before them."""
    body = zlib.decompress((VALID / "astroneer" / "empty.savegame").read_bytes()[16:])
    count = next(event for event in read(wrap(body)) if getattr(event, "name", "") == "object_count")
    events_left = survived(body[: count.offset] + b"\1\0\0\0" + body[count.offset + 4 :])
    assert [event for event in events_left if isinstance(event, Damage)]
    assert not [event for event in events_left if isinstance(event, ObjectHeader)]

"""`streamsave.objects` and `EventStream.select` on every format: what they give is what looking at every built object gives."""

import io
import random
from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest
import structlog
from attrs import evolve
from attrs import fields as attrs_fields
from cli_runs import thing, write
from hypothesis import given
from hypothesis import strategies as st
from profiles import examples
from saves import VALID, deflate, file_with, head_and_body, headers_of, without_chunks
from selections import NESTS_OBJECTS, all_objects, wanted
from strategies import worlds
from writer.satisfactory import World, save_bytes
from writer.tags import STR, Prop

import streamsave
from streamsave import ChunkStart, Damage, ObjectEnd, ObjectHeader, SaveError, StaleEvent
from streamsave.compare.pair import header_members
from streamsave.decode.known_bytes import COMPILED
from streamsave.decode.paths import OF_HEADER

HOWTO = VALID.parent / "howto"

#: Bytes of a real save.
LARGE = 1_000_000
SAMPLES = sorted(path.relative_to(VALID).as_posix() for path in VALID.glob("*/*") if path.is_file())


#: Selections that want some objects of one format or another, all or none.
WHERE = [
    'class_name = "*"',
    'class_name = "*_C"',
    "class_name ~ '(?i)spawner|save|goblin|Belt'",
    "not class_name ~ Spawner and size > 200",
    "size <= 0 or size > 50000",
    'instance_name = "*1" or kind = building',
    "level = Persistent* and has(mSpawnData)",
    "has(actor.owner)",
    'has(Inner) or has(T) or has("pld")',
    "mSpawnData[*].NumTimesKilled >= 3",
    "not mSpawnData[0].WasKilled = true",
    "position in (-1e5, -1e5)..(1e5, 1e5)",
    "position in (0, 0, 0)..(10, 10, 1)",
    "actor.components[*] ~ . and mIsOn != true",
    "outer ~ .",
    "trailer ~ . or has(trailer)",
]
FIELDS = ("mSpawnData[*].NumTimesKilled", "mOwner", "actor.owner", "actor.components[0]", "trailer", "Inner", "X", "index")


def placed(found: Iterable[Any], sample: str) -> list[Any]:
    """Objects, or events, without their offsets, for Arx: what is skipped there takes no place if its size is not known."""
    if not sample.startswith("arx"):
        return list(found)
    places = {"offset", "value_offset", "data_offset"}
    return [evolve(one, **dict.fromkeys(places & {field.name for field in attrs_fields(type(one))}, 0)) for one in found]


@cache
def known_objects(sample: str) -> list[Any]:
    """All objects of a sample, with all that is in them."""
    return list(all_objects(VALID / sample))


@cache
def wanted_of(sample: str, where: str) -> list[Any]:
    """Those that match, with some of their fields."""
    return list(wanted(known_objects(sample), where, FIELDS))


@pytest.mark.slow
@pytest.mark.parametrize("sample", SAMPLES)
def test_selected_is_what_a_look_at_everything_finds(sample):
    for where in WHERE:
        found = placed(streamsave.objects(VALID / sample, where, FIELDS), sample)
        assert found == placed(wanted_of(sample, where), sample), where


@pytest.mark.slow
@pytest.mark.parametrize("sample", SAMPLES)
def test_each_field_of_all_objects(sample):
    """Of objects whose bytes do not have the name of a field, no member is read."""
    path = VALID / sample
    everything = known_objects(sample)
    for name in sorted({name for known in everything for name in known.members if name.isidentifier()} - NESTS_OBJECTS)[:40]:
        found = placed(streamsave.objects(path, None, (name,)), sample)
        expected = placed(wanted(everything, 'class_name = "*"', (name,)), sample)
        assert list(map(repr, found)) == list(map(repr, expected)), name  # NaN equals nothing


@pytest.mark.slow
@pytest.mark.parametrize("sample", SAMPLES)
def test_one_pass_gives_what_several_give(sample):
    with streamsave.open(VALID / sample) as events:
        pairs = list(events.select(*WHERE, fields=FIELDS))
    for number, where in enumerate(WHERE):
        found = placed((selected for of, selected in pairs if of == number), sample)
        assert found == placed(wanted_of(sample, where), sample), where


@pytest.mark.slow
@pytest.mark.parametrize("sample", SAMPLES)
def test_without_sizes(sample):
    """Nothing but sizes is missing, and they are there where they are needed."""
    path = VALID / sample
    for where in WHERE[:8]:
        quick = list(streamsave.objects(path, where, sizes=False))
        full = list(streamsave.objects(path, where))
        assert [evolve(found, size=0) for found in quick] == [evolve(found, size=0) for found in full], where
        assert all(one.size in {-1, other.size} for one, other in zip(quick, full, strict=True)), where
        if "size" in where:
            assert quick == full


@pytest.mark.slow
@examples(50)
@given(worlds(), st.sampled_from(WHERE), st.booleans())
def test_made_worlds(world: World, where: str, sizes: bool):
    data = save_bytes(world)
    assert list(streamsave.objects(data, where, FIELDS, sizes=sizes)) == wanted(all_objects(data), where, FIELDS)


def test_a_field_that_holds_objects():
    """The buildings of an island come by themselves, too, if a field has them: before it, as they end before it."""
    path = VALID / "shapez2" / "backwards.spz2"
    islands = [one for one in streamsave.objects(path, "kind = island or kind = building", ["data"]) if one.fields]
    assert [one.class_name for one in islands] == ["Foundation_1x1", "Rail_Forward"]
    with streamsave.open(path) as events:
        pairs = list(events.select("has(data.buildings)", "kind = building"))
    assert [number for number, _ in pairs] == [1, 1, 1, 0, 0]
    with streamsave.open(path) as events:
        assert list(events.select("has(data)", "kind = building")) == pairs
    with streamsave.open(path) as events:
        pairs = list(events.select('kind = island and class_name = "Rail*" and has(data.buildings)', "kind = building"))
    assert [number for number, _ in pairs] == [1, 1, 1, 0]


@pytest.mark.parametrize(
    ("name", "only", "where"),
    [
        ("satisfactory/sv58.sav", "kind = actor", "size > 100"),
        ("satisfactory/sv58.sav", "has(mOwner) or size < 200", 'class_name = "*Build*"'),
        ("shapez2/backwards.spz2", "kind = building", "size > 0"),
        ("arx/v2.1.sav", "size > 400", "instance_name ~ a"),
    ],
)
def test_after_only_both_have_to_match(name, only, where):
    expected = {one.offset for one in streamsave.objects(VALID / name, f"({only}) and ({where})", sizes=True)}
    for lone in (only, where):
        assert expected < {one.offset for one in streamsave.objects(VALID / name, lone)}
    with streamsave.open(VALID / name) as events:
        events.only(only)
        assert {selected.offset for _, selected in events.select(where)} == expected


@pytest.mark.parametrize("first", ["kind = object", "mSpawnData[*].NumTimesKilled > 3", lambda header: header.size > 100])
def test_only_again_replaces_the_selection(first):
    where = "class_name = *CreatureSpawner* and size > 100"
    expected = [one.offset for one in streamsave.objects(VALID / "satisfactory" / "sv58.sav", where)]
    with streamsave.open(VALID / "satisfactory" / "sv58.sav") as events:
        events.only(first)
        events.only(where)
        assert [event.offset for event in events if isinstance(event, ObjectHeader)] == expected


def test_the_stream_is_used_up():
    with streamsave.open(VALID / "satisfactory" / "sv46.sav") as events:
        assert list(events.select("class_name = A")) == []
        with pytest.raises(StaleEvent):
            events.select(None)
    with pytest.raises(StaleEvent):
        events.select(None)


def test_damage_is_reported_after_what_was_before():
    data = (VALID / "satisfactory" / "sv25.sav").read_bytes()
    head, body = head_and_body(data)
    cut = deflate(head, body[:-2000])
    found = []
    with pytest.raises(SaveError) as caught:
        found.extend(streamsave.objects(cut))
    with streamsave.open(cut) as events, pytest.raises(SaveError) as told:
        for event in events:
            if isinstance(event, ObjectHeader):
                events.skip()
    assert str(caught.value) == str(told.value)
    offsets = [one.offset for one in streamsave.objects(data)]
    assert 0 < len(found) < len(offsets)
    assert [one.offset for one in found] == offsets[: len(found)]


class Watched(io.BytesIO):
    """A file that knows how many bytes were read of it."""

    count = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.count += len(data)
        return data


@pytest.mark.slow
def test_who_takes_no_more_has_no_more_read(tmp_path):
    words = random.Random(9)
    things = (thing(f"BP_Thing_C_{number}", Prop("mLabel", STR, words.randbytes(400).hex())) for number in range(2000))
    data = write(tmp_path, "world.sav", *things).read_bytes()
    one, everything = Watched(data), Watched(data)
    assert next(streamsave.objects(one, "has(mLabel)")).instance_name.endswith("BP_Thing_C_0")
    assert sum(1 for _ in streamsave.objects(everything, "has(mLabel)")) == 2000
    assert one.count < everything.count / 2


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["satisfactory"])
def test_real_saves(corpus, folder):
    """On real saves of every version: two selections, against a look at all headers. The largest are for the compiled build."""
    for path in sorted((corpus / folder).glob("*.sav")):
        if not COMPILED and path.stat().st_size > LARGE:
            continue
        with streamsave.open(path) as events:
            headers = []
            for event in events:
                if isinstance(event, ObjectHeader):
                    headers.append((event.class_name, event.instance_name, event.size))
                    events.skip()
        found = streamsave.objects(path, 'class_name = "*Constructor*" or size > 5000')
        expected = [header for header in headers if "Constructor" in header[0] or header[2] > 5000]
        assert [(one.class_name, one.instance_name, one.size) for one in found] == expected
        assert sum(1 for _ in streamsave.objects(path, "kind = actor or kind = object", sizes=False)) == len(headers)


@pytest.mark.slow
@pytest.mark.parametrize("sample", SAMPLES)
def test_only(sample):
    """The events of the objects that are wanted are the same; those of others do not come, what is in no object does."""
    path = VALID / sample
    sizes = {known.header.offset: known.header.size for known in known_objects(sample)}
    for where in (
        'class_name ~ "Spawner|goblin|Belt|C$" and size > 50',
        "has(mSpawnData) or has(T) or has(actor.owner) or size < 0",
        'kind = island or class_name = "*Subsystem"',
    ):
        keys = {(one.instance_name, one.size) for one in streamsave.objects(path, where)}
        with streamsave.open(path) as events:
            events.only(where)
            found = list(without_chunks(events))
        expected = []
        #: Whether each open object is wanted.
        wanted = []
        with streamsave.open(path) as events:
            for event in events:
                if isinstance(event, ObjectHeader):
                    wanted.append((event.instance_name, sizes[event.offset]) in keys)
                if not isinstance(event, ChunkStart) and (not wanted or wanted[-1]):
                    expected.append(event)
                if isinstance(event, ObjectEnd):
                    wanted.pop()
        assert placed(found, sample) == placed(expected, sample)


def test_of_many(tmp_path):
    saves = [VALID / "satisfactory" / f"{name}.sav" for name in ("sv52", "sv58")]
    expected = [found for save in saves for found in streamsave.objects(save, "class_name = *Spawner*")]
    assert list(streamsave.objects(saves, "class_name = *Spawner*")) == expected
    missing = tmp_path / "missing.sav"
    with structlog.testing.capture_logs() as logs:
        assert list(streamsave.objects([saves[0], missing, saves[1]], "class_name = *Spawner*", on_damage="skip")) == expected
        cut = saves[0].read_bytes()[:-600]
        assert len(list(streamsave.objects((cut, saves[1]), on_damage="skip"))) >= len(list(streamsave.objects(saves[1])))
    assert [each["save"] for each in logs if each["log_level"] == "warning"] == [str(missing), f"<{len(cut)} bytes>"]
    with pytest.raises(FileNotFoundError):
        list(streamsave.objects([missing, saves[0]]))
    with pytest.raises(ValueError, match="on_damage is"):
        streamsave.objects(saves, on_damage="ignore")


@pytest.mark.parametrize("sample", ["satisfactory/sv58.sav", "shapez2/backwards.spz2"])
def test_one_position(sample):
    """That of a header, of a selected object, and of the path are x, y and z of the transform."""
    headers = headers_of(VALID / sample)
    expected = {each.offset: each.transform and each.transform.translation for each in headers}
    assert {each.offset: each.position for each in headers} == expected
    found = list(streamsave.objects(VALID / sample, None, ["@position"]))
    assert {each.offset: each.position for each in found} == expected
    assert {each.offset: each.fields.get("@position") for each in found} == expected
    assert any(expected.values())


@pytest.mark.parametrize("sample", ["satisfactory/sv58.sav", "shapez2/backwards.spz2", "gvas/palworld-1.0.sav"])
def test_members_of_headers_have_the_paths_that_diff_prints(sample):
    """A flag that the save does not store is False there."""
    named = {each.offset: header_members(each) for each in headers_of(VALID / sample)}
    found = {each.offset: each.fields for each in streamsave.objects(VALID / sample, None, sorted(OF_HEADER))}
    assert {at: {path: found[at].get(path, False) for path in members} for at, members in named.items()} == named
    assert {path for members in found.values() for path in members} >= {"@class_name", "@instance_name", "@level"}


def test_objects_after_damage():
    """Those of the events of the stream that goes on after it; the damaged one without what is lost, or not at all."""
    sound, damaged = HOWTO / "world.sav", HOWTO / "damaged.sav"
    stacks = "mInventoryStacks"
    whole = {found.instance_name: found for found in streamsave.objects(sound, None, [stacks])}
    with streamsave.open(damaged, on_damage="resync") as events:
        (lost,) = [event.lost.name for event in events if isinstance(event, Damage)]
    with structlog.testing.capture_logs() as logs:
        found = {each.instance_name: each for each in streamsave.objects(damaged, None, [stacks], on_damage="resync")}
        for where in (f"has({stacks})", f"not has({stacks})"):
            tested = {each.instance_name for each in streamsave.objects(damaged, where, on_damage="resync")}
            assert tested == {name for name, each in whole.items() if (stacks in each.fields) == (where[0] == "h")} - {lost}
    assert found.pop(lost).fields == {}
    assert stacks in whole.pop(lost).fields
    assert {name: each.fields for name, each in found.items()} == {name: each.fields for name, each in whole.items()}
    warned = [(each["event"], each["losses"]) for each in logs if each["log_level"] == "warning"]
    assert warned == [("what is damaged in a save is lost", 1)] * 3
    before = [each.instance_name for each in streamsave.objects(damaged, None, [stacks], on_damage="skip")]
    assert before == list(whole)[: len(before)]
    assert 0 < len(before) < len(found)


def test_the_error_of_one_of_many_says_which_one(tmp_path):
    damaged = file_with(tmp_path / "damaged.sav", (VALID / "satisfactory" / "sv58.sav").read_bytes()[:-600])
    with pytest.raises(SaveError) as caught:
        list(streamsave.objects([VALID / "satisfactory" / "sv52.sav", damaged]))
    assert caught.value.__notes__ == [f"in {damaged}"]
    with pytest.raises(SaveError) as alone:
        list(streamsave.objects(damaged))
    assert not hasattr(alone.value, "__notes__")

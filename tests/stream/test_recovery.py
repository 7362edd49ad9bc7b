"""Faults that are survived: what is lost is said, what is left is what the sound save gives."""

import sys
from contextlib import suppress

import pytest
import structlog
from damage import is_part, losses, survived, whole_objects
from damage_satisfactory import broken, broken_list
from feeding import Broken
from hypothesis import given
from hypothesis import strategies as st
from profiles import examples
from saves import SATISFACTORY, VALID, deflate, head_and_body, read, read_to_error, told, without_chunks
from strategies import damaged_objects, flips
from tiling import Tiling, assert_tiled
from writer.gvas import SaveGame
from writer.primitives import i32
from writer.satisfactory import save_bytes
from writer.tags import INT, Prop

import streamsave
from streamsave import Damage, DamagedSave, ObjectEnd, ObjectHeader, SaveEnd, SaveError, StructEnter, StructExit, TruncatedSave

#: A save of each layout.
VERSIONS = ["sv25", "sv29", "sv41", "sv46", "sv52", "sv58"]
SAVES = [SATISFACTORY / f"{name}.sav" for name in VERSIONS if (SATISFACTORY / f"{name}.sav").is_file()]


def objects_of(data: bytes) -> list[ObjectHeader]:
    return [event for event in read(data) if isinstance(event, ObjectHeader) and event.size > 8]


def test_exits_follow_the_damage():
    bad, lost = broken_list((SATISFACTORY / "sv58.sav").read_bytes(), 0)
    seen = survived(bad)
    at = next(at for at, event in enumerate(seen) if isinstance(event, Damage))
    assert isinstance(seen[at + 1], ObjectEnd)
    assert seen[at + 1].instance_name == lost.instance_name
    with streamsave.open(bad, on_damage="resync") as events:
        for event in events:
            if isinstance(event, Damage):
                assert events.path == event.lost.path
                assert events.depth == len(event.lost.path)


@pytest.mark.parametrize("path", SAVES, ids=lambda path: path.stem)
def test_nothing_changes_without_it(path):
    """A damaged save gives the same error as ever, unless it is survived."""
    bad, _ = broken_list(path.read_bytes(), 3)
    seen, error = read_to_error(bad)
    assert isinstance(error, DamagedSave)
    with streamsave.open(bad, on_damage="raise") as events, pytest.raises(DamagedSave) as raised:
        list(events)
    assert told(raised.value) == told(error)
    before = without_chunks(seen)
    assert survived(bad)[: len(before)] == before


@pytest.mark.parametrize("on_damage", ["", "ignore", "RESYNC", None, True, b"resync"])
def test_other_words_and_types_are_refused(on_damage):
    is_text = isinstance(on_damage, str)
    with pytest.raises(ValueError if is_text else TypeError, match="'raise', 'resync', 'skip', not" if is_text else None):
        streamsave.open(b"", on_damage=on_damage)


@pytest.mark.parametrize("path", SAVES, ids=lambda path: path.stem)
def test_skipping_gives_what_comes_before_the_error(path):
    """All events before it, and no `SaveEnd`; a sound save gives all."""
    data = path.read_bytes()
    with streamsave.open(data, on_damage="skip") as events:
        assert list(events) == read(data)
    bad, _ = broken_list(data, 3)
    before, error = read_to_error(bad)
    with structlog.testing.capture_logs() as logs, streamsave.open(bad, on_damage="skip") as events:
        assert list(events) == before
        assert list(events) == []
    warnings = [each for each in logs if each["log_level"] == "warning"]
    assert [(each["event"], each["error"]) for each in warnings] == [("save is not read to its end", str(error))]


def test_verbs_where_the_rest_is_skipped(damaged):
    """`build()` raises, `skip()` does not, and no event follows the damage; a level has no size, so it is walked."""
    events = streamsave.open(damaged[0], on_damage="skip")
    while next(events) != damaged[1]:
        pass
    with pytest.raises(DamagedSave):
        events.build()
    assert list(events) == []
    cut = (VALID / "gvas" / "ue5-1012.sav").read_bytes()[:-400]
    seen = []
    with structlog.testing.capture_logs() as logs, streamsave.open(cut, on_damage="skip") as events:
        for event in events:
            seen.append(event)
            if isinstance(event, (StructEnter, ObjectHeader)):
                assert events.skip().size == 0
    assert (type(seen[-1]), logs[-1]["event"]) == (ObjectHeader, "save is not read to its end")


def test_what_is_no_save_is_no_save():
    with pytest.raises(SaveError):
        streamsave.open(b"no save at all, this is", on_damage="resync")
    with pytest.raises(TruncatedSave), streamsave.open(SAVES[0].read_bytes()[:40], on_damage="resync") as events:
        next(events)


@pytest.fixture(scope="module")
def damaged():
    return broken_list((SATISFACTORY / "sv58.sav").read_bytes(), 3)


def test_a_limit_on_a_build_costs_the_object():
    data = (SATISFACTORY / "sv58.sav").read_bytes()
    count = 0
    with streamsave.open(data, on_damage="resync", limits=streamsave.Limits(build_nodes=0)) as events:
        for event in events:
            if isinstance(event, ObjectHeader):
                count += 1
                with pytest.raises(streamsave.LimitExceeded):
                    events.build()
                damage = next(event for event in events if not isinstance(event, streamsave.ChunkStart))
                assert isinstance(damage, Damage)
                assert isinstance(damage.error, streamsave.LimitExceeded)
                assert damage.error.limit == "build_nodes"
    # With the subsystem, the foundations in it are lost.
    assert count == len([event for event in read(data) if isinstance(event, ObjectHeader) and event.kind != "lightweight"])


def test_a_limit_on_all_that_is_inflated_ends_the_save():
    data = (SATISFACTORY / "sv58.sav").read_bytes()
    size = len(head_and_body(data)[1])
    seen = survived(data, streamsave.Limits(total_inflated_size=size - 1))
    assert losses(seen) == [("rest of the save", "")]
    (damage,) = [event for event in seen if isinstance(event, Damage)]
    assert damage.error.limit == "total_inflated_size"


def test_what_the_source_raises_passes():
    """A file fails in the middle."""
    data = (SATISFACTORY / "sv58.sav").read_bytes()
    file = Broken(data, len(data) // 200, OSError("the disk is gone"), 100)
    with streamsave.open(file, on_damage="resync") as events, pytest.raises(OSError, match="the disk is gone"):
        list(events)


@pytest.mark.slow
@pytest.mark.parametrize("path", SAVES, ids=lambda path: path.stem)
@pytest.mark.parametrize("part", [0.3, 0.6, 0.95])
def test_a_cut_save_is_read_up_to_the_cut(path, part):
    data = path.read_bytes()
    head, body = head_and_body(data)
    cut = deflate(head, body, 4096)
    cut = cut[: int(len(cut) * part)]
    seen = survived(cut)
    before, error = read_to_error(cut)
    before = without_chunks(before)
    assert isinstance(error, TruncatedSave)
    assert [event for event in seen if not isinstance(event, Damage)][: len(before)] == before
    assert "rest of the save" in {kind for kind, _ in losses(seen)}
    assert is_part(whole_objects(seen), whole_objects(without_chunks(read(data))))


def test_a_loss_before_the_last_value_leaves_its_claim():
    """Headers are lost after the start of the objects was read, which comes after them."""
    head, body = head_and_body((SATISFACTORY.parent.parent / "invalid" / "satisfactory" / "body-size-more.sav").read_bytes())
    body = body[:0x27] + i32(0) + body[0x2B:0x18E] + i32(1) + body[0x192:]
    events = survived(deflate(head, body))
    assert ("headers", "") in losses(events)
    assert_tiled(events, events[-1].offset)


@pytest.mark.slow
@examples(60)
@given(damaged_objects())
def test_damage_in_an_object_costs_that_object_at_most(case):
    world, which, at, new = case
    data = save_bytes(world)
    header = [event for event in read(data) if isinstance(event, ObjectHeader) and event.size > 8][which]
    start = header.data_offset + int(at * header.size)
    seen = survived(broken(data, start, new[: header.data_offset + header.size - start]))
    sound = [one for one in whole_objects(without_chunks(read(data))) if one[0] != header]
    assert [one for one in whole_objects(seen) if one[0] != header] == sound
    assert set(losses(seen)) <= {("object", header.instance_name)}


# --- faults that are survived in the formats beside Satisfactory's: what has a length costs itself ---

FAMILIES = ("arx", "astroneer", "gvas", "satisfactory", "shapez2")
SAMPLES = sorted(path for family in FAMILIES for path in (VALID / family).iterdir())
INVALID = VALID.parent / "invalid"


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_sound_save_is_the_same(path):
    assert survived(path) == without_chunks(read(path))


@pytest.mark.parametrize("verb", ["is_leaf", "build", "skip"])
@pytest.mark.parametrize("family", FAMILIES)
def test_what_was_survived_is_over(family, verb):
    """No fault stays "being handled" after the events that report it, as the context of an error that is raised later."""
    faults = 0
    for path in sorted((INVALID / family).iterdir()):
        with suppress(SaveError), streamsave.open(path, on_damage="resync") as events:
            for event in events:
                faults += isinstance(event, Damage)
                assert sys.exc_info()[1] is None, path.name
                if isinstance(event, (ObjectHeader, streamsave.PropertyTag, StructEnter)):
                    with suppress(SaveError):
                        getattr(events, verb)()
                    assert sys.exc_info()[1] is None, path.name
    assert faults > 0 or verb == "skip"  # what is skipped is not looked at


@pytest.mark.slow
@pytest.mark.parametrize("every", [1, 2, 1 << 40])
@pytest.mark.parametrize("family", FAMILIES)
def test_nestings_close_where_only_some_objects_come(family, every):
    """Each exit is that of the last enter that came, also where the damage is in an object that did not come."""
    lost = 0
    for path in sorted((INVALID / family).iterdir()):
        names: list[str] = []
        with suppress(SaveError), streamsave.open(path, on_damage="resync") as events:
            events.only(lambda header: header.offset % every == 1)
            for event in events:
                lost += isinstance(event, Damage)
                if isinstance(event, (StructEnter, ObjectHeader)):
                    names.append(event.name if isinstance(event, StructEnter) else event.instance_name)
                elif isinstance(event, (StructExit, ObjectEnd)):
                    assert names.pop() == (event.name if isinstance(event, StructExit) else event.instance_name), path.name
                assert events.depth == len(names), path.name
            assert names == [], path.name
    assert lost > 0


@pytest.mark.slow
@examples(150)
@given(st.sampled_from(SAMPLES), flips())
def test_any_flips_are_survived(path, flipped):
    """Whatever is flipped, nestings close, the save ends, and the claims tile as far as the size is known."""
    data = bytearray(path.read_bytes())
    for place, mask in flipped:
        data[int(place * len(data))] ^= mask
    try:
        seen = survived(bytes(data))
    except SaveError:
        with pytest.raises(SaveError), streamsave.open(bytes(data)) as events:
            next(events)
        return
    if all(event.size >= 0 for event in seen if isinstance(event, Damage)):
        tiling = Tiling()
        for event in seen:
            tiling.feed(event)
        if not losses(seen):
            tiling.finish(seen[-1].offset)


@pytest.mark.parametrize("left", range(16))
def test_a_guid_at_the_end_of_a_save_game_that_is_cut_off_is_not_claimed(left):
    data = SaveGame([Prop("Count", INT, 5)]).encode()
    assert data.endswith(bytes(4))
    cut = data[:-4] + b"\1\0\0\0" + bytes(left)
    events = survived(cut)
    assert [type(event) for event in events[-3:]] == [Damage, ObjectEnd, SaveEnd]
    assert_tiled(events, len(cut))
    whole = survived(data[:-4] + b"\1\0\0\0" + bytes(16))
    assert_tiled(whole, len(cut) + 16 - left)
    assert losses(whole) == []

"""The oracle of the campaigns that compares the events of a damaged save with those of the sound one."""

import random
import struct
from contextlib import nullcontext
from operator import attrgetter

import pytest
from attack import stream_truth
from attack.contract import survives, walk
from attack.edited import Edited
from attack.kept import KEPT, read_kept, remake
from attack.mutator import make_mutator
from attack.stream_truth import TAGLESS, StreamTruth, lies_of_stream, reading_of
from attack.surgery import Truth
from attack.truth import lies
from proofs import packed, sound_of
from saves import VALID, read
from writer import shapez2_faults as faults
from writer.gvas import SaveGame
from writer.primitives import fstring, i32
from writer.tags import INT, STR, Prop

import streamsave

SOUND = SaveGame([Prop("Count", INT, 770_077), Prop("Label", STR, "needle"), Prop("After", INT, 2)]).encode()
BUNDLE = "maps/main/islands/0.bin"

#: Inputs that gave properties that were none, or hid some; whose elements were misread, got the header of others, or went on at
#: the end of another list; in which a tag started in another one; or whose version made known what was of unknown layout.
FOUND = [kept for name in ("gvas", "astroneer", "shapez2") for kept in read_kept(KEPT / f"{name}.jsonl")]
seed_of = attrgetter("seed")


def changed(start: int, end: int, new: bytes) -> StreamTruth:
    reading = reading_of(SOUND, ["gvas"])
    stream = Edited(SOUND)
    stream[start:end] = new
    return StreamTruth(reading, stream)


def test_a_save_that_is_not_sound_has_no_reading():
    assert reading_of(SOUND[:-30], ["gvas"]) is None
    assert reading_of(SOUND, ["arx"]) is None
    assert reading_of(SOUND, ["gvas"]).size == len(SOUND)


@pytest.mark.slow
@pytest.mark.parametrize("kept", FOUND, ids=seed_of)
def test_what_campaigns_have_found(kept):
    mutant = remake(kept)
    assert isinstance(mutant.truth, StreamTruth)
    assert lies_of_stream(mutant.data, mutant.truth) == lies_of_stream(mutant.data, mutant.truth, builds=True) == []


@pytest.mark.parametrize("kept", read_kept(KEPT / "remaining.jsonl"), ids=seed_of)
def test_what_remains_possible(kept):
    """What is left of a property list is a sound save; numbers are among numbers; an object and all sizes around it have grown.

    If one of these is found out one day, it belongs to those above, and FUZZING and PROMISES change.
    """
    mutant = remake(kept)
    truth = mutant.truth
    assert isinstance(truth, (StreamTruth, Truth))
    found = lies(mutant.data, truth, kept.seed) if isinstance(truth, Truth) else lies_of_stream(mutant.data, truth)
    assert [finding.kind for finding in found] == ["untold" if "/astroneer/" in kept.sample else "lie"]


@pytest.mark.parametrize("kept", [kept for kept in FOUND if kept.seed in {11001000080018, 5202000016553}], ids=seed_of)
def test_elements_that_only_a_proof_refuses(kept, tmp_path):
    """They were no objects then, as they are without resync."""
    data = remake(kept).data
    assert survives(data, walk(data), random.Random(kept.seed), tmp_path) == []


PALWORLD = "valid/gvas/palworld-1.0.sav"
#: A bit in the versions after a blob, which is a weapon or an armor then; and the versions after another one.
VERSION_BIT, OTHER_VERSIONS = (0x5931, 0x10), 0x57F2


@pytest.mark.parametrize(
    ("touched", "is_known"),
    [
        pytest.param(VERSION_BIT[0], False, id="the-versions-after-it"),
        pytest.param(OTHER_VERSIONS + 0x60, True, id="those-after-another-one"),
        pytest.param(0x593E, True, id="what-comes-after-them"),
        pytest.param(-1, True, id="nothing"),
    ],
)
def test_what_a_blob_is_was_said_by_the_versions_after_it(touched, is_known):
    """Two layouts take all of its bytes. It is a lie to take the wrong one, but where its own versions were touched."""
    sound, reading = sound_of(PALWORLD)
    at, bit = VERSION_BIT
    data = packed(PALWORLD, sound[:at] + bytes([sound[at] ^ bit]) + sound[at + 1 :])
    stream = Edited(sound)
    if touched >= 0:
        stream[touched : touched + 1] = b"\xff"
    found = lies_of_stream(data, StreamTruth(reading, stream))
    assert ["PalWeaponItem" in finding.detail for finding in found] == [True] * is_known


def test_an_untouched_element_with_another_header_is_a_lie():
    """The truth is that nothing was changed, or a byte before the elements; or a byte in the element itself."""
    sound, reading = sound_of(PALWORLD)
    chest = sound.index(fstring("ItemChest"))
    data = packed(PALWORLD, sound[: chest + 4] + b"ItemChess" + sound[chest + 13 :])
    for touched, kinds in ((-1, ["lie stream element"]), (0x60, ["lie stream element"]), (chest + 12, [])):
        stream = Edited(sound)
        if touched >= 0:
            stream[touched : touched + 1] = b"\xff"
        assert [finding.key for finding in lies_of_stream(data, StreamTruth(reading, stream))] == kinds


def test_objects_of_saves_without_tags_are_compared():
    """A count of islands that is 1 too high, a save that denies its checkpoints, a string that another takes the place of."""
    saves = make_mutator([VALID / "shapez2" / "small.spz2", VALID / "shapez2" / "no-icons.spz2bp"])
    known = [mutant for mutant in map(saves.make, range(60)) if isinstance(mutant.truth, StreamTruth)]
    assert len(known) > 30
    assert {True, False} == {mutant.truth.has_other_strings for mutant in known}
    for mutant in known:
        assert lies_of_stream(mutant.data, mutant.truth) == [], mutant.seed


def test_an_object_of_a_save_without_tags_that_is_given_otherwise_is_a_lie():
    """The truth is that nothing was changed."""
    data = (VALID / "shapez2" / "small.spz2").read_bytes()
    truth = unchanged(data)
    assert lies_of_stream(data, truth) == []
    place = struct.pack("<hhBB", 8, 9, 0, 3)
    (finding,) = lies_of_stream(faults.changed(data, BUNDLE, place, place[::-1]), truth)
    assert (finding.kind, finding.key) == ("lie", "lie stream ObjectHeader")


def unchanged(data: bytes, *, has_other_strings: bool = False) -> StreamTruth:
    return StreamTruth(reading_of(data, TAGLESS), Edited(bytes(read(data)[-1].offset)), has_other_strings)


def test_changes_in_a_larger_piece():
    """What is before and after it is untouched."""
    part = Edited(b"abcdef")
    part[2:4] = b"XYZ"
    whole = part.within(b"12", b"345")
    assert bytes(whole) == b"12abXYZef345"
    assert (whole.now(0, 4), whole.now(6, 11), whole.now(3, 5)) == (0, 7, -1)
    assert [whole.before(at) for at in range(12)] == [0, 1, 2, 3, -1, -1, -1, 6, 7, 8, 9, 10]
    whole[0:1] = b""
    assert whole.now(8, 11) == 8


@pytest.mark.slow
def test_a_slice():
    mutator = make_mutator([VALID / "gvas", VALID.parent / "invalid" / "gvas"])
    known = 0
    for seed in range(8000, 8150):
        mutant = mutator.make(seed)
        if isinstance(mutant.truth, StreamTruth):
            known += 1
            assert lies_of_stream(mutant.data, mutant.truth) == [], seed
    assert known > 60


def test_a_save_that_is_read_as_it_was_has_no_finding():
    assert lies_of_stream(SOUND, changed(0, 0, b"")) == []


def test_a_property_that_is_given_otherwise_is_a_lie():
    """The truth is that nothing was changed."""
    (finding,) = lies_of_stream(SOUND.replace(fstring("Count"), fstring("Mount")), changed(0, 0, b""))
    assert (finding.kind, finding.key) == ("lie", "lie stream PropertyTag")


class Silent(list[streamsave.Event]):
    """The events of a save but for one property."""

    path = ()


@pytest.mark.parametrize("name", ["Label", "(0, 0, 0):(8, 9, 0)"])
def test_what_is_missing_and_not_told_is_a_finding(monkeypatch, name):
    """A property; an object of a save without tags."""
    data = SOUND if name == "Label" else (VALID / "shapez2" / "small.spz2").read_bytes()
    truth = changed(0, 0, b"") if name == "Label" else unchanged(data, has_other_strings=True)
    events = [event for event in read(data) if name not in {getattr(event, each, "") for each in ("name", "instance_name")}]
    monkeypatch.setattr(streamsave, "open", lambda *_, **__: nullcontext(Silent(events)))
    monkeypatch.setattr(stream_truth, "_misread", lambda *_: [])  # paths are not those of a stream
    (finding,) = lies_of_stream(data, truth)
    assert (finding.kind, name.rpartition(":")[2] in finding.detail) == ("untold", True)


def test_a_size_that_covers_the_next_property_takes_it_along():
    at = SOUND.index(fstring("StrProperty")) + len(fstring("StrProperty"))
    truth = changed(at, at + 4, i32(len(SOUND) - 13 - SOUND.index(fstring("needle"))))
    assert lies_of_stream(bytes(truth.stream), truth) == []

"""The oracle of the campaigns that compares the events of a damaged save with those of the sound one."""

from __future__ import annotations

import random
import struct
from functools import cache
from typing import Self

import pytest
from attack import stream_truth
from attack.contract import survives, walk
from attack.edited import Edited
from attack.mutator import Mutator, make_mutator
from attack.stream_truth import TAGLESS, StreamTruth, lies_of_stream, reading_of
from proofs import packed, sound_of
from saves import VALID
from writer import shapez2_faults as faults
from writer.gvas import SaveGame
from writer.primitives import fstring, i32
from writer.tags import INT, STR, Prop

import streamsave

SOUND = SaveGame([Prop("Count", INT, 770_077), Prop("Label", STR, "needle"), Prop("After", INT, 2)]).encode()
OPEN = streamsave.open
BUNDLE = "maps/main/islands/0.bin"

#: Inputs that gave properties that were none, or hid some.
SEEDS = (1068, 1073, 1108, 1145, 1157, 1202, 1261, 1295, 1304, 1410, 1546, 1675, 1948, 2152, 2200, 2213, 2974)
#: Inputs whose elements were misread, or that went on at the end of another list, or in a value.
LATER_SEEDS = (
    4003000006365,
    4004000002512,
    4005000003837,
    7001000000687,
    7001000008564,
    7001000011759,
    7001000012347,
    7001000013802,
    7001000015730,
    7001000019342,
    10001000039248,
    10001000067583,
    10001000033074,
    10001000032986,
    10001000068524,
    11001000018721,
    11001000012480,
    5202000014337,
    5204000001423,
    5205000015227,
    31000004843,
    41003000001861,
    41003000158543,
    41003000239990,
    41003000313109,
    922000000008683,
    20500000140667,
    20500000160896,
    100445,
    103079,
    104459,
    104500,
    106047,
    107555,
)
#: Inputs of other samples: of Palworld alone, whose containers got the name of others, or another element; of Astroneer, some of
#: whose last numbers were gone, in which a tag started in another one, or a class took along what comes before; of shapez 2,
#: whose version made known what was of unknown layout, or in which nestings moved.
OTHER_SEEDS = {
    21001000023058: "gvas/palworld-*.sav",
    21001000046564: "gvas/palworld-*.sav",
    51001000053670: "gvas/palworld-*.sav",
    51001000074240: "gvas/palworld-*.sav",
    91000000185495: "gvas/palworld-*.sav",
    91000000262036: "gvas/palworld-*.sav",
    91000000298967: "gvas/palworld-*.sav",
    91000000000051: "gvas/palworld-*.sav",
    100825: "gvas/palworld-*.sav",
    100861: "gvas/palworld-*.sav",
    101109: "gvas/palworld-*.sav",
    12017000016951: "astroneer",
    51004000081026: "astroneer",
    61004000031051: "astroneer",
    41004000011584: "astroneer",
    41004000012505: "astroneer",
    41004000255719: "astroneer",
    20400000114190: "astroneer",
    20400000247883: "astroneer",
    41005000152740: "shapez2",
    41005000358469: "shapez2",
    20400000270615: "astroneer",
    20400000293387: "astroneer",
}


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
@pytest.mark.parametrize("seed", SEEDS + LATER_SEEDS)
def test_what_campaigns_have_found(seed, mutator):
    mutant = mutator.make(seed)
    assert isinstance(mutant.truth, StreamTruth)
    assert lies_of_stream(mutant.data, mutant.truth) == []


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "samples"), OTHER_SEEDS.items())
def test_what_campaigns_have_found_in_other_samples(seed, samples):
    mutant = mutator_of(samples).make(seed)
    assert isinstance(mutant.truth, StreamTruth)
    assert lies_of_stream(mutant.data, mutant.truth) == lies_of_stream(mutant.data, mutant.truth, builds=True) == []


#: What remains possible, as PROMISES says: what is left of a property list is a sound save; numbers are among numbers.
REMAINING = {
    104711: "gvas",
    20500000097565: "gvas",
    20500000110127: "gvas",
    20500000176504: "gvas",
    20400000326257: "astroneer",
    20400000461942: "astroneer",
}


@pytest.mark.parametrize(("seed", "samples"), REMAINING.items())
def test_what_remains_possible(seed, samples):
    """If one of these is found out one day, it belongs to those above, and FUZZING and PROMISES change."""
    mutant = mutator_of(samples).make(seed)
    assert isinstance(mutant.truth, StreamTruth)
    assert [finding.kind for finding in lies_of_stream(mutant.data, mutant.truth)] == ["lie" if samples == "gvas" else "untold"]


#: Samples that came after the seeds above were found: with them, a seed would make other bytes.
LATER_SAMPLES = frozenset(("key-profiles", "key-profiles-new-tags", "server-settings", "wrapper-archive-size"))


@cache
def mutator_of(samples: str) -> Mutator:
    if "*" in samples:
        return make_mutator(sorted(VALID.glob(samples)))
    if samples == "gvas":
        valid = [path for path in sorted((VALID / "gvas").glob("*")) if path.stem not in LATER_SAMPLES]
        return make_mutator([*valid, VALID.parent / "invalid" / "gvas"])
    return make_mutator([VALID / samples, VALID.parent / "invalid" / samples])


@pytest.mark.parametrize("seed", [11001000080018, 5202000016553])
def test_elements_that_only_a_proof_refuses(seed, mutator, tmp_path):
    """They were no objects then, as they are without resync."""
    mutant = mutator.make(seed)
    assert survives(mutant.data, walk(mutant.data), random.Random(seed), tmp_path) == []


@pytest.fixture(scope="module")
def mutator():
    return mutator_of("gvas")


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


def test_an_object_of_a_save_without_tags_that_is_missing_and_not_told_is_a_finding(monkeypatch):
    data = (VALID / "shapez2" / "small.spz2").read_bytes()
    events = [event for event in OPEN(data) if getattr(event, "instance_name", "") != "(0, 0, 0):(8, 9, 0)"]
    truth = unchanged(data, has_other_strings=True)
    monkeypatch.setattr(streamsave, "open", lambda *_, **__: Silent(events))
    monkeypatch.setattr(stream_truth, "_misread", lambda *_: [])  # paths are not those of a stream
    (finding,) = lies_of_stream(data, truth)
    assert (finding.kind, "(8, 9, 0)" in finding.detail) == ("untold", True)


def unchanged(data: bytes, *, has_other_strings: bool = False) -> StreamTruth:
    with streamsave.open(data) as events:
        size = [event.offset for event in events][-1]
    return StreamTruth(reading_of(data, TAGLESS), Edited(bytes(size)), has_other_strings)


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
    data = SOUND.replace(fstring("Count"), fstring("Mount"))
    (finding,) = lies_of_stream(data, changed(0, 0, b""))
    assert (finding.kind, finding.key) == ("lie", "lie stream PropertyTag")


class Silent(list[streamsave.Event]):
    """The events of a save but for one property."""

    path = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def test_a_property_that_is_missing_and_not_reported_is_a_finding(monkeypatch):
    truth = changed(0, 0, b"")
    events = [event for event in OPEN(SOUND) if getattr(event, "name", "") != "Label"]
    monkeypatch.setattr(streamsave, "open", lambda *_, **__: Silent(events))
    monkeypatch.setattr(stream_truth, "_misread", lambda *_: [])  # paths are not those of a stream
    (finding,) = lies_of_stream(SOUND, truth)
    assert (finding.kind, "Label" in finding.detail) == ("untold", True)


def test_a_size_that_covers_the_next_property_takes_it_along():
    at = SOUND.index(fstring("StrProperty")) + len(fstring("StrProperty"))
    truth = changed(at, at + 4, i32(len(SOUND) - 13 - SOUND.index(fstring("needle"))))
    assert lies_of_stream(bytes(truth.stream), truth) == []

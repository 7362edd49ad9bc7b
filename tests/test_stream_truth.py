"""The oracle of the campaigns that compares the events of a damaged save with those of the sound one."""

from __future__ import annotations

from typing import Self

import pytest
from attack import stream_truth
from attack.edited import Edited
from attack.mutator import make_mutator
from attack.stream_truth import StreamTruth, lies_of_stream, reading_of
from saves import VALID
from writer.gvas import SaveGame
from writer.primitives import fstring, i32
from writer.tags import INT, STR, Prop

import streamsave

SOUND = SaveGame([Prop("Count", INT, 770_077), Prop("Label", STR, "needle"), Prop("After", INT, 2)]).encode()
OPEN = streamsave.open

#: Inputs that gave properties that were none, or hid some.
SEEDS = (1068, 1073, 1108, 1145, 1157, 1202, 1261, 1295, 1304, 1410, 1546, 1675, 1948, 2152, 2200, 2213, 2974)


def changed(start: int, end: int, new: bytes) -> StreamTruth:
    reading = reading_of(SOUND, "gvas")
    stream = Edited(SOUND)
    stream[start:end] = new
    return StreamTruth(reading, stream)


def test_a_save_that_is_not_sound_has_no_reading():
    assert reading_of(SOUND[:-30], "gvas") is None
    assert reading_of(SOUND, "arx") is None
    assert reading_of(SOUND, "gvas").size == len(SOUND)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_campaigns_have_found(seed, mutator):
    mutant = mutator.make(seed)
    assert isinstance(mutant.truth, StreamTruth)
    assert lies_of_stream(mutant.data, mutant.truth) == []


@pytest.fixture(scope="module")
def mutator():
    return make_mutator([VALID / "gvas", VALID.parent / "invalid" / "gvas"])


def test_a_slice(mutator):
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


def test_a_property_that_is_missing_and_not_told_is_a_finding(monkeypatch):
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

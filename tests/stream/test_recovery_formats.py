"""Faults that are survived in the formats beside Satisfactory's: what has a length costs itself."""

from __future__ import annotations

import sys
from contextlib import suppress

import pytest
from damage import losses, survived
from hypothesis import given
from hypothesis import strategies as st
from profiles import examples
from saves import VALID, read, without_chunks
from strategies import flips
from tiling import Tiling, assert_tiled
from writer.gvas import SaveGame, plz
from writer.tags import INT, Prop

import streamsave
from streamsave import (
    Damage,
    Event,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    SaveEnd,
    SaveError,
    StructEnter,
    StructExit,
)

FAMILIES = ("arx", "astroneer", "gvas", "satisfactory", "shapez2")
SAMPLES = sorted(path for family in FAMILIES for path in (VALID / family).iterdir())
INVALID = VALID.parent / "invalid"


def top_level(events: list[Event]) -> list[PropertyTag]:
    """The properties that are in no other."""
    depth = 0
    found = []
    for event in events:
        if isinstance(event, (StructEnter, ObjectHeader)):
            depth += 1
        elif isinstance(event, (StructExit, ObjectEnd)):
            depth -= 1
        elif isinstance(event, PropertyTag) and depth == 1:
            found.append(event)
    return found


@pytest.mark.slow
def test_what_is_compressed_and_damaged_ends_the_save_game():
    whole = plz(SaveGame([Prop(f"Number{at}", INT, at * 7919) for at in range(9000)]).encode())
    seen = survived(whole[: len(whole) // 2])
    assert losses(seen) == [("rest of the save", "")]
    assert isinstance(seen[-1], SaveEnd)
    assert len(top_level(seen)) > 1000


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
                if isinstance(event, (ObjectHeader, PropertyTag, StructEnter)):
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

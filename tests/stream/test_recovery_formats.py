"""Faults that are survived in the formats beside Satisfactory's: what has a length costs itself."""

from __future__ import annotations

import sys
import zlib
from contextlib import suppress
from pathlib import Path
from zipfile import ZipFile

import pytest
from damage import losses, survived, whole_objects
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
    SaveStart,
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


def nested(path: Path) -> tuple[StructEnter, PropertyTag] | None:
    """The first struct in a save game that has a size and two properties, and the second of those."""
    enter = None
    before = None
    for event in without_chunks(read(path)):
        if isinstance(event, PropertyTag) and isinstance(before, PropertyTag) and enter is not None:
            return enter, event
        if isinstance(event, StructEnter):
            enter = event if event.size > 0 and event.count < 0 else None
        elif not isinstance(event, PropertyTag):
            enter = None
        before = event
    return None


GVAS = sorted(path for path in (VALID / "gvas").iterdir() if path.read_bytes().startswith(b"GVAS"))


@pytest.mark.parametrize("path", [path for path in GVAS if nested(path)], ids=lambda path: path.stem)
def test_a_property_of_a_save_game_costs_itself(path):
    data = path.read_bytes()
    found = nested(path)
    assert found is not None
    _, inside = found
    bad = data[: inside.offset] + b"\xff\xff\xff\x7f" + data[inside.offset + 4 :]
    seen = survived(bad)
    (damage,) = [event for event in seen if isinstance(event, Damage)]
    assert damage.lost.kind == "property"
    assert (damage.offset, damage.size) == (inside.offset, inside.value_offset + inside.size - inside.offset)
    assert top_level(seen) == top_level(read(data))
    assert_tiled(seen, len(data))


@pytest.mark.slow
def test_what_is_compressed_and_damaged_ends_the_save_game():
    whole = plz(SaveGame([Prop(f"Number{at}", INT, at * 7919) for at in range(9000)]).encode())
    seen = survived(whole[: len(whole) // 2])
    assert losses(seen) == [("rest of the save", "")]
    assert isinstance(seen[-1], SaveEnd)
    assert len(top_level(seen)) > 1000


@pytest.mark.parametrize("name", ["v2.0.sav", "v1.1.sav", "v2.1.sav"])
def test_entries_that_do_not_unpack_cost_themselves(name):
    """Bytes of stored entries are turned around: no entry beside the one that was touched is another."""
    data = (VALID / "arx" / name).read_bytes()
    with streamsave.open(data) as events:
        start = next(events)
    assert isinstance(start, SaveStart)
    whole = {one[0].instance_name: one for one in whole_objects(without_chunks(read(data)))}
    for entry in start.header.entries:
        for offset, size in entry.chunks:
            if not size:
                continue
            at = offset + size // 2
            seen = survived(data[:at] + bytes([data[at] ^ 0x5A]) + data[at + 1 :])
            assert {lost for _, lost in losses(seen)} <= {entry.name}
            # What an entry unpacks to moves those after it, where the table does not have its size.
            left = {one[0].instance_name for one in whole_objects(seen)}
            assert left >= set(whole) - {entry.name}


def test_a_member_of_an_archive_costs_itself():
    path = next(path for path in SAMPLES if path.suffix == ".spz2")
    data = path.read_bytes()
    with ZipFile(path) as archive:
        member = max(archive.infolist(), key=lambda info: info.compress_size * ("islands" in info.filename))
    at = member.header_offset + 30 + len(member.filename) + member.compress_size // 2
    seen = survived(data[:at] + bytes([data[at] ^ 0x5A]) + data[at + 1 :])
    assert losses(seen) == [("member", member.filename)]
    assert [one for one in whole_objects(seen) if one[0].level != member.filename] == [
        one for one in whole_objects(without_chunks(read(data))) if one[0].level != member.filename
    ]


def test_without_strings_json_is_left():
    """All that refers to the table of strings is lost with it."""
    path = VALID / "shapez2" / "small.spz2"
    data = path.read_bytes()
    with ZipFile(path) as archive:
        table = archive.getinfo("strings.bin")
        names = [info.filename for info in archive.infolist() if info.file_size]
    at = table.header_offset + 30 + len(table.filename) + table.compress_size // 2
    seen = survived(data[:at] + bytes([data[at] ^ 0x5A]) + data[at + 1 :])
    lost = {name for kind, name in losses(seen) if kind == "member"}
    assert "strings.bin" in lost
    assert "savegame.json" in set(names) - lost
    assert losses(seen)[-1][0] == "member"


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("blob-length-max.spz2", {"object", "member"}),
        ("state-count-max.spz2", {"object", "member"}),
        ("building-count-max.spz2", {"object", "member"}),
        ("wrong-checkpoint.spz2", {"object", "member"}),
        ("configuration-negative.spz2bp", {"object"}),
        ("configuration-base64.spz2bp", {"object"}),
    ],
)
def test_an_object_of_shapez_costs_itself(name, kinds):
    seen = survived(INVALID / "shapez2" / name)
    found = {kind for kind, _ in losses(seen)}
    assert found
    assert found <= kinds


def test_an_object_of_astroneer_costs_itself():
    data = (VALID / "astroneer" / "bare.gvas").read_bytes()
    sound = without_chunks(read(data))
    whole = whole_objects(sound)
    victim = next(one for one in whole if sum(isinstance(event, PropertyTag) for event in one) > 1)
    tag = next(event for event in victim if isinstance(event, PropertyTag))
    # The name is an index: one that is in no pool.
    second = [event for event in victim if isinstance(event, PropertyTag)][1]
    bad = data[: second.offset] + b"\xff\xff\xff\x7f" + data[second.offset + 4 :]
    seen = survived(bad)
    header = victim[0]
    assert isinstance(header, ObjectHeader)
    assert tag in seen
    assert losses(seen) == [("object", header.instance_name)]
    assert whole_objects(seen) == [one for one in whole if one is not victim]


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


@pytest.mark.parametrize("left", [0, 7, 15])
def test_a_guid_at_the_end_of_an_astroneer_save_that_is_cut_off_is_not_claimed(left):
    data = (VALID / "astroneer" / "empty.savegame").read_bytes()
    body = zlib.decompress(data[16:])
    exits = [event for event in read(data) if isinstance(event, StructExit) and event.size == 13]
    cut = body[: exits[-1].offset + 9] + b"\1\0\0\0" + bytes(left)
    events = survived(data[:12] + len(cut).to_bytes(4, "little") + zlib.compress(cut))
    assert_tiled(events, len(cut))

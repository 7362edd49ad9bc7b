"""Saves and codes of shapez 2 from values: what is written comes back, and damage costs what it touches."""

from __future__ import annotations

import io
import zipfile
from itertools import pairwise

import orjson
import pytest
from attrs import evolve
from contract import flipped
from damage import is_part, lines, losses, survivors
from hypothesis import given
from hypothesis import strategies as st
from profiles import examples
from saves import read, without_chunks
from shapez2_worlds import assert_built, built, entries_of, members_of, written_entries
from strategies_shapez2 import blueprints, saves
from tiling import assert_tiled
from writer.shapez2_samples import save_bytes

from streamsave import SaveStart


@pytest.mark.slow
@examples(25)
@given(saves())
def test_saves_come_back(save):
    data = save_bytes(save)
    assert_built(built(data), save)
    events = read(data)
    assert_tiled(events, sum(len(member) for member in members_of(data).values()))
    header = events[0].header
    assert (header.version, header.binary_data_checkpoints, header.savegame_name) == (save.version, save.checkpoints, save.name)


@pytest.mark.slow
@examples(50)
@given(blueprints())
def test_blueprints_come_back(blueprint):
    code = blueprint.code().encode()
    assert entries_of(code) == written_entries(blueprint.entries)
    events = read(code)
    assert_tiled(events, len(blueprint.text().encode()))
    start = events[0]
    assert isinstance(start, SaveStart)
    assert start.header.icons == (tuple(blueprint.icons) if any(blueprint.icons) else ())


# --- damage ---

places = st.floats(0, 1, exclude_max=True)


def damaged(draw: st.DrawFn, data: bytes) -> tuple[bytes, int]:
    """The data with one byte changed, or cut; and where."""
    at = int(draw(places) * len(data))
    return (data[:at], at) if draw(st.booleans()) else (flipped(data, at, draw(st.integers(1, 255))), at)


def spans(data: bytes) -> dict[str, tuple[int, int]]:
    """Start and end of each member in the archive, its header included."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        starts = [info.header_offset for info in archive.infolist()] + [archive.start_dir]
        return {info.filename: span for info, span in zip(archive.infolist(), pairwise(starts), strict=True)}


def elsewhere(some: list[bytes], members: set[str]) -> list[bytes]:
    """The lines of what is in none of these members."""
    return [line for line in some if orjson.loads(line).get("path", [""])[0] not in members]


@pytest.mark.slow
@examples(20)
@given(saves(), st.data())
def test_damage_costs_the_member_that_it_is_in(save, data):
    """Each has a checksum, so it is found; but what came before that has been given already, and may be wrong."""
    whole = save_bytes(save)
    bad, at = damaged(data.draw, whole)
    seen = survivors(bad)
    if seen is None:
        return
    sound = without_chunks(read(whole))
    touched = {name for name, (start, end) in spans(whole).items() if start <= at < end}
    assert losses(seen) or seen == sound
    # Where members start in the stream hangs on the directory: what is left is held against the sound save without that.
    left, all_of_them = elsewhere(lines(bad)[0], touched), elsewhere(lines(whole)[0], touched)
    assert is_part(left, all_of_them)
    assert left == all_of_them or "strings.bin" in touched or not touched


@pytest.mark.slow
@examples(40)
@given(blueprints(), st.data())
def test_damage_to_a_code_is_found(blueprint, data):
    """What is packed has a checksum; the icons after it have none, and may be others."""
    whole = blueprint.code().encode()
    bad, _ = damaged(data.draw, whole)
    seen = survivors(bad)
    if seen is None or losses(seen):
        return
    sound = without_chunks(read(whole))
    assert seen[1:] == sound[1:]
    start, header = seen[0], sound[0].header
    assert isinstance(start, SaveStart)
    assert evolve(start.header, icons=header.icons, envelope=header.envelope) == header

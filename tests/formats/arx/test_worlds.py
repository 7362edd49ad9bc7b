"""Saves of Arx from values: what is written comes back, and damage costs the entry that it is in."""

from __future__ import annotations

import pytest
from arx_worlds import LOST, built, raws, sections
from contract import flipped
from damage import losses, survived
from hypothesis import assume, given
from hypothesis import strategies as st
from profiles import examples
from saves import read
from strategies_arx import blobs, containers, worlds
from tiling import assert_tiled
from writer.arx import DEFLATED, LEGACY, NO_EXTENSION, Container, Entry

import streamsave
from streamsave import ObjectHeader, SaveError, SaveStart
from streamsave.formats.arx.header import ArxContainer


def name_of(entry: Entry, container: Container) -> str:
    """The name of an entry as the game takes it: of bytes, of which only A to Z have a lower case."""
    name = entry.name
    if container.version < NO_EXTENSION:
        name = name.lower()
        name = name.removesuffix(b".sav") if len(name) > 4 else name
    return name.decode("latin-1")


def header_of(data: bytes) -> ArxContainer:
    """What the table says."""
    with streamsave.open(data) as events:
        start = next(events)
    assert isinstance(start, SaveStart)
    assert isinstance(start.header, ArxContainer)
    return start.header


@pytest.mark.slow
@examples(80)
@given(containers(blobs()))
def test_containers_come_back(container):
    data = container.encode()
    written = {name_of(entry, container): entry.data for entry in container.entries}
    assert raws(data) == written
    header = header_of(data)
    assert (header.version, header.dummy is None) == (container.version, container.version != LEGACY)
    assert [entry.raw_name for entry in header.entries] == [entry.name for entry in container.entries]
    assert_tiled(read(data), sum(map(len, written.values())))


@pytest.mark.slow
@examples(20)
@given(worlds())
def test_saves_come_back(world):
    container, parts = world
    data = container.encode()
    assert sections(built(data)) == {name: part.whole() for name, part in parts.items()}
    assert_tiled(read(data), sum(len(entry.data) for entry in container.entries))


# --- damage ---


def flip_data(draw: st.DrawFn, container: Container) -> tuple[bytes, int]:
    """A container with one byte of its data changed, and which entry that is of; -1: of none."""
    data = container.encode()
    size = int.from_bytes(data[:4], "little")
    assume(size)
    at = draw(st.integers(4, 3 + size))
    touched = [
        entry.index for entry in header_of(data).entries if any(start <= at < start + length for start, length in entry.chunks)
    ]
    return flipped(data, at, draw(st.integers(1, 255))), touched[0] if touched else -1


@examples(80)
@given(containers(blobs()), st.data())
def test_a_byte_of_an_entry_costs_that_entry(container, data):
    """Only what is deflated has a checksum: what is stored or imploded may be other bytes now, or more, or fewer."""
    bad, touched = flip_data(data.draw, container)
    seen = survived(bad)
    left = raws(bad, on_damage="resync")
    assert [event.instance_name for event in seen if isinstance(event, ObjectHeader)] == list(left)
    for index, entry in enumerate(container.entries):
        name = name_of(entry, container)
        if index != touched:
            assert left[name] == entry.data
        elif entry.codec == DEFLATED:
            assert left[name] in {LOST, entry.data}
    assert {name for _, name in losses(seen)} <= {name_of(container.entries[touched], container)}
    assert touched >= 0 or not losses(seen)


@pytest.mark.slow
@examples(20)
@given(worlds(), st.data())
def test_a_byte_of_an_entry_costs_its_values(world, data):
    container, parts = world
    bad, touched = flip_data(data.draw, container)
    name = name_of(container.entries[touched], container)
    left = sections({key: value for key, value in built(bad, on_damage="resync").items() if touched < 0 or key != name})
    assert left == {key: part.whole() for key, part in parts.items() if touched < 0 or key != name}


@pytest.mark.slow
@examples(60)
@given(containers(blobs()), st.data())
def test_what_is_before_a_damaged_row_is_left_or_all_is_refused(container, data):
    """Nothing checks the table but its own sense: a row may be of another name now, and take others' bytes."""
    whole = container.encode()
    at = 4 + int.from_bytes(whole[:4], "little") + 8
    end = len(whole) - len(container.stale)
    assume(at < end)
    place = data.draw(st.integers(at, end - 1))
    bad = flipped(whole, place, data.draw(st.integers(1, 255)))
    at += len(container.dummy_name) + 1 + 12 + 8 if container.version == LEGACY else 0
    before = 0
    for entry, row in zip(container.entries, header_of(whole).entries, strict=True):
        at += len(entry.name) + 1 + 12 + 8 * len(row.chunks)
        before += at <= place
    try:
        survived(bad)
    except SaveError:
        return
    found = {event.index: event for event in header_of(bad).entries}
    left = raws(bad, on_damage="resync")
    names = [entry.name for entry in found.values()]
    for index, entry in enumerate(container.entries[:before]):
        assert found[index].raw_name == entry.name
        if names.count(found[index].name) == 1:
            assert left[found[index].name] == entry.data

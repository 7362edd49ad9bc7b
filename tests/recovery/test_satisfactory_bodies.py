"""Which levels are lost, by what is damaged around them."""

from __future__ import annotations

import pytest
from damage import is_part_of, losses, survived, whole_objects
from satisfactory_layouts import header_of
from saves import deflate, head_and_body, read, without_chunks
from strategies import data_of
from tiling import assert_tiled
from writer.primitives import i32
from writer.satisfactory import Level, Object, World, save_bytes
from writer.tags import INT, Prop

from streamsave import Event, Field, ObjectHeader, StructEnter

VERSIONS = [29, 36, 41, 52, 53]
CELLS = ["Cell_0", "Cell_1", "Cell_2"]


def level_save(version: int) -> bytes:
    data = data_of(version)
    levels = [Level(name, [Object("/Script/Oracle.One", f"In_{name}", [Prop("m", INT, 1)])], version_data=data) for name in CELLS]
    last = [Object("/Script/Oracle.One", "Last", [Prop("m", INT, 1)])]
    return save_bytes(World(header_of(version), levels, last, version_data=data))


def damaged(version: int, at: int, data: bytes) -> tuple[list[str], list[tuple[str, str]]]:
    """Names of the objects that are left with other bytes in one place, and what was lost."""
    save = level_save(version)
    head, body = head_and_body(save)
    seen = survived(deflate(head, body[:at] + data + body[at + len(data) :]))
    assert_tiled(seen, len(body))
    assert is_part_of(whole_objects(seen), whole_objects(without_chunks(read(save))))
    left = [one[0] for one in whole_objects(seen)]
    return [header.instance_name for header in left if isinstance(header, ObjectHeader)], losses(seen)


def event_of(version: int, name: str) -> Event:
    events = read(level_save(version))
    return next(event for event in events if isinstance(event, (Field, StructEnter)) and event.name == name)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_damaged_level_count_costs_nothing_else(version):
    """All levels are found after it."""
    names, lost = damaged(version, event_of(version, "level_count").offset, i32(-1))
    assert names == ["In_Cell_0", "In_Cell_1", "In_Cell_2", "Last"]
    assert lost == [("levels", "")]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("cell", "left"), [(0, ["In_Cell_1", "In_Cell_2", "Last"]), (1, ["In_Cell_0", "In_Cell_2", "Last"])])
def test_a_damaged_name_costs_its_level(version, cell, left):
    names, lost = damaged(version, event_of(version, CELLS[cell]).offset, i32(-(1 << 31)))
    assert names == left
    assert lost in ([("levels", "")], [("level", f"Cell_{cell - 1}")])


@pytest.mark.parametrize("version", VERSIONS)
def test_a_damaged_size_of_the_body_costs_nothing_else(version):
    """The body ends with the chunks."""
    names, lost = damaged(version, 0, b"\xff" * (8 if version >= 41 else 4))
    assert names[-1] == "Last"
    assert lost[0] == ("levels", "")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("least", [0, 2])
def test_bytes_are_missing_before_the_levels(version, least):
    """The first level starts in what would be read as something else: it is given, and nothing else claims its bytes."""
    save = level_save(version)
    head, body = head_and_body(save)
    first = 8 if version >= 41 else 4
    start, end = first + least, event_of(version, "Cell_0").offset
    cut = body[:start] + body[end:]
    for made in (cut, (len(cut) - first).to_bytes(first, "little") + cut[first:]):
        seen = survived(deflate(head, made))
        assert_tiled(seen, len(made))
        names = [one[0].instance_name for one in whole_objects(seen) if isinstance(one[0], ObjectHeader)]
        assert names == ["In_Cell_0", "In_Cell_1", "In_Cell_2", "Last"]

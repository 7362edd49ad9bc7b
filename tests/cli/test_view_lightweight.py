"""The commands on lightweight buildables: foundations and beams are objects like all others."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from cli_runs import json_lines, run
from lightweight_worlds import BEAM, FOUNDATION, SUBSYSTEM, place, world
from pictures import parts as parts_of_saves

from streamsave import open as open_save
from streamsave.cli.map import Places, places_of
from streamsave.cli.save import Save


@pytest.fixture
def save(tmp_path: Path) -> Path:
    path = tmp_path / "world.sav"
    path.write_bytes(world(58))
    return path


def test_map(save):
    places = Places()
    with open_save(save) as events:
        for one in places_of(None, Save(str(save), None, events)):
            places.add(one)
    xs, ys, _ = places.held[BEAM]
    assert list(xs) == [pytest.approx(place(at)[4] / 100) for at in (4, 5, 6)]
    assert places.counts[FOUNDATION] == 4
    assert list(ys) == [pytest.approx(-4.005)] * 3


def test_treemap(save):
    sizes = {row["class_name"]: 0 for row in json_lines("ls", save)}
    for row in json_lines("ls", save):
        sizes[row["class_name"]] += row["size"]
    parts = {part.name: part for part in parts_of_saves(save)}
    assert parts["Build_Beam_C"].size == sizes[BEAM]
    assert {"swatch", "translation", "type_specific_data"} <= {part.name for part in parts["Build_Beam_C"].parts}
    own = sizes[SUBSYSTEM] - sizes[BEAM] - sizes[FOUNDATION]
    assert parts["FGLightweightBuildableSubsystem"].size == own > 0
    with open_save(save) as events:
        assert sum(part.size for part in parts.values()) == list(events)[-1].offset


def test_check_and_json(save):
    assert run("check", save).exit_code in {0, 1}
    assert "tiling" not in run("check", save).output
    objects = [orjson.loads(line) for line in run("json", "--ndjson", save).stdout.splitlines()]
    (one,) = [each for each in objects if each.get("class_name") == SUBSYSTEM]
    assert [len(row["instances"]) for row in one["trailer"]["buildables"]] == [4, 0, 3]

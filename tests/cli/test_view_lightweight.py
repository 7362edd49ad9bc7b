"""The commands on lightweight buildables: foundations and beams are objects like all others."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from cli_runs import json_lines, lines, run
from lightweight_worlds import BEAM, FOUNDATION, NAMES, OWNER, SUBSYSTEM, place, world
from pictures import parts as parts_of_saves

from streamsave import open as open_save
from streamsave.cli.map import Places, PlacesOf
from streamsave.cli.save import Save


@pytest.fixture
def save(tmp_path: Path) -> Path:
    path = tmp_path / "world.sav"
    path.write_bytes(world(58))
    return path


def test_ls(save):
    rows = json_lines("ls", "--where", "kind = lightweight", save)
    assert [row["instance_name"] for row in rows] == [f"{OWNER}.{name}" for name in NAMES]
    assert [row["position_metres"] for row in rows] == [[8.0 * at, -4.005, 1.0] for at in range(7)]
    assert len(lines("ls", save)) == 3 + 7
    sizes = sum(row["size"] for row in rows if row["class_name"] == BEAM)
    assert ["Build_Beam_C", "3", str(sizes)] in lines("ls", "--by-class", save)
    assert ["Build_Foundation_8x1_01_C", "4"] in [row[:2] for row in lines("ls", "--by-class", save)]


def test_levels_count_bytes_once(save):
    rows = json_lines("ls", save)
    outer = sum(row["size"] for row in rows if row["kind"] == "actor")
    assert lines("ls", "--levels", save) == [["Persistent_Level", "10", str(outer)]]
    inner = sum(row["size"] for row in rows if row["kind"] == "lightweight")
    assert lines("ls", "--levels", "--where", "kind = lightweight", save) == [["Persistent_Level", "7", str(inner)]]


def test_map(save):
    places = Places()
    with open_save(save) as events:
        for one in PlacesOf(None)(Save(str(save), None, events)):
            places.add(one)
    xs, ys = places.held[BEAM]
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


def test_grep(save):
    assert [row[1] for row in lines("grep", "Beam_C_[12]", save)] == [f"{OWNER}.{name}" for name in NAMES[5:]]
    found = lines("grep", "--value", "Swatch_1$", "", save)
    assert found == [[f"{OWNER}.{name}", "swatch", "/Game/Swatch_1"] for name in (NAMES[1], NAMES[5])]


def test_get(save):
    one = orjson.loads(run("get", save, NAMES[6]).stdout)
    assert (one["class_name"], one["kind"], one["outer"]) == (BEAM, "lightweight", OWNER)
    assert one["transform"]["translation"] == place(6)[4:7]
    assert one["type_specific_data"]["value"] == {"BeamLength": 200.0}
    assert run("get", save, NAMES[2], "--property", "swatch").stdout.strip().endswith('"path_name":"/Game/Swatch_2"}')


def test_cat(save):
    text = run("cat", "--object", "Beam_C_1$", save).stdout.splitlines()
    assert text[0].startswith(f"lightweight Build_Beam_C {OWNER}.Build_Beam_C_1 (")
    assert "  translation: Vector = Vector(x=4000.0, y=-400.5, z=100.0)" in text
    assert "    BeamLength: FloatProperty = 100.0" in text
    assert text[-1].startswith("  service_provider: ")
    whole = run("cat", "--object", "Subsystem$", save).stdout.splitlines()
    assert sum("lightweight Build_" in line for line in whole) == 7
    assert whole[0].startswith("actor FGLightweightBuildableSubsystem")


def test_export(save):
    result = run("export", "--where", "kind = lightweight", "--field", "scale.z", "--format", "ndjson", "-o", "-", save)
    rows = [orjson.loads(line) for line in result.stdout.splitlines()]
    assert [(row["class"], row["x"], row["scale.z"]) for row in rows] == [
        (FOUNDATION if at < 4 else BEAM, 800.0 * at, 1.0 + at) for at in range(7)
    ]


def test_check_and_json(save):
    assert run("check", save).exit_code in {0, 1}
    assert "tiling" not in run("check", save).output
    objects = [orjson.loads(line) for line in run("json", "--ndjson", save).stdout.splitlines()]
    (one,) = [each for each in objects if each.get("class_name") == SUBSYSTEM]
    assert [len(row["instances"]) for row in one["trailer"]["buildables"]] == [4, 0, 3]

"""Every command works on an Astroneer save, and shows names where the save has numbers."""

from __future__ import annotations

import orjson
import pytest
from cli_runs import json_lines, lines, process, run
from saves import VALID

SAVE = VALID / "astroneer" / "full.savegame"
LEVEL = "/Game/Maps/Staging_T2"


def test_info():
    rows = dict(row for row in lines("info", SAVE) if len(row) == 2)
    assert (rows["format"], rows["astro save version"], rows["level name"]) == ("astroneer", "41", LEVEL)
    pieces = dict(row for row in lines("info", VALID.parent / "xbox" / "container.1") if len(row) == 2)
    assert pieces["container save"] == "SAMPLE$2020.06.14-17.40.07"


def test_ls():
    assert ["Rover_C", "Rover_C_0", LEVEL] in [row[:3] for row in lines("ls", SAVE)]
    assert lines("ls", "--levels", SAVE)[0][:2] == [LEVEL, "8"]
    assert json_lines("ls", SAVE)[2]["outer"] == "Rover_C_0"


def test_cat_shows_names():
    text = run("cat", SAVE).stdout
    assert "Engine: ObjectProperty = Rover_C_0.Slots" in text
    assert "ItemType: ObjectProperty = /Game/Items/Drill.Drill_C" in text
    assert '"name": "Seat"' in text or "Seat" in text


def test_grep():
    assert lines("grep", "Rover_C_0", SAVE, "--property", "Engine", "--value", "Slots") == [
        ["Rover_C_0", "Engine", "Rover_C_0.Slots"],
    ]


def test_get():
    value = orjson.loads(run("get", SAVE, "TerranVoxels").stdout)
    assert value["voxel_blocks"][0]["key"] == -5
    assert orjson.loads(run("get", SAVE, "Rover_C_0", "--property", "Names").stdout) == ["Left", "Right"]


def test_json():
    value = orjson.loads(run("json", SAVE).stdout)
    assert value["format"] == "astroneer"
    assert "Rover_C_0.Slots" in run("json", SAVE).stdout


def test_stats_and_check():
    assert ["class", "VoxelVolumeComponent"] in [row[:2] for row in lines("stats", SAVE)]
    result = run("check", SAVE)
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, f"{SAVE}: sound, 5 notes")


@pytest.mark.parametrize("command", ["ls", "cat", "json"])
def test_a_pipe_says_the_same(command):
    assert process(command, "-", stdin=SAVE.read_bytes()).stdout == process(command, SAVE).stdout

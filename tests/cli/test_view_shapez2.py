"""The commands on saves and blueprint codes of shapez 2."""

from __future__ import annotations

import json

import pytest
from cli_runs import run
from shapez2_worlds import SAMPLES

SMALL = str(SAMPLES / "small.spz2")
CODE = (SAMPLES / "no-icons.spz2bp").read_text(encoding="ascii")


def rows(*arguments: str) -> list[list[str]]:
    """A command's lines, cut at tabs."""
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return [line.split("\t") for line in result.stdout.splitlines()]


def test_info_of_a_save():
    told = dict(rows("info", SMALL))
    assert (told["name"], told["scenario"], told["seed"]) == ("made up", "default-scenario", "42")
    assert (told["play time"], told["structure count"], told["member count"]) == ("1:02:03", "17", "7")


@pytest.mark.parametrize("code", [CODE, CODE.strip() + "\n", str(SAMPLES / "no-icons.spz2bp")])
def test_info_of_a_code(code):
    told = dict(rows("info", code))
    assert (told["format"], told["envelope"], told["type"]) == ("shapez2-blueprint", "5", "Building")
    assert (told["islands"], told["buildings"]) == ("0", "1")


def test_info_counts_in_json():
    header = json.loads(run("info", "--json", str(SAMPLES / "islands-4.spz2bp")).stdout)["header"]
    assert header["islands"] > 33
    assert header["buildings"] > 95


def test_ls_has_islands_buildings_and_their_states():
    assert rows("ls", SMALL) == [
        ["Foundation_1x1", "(0, 0, 0)", "East", "94"],
        ["BeltDefaultForwardInternalVariant", "(0, 0, 0):(8, 9, 0)", "North", "0"],
        ["LabelDefaultInternalVariant", "(0, 0, 0):(2, 2, 1)", "East", "16"],
        ["BeltDefaultForwardInternalVariant", "(0, 0, 0):(8, 9, 0)", "North", "0"],
        ["Rail_Forward", "(1, -1, 0)", "West", "50"],
        ["Foundation_1x1", "island state:(0, 0, 0)", "East", "16"],
        ["BeltDefaultForwardInternalVariant", "building state:(8, 9, 0)", "East", "44"],
    ]


def test_ls_json_has_places_in_tiles():
    label = json.loads(run("ls", "--json", SMALL).stdout.splitlines()[2])
    assert (label["position_tiles"], label["outer"], label["rotation"]) == ([2, 2, 1], "(0, 0, 0)", "East")


def test_ls_of_several_has_the_file_first():
    assert {row[0] for row in rows("ls", SMALL, CODE)} == {SMALL, f"{CODE[:24]}..."}


def test_ls_by_class_counts_buildings():
    assert {row[0]: row[1] for row in rows("ls", "--by-class", SMALL)}["BeltDefaultForwardInternalVariant"] == "3"


def test_grep_looks_into_islands():
    assert rows("grep", "Label", SMALL) == [["LabelDefaultInternalVariant", "(0, 0, 0):(2, 2, 1)"]]
    assert rows("grep", "--value", "^Hi$", "Default", SMALL) == [["(0, 0, 0):(2, 2, 1)", "configuration/value", "Hi"]]


#: What is in the save: an island with three buildings, a rail, and their states.
FOUNDATION, BELT, LABEL = "(0, 0, 0)", "(0, 0, 0):(8, 9, 0)", "(0, 0, 0):(2, 2, 1)"
RAIL, STATES = "(1, -1, 0)", ["island state:(0, 0, 0)", "building state:(8, 9, 0)"]


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        # An island whose name does not match comes, and the buildings on it are looked into all the same.
        (["-v", "Label", "--value", "^Hi$"], [FOUNDATION, BELT, BELT, RAIL, *STATES]),
        (["-v", "Belt", "--value", "."], [FOUNDATION, BELT, LABEL, BELT, RAIL, STATES[0]]),
        # One whose name matches is looked into itself, without the buildings on it, and comes after them.
        (["-v", "", "--value", "^no such text$"], [BELT, LABEL, BELT, FOUNDATION, RAIL, *STATES]),
        (["-v", "", "--value", "^Hi$"], [BELT, BELT, FOUNDATION, RAIL, *STATES]),
        (["-v", "", "--property", "building_count"], [BELT, LABEL, BELT, *STATES]),
        # An island that is not wanted itself.
        (["-v", "", "--value", "^Hi$", "--where", "kind = building"], [BELT, BELT]),
        (["-v", "Label", "--value", "^Hi$", "--where", "kind = building"], [BELT, BELT]),
        (["-v", "Label", "--property", "value", "--where", "kind = island"], [FOUNDATION, RAIL]),
        (["-v", "Label"], [FOUNDATION, BELT, BELT, RAIL, *STATES]),
    ],
)
def test_grep_for_what_does_not_match_looks_at_islands_and_at_buildings(arguments, names):
    assert [row[1] for row in rows("grep", *arguments, SMALL)] == names
    assert rows("grep", "-c", *arguments, SMALL) == [[str(len(names))]]


def test_grep_finds_the_values_of_a_building_in_the_building():
    """Also those of the first building, and those of the island after its buildings."""
    code = str(SAMPLES / "islands-4.spz2bp")
    island, building = "(-50, 50, 1)", "(-50, 50, 1):(-20, -20, 0)"
    arguments = ("--value", ".", "", code, "--where", 'name = "(-50, 50, 1)*"')
    found = rows("grep", *arguments)
    assert [building, "T", "BeltDefaultForwardInternalVariant"] in found
    assert [island, "B/BinaryVersion", "1137"] in found
    assert {path.split("/")[0] for name, path, _ in found if name != island} <= {
        *"XYLRTC",
        '"configuration of unknown id FutureInternalVariant"',
    }
    assert rows("grep", "-c", *arguments) == [[str(len({name for name, _, _ in found}))]]


def test_get_finds_buildings():
    built = json.loads(run("get", SMALL, "(2, 2, 1)").stdout)
    assert (built["class_name"], built["configuration"]) == ("LabelDefaultInternalVariant", {"value": "Hi"})


def test_cat_names_members():
    text = run("cat", SMALL).stdout
    assert "\nmaps/main/islands/0.bin: Islands\n" in text
    assert "checkpoint buildings 0xa4496d7c" in text


@pytest.mark.parametrize("command", [["info"], ["ls"], ["cat"], ["stats"], ["check"], ["grep", "x"]])
@pytest.mark.parametrize("name", ["checkpoints.spz2", "islands-5.spz2bp", "old.spz2"])
def test_every_command_reads_every_sample(command, name):
    assert run(*command, str(SAMPLES / name)).exit_code in {0, 1}


def test_a_broken_code_is_reported():
    result = run("info", "SHAPEZ2-4-AAAA$")
    assert result.exit_code == 2
    assert "length of base64" in result.stderr

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


def test_ls_has_islands_and_buildings_but_no_states():
    assert rows("ls", SMALL) == [
        ["Foundation_1x1", "(0, 0, 0)", "East", "94"],
        ["BeltDefaultForwardInternalVariant", "(0, 0, 0):(8, 9, 0)", "North", "0"],
        ["LabelDefaultInternalVariant", "(0, 0, 0):(2, 2, 1)", "East", "16"],
        ["BeltDefaultForwardInternalVariant", "(0, 0, 0):(8, 9, 0)", "North", "0"],
        ["Rail_Forward", "(1, -1, 0)", "West", "50"],
    ]


def test_ls_json_tells_places_in_tiles():
    label = json.loads(run("ls", "--json", SMALL).stdout.splitlines()[2])
    assert (label["position_tiles"], label["outer"], label["rotation"]) == ([2, 2, 1], "(0, 0, 0)", "East")


def test_ls_of_several_has_the_file_in_front():
    assert {row[0] for row in rows("ls", SMALL, CODE)} == {SMALL, f"{CODE[:24]}..."}


def test_ls_by_class_counts_buildings():
    assert {row[0]: row[1] for row in rows("ls", "--by-class", SMALL)}["BeltDefaultForwardInternalVariant"] == "2"


def test_grep_looks_into_islands():
    assert rows("grep", "Label", SMALL) == [["LabelDefaultInternalVariant", "(0, 0, 0):(2, 2, 1)"]]
    assert rows("grep", "--value", "^Hi$", "Default", SMALL) == [["(0, 0, 0):(2, 2, 1)", "configuration/value", "Hi"]]


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

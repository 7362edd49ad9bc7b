"""What the commands say of Arx saves."""

from __future__ import annotations

import orjson
import pytest
from cli_runs import json_lines, lines, process, run, terminal
from saves import ROOT
from writer.arx_samples import inner_files

ARX = ROOT / "corpora" / "valid" / "arx"
OLD, NEW, DUPLICATES = (ARX / f"{name}.sav" for name in ("v1.1", "v2.1", "v2.1-duplicates"))


@pytest.mark.slow
def test_info():
    said = dict(lines("info", NEW))
    assert said["format"] == "arx"
    assert said["container version"] == "0x00020001"
    assert said["name"] == "Fort\\x80"
    assert (said["level"], said["play time"], said["struct version"]) == ("1", "1:02:03", "1.005")
    assert said["entries"].startswith("12 (")
    assert said["unused"] == "116 B"
    assert dict(lines("info", DUPLICATES))["duplicates"] == "note"
    (line,) = json_lines("info", OLD)
    assert (line["header"]["name"], line["header"]["play_duration"]) == ("Fort\x80", 3723)
    assert "entries" in terminal("info", OLD)[1]
    assert process("info", "-", stdin=NEW.read_bytes()).stdout.decode().splitlines()[1:] == [
        "\t".join(row) for row in lines("info", NEW)[2:]
    ]


def test_info_without_a_level(tmp_path):
    from writer.arx import NO_EXTENSION, STORED, Container, Entry

    for entries in ([], [Entry(b"pld", b"short", STORED)]):
        (tmp_path / "x.sav").write_bytes(Container(NO_EXTENSION, entries).encode())
        assert "name" not in dict(lines("info", tmp_path / "x.sav"))
        json_lines("info", tmp_path / "x.sav")


def test_ls():
    rows = {row[1]: row for row in lines("ls", NEW)}
    assert rows["pld"][:3] == ["pld", "pld", "396"]
    assert rows["pld"][4:] == ["deflate", "1"]
    assert rows["player"][2] == "?"
    assert rows["player"][4:] == ["implode", "2"]
    assert [row[2] for row in lines("ls", OLD)] == ["?"] * len(inner_files())
    found = {line["instance_name"]: line for line in json_lines("ls", NEW)}
    assert (found["player"]["size"], found["pld"]["size"], len(found["player"]["chunks"])) == (None, 396, 2)
    assert "implode" in terminal("ls", NEW)[1]
    assert lines("ls", OLD, NEW)[0][0] == str(OLD)
    assert ["entity"] not in lines("ls", "--by-class", NEW)
    assert ["bread", "1", "0"] in lines("ls", "--by-class", OLD)


def test_cat():
    text = run("cat", OLD).stdout.splitlines()
    assert text[0] == "arx save, version 65537"
    assert text[1] == "pld (size unknown)"
    assert "  variables: Variable[] [4 elements]" in text
    assert any(line.strip().startswith("#quest: Variable = ") for line in text)
    sparse = run("cat", "--sparse", OLD).stdout.splitlines()
    assert len(sparse) < len(text) / 2
    assert any(line.strip().startswith("zeros: zeros = ") for line in sparse)
    for line in json_lines("cat", NEW, "--chunks"):
        assert line["event"]


def test_grep():
    assert lines("grep", ".", OLD, "--property", "value", "--value", "^42$") == [["globals", "variables[1]/value", "42"]]
    found = lines("grep", "goblin", NEW, "--value", "^bread_0001$")
    assert found == [["goblin_base_0007", "inventory/slot_io[1][1]", "bread_0001"]]
    assert {row[1] for row in lines("grep", "_0001$", OLD)} == {"bread_0001", "camera_0001", "marker_0001"}


def test_get():
    (value,) = json_lines("get", OLD, "goblin_base_0007", "--property", "timers")
    assert [timer["name"] for timer in value] == ["sleep", "wake"]
    (value,) = json_lines("get", OLD, "goblin_base_0007")
    assert value["npc"]["life"] == 17.5
    (value,) = json_lines("get", NEW, "torch_0009", "--sparse")
    assert value["stub"]["show"] == 255
    assert "anims" in value["stub"]["zeros#3"]
    assert run("get", OLD, "goblin_base_0007", "--property", "none").exit_code == 1


def test_an_inventory_is_a_list_of_items_in_a_terminal():
    """A grid of 20 x 20 cells in the save, of which an item takes one or more."""
    code, text = terminal("get", OLD, "goblin_base_0007", NO_COLOR="1")
    assert code == 0
    shown = orjson.loads(text)["inventory"]
    (whole,) = json_lines("get", OLD, "goblin_base_0007")
    cells = [name for column in whole["inventory"]["slot_io"] for name in column]
    assert shown["slot_io"] == sorted({name for name in cells if name}) == ["bread_0001"]
    assert "slot_show" not in shown
    assert len(cells) == 400
    assert {
        name: value for name, value in whole["inventory"].items() if name in {"io", "sizex", "sizey"}
    }.items() <= shown.items()


@pytest.mark.parametrize("options", [(), ("--sparse",)])
def test_json_is_what_get_gives(options):
    document = orjson.loads(run("json", *options, NEW).stdout)
    assert [entry["instance_name"] for entry in document["objects"]] == [*inner_files(), "empty"]
    for entry in document["objects"]:
        assert json_lines("get", *options, NEW, entry["instance_name"]) == [entry]


@pytest.mark.parametrize("path", [OLD, NEW], ids=lambda path: path.stem)
def test_stats(path):
    sizes = {row[1]: int(row[3]) for row in lines("stats", "-n", "0", path) if row[0] == "class"}
    assert sizes["goblin_base"] == len(inner_files()["goblin_base_0007"])
    assert sizes["player"] == len(inner_files()["player"])

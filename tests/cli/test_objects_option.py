"""`--objects`: which elements are objects, from the user."""

from __future__ import annotations

import orjson
import pytest
from cli_runs import json_lines, lines, run, small_world
from gvas_saves import save
from writer.palworld_worlds import array
from writer.tags import INT, STR, Prop

from streamsave.cli.options import current_objects

NAMES = ["Door", "Wall"]


@pytest.fixture
def path(tmp_path):
    """A save with two things."""
    target = tmp_path / "things.sav"
    things = array("Things", [[Prop("Name", STR, name), Prop("Amount", INT, at)] for at, name in enumerate(NAMES)])
    target.write_bytes(save(Prop("Other", INT, 5), things))
    return target


ROW = "Things[*] kind=thing name=Name"


def test_ls(path):
    assert [row[:2] for row in lines("ls", path)] == [["Save", ""]]
    assert [row[:3] for row in lines("ls", path, "--objects", ROW)] == [["thing", name, "Things"] for name in NAMES]
    assert [row[1] for row in lines("ls", path, "--objects", ROW, "--where", "Amount = 1")] == ["Wall"]


#: After the last property, and no data of its content.
END = b"\5\0\0\0None\0" + bytes(4)


def test_the_one_object_has_its_true_size(path):
    data = path.read_bytes()
    (row,) = lines("ls", path)
    (header,) = json_lines("ls", path)
    assert int(row[3]) == header["size"] == len(data) - len(data.split(b"\6\0\0\0Other\0")[0]) - len(END)


def test_ls_of_a_cut_save_says_what_there_is(path):
    path.write_bytes(path.read_bytes()[:-40])
    result = run("ls", path)
    assert (result.exit_code, result.stdout.split("\t")[3]) == (2, "-1")


def test_containers(path):
    ((name, *numbers),) = lines("ls", "--containers", path)
    assert (name, numbers[:2]) == ("Things[*]", ["1", "2"])
    assert json_lines("ls", "--containers", path)[0] | {"size": 0} == {
        "file": str(path),
        "path": "Things[*]",
        "containers": 1,
        "elements": 2,
        "size": 0,
    }
    assert run("ls", "--containers", "--levels", path).exit_code == 2


def test_other_commands(path):
    rows = [orjson.loads(line) for line in run("json", "--ndjson", path, "--objects", ROW).stdout.splitlines()]
    assert [row.get("instance_name") for row in rows] == [None, None, *NAMES]
    assert rows[1] == {"path": ["Other"], "Other": 5}
    assert run("get", path, "Wall", "--property", "Amount", "--objects", ROW).stdout == "1\n"
    assert lines("grep", "", path, "--value", "Wall", "--objects", ROW) == [["Wall", "Name", "Wall"]]
    exported = run("export", path, "-o", "-", "--format", "ndjson", "--field", "Amount", "--objects", ROW).stdout.splitlines()
    assert [orjson.loads(line)["Amount"] for line in exported] == [0, 1]


def test_a_whole_document_has_values_as_they_are_built(path):
    plain = orjson.loads(run("json", path).stdout)
    assert plain["objects"][0]["properties"]["Things"][1] == {"Name": "Wall", "Amount": 1}
    chosen = orjson.loads(run("json", path, "--objects", ROW).stdout)
    assert [each["instance_name"] for each in chosen["/Script/Game.Save"]["Things"]] == NAMES


def test_a_path_that_is_not_there(path):
    result = run("ls", path, "--objects", "Nothing[*]")
    assert result.exit_code == 2
    assert "no container is at Nothing[*] (expected one of Things[*]" in result.stderr


def test_a_path_with_a_fault():
    result = run("ls", "x.sav", "--objects", "Things")
    assert result.exit_code == 2
    assert "ends in [*]" in result.stderr


def test_other_formats_take_none(tmp_path):
    result = run("ls", small_world(tmp_path), "--objects", ROW)
    assert (result.exit_code, "takes no --objects" in result.stderr) == (2, True)


def test_outside_of_a_command_there_are_none():
    assert current_objects() is None

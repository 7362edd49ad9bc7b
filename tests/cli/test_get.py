"""`streamsave get`."""

from __future__ import annotations

import re

import orjson
import pytest
from cli_runs import LEVEL, SAMPLES, run, small_world, terminal, thing, write

from streamsave.cli.get import is_short_for


def get(*args):
    result = run("get", *args)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.count("\n") == 1
    return orjson.loads(result.stdout)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return small_world(tmp_path_factory.mktemp("get"))


@pytest.mark.parametrize("name", [LEVEL + "BP_Chest_C_1", "BP_Chest_C_1", "PersistentLevel.BP_Chest_C_1"])
def test_object(small, name):
    chest = get(small, name)
    assert chest["instance_name"] == LEVEL + "BP_Chest_C_1"
    assert chest["kind"] == "actor"
    assert chest["transform"]["translation"] == [100.0, -250.0, 1.0]
    assert chest["properties"] == {
        "mLabel": "iron, mostly",
        "mStatic": 10,
        "mStatic[1]": 11,
        "mOwner": {"level_name": "Persistent_Level", "path_name": LEVEL + "BP_Lamp_C_7"},
        "mStacks": [{"Name": "iron", "Count": 5}, {"Name": "gold", "Count": 6}],
        "mPoint": {"x": 1.0, "y": 2.0, "z": 0.5},
        "mMap": [[3, {"Level": 1.5}]],
    }


def test_property(small):
    assert get(small, "BP_Chest_C_1", "--property", "mStacks")[1] == {"Name": "gold", "Count": 6}
    assert get(small, "BP_Chest_C_1", "--property", "mStatic[1]") == 11
    assert get(small, LEVEL + "BP_Lamp_C_7", "--property", "mIsOn") is True


def test_no_such_property(small):
    result = run("get", small, "Part", "--property", "mIsOn")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "has no property mIsOn" in result.stderr


@pytest.mark.parametrize("name", ["Nothing", "hest_C_1", "BP_Chest_C", "BP_Chest_C_1.", "_1"])
def test_not_found(small, name):
    result = run("get", small, name)
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"no object is called {name}" in result.stderr


def test_several_match(tmp_path):
    path = write(tmp_path, "twins.sav", thing("A.Inventory"), thing("B.Inventory"), thing("C"))
    result = run("get", path, "Inventory")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "2 objects have a name that ends in Inventory" in result.stderr
    assert LEVEL + "A.Inventory" in result.stderr
    assert LEVEL + "B.Inventory" in result.stderr
    assert get(path, "A.Inventory")["instance_name"] == LEVEL + "A.Inventory"


def test_many_match(tmp_path):
    path = write(tmp_path, "many.sav", *(thing(f"{number}.Inventory") for number in range(30)))
    result = run("get", path, "Inventory")
    assert "30 objects" in result.stderr
    assert "and 10 more" in result.stderr
    assert len(result.stderr.splitlines()) == 22


def test_the_full_name_wins_over_ends(tmp_path):
    path = write(tmp_path, "nested.sav", thing("Outer." + LEVEL + "A"), thing("A"))
    assert get(path, LEVEL + "A")["instance_name"] == LEVEL + "A"


def test_the_full_name_stops_the_reading(small, tmp_path):
    """What comes after the object is not looked at."""
    broken = tmp_path / "broken.sav"
    broken.write_bytes(small.read_bytes() + b"garbage behind the last chunk")
    assert get(broken, LEVEL + "BP_Bush_C_3")["level"] == "FOREST"
    assert run("get", broken, "BP_Bush_C_3").exit_code == 2


def test_several_files(small):
    result = run("get", small, SAMPLES[0], small, "BP_Lamp_C_7", "--property", "mIsOn")
    assert result.exit_code == 1
    assert [orjson.loads(line) for line in result.stdout.splitlines()] == [{"file": str(small), "value": True}] * 2
    assert result.stderr == f"streamsave: {SAMPLES[0]}: no object is called BP_Lamp_C_7\n"


def test_pretty_on_a_terminal(small):
    code, text = terminal("get", small, "Part")
    assert code == 0
    assert '\n  "kind": "object",\n' in text
    code, text = terminal("get", "--json", small, "Part")
    assert text.count("\n") == 1
    assert orjson.loads(text)["properties"] == {"mCount": 2}


def test_empty_name(small):
    assert run("get", small, "").exit_code == 2


@pytest.mark.parametrize(
    ("name", "instance_name", "expected"),
    [
        ("B", "A.B", True),
        ("B", "A:B", True),
        ("B", "AB", False),
        ("A.B", "A.B", False),
        ("B", "A.BB", False),
        ("A", "A.B", False),
    ],
)
def test_ends_of_names(name, instance_name, expected):
    assert is_short_for(name, instance_name) == expected


@pytest.mark.slow
def test_flat_property_is_not_one_that_starts_alike():
    """The lines of a property are those of the object whose path has its name, whole."""
    save, name = SAMPLES[0].parent / "sv58.sav", "BP_Museum_C_1"
    every = run("get", save, name, "--flat").stdout.splitlines()
    names = [each for each in get(save, name)["properties"] if each.isalnum()]
    assert {"mVector", "mVector2D"} <= set(names)
    for property_name in names:
        found = run("get", save, name, "--flat", "--property", property_name).stdout.splitlines()
        start = f"{LEVEL}{name}/{property_name}"
        paths = [line.partition(" = ")[0].partition("/")[2] for line in every]
        assert found == [
            line for line, path in zip(every, paths, strict=True) if re.fullmatch(f"{re.escape(start)}([/[].*)?", path)
        ]
        assert found

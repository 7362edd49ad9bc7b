"""`streamsave grep`."""

from __future__ import annotations

import re
from random import Random

import pytest
from cli_runs import CLASSES, LEVEL, SAMPLES, STACK, json_lines, lines, run, small_world, thing, write
from saves import VALID
from writer.tags import BYTE, INT, STR, Array, Prop

import streamsave

CHEST = LEVEL + "BP_Chest_C_1"


def codes(*args) -> tuple[int, str]:
    result = run("grep", *args)
    return result.exit_code, result.stdout


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return small_world(tmp_path_factory.mktemp("grep"))


@pytest.fixture(scope="module")
def bad(tmp_path_factory):
    path = tmp_path_factory.mktemp("grep") / "bad.sav"
    path.write_bytes(b"this is no save at all, not even nearly")
    return path


def names(*args) -> list[str]:
    return [row[-1].removeprefix(LEVEL) for row in lines("grep", *args)]


def test_class_or_name(small):
    assert lines("grep", "Lamp", small) == [[f"{CLASSES}BP_Lamp.BP_Lamp_C", LEVEL + "BP_Lamp_C_7"]]
    assert names("Chest", small) == ["BP_Chest_C_1", "BP_Chest_C_1.Part"]
    assert names(r"C_\d$", small) == ["BP_Bush_C_3", "BP_Chest_C_1", "BP_Lamp_C_7"]


def test_ignore_case(small):
    assert codes("lamp", small) == (1, "")
    assert names("-i", "lamp", small) == ["BP_Lamp_C_7"]


def test_invert(small):
    assert names("-v", "Chest", small) == ["BP_Bush_C_3", "BP_Lamp_C_7"]
    assert codes("-v", "", small) == (1, "")
    assert names("-v", "", "--property", "mStatic", small) == ["BP_Bush_C_3", "BP_Lamp_C_7", "BP_Chest_C_1.Part"]


def test_count(small):
    assert lines("grep", "-c", "Chest", small) == [["2"]]
    assert lines("grep", "-c", "Chest", small, small) == [[str(small), "2"]] * 2
    assert codes("-c", "Nothing", small) == (1, "0\n")
    assert lines("grep", "-c", "", "--property", "m*", small) == [["3"]]


def test_file_names(small):
    assert lines("grep", "-l", "Chest", small, SAMPLES[0]) == [[str(small)]]


def test_quiet(small):
    assert codes("-q", "Chest", small) == (0, "")
    assert codes("-q", "Nothing", small) == (1, "")


def test_errors_win_unless_quiet_and_found(small, bad):
    assert run("grep", "Chest", bad, small).exit_code == 2
    assert run("grep", "Nothing", bad, small).exit_code == 2
    assert run("grep", "-q", "Nothing", bad, small).exit_code == 2
    assert run("grep", "-q", "Chest", bad, small).exit_code == 0


def test_quiet_stops_at_the_first_match(small, bad):
    result = run("grep", "-q", "Chest", small, bad)
    assert (result.exit_code, result.stderr) == (0, "")


def test_several_files_have_their_name_first(small):
    assert [row[0] for row in lines("grep", "Lamp", small, small)] == [str(small)] * 2


def test_property(small):
    assert lines("grep", "", "--property", "mStatic", small) == [[CHEST, "mStatic", "10"], [CHEST, "mStatic[1]", "11"]]
    assert lines("grep", "Lamp", "--property", "mIs*", small) == [[LEVEL + "BP_Lamp_C_7", "mIsOn", "true"]]
    assert codes("Lamp", "--property", "mStatic", small) == (1, "")
    assert codes("", "--property", "Static", small) == (1, "")


def test_property_inside_of_a_struct(small):
    assert lines("grep", "", "--property", "Count", small) == [[CHEST, "mStacks[0]/Count", "5"], [CHEST, "mStacks[1]/Count", "6"]]


def test_property_that_is_a_container(small):
    assert lines("grep", "", "--property", "mStacks", small) == [
        [CHEST, "mStacks", '[{Name: "iron", Count: 5}, {Name: "gold", Count: 6}]']
    ]


def test_value(small):
    assert lines("grep", "", "--value", "^iron", small) == [[CHEST, "mLabel", "iron, mostly"], [CHEST, "mStacks[0]/Name", "iron"]]
    assert lines("grep", "", "--value", r"^0\.1$", small) == [[LEVEL + "BP_Lamp_C_7", "mPower", "0.1"]]
    assert lines("grep", "", "--value", "^2.0$", small) == [[CHEST, "mPoint/y", "2.0"]]
    assert lines("grep", "", "--value", r"^1\.5$", small) == [[CHEST, 'mMap["3"]/Level', "1.5"]]
    assert lines("grep", "", "--value", "^3$", small) == [[CHEST, 'mMap["3"]', "3"]]
    assert codes("", "--value", "IRON, M", small) == (1, "")
    assert len(lines("grep", "-i", "", "--value", "IRON, M", small)) == 1


def test_reference_as_value(small):
    assert [CHEST, "mOwner", LEVEL + "BP_Lamp_C_7"] in lines("grep", "", "--value", "Lamp_C_7$", small)


def test_value_in_a_property(small):
    assert lines("grep", "", "--property", "mStacks", "--value", "iron", small) == [[CHEST, "mStacks[0]/Name", "iron"]]
    assert lines("grep", "", "--property", "Name", "--value", "o", small) == [
        [CHEST, "mStacks[0]/Name", "iron"],
        [CHEST, "mStacks[1]/Name", "gold"],
    ]
    assert codes("", "--property", "mLabel", "--value", "gold", small) == (1, "")


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """An array of structs, and one of bytes, that are too large to be built."""
    stacks = [[Prop("Name", STR, f"item {number}"), Prop("Count", INT, number)] for number in range(3000)]
    big = thing(
        "Big", Prop("mStacks", Array(STACK), stacks), Prop("mBytes", Array(BYTE), bytes(300_000)), Prop("mLast", INT, 2999)
    )
    return write(tmp_path_factory.mktemp("grep"), "large.sav", big)


def test_large_values_are_walked(large):
    name = LEVEL + "Big"
    assert lines("grep", "", "--value", "^item 2999$", large) == [[name, "mStacks[2999]/Name", "item 2999"]]
    assert lines("grep", "", "--value", "^2999$", large) == [[name, "mStacks[2999]/Count", "2999"], [name, "mLast", "2999"]]
    assert lines("grep", "", "--value", "^2999$", "--property", "mSt*", large) == [[name, "mStacks[2999]/Count", "2999"]]
    assert lines("grep", "", "--value", "^2999$", "--property", "Count", large) == [[name, "mStacks[2999]/Count", "2999"]]
    assert len(lines("grep", "", "--property", "Count", large)) == 3000


def test_large_values_show_their_size(large):
    (found,) = lines("grep", "", "--property", "mStacks", large)
    assert found[:2] == [LEVEL + "Big", "mStacks"]
    assert found[2].endswith(" bytes)")
    (found,) = json_lines("grep", "", "--property", "mBytes", large)
    assert (found["path"], found["value"], found["size"]) == ("mBytes", None, 300_004)


def test_json(small):
    assert json_lines("grep", "Lamp", small) == [
        {"file": str(small), "class_name": f"{CLASSES}BP_Lamp.BP_Lamp_C", "instance_name": LEVEL + "BP_Lamp_C_7"}
    ]
    (found,) = json_lines("grep", "", "--property", "mStacks", small)
    assert (found["path"], found["value"]) == ("mStacks", [{"Name": "iron", "Count": 5}, {"Name": "gold", "Count": 6}])
    assert json_lines("grep", "-c", "Chest", small) == [{"file": str(small), "count": 2}]
    assert json_lines("grep", "-l", "Chest", small) == [{"file": str(small)}]


@pytest.mark.parametrize("args", [("(",), ("", "--value", "["), ("a{99999999999999}",), ("", "--value", "(" * 5000)])
def test_bad_pattern(small, args):
    result = run("grep", *args, small)
    assert result.exit_code == 2
    assert "is no regular expression" in result.stderr
    assert len(result.stderr) < 600


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_sample(path):
    assert len(lines("grep", "BP_CreatureSpawner_C$", path)) == len(
        [row for row in lines("ls", path) if row[0] == "BP_CreatureSpawner_C"]
    )
    rows = lines("grep", "Spawner", "--property", "NumTimesKilled", path)
    assert [(row[0][-1], row[1], row[2]) for row in rows] == [
        (row[0][-1], "mSpawnData[0]/NumTimesKilled", row[0][-1]) for row in rows
    ]
    assert len(rows) == len(lines("grep", "Spawner", path))


@pytest.mark.parametrize("name", ["satisfactory/sv58.sav", "satisfactory/sv46.sav", "gvas/ue5-1018.sav", "gvas/palworld-1.0.sav"])
def test_a_path_as_commands_print_it(name):
    """The values at a path are those of all values whose path starts so."""
    save = VALID / name
    everything = json_lines("grep", "--json", "--value", "", ".", save)
    for row in Random(name).sample(everything, 25):
        steps = [step.start() for step in re.finditer(r"[/\[]", row["path"]) if row["path"].count('"', 0, step.start()) % 2 == 0]
        for path in {row["path"], row["path"][: steps[-1]] if steps else row["path"]}:
            if not re.search(r'^"|[/\[]', path):  # one name is a pattern
                continue
            expected = [each for each in everything if each["path"] == path or each["path"].startswith((f"{path}/", f"{path}["))]
            assert json_lines("grep", "--json", "--property", path, ".", save) == expected, path


def test_a_path_to_all_elements():
    save = VALID / "satisfactory" / "sv58.sav"
    found = json_lines("grep", "--json", "--property", "mSpawnData[*]/NumTimesKilled", "--value", "^[67]$", ".", save)
    listed = streamsave.objects(save, "mSpawnData[*].NumTimesKilled in (6, 7)")
    assert [row["instance_name"] for row in found] == [each.instance_name for each in listed]
    assert found

"""`cat --flat`: a line for each innermost value."""

from __future__ import annotations

import orjson
import pytest
from cli_runs import LEVEL, ROOT, SAMPLES, lines, run, small_world
from writer.gvas import SaveGame
from writer.tags import INT, Prop

import streamsave
from streamsave.cli.flat import flat_lines, value_lines
from streamsave.events import Field, PropertyTag
from streamsave.values import Guid, ObjectReference, Opaque, Vector

VALID = ROOT / "corpora" / "valid"
SAVES = sorted(path for path in VALID.rglob("*") if path.is_file() and path.suffix not in {".txt", ".md", ".meta"})
CHEST = f"Persistent_Level/{LEVEL}BP_Chest_C_1"

VALUES = [
    (3, ["a = 3"]),
    ('x"y', ['a = "x\\"y"']),
    (None, ["a = null"]),
    ([], ["a = []"]),
    ({}, ["a = {}"]),
    ([1, [True]], ["a[0] = 1", "a[1][0] = true"]),
    ({"b": {"c": 0.5}}, ["a/b/c = 0.5"]),
    ([("k", 1)], ['a[0][0] = "k"', "a[0][1] = 1"]),
    (ObjectReference("L", "L:M.N"), ['a = "L:M.N"']),
    (Vector(1.0, 2.0, 3.0), ["a/x = 1.0", "a/y = 2.0", "a/z = 3.0"]),
    (Guid(bytes(15) + b"\x01"), ['a = "00000000-00000000-00000000-01000000"']),
    (Opaque(b"ab", "why"), ['a/base64 = "YWI="', 'a/reason = "why"']),
    (float("nan"), ['a = "NaN"']),
]


@pytest.mark.parametrize(("value", "expected"), VALUES, ids=repr)
def test_values(value, expected):
    assert list(value_lines(("a",), value)) == expected


def test_a_world(tmp_path):
    path = small_world(tmp_path)
    found = [line for line in run("cat", "--flat", path).stdout.splitlines() if line.startswith(CHEST + "/m")]
    assert found == [
        f'{CHEST}/mLabel = "iron, mostly"',
        f"{CHEST}/mStatic = 10",
        f"{CHEST}/mStatic[1] = 11",
        f'{CHEST}/mOwner = "{LEVEL}BP_Lamp_C_7"',
        f'{CHEST}/mStacks[0]/Name = "iron"',
        f"{CHEST}/mStacks[0]/Count = 5",
        f'{CHEST}/mStacks[1]/Name = "gold"',
        f"{CHEST}/mStacks[1]/Count = 6",
        f"{CHEST}/mPoint/x = 1.0",
        f"{CHEST}/mPoint/y = 2.0",
        f"{CHEST}/mPoint/z = 0.5",
        f"{CHEST}/mMap[0]/key = 3",
        f"{CHEST}/mMap[0]/value/Level = 1.5",
    ]
    assert run("cat", "--flat", path).stdout.startswith("@header/save_header_version = 13\n")
    assert f"{CHEST}/@position[1] = -250.0\n" in run("cat", "--flat", path).stdout


def test_one_object(tmp_path):
    path = small_world(tmp_path)
    found = run("cat", "--flat", "--object", "Lamp", path).stdout.splitlines()
    assert all(line.startswith(f"Persistent_Level/{LEVEL}BP_Lamp_C_7/") for line in found)
    assert f'Persistent_Level/{LEVEL}BP_Lamp_C_7/@class = "/Game/Oracle/BP_Lamp.BP_Lamp_C"' in found
    assert len(found) > 3


def test_of_several_saves(tmp_path):
    path = small_world(tmp_path)
    rows = lines("cat", "--flat", path, SAMPLES[0])
    assert {row[0] for row in rows} == {str(path), str(SAMPLES[0])}
    assert all(len(row) == 2 for row in rows)


def test_get(tmp_path):
    path = small_world(tmp_path)
    name = LEVEL + "BP_Lamp_C_7"
    found = run("get", "--flat", path, "BP_Lamp_C_7").stdout.splitlines()
    assert f"{name}/properties/mIsOn = true" in found
    assert f'{name}/class_name = "/Game/Oracle/BP_Lamp.BP_Lamp_C"' in found
    assert run("get", "--flat", path, "BP_Lamp_C_7", "--property", "mIsOn").stdout == f"{name}/mIsOn = true\n"
    assert lines("get", "--flat", path, path, "BP_Lamp_C_7", "--property", "mIsOn") == [[str(path), f"{name}/mIsOn = true"]] * 2
    assert run("get", "--flat", "--json", path, "BP_Lamp_C_7").exit_code == 2


@pytest.mark.parametrize("option", [["--json"], ["--offsets"], ["--chunks"], ["--depth", "2"]])
def test_options_that_do_not_go_together(option):
    result = run("cat", "--flat", *option, SAMPLES[0])
    assert (result.exit_code, result.stdout) == (2, "")


@pytest.mark.parametrize("path", SAVES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_each_value_has_its_lines(path):
    """Of each leaf of each sample, with its path before it and JSON after it."""
    with streamsave.open(path) as events:
        found = list(flat_lines(events))
    for line in found:
        orjson.loads(line.partition(" = ")[2] if " = " in line else "")
    leaves = 0
    with streamsave.open(path) as events:
        for event in events:
            if isinstance(event, Field) or (isinstance(event, PropertyTag) and events.is_leaf()):
                leaves += len(list(value_lines(events.path, events.build())))
    others = sum("/@class = " in line or "/@position" in line or "/@bytes = " in line or line.startswith("@") for line in found)
    assert len(found) == leaves + others


@pytest.mark.parametrize("name", ["Chapter (Most Recent)", "a[b]", 'a"b', "a\\b c", "it's", "x=y"])
def test_a_name_with_signs_is_printed_as_a_selection_takes_it(name, tmp_path):
    path = tmp_path / "a.sav"
    path.write_bytes(SaveGame([Prop(name, INT, 7)]).encode())
    with streamsave.open(path) as events:
        (line,) = [line for line in flat_lines(events) if line.endswith(" = 7")]
    assert sum(1 for _ in streamsave.objects(path, line)) == 1

"""Values as lines `path = value`."""

from __future__ import annotations

import orjson
import pytest
from cli_runs import ROOT, run

import streamsave
from streamsave.consume.values import Part, Walk, leaves
from streamsave.events import ObjectHeader
from streamsave.output.flat_text import FlatText, flat_lines
from streamsave.values import Guid, ObjectReference, Opaque, Vector

VALID = ROOT / "corpora" / "valid"
SAVES = sorted(path for path in VALID.rglob("*") if path.is_file() and path.suffix not in {".txt", ".md", ".meta"})
VALUES = [
    (3, ["a = 3"]),
    ('x"y', ['a = "x\\"y"']),
    (None, ["a = null"]),
    ([], ["a = []"]),
    ({}, ["a = {}"]),
    ([1, [True]], ["a[0] = 1", "a[1][0] = true"]),
    ({"b": {"c": 0.5}}, ["a/b/c = 0.5"]),
    ([("k", 1)], ['a["k"] = 1']),
    ([(3, {"b": 1}), (True, 2)], ['a["3"]/b = 1', 'a["true"] = 2']),
    ([({"x": 1}, 2)], ["a[0]/key/x = 1", "a[0]/value = 2"]),
    ({"m[1]": 2, "odd name": 3, 'q"': 4, "\x07": 5}, ["a/m[1] = 2", 'a/"odd name" = 3', 'a/"q\\"" = 4', 'a/"\\u0007" = 5']),
    ({"\ud800x": 1}, ['a/"\\ud800x" = 1']),
    ("\ud800", ['a = {"escaped":"\\\\ud800"}']),
    (1 << 70, ['a = "1180591620717411303424"']),
    (ObjectReference("L", "L:M.N"), ['a = "L:M.N"']),
    (Vector(1.0, 2.0, 3.0), ["a/x = 1.0", "a/y = 2.0", "a/z = 3.0"]),
    (Guid(bytes(15) + b"\x01"), ['a = "00000000-00000000-00000000-01000000"']),
    (b"ab", ['a/base64 = "YWI="']),
    (Opaque(b"ab", "why"), ["a/@bytes = 2"]),
    (float("nan"), ['a = "NaN"']),
]


@pytest.mark.parametrize(("value", "expected"), VALUES, ids=repr)
def test_values(value, expected):
    text = FlatText()
    text.add(Part((), ("a",), 0, value))
    assert text.take().decode().splitlines() == expected


def test_slices():
    text = FlatText()
    text.add(Part((), ("a",), 0, [7, 8], 100))
    text.add(Part((), ("a",), 0, [("k", 1)], 102))
    assert text.take() == b'a[100] = 7\na[101] = 8\na["k"] = 1\n'


def test_objects_in_an_entry_of_a_map():
    """The key that leads to them is written as in any other path."""
    place = 'worldSaveData/FoliageGridSaveDataMap[0]/value/ModelMap["tree"]/'
    found = run("cat", "--flat", VALID / "gvas" / "palworld-1.0.sav").stdout.splitlines()
    plants = [line for line in found if "/InstanceDataMap/" in line]
    assert plants
    assert all(line.startswith(f"{place}InstanceDataMap/") for line in plants)


@pytest.mark.parametrize("path", SAVES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_each_leaf_has_a_line(path):
    with streamsave.open(path) as events:
        found = b"".join(flat_lines(events)).decode().splitlines()
    for line in found:
        orjson.loads(line.partition(" = ")[2] if " = " in line else "")
    count = 0
    with streamsave.open(path) as events:
        for step in Walk(events):
            if isinstance(step, Part):
                count += len(leaves(step))
            elif isinstance(step, ObjectHeader):
                count += 1 if step.transform is None else 4
    assert len([line for line in found if not line.startswith("@header/")]) == count

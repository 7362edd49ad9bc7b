"""Rows as text."""

import csv
import io
import math
from types import SimpleNamespace

import orjson
import pytest
import structlog
from cli_runs import ROOT, run

import streamsave
from streamsave.consume.objects import joined
from streamsave.consume.selected_object import SelectedObject
from streamsave.consume.values import Part, Walk, leaves
from streamsave.events import ObjectHeader
from streamsave.output.flat_text import FlatText, flat_lines
from streamsave.output.rows import CsvTable, NdjsonTable, column_names, guarded, header_cells, row_of
from streamsave.values import DateTime, Guid, ObjectReference, Opaque, Vector

FIXED = ["file", "class_name", "instance_name", "level", "x", "y", "z", "size", "offset"]
LAMP = SelectedObject("actor", "Lamp", "Lamp_1", "Level", (1.0, -2.0, 0.5), 30, 20, {"a": 1, "b": None})
PART = SelectedObject("component", "Part", "Part_1", "Level", None, -1, 90, {"b": [1]})


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ((), []),
        (("mOwner", "b.c[*]"), ["mOwner", "b.c[*]"]),
        (("a", "b", "a"), ["a", "b"]),
        (("level", "Level", "misfits"), ["level_", "Level__", "misfits_"]),
        (("a", "A"), ["a", "A_"]),
    ],
)
def test_column_names(fields, expected):
    assert column_names(fields) == FIXED + expected


def test_rows():
    assert row_of("f", LAMP, ["a", "b", "c", "a"]) == ("f", "Lamp", "Lamp_1", "Level", 1.0, -2.0, 0.5, 30, 20, 1, None, None)
    assert row_of("f", PART, ["b"]) == ("f", "Part", "Part_1", "Level", None, None, None, None, 90, [1])


def write(table, *values):
    """The bytes of a table with one field."""
    file = io.BytesIO()
    written = table(file, column_names(["v"]))
    for value in values:
        written.add(row_of("f", SelectedObject("", "C", "N", "", None, 0, 0, {"v": value}), ["v"]))
    written.close()
    assert not file.closed
    return file.getvalue()


CELLS = [
    (None, None, ""),
    (True, True, "true"),
    (5, 5, "5"),
    (0.1, 0.1, "0.1"),
    (math.nan, "NaN", "NaN"),
    (math.inf, "Infinity", "Infinity"),
    ("x", "x", "x"),
    ('a,"b"\nc', 'a,"b"\nc', 'a,"b"\nc'),
    ("\ud800", {"escaped": "\\ud800"}, '{"escaped":"\\\\ud800"}'),
    (Guid(bytes(16)), "00000000-00000000-00000000-00000000", "00000000-00000000-00000000-00000000"),
    (Vector(1.0, 2.0, 3.0), {"x": 1.0, "y": 2.0, "z": 3.0}, '{"x":1.0,"y":2.0,"z":3.0}'),
    ([(1, "a")], [[1, "a"]], '[[1,"a"]]'),
]


@pytest.mark.parametrize(("value", "expected", "_"), CELLS, ids=[str(number) for number in range(len(CELLS))])
def test_ndjson(value, expected, _):
    (line,) = write(NdjsonTable, value).splitlines()
    row = orjson.loads(line)
    assert list(row) == [*FIXED, "v"]
    assert (row["class_name"], row["x"], row["v"]) == ("C", None, expected)


@pytest.mark.parametrize(("value", "_", "expected"), CELLS, ids=[str(number) for number in range(len(CELLS))])
def test_csv(value, _, expected):
    head, row = csv.reader(io.StringIO(write(CsvTable, value).decode("utf-8"), newline=""))
    assert head == [*FIXED, "v"]
    assert row == ["f", "C", "N", "", "", "", "", "0", "0", expected]


def test_a_table_without_rows():
    assert write(NdjsonTable) == b""
    assert write(CsvTable) == b"file,class_name,instance_name,level,x,y,z,size,offset,v\n"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
def test_texts_that_a_spreadsheet_would_run(start):
    for text in (start, f"{start}SUM(A1)", f"{start}cmd|' /C calc'!A0", f"{start}1+1", f"{start}\n1"):
        assert guarded(text) == f"'{text}"
        assert guarded(f"a{text}") == f"a{text}"


@pytest.mark.parametrize("text", ["", "a", "'=1", "-1", "-1.5", "-1e-05", "-1.5E+300", "-Infinity", "1", "[-1]", "\xe4=1", " =1"])
def test_texts_that_a_spreadsheet_shows(text):
    assert guarded(text) == text


def test_csv_changes_texts_only_if_told_so():
    file = io.BytesIO()
    for change in (None, guarded):
        CsvTable(file, ["=a", "b"], change).add(("=1", -1))
    assert file.getvalue() == b"=a,b\n=1,-1\n'=a,b\n'=1,-1\n"


SATURDAY = DateTime(636_881_184_000_000_007)
HEADERS = [
    (
        SimpleNamespace(session_name="S", save_date_time=SATURDAY, play_duration=60, save_name=None),
        ("S", DateTime(SATURDAY.ticks - 7), 60.0, None),
    ),
    (
        SimpleNamespace(savegame_name="G", last_saved="2026-01-01T00:00:00", total_playtime=1.5),
        ("G", DateTime(639_028_224_000_000_000), 1.5, None),
    ),
    (SimpleNamespace(last_saved="2026-01-01T00:00:00.5+02:00"), (None, DateTime(639_028_224_005_000_000), None, None)),
    (SimpleNamespace(last_saved="yesterday", save_name="a"), (None, None, None, "a")),
    (None, (None, None, None, None)),
]


@pytest.mark.parametrize(("header", "expected"), HEADERS)
def test_cells_of_headers(header, expected):
    assert header_cells(header) == expected


def test_skipping():
    def broken():
        yield (1,)
        raise OSError(5, "hung up")

    with structlog.testing.capture_logs() as logs:
        assert list(joined(["a.sav"], [broken()], "skip")) == [(1,)]
    assert [(each["log_level"], each["save"], each["error"]) for each in logs] == [("warning", "a.sav", "[Errno 5] hung up")]
    assert list(joined(["a.sav"], [[(2,)]], "skip")) == [(2,)]


# --- values as lines `path = value` ---

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

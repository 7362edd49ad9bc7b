"""Paths: their grammar, and where each step leads in built values; `cli/printed/where-refused.txt` has what is none."""

import pickle

import pytest

from streamsave import SelectError
from streamsave.decode.leaves import Key
from streamsave.decode.paths import EACH, MISSING, leads_into, parse_path, parse_steps, read_path
from streamsave.output.flat_text import path_text
from streamsave.values import DateTime, DynamicStruct, ObjectReference, Opaque, SoftObjectPath, Vector

IRON = ObjectReference("", "/Game/Iron.Iron_C")

PARSED = [
    ("mOwner", ("mOwner",)),
    (".size", ("size",)),
    ("a-b:c$d#2", ("a-b:c$d#2",)),
    ("mSpawnData[2]/SpawnLocation/x", ("mSpawnData", 2, "SpawnLocation", "x")),
    ('"Volume/Pitch"/x', ("Volume/Pitch", "x")),
    ("größe", ("größe",)),
    ("mSpawnData[0]", ("mSpawnData", 0)),
    ("mSpawnData[ 12 ]", ("mSpawnData", 12)),
    ("mSpawnData[*].Actor.pathName", ("mSpawnData", EACH, "Actor", "pathName")),
    ('mCounts["Iron"].Total', ("mCounts", Key("Iron"), "Total")),
    ("mCounts['Iron']", ("mCounts", Key("Iron"))),
    ('."odd name"[2]', ("odd name", 2)),
    (r'"a\"b\\c\d"', (r'a"b\c\d',)),
    (r"'a\b'", (r"a\b",)),
    (r'"\u0007\n\t\/\u00e9"', ("\a\n\t/é",)),
    (r'"O\u0027Brien \"x\""', ('O\'Brien "x"',)),
    (r'"\ud800x"', ("\ud800x",)),
    (r'"\ud83e\udd95"', ("\U0001f995",)),
    (r'"\u12"', (r"\u12",)),
    ("data/@bytes", ("data", "@bytes")),
    ("@position[2]", ("@position", 2)),
    ("a[*][*]", ("a", EACH, EACH)),
    ("a[999999999]", ("a", 999_999_999)),
]


def test_long_paths():
    assert len(parse_path(".".join("a" * 256)).steps) == 256
    for text in (".".join("a" * 257), ".".join("a" * 100_000), "a" + "[*]" * 5000):
        with pytest.raises(SelectError, match="more than 256 steps"):
            parse_path(text)


@pytest.mark.parametrize(("text", "steps"), PARSED)
def test_parsed(text, steps):
    path = parse_path(text)
    assert (path.steps, path.text, str(path), path.root) == (steps, text, text, steps[0])


def test_a_path_inside_a_text():
    """Two dots end it: they are between the corners of a box."""
    assert read_path("has(a.b) or c", 4)[1] == 7
    assert read_path("a..b", 0)[1] == 1


@pytest.mark.parametrize(
    ("root", "stored"),
    [("mX", {"mX"}), ("mX#2", {"mX#2", "mX"}), ("'mX[1]'", {"mX[1]", "mX"}), ("'mX[1]#2'", {"mX[1]#2", "mX[1]", "mX"})],
)
def test_stored_roots(root, stored):
    """The suffixes that `build` adds are not part of the name in the save; the user's name may look as if it had them."""
    assert parse_path(root).stored_roots() == stored


MEMBERS = {
    "number": 5,
    "text": "x",
    "nothing": None,
    "bytes": b"ab",
    "list": [{"a": 1}, {"b": 2}, {"a": 3}],
    "pair": (1.0, 2.0, 3.0),
    "map": [("Iron", {"Total": 3}), (2, "two"), (IRON, "by reference"), ("Iron", "again")],
    "lists": [("a", [1, 2]), ("b", [3, 4])],
    "range": (5, 9),
    "place": Vector(1.0, 2.0, 3.0),
    "state": DynamicStruct(IRON, {"mCharge": 0.5}),
    "names": ["Iron", IRON],
    "opaque": Opaque(b"abc", "unknown"),
    "moments": [(DateTime(638_000_000_000_000_000), 1)],
    "static": 10,
    "static[2]": 12,
    "static[10]": 20,
    "first[1]": "no element 0",
    "same": 1,
    "same#2": 2,
    "odd name": {"x": 1},
}

FOUND = [
    ("number", 5),
    ("nothing", None),
    ("missing", MISSING),
    ("number.x", MISSING),
    # Whether a property is the first element of a static array, only others after it show.
    ("number[0]", 5),
    ("number[*]", [5]),
    ("number[1]", MISSING),
    ("number[0][0]", MISSING),
    ("text[0]", "x"),
    ("list[1][0]", MISSING),
    ("place[0].x[0]", 1.0),
    ("bytes[1]", 98),
    ("bytes[2]", MISSING),
    ("bytes[*]", [97, 98]),
    ("list[1].b", 2),
    ("list[2]", {"a": 3}),
    ("list[3]", MISSING),
    ("list.a", MISSING),
    ("list[*].a", [1, None, 3]),
    ("list[*].c", [None, None, None]),
    ("pair[2]", 3.0),
    ('map["Iron"].Total', 3),
    ("map['2']", "two"),
    ("map['/Game/Iron.Iron_C']", "by reference"),
    ("map['Gold']", MISSING),
    ("number['a']", MISSING),
    ("map[*].key", ["Iron", 2, IRON, "Iron"]),
    ("map[0].value.Total", 3),
    ("map[0].Total", 3),
    ("lists[*][1]", [2, 4]),
    ("lists[1][0]", 3),
    ("range[1]", 9),
    ("range.value", MISSING),
    ("map[1].other", MISSING),
    ("pair.key", MISSING),
    ("place.x", 1.0),
    ("place.X", 1.0),
    ("place.w", MISSING),
    ("state.value.mCharge", 0.5),
    ("static", 10),
    ("static[0]", 10),
    ("static[1]", MISSING),
    ("static[2]", 12),
    ("static[*]", [10, 12, 20]),
    ("static[10]", 20),
    ("first", MISSING),
    ("first[0]", MISSING),
    ("first[1]", "no element 0"),
    ("'static[2]'", 12),
    ("same", 1),
    ("same#2", 2),
    ('names["Iron"]', "Iron"),
    ('names["/Game/Iron.Iron_C"]', IRON),
    ('names["Gold"]', MISSING),
    ("bytes.base64", "YWI="),
    ("opaque.@bytes", 3),
    ("opaque.base64", "YWJj"),
    ('moments["2022-09-28T22:13:20"]', 1),
    ('moments["2022-09-28 22:13:20"]', 1),
    ("'odd name'.x", 1),
]


@pytest.mark.parametrize(("text", "value"), FOUND)
def test_found(text, value):
    found = parse_path(text).find(MEMBERS)
    assert found is value if value is MISSING else found == value


FOUND_ALL = [
    ("list[*].a", [1, 3]),
    ("map['Iron']", [{"Total": 3}, "again"]),
    ("same", [1, 2]),
    ("static[*]", [10, 12, 20]),
    ("grid[1]", [[5], 2]),
    ("missing", []),
]


@pytest.mark.parametrize(("text", "values"), FOUND_ALL)
def test_found_all(text, values):
    """Each entry with a key, each member of a name that repeats; a place in a static array, or in its first list."""
    assert list(parse_path(text).find_all({**MEMBERS, "grid": [1, 2], "grid[1]": [5]})) == values


A = Key("a", 1, "a")
#: The entry of which A is the key; one whose key has parts, and a text.
ENTRY = Key(None, 1, "a")
SOFT = Key(None, 2, SoftObjectPath("/Game/Iron", "Iron", ""))


@pytest.mark.parametrize(
    ("text", "leaf", "leads"),
    [
        ("mMap", (ENTRY, "key"), True),
        ("mMap", (A,), True),
        ("mMap[*]", (ENTRY, "key"), True),
        ("mMap[*]", (A,), True),
        ("mMap[*].key", (ENTRY, "key"), True),
        ("mMap[1].key", (ENTRY, "key"), True),
        ("mMap[*].key", (A,), False),
        ("mMap[*].value", (ENTRY, "key"), False),
        ("mMap[*].value", (A,), True),
        ('mMap["a"]', (ENTRY, "key"), False),
        ('mMap["a"]', (A,), True),
        ('mMap["b"]', (A,), False),
        ('mMap["a"].key', (ENTRY, "key"), False),
        ('mMap["a"].key', (A,), False),
        ("mMap[*][0]", (A, 0), True),
        ('mMap["a"][0]', (A, 0), True),
        ('mMap["a"].value', (A, "value"), True),
        ("mMap[*].value.value", (A, "value"), True),
        ("mMap[*].x", (A, "x"), True),
        ("mMap[*].x", (SOFT, "value", "x"), True),
        ("mMap[2].x", (SOFT, "value", "x"), True),
        ("mMap[2].x", (SOFT, "key", "x"), False),
        ("mMap['/Game/Iron:Iron'].x", (SOFT, "value", "x"), True),
        ("mMap['/Game/Iron:Iron'].x", (SOFT, "key", "x"), False),
        ("mMap['/Game/Gold:Gold'].x", (SOFT, "value", "x"), False),
        ("mMap[0].x", ("x",), True),
        ("mMap[*].x[0]", ("x",), True),
        ("mMap[1].x", ("x",), False),
        ("mMap[2].value[0]", (SOFT, "value"), False),
        ("mMap[2][0]", (SOFT, "value"), False),
        ("mMap[0]", ("base64",), False),
        # A list of structs.
        ("mMap[2][0].x", (2, "x"), False),
        ("mMap[2].value.x", (2, "value", "x"), True),
        ("mMap[2].x", (2, "value", "x"), False),
        ('mMap[*]["b"].x', (A, Key("b", 0, "b"), "x"), True),
        ('mMap["a"]["b"].x', (A, Key("b", 0, "b"), "x"), True),
        ('mMap[*].value["b"].x', (A, Key("b", 0, "b"), "x"), True),
    ],
)
def test_leads_into(text, leaf, leads):
    """What is printed of a leaf leads there, too."""
    assert leads_into(parse_steps(text), ("mMap", *leaf), 5) is leads
    assert leads_into(parse_steps(path_text(("mMap", *leaf))), ("mMap", *leaf), 5)


def test_a_step_into_a_map_is_pickled_with_its_key():
    """`diff` puts the values of an object that has moved into a database."""
    assert pickle.loads(pickle.dumps(Key(None, 3, {"x": 1}))).key == {"x": 1}  # noqa: S301 - ours

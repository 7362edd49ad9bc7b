"""`PATH = VALUE`."""

import json
from math import inf

import pytest
from gvas_saves import save
from saves import VALID, raises
from writer.tags import CORE, INT, Array, Fields, Native, Prop

import streamsave
from streamsave import PropertyTag, parse_selection
from streamsave.decode.json_values import to_jsonable
from streamsave.errors import EditError, SelectError
from streamsave.rewriting.assignments import converted, parse_assignment
from streamsave.rewriting.editor import Editor
from streamsave.values import DateTime, Guid, ObjectReference, Text, Vector

PLACE = Vector(1.0, 2.0, 3.0)
GUID = Guid(bytes(range(16)))


@pytest.mark.parametrize(
    ("text", "steps", "value"),
    [
        ("mInt = 1", ("mInt",), 1),
        (" mName=some text ", ("mName",), "some text"),
        ('mName = "1"', ("mName",), "1"),
        ("mList[0].x = [1, 2]", ("mList", 0, "x"), [1, 2]),
        ('"odd = name" = true', ("odd = name",), True),
    ],
)
def test_parts(text, steps, value):
    parsed = parse_assignment(text)
    assert (parsed.steps, parsed.value) == (steps, value)


@pytest.mark.parametrize(("text", "position"), [("mInt", 4), ("mInt 1", 4), ("mInt =", 6), ("= 1", 0), ("mInt[ = 1", 5)])
def test_faults(text, position):
    with raises(SelectError, position=position):
        parse_assignment(text)


DEPTH = 200_000  # more than any version of Python reads
LISTS = "[" * DEPTH + "]" * DEPTH


@pytest.mark.parametrize(
    "value", ["\ud800", '"\\udfff"', '["a", "\\ud800b"]', '{"\\ud800": 1}', "caf\udce9", LISTS, '{"a":' * DEPTH]
)
def test_values_that_no_save_can_have(value):
    """Lone surrogates also come from bytes of a command line that are no text; deeper lists than Python reads."""
    with raises(SelectError, match=r"half a character|nested too deep", position=7):
        parse_assignment(f"mInt = {value}")
    assert parse_assignment('mInt = "\\ud83e\\udd95"').value == "\U0001f995"


OLD = Text(0, "base", "old", {"key": "k", "source": "old"})
NEW = Text(0, "base", "new", {"key": "k", "source": "new"})
FITS = [
    ("a = 2", 1, 2),
    ("a = 2", 1.5, 2.0),
    ("a = false", True, False),
    ('a = "Infinity"', inf, inf),
    ("a = null", None, None),
    ("a = {}", {}, {}),
    ("a = b", "a", "b"),
    ("a = Level:Path", ObjectReference("Level", "Old"), ObjectReference("Level", "Level:Path")),
    ("a = /Game/Iron", ObjectReference("", "/Game/Copper"), ObjectReference("", "/Game/Iron")),
    ("a = /Game/Iron", ObjectReference("Level", "Old"), ObjectReference("", "/Game/Iron")),
    ('a = ""', ObjectReference("Level", "Old"), ObjectReference("", "")),
    ('a = {"level_name": "Level", "path_name": "New"}', ObjectReference("", ""), ObjectReference("Level", "New")),
    (f"a = {GUID}", Guid(bytes(16)), GUID),
    ("a = 7", DateTime(1), DateTime(7)),
    ('a = {"y": 5}', PLACE, Vector(1.0, 5.0, 3.0)),
    ("a.Z = 5", PLACE, Vector(1.0, 2.0, 5.0)),
    ("a = [1, 2, 3]", [9], [1, 2, 3]),
    ("a[1] = 7", [1, 2, 3], [1, 7, 3]),
    ("a[*].x = 0", [PLACE, PLACE], [Vector(0.0, 2.0, 3.0)] * 2),
    ('a["k"] = 7', [("k", 1), ("l", 2)], [("k", 7), ("l", 2)]),
    ('a["k"] = m', ["k", "l"], ["m", "l"]),
    ("a[1]/value = 7", [("k", 1), ("l", 2)], [("k", 1), ("l", 7)]),
    ("a[*].x = 7", [("k", {"x": 1}), ({"x": 2}, PLACE)], [("k", {"x": 7}), ({"x": 2}, Vector(7.0, 2.0, 3.0))]),
    ("a.b[0] = 7", {"b": 1}, {"b": 7}),
    ("a.x[*] = 7", PLACE, Vector(7.0, 2.0, 3.0)),
    ("a.digits[1] = 7", {"digits": (1, 324)}, {"digits": (1, 7)}),
    ("a.place = [7, 8]", {"place": (1.5, 2.5)}, {"place": (7.0, 8.0)}),
    ("a[*][0] = 7", [("k", [1, 2])], [("k", [7, 2])]),
    ("a = True", False, True),
    ("a = FALSE", True, False),
    ("a = True", "x", "True"),
    ("a.b = 7", {"b": 1, "c": 2}, {"b": 7, "c": 2}),
    ("a/base64 = bmV3", b"old", b"new"),
    ('a = {"base64": "bmV3"}', b"old", b"new"),
    *((text, OLD, NEW) for text in ("a = new", "a/source = new", 'a = {"source": "new"}')),
    ("a/fields/source = new", OLD, Text(0, "base", "old", NEW.fields)),
    ('a = {"flags": 1, "source": "1"}', Text(0, "number", "1", {}), Text(1, "number", "1", {})),
]


@pytest.mark.parametrize(("text", "old", "new"), FITS)
def test_values_that_fit(text, old, new):
    assignment = parse_assignment(text)
    found, count = assignment.applied(old, assignment.steps[1:])
    assert (found, count > 0) == (new, True)
    assert type(found) is type(new)


MISFITS = [
    ("a = Level:Path", ObjectReference("", ""), "a reference without a level"),
    ("a = 1.5", 1, "another kind"),
    ("a = 1", True, "another kind"),
    ("a = true", 1, "another kind"),
    ("a = 1", "text", "another kind"),
    ("a = 1", [1], "another kind"),
    ('a = ["1"]', [1], "another kind"),
    ("a = [1]", (1, 324), "wrong number of elements"),
    ("a = xyz", GUID, "no GUID"),
    ('a = {"w": 5}', PLACE, "another kind"),
    ("a/base64 = x", b"old", "no Base64"),
    ("a/base64 = 5", b"old", "no such bytes"),
    ("a = new", Text(0, "number", "1", {}), "another kind"),
    ("a/source = new", Text(0, "number", "1", {}), "another kind"),
    ("a = 1", None, "another kind"),
    ("a = NaN", 1.5, "another kind"),
    ("a = -Infinity", 1.5, "another kind"),
    ("a = 1e999", 1.5, "another kind"),
    ("a = -Infinity", inf, "another kind"),
    ("a = nan", inf, "another kind"),
    (f"a = 1{'0' * 400}", 1.5, "out of range"),
    (f"a = 1{'0' * 5000}", 1.5, "another kind"),
    (f"a = {'[' * 200}{']' * 200}", [1], "another kind"),
]


@pytest.mark.parametrize(("text", "old", "message"), MISFITS)
def test_values_that_do_not_fit(text, old, message):
    assignment = parse_assignment(text)
    with pytest.raises(EditError, match=message):
        assignment.applied(old, assignment.steps[1:])


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("a.w = 5", PLACE),
        ("a.w = 5", {"b": 1}),
        ("a[3] = 5", [1]),
        ("a[0] = 5", 1),
        ('a["k"] = 5', [("l", 1)]),
        ("a[*] = 5", []),
        ("a/base65 = 5", b"x"),
    ],
)
def test_a_value_without_such_a_part_stays(text, old):
    assignment = parse_assignment(text)
    assert assignment.applied(old, assignment.steps[1:]) == (old, 0)


@pytest.mark.parametrize(
    ("old", "table", "new"),
    [
        ("a", {"a": "b", "b": "a"}, "b"),
        ("c", {"a": "b"}, "c"),
        (5, {"5": 6}, 6),
        (Guid(bytes(16)), {str(Guid(bytes(16))): str(Guid(bytes([1] * 16)))}, Guid(bytes([1] * 16))),
    ],
)
def test_an_object_says_what_becomes_of_which_value(old, table, new):
    assert parse_assignment(f"a = {json.dumps(table)}").applied(old, ()) == (new, 1)


@pytest.mark.parametrize(("old", "table"), [(5, {"5": "a"}), (True, {"True": False}), (1.5, {"1.5": 2.0})])
def test_what_becomes_of_it_has_to_fit(old, table):
    with pytest.raises(EditError):
        parse_assignment(f"a = {json.dumps(table)}").applied(old, ())


def test_a_place_is_no_property():
    place = parse_assignment(" @position = [1, -2.5, 3]")
    assert (place.member, place.value) == ("transform", [1, -2.5, 3])
    assert place.match(("position",), {}) is None


@pytest.mark.parametrize("value", ["5", "[1, 2]", "[1, 2, 3, 4]", '[1, 2, "3"]', "[1, 2, true]", "{}"])
def test_a_place_has_three_numbers(value):
    with pytest.raises(SelectError, match="x, y, z"):
        parse_assignment(f"@position = {value}")


@pytest.mark.parametrize("ticks", [0, 1, 638_000_000_000_000_000, 638_000_000_001_234_567, 3_155_378_975_999_999_999])
def test_a_moment_as_json_has_it(ticks):
    text = to_jsonable(DateTime(ticks))
    assert converted(DateTime(5), text) == DateTime(ticks)


@pytest.mark.parametrize(
    "text", ["", "2022-09-28", "2022-13-28T22:13:20", "2022-09-28T22:13:20.12345678", "2022-09-28T22:13:20Z"]
)
def test_no_moment(text):
    with pytest.raises(EditError, match="no moment"):
        converted(DateTime(5), text)


PALWORLD = str(VALID / "gvas" / "palworld-1.0.sav")


def edited(path, target, where, sets):
    editor = Editor(path)
    editor.choose([], parse_selection(where))
    return list(editor.edit(target, [parse_assignment(text) for text in sets]))


@pytest.mark.slow
def test_the_end_of_a_path(tmp_path):
    """Where one value of an object has a path that ends so; another way to the same save is the whole path."""
    target, other = tmp_path / "a.sav", tmp_path / "b.sav"
    changes = edited(PALWORLD, target, "class_name = SheepBall", ["Level = 8"])
    assert [(change.path, change.old, change.new) for change in changes] == [("value/RawData/object/SaveParameter/Level", 7, 8)]
    edited(PALWORLD, other, "class_name = SheepBall", ["value.RawData.object.SaveParameter.Level = 8"])
    assert target.read_bytes() == other.read_bytes()


def test_the_end_of_a_path_to_bytes_without_a_layout(tmp_path):
    path, target = tmp_path / "a.sav", tmp_path / "b.sav"
    odd = Prop("Odd", Native("Mystery", CORE, encode=lambda value, _: bytes(value)), b"\xff\xfe\xfd")
    path.write_bytes(save(Prop("Item", Fields("Item"), [Prop("Count", INT, 1), odd])))
    for text in ("Odd/base64 = AQI=", 'Odd = {"base64": "AQI=", "reason": "unknown struct Mystery"}'):
        (change,) = edited(str(path), target, "size > 0", [text])
        assert change.path.startswith("Item/Odd")
        with streamsave.open(target) as events:
            odd = next(events.build() for event in events if isinstance(event, PropertyTag) and event.name == "Odd")
        assert odd.data == b"\1\2"


@pytest.mark.parametrize("count", [2, 10, 11])
def test_an_error_lists_up_to_ten_paths_with_that_end(tmp_path, count):
    path = tmp_path / "a.sav"
    path.write_bytes(save(Prop("Items", Array(Fields("Item")), [[Prop("Count", INT, 1)]] * count)))
    listed = ", ".join([*[f"Items[{number}]/Count" for number in range(count)][:10], *["..."] * (count > 10)])
    with pytest.raises(EditError) as caught:
        edited(str(path), tmp_path / "b.sav", "size > 0", ["Count = 2"])
    assert str(caught.value) == f"several paths end in Count; give one of {listed}"

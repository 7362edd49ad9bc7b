"""Types, structs and hints of a dialect."""

import struct

import pytest
from unreal_walks import dialect, reader_over

from streamsave.decode.codecs import F32, F64
from streamsave.formats.unreal.dialect import Dialect, engine_structs
from streamsave.values import Box, Color, DateTime, Guid, LinearColor, Quat, Rotator, Vector, Vector2D, Vector4


@pytest.mark.parametrize(
    ("name", "size", "found"),
    [
        ("Vector", 12, 12),
        ("Vector", 24, 24),
        ("Vector", 23, None),
        ("Vector", -1, 12),
        ("Color", 4, 4),
        ("Color", 5, None),
        ("Nothing", 4, None),
    ],
)
def test_the_size_chooses_the_struct(name, size, found):
    codec = dialect().struct(name, size)
    assert (None if codec is None else codec.size) == found


@pytest.mark.parametrize(
    ("path", "hints", "path_hints"),
    [
        ("Points", {("Points", "value"): "S", ("Points", "element"): "S"}, []),
        ("Points.Key", {("Points", "key"): "S"}, []),
        (".Points.Key.", {("Points", "key"): "S"}, []),
        ("Points.value", {("Points", "value"): "S"}, []),
        ("Key", {("Key", "value"): "S", ("Key", "element"): "S"}, []),
        ("Outer.Points", {}, [(["Outer", "Points"], "value", "S"), (["Outer", "Points"], "element", "S")]),
        ("Outer.Value.Points.Key", {}, [(["Outer", "Points"], "key", "S")]),
    ],
)
def test_hints(path, hints, path_hints):
    spoken = Dialect()
    spoken.add_hints({path: "S"})
    assert spoken.hints == hints
    assert spoken.path_hints == path_hints


def test_a_hint_of_an_unknown_struct_is_told(caplog):
    dialect().add_hints({"Points": "Vector", "Places.Key": "vector"})
    assert caplog.messages == ["level='warning' event='struct of a type hint is not known' hint='Places.Key=vector'"]


#: Name, layout where `r` is a float or a double, value of the numbers 1, 2, 3, ...
ROWS = [
    ("Color", "4B", Color(1, 2, 3, 4)),
    ("LinearColor", "4f", LinearColor(1.0, 2.0, 3.0, 4.0)),
    ("IntPoint", "2i", {"x": 1, "y": 2}),
    ("IntVector", "3i", {"x": 1, "y": 2, "z": 3}),
    ("IntVector4", "4i", {"x": 1, "y": 2, "z": 3, "w": 4}),
    ("Vector", "3r", Vector(1.0, 2.0, 3.0)),
    ("Vector4", "4r", Vector4(1.0, 2.0, 3.0, 4.0)),
    ("Vector4D", "4r", Vector4(1.0, 2.0, 3.0, 4.0)),
    ("Vector3f", "3f", Vector(1.0, 2.0, 3.0)),
    ("Vector2D", "2r", Vector2D(1.0, 2.0)),
    ("Rotator", "3r", Rotator(1.0, 2.0, 3.0)),
    ("Quat", "4r", Quat(1.0, 2.0, 3.0, 4.0)),
    ("Box", "6rB", Box(Vector(1.0, 2.0, 3.0), Vector(4.0, 5.0, 6.0), 7)),
    ("Box3f", "6fB", Box(Vector(1.0, 2.0, 3.0), Vector(4.0, 5.0, 6.0), 7)),
    ("Guid", "16B", Guid(bytes(range(1, 17)))),
    ("DateTime", "q", DateTime(1)),
]


def test_each_struct_has_a_row():
    assert set(engine_structs(F32)) == {name for name, _, _ in ROWS}


@pytest.mark.parametrize(("real", "letter"), [(F32, "f"), (F64, "d")])
@pytest.mark.parametrize(("name", "layout", "value"), ROWS)
def test_structs(name, layout, value, real, letter):
    layout = "<" + layout.replace("r", letter)
    data = struct.pack(layout, *range(1, len(struct.unpack(layout, bytes(struct.calcsize(layout)))) + 1))
    codec = engine_structs(real)[name]
    assert codec.size == codec.least == len(data)
    reader = reader_over(data)
    assert codec.decode(reader.cursor, reader) == value
    assert reader.cursor.remaining() == 0

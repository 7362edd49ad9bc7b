"""Types, structs and hints of a dialect."""

from __future__ import annotations

import pytest
from unreal_walks import dialect

from streamsave.decode.codecs import I32
from streamsave.formats.unreal.dialect import SCALARS, Dialect


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


def test_types():
    spoken = Dialect()
    assert all(spoken.scalar(name) is codec for name, codec in SCALARS.items())
    assert spoken.scalar("TextProperty") is spoken.types["TextProperty"]
    spoken.types["NewProperty"] = I32
    assert spoken.scalar("NewProperty") is I32
    for name in ("StructProperty", "ArrayProperty", "SetProperty", "MapProperty", "OptionalProperty", "Unknown"):
        assert spoken.scalar(name) is None


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


def test_hints_of_owners():
    spoken = dialect(owner_hints=(("Store", "key", "Vector"), ("Store", "value", "Guid")))
    spoken.owner = "/Game/BigStore_C"
    assert [spoken.owner_hint(role) for role in ("key", "value", "element")] == ["Vector", "Guid", ""]
    spoken.owner = "/Game/Other_C"
    assert spoken.owner_hint("key") == ""

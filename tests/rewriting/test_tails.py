"""Ends of paths in assignments."""

from __future__ import annotations

import pytest
from saves import VALID

from streamsave import EditError, parse_selection
from streamsave.rewriting.assignments import parse_assignment
from streamsave.rewriting.editor import Editor

PALWORLD = str(VALID / "gvas" / "palworld-1.0.sav")
SPAWNERS = str(VALID / "satisfactory" / "sv58.sav")


def edited(path, target, where, sets):
    """The changes that assignments make."""
    editor = Editor(path)
    editor.choose([], parse_selection(where))
    return list(editor.edit(target, [parse_assignment(text) for text in sets]))


@pytest.mark.slow
def test_the_end_of_a_path(tmp_path):
    """Where one value of an object has a path that ends so; another way to the same save is the whole path."""
    target, other = tmp_path / "a.sav", tmp_path / "b.sav"
    changes = edited(PALWORLD, target, "class = SheepBall", ["Level = 8"])
    assert [(change.path, change.old, change.new) for change in changes] == [("value/RawData/object/SaveParameter/Level", 7, 8)]
    edited(PALWORLD, other, "class = SheepBall", ["value.RawData.object.SaveParameter.Level = 8"])
    assert target.read_bytes() == other.read_bytes()


def test_an_end_of_several_paths(tmp_path):
    listed = ", ".join(f"Model/RawData/initial_transform_cache/{name}/x" for name in ("rotation", "translation", "scale_3d"))
    with pytest.raises(EditError, match=f"^several paths end in x; give one of {listed}$"):
        edited(PALWORLD, tmp_path / "a.sav", "class = WoodWall", ["x = 8"])
    assert list(tmp_path.iterdir()) == []


def test_a_member_is_no_end():
    """A path that starts with a member of the object is whole."""
    where = "name ~ EnemySpawner6$"
    changes = edited(SPAWNERS, None, where, ["NumTimesKilled = 3"])
    assert [change.path for change in changes] == ["mSpawnData[0]/NumTimesKilled"]
    changes = edited(SPAWNERS, None, where, ["mSpawnData[*].NumTimesKilled = 3"])
    assert [change.path for change in changes] == ["mSpawnData[*].NumTimesKilled"]

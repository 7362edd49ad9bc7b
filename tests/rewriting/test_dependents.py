"""What goes with dropped objects."""

from __future__ import annotations

import pytest
from factories import factory, path

import streamsave
from streamsave import ObjectHeader, parse_selection
from streamsave.rewriting.editor import Editor


def names(data):
    with streamsave.open(data) as events:
        return [event.instance_name for event in events if isinstance(event, ObjectHeader)]


def dropped(tmp_path, drop, **options):
    """The names that a new save lacks, without what is the same in all of them."""
    source = tmp_path / "old.sav"
    source.write_bytes(factory())
    editor = Editor(str(source))
    editor.choose([parse_selection(drop)], None, **options)
    list(editor.edit(tmp_path / "new.sav"))
    gone = set(names(source)) - set(names(tmp_path / "new.sav"))
    assert editor.drop_count == len(gone)
    return {name.removeprefix(path("")) for name in gone}


@pytest.mark.parametrize(
    ("drop", "expected"),
    [
        ("name = *PoleA", {"PoleA", "PoleA.Power", "PoleA.Power.Inner", "Line"}),
        ("name = *PoleA.Power", {"PoleA.Power", "PoleA.Power.Inner", "Line"}),
        ("name = *PoleB", {"PoleB", "PoleB.Power", "Line"}),
        ("name = *Line", {"Line"}),
        ("name = *BeltA", {"BeltA", "BeltA.Out", "ChainA"}),
        ("name = *BeltB", {"BeltB", "BeltB.In"}),
        ('class = "*Build_Belt_C"', {"BeltA", "BeltA.Out", "BeltB", "BeltB.In", "BeltC", "ChainA", "ChainBC"}),
        ("name = *Sign", {"Sign"}),
    ],
)
def test_parts_lines_and_chains_go_with_what_they_mean_nothing_without(tmp_path, drop, expected):
    assert dropped(tmp_path, drop) == expected


def test_they_are_kept_if_that_is_said(tmp_path):
    assert dropped(tmp_path, "name = *PoleA", keeps_parts=True) == {"PoleA"}

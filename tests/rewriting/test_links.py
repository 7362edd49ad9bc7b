"""References to dropped objects that are taken out."""

from __future__ import annotations

import pytest
from factories import factory, path

import streamsave
from streamsave import parse_selection
from streamsave.rewriting.actors import unlinked
from streamsave.rewriting.assignments import parse_assignment
from streamsave.rewriting.editor import Editor
from streamsave.values import ObjectReference


def edited(tmp_path, drop, sets=(), **options):
    source = tmp_path / "old.sav"
    source.write_bytes(factory())
    editor = Editor(str(source))
    editor.choose([parse_selection(drop)], None, **options)
    changes = list(editor.edit(tmp_path / "new.sav", [parse_assignment(text) for text in sets]))
    return editor, [change for change in changes if change.verb == "unlink"]


def value(target, name, field):
    (found,) = streamsave.objects(target, f'name = "{path(name)}"', [field])
    return found.fields.get(field)


def paths(value):
    return [reference.path_name.removeprefix(path("")) for reference in value]


def test_wires_and_circuits(tmp_path):
    editor, changes = edited(tmp_path, "name = *PoleA")
    new = tmp_path / "new.sav"
    assert paths(value(new, "PoleB.Power", "mWires")) == ["Other"]
    assert paths(value(new, "Circuits.One", "mComponents")) == ["PoleB.Power"]
    assert editor.unlink_count == 2
    assert [change.path for change in changes] == ["mWires", "mComponents"]
    assert [finding.message for finding in editor.findings if finding.kind == "gone"] == [
        f"1 references have lost their target; the first is to {path('PoleA')}"
    ]


@pytest.mark.parametrize("sets", [(), ("mCount = 5",), ("mConnectedComponent.path_name = x",)])
def test_connections(tmp_path, sets):
    editor, _ = edited(tmp_path, "name = *BeltA", sets)
    assert value(tmp_path / "new.sav", "BeltB.In", "mConnectedComponent").path_name == (
        "x" if len(sets) and "x" in sets[0] else ""
    )
    assert editor.unlink_count == (0 if len(sets) and "x" in sets[0] else 1)


def test_a_chain_loses_the_belt_at_its_end(tmp_path):
    editor, changes = edited(tmp_path, "name = *BeltB")
    trailer = value(tmp_path / "new.sav", "ChainBC", "trailer")
    assert [segment["conveyor_base"].path_name for segment in trailer["chain_spline_segments"]] == [path("BeltC")]
    assert trailer["first_conveyor"].path_name == trailer["last_conveyor"].path_name == path("BeltC")
    assert [(change.path, change.old, change.new) for change in changes if "segments" in change.path] == [
        ("trailer.chain_spline_segments", 2, 1)
    ]
    assert editor.unlink_count == 2
    assert editor.findings == []


def test_they_stay_if_that_is_said(tmp_path):
    editor, changes = edited(tmp_path, "name = *PoleA", keeps_references=True)
    assert (editor.unlink_count, changes) == (0, [])
    assert paths(value(tmp_path / "new.sav", "PoleB.Power", "mWires")) == ["Line", "Other"]
    assert [finding.message[:1] for finding in editor.findings if finding.kind == "gone"] == ["3"]


def test_what_refers_to_nothing_that_is_dropped_stays():
    reference = ObjectReference("L", "a")
    assert unlinked([reference, 5], lambda name: name == "b") == ([reference, 5], 0)
    assert unlinked(reference, lambda name: name == "b") == (reference, 0)
    assert unlinked(reference, lambda name: name == "a") == (ObjectReference("", ""), 1)
    assert unlinked("a", lambda _: True) == ("a", 0)

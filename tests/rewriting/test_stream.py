"""The verbs: what they refuse, and what they leave to the other verbs."""

from __future__ import annotations

import pytest
from saves import VALID

import streamsave
from streamsave import ChunkStart, Field, ObjectHeader, PropertyTag, StaleEvent, StructEnter
from streamsave._build import is_compiled
from streamsave.errors import EditError
from streamsave.rewriting import rewrite
from streamsave.values import Vector

SAMPLE = VALID / "satisfactory" / "sv60.sav"


def act(tmp_path, kind, name, verb, sample=SAMPLE):
    """Use a verb on the first event of a kind and name; return all events of the new save."""
    target = tmp_path / "out.sav"
    with rewrite(sample, target) as save:
        for event in save:
            if isinstance(event, kind) and getattr(event, "name", name) == name:
                verb(save, event)
                break
        else:
            raise AssertionError(name)
    with streamsave.open(target) as events:
        return list(events)


REFUSED = [
    (PropertyTag, "mInt", lambda save, _: save.replace(1 << 31), "mInt: out of range"),
    (PropertyTag, "mInt", lambda save, _: save.replace("1"), "mInt: not an integer"),
    (PropertyTag, "mYes", lambda save, _: save.replace(0), "mYes: not a bool"),
    (PropertyTag, "mYes", lambda save, _: save.replace_raw(b"\0"), "a bool has no bytes"),
    (PropertyTag, "mVector", lambda save, _: save.replace((1.0, 2.0, 3.0)), "mVector: not a Vector"),
    pytest.param(
        PropertyTag,
        "mVector",
        lambda save, _: save.replace(Vector(1.0, 2.0, "3")),
        "mVector/z: not a number",
        marks=pytest.mark.skipif(is_compiled(), reason="a compiled Vector takes nothing but numbers"),
    ),
    (PropertyTag, "mInventoryStacks", lambda save, _: save.replace([]), "can only be replaced as bytes"),
    (StructEnter, "mInventoryStacks", lambda save, _: save.replace([]), "only its bytes can be replaced"),
    (StructEnter, "mInventoryStacks", lambda save, _: save.replace_raw(b""), "no size says where it ends"),
    (StructEnter, "Persistent_Level", lambda save, _: save.drop(), "no object, property"),
    (StructEnter, "Persistent_Level", lambda save, _: save.replace_raw(b""), "no size says where it ends"),
    (Field, "actor", lambda save, _: save.drop(), "no object, property"),
    (Field, "body_size", lambda save, _: save.replace(1), "how other bytes are read"),
]


@pytest.mark.parametrize(("kind", "name", "verb", "message"), REFUSED)
def test_what_is_refused(tmp_path, kind, name, verb, message):
    with pytest.raises(EditError, match=message):
        act(tmp_path, kind, name, verb)
    assert list(tmp_path.iterdir()) == []


def test_a_refused_edit_changes_nothing(tmp_path):
    def verb(save, _event):
        with pytest.raises(EditError):
            save.replace("1")
        save.replace(7)
        with pytest.raises(EditError, match="edited already"):
            save.drop()

    events = act(tmp_path, PropertyTag, "mInt", verb)
    assert next(event.size for event in events if isinstance(event, PropertyTag) and event.name == "mInt") == 4


def test_stale_events(tmp_path):
    with rewrite(SAMPLE, tmp_path / "out.sav") as save:
        with pytest.raises(StaleEvent):
            save.drop()
        first = None
        for event in save:
            if isinstance(event, ChunkStart):
                with pytest.raises(StaleEvent):
                    save.replace_raw(b"")
            if first is not None:
                with pytest.raises(StaleEvent, match="not open"):
                    save.drop(first)
            if isinstance(event, Field):
                first = event
    with pytest.raises(StaleEvent):
        save.drop()


def test_decide_by_what_is_inside(tmp_path):
    """Objects are dropped by one of their properties; edits in them before that are forgotten."""
    target = tmp_path / "out.sav"
    dropped = []
    with rewrite(SAMPLE, target) as save:
        for event in save:
            if isinstance(event, ObjectHeader):
                around = event
            elif isinstance(event, PropertyTag) and event.type == "StrProperty" and around.instance_name not in dropped:
                save.replace("edited")
            elif isinstance(event, PropertyTag) and event.name == "mInventoryStacks" and around.kind == "actor":
                dropped.append(around.instance_name)
                save.drop(around)
                with pytest.raises(EditError, match="inside of what is dropped"):
                    save.drop()
                assert save.skip().reason == "skipped"
    with streamsave.open(SAMPLE) as events:
        before = [event.instance_name for event in events if isinstance(event, ObjectHeader)]
    with streamsave.open(target) as events:
        after = [event.instance_name for event in events if isinstance(event, ObjectHeader) and event.kind != "lightweight"]
    assert dropped
    assert after == [name for name in before if name in after]
    assert set(before) - set(after) >= set(dropped)


def test_other_verbs_work_as_ever(tmp_path):
    target = tmp_path / "out.sav"
    with rewrite(SAMPLE, target) as save, streamsave.open(SAMPLE) as events:
        for event, other in zip(save, events, strict=True):
            assert event == other
            assert (save.path, save.depth, save.location(event)) == (events.path, events.depth, events.location(other))
            if isinstance(event, PropertyTag) and event.type == "ArrayProperty":
                assert save.is_leaf() == events.is_leaf()
            elif isinstance(event, PropertyTag) and event.type == "ObjectProperty":
                assert save.references() == events.references()
            elif isinstance(event, PropertyTag) and event.type == "MapProperty":
                assert save.raw() == events.raw()
            elif isinstance(event, PropertyTag) and event.type == "SetProperty":
                assert save.build() == events.build()
        assert save.edit_count == 0
    assert target.read_bytes() == SAMPLE.read_bytes()

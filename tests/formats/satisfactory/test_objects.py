"""Objects: the members of their data, each version gate on both sides, and what no layout knows."""

from __future__ import annotations

import pytest
from one_object import NONE, object_events, patched
from satisfactory_layouts import header_of
from saves import inflate, read, without_chunks
from tiling import assert_tiled
from writer.primitives import Ref, ref
from writer.satisfactory import Encoded, Object, VersionData, World, save_bytes
from writer.tags import INT, Prop
from writer.trailers import Opaque

import streamsave
from streamsave import BlobSkip, Damage, DamagedSave, Event, Field, ObjectEnd, ObjectHeader, PropertyTag
from streamsave.values import ObjectReference


def inside(save: bytes) -> list[Event]:
    """The events of the only object, its end included."""
    events = without_chunks(read(save))
    assert_tiled(events, len(inflate(save)))
    start = next(at for at, event in enumerate(events) if isinstance(event, ObjectHeader))
    end = next(at for at, event in enumerate(events) if isinstance(event, ObjectEnd))
    return events[start + 1 : end + 1]


def one_object(version: int, one: Object | Encoded, data: VersionData | None = None) -> bytes:
    return save_bytes(World(header_of(version), objects=[one], version_data=data))


@pytest.mark.parametrize("version", [25, 36, 41, 52, 58])
def test_actors_have_references(version):
    one = Object("/Script/Oracle.One", "One", (), owner=Ref("L", "Owner"), components=[Ref("L", "A"), Ref("L", "B")])
    save = one_object(version, one, VersionData(ue5=1009) if version >= 53 else None)
    first = inside(save)[0]
    assert isinstance(first, Field)
    assert first.name == "actor"
    with streamsave.open(save) as events:
        built = next(events.build() for event in events if isinstance(event, ObjectHeader))
    assert isinstance(built, dict)
    assert built["actor"] == {
        "owner": ObjectReference("L", "Owner"),
        "components": [ObjectReference("L", "A"), ObjectReference("L", "B")],
    }


def test_other_objects_have_none():
    events = inside(one_object(52, Object("/Script/Oracle.One", "One", [Prop("m", INT, 1)], outer="Owner")))
    assert [type(event) for event in events] == [PropertyTag, ObjectEnd]


@pytest.mark.parametrize(("ue5", "control", "tag_size"), [(1010, False, 31), (1011, True, 31), (1012, True, 6 + 16 + 4 + 4 + 1)])
def test_the_control_byte_and_new_tags(ue5, control, tag_size):
    data = VersionData(ue5=ue5)
    one = Object("/Script/Oracle.One", "One", [Prop("m", INT, 1)], outer="Owner", version_data=data)
    events = inside(one_object(58, one, data))
    assert [event.name for event in events if isinstance(event, Field)] == ["serialization_control"] * control
    (tag,) = [event for event in events if isinstance(event, PropertyTag)]
    assert tag.value_offset - tag.offset == tag_size


@pytest.mark.parametrize(("version", "data", "new"), [(52, VersionData(ue5=1000), False), (53, None, True)])
def test_objects_before_version_data_have_old_tags(version, data, new):
    """Whatever the version of their level is; later ones without version data have that of their level."""
    one = Object("/Script/Oracle.One", "One", [Prop("m", INT, 1)], outer="Owner", save_version=version, version_data=data)
    events = inside(one_object(58, one, VersionData(ue5=1017)))
    assert any(isinstance(event, Field) and event.name == "serialization_control" for event in events) == new
    assert len([event for event in events if isinstance(event, PropertyTag)]) == 1


@pytest.mark.parametrize("size", [1, 3, 5, 100])
def test_a_trailer_that_no_layout_knows(size):
    one = Object("/Game/Mod.Mod_C", "One", (), Opaque(b"\7" * size), outer="Owner")
    blobs = [event for event in inside(one_object(52, one)) if isinstance(event, BlobSkip)]
    assert [(blob.size, blob.reason) for blob in blobs] == [(size, "unknown trailing data of /Game/Mod.Mod_C")]


@pytest.mark.parametrize("size", [1, 8])
def test_bytes_after_a_trailer_that_is_known(size):
    one = Object("/Game/Fin.FINKernelSystem", "One", (), Opaque(b"\1\0\0\0" + b"\7" * size), outer="Owner")
    events = inside(one_object(52, one))
    assert [event.size for event in events if isinstance(event, BlobSkip)] == [size]


def test_the_end_claims_the_terminator():
    (end,) = inside(one_object(52, Object("/Script/Oracle.One", "One", (), outer="Owner")))
    assert isinstance(end, ObjectEnd)
    assert end.size == len(NONE) + 4


def test_references_that_run_over_the_properties():
    """One too many, and the empty property list is its level and name: no object of a game ends so."""
    save = one_object(46, Object("/Script/Oracle.One", "One", (), owner=Ref("", "Owner.of.it")))
    end_of_owner = b"Owner.of.it\0"
    wrong = patched(save, end_of_owner + bytes(4) + NONE, end_of_owner + b"\1\0\0\0" + NONE)
    events, error, start = object_events(wrong)
    assert [event.name for event in events if isinstance(event, Field)] == ["actor"]
    assert isinstance(error, DamagedSave)
    assert error.message == "the references of an actor run over its properties"
    assert error.offset == start + 4 + 4 + len(end_of_owner) + 4
    with streamsave.open(wrong, on_damage="resync") as rest:
        assert any(isinstance(event, Damage) for event in rest)


def test_objects_of_mods_may_end_after_the_references():
    data = bytes(8) + b"\1\0\0\0" + ref(Ref("L", "A"))
    whole = Object("/Game/Mod.Mod_C", "One", ())
    shell = one_object(46, Encoded(whole, whole.header(46), data))
    assert [type(event) for event in inside(shell)] == [Field, ObjectEnd]

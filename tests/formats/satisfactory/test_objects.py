"""Objects: the members of their data, each version gate on both sides, and what no layout knows."""

import pytest
from one_object import NONE, object_events, patched
from satisfactory_layouts import header_of
from saves import inflate, read, without_chunks
from tiling import assert_tiled
from writer.primitives import Ref
from writer.satisfactory import Encoded, Object, VersionData, World, save_bytes
from writer.trailers import Opaque

import streamsave
from streamsave import BlobSkip, Damage, DamagedSave, Event, Field, ObjectEnd, ObjectHeader


def inside(save: bytes) -> list[Event]:
    """The events of the only object, its end included."""
    events = without_chunks(read(save))
    assert_tiled(events, len(inflate(save)))
    start = next(at for at, event in enumerate(events) if isinstance(event, ObjectHeader))
    return events[start + 1 : next(at for at, event in enumerate(events) if isinstance(event, ObjectEnd)) + 1]


def one_object(version: int, one: Object | Encoded, data: VersionData | None = None) -> bytes:
    return save_bytes(World(header_of(version), objects=[one], version_data=data))


@pytest.mark.parametrize("size", [1, 8])
def test_bytes_after_a_trailer_that_is_known(size):
    one = Object("/Game/Fin.FINKernelSystem", "One", (), Opaque(b"\1\0\0\0" + b"\7" * size), outer="Owner")
    assert [event.size for event in inside(one_object(52, one)) if isinstance(event, BlobSkip)] == [size]


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

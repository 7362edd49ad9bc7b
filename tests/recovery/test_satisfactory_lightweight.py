"""Damage among the instances of the lightweight subsystem: what is lost alone, and what costs all of them."""

from types import SimpleNamespace

import pytest
from attrs import evolve
from damage import losses, survived
from damage_satisfactory import broken
from lightweight_worlds import BEAM, FOUNDATION, NAMES, OWNER, headers, subsystem, world
from saves import chunks_of, deflate, head_and_body, inflate, read, without_chunks
from tiling import assert_tiled

from streamsave import Damage, ObjectHeader


def test_a_damaged_instance_costs_itself():
    """The list in its length is damaged; where it ends is known all the same."""
    data = world(58)
    last, stream = headers(data)[5], inflate(data)
    seen = survived(broken(data, stream.index(b"FloatProperty", last.offset) + 20, b"\xff\xff\xff\x7f"))
    assert_tiled(seen, seen[-1].offset)
    assert losses(seen) == [("object", last.instance_name)]
    (lost,) = [event.lost for event in seen if isinstance(event, Damage)]
    assert (lost.class_name, lost.size) == (BEAM, last.size)
    assert lost.path[-4:] == ("buildables", 2, "instances", last.instance_name)
    whole = without_chunks(read(data))
    given, there = ([event for event in each if isinstance(event, ObjectHeader)] for each in (seen, whole))
    assert given == there
    assert seen[-20:] == whole[-20:]


def test_a_chunk_that_cannot_be_read_costs_those_in_it():
    """Of a place, no byte says where the instance ends: so that is known, but not where the instance is."""
    data = world(58)
    one = headers(data)[2]
    head, stream = head_and_body(data)
    for size in range(8, 60):
        # Some chunks of this size are in a place only.
        cut = deflate(head, stream, size)
        starts = [at * size for at in range(len(chunks_of(cut)))]
        inside = [at for at, start in enumerate(starts) if one.offset <= start and start + size <= one.offset + 80]
        if inside:
            break
    which = chunks_of(cut)[inside[0]]
    bad = bytearray(cut)
    bad[which.payload_offset + which.compressed_size - 1] ^= 1
    seen = survived(bytes(bad))
    assert_tiled(seen, seen[-1].offset)
    assert losses(seen) == [("object", one.instance_name)]
    given = [event.instance_name for event in seen if isinstance(event, ObjectHeader) and event.kind == "lightweight"]
    assert [name for name in NAMES if f"{OWNER}.{name}" not in given] == [NAMES[2]]
    (lost,) = [event.lost for event in seen if isinstance(event, Damage)]
    assert (lost.class_name, lost.size) == (FOUNDATION, one.size)


@pytest.mark.parametrize(("version", "left", "is_lost"), [(4, b"\1\0\0\0", True), (4, bytes(4), False), (5, b"\1\0\0\0", False)])
def test_bytes_after_the_instances(version, left, is_lost):
    """Of a version that is known, there are none, but for a zero; a newer one may have more."""

    trailer = evolve(subsystem().trailer, version=version)
    data = world(58, evolve(subsystem(), trailer=SimpleNamespace(encode=lambda dialect: trailer.encode(dialect) + left)))
    seen = survived(data)
    assert losses(seen) == [("object", OWNER)] * is_lost
    kinds = [event.kind for event in seen if isinstance(event, ObjectHeader)]
    assert kinds.count("lightweight") == (0 if is_lost else 7)
    if not is_lost:
        assert seen == without_chunks(read(data))


def test_a_count_that_is_too_small_costs_the_subsystem():
    """All that is left can be read, but not to the end."""
    data = world(58)
    stream = inflate(data)
    counts = stream.index(BEAM.encode(), headers(data)[3].offset) + len(BEAM) + 1
    assert stream[counts : counts + 4] == b"\3\0\0\0"
    seen = survived(broken(data, counts, b"\2\0\0\0"))
    assert losses(seen) == [("object", OWNER)]
    assert [event.kind for event in seen if isinstance(event, ObjectHeader)] == ["actor"] * 3

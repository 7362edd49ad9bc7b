"""A damaged chunk costs what it holds: after it, the walk finds what is certain, and nothing else."""

import random
import struct
from bisect import bisect_left, bisect_right

import pytest
from damage import broken_chunk, broken_header, is_part, losses, span_of, survived, touching, whole_objects
from hypothesis import assume, given
from hypothesis import strategies as st
from profiles import examples
from saves import CHUNK_TAG, SATISFACTORY, chunks_of, deflate, head_and_body, read, without_chunks
from strategies import worlds
from tiling import assert_tiled
from writer.primitives import Ref
from writer.satisfactory import Level, Object, VersionData, World, release_header, save_bytes
from writer.tags import BYTE, INT, Array, Prop

from streamsave import Damage, Event, Field, ObjectHeader, SaveEnd, SaveError, StructEnter

SAVES = sorted([*SATISFACTORY.glob("*.sav"), *SATISFACTORY.glob("*.sbp")])
#: Real saves, one for each layout of levels.
REAL = ["u3-hv6-sv25-500k", "u7-hv10-sv36-216k", "hv13-sv41-freshstart001", "v12-hv14-sv58-140k"]
#: Chunks of each that are broken: the first and the last one, and so many others.
FEW = 3
#: In a save with so many, one other.
MANY = 40


def in_chunks(data: bytes, size: int) -> bytes:
    return deflate(*head_and_body(data), size)


def offsets(objects: list[list[Event]]) -> set[int]:
    return {one[0].offset for one in objects}


def assert_invents_nothing(bad: bytes, sound: list[Event]) -> list[Event]:
    """The objects that are left are those of the sound save; the claims tile."""
    seen = survived(bad)
    assert_tiled(seen, sound[-1].offset)
    assert is_part(whole_objects(seen), whole_objects(sound))
    return seen


def assert_costs_itself(data: bytes, which: int, sound: list[Event], bad: bytes | None = None) -> list[Event]:
    """Break a chunk: all objects are left that do not touch it, as they were."""
    seen = assert_invents_nothing(broken_chunk(data, which) if bad is None else bad, sound)
    assert offsets(whole_objects(sound)) - offsets(whole_objects(seen)) <= touching(sound, *span_of(data, which))
    return seen


@pytest.mark.parametrize("name", ["sv28.sav", "sv46.sbp", "sv60.sav"])
def test_a_save_without_a_chunk_has_no_bytes_to_lose(name):
    data = (SATISFACTORY / name).read_bytes()
    seen = survived(data[: data.index(CHUNK_TAG)] + b"no chunk" * 20)
    assert_tiled(seen, 0)
    assert isinstance(seen[-2], Damage)


@pytest.mark.slow
@pytest.mark.parametrize("path", SAVES, ids=lambda path: path.name)
@pytest.mark.parametrize("size", [97, 600, 3000])
def test_a_damaged_chunk_costs_what_touches_it(path, size):
    data = in_chunks(path.read_bytes(), size)
    sound = without_chunks(read(data))
    count = len(chunks_of(data))
    for which in range(path.suffix == ".sbp", count, max(count // 12, 1)):
        assert_costs_itself(data, which, sound)


@pytest.mark.parametrize("path", SAVES, ids=lambda path: path.name)
def test_a_damaged_chunk_header_costs_its_chunk(path):
    """The zlib stream after it shows how large the chunk is."""
    data = in_chunks(path.read_bytes(), 600)
    sound = without_chunks(read(data))
    count = len(chunks_of(data))
    numbers = random.Random(path.name)
    for which in range(path.suffix == ".sbp", count, max(count // 8, 1)):
        chunk = chunks_of(data)[which]
        bad = broken_header(data, which, numbers.choice([0, 3, 5, *range(16, chunk.payload_offset - chunk.offset)]))
        with pytest.raises(SaveError) as fault:
            read(bad)
        seen = assert_costs_itself(data, which, sound, bad)
        if which:  # else there are no sizes
            assert str(fault.value).partition(": ")[2] in {
                str(each.error).partition(": ")[2] for each in seen if isinstance(each, Damage)
            }


@pytest.mark.slow
@examples(40)
@given(worlds(), st.integers(60, 400), st.data())
def test_any_world_any_chunk_header(world, size, data):
    save = in_chunks(save_bytes(world), size)
    chunks = chunks_of(save)
    which = data.draw(st.integers(0, len(chunks) - 1))
    at = data.draw(st.integers(0, chunks[which].payload_offset - chunks[which].offset - 1))
    assert_costs_itself(save, which, without_chunks(read(save)), broken_header(save, which, at))


@pytest.mark.slow
@examples(40)
@given(worlds(), st.integers(60, 400), st.data())
def test_any_stretch_of_zeros(world, size, data):
    """Chunks of which nothing is left, the first one not among them: what the others have less than the whole is theirs."""
    save = in_chunks(save_bytes(world), size)
    sound = without_chunks(read(save))
    starts = [chunk.offset for chunk in chunks_of(save)]
    assume(len(starts) > 1)
    start = data.draw(st.integers(starts[1], len(save) - 1))
    end = data.draw(st.integers(start + 1, min(start + 6 * size, len(save))))
    bad = save[:start] + bytes(end - start) + save[end:]
    if end > starts[-1] and bad != save:
        assert is_part(whole_objects(survived(bad)), whole_objects(sound))
        return
    left = offsets(whole_objects(sound)) - offsets(whole_objects(assert_invents_nothing(bad, sound)))
    first, last = bisect_right(starts, start) - 1, bisect_left(starts, end) - 1
    assert left <= touching(sound, span_of(save, first)[0], span_of(save, last)[1])


@pytest.mark.slow
@examples(60)
@given(worlds(), st.integers(60, 400), st.data())
def test_any_world_any_chunk(world, size, data):
    save = in_chunks(save_bytes(world), size)
    assert_costs_itself(save, data.draw(st.integers(0, len(chunks_of(save)) - 1)), without_chunks(read(save)))


def test_the_copy_of_a_list_before_lost_objects():
    """Nothing says where the objects of the last level end, but what follows their headers is read as it is."""
    gone = [("Persistent_Level", [Ref("Persistent_Level", f"Gone_{at}") for at in range(9)])]
    data = save_bytes(World(release_header(52), (), [], destroyed=gone))
    sound = without_chunks(read(data))
    (blob,) = [event for event in sound if isinstance(event, Field) and event.name == "data_blob"]
    seen = survived(broken_chunk(in_chunks(data, blob.offset), 1))
    assert losses(seen) == [("rest of the save", "")]
    assert next(event for event in sound if isinstance(event, Field) and event.name == "toc_destroyed_actors") in seen


def test_the_last_header_before_a_chunk_that_is_gone():
    """It is certain, though all that follows the headers cannot be read: the last object is left."""
    gone = [("Persistent_Level", [Ref("Persistent_Level", f"Gone_{at}") for at in range(3)])]
    data = in_chunks(save_bytes(World(release_header(52), (), many_objects(3), destroyed=gone)), 150)
    sound = without_chunks(read(data))
    copy = next(event for event in sound if isinstance(event, Field) and event.name == "toc_destroyed_actors")
    *_, second, third = [one[0].data_offset - one[0].prefix_size for one in whole_objects(sound)]
    start, end = span_of(data, 3)
    assert copy.offset < start < copy.offset + copy.size < second < end <= third
    assert [one[0].instance_name for one in whole_objects(assert_costs_itself(data, 3, sound))] == ["One_2"]


@pytest.mark.parametrize("version", [36, 52])
@pytest.mark.parametrize("size", [80, 200])
def test_a_chunk_with_the_start_of_the_last_level(version, size):
    """And with the end of the one before. The first header that is left looks like the size and the number of all headers."""
    data = in_chunks(save_bytes(World(release_header(version), [Level("Cell", many_objects(1))], many_objects())), size)
    sound = without_chunks(read(data))
    start = next(event.offset for event in sound if isinstance(event, StructEnter) and event.name == "Persistent_Level")
    assert_costs_itself(data, start // size, sound)


@pytest.mark.slow
@examples(40)
@given(worlds(), st.integers(60, 400), st.data())
def test_several_chunks(world, size, data):
    """What is between two of them may be lost, too; nothing is invented."""
    save = in_chunks(save_bytes(world), size)
    sound = without_chunks(read(save))
    bad = save
    for which in data.draw(st.sets(st.integers(0, len(chunks_of(save)) - 1), min_size=1, max_size=4)):
        chunk = chunks_of(save)[which]
        at = chunk.payload_offset + chunk.compressed_size - 1
        bad = bad[:at] + bytes([bad[at] ^ 0xFF]) + bad[at + 1 :]
    seen = survived(bad)
    assert isinstance(seen[-1], SaveEnd)
    assert is_part(whole_objects(seen), whole_objects(sound))
    if all(event.size >= 0 for event in seen if isinstance(event, Damage)):
        assert_tiled(seen, sound[-1].offset)


def many_objects(count: int = 40) -> list[Object]:
    return [Object("/Script/Oracle.One", f"One_{at}", [Prop("mNumber", INT, at)]) for at in range(count)]


def test_lost_objects_are_named():
    """A chunk of data: the headers are sound, so each object that is lost has a name and a class."""
    objects = many_objects()
    data = in_chunks(save_bytes(World(release_header(52), (), objects)), 500)
    sound = without_chunks(read(data))
    start = [event for event in sound if isinstance(event, ObjectHeader)][20].data_offset
    which = next(at for at in range(len(chunks_of(data))) if span_of(data, at)[0] <= start < span_of(data, at)[1])
    seen = assert_costs_itself(data, which, sound)
    left = {one[0].instance_name for one in whole_objects(seen)}
    damages = [event for event in seen if isinstance(event, Damage)]
    lost = [event.lost for event in damages if event.lost.kind == "object"]
    assert {loss.name for loss in lost} == {f"One_{at}" for at in range(40)} - left
    assert {loss.class_name for loss in lost} == {"/Script/Oracle.One"}
    assert {loss.size for loss in lost[1:]} == {-1}
    (whole,) = [event for event in damages if event.lost.kind == "object data"]
    assert whole.lost.count == len([loss for loss in lost if loss.size < 0])
    assert whole.lost.size == whole.size


def test_lost_headers_are_counted():
    data = in_chunks(save_bytes(World(release_header(52), (), many_objects())), 500)
    sound = without_chunks(read(data))
    headers = [event for event in sound if isinstance(event, ObjectHeader)]
    which = next(at for at in range(len(chunks_of(data))) if span_of(data, at)[0] > headers[5].offset)
    seen = assert_costs_itself(data, which, sound)
    (loss,) = [event.lost for event in seen if isinstance(event, Damage) and event.lost.kind == "headers"]
    assert loss.count == len(headers) - len(whole_objects(seen))


def test_behind_a_damaged_version_flag():
    """A chunk has the end of an object's data and a part of the flag after it: the next object is whole."""
    data = save_bytes(World(release_header(53), (), many_objects(), version_data=VersionData()))
    sound = without_chunks(read(data))
    headers = [event for event in sound if isinstance(event, ObjectHeader)]
    ends = [(at, header.data_offset + header.size + part) for at, header in enumerate(headers) for part in (1, 2, 3)]
    which, end, size = next((at, end, size) for at, end in ends for size in range(50, 60) if end % size == 0)
    bad = in_chunks(data, size)
    left = {one[0].instance_name for one in whole_objects(assert_costs_itself(bad, end // size - 1, sound))}
    assert left == {header.instance_name for header in headers} - {f"One_{which}"}


@pytest.mark.parametrize("version", [36, 52])
def test_what_only_looks_like_an_object_is_none(version):
    """After the chunk, bytes of the damaged object lead to the next one as an object of that size would."""
    size = 1000
    behind = size * 2
    entry = struct.pack("<ii", version, 0) if version >= 41 else b""
    looks = bytes(size * 3)
    big = Object("/Script/Oracle.Big", "Big", [Prop("mBytes", Array(BYTE), looks)])
    objects = [*many_objects(3), big, *many_objects(3)]
    data = save_bytes(World(release_header(version), (), objects))
    header = next(event for event in read(data) if isinstance(event, ObjectHeader) and event.instance_name == "Big")
    head, body = head_and_body(data)
    at = header.data_offset + behind
    fake = entry + struct.pack("<i", header.data_offset + header.size - at - len(entry) - 4)
    body = body[:at] + fake + body[at + len(fake) :]
    data = deflate(head, body, size)
    seen = assert_costs_itself(data, header.data_offset // size, without_chunks(read(data)))
    assert "Big" not in {one[0].instance_name for one in whole_objects(seen)}


@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
def test_chunks_of_real_saves(name, corpus):
    data = (corpus / "satisfactory" / f"{name}.sav").read_bytes()
    sound = without_chunks(read(data))
    count = len(chunks_of(data))
    for which in {0, count - 1, *random.Random(name).sample(range(count), FEW if count < MANY else 1)}:
        assert ("rest of the save", "") not in losses(assert_costs_itself(data, which, sound)) or which == count - 1

"""Satisfactory bodies from what is sound: what is lost, and what stands for it."""

import hashlib
import zlib

import pytest
from damage import lines
from damage_satisfactory import broken, broken_list
from large_saves import big_save
from saves import SATISFACTORY, chunk, chunks_of, deflate, head_and_body, inflate, read

import streamsave
from streamsave import Field, ObjectHeader, PropertyTag, StructEnter
from streamsave.check import check
from streamsave.check.finding import NOTE
from streamsave.errors import EditError
from streamsave.formats.satisfactory.header import SaveHeader
from streamsave.rewriting import rewrite
from streamsave.rewriting.salvage import SaveSalvage, empty_grids

SAVES = ["sv28.sav", "sv29.sav", "sv36.sav", "sv36.sbp", "sv41.sav", "sv46.sav", "sv51.sav", "sv53.sav", "sv58.sbp", "sv60.sav"]


def salvaged(tmp_path, data):
    """The new save, which is sound, and the losses."""
    losses = list(SaveSalvage(data).write(tmp_path / "new"))
    made = (tmp_path / "new").read_bytes()
    assert [finding for finding in check(made) if finding.severity != NOTE] == []
    return made, losses


def objects(data):
    return [line for line in lines(data)[0] if b'"class_name"' in line]


def names(data):
    return [event.instance_name for event in read(data) if isinstance(event, ObjectHeader)]


@pytest.mark.slow
@pytest.mark.parametrize("name", SAVES)
def test_an_object(tmp_path, name):
    data = (SATISFACTORY / name).read_bytes()
    bad, lost = broken_list(data, 1)
    made, losses = salvaged(tmp_path, bad)
    assert len(losses) == 1
    expected = names(data)
    expected.remove(lost.instance_name)
    assert names(made) == expected
    assert objects(made) == objects(bad)


def test_an_instance_leaves_the_count_of_its_class(tmp_path):
    data = (SATISFACTORY / "sv60.sav").read_bytes()
    events = read(data)
    instance = next(event for event in events if isinstance(event, ObjectHeader) and event.kind == "lightweight")
    swatch = next(event for event in events if isinstance(event, Field) and event.name == "swatch")
    bad = broken(data, swatch.offset, b"\xff\xff\xff\x7f")
    made, _ = salvaged(tmp_path, bad)
    assert objects(made) == objects(bad)
    assert len(names(made)) < len(names(data))
    assert instance.instance_name in names(data)


def test_elements_beyond_the_count_go(tmp_path):
    """They can be read, as bytes of unknown layout; but no game writes such bytes, and `check` finds them."""
    data = (SATISFACTORY / "sv46.sav").read_bytes()
    array = next(
        event for event in read(data) if isinstance(event, StructEnter) and event.type_name == "ArrayProperty" and event.count > 1
    )
    size = array.count.to_bytes(4, "little")
    at = inflate(data).index(size, array.offset)
    made, losses = salvaged(tmp_path, broken(data, at, (array.count - 1).to_bytes(4, "little")))
    assert [damage.lost.name for damage in losses] == ["bytes after the last element"]
    assert names(made) == names(data)
    arrays = [event for event in read(made) if isinstance(event, StructEnter) and event.name == array.name]
    assert arrays[0].count == array.count - 1


@pytest.mark.parametrize(
    ("field", "which", "sound", "names"),
    [
        ("level_count", 0, 0, ["sv29.sav", "sv46.sav", "sv60.sav"]),
        ("destroyed_actors", -1, 0, ["sv28.sav", "sv46.sav", "sv53.sav", "sv60.sav"]),
        ("version_data", 0, 30, ["sv60.sav"]),
    ],
)
def test_fields_around_objects_are_made_anew(tmp_path, field, which, sound, names):
    """Levels are counted; lists of destroyed objects become empty; version data of a level stand for those of the save."""
    for name in names:
        data = (SATISFACTORY / name).read_bytes()
        found = [event for event in read(data) if isinstance(event, Field) and event.name == field][which]
        bad = broken(data, found.offset + sound, b"\xff" * (found.size - sound) if sound else b"\xff\xff\xff\x7f")
        made, losses = salvaged(tmp_path, bad)
        assert losses
        assert objects(made) == objects(bad)


@pytest.mark.parametrize("name", ["sv46.sav", "sv53.sav", "sv60.sav"])
def test_a_body_that_ends_too_early_gets_its_persistent_level(tmp_path, name):
    data = (SATISFACTORY / name).read_bytes()
    head, body = head_and_body(data)
    level = next(
        event for event in read(data) if isinstance(event, StructEnter) and event.type_name == "Level" and event.index == 3
    )
    made, _ = salvaged(tmp_path, deflate(head, body[: level.offset]))
    levels = [event.name for event in read(made) if isinstance(event, StructEnter) and event.type_name == "Level"]
    assert levels[-1] == "Persistent_Level"
    assert names(made)


def test_a_level_without_its_tail_keeps_the_version_of_its_headers(tmp_path):
    """A level that the player did not come near stays as an older version of the game has written it."""
    data = (SATISFACTORY / "sv58.sav").read_bytes()
    head, body = head_and_body(data)
    tail = [event.offset for event in read(data) if isinstance(event, Field) and event.name == "level_save_version"][-1]
    assert body[tail : tail + 4] == (46).to_bytes(4, "little")
    bad = deflate(head, body[: tail - 20] + body[tail - 17 :])
    made, losses = salvaged(tmp_path, bad)
    assert [damage.lost.kind for damage in losses] == ["object", "level", "rest of the save"]
    assert objects(made) == objects(bad)
    assert len(names(made)) == len(names(data)) - 1


@pytest.mark.parametrize("name", ["sv41.sav", "sv46.sav", "sv60.sav"])
@pytest.mark.parametrize("is_partitioned", [False, True])
def test_grids_are_those_of_the_game(tmp_path, name, is_partitioned):
    data = (SATISFACTORY / name).read_bytes()
    with streamsave.open(data) as events:
        header = next(events).header
        grids = next(event for event in events if getattr(event, "name", "") == "validation_grids")
    bad = bytearray(broken(data, grids.offset, b"\xff" * 4))
    at = header.size - 28  # the hash and two bools come after it
    assert bad[at] == 1
    bad[at] = is_partitioned
    made, losses = salvaged(tmp_path, bytes(bad))
    assert losses
    expected = empty_grids(header.save_version) if is_partitioned else bytes(4)
    assert head_and_body(made)[1][grids.offset :].startswith(expected)


# --- grids as the game writes them, without cells ---


FIRST = b"\5\0\0\0None\0" + bytes(8) + b"\1\0\0\0" + b"\5\0\0\0None\0" + bytes(4)
NAMES = [b"MainGrid", b"LandscapeGrid", b"ExplorationGrid", b"FoliageGrid", b"HLOD0_256m_1023m"]


def stored(name, cell_size):
    return (len(name) + 1).to_bytes(4, "little") + name + b"\0" + cell_size.to_bytes(4, "little") + bytes(8)


@pytest.mark.parametrize(
    ("version", "sizes"),
    [
        (41, [12800, 51200, 20480, 12798, 25600]),
        (42, [12800, 51200, 20480, 12798, 25600]),
        (43, [12800, 51200, 20480, 26500, 25600]),
        (53, [12800, 51200, 20480, 26500, 25600]),
        (54, [12800, 51200, 20480, 26500, 20480, 25600]),
    ],
)
def test_grids_of_each_version(version, sizes):
    names = [*NAMES[:-1], b"ExplorationGridFar", NAMES[-1]] if len(sizes) > len(NAMES) else NAMES
    expected = b"".join(stored(name, size) for name, size in zip(names, sizes, strict=True))
    assert empty_grids(version) == (len(sizes) + 1).to_bytes(4, "little") + FIRST + expected


# --- satisfactory saves: which chunks are copied, and the MD5 ---


def stored_chunks(data: bytes) -> list[bytes]:
    """The chunks of a save as they are in the file."""
    offsets = [chunk.offset for chunk in chunks_of(data)]
    return [data[start:end] for start, end in zip(offsets, [*offsets[1:], len(data)], strict=True)]


def edited(tmp_path, data, name, number, value):
    """A save in which the `number`-th property of a name has another value."""
    target = tmp_path / "out.sav"
    with rewrite(data, target) as save:
        for event in save:
            if isinstance(event, PropertyTag) and event.name == name:
                if number == 0:
                    save.replace(value)
                number -= 1
    return target.read_bytes()


@pytest.fixture(scope="module")
def large():
    return big_save()


def test_without_a_shift_all_chunks_but_one_are_copied(tmp_path, large):
    new = edited(tmp_path, large, "mAfter", 1, 7)
    changed = [one != other for one, other in zip(stored_chunks(large), stored_chunks(new), strict=True)]
    assert changed.count(True) == 1
    assert changed.index(True) > 3
    differing = [at for at, (one, other) in enumerate(zip(inflate(large), inflate(new), strict=True)) if one != other]
    assert 1 <= len(differing) <= 4


def test_with_a_shift_chunks_before_it_are_copied(tmp_path, large):
    new = edited(tmp_path, large, "mLast", 0, "longer")
    # The first chunk has the size of the body; the levels and objects around the edit have theirs.
    same = [one == other for one, other in zip(stored_chunks(large), stored_chunks(new), strict=False)]
    assert same.count(True) >= len(same) - 5
    assert len(inflate(new)) == len(inflate(large)) + 2
    assert [len(chunk.data) for chunk in chunks_of(new)[:-1]] == [131072] * (len(chunks_of(new)) - 1)


def test_edits_on_both_sides_of_a_chunk(tmp_path, large):
    target = tmp_path / "out.sav"
    with rewrite(large, target) as save:
        for event in save:
            if isinstance(event, PropertyTag) and event.name == "mFog":
                save.replace_raw((event.size - 4).to_bytes(4, "little") + bytes(event.size - 4))
    zeros = inflate(target.read_bytes())
    assert len(zeros) == len(inflate(large))
    assert zeros.count(0) > 1_200_000


def test_chunks_after_a_value_in_two_of_them_are_copied(tmp_path, large):
    """The chunks of this save are compressed less than a new one would be."""
    head, body = head_and_body(large)
    pieces = [body[at : at + 131072] for at in range(0, len(body), 131072)]
    old = head + b"".join(chunk(piece, zlib.compress(piece, 1)) for piece in pieces)
    target = tmp_path / "out.sav"
    with rewrite(old, target) as save:
        tag = next(event for event in save if isinstance(event, PropertyTag) and event.name == "mFog")
        zeros = (tag.size - 4).to_bytes(4, "little") + bytes(tag.size - 4)
        save.replace_raw(zeros)
    start, end = tag.value_offset, tag.value_offset + tag.size
    first, last = start // 131072, (end - 1) // 131072
    same = [one == other for one, other in zip(stored_chunks(old), stored_chunks(target.read_bytes()), strict=True)]
    assert same == [not first <= at <= last for at in range(len(pieces))]
    assert inflate(target.read_bytes()) == body[:start] + zeros + body[end:]
    assert last < len(pieces) - 1


def test_the_md5_is_that_of_the_new_chunks(tmp_path, large):
    new = edited(tmp_path, large, "mLast", 0, "other")
    with streamsave.open(new) as events:
        header = next(events).header
    assert isinstance(header, SaveHeader)
    assert header.save_data_hash == hashlib.md5(new[header.size :], usedforsecurity=False).digest()
    assert header.save_data_hash != hashlib.md5(large[header.size :], usedforsecurity=False).digest()


@pytest.mark.parametrize("name", ["sv25.sav", "sv60.sav"])
def test_what_steers_is_not_edited(tmp_path, name):
    refused = set()
    with rewrite(SATISFACTORY / name, tmp_path / "out.sav") as save:
        for event in save:
            if isinstance(event, Field):
                data = save.raw()
                try:
                    save.replace_raw(data)
                except EditError:
                    refused.add(event.name)
    expected = {"body_size", "data_blob"}
    if name == "sv60.sav":
        expected |= {"version_data", "level_count", "level_save_version", "serialization_control", "lightweight_version"}
    assert refused == expected

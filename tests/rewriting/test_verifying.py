"""New saves are read before they appear: all of them, or the objects that were edited."""

import hashlib
import itertools
from contextlib import closing

import pytest
from factories import factory
from factories import path as place
from saves import SATISFACTORY, VALID, file_with, read

import streamsave
from streamsave import DamagedSave, Limits, ObjectHeader, PropertyTag, SaveError
from streamsave.check.finding import FATAL, FINDING, NOTE, Finding
from streamsave.formats.satisfactory.levels import LEVEL
from streamsave.input.archive_header import read_archive_header
from streamsave.input.chunk_table import ChunkTable
from streamsave.input.source import open_source
from streamsave.rewriting import rewrite
from streamsave.rewriting.gone import Gone
from streamsave.rewriting.packing import ChunkPacker, edited
from streamsave.rewriting.rows import NumberSet
from streamsave.rewriting.satisfactory import md5_offset
from streamsave.rewriting.verifying import raise_wrong, verify_save

WRONG = [
    (Finding(FATAL, "undecodable", "x", 3, (), DamagedSave("x", 3)), True),
    (Finding(FINDING, "tiling", "two events", 3), True),
    (Finding(FINDING, "md5", "another"), True),
    (Finding(FINDING, "missing-list", "x"), False),
    (Finding(NOTE, "unknown-bytes", "x"), False),
]


@pytest.mark.parametrize(("finding", "is_wrong"), WRONG)
def test_which_findings_make_a_save_unusable(finding, is_wrong):
    if not is_wrong:
        raise_wrong([finding])
        return
    with pytest.raises(DamagedSave):
        raise_wrong([WRONG[-1][0], finding])


def limited(path, edited, gone=None):
    names = NumberSet()
    for header in edited:
        names.add(hash(header.instance_name))
    return verify_save(path, Limits(), names, gone)


@pytest.mark.parametrize("name", ["satisfactory/sv58.sav", "satisfactory/sv58.sbp", "gvas/palworld-1.0.sav"])
@pytest.mark.parametrize("data", [b"a", b"abcde"])
def test_a_value_that_does_not_have_its_size(tmp_path, name, data):
    """A number of one byte: the new save would be one that nothing can read."""
    target = tmp_path / "new.sav"
    with pytest.raises(DamagedSave, match="value"), streamsave.rewrite(VALID / name, target) as save:
        next(event for event in save if isinstance(event, PropertyTag) and event.type == "IntProperty")
        save.replace_raw(data)
    assert not target.exists()


def objects_of(path):
    return [event for event in read(path) if isinstance(event, ObjectHeader) and event.header_size > 0]


def test_what_is_inserted_or_replaced_as_a_part_is_read_with_all_else(tmp_path):
    with streamsave.cut(SATISFACTORY / "sv60.sav") as save:
        cutting = next(save.take() for event in save if isinstance(event, ObjectHeader))
    with rewrite(SATISFACTORY / "sv60.sav", tmp_path / "a.sav") as save:
        next(event for event in save if isinstance(event, ObjectHeader))
        save.insert_raw(cutting)
    assert save._ledger.inserts
    assert save.findings != []


def unchanged(_):
    pass


def broken(tmp_path, change):
    """A save whose inflated bytes were changed, with the right MD5."""
    with streamsave.open(SATISFACTORY / "sv46.sav") as events:
        header = next(events).header
    with closing(open_source(SATISFACTORY / "sv46.sav")) as source:
        body = bytearray(b"".join(edited(ChunkTable(source, header.size, Limits()), ())))
        head = bytearray(source.read_at(0, header.size))
        chunk_header = read_archive_header(source.read_at(header.size, 100))
    change(body)
    packed = b"".join(ChunkPacker(chunk_header).pack([bytes(body)]))
    at = md5_offset(bytes(head), Limits())
    head[at : at + 16] = hashlib.md5(packed, usedforsecurity=False).digest()
    return file_with(tmp_path / "broken.sav", head + packed)


@pytest.mark.parametrize("name", ["sv41.sav", "sv46.sav", "sv60.sav"])
def test_where_the_md5_is(name):
    """The rows of the header lead to it, whatever fields follow."""
    data = (SATISFACTORY / name).read_bytes()
    with streamsave.open(data) as events:
        header = next(events).header
    at = md5_offset(data[: header.size], Limits())
    assert data[at : at + 16] == header.save_data_hash == hashlib.md5(data[header.size :], usedforsecurity=False).digest()


def test_wrong_sizes_and_counts_are_found(tmp_path):
    """Also if no object is edited."""
    source = SATISFACTORY / "sv46.sav"
    assert limited(broken(tmp_path, unchanged), []) == []
    *_, level = [event for event in read(source) if isinstance(event, streamsave.StructEnter) and event.type_name == LEVEL]
    size, count = objects_of(source)[3].data_offset - 4, level.offset + level.header_size - 4
    for at, change in itertools.product((size, count), (-1, 1, 1000)):

        def alter(body, at=at, change=change):
            number = int.from_bytes(body[at : at + 4], "little")
            body[at : at + 4] = (number + change).to_bytes(4, "little")

        path = broken(tmp_path, alter)
        if change < 0 and at == size:
            assert [finding.message for finding in limited(path, [])] == ["bytes after the objects (1 times, here first)"]
            continue
        with pytest.raises(SaveError):
            limited(path, [])


@pytest.mark.parametrize("renames", [False, True])
def test_edited_objects_are_decoded(tmp_path, renames):
    """A new save whose edited object is damaged does not appear, whatever its name is now; other objects are as they were."""
    target = tmp_path / "a.sav"
    with pytest.raises(SaveError), rewrite(SATISFACTORY / "sv60.sav", target) as save:
        for event in save:
            if renames and isinstance(event, ObjectHeader) and event.header_size > 0:
                save.set_header(instance_name=f"{event.instance_name}2")
            if isinstance(event, PropertyTag) and event.type == "ArrayProperty" and event.inner_type == "StructProperty":
                save.replace_raw(b"\xff" * event.size)
                break
    assert not target.exists()
    headers = [header for header in objects_of(SATISFACTORY / "sv46.sav") if header.size > 200]
    path = broken(
        tmp_path, lambda body: body.__setitem__(slice(headers[0].data_offset + 60, headers[0].data_offset + 90), b"\xff" * 30)
    )
    assert limited(path, headers[1:2]) == []
    with pytest.raises(SaveError):
        limited(path, headers[:2])


def test_a_copy_may_have_the_wrong_md5_of_the_old_save(tmp_path):
    """Other tools write one; with an edit, the new save gets the right one."""
    old, new = broken(tmp_path, unchanged), tmp_path / "new.sav"
    data = bytearray(old.read_bytes())
    data[md5_offset(bytes(data), Limits())] ^= 1
    with rewrite(bytes(data), new) as save:
        pass
    assert new.read_bytes() == data
    assert "md5" in {finding.kind for finding in save.findings}
    with rewrite(bytes(data), new) as save:
        next(event for event in save if isinstance(event, ObjectHeader))
        save.drop()
    assert "md5" not in {finding.kind for finding in save.findings}


def test_a_name_that_another_object_has_is_not_gone(tmp_path):
    """Two objects may have the same name, and references may be set to one that is there."""
    path = tmp_path / "a.sav"
    path.write_bytes(factory())
    gone = Gone()
    for number, name in enumerate((place("BeltB"), place("Other"))):
        gone.add(number, hash(name))
        gone.add_start(name)
    gone.set_names.add(place("PoleA"))
    (finding,) = limited(path, [], gone)
    assert finding.kind == "gone"
    assert finding.message == f"1 references have lost their target; the first is to {place('Other')}"

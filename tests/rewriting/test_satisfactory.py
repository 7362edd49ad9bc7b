"""Satisfactory saves: which chunks are copied, and the MD5."""

from __future__ import annotations

import hashlib

import pytest
from large_saves import big_save
from saves import SATISFACTORY, chunks_of, inflate

import streamsave
from streamsave import Field, PropertyTag
from streamsave.errors import EditError
from streamsave.formats.satisfactory.header import SaveHeader
from streamsave.rewriting import rewrite


def stored(data: bytes) -> list[bytes]:
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
    changed = [one != other for one, other in zip(stored(large), stored(new), strict=True)]
    assert changed.count(True) == 1
    assert changed.index(True) > 3
    differing = [at for at, (one, other) in enumerate(zip(inflate(large), inflate(new), strict=True)) if one != other]
    assert 1 <= len(differing) <= 4


def test_with_a_shift_chunks_before_it_are_copied(tmp_path, large):
    new = edited(tmp_path, large, "mLast", 0, "longer")
    # The first chunk has the size of the body; the levels and objects around the edit have theirs.
    same = [one == other for one, other in zip(stored(large), stored(new), strict=False)]
    assert same.count(True) >= len(same) - 5
    assert len(inflate(new)) == len(inflate(large)) + 2
    assert [len(chunk.data) for chunk in chunks_of(new)[:-1]] == [131072] * (len(chunks_of(new)) - 1)


def test_edits_on_both_sides_of_a_chunk(tmp_path, large):
    target = tmp_path / "out.sav"
    with rewrite(large, target) as save:
        for event in save:
            if isinstance(event, PropertyTag) and event.name == "mFog":
                save.replace_raw(bytes(event.size))
    zeros = inflate(target.read_bytes())
    assert len(zeros) == len(inflate(large))
    assert zeros.count(0) > 1_200_000


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

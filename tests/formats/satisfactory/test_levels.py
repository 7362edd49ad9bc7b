"""Levels: every byte of one is claimed; counts, sizes and left-over bytes at their limits; skipping."""

from collections.abc import Sequence

import pytest
from satisfactory_layouts import header_of
from saves import deflate, head_and_body, inflate, read, without_chunks
from strategies import data_of
from tiling import assert_tiled
from writer.primitives import Ref, i32
from writer.satisfactory import Level, Object, World, save_bytes
from writer.tags import INT, Prop

import streamsave
from streamsave import BlobSkip, DamagedSave, Field, ObjectHeader, StructEnter

VERSIONS = [29, 36, 41, 48, 49, 51, 52, 53, 58]
GONE = [Ref("Cell", "Cell.Gone")]


def level_save(version: int) -> bytes:
    """A save of two levels with two objects each; before 29, only the persistent one."""
    objects = [Object("/Script/Oracle.One", f"One_{at}", [Prop("m", INT, at)], outer="Owner", level="Cell") for at in range(2)]
    data = data_of(version)
    levels = [Level("Cell", objects, GONE, version_data=data)] if version >= 29 else []
    return save_bytes(World(header_of(version), levels, objects, version_data=data))


class Places:
    """Where the parts of the persistent level start."""

    def __init__(self, save: bytes) -> None:
        events = without_chunks(read(save))
        enters = [event for event in events if isinstance(event, StructEnter) and event.name == "Persistent_Level"]
        self.toc = enters[0].offset
        self.data = [event.offset for event in events if isinstance(event, Field) and event.name == "data_blob"][-1]
        self.end = [event.offset for event in events if isinstance(event, Field) and event.name == "destroyed_actors"][-1]


def with_bytes(save: bytes, version: int, inserts: Sequence[tuple[int, bytes]], sizes: Sequence[int]) -> bytes:
    """A save with more bytes in some places (last first), and the sizes that start in other places grown by as much each."""
    head, body = head_and_body(save)
    wide = version >= 41
    grown = bytearray(body)
    for (at, more), size_at in zip(inserts, sizes, strict=True):
        grown[at:at] = more
        for place in (size_at, 0):
            width = 8 if wide else 4
            size = int.from_bytes(grown[place : place + width], "little") + len(more)
            grown[place : place + width] = size.to_bytes(width, "little")
    return deflate(head, bytes(grown))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("after", ["objects", "headers"])
def test_bytes_left_over(version, size, after):
    """Those after the headers come after the copy of the destroyed actors, which is empty here."""
    save = level_save(version)
    places = Places(save)
    copy = i32(0) if after == "headers" else b""
    at, around = (places.data, places.toc) if after == "headers" else (places.end, places.data)
    grown = with_bytes(save, version, [(at, copy + b"\xff" * size)], [around])
    events = read(grown)
    assert_tiled(events, len(inflate(grown)))
    blobs = [event for event in events if isinstance(event, BlobSkip)]
    assert blobs == [BlobSkip(at + len(copy), size, f"bytes after the {after}")]


@pytest.mark.parametrize("version", [version for version in VERSIONS if version >= 51])
@pytest.mark.parametrize("number", [0, -1000])
def test_a_level_has_the_version_of_a_save(version, number):
    """Nothing of it is given: its version says which layout its headers have."""
    save = level_save(version)
    at = next(event.offset for event in read(save) if isinstance(event, Field) and event.name == "level_save_version")
    head, body = head_and_body(save)
    assert body[at : at + 4] == i32(version)
    with streamsave.open(deflate(head, body[:at] + i32(number) + body[at + 4 :])) as events:
        with pytest.raises(DamagedSave, match="SaveVersion of a level") as error:
            for event in events:
                assert not isinstance(event, ObjectHeader)
        assert error.value.offset == at


def test_a_skipped_level_without_sizes_is_checked():
    """Before SaveVersion 29 the objects are passed over one by one."""
    save = level_save(28)
    head, body = head_and_body(save)
    at = next(event for event in read(save) if isinstance(event, ObjectHeader)).data_offset - 4
    bad = deflate(head, body[:at] + i32(-1) + body[at + 4 :])
    with streamsave.open(bad) as events, pytest.raises(DamagedSave, match="size of an object does not fit") as error:
        for event in events:
            if isinstance(event, StructEnter) and event.type_name == "Level":
                events.skip()
    assert error.value.offset == at

"""What is lost of a level, by what is damaged; and that the walk goes on where the table says."""

from __future__ import annotations

import pytest
from damage import is_part_of, losses, survived, whole_objects
from satisfactory_layouts import header_of
from saves import deflate, head_and_body, read, without_chunks
from strategies import data_of
from tiling import assert_tiled
from writer.primitives import Ref, i32
from writer.satisfactory import Level, Object, World, save_bytes
from writer.tags import INT, Prop

from streamsave import Event, Field, ObjectHeader, StructEnter

NAMES = [f"One_{at}" for at in range(5)]


def sound_save(version: int) -> bytes:
    objects = [Object("/Script/Oracle.One", name, [Prop("mNumber", INT, at)], outer="Owner") for at, name in enumerate(NAMES)]
    data = data_of(version)
    levels = [Level(name, objects, [Ref("A", "B")], version_data=data) for name in ("Cell", "Next")] if version >= 29 else []
    return save_bytes(World(header_of(version), levels, objects, version_data=data))


class Save:
    """A sound save, and its events."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.data = sound_save(version)
        self.sound = without_chunks(read(self.data))
        self.headers = [event for event in self.sound if isinstance(event, ObjectHeader)]

    def patched(self, at: int, data: bytes) -> list[Event]:
        """The events that are left with other bytes in one place, which invent nothing."""
        head, body = head_and_body(self.data)
        seen = survived(deflate(head, body[:at] + data + body[at + len(data) :]))
        assert_tiled(seen, len(body))
        assert is_part_of(whole_objects(seen), whole_objects(self.sound))
        return seen


def lost_names(save: Save, seen: list[Event]) -> list[str]:
    """The instance names of objects that are not whole any more."""
    left = {one[0].offset for one in whole_objects(seen)}
    return [header.instance_name for header in save.headers if header.offset not in left]


VERSIONS = [25, 36, 41, 52, 53, 58]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_damaged_header_costs_its_object(version):
    save = Save(version)
    seen = save.patched(save.headers[1].offset, i32(2))
    assert lost_names(save, seen) == ["One_1"]
    assert ("headers", "") in losses(seen)


@pytest.mark.parametrize("version", [version for version in VERSIONS if version >= 29])
def test_a_damaged_count_costs_its_level(version):
    """The sizes of its blobs are known: the next level is whole."""
    save = Save(version)
    level = next(event for event in save.sound if isinstance(event, StructEnter) and event.name == "Cell")
    seen = save.patched(level.offset + level.header_size - 4, i32(-1))
    assert losses(seen) == [("levels", "")]
    assert lost_names(save, seen) == NAMES


@pytest.mark.parametrize("version", [version for version in VERSIONS if version >= 41])
def test_a_damaged_number_of_objects(version):
    """Entries with versions are certain, and the headers are sound: nothing but the number is lost."""
    save = Save(version)
    blob = next(event for event in save.sound if isinstance(event, Field) and event.name == "data_blob")
    seen = save.patched(blob.offset + blob.size - 4, i32(7))
    assert lost_names(save, seen) == []
    assert losses(seen) == [("object data", "")]

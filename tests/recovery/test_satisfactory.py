"""What is lost of levels, by what is damaged in and around them; and that the walk goes on where the table says."""

import pytest
from damage import is_part, losses, survived, whole_objects
from satisfactory_layouts import header_of
from saves import deflate, head_and_body, read, without_chunks
from strategies import data_of
from tiling import assert_tiled
from writer.primitives import Ref, i32
from writer.satisfactory import Level, Object, World, save_bytes
from writer.tags import INT, Prop

from streamsave import Event, Field, ObjectHeader, StructEnter

LAST = "Persistent_Level"
CELLS = ["Cell_0", "Cell_1", "Cell_2"]
VERSIONS = [25, 29, 36, 41, 52, 53, 58]
WITH_LEVELS = [version for version in VERSIONS if version >= 29]


def objects_of(level: str) -> list[Object]:
    return [Object("/Script/Oracle.One", f"{level}_{at}", [Prop("mNumber", INT, at)], outer="Owner") for at in range(5)]


class Save:
    """A sound save, and its events."""

    def __init__(self, version: int) -> None:
        data = data_of(version)
        cells = [Level(name, objects_of(name), [Ref("A", "B")], version_data=data) for name in CELLS] if version >= 29 else []
        self.data = save_bytes(World(header_of(version), cells, objects_of(LAST), version_data=data))
        self.head, self.body = head_and_body(self.data)
        self.sound = without_chunks(read(self.data))
        self.headers = [event for event in self.sound if isinstance(event, ObjectHeader)]

    def find(self, name: str) -> Event:
        return next(event for event in self.sound if isinstance(event, (Field, StructEnter)) and event.name == name)

    def survived(self, body: bytes) -> tuple[list[str], list[tuple[str, str]]]:
        """The objects that are not whole any more, and what was lost, with another body; nothing is invented."""
        seen = survived(deflate(self.head, body))
        assert_tiled(seen, len(body))
        left = whole_objects(seen)
        assert is_part(left, whole_objects(self.sound)) or len(body) != len(self.body)
        names = [one[0].instance_name for one in left]
        return [header.instance_name for header in self.headers if header.instance_name not in names], losses(seen)

    def patched(self, at: int, data: bytes) -> tuple[list[str], list[tuple[str, str]]]:
        """The same with other bytes in one place."""
        return self.survived(self.body[:at] + data + self.body[at + len(data) :])


@pytest.mark.parametrize("version", VERSIONS)
def test_a_damaged_header_costs_its_object(version):
    save = Save(version)
    gone, lost = save.patched(save.headers[1].offset, i32(2))
    assert gone == [save.headers[1].instance_name]
    assert ("headers", "") in lost


@pytest.mark.parametrize("version", WITH_LEVELS)
def test_a_damaged_count_or_name_costs_its_level(version):
    """The sizes of its blobs are known: the next level is whole."""
    save = Save(version)
    first = save.find("Cell_0")
    names = [[f"{cell}_{at}" for at in range(5)] for cell in CELLS]
    assert save.patched(first.offset + first.header_size - 4, i32(-1)) == (names[0], [("levels", "")])
    for number, cell in enumerate(CELLS[:2]):
        gone, lost = save.patched(save.find(cell).offset, i32(-(1 << 31)))
        assert gone == names[number]
        assert lost in ([("levels", "")], [("level", f"Cell_{number - 1}")])


@pytest.mark.parametrize("version", [version for version in VERSIONS if version >= 41])
def test_a_damaged_number_of_objects(version):
    """Entries with versions are certain, and the headers are sound: nothing but the number is lost."""
    save = Save(version)
    blob = save.find("data_blob")
    assert save.patched(blob.offset + blob.size - 4, i32(7)) == ([], [("object data", "")])


@pytest.mark.parametrize("version", WITH_LEVELS)
def test_damaged_numbers_around_all_levels_cost_nothing_else(version):
    """All levels are found after their number, and the last one after the size of the body, which ends with the chunks."""
    save = Save(version)
    assert save.patched(save.find("level_count").offset, i32(-1)) == ([], [("levels", "")])
    gone, lost = save.patched(0, b"\xff" * (8 if version >= 41 else 4))
    assert save.headers[-1].instance_name not in gone
    assert lost[0] == ("levels", "")


@pytest.mark.parametrize("version", WITH_LEVELS)
@pytest.mark.parametrize("least", [0, 2])
def test_bytes_are_missing_before_the_levels(version, least):
    """The first level starts in what would be read as something else: it is given, and nothing else claims its bytes."""
    save = Save(version)
    first = 8 if version >= 41 else 4
    cut = save.body[: first + least] + save.body[save.find("Cell_0").offset :]
    for made in (cut, (len(cut) - first).to_bytes(first, "little") + cut[first:]):
        gone, _ = save.survived(made)
        assert gone == []

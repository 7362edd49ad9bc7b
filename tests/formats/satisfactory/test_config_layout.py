"""The layout of configurations: each version gate on both sides, and the handle that the bytes left show."""

from __future__ import annotations

import pytest
from satisfactory_layouts import reader_over
from writer.primitives import fstring, i32

from streamsave import UnsupportedSave
from streamsave.decode.codecs import Codec
from streamsave.formats.satisfactory.config_layout import config_layout
from streamsave.formats.satisfactory.versions import CONFIG_EDITORS, CONFIG_ICON_LIBRARY, CONFIG_NEWEST, CONFIG_PLAYER_HANDLE

START = ["config_version", "description", "icon_id", "color"]
LIBRARY = [*START, "icon_package", "icon_asset"]


def layout_of(version: int, rest: bytes = b"") -> list[tuple[str, Codec]]:
    """The layout of a configuration with an empty description."""
    reader = reader_over(b"skip" + i32(version) + fstring("") + i32(7) + bytes(16) + rest)
    reader.cursor.seek(4)
    rows = config_layout(reader.cursor, reader)
    assert reader.cursor.tell() == 4
    return rows


@pytest.mark.parametrize(
    ("version", "names"),
    [
        (0, START),
        (1, START),
        (2, START),
        (3, LIBRARY),
        (4, [*LIBRARY, "editors"]),
        (5, LIBRARY),
        (6, [*LIBRARY, "last_edited_by"]),
    ],
)
def test_versions(version, names):
    assert [name for name, _ in layout_of(version, fstring("a") * 2)] == names


@pytest.mark.parametrize(("left", "size"), [(1, 5), (2, 2), (3, 5), (5, 5)])
def test_the_bytes_left_show_the_handle(left, size):
    name, codec = layout_of(6, fstring("a") * 2 + bytes(left))[-1]
    assert (name, codec.size) == ("last_edited_by", size)


@pytest.mark.parametrize("version", [-1, CONFIG_NEWEST + 1])
def test_unknown_versions(version):
    with pytest.raises(UnsupportedSave) as error:
        layout_of(version)
    assert (error.value.offset, error.value.actual) == (4, version)


def test_gates_are_those_of_the_game():
    assert (CONFIG_ICON_LIBRARY, CONFIG_EDITORS, CONFIG_PLAYER_HANDLE, CONFIG_NEWEST) == (3, 4, 6, 6)

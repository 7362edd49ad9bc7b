"""The version gates: each is the number of the game."""

from pathlib import Path

import pytest

from streamsave.decode.codecs import F32, I32, U8
from streamsave.formats.satisfactory import versions
from streamsave.formats.satisfactory.versions import Member, members

GATES = {
    "HEADER_VERSION_OLDEST": 4,
    "HEADER_SESSION_VISIBILITY": 5,
    "HEADER_EDITOR_VERSION": 7,
    "HEADER_MODS": 8,
    "HEADER_SAVE_IDENTIFIER": 10,
    "HEADER_PARTITIONED": 11,
    "HEADER_HASH": 12,
    "HEADER_CREATIVE": 13,
    "HEADER_SAVE_NAME": 14,
    "BLUEPRINT_HEADER_NEWEST": 2,
    "BLUEPRINT_HEADER_COST": 1,
    "BLUEPRINT_HEADER_RECIPES": 2,
    "CONFIG_NEWEST": 6,
    "CONFIG_ICON_LIBRARY": 3,
    "CONFIG_EDITORS": 4,
    "CONFIG_PLAYER_HANDLE": 6,
    "SAVE_VERSION_NEWEST": 60,
    "SAVE_VERSION_COMPRESSED": 21,
    "SAVE_VERSION_LEVELS": 29,
    "SAVE_VERSION_WIRE_LOCATIONS": 33,
    "SAVE_VERSION_DRONE_STRUCTS": 39,
    "SAVE_VERSION_WIRE_MESHES": 40,
    "SAVE_VERSION_64_BIT": 41,
    "SAVE_VERSION_VALIDATION_GRIDS": 41,
    "SAVE_VERSION_ENTRY_VERSIONS": 41,
    "SAVE_VERSION_DOUBLES": 41,
    "SAVE_VERSION_SOFT_PACKAGES": 41,
    "SAVE_VERSION_COMPONENT_LISTS": 41,
    "SAVE_VERSION_ITEM_STATE": 43,
    "SAVE_VERSION_WIDE_FOLIAGE_GRID": 43,
    "SAVE_VERSION_LIGHTWEIGHT_VERSION": 48,
    "SAVE_VERSION_OBJECT_FLAGS": 49,
    "SAVE_VERSION_LEVEL_VERSION": 51,
    "SAVE_VERSION_VERSION_DATA": 53,
    "SAVE_VERSION_FAR_GRID": 54,
    "SAVE_VERSION_WIDE_PLAYER_HANDLE": 57,
    "SAVE_VERSION_SINGLE_PLAYER_HANDLE": 58,
    "LIGHTWEIGHT_FIRST": 1,
    "LIGHTWEIGHT_TYPE_SPECIFIC_DATA": 2,
    "LIGHTWEIGHT_SERVICE_PROVIDER": 3,
    "LIGHTWEIGHT_NEWEST": 4,
    "BUILD_TEXT_INVARIANT": 140822,
    "BUILD_TEXT_INVARIANT_EARLY": 139650,
}


def test_gates():
    assert {name: value for name, value in vars(versions).items() if name.isupper() and isinstance(value, int)} == GATES


def test_every_gate_is_used():
    """A constant that nothing reads says nothing about the format."""
    folder = Path(versions.__file__).parent
    others = (folder.parent.parent / name for name in ("rewriting", "recovery"))
    sources = [*folder.glob("*.py"), *(path for other in others for path in other.glob("*.py"))]
    text = "".join(path.read_text(encoding="utf-8") for path in sources if not path.name.startswith("versions"))
    assert [name for name in GATES if name not in text] == []


ROWS = [Member("always", U8), Member("old", F32, before=7), Member("new", I32, 7), Member("between", I32, 3, 9)]


@pytest.mark.parametrize(
    ("version", "names"),
    [
        (-(1 << 31), ["always", "old"]),
        (2, ["always", "old"]),
        (3, ["always", "old", "between"]),
        (6, ["always", "old", "between"]),
        (7, ["always", "new", "between"]),
        (8, ["always", "new", "between"]),
        (9, ["always", "new"]),
        ((1 << 31) - 1, ["always", "new"]),
    ],
)
def test_versions(version, names):
    assert list(members(version, ROWS)) == names


def test_a_member_may_change_its_type():
    rows = [Member("index", U8, before=57), Member("index", I32, 57)]
    assert [members(version, rows)["index"] for version in (56, 57)] == [U8, I32]

"""The header of an Astroneer save: that of its save game, and more."""

from __future__ import annotations

from attrs import asdict

from streamsave.formats.astroneer.header import extend_header
from streamsave.formats.gvas.header import CustomVersion, GvasHeader
from streamsave.values import Guid


def test_all_fields_of_the_save_game_are_kept():
    """Each field has a value that no other field has: none is lost, and none is swapped."""
    key = Guid(bytes(range(16)))
    header = GvasHeader(
        save_game_version=2,
        package_version_ue4=514,
        package_version_ue5=1009,
        engine_version=(4, 18, 2),
        changelist=7,
        branch="branch",
        custom_version_format=3,
        custom_versions=[CustomVersion(key, 5)],
        save_game_class="AstroSave",
        class_header=b"\1\2",
        serialization_control=8,
        wrapper="zlib",
        size=99,
    )
    extended = extend_header(header)
    own = {"astro_save_version", "level_name", "layout", "container_save", "container_saves"}
    values = asdict(extended, recurse=False)
    assert {name: value for name, value in values.items() if name not in own} == asdict(header, recurse=False)
    assert {values[name] for name in own} == {None}
    assert extended.custom_version(bytes(range(16))) == 5

"""Which spelling of a value is wanted: the versions in scope where it is written.

+------------------------+------------------------------------------------------+
| SaveVersion 33 .. 39   | power lines also store where both ends are            |
| SaveVersion 41         | vectors are doubles, components end in an i32 0, soft |
|                        | paths give a package                                  |
| SaveVersion 43         | item states are dynamic structs                       |
| SaveVersion 48         | the lightweight subsystem writes its own version      |
| SaveVersion 57, 58     | player handles are five bytes (57: twice)             |
| UE5 version 1011       | one byte of serialization control before the list     |
| UE5 version 1012       | complete type names, flags in the tag                 |
+------------------------+------------------------------------------------------+
"""

from __future__ import annotations

from attrs import frozen

from writer.primitives import fstring

SAVE_VERSION_CACHED_WIRES = 33
SAVE_VERSION_CACHED_WIRES_GONE = 40
SAVE_VERSION_DRONE_ACTION_STRUCTS = 39
SAVE_VERSION_64_BIT = 41
SAVE_VERSION_ITEM_STATE_STRUCTS = 43
SAVE_VERSION_LIGHTWEIGHT_VERSION = 48
SAVE_VERSION_PLAYER_HANDLE_TWICE = 57
SAVE_VERSION_PLAYER_HANDLE = 58
UE5_INITIAL = 1000
UE5_SERIALIZATION_CONTROL = 1011
UE5_COMPLETE_TYPE_NAMES = 1012


@frozen
class Dialect:
    """The versions in scope."""

    save_version: int
    ue5: int = UE5_INITIAL

    @property
    def doubles(self) -> bool:
        """Vectors and kin are stored as doubles."""
        return self.save_version >= SAVE_VERSION_64_BIT

    @property
    def soft_path_parts(self) -> int:
        """Of how many strings a soft path is made: the path inside; the asset; the package."""
        return 3 if self.doubles else 2

    def sub_path(self, path: str) -> bytes:
        """The path inside of an asset, after its name."""
        return fstring(path)

    @property
    def serialization_control(self) -> bool:
        """A byte of serialization control precedes a property list of an object."""
        return self.ue5 >= UE5_SERIALIZATION_CONTROL

    @property
    def new_tags(self) -> bool:
        """Property tags carry complete type names and flags."""
        return self.ue5 >= UE5_COMPLETE_TYPE_NAMES

    @property
    def inner_tags(self) -> bool:
        """An array of structs starts with a tag of its own."""
        return not self.new_tags

    def tag_extras(self, _kind: str, extras: bytes) -> bytes:
        """What an old tag holds between its index and the property's GUID; older engines wrote less."""
        return extras

    def tag_end(self, guid: bytes | None) -> bytes:
        """What an old tag ends with: the property's GUID, if it has one."""
        return b"\0" if guid is None else b"\x01" + guid

    @property
    def item_state_structs(self) -> bool:
        """An inventory item holds a dynamic struct instead of a reference to an actor."""
        return self.save_version >= SAVE_VERSION_ITEM_STATE_STRUCTS

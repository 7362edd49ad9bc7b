"""Version gates: one name for each version that changed a layout, and what it changed; and rows of layouts, which have gates."""

from __future__ import annotations

from typing import Final

from streamsave.decode.codecs import Codec

# --- SaveHeaderVersion ---

HEADER_VERSION_OLDEST: Final = 4
#: `session_visibility`
HEADER_SESSION_VISIBILITY: Final = 5
#: `editor_object_version`
HEADER_EDITOR_VERSION: Final = 7
#: `mod_metadata`, `is_modded_save`
HEADER_MODS: Final = 8
#: `save_identifier`
HEADER_SAVE_IDENTIFIER: Final = 10
#: `is_partitioned_world`
HEADER_PARTITIONED: Final = 11
#: `save_data_hash`
HEADER_HASH: Final = 12
#: `is_creative_mode_enabled`
HEADER_CREATIVE: Final = 13
#: `save_name`, before `map_name`
HEADER_SAVE_NAME: Final = 14

# --- header version of blueprints ---

BLUEPRINT_HEADER_NEWEST: Final = 2
#: `cost`
BLUEPRINT_HEADER_COST: Final = 1
#: `recipes`
BLUEPRINT_HEADER_RECIPES: Final = 2

# --- version of blueprint configurations ---

CONFIG_NEWEST: Final = 6
#: `icon_library`: package and asset
CONFIG_ICON_LIBRARY: Final = 3
#: `editors`, in this version only
CONFIG_EDITORS: Final = 4
#: `last_edited_by`
CONFIG_PLAYER_HANDLE: Final = 6

# --- SaveVersion ---

SAVE_VERSION_NEWEST: Final = 60
#: The body is compressed, and starts with its size.
SAVE_VERSION_COMPRESSED: Final = 21
#: Streaming levels (Update 6); blobs have sizes; the persistent level lists destroyed actors by level.
SAVE_VERSION_LEVELS: Final = 29
#: Wires store where they hang ...
SAVE_VERSION_WIRE_LOCATIONS: Final = 33
#: ... until they can have more than one mesh.
SAVE_VERSION_WIRE_MESHES: Final = 40
#: The actions of drones are structs; what came before is not known.
SAVE_VERSION_DRONE_STRUCTS: Final = 39
# One game update (Update 8) brought all of these; versions 37 to 40 were never seen.
#: 64-bit archive: the sizes of body and blobs are i64.
SAVE_VERSION_64_BIT: Final = 41
#: The body has validation grids.
SAVE_VERSION_VALIDATION_GRIDS: Final = 41
#: Each object has a SaveVersion of its own.
SAVE_VERSION_ENTRY_VERSIONS: Final = 41
#: Vectors and quaternions are doubles.
SAVE_VERSION_DOUBLES: Final = 41
#: Soft object paths have a package name, before asset and path.
SAVE_VERSION_SOFT_PACKAGES: Final = 41
#: Components write how many properties a construction script has modified: always 0.
SAVE_VERSION_COMPONENT_LISTS: Final = 41
#: Items no longer lie on belts but on conveyor chains; the state of an item is a dynamic struct, not a reference.
SAVE_VERSION_ITEM_STATE: Final = 43
#: The cells of the grid of foliage are wider: seen in 46, not in 42.
SAVE_VERSION_WIDE_FOLIAGE_GRID: Final = 43
#: The lightweight buildable subsystem writes a version of its own.
SAVE_VERSION_LIGHTWEIGHT_VERSION: Final = 48
#: Object flags in the headers of the table of contents.
SAVE_VERSION_OBJECT_FLAGS: Final = 49
#: Streaming levels have their SaveVersion after their data.
SAVE_VERSION_LEVEL_VERSION: Final = 51
#: Version data of the body, of levels, of objects and of blueprints.
SAVE_VERSION_VERSION_DATA: Final = 53
#: There is a grid `ExplorationGridFar`: seen in 58, not in 53.
SAVE_VERSION_FAR_GRID: Final = 54
#: A player's handle is `u8, i32`, in this version twice; before it was `u8, u8`.
SAVE_VERSION_WIDE_PLAYER_HANDLE: Final = 57
SAVE_VERSION_SINGLE_PLAYER_HANDLE: Final = 58

# --- version of the lightweight buildable subsystem ---

#: What a save has that does not store the version.
LIGHTWEIGHT_FIRST: Final = 1
#: `type_specific_data`, a dynamic struct
LIGHTWEIGHT_TYPE_SPECIFIC_DATA: Final = 2
#: `service_provider`, a player's handle
LIGHTWEIGHT_SERVICE_PROVIDER: Final = 3
#: The newest that is known; it has the layout of the one before.
LIGHTWEIGHT_NEWEST: Final = 4

# --- BuildVersion ---

#: Texts without a history say whether a culture-invariant string follows.
BUILD_TEXT_INVARIANT: Final = 140822
#: One earlier build does so, too.
BUILD_TEXT_INVARIANT_EARLY: Final = 139650

# --- rows ---


class Member:
    """One row of a layout: a name, a codec, and the versions that have it: from `first` on, but not from `before` on."""

    def __init__(self, name: str, codec: Codec, first: int = 0, before: int = 1 << 31) -> None:
        self.name = name
        self.codec = codec
        self.first = first
        self.before = before


def members(version: int, rows: list[Member]) -> dict[str, Codec]:
    """Return the members of one version, in the order of the bytes."""
    return {row.name: row.codec for row in rows if (row.first == 0 or version >= row.first) and version < row.before}

"""Version gates: one name for each version that changed a layout, and what it changed."""

from __future__ import annotations

from typing import Final

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
#: Streaming levels (Update 6); blobs have sizes.
SAVE_VERSION_LEVELS: Final = 29
#: Wires remember where they hang, until they can have more than one mesh.
SAVE_VERSION_WIRE_LOCATIONS: Final = 33
SAVE_VERSION_WIRE_MESHES: Final = 40
#: Drone actions are structs.
SAVE_VERSION_DRONE_STRUCTS: Final = 39
#: 64-bit archive: body and blob sizes are i64, vectors are doubles, validation grids, a version per object.
SAVE_VERSION_64_BIT: Final = 41
#: Items no longer lie on belts but on conveyor chains; the state of an item is a dynamic struct.
SAVE_VERSION_ITEM_STATE: Final = 43
#: The lightweight buildable subsystem writes a version of its own.
SAVE_VERSION_LIGHTWEIGHT_VERSION: Final = 48
#: Object flags in the headers of the table of contents.
SAVE_VERSION_OBJECT_FLAGS: Final = 49
#: Streaming levels tell their SaveVersion behind their data.
SAVE_VERSION_LEVEL_VERSION: Final = 51
#: Version data of the body, of levels and of objects; replaces the SaveVersion of streaming levels.
SAVE_VERSION_VERSION_DATA: Final = 53
#: A player's handle is `u8, i32`, in this version twice; before it was `u8, u8`.
SAVE_VERSION_WIDE_PLAYER_HANDLE: Final = 57
SAVE_VERSION_SINGLE_PLAYER_HANDLE: Final = 58

# --- BuildVersion ---

#: Texts without a history tell whether they have a culture-invariant string.
BUILD_TEXT_INVARIANT: Final = 140822
#: A build before that one which does so, too.
BUILD_TEXT_INVARIANT_EARLY: Final = 139650

# --- Unreal Engine 5 object version ---

UE5_INITIAL: Final = 1000
#: A byte in front of an object's properties.
UE5_SERIALIZATION_CONTROL: Final = 1011
#: Type trees and flags in property tags.
UE5_TYPE_TREES: Final = 1012

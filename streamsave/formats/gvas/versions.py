"""Version gates: one name for each version that changed a layout, and what it changed. See `unreal.tags` for two more."""

from __future__ import annotations

from typing import Final

# --- SaveGameVersion ---

#: Custom versions, from engine 4.12 on.
SAVE_GAME_CUSTOM_VERSIONS: Final = 2
#: The package version of UE5.
SAVE_GAME_UE5: Final = 3

# --- PackageVersionUE4 ---

#: Texts have a history: how they were made.
UE4_TEXT_HISTORY: Final = 368
#: Currency texts start with the code of the currency.
UE4_CURRENCY_CODE: Final = 389
#: Tags of structs have the struct's GUID.
UE4_STRUCT_GUID: Final = 441
#: Arrays of structs start with a tag of their own.
UE4_INNER_ARRAY_TAG: Final = 500
#: Tags end with the property's GUID, if it has one.
UE4_PROPERTY_GUID: Final = 503
#: Tags of sets and maps have the types inside.
UE4_CONTAINER_TYPES: Final = 509
#: A soft object path is two strings, before that one.
UE4_SOFT_PATH: Final = 514
#: Texts of dates have the time zone.
UE4_TIME_ZONE: Final = 422
#: The name of an online service before a player's id there (engine 4.20).
UE4_NET_ID_TYPE: Final = 516

# --- PackageVersionUE5; the version is 0 where the save has none ---

UE5_LEAST: Final = 1000
UE5_MOST: Final = 1099
#: Numbers of vectors, rotators, boxes, ... are doubles.
UE5_LARGE_WORLD: Final = 1004
#: A soft object path is package, asset and path inside of it.
UE5_ASSET_PATHS: Final = 1007

# --- custom versions: GUIDs as they are stored, and what changed at which number ---

EDITOR_OBJECT: Final = bytes.fromhex("ED68B0E4E94294F40BDA31A241BB462E")
#: Number options of texts start with `always_sign`.
EDITOR_ALWAYS_SIGN: Final = 21
#: Texts of history -1 have a flag, and a culture-invariant string if it is set.
EDITOR_CULTURE_INVARIANT: Final = 32

UE5_RELEASE: Final = bytes.fromhex("425E9BD8464DBD24A8AC1284791764DF")
#: Integers among the arguments of a format have 64 bits.
UE5_RELEASE_WIDE_ARGUMENTS: Final = 12

FORTNITE_MAIN: Final = bytes.fromhex("86181D60844F64ACDED316AAD6C7EA0D")
#: The path inside of a soft object path is UTF-8.
FORTNITE_UTF8_SUB_PATH: Final = 192

CORE_OBJECT: Final = bytes.fromhex("3CC15E37FB48E406F08400B57E712A26")
#: A field path ends with its owner.
CORE_FIELD_OWNER: Final = 4

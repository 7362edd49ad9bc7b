"""How files of Astroneer start, and the versions that are known here: others are refused, or passed over."""

from __future__ import annotations

from typing import Final

#: Of the wrapper around a zlib stream.
WRAPPER_VERSION: Final = 1
#: Of voxel terrain. Terrain of another version is passed over.
TERRAIN_VERSION: Final = 3

#: How a wrapper, a save game and a zip archive start.
MAGIC: Final = bytes.fromhex("BE40374AEE0B74A3")
SAVE_GAME_MAGIC: Final = b"GVAS"
ZIP_MAGIC: Final = b"PK\x03\x04"
#: Of the index of Xbox pieces, which starts with it.
INDEX_VERSION: Final = 4
#: The class is searched for in so many bytes of the save game: it follows the custom versions, 20 bytes each.
CLASS_WITHIN: Final = 16 * 1024

"""Versions that Astroneer states, and that are known here: others are refused, or passed over."""

from __future__ import annotations

from typing import Final

#: Of the wrapper around a zlib stream.
WRAPPER_VERSION: Final = 1
#: Of the index of Xbox pieces.
INDEX_VERSION: Final = 4
#: Of voxel terrain. Terrain of another version is passed over.
TERRAIN_VERSION: Final = 3

"""Checkpoints: the hash of a name as `u32`, before the thing that the name says; not all saves have them."""

from __future__ import annotations

from typing import Final

__all__ = ["CHECKPOINTS", "checkpoint_hash"]

#: All checkpoints that the game writes. A test computes the numbers.
CHECKPOINTS: Final[dict[str, int]] = {
    "blob:start": 0xC4720D54,
    "blob:end": 0x84A43021,
    "island": 0xB121029A,
    "buildings": 0xA4496D7C,
    "building": 0x35A08DE5,
    "belt-path-state:start": 0x730DB46B,
    "belt-path-state:end": 0xFCC69DC9,
    "fast-belt-path:start": 0x37DBF32A,
    "fast-belt-path:end": 0xB4C2C396,
    "super-chunk": 0xA64674EE,
    "super-chunk:shape-resources": 0x09F27CDA,
    "super-chunk:fluid-resources": 0x16473A51,
    "TrainData": 0xECEF68E7,
}

MASK: Final = 0xFFFFFFFF


def checkpoint_hash(name: str) -> int:
    """Return the hash of a name: Jenkins' one-at-a-time over its UTF-16 units, from a seed that the game chose."""
    value = 523423
    for unit in name:
        value = (value + ord(unit)) & MASK
        value = (value + (value << 10)) & MASK
        value ^= value >> 6
    value = (value + (value << 3)) & MASK
    value ^= value >> 11
    return (value + (value << 15)) & MASK

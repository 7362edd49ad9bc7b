"""Layouts by version: a member of a struct may exist only in some versions."""

from __future__ import annotations

from typing import Final

from streamsave.decode.codecs import Codec

__all__ = ["NEVER", "Member", "members"]

#: A version that no save reaches.
NEVER: Final = 1 << 31


class Member:
    """One row of a layout: a name, a codec, and the versions that have it: from `first` on, but not from `before` on."""

    def __init__(self, name: str, codec: Codec, first: int = 0, before: int = NEVER) -> None:
        self.name = name
        self.codec = codec
        self.first = first
        self.before = before


def members(version: int, rows: list[Member]) -> dict[str, Codec]:
    """Return the members of one version, in the order of the bytes."""
    return {row.name: row.codec for row in rows if (row.first == 0 or version >= row.first) and version < row.before}

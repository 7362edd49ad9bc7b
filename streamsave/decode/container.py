"""What a reader says of the containers whose elements can be objects."""

from __future__ import annotations

__all__ = ["Container"]


class Container:
    """All containers at one path: what is `[*]` in it may be any position."""

    def __init__(self, path: str) -> None:
        #: As `streamsave.open` takes it for `objects_at`.
        self.path = path
        #: How many there are, their elements, and the bytes of these.
        self.count = 0
        self.elements = 0
        self.size = 0

    def __repr__(self) -> str:
        return f"Container(path={self.path!r}, count={self.count}, elements={self.elements}, size={self.size})"

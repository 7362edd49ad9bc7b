"""What `collect` hands things to while it reads a save: places of objects, and values of chosen properties."""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from streamsave.events import ObjectHeader

__all__ = ["Sink"]


@mypyc_attr(allow_interpreted_subclasses=True)
class Sink:
    """Takes what is found on the way. This one takes nothing."""

    def __init__(self) -> None:
        #: Names of properties whose values may be wanted.
        self.names: frozenset[str] = frozenset()

    def place(self, header: ObjectHeader) -> None:
        """Take an object: its header."""

    def wants(self, header: ObjectHeader, name: str) -> bool:
        """Return whether the value of a property is wanted."""
        return True

    def value(self, header: ObjectHeader, name: str, value: object) -> None:
        """Take a value of an object, as `build()` makes it."""

"""A selection that is a function."""

from __future__ import annotations

from collections.abc import Callable

from streamsave.decode.object_filter import ObjectFilter
from streamsave.events import ObjectHeader

__all__ = ["AskedFilter"]


class AskedFilter(ObjectFilter):
    """Wants the objects of which a function says so, when it gets their headers."""

    def __init__(self, ask: Callable[[ObjectHeader], bool]) -> None:
        super().__init__()
        self._ask = ask
        #: The header it was asked about last, and what it said.
        self._asked: ObjectHeader | None = None
        self._answer = False

    def wants_class(self, class_name: str) -> bool:
        """Return True: the function gets a header."""
        return True

    def wants_names(self, class_name: str, instance_name: str, level: str) -> bool:
        """Return True, as `wants_class` does."""
        return True

    def wants_header(self, header: ObjectHeader) -> bool:
        """Do as `takes`."""
        return self.takes(header)

    def takes(self, header: ObjectHeader) -> bool:
        """Return what the function says of a header; it is asked once."""
        if header is not self._asked:
            self._asked = header
            self._answer = self._ask(header)
        return self._answer

"""The one place that decides whether a walk survives a fault."""

from __future__ import annotations

from types import TracebackType

from streamsave.decode.reader import Reader
from streamsave.errors import SaveError

__all__ = ["Guard"]


class Guard:
    """Catches the faults of a walk, where the reader survives them: only made with `on_damage="resync"`.

        with guard:
            yield from walk
        if guard.fault is not None:
            yield damage

    What is done about a fault comes after the `with`, never inside of an `except`: a compiled generator that yields there keeps
    the fault as "being handled", and every exception that the consumer raises then would have it as its context.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        #: The fault that the last `with` caught, or None.
        self.fault: SaveError | None = None

    def __enter__(self) -> None:
        self.fault = None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> bool:
        if isinstance(error, SaveError) and self._reader.survives(error):
            self.fault = error
            return True
        self.fault = None
        return False

"""What a check reports."""

from __future__ import annotations

from typing import Final

from attrs import field, frozen

from streamsave.errors import PathStep, SaveError

__all__ = ["FATAL", "FINDING", "NOTE", "Finding"]

#: The save cannot be decoded any further.
FATAL: Final = "fatal"
#: The save contradicts itself.
FINDING: Final = "finding"
#: Worth knowing, but a sound save may have it.
NOTE: Final = "note"


@frozen
class Finding:
    """One result of a check."""

    #: `FATAL`, `FINDING` or `NOTE`.
    severity: str
    #: The rule: `"md5"`, `"tiling"`, ...
    kind: str
    message: str
    #: Position in the inflated stream, or None if it is about the whole save.
    offset: int | None = None
    #: Names and indices from the outermost nesting to the place.
    path: tuple[PathStep, ...] = ()
    #: The error that ended the check, of a `FATAL` one.
    error: SaveError | None = field(default=None, eq=False, repr=False)

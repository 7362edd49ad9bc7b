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
    """One result of a check.

    Attributes:
        severity (str): `FATAL`, `FINDING` or `NOTE`.
        kind (str): the rule: `"md5"`, `"tiling"`, ...
        message (str): what was found, for people.
        offset (int | None): position in the inflated stream, in bytes; None if it is about the whole save.
        path (tuple[PathStep, ...]): names and indices from the outermost nesting to the place; empty if it is about the whole
            save.
        error (SaveError | None): the error that ended the check, of a `FATAL` one; else None.
    """

    severity: str
    kind: str
    message: str
    offset: int | None = None
    path: tuple[PathStep, ...] = ()
    error: SaveError | None = field(default=None, eq=False, repr=False)

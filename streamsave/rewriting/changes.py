"""What an edit by selection has changed."""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["DROP", "MISSING", "SET", "UNLINK", "Change"]

#: `Change.verb`.
DROP: Final = "drop"
SET: Final = "set"
UNLINK: Final = "unlink"
#: No change: an object that was chosen has no value at the path.
MISSING: Final = "no such value"


class Change(NamedTuple):
    """One object that is dropped, or one value that becomes another: what was assigned, or one without a reference."""

    verb: str
    class_name: str
    instance_name: str
    path: str = ""
    old: object = None
    new: object = None

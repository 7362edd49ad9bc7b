"""What `grep` finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamsave.errors import PathStep
from streamsave.events import ObjectHeader

if TYPE_CHECKING:
    from attrs import frozen

    from streamsave.query.tests import SelectedObject
else:
    from streamsave._lazy_attrs import frozen

__all__ = ["Found", "Match"]


@frozen
class Found:
    """A value in an object, and its path from the object."""

    path: tuple[PathStep, ...]
    value: object
    #: Size in bytes of a value that is too large to build; then `value` is None.
    size: int | None = None


@frozen
class Match:
    """An object that matches."""

    header: SelectedObject | ObjectHeader
    #: The value that was found in it; None if values do not matter. And its number among those of the object, from 1.
    found: Found | None = None
    number: int = 1

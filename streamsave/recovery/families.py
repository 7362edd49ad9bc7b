"""The formats whose events come from here with `on_damage="resync"`, in place of those of the reader alone."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

from streamsave.decode.reader import Reader

if TYPE_CHECKING:
    from streamsave.events import Event

__all__ = ["recovered"]

#: The module of a reader -> the module here that drives it.
FAMILIES: Final = {
    "streamsave.formats.arx.reader": "streamsave.recovery.arx",
    "streamsave.formats.shapez2.code": "streamsave.recovery.shapez2",
    "streamsave.formats.shapez2.reader": "streamsave.recovery.shapez2",
}


def recovered(reader: Reader) -> Iterator[Event] | None:
    """Return the events of a reader, and `Damage` in place of what is lost; None: it recovers on its own."""
    family = FAMILIES.get(type(reader).__module__)
    return None if family is None else cast("Iterator[Event]", import_module(family).events(reader))

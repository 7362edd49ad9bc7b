"""What can be read of a damaged save, but no game has written: bytes after the end of a list of properties in a struct.

The events of the save have it as bytes of unknown layout; a new save is made without it.
"""

from __future__ import annotations

from typing import Final

from streamsave.consume.stream import EventStream
from streamsave.decode.reader import Reader
from streamsave.errors import DamagedSave
from streamsave.events import BlobSkip, Damage
from streamsave.formats.unreal.frames import AFTER_LIST
from streamsave.values import Loss

__all__ = ["loss_of"]

#: What a list of properties ends with.
NONE: Final = "None"
#: `Loss.kind`.
PROPERTY: Final = "property"


def loss_of(skip: BlobSkip, events: EventStream, reader: Reader) -> Damage | None:
    """Return the loss of bytes of unknown layout, the last event; None if they may be what a game has written.

    Args:
        skip: the last event.
        events: of the save.
        reader: makes them.
    """
    if skip.reason != AFTER_LIST:
        return None
    encoder = reader.encoder()
    encoder.name(NONE)
    size = len(encoder.data)
    path = events.path
    error = DamagedSave(AFTER_LIST, skip.offset + size, path=path)
    reader.damage_depth = events.depth
    return Damage(skip.offset, skip.size, error, Loss(PROPERTY, AFTER_LIST, path, skip.size - size))

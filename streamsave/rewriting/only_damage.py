"""What can be read of a damaged save, but no game has written: a new save is made without it.

| what | |
|---|---|
| the value of a struct of known size | it has another size |
| a struct that is a list of properties | bytes follow the end of the list |
"""

from __future__ import annotations

from typing import Final

from streamsave.consume.stream import EventStream
from streamsave.decode.reader import Reader
from streamsave.errors import DamagedSave, SaveError
from streamsave.events import BlobSkip, Damage, PropertyTag
from streamsave.formats.unreal.frames import AFTER_LIST
from streamsave.formats.unreal.reader import UnrealReader
from streamsave.values import Loss

__all__ = ["loss_of"]

#: Reasons of a `BlobSkip`; the type of the struct follows the first.
UNKNOWN_STRUCT: Final = "unknown struct "
#: What a list of properties ends with.
NONE: Final = "None"
#: `Loss.kind`.
PROPERTY: Final = "property"


def loss_of(skip: BlobSkip, tag: PropertyTag | None, events: EventStream, reader: Reader) -> Damage | None:
    """Return the loss of bytes of unknown layout, the last event; None if they may be what a game has written.

    Args:
        skip: the last event.
        tag: the event before it, if that is a tag.
        events: of the save.
        reader: makes them.
    """
    if not isinstance(reader, UnrealReader):
        return None
    path = events.path
    if skip.reason == AFTER_LIST:
        encoder = reader.encoder()
        encoder.name(NONE)
        size = len(encoder.data)
        error: SaveError = DamagedSave(AFTER_LIST, skip.offset + size, path=path)
        name = skip.reason
    elif tag is not None and skip.reason.startswith(UNKNOWN_STRUCT) and skip.offset == tag.value_offset:
        codec = reader.dialect.structs.get(tag.type_name)
        if codec is None or codec.size < 0 or codec.tentative:
            return None
        size = 0
        name = tag.name
        message = f"value of {tag.type_name} {name} does not have its size"
        error = DamagedSave(message, skip.offset, path=path, expected=codec.size, actual=skip.size)
    else:
        return None
    reader.damage_depth = events.depth
    return Damage(skip.offset + size, skip.size - size, error, Loss(PROPERTY, name, path, skip.size - size))

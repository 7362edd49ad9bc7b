"""What can be read of a damaged save, but no game has written: a new save is made without it.

| what | |
|---|---|
| the value of a struct of known size | it has another size |
| a struct that is a list of properties | bytes follow the end of the list |
| the header of an Unreal save game | no engine has these versions; its names are no names |
"""

from __future__ import annotations

from typing import Final

from streamsave.consume.stream import EventStream
from streamsave.decode.cursor import NO_LIMIT, Cursor
from streamsave.decode.reader import Reader
from streamsave.errors import DamagedSave, SaveError
from streamsave.events import BlobSkip, Damage, PropertyTag
from streamsave.formats.gvas.header import GvasHeader
from streamsave.formats.unreal.reader import UnrealReader
from streamsave.values import Loss

__all__ = ["check_header", "loss_of"]

#: Reasons of a `BlobSkip`; the type of the struct follows the first.
UNKNOWN_STRUCT: Final = "unknown struct "
BEHIND_LIST: Final = "bytes behind the end of a property list"
#: What a list of properties ends with.
NONE: Final = "None"
#: `Loss.kind`.
PROPERTY: Final = "property"

#: Offset in the file, first and last number that there is, of each version in a header.
SAVE_GAME_VERSION: Final = (4, 1, 255)
PACKAGE_VERSION_UE4: Final = (8, 214, 999)
#: Of an engine, the largest number of each part.
ENGINE_LEAST: Final = (4, 0, 0)
ENGINE_MOST: Final = (5, 99, 999)
#: The last character that one byte has for itself.
LAST_LATIN: Final = "\xff"


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
    if skip.reason == BEHIND_LIST:
        encoder = reader.encoder()
        encoder.name(NONE)
        size = len(encoder.data)
        error: SaveError = DamagedSave(BEHIND_LIST, skip.offset + size, path=path)
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


def check_header(header: GvasHeader, cursor: Cursor) -> None:
    """Check what no property depends on, and each program that reads the save.

    Args:
        header: of the save.
        cursor: any place of its stream.

    Raises:
        DamagedSave: it is that of no save.
    """
    for name, value, (offset, first, last) in (
        ("SaveGameVersion", header.save_game_version, SAVE_GAME_VERSION),
        ("package version of UE4", header.package_version_ue4, PACKAGE_VERSION_UE4),
    ):
        if not first <= value <= last:
            raise cursor.damaged(f"{name} of no engine", offset=offset, expected=f"{first} to {last}", actual=value)
    engine = header.engine_version
    if not ENGINE_LEAST[0] <= engine[0] or any(part > most for part, most in zip(engine, ENGINE_MOST, strict=True)):
        offset = 12 if header.package_version_ue5 is None else 16
        text = ".".join(map(str, engine))
        raise cursor.damaged("there is no such version of the engine", offset=offset, expected="4.0 to 5.99", actual=text)
    cursor.set_limit(NO_LIMIT)
    cursor.seek(0)
    stored = bytes(cursor.peek(header.size))
    for name in (header.branch, header.save_game_class):
        # One with other characters is stored in two bytes for each.
        at = stored.find(name.encode("latin-1") + b"\0") if name and max(name) <= LAST_LATIN and not name.isascii() else -1
        if at >= 0:
            raise cursor.damaged("a name in the header", offset=at, expected="ASCII", actual=name)

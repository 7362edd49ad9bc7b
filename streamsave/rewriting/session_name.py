"""Where a save stores the name of its session.

| format | places |
|---|---|
| Satisfactory | `session_name` and `map_options` of the header; a property of the game mode and one of the game state |
| Arx | `name` of the entry `pld` |
| shapez 2 | `SavegameName` in `savegame.json` |
"""

from __future__ import annotations

import re
from typing import Final

from streamsave.consume.stream import EventStream
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder
from streamsave.errors import EditError, UnsupportedSave
from streamsave.events import ObjectHeader
from streamsave.formats.satisfactory.header import SaveHeader
from streamsave.formats.satisfactory.versions import HEADER_SAVE_NAME
from streamsave.input.source import Source
from streamsave.input.windows import FileWindows
from streamsave.limits import Limits

__all__ = ["FIELDS", "OBJECTS", "check_session_name", "is_named", "renamed_header"]

#: Format -> class or kind of the objects with the name -> path of the name.
OBJECTS: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "satisfactory": {"BP_GameMode_C": ("mSaveSessionName",), "BP_GameState_C": ("mReplicatedSessionName",)},
    "arx": {"pld": ("level_data", "name")},
    "shapez2": {},
}
#: Format -> field with the name, outside of objects.
FIELDS: Final = {"shapez2": "SavegameName"}
#: Separates the options of the map.
SEPARATOR: Final = "?"
OPTION: Final = re.compile(r"(?<=\?sessionName=)[^?]*")


def check_session_name(name: str, format_name: str) -> None:
    """Check a new session name.

    Raises:
        UnsupportedSave: saves of this format have no session name.
        EditError: the name is empty or not printable, or has a character that separates map options.
    """
    if format_name not in OBJECTS:
        raise UnsupportedSave(
            "saves of this format have no name of a session", expected=" or ".join(sorted(OBJECTS)), actual=format_name
        )
    if not name or not name.isprintable():
        raise EditError("the name of a session cannot be empty or have control characters", name)
    if format_name == "satisfactory" and SEPARATOR in name:
        raise EditError(f"the name of a session cannot have a {SEPARATOR}: that ends a map option", name)


def is_named(kind: str, _: EventStream, header: ObjectHeader) -> bool:
    """Return whether an object is of a class (without its folder) or a kind. The stream is not used."""
    return kind in {header.class_name.rpartition(".")[2], header.kind}


def renamed_header(source: Source, header: SaveHeader, limits: Limits, name: str) -> bytes:
    """Return the header of a Satisfactory save with another session name.

    Raises:
        SaveError: the header cannot be read.
    """
    cursor = Cursor(FileWindows(source), limits)
    cursor.skip(12)
    for _ in range(2 if header.save_header_version >= HEADER_SAVE_NAME else 1):
        cursor.string()
    start = int(cursor.tell())
    options = cursor.string()
    cursor.string()
    end = int(cursor.tell())
    encoder = Encoder()
    encoder.string(OPTION.sub(lambda _: name, options))
    encoder.string(name)
    return source.read_at(0, start) + bytes(encoder.data) + source.read_at(end, header.size - end)

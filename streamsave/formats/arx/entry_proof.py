"""Is an entry the one that its row names? With resync, this is proven before anything in it is given.

| entry | first struct | what has to be there |
|---|---|---|
| `pld`, `globals`, `lvlNNN` | PLAYER_LEVEL_DATA, SAVE_GLOBALS, INDEX | `version` 1.005 |
| `player` | PLAYER | `version` 0 |
| entity | IO_SAVE | `version` 1.005; but in a stub, a `filename` that ends in the class, and `ident`, the number |

So a row that leads to bytes of another entry gives nothing of it. Blobs, and entries too short for a struct, are passed over.
"""

from __future__ import annotations

import struct
from typing import Final

from streamsave.decode.cursor import Cursor

__all__ = ["STRUCT_VERSION", "prove_entry"]

#: The version of all structs but PLAYER, 1.005; and where it is, by the kind of the entry.
STRUCT_VERSION: Final = b"\xd7\xa3\x80\x3f"
PLAYER_VERSION: Final = bytes(4)
VERSIONS: Final = {
    "pld": (0, STRUCT_VERSION),
    "globals": (0, STRUCT_VERSION),
    "level": (0, STRUCT_VERSION),
    "player": (0, PLAYER_VERSION),
    "entity": (8, STRUCT_VERSION),
}
#: Of IO_SAVE.
FILENAME: Final = slice(12, 268)
IDENT_OFFSET: Final = 268
ENTITY_HEAD: Final = 272


def prove_entry(cursor: Cursor, kind: str, name: str) -> None:
    """Look at the start of an entry that is at the cursor, and long enough for its first struct.

    Raises:
        DamagedSave: it is not what its name says.
    """
    where, version = VERSIONS[kind]
    head = cursor.peek(ENTITY_HEAD)
    found = head[where : where + len(version)]
    if found != version:
        raise cursor.damaged(
            f"entry {name!r} does not start as its kind does", offset=cursor.tell() + where, expected=version, actual=found
        )
    if kind != "entity":
        return
    path = head[FILENAME].split(b"\0")[0].decode("latin-1").lower().replace("\\", "/")
    if not path:
        return
    (ident,) = struct.unpack_from("<i", head, IDENT_OFFSET)
    class_name, _, number = name.lower().rpartition("_")
    stem = path.rpartition("/")[2].rpartition(".")[0]
    if (stem, ident) != (class_name, int(number)):
        raise cursor.damaged(f"entry {name!r} is another one", expected=name, actual=f"{stem}_{ident:04d}")

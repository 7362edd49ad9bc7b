"""`SaveStart.header` of an Arx save: the file table, and the bytes of the file that belong to no entry."""

from __future__ import annotations

from attrs import define

from streamsave.values import Header

__all__ = ["ArxContainer", "ArxEntry"]


@define
class ArxEntry:
    """One row of the file table."""

    #: Position among the entries; the dummy of the oldest version does not count.
    index: int
    #: The name that the game looks up: Latin-1, in older containers in lower case and without `.sav`.
    name: str
    #: The bytes of the name in the table.
    raw_name: bytes
    #: `"pld"`, `"player"`, `"globals"`, `"level"`, `"entity"`, or `"blob"` for any other name.
    kind: str
    #: The class of an entity: its name without the number. Of others, the kind.
    class_name: str
    #: `"stored"`, `"implode"`, `"deflate"`; `"unknown (7)"`: read as its stored bytes.
    codec: str
    #: Unpacked bytes, or -1 where the table does not give them.
    size: int
    #: Packed bytes, all chunks together.
    stored_size: int
    #: Offset in the file and size of each chunk, in the order in which they are joined.
    chunks: list[tuple[int, int]]


@define
class ArxContainer(Header):
    """The file table, and the bytes that belong to no entry. Offsets count from the start of the file."""

    version: int
    #: Offset and bytes of the table, version and count included.
    table_offset: int
    table_size: int
    entries: list[ArxEntry]
    #: Name of the dummy entry of the oldest version; else None.
    dummy: str | None
    #: Offset and size of each gap that no entry uses, before the table.
    gaps: list[tuple[int, int]]
    #: Bytes after the table, left from a longer file.
    stale_size: int
    #: Names that several entries have. The game uses the last one when it opens a save, the first when it looks for one entry.
    duplicates: list[str]

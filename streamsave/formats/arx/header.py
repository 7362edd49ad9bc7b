"""What `SaveStart.header` holds of an Arx save: the container, with all that is in it and in no entry."""

from __future__ import annotations

from attrs import define

from streamsave.headers import Header

__all__ = ["ArxContainer", "ArxEntry"]


@define
class ArxEntry:
    """One row of the file table."""

    #: Position among the entries; the dummy of the oldest version is not counted.
    index: int
    #: As the game looks it up: Latin-1, in older containers lower-cased and without `.sav`.
    name: str
    #: As it stands in the table.
    raw_name: bytes
    #: `"pld"`, `"player"`, `"globals"`, `"level"`, `"entity"`, or `"blob"` for a name that says nothing.
    kind: str
    #: What an entity is: its name without the number. Else the kind.
    class_name: str
    #: `"stored"`, `"implode"`, `"deflate"`; `"unknown (7)"`: its bytes come as they are stored.
    codec: str
    #: Unpacked bytes, or -1 where the table does not tell.
    size: int
    #: Packed bytes, all chunks together.
    stored_size: int
    #: Offset in the file and size of each chunk, in the order in which they are joined.
    chunks: list[tuple[int, int]]


@define
class ArxContainer(Header):
    """The file table, and which bytes of the file belong to nothing. Offsets count from the start of the file."""

    version: int
    #: Where the table starts, and its bytes: 8 for version and count, then the entries.
    table_offset: int
    table_size: int
    entries: list[ArxEntry]
    #: Name of the first entry of the oldest version, which is none; else None.
    dummy: str | None
    #: Offset and size of what no entry uses in front of the table.
    gaps: list[tuple[int, int]]
    #: Bytes behind the table: what is left of a longer file.
    stale_size: int
    #: Names that several entries have. The game takes the last one, or the first, depending on what it looks for.
    duplicates: list[str]

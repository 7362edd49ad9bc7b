"""`SaveStart.header` of an Arx save: the file table, and the bytes of the file that belong to no entry."""

from __future__ import annotations

from attrs import define

from streamsave.values import Header

__all__ = ["ArxContainer", "ArxEntry"]


@define
class ArxEntry:
    """One row of the file table.

    Attributes:
        index (int): position among the entries; the dummy of the oldest version does not count.
        name (str): the name that the game looks up: Latin-1, in older containers in lower case and without `.sav`.
        raw_name (bytes): the bytes of the name in the table.
        kind (str): `"pld"`, `"player"`, `"globals"`, `"level"`, `"entity"`, or `"blob"` for any other name.
        class_name (str): the class of an entity: its name without the number. Of others, the kind.
        codec (str): `"stored"`, `"implode"`, `"deflate"`; `"unknown (7)"`: read as its stored bytes.
        size (int): unpacked bytes; -1 where the table does not give them.
        stored_size (int): packed bytes, all chunks together.
        chunks (list[tuple[int, int]]): offset in the file and size of each chunk, in bytes, in the order in which they are
            joined.
    """

    index: int
    name: str
    raw_name: bytes
    kind: str
    class_name: str
    codec: str
    size: int
    stored_size: int
    chunks: list[tuple[int, int]]


@define
class ArxContainer(Header):
    """The file table, and the bytes that belong to no entry. Offsets count from the start of the file.

    Attributes:
        version (int): of the container, as stored: 0x10001 is 1.1.
        table_offset (int): where the table starts, in bytes.
        table_size (int): bytes of the table, version and count included.
        entries (list[ArxEntry]): the rows of the table.
        dummy (str | None): name of the dummy entry of the oldest version; else None.
        gaps (list[tuple[int, int]]): offset and size of each gap that no entry uses, before the table, in bytes.
        stale_size (int): bytes after the table, left from a longer file.
        duplicates (list[str]): names that several entries have. The game uses the last one when it opens a save, the first when
            it looks for one entry.
    """

    version: int
    table_offset: int
    table_size: int
    entries: list[ArxEntry]
    dummy: str | None
    gaps: list[tuple[int, int]]
    stale_size: int
    duplicates: list[str]

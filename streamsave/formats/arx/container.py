"""The container: a table of entries at the end of the file.

| field | type | |
|---|---|---|
| data_size | u32 | the table starts at `DATA_OFFSET` + data_size |
| data | | chunks in any order, and gaps between them |
| version | u32 | see `versions` |
| entry_count | u32 | up to `VERSION_LEGACY`, the first entry is a dummy |
| entries | | |
| stale bytes | | left from a table that was longer |

An entry; its chunks, joined, are one packed stream:

| field | type | |
|---|---|---|
| name | bytes up to a NUL | before `VERSION_NO_EXTENSION`, case does not count, and one `.sav` at the end is not part of it |
| size | u32 | from `VERSION_CODECS` on unpacked bytes, 0xffffffff if unknown; before it meaningless |
| chunk_count | u32 | before `VERSION_CODECS`, 0 means 1 |
| codec | u32 | from `VERSION_CODECS` on 0 stored, 1 implode, 2 deflate; before it meaningless: always implode |
| chunks | u32 size, u32 offset each | counted from `DATA_OFFSET` of the file |

The table is checked before it is used: one limit counts entries and chunks together, each chunk lies in the data, no two overlap,
and the sizes of all entries stay within what may be inflated.
"""

from __future__ import annotations

from collections import Counter
from copy import copy
from typing import Final

from streamsave._native import i64
from streamsave.decode.cursor import Cursor
from streamsave.errors import TruncatedSave
from streamsave.formats.arx.header import ArxContainer, ArxEntry
from streamsave.formats.arx.versions import (
    CODEC_IMPLODE,
    CODEC_NAMES,
    CODEC_STORED,
    DATA_OFFSET,
    VERSION_CODECS,
    VERSION_LEGACY,
    VERSION_NO_EXTENSION,
    VERSIONS,
)
from streamsave.input.source import Source
from streamsave.input.windows import FileWindows
from streamsave.limits import Limits

__all__ = ["SINGLE_KINDS", "classify", "is_nameless", "read_container"]

UNKNOWN_SIZE: Final = 0xFFFFFFFF
#: The original game reads names into 256 bytes, NUL included.
NAME_SIZE: Final = 256
EXTENSION: Final = b".sav"
#: Bytes of the smallest entry: an empty name, three numbers.
LEAST_ENTRY: Final = 13
CHUNK_ROW: Final = 8

#: Names of entries that are the only one of their kind.
SINGLE_KINDS: Final = ("pld", "player", "globals")


def classify(name: str) -> tuple[str, str]:
    """Return what an entry is, by its name: its kind, and the class of an entity (of others, the kind)."""
    if name in SINGLE_KINDS:
        return name, name
    if name.startswith("lvl") and len(name) == 6 and name[3:].isdecimal() and name.isascii():
        return "level", "level"
    class_name, underscore, number = name.rpartition("_")
    if underscore and class_name and len(number) >= 4 and number.isascii() and number.removeprefix("-").isdecimal():
        return "entity", class_name
    return "blob", "blob"


def read_container(
    source: Source, limits: Limits, emptied: list[ArxEntry] | None = None, packed_sizes: list[int] | None = None
) -> ArxContainer:
    """Read the table, and refuse one that contradicts itself.

    Args:
        source: the file.
        limits: what to refuse.
        emptied: takes entries of no bytes that still have chunks, with these; in the table they have none.
        packed_sizes: takes the `size` of each row where that is no number of unpacked bytes: before `VERSION_CODECS`.

    Raises:
        TruncatedSave: the file ends before its table does.
        DamagedSave: chunks outside of the data, or overlapping; a name without end; a row of zeros, unless `emptied` is given.
        LimitExceeded: too many entries and chunks, or too many bytes unpacked.
    """
    cursor = Cursor(FileWindows(source), limits)
    data_size: i64 = cursor.u32()
    table_offset = DATA_OFFSET + data_size
    cursor.seek(table_offset)
    if len(cursor.peek(8)) < 8:
        raise TruncatedSave(
            "the file ends before its file table", int(table_offset), expected="8 bytes", actual=len(cursor.peek(8))
        )
    version: int = cursor.u32()
    if version not in VERSIONS:
        source.warn("version of the container is not known, read like the nearest", version=version)
    count = cursor.u32()
    _check_rows(cursor, count, count * LEAST_ENTRY)

    dummy: str | None = None
    entries: list[ArxEntry] = []
    rows = count
    for index in range(count):
        is_dummy = version <= VERSION_LEGACY and index == 0
        sizes = None if is_dummy else packed_sizes
        entry = _read_entry(cursor, version, data_size, rows, sizes, is_dummy=is_dummy)
        rows += len(entry.chunks)
        if is_dummy:
            dummy = entry.name
            continue
        if emptied is None and is_nameless(entry):
            raise cursor.damaged("a part of the file table is zeros: an entry without name and bytes")
        if entry.size == 0 and entry.codec == CODEC_NAMES[CODEC_STORED] and entry.chunks:
            # The game keeps the chunk list of an entry that became empty, but other entries may use those bytes now.
            if emptied is not None:
                emptied.append(copy(entry))
            entry.chunks = []
            entry.stored_size = 0
        entry.index = len(entries)
        entries.append(entry)
    table_size = cursor.tell() - table_offset

    total = sum([max(entry.size, 0) for entry in entries])
    if total > limits.total_inflated_size:
        raise cursor.exceeded("total_inflated_size", total)
    gaps = _find_gaps(cursor, entries, table_offset)
    names = Counter(entry.name for entry in entries)
    return ArxContainer(
        version,
        table_offset,
        table_size,
        entries,
        dummy,
        gaps,
        source.whole_size(limits) - table_offset - table_size,
        [name for name, times in names.items() if times > 1],
    )


def is_nameless(entry: ArxEntry) -> bool:
    """Return whether an entry has neither name nor bytes: its row is zeros. No game writes one."""
    return not entry.name and not entry.stored_size


def _read_entry(
    cursor: Cursor, version: int, data_size: i64, rows: i64, packed_sizes: list[int] | None, *, is_dummy: bool
) -> ArxEntry:
    """Read one entry; `rows` is the number of entries and chunks so far, `packed_sizes` as for `read_container`."""
    raw_name = _read_name(cursor)
    name = raw_name
    if version < VERSION_NO_EXTENSION:
        name = name.lower()
        if len(name) > len(EXTENSION):
            name = name.removesuffix(EXTENSION)
    size: i64 = cursor.u32()
    chunk_count = cursor.u32()
    codec: int = cursor.u32()
    if version < VERSION_CODECS:
        if packed_sizes is not None:
            packed_sizes.append(int(size))
        size = UNKNOWN_SIZE
        codec = CODEC_IMPLODE
        if chunk_count == 0:
            chunk_count = 1
    _check_rows(cursor, rows + chunk_count, chunk_count * CHUNK_ROW)

    chunks: list[tuple[int, int]] = []
    stored_size: i64 = 0
    for _ in range(chunk_count):
        at = cursor.tell()
        chunk_size = cursor.u32()
        chunk_offset = cursor.u32()
        if not is_dummy and (chunk_offset > data_size or chunk_size > data_size - chunk_offset):
            error = cursor.damaged(
                "chunk ends after the data", offset=at, expected=f"an end at most {data_size}", actual=chunk_offset + chunk_size
            )
            error.path = (name.decode("latin-1"),)
            raise error
        chunks.append((DATA_OFFSET + chunk_offset, chunk_size))
        stored_size += chunk_size
    codec_name = CODEC_NAMES.get(codec)
    if codec_name is None or (size == UNKNOWN_SIZE and codec == CODEC_STORED):
        size = stored_size
    elif size == UNKNOWN_SIZE:
        size = -1
    text = name.decode("latin-1")
    kind, class_name = classify(text)
    if codec_name is None:
        codec_name = f"unknown ({codec})"
        kind = class_name = "blob"
    return ArxEntry(0, text, raw_name, kind, class_name, codec_name, size, stored_size, chunks)


def _read_name(cursor: Cursor) -> bytes:
    """Read a name and its NUL."""
    ahead = cursor.peek(NAME_SIZE)
    size = ahead.find(b"\0")
    if size < 0:
        if len(ahead) < NAME_SIZE:
            raise cursor.truncated(len(ahead) + 1)
        raise cursor.damaged("name of an entry has no end", expected=f"a NUL within {NAME_SIZE} bytes", actual=ahead[:16])
    if size > i64(cursor.limits.string_size):
        raise cursor.exceeded("string_size", size)
    cursor.skip(size + 1)
    return ahead[:size]


def _check_rows(cursor: Cursor, rows: i64, size: i64) -> None:
    """Refuse more entries and chunks than the limit, or than the file has bytes for, before anything is made of them."""
    if rows > i64(cursor.limits.table_entries):
        raise cursor.exceeded("table_entries", rows)
    ahead = len(cursor.peek(size))
    if ahead < size:
        raise cursor.truncated(size)


def _find_gaps(cursor: Cursor, entries: list[ArxEntry], table_offset: int) -> list[tuple[int, int]]:
    """Return offset and size of what no chunk covers before the table, and refuse chunks that overlap."""
    spans = [(offset, size, entry.index) for entry in entries for offset, size in entry.chunks if size > 0]
    spans.sort()
    gaps: list[tuple[int, int]] = []
    end = DATA_OFFSET
    last = -1
    for offset, size, index in spans:
        if offset < end:
            name = entries[index].name
            error = cursor.damaged(
                f"chunks of {entries[last].name!r} and {name!r} overlap", offset=offset, expected=f"{end} or later", actual=offset
            )
            error.path = (name,)
            raise error
        if offset > end:
            gaps.append((end, offset - end))
        end = offset + size
        last = index
    if end < table_offset:
        gaps.append((end, table_offset - end))
    return gaps

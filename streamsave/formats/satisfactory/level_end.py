"""Where the objects of a level end, if their size is wrong: found from what follows them.

| level | its objects end |
|---|---|
| streaming | where its tail leads to the next level, from which levels lead to the end of the save |
| persistent | where its tail leads to the end of the stream, whatever the size of the body says |
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import Struct
from streamsave.decode.cursor import Cursor
from streamsave.errors import SaveError
from streamsave.formats.satisfactory.level_layout import LevelLayout
from streamsave.formats.satisfactory.objects import is_torn
from streamsave.formats.satisfactory.record_scanners import LARGEST_REFERENCE, LevelScanner, ends_save
from streamsave.formats.unreal.reader import UnrealReader

__all__ = ["leads_on", "level_starts_between", "limit_of_level"]

#: The first number after the objects of a streaming level.
LEVEL_VERSION: Final = "level_save_version"
#: More levels than any save has.
MANY: Final = 1 << 20


def leads_on(reader: UnrealReader, layout: LevelLayout, tail: Struct, cursor: Cursor, data_end: i64) -> bool:
    """Return whether the tail of a level and the start of what comes next follow its objects, as far as chunks can be read.

    Args:
        reader: of the save.
        layout: of its levels.
        tail: what follows the objects of this level.
        cursor: any place in this level; its limit is that of the save.
        data_end: where its objects end; -1 if no size says that.
    """
    if tail is layout.persistent_tail:
        there, is_all = reader.windows.readable_end(reader.limits)
        if is_all and there != cursor.limit() >= 0:
            return False
        if data_end < 0:
            return True
        cursor.seek(data_end)
        return ends_save(cursor, tail, layout, reader) or cursor.fault is not None
    try:
        cursor.seek(data_end)
        if tail.names[:1] == [LEVEL_VERSION] and not layout.has_version(cursor.i32()):
            return False
        cursor.seek(data_end)
        tail.measure(cursor, reader)
        place = cursor.tell()
        if starts_level(cursor, layout, is_named=True):
            return True
        cursor.seek(place)
        return starts_level(cursor, layout, is_named=False)
    except SaveError as error:
        return is_torn(cursor, error) and not is_far_off(reader, cursor, error)


def is_far_off(reader: UnrealReader, cursor: Cursor, error: SaveError) -> bool:
    """Return whether what could not be read reaches so far beyond a stream without damage that it is no name that was cut."""
    there, is_all = reader.windows.readable_end(reader.limits)
    return is_all and cursor.fault is None and error.offset - there > LARGEST_REFERENCE


def starts_level(cursor: Cursor, layout: LevelLayout, *, is_named: bool) -> bool:
    """Return whether a level may start at a cursor: its name, if it has one, the size of its headers, and the first of these."""
    try:
        if is_named:
            ahead = cursor.peek(4)
            if len(ahead) == 4 and abs(int.from_bytes(ahead, "little", signed=True)) > LARGEST_REFERENCE:
                return False  # no name that was cut
            name = cursor.string()
            if not name or not name.isprintable():
                return False
        if layout.header_count(cursor, layout.blob_end(cursor)):
            cursor.bool32()
            is_start = cursor.name().startswith("/")
        else:
            is_start = True
    except SaveError as error:
        return is_torn(cursor, error)
    return is_start


def limit_of_level(
    reader: UnrealReader, layout: LevelLayout, tail: Struct, data: Cursor, data_end: i64, levels_after: i64
) -> tuple[int, bool]:
    """Return where a level with its tail ends, as what follows it says; and whether its own sizes may be right.

    Args:
        reader: of the save.
        layout: of its levels.
        tail: what follows the objects of this level.
        data: at its first entry.
        data_end: where its objects end; -1 if no size says that.
        levels_after: how many streaming levels follow it, as the save says.

    Returns:
        An offset, -1 if nothing else says where it ends; whether a tail follows where the sizes say, or it is unreadable there.
    """
    there, is_all = reader.windows.readable_end(reader.limits)
    if not is_all:
        return -1, True
    cursor = data.fork()
    if tail is layout.persistent_tail:
        if data_end < 0:
            return there, there == reader.stream_end
        for end in (reader.stream_end, there):
            cursor.set_limit(end)
            cursor.seek(data_end)
            if data_end <= end <= there and ends_save(cursor, tail, layout, reader):
                return there, True
        return there, False
    cursor.set_limit(there)
    levels = LevelScanner(cursor, MANY, layout, reader)
    if data_end >= 0:
        cursor.seek(data_end)
        try:
            tail.measure(cursor, reader)
            place = cursor.tell()
            if levels.is_end() or cursor.fault is not None:
                return -1, True
            cursor.seek(place)
            if levels.step():
                return -1, True
        except SaveError:
            if cursor.fault is not None:
                return -1, True
    is_found = levels.find(data.tell(), 0) and levels.left == levels_after  # else the next one is damaged, too
    return (int(levels.place) if is_found else -1), False


def level_starts_between(reader: UnrealReader, layout: LevelLayout, start: i64, end: i64) -> bool:
    """Return whether a level from which levels lead to the end of the save starts in a stretch: bytes before it are missing."""
    there, is_all = reader.windows.readable_end(reader.limits)
    if not is_all:
        return False
    cursor = reader.cursor.fork()
    cursor.set_limit(there)
    levels = LevelScanner(cursor, MANY, layout, reader)
    return levels.find(start, 0) and levels.place < end

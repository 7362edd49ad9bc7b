"""Objects whose wrong size makes entries more or fewer than headers, though all sizes lead to their end."""

from __future__ import annotations

from streamsave._native import i64
from streamsave.errors import SaveError
from streamsave.formats.satisfactory.level_pairs import LevelPairs
from streamsave.formats.satisfactory.object_entry import LEAST_VERSION_DATA
from streamsave.formats.satisfactory.objects import UNREADABLE, WHOLE

__all__ = ["find_miscounted"]


def find_miscounted(level: LevelPairs, surplus: i64) -> tuple[int, int]:
    """Find an object whose size takes in the next ones, or leaves some of it out, if entries lead to their end by chance.

    Args:
        level: its pairs.
        surplus: how many entries there are more than headers.

    Returns:
        Its number, and where its entry ends; both -1 if it was not found. The entries after it lead to their end, and those
        before it are certain.
    """
    toc = level.toc.fork()
    toc.seek(level.toc_start)
    data = level.data.fork()
    data.seek(level.data_start)
    for index in range(level.count):
        start = data.tell()
        at = toc.tell()
        state = level.state(toc, data)
        if state == UNREADABLE:
            return -1, -1
        if state == WHOLE and not level.is_small(data):
            continue
        end = end_of_merged(level, at, start, surplus) if surplus > 0 else end_of_covered(level, data.tell(), -surplus)
        if end < 0:
            return -1, -1
        return int(index), int(end)
    return -1, -1


def end_of_merged(level: LevelPairs, header_at: i64, start: i64, count: i64) -> i64:
    """Return where an object ends whose size leaves out what looks like `count` entries; -1 if it does not."""
    toc = level.toc.fork()
    toc.seek(header_at)
    data = level.data.fork()
    data.seek(start)
    entries = level.entries
    try:
        for _ in range(count + 1):
            entries.measure(data)
        end = data.tell()
        level.headers.decode(toc)
        data.seek(start)
        entries.decode(data)
        tail = size_after_data(level, end)
        if tail < 0:
            return -1
        entries.size = end - tail - entries.data_offset
    except SaveError:
        return -1
    return end if level.read_object() == WHOLE else -1


def size_after_data(level: LevelPairs, end: i64) -> i64:
    """Return how many bytes follow the data of an object whose entry ends at `end`, if it has no version data of its own."""
    if not level.entries.has_version_data(level.entries.save_version):
        return 0
    data = level.data.fork()
    data.seek(end - LEAST_VERSION_DATA)
    return LEAST_VERSION_DATA if data.i32() == 0 else -1


def end_of_covered(level: LevelPairs, end: i64, count: i64) -> i64:
    """Return `end`, of the entry that was read last, if `count` whole entries follow the object in its data; else -1."""
    data = level.data.fork()
    entries = level.entries
    at = level.objects.left_over
    if at < 0:
        return -1
    data.seek(at)
    try:
        entries.read_ue5_version(data, entries.save_version)
        for _ in range(count):
            if not entries.read(data, strict=True):
                return -1
            entries.skip_data(data)
    except SaveError:
        return -1
    return end if data.tell() == end else -1

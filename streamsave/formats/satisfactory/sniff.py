"""Recognise the files of Satisfactory by their first bytes. This module imports no reader."""

from __future__ import annotations

from typing import Final

from streamsave.decode.codecs import BuildContext
from streamsave.decode.cursor import Cursor
from streamsave.errors import SaveError, TruncatedSave
from streamsave.formats.satisfactory.versions import BLUEPRINT_HEADER_NEWEST, CONFIG_NEWEST
from streamsave.input.source import Source
from streamsave.input.windows import FileWindows
from streamsave.limits import Limits

__all__ = ["sniff_blueprint", "sniff_config", "sniff_save"]

#: Plausible SaveVersions. The oldest game wrote 17. The configuration of a blueprint with a description of one letter looks like
#: a save of SaveVersion 2.
PLAUSIBLE_SAVE_VERSIONS: Final = range(8, 4096)
#: Plausible build numbers.
PLAUSIBLE_BUILDS: Final = range(30_000, 100_000_000)
#: Plausible sizes of a blueprint, in foundations.
PLAUSIBLE_SIZES: Final = range(4096)
#: Bytes of a configuration without texts: version, empty description, icon, colour.
LEAST_CONFIG: Final = 28


def sniff_save(head: bytes) -> bool:
    """Return whether a file that starts with `head` is a save: plausible versions and build number."""
    return _header_version(head) in range(BLUEPRINT_HEADER_NEWEST + 1, 256)


def sniff_blueprint(head: bytes) -> bool:
    """Return whether a file that starts with `head` is a blueprint: header versions below those of saves, plausible sizes."""
    dimensions = [int.from_bytes(head[at : at + 4], "little") for at in (12, 16, 20)]
    return _header_version(head) in range(BLUEPRINT_HEADER_NEWEST + 1) and all(size in PLAUSIBLE_SIZES for size in dimensions)


def sniff_config(head: bytes, source: Source) -> bool:
    """Return whether a file is a blueprint's configuration. Nothing marks one: all of it has to fit the layout.

    A file that ends before its layout does counts as one that was cut off if its colour looks like one.
    """
    if len(head) < LEAST_CONFIG or not 0 <= int.from_bytes(head[:4], "little", signed=True) <= CONFIG_NEWEST:
        return False
    from streamsave.formats.satisfactory.config import LARGEST_CONFIG, ROWS, measure_config  # noqa: PLC0415 - few files get here

    size = len(source.read_at(0, LARGEST_CONFIG + 1))
    if size > LARGEST_CONFIG:
        return False
    cursor = Cursor(FileWindows(source), Limits())
    cursor.set_limit(size)
    context = BuildContext()
    try:
        measure_config(cursor, context)
        return cursor.remaining() == 0
    except SaveError:
        cursor.seek(0)
    try:
        for row in ROWS[:3]:
            row.codec.measure(cursor, context)
        channels = (cursor.f32(), cursor.f32(), cursor.f32())
        if cursor.f32() != 1.0 or not all(0.0 <= channel <= 1.0 for channel in channels):
            return False
        measure_config(Cursor(FileWindows(source), Limits()), context)
    except TruncatedSave:
        return True
    except SaveError:
        pass
    return False


def _header_version(head: bytes) -> int:
    """Return the header version, or -1 where the SaveVersion and build number after it are not plausible."""
    save_version = int.from_bytes(head[4:8], "little")
    build_version = int.from_bytes(head[8:12], "little")
    if len(head) < 12 or save_version not in PLAUSIBLE_SAVE_VERSIONS or build_version not in PLAUSIBLE_BUILDS:
        return -1
    return int.from_bytes(head[0:4], "little")

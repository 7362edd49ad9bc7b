"""The layout of a blueprint's configuration (`.sbpcfg`): what the game shows of a blueprint in its menu.

| field | type | version |
|---|---|---|
| config_version | i32 | |
| description | str | |
| icon_id | i32 | |
| color | LinearColor | |
| icon_package, icon_asset | str each | from 3 |
| editors | i32 n, n * (str account, str name, str platform) | only 4 |
| last_edited_by | player's handle, 2 or 5 bytes | from 6 |

The file does not say which of the two handles it has. The number of bytes left for it does.
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import F32, I32, STRING, U8, Array, BuildContext, Codec, Struct
from streamsave.decode.cursor import Cursor
from streamsave.formats.satisfactory.versions import (
    CONFIG_EDITORS,
    CONFIG_ICON_LIBRARY,
    CONFIG_NEWEST,
    CONFIG_PLAYER_HANDLE,
)
from streamsave.values import LinearColor

__all__ = ["LARGEST_CONFIG", "config_layout", "config_start", "measure_config"]

#: Bytes. Real ones have about 100; their descriptions are typed by hand.
LARGEST_CONFIG: Final = 64 * 1024

COLOR: Final = Struct("LinearColor", LinearColor, r=F32, g=F32, b=F32, a=F32)
EDITOR: Final = Struct("BlueprintEditor", None, account=STRING, name=STRING, platform=STRING)
NARROW_HANDLE: Final = Struct("PlayerInfoHandle", None, service_provider=U8, player_info_table_index=U8)
WIDE_HANDLE: Final = Struct("PlayerInfoHandle", None, service_provider=U8, player_info_table_index=I32)


def config_start(cursor: Cursor, context: BuildContext) -> LinearColor:
    """Read the fields up to the colour, which all versions have; return the colour.

    Raises:
        SaveError: they do not fit.
    """
    cursor.skip(I32.size)
    STRING.measure(cursor, context)
    cursor.skip(I32.size)
    return LinearColor(cursor.f32(), cursor.f32(), cursor.f32(), cursor.f32())


def measure_config(cursor: Cursor, context: BuildContext) -> None:
    """Go past the configuration that starts at the cursor.

    Raises:
        SaveError: it does not fit. Without a limit of the cursor, a file that was cut off is a `TruncatedSave`.
    """
    for _name, codec in config_layout(cursor, context):
        codec.measure(cursor, context)
    cursor.check_reaches(cursor.tell())


def config_layout(cursor: Cursor, context: BuildContext) -> list[tuple[str, Codec]]:
    """Return the fields of the configuration that starts at the cursor, as (name, codec) rows; the cursor does not move.

    Raises:
        UnsupportedSave: the version is unknown.
        DamagedSave, TruncatedSave: the fields before the player's handle do not fit.
    """
    start = cursor.tell()
    version = cursor.i32()
    cursor.seek(start)
    if not 0 <= version <= CONFIG_NEWEST:
        raise cursor.unsupported("version of a blueprint's configuration", expected=f"0 to {CONFIG_NEWEST}", actual=version)
    rows: list[tuple[str, Codec]] = [
        ("config_version", I32),
        ("description", STRING),
        ("icon_id", I32),
        ("color", COLOR),
    ]
    if version >= CONFIG_ICON_LIBRARY:
        rows += [("icon_package", STRING), ("icon_asset", STRING)]
    if version == CONFIG_EDITORS:
        rows.append(("editors", Array(EDITOR)))
    if version >= CONFIG_PLAYER_HANDLE:
        rows.append(("last_edited_by", _player_handle(rows, cursor, context)))
    return rows


def _player_handle(rows: list[tuple[str, Codec]], cursor: Cursor, context: BuildContext) -> Codec:
    """Return the layout of the player's handle that fits the bytes after the other `rows`."""
    start = cursor.tell()
    for _name, codec in rows:
        codec.measure(cursor, context)
    left: i64 = cursor.remaining()
    cursor.seek(start)
    return NARROW_HANDLE if left == NARROW_HANDLE.size else WIDE_HANDLE

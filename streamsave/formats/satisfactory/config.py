"""A blueprint's configuration (`.sbpcfg`): what the game shows of a blueprint in its menu. The whole file is one layout.

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

from collections.abc import Iterator
from typing import Any, Final

from streamsave.decode.codecs import F32, I32, STRING, U8, Array, BuildContext, Struct
from streamsave.decode.cursor import Cursor
from streamsave.decode.reader import Reader
from streamsave.errors import DamagedSave
from streamsave.events import Event, SaveEnd, SaveStart
from streamsave.formats.satisfactory.header import BlueprintConfig
from streamsave.formats.satisfactory.versions import (
    CONFIG_EDITORS,
    CONFIG_ICON_LIBRARY,
    CONFIG_NEWEST,
    CONFIG_PLAYER_HANDLE,
    Member,
    members,
)
from streamsave.input.source import Source
from streamsave.input.windows import FileWindows
from streamsave.limits import Limits
from streamsave.values import LinearColor

__all__ = ["LARGEST_CONFIG", "ConfigReader", "config_layout", "measure_config"]

#: Bytes. Real ones have about 100; their descriptions are typed by hand.
LARGEST_CONFIG: Final = 64 * 1024

COLOR: Final = Struct("LinearColor", LinearColor, r=F32, g=F32, b=F32, a=F32)
EDITOR: Final = Struct("BlueprintEditor", None, account=STRING, name=STRING, platform=STRING)
NARROW_HANDLE: Final = Struct("PlayerInfoHandle", None, service_provider=U8, player_info_table_index=U8)
WIDE_HANDLE: Final = Struct("PlayerInfoHandle", None, service_provider=U8, player_info_table_index=I32)


ROWS: Final = [
    Member("config_version", I32),
    Member("description", STRING),
    Member("icon_id", I32),
    Member("color", COLOR),
    Member("icon_package", STRING, CONFIG_ICON_LIBRARY),
    Member("icon_asset", STRING, CONFIG_ICON_LIBRARY),
    Member("editors", Array(EDITOR), CONFIG_EDITORS, CONFIG_EDITORS + 1),
]


def config_layout(cursor: Cursor, context: BuildContext) -> Struct:
    """Return the layout of the configuration that starts at the cursor, which does not move.

    Raises:
        UnsupportedSave: the version is unknown.
        DamagedSave, TruncatedSave: the fields before the player's handle do not fit.
    """
    start = cursor.tell()
    version = cursor.i32()
    cursor.seek(start)
    if not 0 <= version <= CONFIG_NEWEST:
        raise cursor.unsupported("version of a blueprint's configuration", expected=f"0 to {CONFIG_NEWEST}", actual=version)
    rows = members(version, ROWS)
    if version >= CONFIG_PLAYER_HANDLE:
        Struct("", None, **rows).measure(cursor, context)
        rows["last_edited_by"] = NARROW_HANDLE if cursor.remaining() == NARROW_HANDLE.size else WIDE_HANDLE
        cursor.seek(start)
    return Struct("BlueprintConfig", None, **rows)


def measure_config(cursor: Cursor, context: BuildContext) -> None:
    """Go past the configuration that starts at the cursor.

    Raises:
        SaveError: it does not fit. Without a limit of the cursor, a file that was cut off is a `TruncatedSave`.
    """
    config_layout(cursor, context).measure(cursor, context)
    cursor.check_reaches(cursor.tell())


class ConfigReader(Reader):
    """Walks a configuration."""

    def __init__(self, source: Source, limits: Limits) -> None:
        super().__init__(Cursor(FileWindows(source), limits))
        self.cursor.set_limit(len(source.read_at(0, LARGEST_CONFIG)))

    def events(self) -> Iterator[Event]:
        cursor = self.cursor
        try:
            layout = config_layout(cursor, self)
            values: Any = layout.decode(cursor, self)
        except DamagedSave:
            # Without the limit, a file that was cut off says so.
            measure_config(Cursor(self.windows, self.limits), self)
            raise
        if cursor.remaining():
            raise cursor.damaged("bytes after the configuration", expected="0 bytes", actual=cursor.remaining())
        end = cursor.tell()
        cursor.seek(0)
        yield SaveStart(0, "satisfactory-blueprint-config", values["config_version"], BlueprintConfig(**values))
        for name, codec in zip(layout.names, layout.members, strict=True):
            yield self.field(name, codec)
        yield SaveEnd(end)

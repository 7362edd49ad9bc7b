"""A blueprint's configuration (`.sbpcfg`): what the game shows of a blueprint in its menu.

The whole file is one layout:

| field | type | version |
|---|---|---|
| config_version | i32 | |
| description | str | |
| icon_id | i32 | |
| color | LinearColor | |
| icon_package, icon_asset | str each | from 3 |
| editors | i32 n, n * (str account, str name, str platform) | only 4 |
| last_edited_by | player's handle, 2 or 5 bytes | from 6 |

The file does not tell which of the two handles it has; the bytes that are left do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from streamsave.decode.codecs import F32, I32, STRING, U8, Array, Codec, Struct
from streamsave.decode.cursor import Cursor
from streamsave.decode.reader import Reader
from streamsave.errors import SaveError
from streamsave.events import Event, SaveEnd, SaveStart
from streamsave.formats.satisfactory.header import BlueprintConfig
from streamsave.formats.satisfactory.versions import (
    CONFIG_EDITORS,
    CONFIG_ICON_LIBRARY,
    CONFIG_NEWEST,
    CONFIG_PLAYER_HANDLE,
)
from streamsave.input.chunk_table import FileWindows
from streamsave.input.source import Source
from streamsave.limits import Limits
from streamsave.values import LinearColor

__all__ = ["ConfigReader", "sniff_config"]

#: Real ones have about 100 bytes; their descriptions are typed by hand.
LARGEST_CONFIG: Final = 64 * 1024

COLOR: Final = Struct("LinearColor", LinearColor, r=F32, g=F32, b=F32, a=F32)
EDITOR: Final = Struct("BlueprintEditor", None, account=STRING, name=STRING, platform=STRING)
NARROW_HANDLE: Final = Struct("PlayerInfoHandle", None, service_provider=U8, player_info_table_index=U8)
WIDE_HANDLE: Final = Struct("PlayerInfoHandle", None, service_provider=U8, player_info_table_index=I32)


class ConfigReader(Reader):
    """Walks a configuration."""

    def __init__(self, source: Source, limits: Limits) -> None:
        super().__init__(Cursor(FileWindows(source), limits), limits)
        size = len(source.read_at(0, LARGEST_CONFIG))
        self.cursor.set_limit(size)

    def events(self) -> Iterator[Event]:
        version = self.cursor.i32()
        self.cursor.seek(0)
        layout = self._layout(version)
        values = [codec.decode(self.cursor, self) for _name, codec in layout]
        if self.cursor.remaining():
            raise self.cursor.damaged("bytes behind the configuration", expected="0 bytes", actual=self.cursor.remaining())
        end = self.cursor.tell()
        self.cursor.seek(0)
        fields: dict[str, Any] = dict(zip([name for name, _codec in layout], values, strict=True))
        yield SaveStart(0, "satisfactory-blueprint-config", version, BlueprintConfig(**fields))
        for name, codec in layout:
            yield self.field(name, codec)
        yield SaveEnd(end)

    def _layout(self, version: int) -> list[tuple[str, Codec]]:
        """Make the rows of one version."""
        if not 0 <= version <= CONFIG_NEWEST:
            raise self.cursor.unsupported(
                "version of a blueprint's configuration", expected=f"0 to {CONFIG_NEWEST}", actual=version
            )
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
            rows.append(("last_edited_by", self._handle(rows)))
        return rows

    def _handle(self, rows: list[tuple[str, Codec]]) -> Codec:
        """Tell the player's handle from the bytes that the other rows leave."""
        for _name, codec in rows:
            codec.measure(self.cursor, self)
        left = self.cursor.remaining()
        self.cursor.seek(0)
        return NARROW_HANDLE if left == NARROW_HANDLE.size else WIDE_HANDLE


def sniff_config(head: bytes, source: Source) -> bool:
    """Tell whether a file is a configuration: nothing marks one, so it is one if all of it reads like one."""
    if not 0 <= int.from_bytes(head[:4], "little", signed=True) <= CONFIG_NEWEST or len(head) < 28:
        return False
    if len(source.read_at(0, LARGEST_CONFIG + 1)) > LARGEST_CONFIG:
        return False
    reader = ConfigReader(source, Limits())
    try:
        while reader.next_event() is not None:
            pass
    except SaveError:
        return False
    return True

"""Reads a blueprint's configuration (`.sbpcfg`). The whole file is one layout: see `config_layout`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from streamsave.decode.cursor import Cursor
from streamsave.decode.reader import Reader
from streamsave.errors import DamagedSave
from streamsave.events import Event, SaveEnd, SaveStart
from streamsave.formats.satisfactory.config_layout import LARGEST_CONFIG, config_layout, measure_config
from streamsave.formats.satisfactory.header import BlueprintConfig
from streamsave.input.source import Source
from streamsave.input.windows import FileWindows
from streamsave.limits import Limits

__all__ = ["ConfigReader"]


class ConfigReader(Reader):
    """Walks a configuration."""

    def __init__(self, source: Source, limits: Limits) -> None:
        super().__init__(Cursor(FileWindows(source), limits), limits)
        self.cursor.set_limit(len(source.read_at(0, LARGEST_CONFIG)))

    def events(self) -> Iterator[Event]:
        cursor = self.cursor
        try:
            rows = config_layout(cursor, self)
            values: dict[str, Any] = {name: codec.decode(cursor, self) for name, codec in rows}
        except DamagedSave:
            # Without the limit, a file that was cut off says so.
            measure_config(Cursor(self.windows, self.limits), self)
            raise
        if cursor.remaining():
            raise cursor.damaged("bytes after the configuration", expected="0 bytes", actual=cursor.remaining())
        end = cursor.tell()
        cursor.seek(0)
        yield SaveStart(0, "satisfactory-blueprint-config", values["config_version"], BlueprintConfig(**values))
        for name, codec in rows:
            yield self.field(name, codec)
        yield SaveEnd(end)

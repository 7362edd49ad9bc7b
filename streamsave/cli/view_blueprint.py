"""What `info` says of a Satisfactory blueprint: also its configuration, in the file beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from streamsave.cli.options import current_limits, limit_hint
from streamsave.cli.output import FAILED, report
from streamsave.cli.save import Save
from streamsave.cli.text import show
from streamsave.cli.view import View, header_fields
from streamsave.consume.stream import open_save
from streamsave.decode.json_values import Json, json_value
from streamsave.errors import SaveError
from streamsave.events import SaveStart
from streamsave.formats import Format

__all__ = ["BlueprintView"]

#: `SaveStart.format` of a configuration.
CONFIG: Final = "satisfactory-blueprint-config"
EXTENSION: Final = ".sbp"
CONFIG_EXTENSION: Final = ".sbpcfg"


class BlueprintView(View):
    """Shows a blueprint `X.sbp`, and `X.sbpcfg` if that is beside it."""

    def __init__(self, row: Format) -> None:
        super().__init__(row)
        self._config_path = ""
        self._config: object = None

    def prepare(self, save: Save, start: SaveStart) -> int:
        """Read the configuration; report one that is damaged or cannot be read. Return the exit code."""
        stem, extension = os.path.splitext(save.label)  # noqa: PTH122 - names of files are handed on as they are
        path = stem + CONFIG_EXTENSION
        if save.size is None or extension.lower() != EXTENSION or not os.path.exists(path):  # noqa: PTH110
            return 0
        try:
            with open_save(path, limits=current_limits()) as events:
                first = next(events)
        except (SaveError, OSError) as error:
            report(path, f"{error}{limit_hint(error)}")
            return FAILED
        if isinstance(first, SaveStart) and first.format == CONFIG:
            self._config_path, self._config = path, first.header
        return 0

    def info_rows(self, save: Save, start: SaveStart) -> Iterator[tuple[str, str]]:
        """Yield label and text of each fact, those of the configuration last."""
        yield from super().info_rows(save, start)
        if self._config is not None:
            yield "config", self._config_path
            for name, value in header_fields(self._config):
                yield "config " + name.removeprefix("config_").replace("_", " "), show(value)

    def info_extra(self) -> dict[str, Json]:
        """Return `config`: its file and header, null where there is none."""
        if self._config is None:
            return {"config": None}
        header = {name: json_value(value) for name, value in header_fields(self._config)}
        return {"config": {"file": json_value(self._config_path), "header": header}}

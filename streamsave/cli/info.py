"""`streamsave info`: the header of a save, and nothing of what is compressed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Final

import click
from attrs import AttrsInstance, fields, frozen

from streamsave.cli.inputs import Saves, jobs_option, json_option, saves_argument
from streamsave.cli.limits import current_limits, limit_option
from streamsave.cli.output import FAILED, on_terminal, report, write_json, write_row, write_table
from streamsave.cli.run import read_saves
from streamsave.cli.save import Save
from streamsave.cli.text import clean, show, size_text, time_text
from streamsave.cli.view_arx import container_json, container_rows
from streamsave.cli.view_shapez2 import count_objects
from streamsave.errors import SaveError
from streamsave.events import SaveStart
from streamsave.formats.arx.header import ArxContainer
from streamsave.formats.shapez2.header import BlueprintHeader
from streamsave.output.json_values import Json, json_value
from streamsave.stream.stream import open_save
from streamsave.values import DateTime

__all__ = ["command"]

#: What the format calls a blueprint, and its configuration.
BLUEPRINT: Final = "satisfactory-blueprint"
BLUEPRINT_CONFIG: Final = "satisfactory-blueprint-config"
CONFIG_EXTENSION: Final = ".sbpcfg"


def _duration(value: object) -> str:
    return time_text(int(value)) if isinstance(value, (int, float)) else show(value)


def _moment(value: object) -> str:
    moment = value.to_datetime() if isinstance(value, DateTime) else None
    return show(value) if moment is None else moment.strftime("%Y-%m-%d %H:%M:%S")


def _hex(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else show(value)


def _mods(value: object) -> str:
    mods = mods_of(value)
    return "(none)" if mods is None else str(len(mods))


#: Fields of headers that have a name or a text of their own; the others stand as they are.
FIELDS: Final[dict[str, tuple[str, Callable[[object], str]]]] = {
    "play_duration": ("play time", _duration),
    "save_date_time": ("saved", _moment),
    "savegame_name": ("name", show),
    "scenario_id": ("scenario", show),
    "total_playtime": ("play time", _duration),
    "last_saved": ("saved", show),
    "mod_metadata": ("mods", _mods),
    "save_data_hash": ("MD5", _hex),
    "size": ("header size", lambda value: f"{show(value)} B"),
}


def parsed(text: object) -> object:
    """Parse JSON text that a header holds; None where it is none."""
    if not isinstance(text, str) or not text:
        return None
    import orjson

    try:
        value: object = orjson.loads(text)
    except ValueError:
        return None
    return value


def mods_of(text: object) -> list[object] | None:
    """Give the list of mods that the mod metadata of a header names, or None where it names none."""
    metadata = parsed(text)
    mods = metadata.get("Mods") if isinstance(metadata, dict) else None
    return mods if isinstance(mods, list) else None


def header_fields(header: AttrsInstance) -> Iterator[tuple[str, object]]:
    """Give the fields of a header that the save has."""
    for field in fields(type(header)):
        value = getattr(header, field.name)
        if value is not None:
            yield field.name, value


@frozen
class Config:
    """The configuration of a blueprint, in the file beside it."""

    path: str
    header: AttrsInstance

    def rows(self) -> Iterator[tuple[str, str]]:
        """Give the rows of a table."""
        yield "config", self.path
        for name, value in header_fields(self.header):
            yield "config " + name.removeprefix("config_").replace("_", " "), show(value)

    def json(self) -> dict[str, Json]:
        """Give what stands below `config`."""
        return {"file": json_value(self.path), "header": {name: json_value(value) for name, value in header_fields(self.header)}}


def config_beside(save: Save, start: SaveStart) -> Config | None:
    """Read the configuration beside a blueprint: `X.sbpcfg` beside `X.sbp`; None where there is none, or no configuration.

    Raises:
        SaveError: it is damaged.
        OSError: it cannot be read.
    """
    stem, extension = os.path.splitext(save.label)  # noqa: PTH122 - names of files are handed on as they are
    if start.format != BLUEPRINT or save.size is None or extension.lower() != ".sbp":
        return None
    path = stem + CONFIG_EXTENSION
    if not os.path.exists(path):  # noqa: PTH110
        return None
    with open_save(path, limits=current_limits()) as events:
        first = next(events)
    return Config(path, first.header) if isinstance(first, SaveStart) and first.format == BLUEPRINT_CONFIG else None


def _rows(save: Save, start: SaveStart, config: Config | None) -> Iterator[tuple[str, str]]:
    size = save.size
    if size is not None:
        yield "file size", f"{size_text(size)} ({size} bytes)" if size >= 1024 else size_text(size)
    yield "format", start.format
    if isinstance(start.header, ArxContainer):
        yield from container_rows(save.events, start.header)
        return
    for name, value in header_fields(start.header):
        label, text = FIELDS.get(name, (name.replace("_", " "), show))
        yield label, text(value)
    if isinstance(start.header, BlueprintHeader):
        for label, count in zip(("islands", "buildings"), count_objects(save.events), strict=True):
            yield label, str(count)
    if config is not None:
        yield from config.rows()


def _json(save: Save, start: SaveStart, config: Config | None) -> dict[str, Json]:
    header: dict[str, Json] = {}
    if isinstance(start.header, ArxContainer):
        header = container_json(save.events, start.header)
    for name, value in () if header else header_fields(start.header):
        if isinstance(value, bytes):
            header[name] = value.hex()
        else:
            metadata = parsed(value) if name == "mod_metadata" else None
            header[name] = json_value(value if metadata is None else metadata)
    if isinstance(start.header, BlueprintHeader):
        header["islands"], header["buildings"] = count_objects(save.events)
    result: dict[str, Json] = {
        "file": json_value(save.label),
        "file_size": save.size,
        "format": start.format,
        "version": start.version,
        "header": header,
    }
    if start.format == BLUEPRINT:
        result["config"] = None if config is None else config.json()
    return result


@click.command("info", short_help="Header: session, play time, versions, mods.")
@saves_argument
@json_option
@limit_option
@jobs_option
def command(saves: Saves, as_json: bool) -> int:
    """Show the header: session, play time, versions, mods.

    Nothing is inflated, so it takes no time whatever the size. In JSON, hashes are hexadecimal and play_duration is in seconds.

    Of a Satisfactory blueprint X.sbp, the configuration X.sbpcfg is shown, too, if it is beside it.
    """

    def work(save: Save) -> int:
        start = next(save.events)
        assert isinstance(start, SaveStart)  # noqa: S101 - it is the first event of every save
        config, code = None, 0
        try:
            config = config_beside(save, start)
        except (SaveError, OSError) as error:
            report(os.path.splitext(save.label)[0] + CONFIG_EXTENSION, str(error))  # noqa: PTH122
            code = FAILED
        if as_json:
            write_json(_json(save, start, config))
        elif on_terminal():
            write_table(clean(save.label), ("field", "value"), _rows(save, start, config))
        else:
            for row in _rows(save, start, config):
                write_row((clean(save.label), *row) if saves.several else row)
        return code

    return read_saves(saves, work)

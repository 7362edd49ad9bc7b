"""How commands show the saves of a format: what `info`, `ls` and `get` say that is not the same for all formats.

A format has words of its own in its row of the registry (`streamsave.formats.Format`): labels of header fields, the unit of
places. Where that is not enough, the row names a subclass of `View`. Ours are below; that of a plugin is its own.

The module is long because it has the views of all formats.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from math import inf
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from streamsave._fields import names_of_fields
from streamsave._log import warn
from streamsave.cli.options import OURS, current_limits, for_people, shown_name
from streamsave.cli.output import on_terminal, styled, write_json, write_line, write_lines, write_rows
from streamsave.cli.save import Save, report_fault
from streamsave.cli.text import clean, count_text, header_cells, show, size_text, time_text
from streamsave.consume.selected_object import sized
from streamsave.consume.stream import EventStream, open_save
from streamsave.decode.json_values import Json
from streamsave.errors import SaveError
from streamsave.events import ObjectHeader, PropertyTag, SaveStart
from streamsave.formats import Format, Label, load
from streamsave.values import DateTime

if TYPE_CHECKING:
    from streamsave.formats.arx.header import ArxContainer, ArxEntry
    from streamsave.formats.palworld.game import World

__all__ = ["ArxView", "BlueprintView", "CodeView", "Shapez2View", "View", "header_text", "make_view", "most_of"]


#: Name of a column, which cell it shows, its width (negative: aligned on the right; 0: what is left).
Column: TypeAlias = tuple[str, int, int]
#: Between two columns, and where a text is cut.
GAP: Final = "  "
CUT: Final = "…"
#: Characters that are shown at least of a name (a GUID has 35), and of a class.
LEAST_NAME: Final = 36
LEAST_CLASS: Final = 18
#: Between the parts of an instance name.
SEPARATOR: Final = re.compile("[.:]")
#: How many classes are named of which there are most.
MOST_CLASSES: Final = 5
#: What `ls --json` says of an object of any format, besides its place.
SHOWN_IN_JSON: Final = ("kind", "class_name", "instance_name", "level", "outer", "size")


class View:
    """How the commands show one save. This class shows what every reader says in its events."""

    #: What a terminal shows of an object. The last column gets what is left.
    columns: tuple[Column, ...] = (
        ("bytes", 3, -11),
        ("class_name", 0, 56),
        ("place", 4, -28),
        ("level", 2, 28),
        ("instance_name", 1, 0),
    )

    def __init__(self, row: Format) -> None:
        self.row = row
        #: Of a world of Palworld that was prepared: what belongs together in it.
        self.world: World | None = None

    # --- info ---

    def title(self, start: SaveStart) -> str:
        """Return what the save is, in words."""
        return self.row.name

    def prepare(self, save: Save, start: SaveStart) -> int:
        """Read what lies beside the save; report what cannot be read. Return the exit code."""
        return 0

    def info_rows(self, save: Save, start: SaveStart) -> Iterator[tuple[str, str]]:
        """Yield label and text of each fact that the save says about itself."""
        for name, value in header_fields(start.header):
            label = self.row.labels.get(name, Label(name.replace("_", " ")))
            yield label.text, header_text(label.kind, value)

    def info_json(self, save: Save, start: SaveStart) -> dict[str, object]:
        """Return what `info --json` has as `header`; hashes are hexadecimal."""
        header: dict[str, object] = {}
        for name, value in header_fields(start.header):
            label = self.row.labels.get(name)
            metadata = parse_json(value) if label is not None and label.kind == "mods" else None
            header[name] = value.hex() if isinstance(value, bytes) else value if metadata is None else metadata
        return header

    def info_extra(self) -> dict[str, object]:
        """Return what `info --json` has beside `header`."""
        return {}

    # --- get ---

    def readable(self, value: Json) -> Json:
        """Return the JSON of an object as a person reads it in a terminal."""
        return value

    # --- ls ---

    def objects(self, events: EventStream) -> Iterator[ObjectHeader]:
        """Yield the header of each wanted object; skip its data, but for that of objects which hold objects."""
        for event in events:
            if isinstance(event, ObjectHeader):
                if events._end_shows_size(event):
                    try:
                        events.skip()
                        end = next(events)
                    except SaveError:
                        yield event
                        raise
                    yield sized(event, end)
                    continue
                yield event
                if not events.holds_objects(event):
                    events.skip()
            elif isinstance(event, PropertyTag) and not events._leads_to_objects(event):
                events.skip()

    def list_objects(self, save: Save, start: SaveStart, *, several: bool, long: bool, as_json: bool) -> None:
        """Write what `ls` says of each object: one of several saves, classes in full, as JSON."""
        if as_json:
            for header in self.objects(save.events):
                shown = {name: getattr(header, name) for name in SHOWN_IN_JSON}
                write_json({"file": save.label, **shown, **self.place_json(header)})
            return
        if on_terminal():
            if several:
                write_line(styled(f"{clean(save.label)}:", "heading"))
            columns = fitted(self.columns, get_terminal_size().columns)
            count = 0
            for count, header in enumerate(self.objects(save.events), 1):
                if count == 1:
                    write_line(styled(GAP.join([aligned(name, width) for name, _, width in columns]).rstrip(), "heading"))
                write_line(self.line(header, self.cells(header, long=long), columns, long=long))
            if not count:
                write_line(styled("no objects", "hint"))
            return
        first = f"{clean(save.label)}\t" if several else ""
        write_lines(first + "\t".join(self.cells(header, long=long)) for header in self.objects(save.events))

    def place_json(self, header: ObjectHeader) -> dict[str, object]:
        """Return what `ls --json` says of an object's place: its key names the unit."""
        unit = self.row.place_unit
        place = None if header.position is None else [number / unit.scale for number in header.position]
        return {f"position_{unit.name}": place}

    def cells(self, header: ObjectHeader, *, long: bool) -> tuple[str, ...]:
        """Return the cells of an object for a pipe."""
        unit = self.row.place_unit
        return header_cells(header, unit.scale, unit.symbol, long=long)

    def line(self, header: ObjectHeader, cells: Sequence[str], columns: Sequence[Column], *, long: bool) -> str:
        """Return the line of an object for a terminal, in columns that are as wide as it has room for."""
        texts = []
        for column in columns:
            name, number, width = column
            text = count_text(header.size) if name == "bytes" else cells[number]
            if name == "class_name":
                text = class_text(text, width, long=long)
            elif name in {"instance_name", "level"}:
                text = end_of(text, width)
            # Spaces at the end of a line could go on in the next one.
            texts.append(styled(text if column is columns[-1] else aligned(text, width), name))
        return GAP.join(texts)


def fitted(columns: tuple[Column, ...], width: int) -> tuple[Column, ...]:
    """Return the columns for a terminal of a width: of one with little room less of the class, without level and place."""

    def left() -> int:
        return width + len(GAP) - sum(abs(each) + len(GAP) for _, _, each in columns)

    if left() < LEAST_NAME:
        columns = tuple(each for each in columns if each[0] != "level")
    spare = sum(size - LEAST_CLASS for name, _, size in columns if name == "class_name")
    if left() + spare < LEAST_NAME:
        columns = tuple(each for each in columns if each[0] != "place")
    lacking = max(0, LEAST_NAME - left())
    columns = tuple(
        (name, cell, max(LEAST_CLASS, size - lacking) if name == "class_name" else size) for name, cell, size in columns
    )
    return tuple((name, cell, size or max(LEAST_CLASS, left())) for name, cell, size in columns)


def class_text(class_name: str, width: int, *, long: bool) -> str:
    """Return the name of a class for a terminal: only what people call it, and the start of that, if there is no more room."""
    if long:
        return class_name
    text = for_people(class_name)
    if len(text) > width:
        text = shown_name(class_name)
    return text if len(text) <= width else text[: width - 1] + CUT


def end_of(name: str, width: int) -> str:
    """Return an instance name or a level for a terminal: of a long one the last parts, which `get` takes, or its end."""
    if len(name) <= width:
        return name
    rest = name[1 - width :]
    return CUT + (SEPARATOR.split(rest, maxsplit=1)[-1] or rest)


def aligned(text: str, width: int) -> str:
    """Return a text with spaces up to a width: after it, or before it if the width is negative."""
    return text.ljust(width) if width >= 0 else text.rjust(-width)


def make_view(row: Format) -> View:
    """Make the view of a format. Where that of a plugin cannot be made, warn, and show its saves like others."""
    try:
        return cast("type[View]", load(row.view))(row) if row.view else View(row)
    except Exception as error:
        if row.view.startswith(OURS):
            raise
        warn("the view of a format cannot be imported", format=row.name, view=row.view, error=f"{type(error).__name__}: {error}")
        return View(row)


def header_fields(header: object) -> Iterator[tuple[str, object]]:
    """Yield name and value of each field of a header that the save has; nothing for a header that is no attrs class."""
    for name in names_of_fields(type(header)) or ():
        value = getattr(header, name)
        if value is not None:
            yield name, value


# --- how values of headers are written ---


def parse_json(text: Any) -> object:  # noqa: ANN401 - of any type, as values of headers are
    """Parse JSON text that a header holds; return None where it is none."""
    import orjson

    with suppress(ValueError):
        return orjson.loads(text)
    return None


def most_of(counts: Counter[str]) -> str:
    """Write which classes there are most of, and how many."""
    return ", ".join(f"{count_text(count)} {shown_name(name)}" for name, count in counts.most_common(MOST_CLASSES))


def header_text(kind: str, value: object) -> str:
    """Write a value of a header; `kind` is that of its `Label`. Of a list of other than texts, only the size."""
    types, written = WRITTEN.get(kind, ((), str))
    if isinstance(value, types):
        return written(value)
    if show(value).startswith(f"{type(value).__name__}("):
        value = dict(header_fields(value))
    if isinstance(value, dict):
        return ", ".join(f"{name} {show(part)}" for name, part in value.items())
    if isinstance(value, (list, tuple)):
        texts = [show(part) for part in value if isinstance(part, str)]
        return ", ".join(texts) or "(none)" if len(texts) == len(value) - value.count(None) else str(len(value))
    return "(none)" if value == "" else f"{show(value)} B" if kind == "bytes" else show(value)


def moment_text(value: DateTime | str) -> str:
    """Write a moment, of Unreal or as shapez 2 writes it (`2026-01-01T00:00:00.1234567Z`); what is none as it is."""
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else value.to_datetime()
    except ValueError:
        moment = None
    return header_text("text", value) if moment is None else moment.replace(tzinfo=None).isoformat(" ", "seconds")


def mods_text(value: object) -> str:
    """Write how many mods a header lists."""
    metadata = parse_json(value)
    mods = metadata.get("Mods") if isinstance(metadata, dict) else None
    return str(len(mods)) if isinstance(mods, list) else "(none)"


#: Kind of a label -> the types of values that are written so, and what writes them.
WRITTEN: Final[dict[str, tuple[Any, Callable[[Any], str]]]] = {
    "seconds": ((int, float), lambda value: time_text(int(value))),
    "moment": ((DateTime, str), moment_text),
    "hex": (bytes, bytes.hex),
    "version": (tuple, lambda value: ".".join(map(str, value))),
    "mods": (object, mods_text),
}


# --- blueprints of Satisfactory: with the configuration in the file beside it ---

#: `SaveStart.format` of a configuration.
CONFIG: Final = "satisfactory-blueprint-config"
EXTENSION: Final = ".sbp"
CONFIG_EXTENSION: Final = ".sbpcfg"


class BlueprintView(View):
    """Shows a blueprint `X.sbp`, and `X.sbpcfg` if that is beside it."""

    #: Path of the configuration, and its header; None where there is none.
    _config: tuple[str, object] | None = None

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
            return report_fault(error, path)
        if isinstance(first, SaveStart) and first.format == CONFIG:
            self._config = path, first.header
        return 0

    def info_rows(self, save: Save, start: SaveStart) -> Iterator[tuple[str, str]]:
        """Yield label and text of each fact, those of the configuration last."""
        yield from super().info_rows(save, start)
        if self._config is not None:
            yield "config", self._config[0]
            for name, value in header_fields(self._config[1]):
                yield "config " + name.removeprefix("config_").replace("_", " "), header_text("text", value)

    def info_extra(self) -> dict[str, object]:
        """Return `config`: its file and header, null where there is none."""
        config = self._config
        return {"config": config and {"file": config[0], "header": dict(header_fields(config[1]))}}


# --- Arx: the container has no header; name, level and play time are in the entry `pld` ---

#: The cells of an inventory, each with the name of the item in it or "".
CELLS: Final = frozenset(("id_inventory", "slot_io", "initio", "linked_id"))
#: Which cell of an item shows it.
SHOWN: Final = frozenset(("inventory_show", "slot_show"))
#: How the name of an Arx Libertatis version is cut into four numbers.
VERSION_PARTS: Final = (48, 32, 16, 0)


class ArxView(View):
    """Shows the file table: entries with their packed sizes."""

    def info_rows(self, save: Save, start: SaveStart) -> Iterator[tuple[str, str]]:
        """Yield label and text of each fact: of the container, and of the entry `pld`."""
        about = self.info_json(save, start)
        yield "container version", f"{cast('ArxContainer', start.header).version:#010x}"
        yield "entries", f"{about['entries']} ({about['chunks']} chunks)"
        if about["unused_size"]:
            yield "unused", size_text(cast("int", about["unused_size"]))
        if about["duplicates"]:
            yield "duplicates", clean(", ".join(cast("list[str]", about["duplicates"])))
        if "time" in about:
            seconds = about["play_duration"]
            yield from (
                ("name", show(about["name"])),
                ("level", show(about["level"])),
                ("play time", time_text(seconds) if isinstance(seconds, int) else show(about["time"])),
                ("struct version", show(about["version"])),
                ("Arx Libertatis", libertatis_version(about["last_al_version"])),
            )

    def info_json(self, save: Save, start: SaveStart) -> dict[str, object]:
        """Return the same for `info --json`; `play_duration` is in seconds."""
        container = cast("ArxContainer", start.header)
        data = level_data(save.events)
        milliseconds = data.get("time")
        return {
            "entries": len(container.entries),
            "chunks": sum(len(entry.chunks) for entry in container.entries),
            "unused_size": sum(size for _, size in container.gaps) + container.stale_size,
            "duplicates": container.duplicates,
            "play_duration": milliseconds // 1000 if isinstance(milliseconds, int) else None,
            **data,
        }

    def readable(self, value: Json) -> Json:
        """Return the JSON of an entry with each inventory as the list of its items, not as a grid of cells."""
        if not isinstance(value, dict):
            return value
        return {
            name: list(dict.fromkeys(items_in(part))) if name in CELLS else self.readable(part)
            for name, part in value.items()
            if name not in SHOWN
        }

    def list_objects(self, save: Save, start: SaveStart, *, several: bool, long: bool, as_json: bool) -> None:
        """List the file table; nothing is unpacked."""
        entries = wanted_entries(save.events, cast("ArxContainer", start.header))
        if as_json:
            for each in entries:
                write_json(
                    {
                        "file": save.label,
                        "kind": each.kind,
                        "class_name": each.class_name,
                        "instance_name": each.name,
                        "size": None if each.size < 0 else each.size,
                        "stored_size": each.stored_size,
                        "codec": each.codec,
                        "chunks": [{"compressed_offset": offset, "compressed_size": size} for offset, size in each.chunks],
                    }
                )
            return
        columns = ("class_name", "instance_name", "bytes", "stored", "codec", "chunks")
        rows = (
            (each.class_name, each.name, "?" if each.size < 0 else each.size, each.stored_size, each.codec, len(each.chunks))
            for each in entries
        )
        write_rows(save.label, columns, rows, right=("bytes", "stored", "chunks"), several=several)


def items_in(cells: Json) -> Iterator[Json]:
    """Yield the names in the cells of an inventory, one for each cell that has one."""
    if isinstance(cells, list):
        for cell in cells:
            yield from items_in(cell)
    elif cells:
        yield cells


def level_data(events: EventStream) -> dict[str, object]:
    """Return name, level and play time of a save; unpack no entry but `pld`."""
    for _, entry in events.select("kind = pld", fields=["level_data"], sizes=False):
        found = entry.fields.get("level_data")
        return found if isinstance(found, dict) else {}
    return {}


def libertatis_version(number: object) -> str:
    """Write a version of Arx Libertatis; `-` for 0, which is the original game."""
    if not isinstance(number, int) or number == 0:
        return "-"
    return ".".join(str(number >> shift & 0xFFFF) for shift in VERSION_PARTS)


def wanted_entries(events: EventStream, container: ArxContainer) -> Iterator[ArxEntry]:
    """Yield the entries whose objects are wanted; unpack nothing."""
    entries = iter(container.entries)
    for event in events:
        if isinstance(event, ObjectHeader):
            events.skip()
            yield next(entry for entry in entries if (entry.name, entry.size) == (event.instance_name, event.size))


# --- shapez 2: islands hold buildings, and places are tiles ---


class Shapez2View(View):
    """Shows islands and buildings, with their rotation."""

    columns = (("bytes", 3, -11), ("class_name", 0, 64), ("instance_name", 1, 32), ("rotation", 2, 0))

    def cells(self, header: ObjectHeader, *, long: bool) -> tuple[str, ...]:
        """Return class, name (of a building: the place of its island, and that on it), rotation and bytes of an object."""
        return clean(header.class_name), clean(header.instance_name), rotation_text(header), str(header.size)

    def place_json(self, header: ObjectHeader) -> dict[str, object]:
        """Return place and rotation: of a building, those on its island."""
        place = None if header.position is None else [int(each) for each in header.position]
        return {f"position_{self.row.place_unit.name}": place, "rotation": rotation_text(header)}


class CodeView(Shapez2View):
    """Shows a blueprint code: also what it places, how large that is, and what it costs."""

    def info_rows(self, save: Save, start: SaveStart) -> Iterator[tuple[str, str]]:
        """Yield label and text of each fact."""
        yield from super().info_rows(save, start)
        (islands, buildings, size, cost), classes = self.content(save.events)
        count, called = (count_text, for_people) if on_terminal() else (str, str)
        yield "islands", count(islands)
        yield "buildings", count(buildings)
        if size is not None:
            width, length, layers = size
            yield "size", f"{width} x {length} tiles, {layers} layer{'s' * (layers != 1)}"
        yield "cost", f"{count(cost)} blueprint points"
        yield "most of", ", ".join(f"{count(number)} {clean(called(name))}" for name, number in classes.most_common(MOST_CLASSES))

    def info_json(self, save: Save, start: SaveStart) -> dict[str, object]:
        """Return the header, how many islands and buildings there are, size in tiles, and cost in blueprint points."""
        counts, _ = self.content(save.events)
        return super().info_json(save, start) | dict(zip(("islands", "buildings", "size_tiles", "cost"), counts, strict=True))

    def content(self, events: EventStream) -> tuple[tuple[int, int, list[int] | None, int], Counter[str]]:
        """Return how many islands and buildings a blueprint places, their size and cost; and how many objects of each class.

        The size is west to east, north to south, and layers: of the places of buildings, in tiles; None without buildings. The
        cost is in blueprint points.
        """
        from streamsave.formats.shapez2.game_reader import cost_of, tile_of

        classes: Counter[str] = Counter()
        islands = 0
        low, high = [inf] * 3, [-inf] * 3
        for header in self.objects(events):
            classes[header.class_name] += 1
            islands += header.kind == "island"
            tile = tile_of(header)
            if tile is not None and header.kind == "building" and header.transform is not None:
                place = (*tile, header.transform.translation[2])
                low, high = [*map(min, low, place)], [*map(max, high, place)]
        buildings = classes.total() - islands
        size = None if low[0] == inf else [int(last - first) + 1 for first, last in zip(low, high, strict=True)]
        return (islands, buildings, size, cost_of(buildings)), classes


def rotation_text(header: ObjectHeader) -> str:
    """Return which way an object faces; the number that is stored where it is none of the game's."""
    from streamsave.formats.shapez2.header import ROTATIONS

    return ROTATIONS[header.flags] if 0 <= header.flags < len(ROTATIONS) else str(header.flags)

"""How commands show the saves of a format: what `info`, `ls` and `map` say that is not the same for all formats.

A format has words of its own in its row of the registry (`streamsave.formats.Format`): labels of header fields, the unit of
places. Where that is not enough, the row names a subclass of `View`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from streamsave._fields import names_of_fields
from streamsave._log import warn
from streamsave.cli.lines import Lines
from streamsave.cli.options import for_people
from streamsave.cli.output import on_terminal, write_json, write_line
from streamsave.cli.save import Save
from streamsave.cli.text import clean, count_text, header_cells, place_text, show, time_text
from streamsave.consume.stream import EventStream
from streamsave.decode.json_values import Json, json_value
from streamsave.errors import SaveError
from streamsave.events import ObjectHeader, PropertyTag, SaveStart
from streamsave.formats import Format, Label, PlaceUnit, load
from streamsave.report.categories import Category
from streamsave.values import DateTime, Transform

if TYPE_CHECKING:
    from streamsave.consume.conditions import Selection

__all__ = ["Place", "View", "header_fields", "make_view"]


class Place(NamedTuple):
    """Where an object is on the map."""

    unit: PlaceUnit
    class_name: str
    x: float
    y: float
    #: In the words of the format.
    kind: str = ""
    #: x and y of each corner of a belt, a pipe, a rail or a wire.
    corners: tuple[float, ...] = ()
    #: What it is to a player; None in games without categories.
    category: Category | None = None


class View:
    """How the commands show one save. This class shows what every reader says in its events."""

    def __init__(self, row: Format) -> None:
        self.row = row

    # --- info ---

    def prepare(self, save: Save, start: SaveStart) -> int:
        """Read what lies beside the save; report what cannot be read. Return the exit code."""
        return 0

    def info_rows(self, save: Save, start: SaveStart) -> Iterator[tuple[str, str]]:
        """Yield label and text of each fact that the save says about itself."""
        for name, value in header_fields(start.header):
            label = self.row.labels.get(name, Label(name.replace("_", " ")))
            yield label.text, TEXTS[label.kind](value)

    def info_json(self, save: Save, start: SaveStart) -> dict[str, Json]:
        """Return what `info --json` has as `header`; hashes are hexadecimal."""
        header: dict[str, Json] = {}
        for name, value in header_fields(start.header):
            if isinstance(value, bytes):
                header[name] = value.hex()
                continue
            label = self.row.labels.get(name)
            metadata = parse_json(value) if label is not None and label.kind == "mods" else None
            header[name] = json_value(value if metadata is None else metadata)
        return header

    def info_extra(self) -> dict[str, Json]:
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
                if event.size < 0 and not events.holds_objects(event):
                    yield from measured(events, event)
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
                write_json({"file": json_value(save.label), **object_json(header), **self.place_json(header)})
            return
        terminal = on_terminal()
        if several and terminal:
            write_line(f"{clean(save.label)}:")
        first = f"{clean(save.label)}\t" if several else ""
        lines = Lines()
        try:
            for header in self.objects(save.events):
                lines.put(self.line(header, long=long) if terminal else first + "\t".join(self.cells(header, long=long)))
        finally:
            lines.flush()

    def place_json(self, header: ObjectHeader) -> dict[str, Json]:
        """Return what `ls --json` says of an object's place: its key names the unit."""
        return {f"position_{self.row.place_unit.name}": json_value(self.position(header.transform))}

    def cells(self, header: ObjectHeader, *, long: bool) -> tuple[str, ...]:
        """Return the cells of an object for a pipe."""
        return *header_cells(header, long=long), self.place_text(header.transform)

    def line(self, header: ObjectHeader, *, long: bool) -> str:
        """Return the line of an object for a terminal."""
        class_name, name, level, _, place = self.cells(header, long=long)
        shown = class_name if long else for_people(class_name)
        return f"{count_text(header.size):>11}  {shown:<56}  {place:>32}  {level:<28}  {name}"

    def position(self, transform: Transform | None) -> tuple[float, float, float] | None:
        """Return x, y and z of an object in the unit of the format."""
        if transform is None:
            return None
        x, y, z = transform.translation
        scale = self.row.place_unit.scale
        return x / scale, y / scale, z / scale

    def place_text(self, transform: Transform | None) -> str:
        """Write x, y and z of an object with their unit; `-` where it has no place."""
        if transform is None:
            return "-"
        unit = self.row.place_unit
        return place_text(transform.translation, unit.scale, unit.symbol)

    # --- map ---

    def places(self, events: EventStream, where: Selection | None) -> Iterator[Place]:
        """Yield where the wanted objects are; y counts to the south.

        Raises:
            SaveError: the bytes are at fault.
        """
        unit = self.row.place_unit
        for _, found in events.select(where, sizes=False):
            if found.position is not None:
                x, y, _ = found.position
                yield Place(unit, found.class_name, x / unit.scale, y / unit.scale, found.kind)


def measured(events: EventStream, header: ObjectHeader) -> Iterator[ObjectHeader]:
    """Pass over the object of the last event, whose header does not say its size; yield the header with the size.

    Raises:
        SaveError: the object is damaged; then its header comes as it is.
    """
    size, fault = -1, None
    try:
        events.skip()
        end = next(events)
        size = end.offset - header.data_offset
    except SaveError as error:
        fault = error
    values = {name: getattr(header, name) for name in ObjectHeader.__match_args__}
    yield ObjectHeader(**{**values, "size": size})
    if fault is not None:
        raise fault


def make_view(row: Format) -> View:
    """Make the view of a format. Where that of a plugin cannot be made, warn, and show its saves like others."""
    if not row.view:
        return View(row)
    try:
        view = cast("type[View]", load(row.view))(row)
    except Exception as error:
        if row.view.startswith(OURS):
            raise
        warn("the view of a format cannot be imported", format=row.name, view=row.view, error=f"{type(error).__name__}: {error}")
        return View(row)
    return view


#: How the names of our modules start.
OURS: Final = "streamsave."


def object_json(header: ObjectHeader) -> dict[str, Json]:
    """Return what `ls --json` says of an object of any format, but for its place."""
    return {
        "kind": header.kind,
        "class_name": json_value(header.class_name),
        "instance_name": json_value(header.instance_name),
        "level": json_value(header.level),
        "outer": json_value(header.outer),
        "size": header.size,
    }


def header_fields(header: object) -> Iterator[tuple[str, object]]:
    """Yield name and value of each field of a header that the save has; nothing for a header that is no attrs class."""
    for name in names_of_fields(type(header)) or ():
        value = getattr(header, name)
        if value is not None:
            yield name, value


# --- how values of headers are written ---


def parse_json(text: object) -> object:
    """Parse JSON text that a header holds; return None where it is none."""
    if not isinstance(text, str) or not text:
        return None
    import orjson

    try:
        value: object = orjson.loads(text)
    except ValueError:
        return None
    return value


def _seconds(value: object) -> str:
    return time_text(int(value)) if isinstance(value, (int, float)) else show(value)


def _moment(value: object) -> str:
    moment = value.to_datetime() if isinstance(value, DateTime) else None
    return show(value) if moment is None else moment.strftime("%Y-%m-%d %H:%M:%S")


def _hex(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else show(value)


def _mods(value: object) -> str:
    metadata = parse_json(value)
    mods = metadata.get("Mods") if isinstance(metadata, dict) else None
    return str(len(mods)) if isinstance(mods, list) else "(none)"


def _version(value: object) -> str:
    return ".".join(map(str, value)) if isinstance(value, tuple) else show(value)


def _bytes(value: object) -> str:
    return f"{show(value)} B"


#: `Label.kind` -> how a value of that kind is written.
TEXTS: Final[dict[str, Callable[[object], str]]] = {
    "text": show,
    "seconds": _seconds,
    "moment": _moment,
    "bytes": _bytes,
    "hex": _hex,
    "version": _version,
    "mods": _mods,
}

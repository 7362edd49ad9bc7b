"""`streamsave ls`: the objects of a save, their levels, or their classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

import click

from streamsave.cli.options import (
    Saves,
    for_people,
    jobs_option,
    json_option,
    keep_only,
    limit_option,
    objects_option,
    saves_argument,
    shown_names_options,
    time_options,
    where_option,
)
from streamsave.cli.output import on_terminal, write_json, write_rows
from streamsave.cli.save import Save, read_saves
from streamsave.cli.text import clean, short_class
from streamsave.cli.view import make_view
from streamsave.consume.stream import EventStream
from streamsave.decode.json_values import to_jsonable
from streamsave.events import ObjectHeader, StructEnter, StructExit

if TYPE_CHECKING:
    from streamsave.consume.conditions import Selection

__all__ = ["command", "objects_by_class", "objects_by_level"]

#: What levels are called in `StructEnter.type_name`.
LEVEL: Final = "Level"
#: What columns are called in JSON.
KEYS: Final = {"bytes": "size"}


def objects_by_level(events: EventStream) -> Iterator[tuple[str, int, int]]:
    """Yield the levels of a save: name, number of objects, bytes of their data. Those of an object in another count once."""
    name, count, size = "", 0, 0
    enclosing = -1
    #: Where the data end that were counted last.
    counted = 0
    for event in events:
        if isinstance(event, ObjectHeader):
            count += 1
            end = event.data_offset + max(event.size, 0)
            if end > counted:
                size += max(event.size, 0)
                counted = end
            if not events.holds_objects(event):
                events.skip()
        elif isinstance(event, StructEnter):
            if event.type_name == LEVEL:
                enclosing = events.depth
                name, count, size = event.name, 0, 0
        elif isinstance(event, StructExit) and events.depth < enclosing:
            enclosing = -1
            yield name, count, size
            name, count, size = "", 0, 0
    if count:  # objects that are in no level
        yield name, count, size


def objects_by_class(headers: Iterable[ObjectHeader]) -> list[tuple[str, int, int]]:
    """Return the classes of objects: full name, number of objects, bytes of their data; the largest first."""
    counts: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for header in headers:
        counts[header.class_name] += 1
        sizes[header.class_name] += max(header.size, 0)
    return sorted([(name, count, sizes[name]) for name, count in counts.items()], key=lambda row: (-row[2], -row[1], row[0]))


@click.command("ls", short_help="Objects, levels or classes, with their sizes.")
@saves_argument
@click.option("--levels", "by_level", is_flag=True, help="List the levels instead: number of objects, bytes of their data.")
@click.option("--by-class", is_flag=True, help="List the classes instead, largest first: number of objects, bytes of their data.")
@click.option(
    "--containers",
    "by_container",
    is_flag=True,
    help="List the containers of an Unreal save game that --objects takes: path, number, elements, bytes.",
)
@click.option("--long", is_flag=True, help="Write class names in full.")
@where_option
@json_option
@shown_names_options
@objects_option
@limit_option
@time_options
@jobs_option
def command(
    saves: Saves, by_level: bool, by_class: bool, by_container: bool, long: bool, where: Selection | None, as_json: bool
) -> int:
    """List the objects: class, name, level, bytes of data, place in the world (in metres for Satisfactory).

    In a terminal, what people call a class comes before its real name, which is in brackets. The data of the objects is skipped.
    For shapez 2: class, name, rotation, bytes. For Arx, the entries: class, name, bytes (? if the save does not say), stored
    bytes, packing, chunks. With several files, the file is the first column (in a pipe).
    """
    if by_level + by_class + by_container > 1:
        raise click.UsageError("--levels, --by-class and --containers exclude each other.")
    several = saves.several

    def work(save: Save) -> None:
        keep_only(save.events, where)
        if not (by_container or by_level or by_class):
            start = save.start()
            make_view(save.events.format).list_objects(save, start, several=several, long=long, as_json=as_json)
            return
        rows: Iterable[tuple[str | int, ...]]
        if by_container:
            rows = [(each.path, each.count, each.elements, each.size) for each in save.events.containers()]
            columns: tuple[str, ...] = ("path", "containers", "elements", "bytes")
        elif by_level:
            rows, columns = objects_by_level(save.events), ("level", "objects", "bytes")
        else:
            rows = objects_by_class(make_view(save.events.format).objects(save.events))
            columns = ("class_name", "objects", "bytes")
        if as_json:
            keys = [KEYS.get(column, column) for column in columns]
            for row in rows:
                write_json({"file": to_jsonable(save.label), **dict(zip(keys, map(to_jsonable, row), strict=True))})
            return
        shown = ((name_of(str(name)), *numbers) for name, *numbers in rows)
        write_rows(save.label, columns, shown, right=columns[1:], several=several)

    def name_of(name: str) -> str:
        if long or not by_class:
            return name
        short = clean(short_class(name))
        return for_people(short) if on_terminal() else short

    return read_saves(saves, work, summary=by_class)

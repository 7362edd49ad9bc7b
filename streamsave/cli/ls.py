"""`streamsave ls`: the objects of a save, their levels, or their classes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

import click

from streamsave.cli.inputs import Saves, jobs_option, json_option, keep_only, saves_argument, where_option
from streamsave.cli.options import for_people, limit_option, objects_option, shown_names_options, time_options
from streamsave.cli.output import on_terminal, write_json, write_row, write_table
from streamsave.cli.run import read_saves
from streamsave.cli.save import Save
from streamsave.cli.text import clean, count_text, short_class
from streamsave.cli.view import make_view
from streamsave.consume.stream import EventStream
from streamsave.decode.json_values import json_value
from streamsave.events import ObjectHeader, SaveStart, StructEnter, StructExit

if TYPE_CHECKING:
    from streamsave.consume.conditions import Selection

__all__ = ["command", "objects_by_class", "objects_by_level"]

#: What levels are called in `StructEnter.type_name`.
LEVEL: Final = "Level"


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
    totals: dict[str, tuple[int, int]] = {}
    for header in headers:
        count, size = totals.get(header.class_name, (0, 0))
        totals[header.class_name] = count + 1, size + max(header.size, 0)
    rows = [(name, count, size) for name, (count, size) in totals.items()]
    rows.sort(key=lambda row: (-row[2], -row[1], row[0]))
    return rows


def _list_totals(
    save: Save, what: str, totals: Iterator[tuple[str, int, int]], *, several: bool, long: bool, as_json: bool
) -> None:
    if as_json:
        for name, count, size in totals:
            write_json({"file": json_value(save.label), what: json_value(name), "objects": count, "size": size})
        return
    shown = ((clean(name if long or what == "level" else short_class(name)), count, size) for name, count, size in totals)
    if on_terminal():
        has_names = what != "level" and not long
        rows = ((for_people(name) if has_names else name, count_text(count), count_text(size)) for name, count, size in shown)
        write_table(clean(save.label), (what, "objects", "bytes"), rows, right=("objects", "bytes"))
        return
    for name, count, size in shown:
        row = (name, str(count), str(size))
        write_row((clean(save.label), *row) if several else row)


def _list_containers(save: Save, *, several: bool, as_json: bool) -> None:
    rows = [(each.path, each.count, each.elements, each.size) for each in save.events.containers()]
    if as_json:
        for path, count, elements, size in rows:
            write_json({"file": json_value(save.label), "path": path, "containers": count, "elements": elements, "size": size})
    elif on_terminal():
        shown = ((clean(path), *map(count_text, numbers)) for path, *numbers in rows)
        numbered = ("containers", "elements", "bytes")
        write_table(clean(save.label), ("path", *numbered), shown, right=numbered)
    else:
        for path, *numbers in rows:
            row = (clean(path), *map(str, numbers))
            write_row((clean(save.label), *row) if several else row)


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
        if by_container:
            _list_containers(save, several=several, as_json=as_json)
            return
        if by_level:
            _list_totals(save, "level", objects_by_level(save.events), several=several, long=long, as_json=as_json)
            return
        view = make_view(save.events.format)
        if by_class:
            totals = iter(objects_by_class(view.objects(save.events)))
            _list_totals(save, "class_name" if as_json else "class", totals, several=several, long=long, as_json=as_json)
            return
        start = next(save.events)
        assert isinstance(start, SaveStart)  # noqa: S101 - it is the first event of every save
        view.list_objects(save, start, several=several, long=long, as_json=as_json)

    return read_saves(saves, work, summary=by_class)

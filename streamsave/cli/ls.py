"""`streamsave ls`: the objects of a save, their levels, or their classes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from shlex import quote
from typing import TYPE_CHECKING, Final

import click

from streamsave.cli.options import (
    Saves,
    check_metrics,
    for_people,
    jobs_option,
    json_option,
    keep_only,
    limit_option,
    metrics_options,
    objects_option,
    saves_argument,
    shown_names_options,
    time_options,
    where_option,
)
from streamsave.cli.output import on_terminal, styled, write_json, write_line, write_rows
from streamsave.cli.save import Save, open_input, read_saves
from streamsave.cli.text import classes_text, clean, count_text, short_class
from streamsave.cli.view import make_view
from streamsave.consume.stream import EventStream
from streamsave.decode.json_values import to_jsonable
from streamsave.errors import SaveError
from streamsave.events import ObjectHeader, StructEnter, StructExit

if TYPE_CHECKING:
    from streamsave.consume.conditions import Selection

__all__ = ["command", "objects_by_class", "objects_by_level"]

#: What levels are called in `StructEnter.type_name`.
LEVEL: Final = "Level"
#: A terminal shows so many classes before the objects, unless there are few objects.
MOST: Final = 10
FEW: Final = 20
NUMBERS: Final = ("objects", "bytes")
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


def shown_class(name: str, *, long: bool) -> str:
    """Return the name of a class as the command writes it."""
    if long:
        return name
    short = clean(short_class(name))
    return for_people(short) if on_terminal() else short


def begin(label: str, *, long: bool) -> None:
    """Write the classes with the most bytes, before the objects of a save: in a terminal, if there are many objects."""
    with open_input(label) as save:
        try:
            classes = objects_by_class(make_view(save.events.format).objects(save.events))
        except SaveError:
            return  # the objects come up to there, and then what is wrong
    total = sum(count for _, count, _ in classes)
    if total <= FEW:
        return
    shown = [(shown_class(name, long=long), count, size) for name, count, size in classes[:MOST]]
    write_rows(
        f"{count_text(total)} objects of {classes_text(len(classes))}", ("class_name", "objects", "bytes"), shown, right=NUMBERS
    )
    name = quote(clean(label))
    write_line(styled(f"All classes: streamsave ls --by-class {name}", "hint"))
    write_line(styled(f"Some objects: streamsave ls {name} --where 'class_name ~ {clean(short_class(classes[0][0]))}'", "hint"))


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
@click.option(
    "--full",
    is_flag=True,
    help="With --by-class: read the objects, too, and count events, and bytes by class and by property; show the speed.",
)
@click.option("-n", "--top", metavar="N", type=click.IntRange(min=0), help="With --by-class: only the N largest; 0: all.")
@metrics_options
@click.option("--long", is_flag=True, help="Write class names in full.")
@where_option
@json_option
@shown_names_options
@objects_option
@limit_option
@time_options
@jobs_option
def command(
    saves: Saves,
    by_level: bool,
    by_class: bool,
    by_container: bool,
    full: bool,
    top: int | None,
    kind: str | None,
    output: str | None,
    long: bool,
    where: Selection | None,
    as_json: bool,
) -> int:
    """List the objects: class, name, level, bytes of data, place in the world (in metres for Satisfactory).

    In a terminal, what people call a class comes before its real name, which is in brackets, and of one save with many objects,
    the classes with the most bytes come first. What does not fit into a line is left out or cut. The data of the objects is
    skipped. For shapez 2: class, name, rotation, bytes. For Arx, the entries: class, name, bytes (? if the save does not say),
    stored bytes, packing, chunks. With several files, the file is the first column (in a pipe).

    --by-class --full gives four tables: total, event, class and property, the 10 largest of these two without --top; in a pipe,
    the first column names the table. The bytes of a class are the data of its objects. Those of a property are its tag and value;
    only properties, fields and structs of the objects themselves count, not those inside structs. MB are millions of bytes.
    --by-class --format prometheus writes the largest classes and the sizes for node_exporter.
    """
    if by_level + by_class + by_container > 1:
        raise click.UsageError("--levels, --by-class and --containers exclude each other.")
    check_metrics(kind, output, as_json=as_json)
    if not by_class and (full or top is not None or kind is not None):
        raise click.UsageError("--full, --top and --format go with --by-class.")
    if full or kind is not None:
        from streamsave.cli.class_sums import LARGEST, write_sums

        if where is not None or long:
            raise click.UsageError("--full and --format are about the whole save, without --where and --long.")
        return write_sums(saves, LARGEST if top is None else top, kind, output, as_json=as_json)
    several = saves.several

    def work(save: Save) -> None:
        keep_only(save.events, where)
        if not (by_container or by_level or by_class):
            if on_terminal() and where is None and not (as_json or several) and os.path.exists(save.label):  # noqa: PTH110
                begin(save.label, long=long)
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
            rows = objects_by_class(make_view(save.events.format).objects(save.events))[: top or None]
            columns = ("class_name", "objects", "bytes")
        if as_json:
            keys = [KEYS.get(column, column) for column in columns]
            for row in rows:
                write_json({"file": to_jsonable(save.label), **dict(zip(keys, map(to_jsonable, row), strict=True))})
            return
        shown = ((name_of(str(name)), *numbers) for name, *numbers in rows)
        write_rows(save.label, columns, shown, right=columns[1:], several=several)

    def name_of(name: str) -> str:
        return shown_class(name, long=long) if by_class else name

    return read_saves(saves, work)

"""`streamsave ls`: the objects of a save, their levels, or their classes.

With `--by-class --full`: events, bytes by class and by property, and how fast a save is read.

The module is long because it is four listings in two forms each.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from shlex import quote
from time import perf_counter
from typing import TYPE_CHECKING, Final

import click
from attrs import evolve

from streamsave.cli.options import (
    Saves,
    check_metrics,
    for_people,
    jobs_option,
    json_option,
    keep_only,
    layout_options,
    limit_option,
    metrics_options,
    refuse,
    saves_argument,
    shown_names_options,
    time_options,
    where_option,
)
from streamsave.cli.output import FAILED, Metrics, on_terminal, report, styled, write_json, write_line, write_rows
from streamsave.cli.save import Save, open_input, read_saves
from streamsave.cli.text import classes_text, clean, count_text, short_class, size_text
from streamsave.cli.view import make_view
from streamsave.consume.stream import EventStream
from streamsave.errors import SaveError
from streamsave.events import ObjectEnd, ObjectHeader, StructEnter, StructExit
from streamsave.report.tree import Tree, collect

if TYPE_CHECKING:
    from streamsave.consume.conditions import Selection

__all__ = ["command", "sums_of"]

MEGA: Final = 1_000_000
#: Classes and properties, unless the user says how many.
LARGEST: Final = 10
#: What `--format prometheus` writes of a save, and of a class in it.
SAVE_METRICS: Final = {
    "streamsave_save_bytes": "Bytes of the file.",
    "streamsave_inflated_bytes": "Bytes of the save, inflated.",
    "streamsave_objects": "Objects in the save.",
}
CLASS_METRICS: Final = {
    "streamsave_class_objects": "Objects of a class, of the classes with most bytes.",
    "streamsave_class_bytes": "Bytes of the data of these objects.",
}


def largest(rows: Iterable[tuple[str, int, int]], most: int = 0) -> list[tuple[str, int, int]]:
    """Return the sums of names, numbers and bytes by name: the `most` with the most bytes; 0 is all."""
    counts: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for name, count, size in rows:
        counts[name] += count
        sizes[name] += size
    ordered = sorted(sizes.items(), key=lambda item: (-item[1], item[0]))
    return [(name, counts[name], size) for name, size in ordered[: most or None]]


def sums_of(tree: Tree, most: int) -> tuple[list[tuple[str, int, int]], list[tuple[str, int, int]]]:
    """Return name, number and bytes of the `most` largest classes and properties; 0 is all.

    The bytes of a class are the data of its objects. Properties (tag and value), fields and structs are the members of objects,
    but objects in them are not.
    """
    classes = [(name, node) for (_, name), node in tree.classes.items()]
    members = ((name, member.count, member.size) for _, node in classes for name, member in node.nodes.items())
    return largest(((name, node.count, node.size + node.inner) for name, node in classes), most), largest(members, most)


def tree_of(save: Save) -> Tree:
    """Read a save to its end, and return its bytes by class and by member."""
    tree = Tree()
    collect(save.events, tree, members_only=True)
    return tree


def write_sums(saves: Saves, most: int, *, as_json: bool) -> int:
    """Read saves, and write the sums of each: four tables, or a JSON object; return the exit code.

    Args:
        saves: the saves.
        most: how many classes and properties; 0 is all.
        as_json: write JSON.
    """

    def work(save: Save) -> None:
        started = perf_counter()
        tree = tree_of(save)
        seconds = perf_counter() - started
        compressed = save.size if tree.chunks else None
        inflated = int(tree.inflated_size)
        ratio = inflated / compressed if compressed else None
        speed = inflated / MEGA / seconds if seconds else 0.0
        events = Counter({kind.__name__: count for kind, count in tree.events.items()}).most_common()
        classes, properties = sums_of(tree, most)
        if as_json:
            sizes = {"inflated_size": inflated, "compressed_size": compressed, "ratio": ratio, "chunks": tree.chunks}
            about = {"file": save.label, "events": dict(events), **sizes, "seconds": seconds, "megabytes_per_second": speed}
            named = [{"class_name": name, "count": count, "size": size} for name, count, size in classes]
            members = [{"name": name, "count": count, "size": size} for name, count, size in properties]
            write_json({**about, "classes": named, "properties": members})
            return
        shown = size_text if on_terminal() else str
        totals: list[tuple[str, str | int]] = [
            ("events", sum(count for _, count in events)),
            ("inflated", shown(inflated)),
            ("compressed", "-" if compressed is None else shown(compressed)),
            ("ratio", "-" if ratio is None else f"{ratio:.2f}"),
            ("chunks", tree.chunks or "-"),
            ("seconds", f"{seconds:.3f}"),
            ("MB/s inflated", f"{speed:.1f}"),
        ]
        tables: tuple[tuple[str, tuple[str, ...], Sequence[tuple[str | int, ...]]], ...] = (
            ("total", ("total", "value"), totals),
            ("event", ("event", "events"), events),
            ("class", ("class_name", "number", "bytes"), [(shown_class(name, long=False), *sums) for name, *sums in classes]),
            ("property", ("property", "number", "bytes"), properties),
        )
        for what, columns, rows in tables:
            # In a pipe, the first column names the table.
            label = f"{save.label}: {what}" if on_terminal() else save.label
            cells = rows if on_terminal() else [(what, *row) for row in rows]
            write_rows(label, columns, cells, right=("events", "number", "bytes"), several=saves.several)

    return read_saves(saves, work)


def write_metrics(saves: Saves, most: int, target: str | None) -> int:
    """Read saves one after the other, and write numbers of all of them for node_exporter; return the exit code.

    Args:
        saves: the saves.
        most: how many classes; 0 is all.
        target: the file; None or `-`: standard output.

    Raises:
        OutputFailed: it cannot be written.
    """
    metrics = Metrics(SAVE_METRICS | CLASS_METRICS)

    def work(save: Save) -> None:
        tree = tree_of(save)
        objects = sum(int(node.count) for node in tree.classes.values())
        metrics.add(dict(zip(SAVE_METRICS, (save.size, int(tree.inflated_size), objects), strict=True)), file=save.label)
        for name, *numbers in sums_of(tree, most)[0]:
            metrics.add(dict(zip(CLASS_METRICS, numbers, strict=True)), file=save.label, class_name=name)

    code = read_saves(evolve(saves, jobs=1), work)
    metrics.write(target)
    return code


#: What levels are called in `StructEnter.type_name`.
LEVEL: Final = "Level"
#: A terminal shows so many classes before the objects, unless there are few objects.
MOST: Final = 10
FEW: Final = 20


def objects_by_level(events: EventStream) -> Iterator[tuple[str, int, int]]:
    """Yield the levels of a save: name, number of objects, bytes of their data. Those of an object in another count once."""
    name, count, size = "", 0, 0
    enclosing = -1
    #: How many objects are open, and where the data of the outermost start. Some sizes are known at the end only.
    nested = start = 0
    for event in events:
        if isinstance(event, ObjectHeader):
            count += 1
            if nested == 0:
                start = event.data_offset
            nested += 1
            if not events.holds_objects(event):
                events.skip()
        elif isinstance(event, ObjectEnd):
            nested -= 1
            if nested == 0:
                size += event.offset - start
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
    rows = largest((header.class_name, 1, max(header.size, 0)) for header in headers)
    return sorted(rows, key=lambda row: (-row[2], -row[1]))


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
        f"{count_text(total)} objects of {classes_text(len(classes))}",
        ("class_name", "objects", "bytes"),
        shown,
        right=("objects", "bytes"),
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
@layout_options
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

    --levels lists the levels that the save consists of. The column level is what the header of an object says: the same name in
    Satisfactory from SaveVersion 41 on and in Astroneer, another one in blueprints and other saves.

    --by-class --full gives four tables: total, event, class and property, the 10 largest of these two without --top; in a pipe,
    the first column names the table. The bytes of a class are the data of its objects, with the objects in them: `treemap` and
    `report` count these once. Those of a property are its tag and value; only properties, fields and structs of the objects
    themselves count, not those inside structs. MB are millions of bytes.
    --by-class --format prometheus writes the largest classes and the sizes for node_exporter.
    """
    refuse(by_level + by_class + by_container > 1, "--levels, --by-class and --containers exclude each other.")
    check_metrics(kind, output, as_json=as_json)
    refuse(not by_class and (full or top is not None or kind is not None), "--full, --top and --format go with --by-class.")
    if full or kind is not None:
        refuse(where is not None or long, "--full and --format are about the whole save, without --where and --long.")
        most = LARGEST if top is None else top
        return write_sums(saves, most, as_json=as_json) if kind is None else write_metrics(saves, most, output)

    def work(save: Save) -> int:
        keep_only(save.events, where)
        if not (by_container or by_level or by_class):
            if on_terminal() and where is None and not (as_json or saves.several) and os.path.exists(save.label):  # noqa: PTH110
                begin(save.label, long=long)
            make_view(save.events.format).list_objects(save, save.start(), several=saves.several, long=long, as_json=as_json)
            return 0
        rows: Iterable[tuple[str | int, ...]]
        if by_container:
            if "objects_at" not in save.events.format.options:
                report(save.label, f"{save.events.format.name} has no containers that --objects takes")
                return FAILED
            rows = [(each.path, each.count, each.elements, each.size) for each in save.events.containers()]
            columns: tuple[str, ...] = ("path", "containers", "elements", "bytes")
        elif by_level:
            rows, columns = objects_by_level(save.events), ("level", "objects", "bytes")
        else:
            rows = objects_by_class(make_view(save.events.format).objects(save.events))[: top or None]
            columns = ("class_name", "objects", "bytes")
        if as_json:
            keys = ["size" if column == "bytes" else column for column in columns]
            for row in rows:
                write_json({"file": save.label, **dict(zip(keys, row, strict=True))})
            return 0
        shown = ((shown_class(str(name), long=long) if by_class else name, *numbers) for name, *numbers in rows)
        write_rows(save.label, columns, shown, right=columns[1:], several=saves.several)
        return 0

    return read_saves(saves, work)

"""`streamsave stats`: what a save is made of, and how fast it is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import Final

import click

from streamsave.cli.options import (
    Saves,
    check_metrics,
    for_people,
    jobs_option,
    json_option,
    limit_option,
    metrics_options,
    objects_option,
    saves_argument,
    shown_names_options,
    time_options,
)
from streamsave.cli.output import Metrics, on_terminal, write_json, write_rows
from streamsave.cli.save import Save, read_saves
from streamsave.cli.text import short_class, size_text
from streamsave.decode.json_values import Json, to_jsonable
from streamsave.report.tree import Tree, collect

__all__ = ["command"]

MEGA: Final = 1_000_000
#: What `--format prometheus` writes.
METRICS: Final = {
    "streamsave_save_bytes": "Bytes of the file.",
    "streamsave_inflated_bytes": "Bytes of the save, inflated.",
    "streamsave_objects": "Objects in the save.",
    "streamsave_class_objects": "Objects of a class, of the classes with most bytes.",
    "streamsave_class_bytes": "Bytes of the data of these objects.",
}


class Sums:
    """Numbers and bytes by name."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.sizes: Counter[str] = Counter()

    def add(self, name: str, count: int, size: int) -> None:
        """Add to those of a name."""
        self.counts[name] += count
        self.sizes[name] += size

    def largest(self, most: int) -> list[tuple[str, int, int]]:
        """Return name, number and bytes of the `most` largest; 0 is all."""
        ordered = sorted(self.sizes.items(), key=lambda item: (-item[1], item[0]))
        return [(name, self.counts[name], size) for name, size in ordered[: most or None]]


class Totals:
    """Sums over all events of a save.

    Args:
        tree: of the members of objects.
        seconds: that it took to read the save.
    """

    def __init__(self, tree: Tree, seconds: float) -> None:
        self.events = Counter(tree.events)
        #: Of the data of objects, by class.
        self.classes = Sums()
        #: Of the members of objects, by name: properties (tag and value), fields and structs, but no objects.
        self.properties = Sums()
        for (_, class_name), node in tree.classes.items():
            self.classes.add(class_name, node.count, node.size + node.inner)
            for name, member in node.nodes.items():
                self.properties.add(name, member.count, member.size)
        self.chunks = int(tree.chunks)
        self.compressed_size = int(tree.compressed_size)
        self.inflated_size = int(tree.inflated_size)
        self.seconds = seconds
        #: Inflated bytes for each compressed byte; None if nothing is compressed.
        self.ratio = self.inflated_size / self.compressed_size if self.compressed_size else None
        #: Inflated megabytes (millions of bytes) per second.
        self.speed = self.inflated_size / MEGA / seconds if seconds else 0.0


def _totals(stats: Totals) -> Iterator[tuple[str, str | int]]:
    """Yield the sums: with units for people, as bare numbers (bytes, seconds) for a pipe."""
    size = size_text if on_terminal() else str
    ratio = stats.ratio
    yield "events", sum(stats.events.values())
    yield "inflated", size(stats.inflated_size)
    yield "compressed", size(stats.compressed_size)
    yield "ratio", "-" if ratio is None else f"{ratio:.2f}"
    yield "chunks", stats.chunks
    yield "seconds", f"{stats.seconds:.3f}"
    yield "MB/s inflated", f"{stats.speed:.1f}"


def _json(save: Save, stats: Totals, most: int) -> dict[str, Json]:
    def rows(key: str, sums: Sums) -> Json:
        return [{key: to_jsonable(name), "count": count, "size": size} for name, count, size in sums.largest(most)]

    return {
        "file": to_jsonable(save.label),
        "events": {kind.__name__: count for kind, count in stats.events.most_common()},
        "inflated_size": stats.inflated_size,
        "compressed_size": stats.compressed_size,
        "ratio": stats.ratio,
        "chunks": stats.chunks,
        "seconds": stats.seconds,
        "megabytes_per_second": stats.speed,
        "classes": rows("class_name", stats.classes),
        "properties": rows("name", stats.properties),
    }


def _print(save: Save, stats: Totals, most: int, *, several: bool) -> None:
    """Print four tables; in a pipe, the first column names the table."""

    def table(what: str, head: tuple[str, ...], rows: Iterable[tuple[str | int, ...]]) -> None:
        right = ("events", "number", "bytes")
        if on_terminal():
            write_rows(f"{save.label}: {what}", head, list(rows), right=right)
        else:
            write_rows(save.label, head, ((what, *row) for row in rows), several=several)

    def class_text(name: str) -> str:
        return for_people(short_class(name)) if on_terminal() else short_class(name)

    table("total", ("total", "value"), _totals(stats))
    table("event", ("event", "events"), ((kind.__name__, count) for kind, count in stats.events.most_common()))
    classes = stats.classes.largest(most)
    table("class", ("class_name", "number", "bytes"), ((class_text(name), *numbers) for name, *numbers in classes))
    table("property", ("property", "number", "bytes"), stats.properties.largest(most))


@click.command("stats", short_help="Events, bytes by class and property, speed.")
@saves_argument
@click.option(
    "-n",
    "--top",
    metavar="N",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="Show N classes and N properties; 0: all.",
)
@metrics_options
@time_options
@json_option
@shown_names_options
@objects_option
@limit_option
@jobs_option
def command(saves: Saves, top: int, kind: str | None, output: str | None, as_json: bool) -> int:
    """Count events, and bytes by class and by property; show the speed of reading and the compression.

    The bytes of a class are the data of its objects. The bytes of a property are its tag and value; only properties, fields and
    structs of the objects themselves count, not those inside structs. MB are millions of bytes.
    """
    check_metrics(kind, output, as_json=as_json)
    metrics = None if kind is None else Metrics(METRICS)

    def work(save: Save) -> None:
        tree, started = Tree(), perf_counter()
        collect(save.events, tree, members_only=True)
        stats = Totals(tree, perf_counter() - started)
        if metrics is not None:
            _add(metrics, save, stats, top)
        elif as_json:
            write_json(_json(save, stats, top))
        else:
            _print(save, stats, top, several=saves.several)

    if metrics is None:
        return read_saves(saves, work, summary=True)
    code = read_saves(Saves(saves.arguments, saves.several, choice=saves.choice), work, summary=True)
    metrics.write(output)
    return code


def _add(metrics: Metrics, save: Save, stats: Totals, most: int) -> None:
    """Add the numbers of a save; those of the `most` largest classes."""
    metrics.add("streamsave_save_bytes", stats.compressed_size if save.size is None else save.size, file=save.label)
    metrics.add("streamsave_inflated_bytes", stats.inflated_size, file=save.label)
    metrics.add("streamsave_objects", stats.classes.counts.total(), file=save.label)
    for name, count, size in stats.classes.largest(most):
        labels = {"file": save.label, "class_name": name}
        metrics.add("streamsave_class_objects", count, **labels)
        metrics.add("streamsave_class_bytes", size, **labels)

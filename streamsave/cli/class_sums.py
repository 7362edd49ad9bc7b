"""What `ls --by-class --full` says: events, bytes by class and by property, and how fast a save is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import Final

from streamsave.cli.options import Saves, for_people
from streamsave.cli.output import Metrics, on_terminal, write_json, write_rows
from streamsave.cli.save import Save, read_saves
from streamsave.cli.text import short_class, size_text
from streamsave.decode.json_values import Json, to_jsonable
from streamsave.report.tree import Tree, collect

__all__ = ["LARGEST", "Totals", "write_sums"]

MEGA: Final = 1_000_000
#: Classes and properties, unless the user says how many.
LARGEST: Final = 10
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
        #: None: no chunk says so, as in a save that is compressed as a whole, or not at all.
        self.compressed_size = int(tree.compressed_size) or None
        self.inflated_size = int(tree.inflated_size)
        self.seconds = seconds
        #: Inflated bytes for each compressed byte; None if that is unknown.
        self.ratio = self.inflated_size / self.compressed_size if self.compressed_size else None
        #: Inflated megabytes (millions of bytes) per second.
        self.speed = self.inflated_size / MEGA / seconds if seconds else 0.0


def _totals(stats: Totals) -> Iterator[tuple[str, str | int]]:
    """Yield the sums: with units for people, as bare numbers (bytes, seconds) for a pipe."""
    size = size_text if on_terminal() else str
    ratio = stats.ratio
    yield "events", sum(stats.events.values())
    yield "inflated", size(stats.inflated_size)
    yield "compressed", "-" if stats.compressed_size is None else size(stats.compressed_size)
    yield "ratio", "-" if ratio is None else f"{ratio:.2f}"
    yield "chunks", stats.chunks or "-"
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


def write_sums(saves: Saves, most: int, kind: str | None, output: str | None, *, as_json: bool) -> int:
    """Read saves, and write the sums of each; return the exit code.

    Args:
        saves: the saves.
        most: how many classes and properties; 0 is all.
        kind: `"prometheus"`: numbers for node_exporter instead; None: tables, or JSON.
        output: a file for these numbers; None or `-`: standard output.
        as_json: write a JSON object for each save.

    Raises:
        OutputFailed: the output cannot be written.
    """
    metrics = None if kind is None else Metrics(METRICS)

    def work(save: Save) -> None:
        tree, started = Tree(), perf_counter()
        collect(save.events, tree, members_only=True)
        stats = Totals(tree, perf_counter() - started)
        if metrics is not None:
            _add(metrics, save, stats, most)
        elif as_json:
            write_json(_json(save, stats, most))
        else:
            _print(save, stats, most, several=saves.several)

    if metrics is None:
        return read_saves(saves, work)
    code = read_saves(Saves(saves.arguments, saves.several, choice=saves.choice), work)
    metrics.write(output)
    return code


def _add(metrics: Metrics, save: Save, stats: Totals, most: int) -> None:
    """Add the numbers of a save; those of the `most` largest classes."""
    size = stats.compressed_size if save.size is None else save.size
    if size is not None:
        metrics.add("streamsave_save_bytes", size, file=save.label)
    metrics.add("streamsave_inflated_bytes", stats.inflated_size, file=save.label)
    metrics.add("streamsave_objects", stats.classes.counts.total(), file=save.label)
    for name, count, size in stats.classes.largest(most):
        labels = {"file": save.label, "class_name": name}
        metrics.add("streamsave_class_objects", count, **labels)
        metrics.add("streamsave_class_bytes", size, **labels)

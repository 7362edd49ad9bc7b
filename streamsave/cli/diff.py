"""`streamsave diff`: what differs between two saves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import Final

import click
import orjson

from streamsave.cli.options import (
    SavePath,
    current_limits,
    current_objects,
    current_reader,
    for_people,
    hints_option,
    json_option,
    limit_option,
    objects_option,
    reader_option,
    shown_names_options,
    where_option,
)
from streamsave.cli.output import Failed, Lines, on_terminal, styled, write_json, write_pieces, write_rows
from streamsave.cli.save import fault_of
from streamsave.cli.save_names import label_of, reading, source_of
from streamsave.cli.text import classes_text, clean, short_class
from streamsave.compare.ignored import ALWAYS_OTHERWISE, Ignored
from streamsave.compare.pair import Pair
from streamsave.consume.conditions import Selection
from streamsave.consume.stream import EventStream
from streamsave.decode.json_values import Json, to_jsonable
from streamsave.errors import SaveError, UnsupportedOption
from streamsave.events import SaveStart
from streamsave.input.source import KeptSource, Source, open_source
from streamsave.output.flat_text import flat_lines
from streamsave.report.categories import NATURE, classify_for, game_of

__all__ = ["ADDED", "BYTES", "CHANGED", "REMOVED", "Differences", "command", "compare_files"]

SAME: Final = 0
DIFFERENT: Final = 1
TWO: Final = 2
#: Characters of a value that are shown.
SHOWN: Final = 160
#: In place of a value that there is not.
NOTHING: Final = "(none)"
#: In place of the names of an object, for a value that is in none.
NO_OBJECT: Final = "-"

ADDED: Final = "+"
REMOVED: Final = "-"
CHANGED: Final = "~"
BYTES: Final = "bytes"
WORDS: Final = {ADDED: "added", REMOVED: "removed", CHANGED: "changed"}


@click.command("diff", short_help="What differs between two saves: objects and their values.")
@click.argument("saves", metavar="OLD NEW", nargs=-1, required=True, type=SavePath())
@click.option("--summary", is_flag=True, help="Write a line for each class instead: how many came, went, changed, and the bytes.")
@click.option(
    "--ignore",
    metavar="PATH",
    multiple=True,
    help="Pass over values at this path, or below it: 'mTimer', 'mStacks[*]/Count', 'Build_Conveyor*:trailer'. Repeatable.",
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Show also what differs in any two saves of a world: clocks, timers, sizes; in --summary, nature.",
)
@click.option("--long", is_flag=True, help="Write class names and values in full.")
@click.option("--textconv", is_flag=True, help="Write one save as text for `git diff`; see the manual.")
@where_option
@json_option
@shown_names_options
@hints_option
@objects_option
@reader_option
@limit_option
def command(
    saves: tuple[str, ...],
    summary: bool,
    ignore: tuple[str, ...],
    everything: bool,
    long: bool,
    textconv: bool,
    where: Selection | None,
    as_json: bool,
    hints: dict[str, str],
) -> int:
    """Compare two saves of one format.

    Each line is an object that was added (+) or removed (-), or a value that has changed (~), as path: old -> new.

    Objects belong together if level, class and name are the same; those whose names are mere numbers, such as foundations, if
    level, class and place are. Objects that have all of that in common belong together in their order.

    Exit code: 0 the same, 1 different, 2 error.
    """
    if textconv:
        if len(saves) != 1 or summary or as_json or where is not None:
            raise click.UsageError("--textconv takes one SAVE, and no other options than --all and --ignore.")
        with closing(_source(saves[0])) as source, _failing(saves[0]):
            events = _stream(source, hints)
            write_pieces(flat_lines(events, ignores=_ignored(events, ignore, everything=everything).matches))
        return SAME
    if len(saves) != TWO:
        raise click.UsageError("diff takes two saves, OLD and NEW.")
    if saves[0] == saves[1] == "-":
        raise click.UsageError("Only one of the saves can be standard input.")

    hides_nature = summary and not (everything or as_json) and on_terminal()
    output = Differences(summary=summary, long=long, as_json=as_json, hides_nature=hides_nature)
    try:
        compare_files(saves, output, where, hints, ignore, everything=everything)
    finally:
        output.close()
    return DIFFERENT if output.count else SAME


def compare_files(
    saves: tuple[str, ...],
    output: Differences,
    where: Selection | None,
    hints: dict[str, str] | None = None,
    ignore: tuple[str, ...] = (),
    *,
    everything: bool = False,
) -> None:
    """Compare two saves, and give `output` each difference.

    Raises:
        Failed: one cannot be read, or they cannot be compared.
    """
    with ExitStack() as opened:
        sources = [opened.enter_context(closing(_source(name))) for name in saves]

        def open_one(number: int) -> EventStream:
            with _failing(saves[number]):
                events = _stream(sources[number], hints or {})
            output.ignored = _ignored(events, ignore, everything=everything)
            return events

        if output.hides_nature:
            with _failing(saves[0]):
                start = next(open_one(0))
                output.classify = classify_for(game_of(start)) if isinstance(start, SaveStart) else output.classify
        _compare(saves, open_one, output.add, where)


def _ignored(events: EventStream, patterns: tuple[str, ...], *, everything: bool) -> Ignored:
    return Ignored((*patterns, *(() if everything else ALWAYS_OTHERWISE.get(events.format.name, ()))))


def _compare(
    saves: tuple[str, ...], open_one: Callable[[int], EventStream], report: Callable[..., None], where: Selection | None
) -> None:
    """Compare two saves.

    Raises:
        Failed: one cannot be read, or they cannot be compared.
    """
    from streamsave.compare.compare import Unreadable, compare

    try:
        compare(lambda: open_one(0), lambda: open_one(1), report, where=where)
    except Unreadable as unreadable:
        name = saves[unreadable.side]
        raise Failed(label_of(name), fault_of(unreadable.error, name)) from None
    except OSError as error:
        raise Failed("temporary files", error.strerror or str(error)) from None
    except Exception as error:
        fault = fault_of(error)
        if not fault:
            raise
        raise Failed(label_of(saves[1]), fault) from None


@contextmanager
def _failing(name: str) -> Iterator[None]:
    """Turn an error of a save into the end of the command.

    Raises:
        Failed: it cannot be opened or read.
    """
    try:
        with reading(name):
            yield
    except (SaveError, OSError, UnsupportedOption) as error:
        raise Failed(label_of(name), fault_of(error, name)) from None


def _source(name: str) -> Source:
    with _failing(name):
        return KeptSource(open_source(source_of(name), current_limits()))


def _stream(source: Source, hints: dict[str, str]) -> EventStream:
    return EventStream(source, current_limits(), type_hints=hints, objects_at=current_objects(), reader=current_reader())


# --- what is written: a line for each difference, JSON, or sums by class ---


class Differences:
    """Takes the differences that are not ignored, and writes them, or their sums by class at the end.

    In a pipe, a line is `+`, `-` or `~`, level, class, name and `path: old -> new`, with tabs between them. On a terminal, an
    object is a line of its own, and its values are below it.
    """

    def __init__(self, *, summary: bool, long: bool, as_json: bool, hides_nature: bool = False) -> None:
        self._long = long
        self.hides_nature = hides_nature
        #: The categories of the game.
        self.classify = classify_for("")
        self._as_json = as_json
        self._add = self._sum if summary else self._write_json if as_json else self._write_text
        self.ignored = Ignored(())
        #: How many there were.
        self.count = 0
        self._lines = Lines()
        self._last: Pair | None = None
        #: What differs in the objects of a class: how many, and under "bytes" how many bytes that makes.
        self._sums: dict[str, Counter[str]] = {}
        #: The classes that are nature.
        self._nature: set[str] = set()

    def add(self, pair: Pair, path: str, old: str | None, new: str | None) -> None:
        """Take one more difference: a `Report`."""
        header = pair.new or pair.old
        if path and self.ignored.matches("" if header is None else short_class(header.class_name), path):
            return
        self.count += 1
        self._add(CHANGED if path else ADDED if pair.old is None else REMOVED, pair, path, old, new)

    def _write_text(self, kind: str, pair: Pair, path: str, old: str | None, new: str | None) -> None:
        values = [clean(f"{path}: {self._shown(old)} -> {self._shown(new)}")] if path else []
        header = pair.new or pair.old
        names = [NO_OBJECT] * 3
        if header is not None:
            names = [clean(header.level), clean(self._name(header.class_name)), clean(header.instance_name)]
        if not on_terminal():
            self._lines.put("\t".join([kind, *names, *values]))
        elif header is None:
            self._lines.put(f"{styled(kind, kind)} {values[0]}")
        else:
            if pair is not self._last or not path:
                self._lines.put(f"{styled(kind, kind)} {styled(names[1], 'class')} {names[2]}")
            for value in values:
                self._lines.put(f"    {value}")
        self._last = pair

    def _shown(self, value: str | None) -> str:
        if value is None:
            return NOTHING
        return value if self._long or len(value) <= SHOWN else f"{value[:SHOWN]}... ({len(value)} characters)"

    def _name(self, class_name: str) -> str:
        return class_name if self._long else short_class(class_name)

    def _write_json(self, kind: str, pair: Pair, path: str, old: str | None, new: str | None) -> None:
        record: dict[str, Json] = {"change": WORDS[kind]}
        header = pair.new or pair.old
        if header is not None:
            record |= {name: to_jsonable(getattr(header, name)) for name in ("kind", "class_name", "instance_name", "level")}
        if path:
            record |= {"path": to_jsonable(path), "old": json_of(old), "new": json_of(new)}
        if pair.old is not None:
            record["old_size"] = pair.old.size
        if pair.new is not None:
            record["new_size"] = pair.new.size
        write_json(record)

    def _sum(self, kind: str, pair: Pair, _path: str, _old: str | None, _new: str | None) -> None:
        header = pair.new or pair.old
        if header is not None and pair.is_summed:
            return  # one more value of the same object
        pair.is_summed = True
        if header is not None and self.hides_nature and self.classify(header.kind, header.class_name) is NATURE:
            self._nature.add(header.class_name)
        one = self._sums.setdefault("" if header is None else header.class_name, Counter())
        one[kind] += 1
        for each, sign in (pair.new, 1), (pair.old, -1):
            one[BYTES] += 0 if each is None else sign * max(each.size, 0)

    def sums(self) -> list[tuple[str, Counter[str]]]:
        """Return what a summary says of each class ("": of what is in no object), the one that grew most first."""
        return sorted(self._sums.items(), key=lambda item: (-item[1][BYTES], item[0]))

    def close(self) -> None:
        """Write the last lines; of a summary, how many objects of each class were added, removed and changed, and the bytes."""
        self._lines.flush()
        rows = self.sums()
        if self._as_json:
            for name, one in rows:
                counts: dict[str, Json] = {word: one[kind] for kind, word in WORDS.items()}
                write_json({"class_name": to_jsonable(name) if name else None, **counts, BYTES: one[BYTES]})
            return
        shown = [(self._name(name) or "(in no object)", one) for name, one in rows if name not in self._nature]
        if rows and on_terminal():
            shown = [(name if self._long else for_people(name), one) for name, one in shown]
            if self._nature:
                shown.append(
                    (f"(nature: {classes_text(len(self._nature))}; --all)", summed(self._sums[name] for name in self._nature))
                )
            shown.append(("total", summed(self._sums.values())))
        columns = (*WORDS.values(), BYTES)
        cells = [
            (name, one[ADDED], one[REMOVED], one[CHANGED], f"{one[BYTES]:+,}" if on_terminal() else f"{one[BYTES]:+}")
            for name, one in shown
        ]
        if cells:
            write_rows("differences", ("class_name", *columns), cells, right=columns)


def summed(sums: Iterable[Counter[str]]) -> Counter[str]:
    """Return the sum of what differs in several classes."""
    total = Counter[str]()
    for one in sums:
        total.update(one)
    return total


def json_of(text: str | None) -> Json:
    """Return a value of a difference."""
    value: Json = None if text is None else orjson.loads(text)
    return value

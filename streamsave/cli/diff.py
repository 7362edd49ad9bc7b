"""`streamsave diff`: what differs between two saves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final

import click

from streamsave.cli.diff_output import Differences, JsonDifferences, Summary, TextDifferences
from streamsave.cli.inputs import SavePath, hints_option, json_option, where_option
from streamsave.cli.options import current_limits, current_objects, limit_hint, limit_option, objects_option
from streamsave.cli.output import FAILED, open_output, report, write_bytes
from streamsave.cli.save import OPTION_NAMES
from streamsave.cli.save_names import label_of, reading, source_of
from streamsave.errors import SaveError, UnsupportedOption
from streamsave.formats.plugins import plugin_fault

if TYPE_CHECKING:
    from streamsave.compare.ignored import Ignored
    from streamsave.consume.conditions import Selection
    from streamsave.consume.stream import EventStream
    from streamsave.input.source import Source

__all__ = ["command"]

SAME: Final = 0
DIFFERENT: Final = 1
TWO: Final = 2


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
    "--all", "everything", is_flag=True, help="Show also what differs in any two saves of a world: clocks, timers, sizes."
)
@click.option("--long", is_flag=True, help="Write class names and values in full.")
@click.option("--textconv", is_flag=True, help="Write one save as text for `git diff`; see the manual.")
@where_option
@json_option
@hints_option
@objects_option
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
        return _write_as_text(saves[0], ignore, everything=everything, hints=hints)
    if len(saves) != TWO:
        raise click.UsageError("diff takes two saves, OLD and NEW.")
    if saves[0] == saves[1] == "-":
        raise click.UsageError("Only one of the saves can be standard input.")

    output: Differences
    if summary:
        output = Summary(long=long, as_json=as_json)
    elif as_json:
        output = JsonDifferences()
    else:
        output = TextDifferences(long=long)

    def ignore_in(events: EventStream) -> None:
        output.ignored = _ignored(events, ignore, everything=everything)

    code = _compare(saves, output, ignore_in, where, hints)
    output.close()
    return code or (DIFFERENT if output.count else SAME)


def _ignored(events: EventStream, patterns: tuple[str, ...], *, everything: bool) -> Ignored:
    from streamsave.compare.ignored import ALWAYS_OTHERWISE, Ignored

    return Ignored((*patterns, *(() if everything else ALWAYS_OTHERWISE.get(events.format.name, ()))))


def _compare(
    saves: tuple[str, ...],
    output: Differences,
    ignore_in: Callable[[EventStream], None],
    where: Selection | None,
    hints: dict[str, str],
) -> int:
    """Compare two saves; return `FAILED` if one cannot be read, else 0."""
    from streamsave.compare.compare import Unreadable, compare

    sources: list[Source] = []
    try:
        for name in saves:
            with _said(name):
                sources.append(_source(name))

        def open_one(number: int) -> EventStream:
            with _said(saves[number]):
                events = _stream(sources[number], hints)
            ignore_in(events)
            return events

        compare(lambda: open_one(0), lambda: open_one(1), output.add, where=where)
    except Unreadable as unreadable:
        _say(saves[unreadable.side], unreadable.error)
    except SaveError as error:  # they cannot be compared
        report(label_of(saves[1]), str(error))
    except OSError as error:
        report("temporary files", error.strerror or str(error))
    except Told:
        pass
    except Exception as error:
        fault = plugin_fault(error)
        if not fault:
            raise
        report(label_of(saves[1]), fault)
    else:
        return 0
    finally:
        for source in sources:
            source.close()
    return FAILED


class Told(Exception):
    """Why a save cannot be read was reported."""


def _say(name: str, error: SaveError | OSError | UnsupportedOption) -> None:
    if isinstance(error, UnsupportedOption):
        report(label_of(name), f"{error.format_name} takes no {OPTION_NAMES[error.option]}")
    elif isinstance(error, SaveError):
        report(label_of(name), f"{error}{limit_hint(error)}")
    else:
        report(label_of(name), error.strerror or str(error))


@contextmanager
def _said(name: str) -> Iterator[None]:
    """Report why a save cannot be opened, and raise `Told`."""
    try:
        with reading(name):
            yield
    except (SaveError, OSError, UnsupportedOption) as error:
        _say(name, error)
        raise Told from None


def _source(name: str) -> Source:
    from streamsave.input.source import KeptSource, open_source

    return KeptSource(open_source(source_of(name), current_limits()))


def _stream(source: Source, hints: dict[str, str]) -> EventStream:
    from streamsave.consume.stream import EventStream

    return EventStream(source, current_limits(), type_hints=hints, objects_at=current_objects())


def _write_as_text(name: str, patterns: tuple[str, ...], *, everything: bool, hints: dict[str, str]) -> int:
    """Write a save as lines for `git diff`; return the exit code. What cannot be read is a line of it: git shows no message."""
    from streamsave.output.flat_text import flat_lines

    try:
        with _said(name), closing(_source(name)) as source:
            events = _stream(source, hints)
            ignored = _ignored(events, patterns, everything=everything)
            with open_output(None) as file:
                for lines in flat_lines(events, ignores=ignored.matches):
                    write_bytes(file, lines)
    except Told:
        return FAILED
    return 0

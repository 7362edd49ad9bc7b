"""The saves that a command was given, and the loop over them: one after the other, or side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from stat import S_ISREG
from typing import Final, TypeAlias, TypeVar

import click
from attrs import frozen

from streamsave.cli.limits import current_limits
from streamsave.cli.names import STDIN, expand, is_code, is_many, label_of, reading, source_of
from streamsave.cli.output import report
from streamsave.cli.progress import WatchedFile, bar_is_wanted
from streamsave.errors import SaveError, UnsupportedOption
from streamsave.input.source import is_url, open_source
from streamsave.stream.stream import EventStream, OnDamage, open_save

__all__ = [
    "FAILED",
    "Here",
    "Save",
    "Saves",
    "Visit",
    "Work",
    "attempt",
    "gather",
    "jobs_option",
    "json_option",
    "open_input",
    "read_saves",
    "save_argument",
    "saves_argument",
    "sparse_option",
    "visit_saves",
]

#: The exit code of a save that cannot be read.
FAILED: Final = 2
#: What options of `streamsave.open` are called on the command line.
OPTION_NAMES: Final = {"sparse": "sparse", "type_hints": "type-hint"}
#: Where the context of a command keeps what `--jobs` says.
JOBS: Final = "streamsave.jobs"


@frozen
class Save:
    """One save that is open."""

    #: What it is called in output.
    label: str
    #: Bytes of the file, or None where only reading to the end would tell.
    size: int | None
    events: EventStream


@frozen
class Saves:
    """The saves that a command line means: an iterable of their names, and of errors in the place of those that there are not."""

    arguments: tuple[str, ...]
    #: They may be more than one, so output tells which one it is of.
    several: bool
    #: How many are read side by side.
    jobs: int = 1

    def __iter__(self) -> Iterator[str | OSError]:
        for argument in self.arguments:
            yield from expand(argument)


T = TypeVar("T")
#: What a command does with one save; gives the exit code of that save, None for 0.
Work: TypeAlias = Callable[[Save], int | None]
#: The same, with the name of a save that is not open yet.
Visit: TypeAlias = Callable[[str], int | None]
#: The same for whatever `Saves` gives; this one never fails.
Here: TypeAlias = Callable[[str | OSError], int]


def _name_saves(ctx: click.Context, _: click.Parameter, arguments: tuple[str, ...]) -> Saves:
    return Saves(arguments, several=len(arguments) > 1 or any(map(is_many, arguments)), jobs=ctx.meta.get(JOBS, 1))


def _name_one(ctx: click.Context, parameter: click.Parameter, argument: str) -> Saves:
    return _name_saves(ctx, parameter, (argument,))


def _set_jobs(ctx: click.Context, _: click.Parameter, jobs: int) -> None:
    if jobs == 0:
        # Not all CPUs may be for us.
        jobs = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    ctx.meta[JOBS] = jobs


#: Lets a command take one SAVE or more, as `Saves`.
saves_argument: Final = click.argument(
    "saves", metavar="SAVE...", nargs=-1, required=True, type=click.Path(allow_dash=True), callback=_name_saves
)
#: Lets a command that has other arguments, too, take one SAVE, which may mean several.
save_argument: Final = click.argument("saves", metavar="SAVE", type=click.Path(allow_dash=True), callback=_name_one)
#: Lets a command take `--jobs`. What it does with a save then happens in another process: it may know nothing but its parameters,
#: and change nothing but standard output, standard error and the exit code.
jobs_option: Final = click.option(
    "-j",
    "--jobs",
    metavar="N",
    type=click.IntRange(min=0),
    default=1,
    is_eager=True,
    expose_value=False,
    callback=_set_jobs,
    help="Read N files side by side, in processes; 0: one for each CPU. The output stays the same.",
)
#: Lets a command take `--json`.
json_option: Final = click.option("--json", "as_json", is_flag=True, help="One JSON value a line.")
#: Lets a command take `--sparse`.
sparse_option: Final = click.option("--sparse", is_flag=True, help="Arx: leave out fields that are all zero; `zeros` names them.")


def read_saves(
    saves: Saves,
    work: Work,
    *,
    summary: bool = False,
    sparse: bool = False,
    type_hints: Mapping[str, str] | None = None,
    on_damage: OnDamage = "raise",
    combine: Callable[[Collection[int]], int] = max,
    until: Callable[[int], bool] | None = None,
) -> int:
    """Do the work for each save; one that cannot be read is reported, and the next one is read.

    Args:
        saves: the saves.
        work: what to do.
        summary: the work writes nothing before a save is read to its end, so a progress bar disturbs nobody.
        sparse: leave out values that are all zero, where the format has large structs of fixed size.
        type_hints: as for `streamsave.open`.
        on_damage: as for `streamsave.open`.
        combine: makes one exit code of those that the saves have given.
        until: whether to leave it at the saves that were read, after one with this exit code.

    Returns:
        The exit code.
    """

    def visit(name: str) -> int | None:
        with open_input(name, summary=summary, sparse=sparse, type_hints=type_hints, on_damage=on_damage) as save:
            return work(save)

    return visit_saves(saves, visit, combine=combine, until=until)


def gather(
    saves: Saves,
    read: Callable[[Save], Iterable[T]],
    take: Callable[[T], None],
    *,
    summary: bool = False,
    type_hints: Mapping[str, str] | None = None,
) -> int:
    """Take what is read of each save, in the order of the saves, wherever they are read.

    Args:
        saves: the saves.
        read: gives what is wanted of a save, as it comes. With `--jobs`, that happens in another process: it has to be something
            that can be pickled, like what it gives, and may write nothing.
        take: does something with it. What it raises ends all of this.
        summary: as for `read_saves`.
        type_hints: as for `streamsave.open`.

    Returns:
        The exit code.
    """

    def visit(name: str) -> None:
        with open_input(name, summary=summary, type_hints=type_hints) as save:
            for each in read(save):
                take(each)

    def elsewhere(here: Here) -> Iterator[int]:
        from streamsave.cli.worker_items import items_side_by_side

        return items_side_by_side(saves, read, take, type_hints, here)

    with closing(_codes(saves, visit, elsewhere)) as each:
        return max(each)


def visit_saves(
    saves: Saves,
    visit: Visit,
    *,
    combine: Callable[[Collection[int]], int] = max,
    until: Callable[[int], bool] | None = None,
) -> int:
    """Do what `read_saves` does, for work that opens saves itself."""
    codes = set()

    def elsewhere(here: Here) -> Iterator[int]:
        from streamsave.cli.jobs import side_by_side

        return side_by_side(saves, here)

    with closing(_codes(saves, visit, elsewhere)) as each:
        for code in each:
            codes.add(code)
            if until is not None and until(code):
                break
    return combine(codes)


def _codes(saves: Saves, visit: Visit, elsewhere: Callable[[Here], Iterator[int]]) -> Generator[int]:
    """Give the exit codes of the saves, in their order: one after the other, or side by side in other processes."""
    if saves.several and saves.jobs > 1:
        yield from elsewhere(lambda name: attempt(name, visit))
    else:
        for name in saves:
            yield attempt(name, visit)


def attempt(name: str | OSError, visit: Visit) -> int:
    """Do the work for one save; give its exit code, and say on standard error why it cannot be read."""
    if isinstance(name, OSError):
        report(str(name.filename), name.strerror or str(name))
        return FAILED
    try:
        return visit(name) or 0
    except SaveError as error:
        report(label_of(name), str(error))
    except UnsupportedOption as error:
        report(label_of(name), f"{error.format_name} takes no --{OPTION_NAMES[error.option]}")
    except OSError as error:
        report(label_of(name), error.strerror or str(error))
    return FAILED


@contextmanager
def open_input(
    name: str,
    *,
    summary: bool = False,
    sparse: bool = False,
    type_hints: Mapping[str, str] | None = None,
    on_damage: OnDamage = "raise",
) -> Iterator[Save]:
    """Open one save, within the limits of the command, with a progress bar where it may take long.

    Raises:
        SaveError: it is no save.
        OSError: it cannot be opened, or, while it is open, not read.
    """
    limits = current_limits()
    if is_url(name):
        with reading(name):
            opened = open_source(name)
            with open_save(opened, limits=limits, sparse=sparse, type_hints=type_hints, on_damage=on_damage) as events:
                yield Save(name, opened.size(), events)
        return
    if name == STDIN or is_code(name):
        source = source_of(name)
        with open_save(source, limits=limits, sparse=sparse, type_hints=type_hints, on_damage=on_damage) as events:
            yield Save(label_of(name), len(source) if isinstance(source, bytes) else None, events)
        return
    status = os.stat(name)  # noqa: PTH116 - names of files are handed on as they are
    size = status.st_size if S_ISREG(status.st_mode) else None
    if size is None or not bar_is_wanted(size, summary=summary):
        with open_save(name, limits=limits, sparse=sparse, type_hints=type_hints, on_damage=on_damage) as events:
            yield Save(name, size, events)
        return
    watched = WatchedFile(open(name, "rb"), name, size)  # noqa: SIM115, PTH123 - closed below
    try:
        with open_save(watched, limits=limits, sparse=sparse, type_hints=type_hints, on_damage=on_damage) as events:
            yield Save(name, size, events)
    finally:
        watched.close()

"""The arguments and options that commands share: SAVE, `--jobs`, `--json`, `--sparse`, `--type-hint` and `--where`."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from functools import reduce
from operator import and_
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, Final, cast

import click
from attrs import field, frozen

from streamsave.cli.options import TimeChoice, current_choice
from streamsave.cli.output import current_output
from streamsave.cli.save_names import STDIN, expand, is_many
from streamsave.consume.stream import EventStream
from streamsave.errors import SelectError
from streamsave.formats import save_extensions

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from streamsave.cli.nothing_found import Watched
    from streamsave.consume.conditions import Selection

__all__ = [
    "SavePath",
    "Saves",
    "both",
    "current_where",
    "hints_option",
    "jobs_option",
    "json_option",
    "keep_only",
    "parse_all",
    "save_argument",
    "saves_argument",
    "sparse_option",
    "watch",
    "where_option",
]

#: Where the context of a command keeps what `--jobs` says.
JOBS: Final = "streamsave.jobs"
#: And where it keeps what `--where` says.
WHERE: Final = "streamsave.where"


class SavePath(click.Path):
    """The name of a save: a path, a URL, a pattern, a blueprint code, or `-`."""

    def __init__(self) -> None:
        super().__init__(allow_dash=True)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the saves, by their endings, whose paths start like this.

        Where there are folders, too, or no such saves, the shell completes the names of all files.
        """
        from click.shell_completion import CompletionItem

        everything = [CompletionItem(incomplete, type="file")]
        folder, start = os.path.split(incomplete)
        endings = save_extensions()
        saves: list[CompletionItem] = []
        try:
            for path in sorted(Path(os.path.expanduser(folder or ".")).iterdir()):  # noqa: PTH111 - the folder as it was written
                if not path.name.startswith(start) or (path.name.startswith(".") and not start):
                    continue
                if path.is_dir():
                    return everything
                if path.name.lower().endswith(endings):
                    saves.append(CompletionItem(os.path.join(folder, path.name)))  # noqa: PTH118 - as above
        except OSError:
            return everything
        return saves or everything


@frozen
class Saves:
    """The saves that a command line names: an iterable of names, and of an error for each argument without a save."""

    arguments: tuple[str, ...]
    #: There may be more than one, so the output says which one it is about.
    several: bool
    #: How many are read at the same time.
    jobs: int = 1
    #: Which of them are read, by their time.
    choice: TimeChoice = field(factory=TimeChoice)

    def __iter__(self) -> Iterator[str | OSError]:
        names = (name for argument in self.arguments for name in expand(argument))
        output = current_output()
        for name in self.choice.of(names):
            if output is not None and isinstance(name, str) and _is_same(name, output):
                raise click.UsageError(f"{output} is the save itself.")
            yield name


def _is_same(name: str, output: str) -> bool:
    """Return whether a save is in the file that is written."""
    try:
        status = os.stat(0 if name == STDIN else name)  # noqa: PTH116
        return S_ISREG(status.st_mode) and os.path.samestat(status, os.stat(output))  # noqa: PTH116
    except OSError:
        return False


def _name_saves(ctx: click.Context, _: click.Parameter, arguments: tuple[str, ...]) -> Saves:
    several = len(arguments) > 1 or any(map(is_many, arguments))
    return Saves(arguments, several=several, jobs=ctx.meta.get(JOBS, 1), choice=current_choice(ctx))


def _name_one(ctx: click.Context, parameter: click.Parameter, argument: str) -> Saves:
    return _name_saves(ctx, parameter, (argument,))


def _set_jobs(ctx: click.Context, _: click.Parameter, jobs: int) -> None:
    if jobs == 0:
        # Not all CPUs may be available to this process.
        jobs = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    ctx.meta[JOBS] = jobs


#: Lets a command take one SAVE or more, as `Saves`.
saves_argument: Final = click.argument("saves", metavar="SAVE...", nargs=-1, required=True, type=SavePath(), callback=_name_saves)
#: Lets a command that has other arguments, too, take one SAVE, which may mean several.
save_argument: Final = click.argument("saves", metavar="SAVE", type=SavePath(), callback=_name_one)
#: Lets a command take `--jobs`. Its work for a save then runs in another process: it sees only the parameters of the command, and
#: changes only standard output, standard error and the exit code.
jobs_option: Final = click.option(
    "-j",
    "--jobs",
    metavar="N",
    type=click.IntRange(min=0),
    default=1,
    is_eager=True,
    expose_value=False,
    callback=_set_jobs,
    help="Read N files at the same time, in N processes; 0: one for each CPU. The output stays the same.",
)
#: Lets a command take `--json`.
json_option: Final = click.option("--json", "as_json", is_flag=True, help="Write JSON, one value on each line.")
#: Lets a command take `--sparse`.
sparse_option: Final = click.option(
    "--sparse", is_flag=True, help="Leave out fields that are all zero; `zeros` lists their names. Only for Arx saves."
)


def _parse_hints(_ctx: click.Context, _: click.Parameter, hints: tuple[str, ...]) -> dict[str, str]:
    parsed = {}
    for hint in hints:
        path, _equals, struct = hint.rpartition("=")
        if not path.strip(".") or not struct:
            raise click.UsageError(f"{hint!r} is no type hint; an example is 'worldSaveData.SomeMap.Key=Vector'.")
        parsed[path] = struct
    return parsed


#: Lets a command take `--type-hint`, as what `streamsave.open` takes for `type_hints`.
hints_option: Final = click.option(
    "--type-hint",
    "hints",
    metavar="PATH=STRUCT",
    multiple=True,
    callback=_parse_hints,
    help="Name the struct in a map or set if the save does not. Only for Unreal save games and Astroneer. Repeatable.",
)


def _parse_where(ctx: click.Context, _: click.Parameter, texts: tuple[str, ...]) -> Selection | None:
    if not texts:
        return None
    return watch(ctx, reduce(and_, parse_all(texts)))


def parse_all(texts: Iterable[str], names: Collection[str] = (), option: str = "--where") -> list[Selection]:
    """Return what an option says each time that it is given; `names`: attributes that are no attributes of objects here.

    Raises:
        UsageError: a text is no selection.
    """
    from streamsave.consume.parser import Parser

    try:
        return [Parser(text, names).parse() for text in texts]
    except SelectError as error:
        raise click.UsageError(f"{option}: {error}") from None


def both(selection: str, where: Selection | None) -> Selection:
    """Return the selection of a command, and what `--where` adds."""
    (parsed,) = parse_all([selection])
    return parsed if where is None else parsed & where


def watch(ctx: click.Context, selection: Selection) -> Watched:
    """Return a selection of objects for a command, which then says so if none matches."""
    from streamsave.cli.nothing_found import Watched

    watched = ctx.meta[WHERE] = Watched(selection)
    return watched


#: Lets a command take `--where`.
where_option: Final = click.option(
    "--where",
    metavar="EXPR",
    multiple=True,
    callback=_parse_where,
    help="Only objects that match EXPR: 'class = \"*Wall*\" and size > 300 and mOwner ~ Player'; see the manual. If it is given "
    "more than once, all have to match.",
)


def current_where() -> Watched | None:
    """Return what `--where` of the running command says."""
    ctx = click.get_current_context(silent=True)
    return None if ctx is None else cast("Watched | None", ctx.meta.get(WHERE))


def keep_only(events: EventStream, where: Selection | None) -> None:
    """Let the stream give only the objects that match `--where`."""
    if where is not None:
        events.only(where)

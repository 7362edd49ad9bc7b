"""The arguments and options that commands share: SAVE, `--where`, limits, display names, containers of objects, times, and so on.

What an option says to all that a command does is in the context of the command: `kept` returns it.

The module is long because all options that several commands take are here, with their types and their help.
"""

from __future__ import annotations

import errno
import os
import re
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import reduce
from operator import and_
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import click
from attrs import frozen

from streamsave._fields import names_of_fields
from streamsave.cli.output import OutputFile
from streamsave.cli.save_names import STDIN, check_url, expand, is_many, label_of
from streamsave.cli.text import quoted, short_class
from streamsave.consume.stream import EventStream
from streamsave.decode.paths import Step, parse_steps
from streamsave.errors import LimitExceeded, SelectError
from streamsave.formats import Format, MakeReader, Reader, is_text_save, load, save_extensions
from streamsave.input.urls import file_system, is_url, url_errors
from streamsave.limits import MOST_DEPTH, Limits
from streamsave.report.names import Names, NamesFault, read_docs

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from streamsave.cli.nothing_found import Watched
    from streamsave.consume.conditions import Selection

__all__ = [
    "OURS",
    "PATH",
    "VARIABLE",
    "SavePath",
    "Saves",
    "all_of",
    "as_option",
    "both",
    "check_metrics",
    "check_written",
    "current_limits",
    "current_names",
    "current_options",
    "current_reader",
    "for_people",
    "hints_option",
    "jobs_option",
    "json_option",
    "keep_only",
    "keep_whole",
    "kept",
    "last_written",
    "layout_options",
    "limit_hint",
    "limit_option",
    "metrics_options",
    "names_option",
    "objects_option",
    "parse_all",
    "parse_limit",
    "path_steps",
    "reader_option",
    "refuse",
    "save_argument",
    "saves_argument",
    "shown_name",
    "shown_names_options",
    "sparse_option",
    "time_options",
    "usage_of",
    "watch",
    "where_option",
]

T = TypeVar("T")
Decorated = TypeVar("Decorated", bound=Callable[..., Any])


#: What the context of a command keeps of ours begins with this.
OURS: Final = "streamsave."


def kept(name: str, default: T) -> T:
    """Return what the context of the running command keeps of an option; the default without a command."""
    ctx = click.get_current_context(silent=True)
    return default if ctx is None else cast("T", ctx.meta.get(OURS + name, default))


def keep(name: str, value: object) -> None:
    """Let `kept` return a value, as long as the command runs."""
    click.get_current_context().meta[OURS + name] = value


def keeping(
    parse: Callable[[Any], object] = lambda given: given, fault: type[ValueError] | tuple[()] = ()
) -> Callable[..., None]:
    """Return the callback of an option: it parses what is given, and keeps it in the context. Nothing is kept of nothing.

    Args:
        parse: parses it.
        fault: the error by which `parse` says what is wrong with it.
    """

    def callback(ctx: click.Context, option: click.Parameter, given: object) -> None:
        if given not in {None, ()} and not ctx.resilient_parsing:
            try:
                ctx.meta[f"{OURS}{option.name}"] = parse(given)
            except fault as error:
                raise click.BadParameter(f"{error}") from None

    return callback


def all_of(*options: Callable[[Any], Any]) -> Callable[[Decorated], Decorated]:
    """Return what lets a command take several options and arguments, in the order of `--help`."""
    return lambda command: reduce(lambda taken, option: option(taken), reversed(options), command)


def refuse(holds: object, reason: str) -> None:
    """Refuse a command line for a reason, if that holds.

    Raises:
        click.UsageError: it holds.
    """
    if holds:
        raise click.UsageError(reason)


@contextmanager
def usage_of(prefix: str) -> Iterator[None]:
    """Say by a `UsageError` what is wrong with a selection, a path or a regular expression of the command line.

    Raises:
        click.UsageError: with this text before what is wrong.
    """
    try:
        yield
    except (SelectError, re.error) as error:
        end = "." if isinstance(error, re.error) else ""
        raise click.UsageError(f"{prefix}: {error}{end}" if prefix else str(error)) from None


# --- limits ---

UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
VALUE: Final = re.compile("([0-9]{1,15})([KMG]?)", re.IGNORECASE)
#: The largest number that the option takes.
LARGEST: Final = 10**15 - 1


def parse_limit(text: str) -> tuple[str, int]:
    """Parse `NAME=VALUE`; K, M and G after the value are 2**10, 2**20 and 2**30.

    Raises:
        click.BadParameter: it is not of this form, or there is no such limit.
    """
    name, equals, number = text.partition("=")
    known = names_of_fields(Limits) or ()
    if name not in known:
        raise click.BadParameter(f"there is no limit {name!r}; there are {', '.join(known)}")
    value = VALUE.fullmatch(number)
    if not equals or value is None:
        raise click.BadParameter(f"{name} needs a number, with or without K, M or G after it: {name}=64M")
    return name, int(value[1]) * UNITS[value[2].upper()]


#: Lets a command take `--limit`; what it reads with is `current_limits()`.
limit_option: Final = click.option(
    "--limit",
    metavar="NAME=VALUE",
    multiple=True,
    expose_value=False,
    callback=keeping(lambda texts: Limits(**dict(map(parse_limit, texts))), ValueError),
    help="Change a limit: a field of streamsave.Limits and a number, with or without K, M or G. May be given more than once.",
)


def limit_hint(error: Exception) -> str:
    """Return the option that allows more, to end the text of an error; "" if the error is not above a limit that can be raised.

    It allows twice what was asked for so far: what follows asks for more, as a rule.
    """
    if not isinstance(error, LimitExceeded):
        return ""
    most = MOST_DEPTH if error.limit == "depth" else LARGEST
    more = min(2 * error.value, most)
    return f"; --limit {error.limit}={more} allows more" if error.value <= most and more > error.allowed else ""


def current_limits() -> Limits:
    """Return the limits of the running command."""
    return kept("limit", Limits())


# --- the reader ---


def _reader(path: str) -> str:
    """Import what `--reader` names, and return its path: a worker of `--jobs` imports it again.

    Raises:
        click.BadParameter: it is not there, or neither a reader nor a format.
    """
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # it may be a file in the folder where we are
    try:
        found = load(path)
    except Exception as error:  # noqa: BLE001 - a foreign module may raise anything when it is imported
        raise click.BadParameter(f"{path!r} cannot be imported: {type(error).__name__}: {error}") from None
    if not (isinstance(found, Format) or (isinstance(found, type) and issubclass(found, Reader))):
        raise click.BadParameter(f"{path!r} is neither a Reader nor a Format of streamsave.formats.")
    return path


#: Lets a command take `--reader`: each one that takes SAVE does. What it reads with is `current_reader()`.
reader_option: Final = click.option(
    "--reader",
    metavar="MODULE:NAME",
    expose_value=False,
    callback=keeping(_reader),
    help="Read saves with this Reader or Format, of a package or of a file here, whatever their first bytes are.",
)


def current_reader() -> Format | MakeReader | None:
    """Return what `streamsave.open` takes for `reader` in the running command."""
    path = kept("reader", "")
    return cast("Format | MakeReader", load(path)) if path else None


# --- display names ---

#: The environment variable that does the same.
VARIABLE: Final = "STREAMSAVE_NAMES"
NO_NAMES: Final = Names()


def _names(path: str) -> Names:
    try:
        return Names(read_docs(path)) if path else NO_NAMES
    except (NamesFault, OSError) as error:
        raise click.UsageError(f"--names {path}: {getattr(error, 'strerror', None) or error}") from None


#: Lets a command take `--names`.
names_option: Final = click.option(
    "--names",
    metavar="FILE",
    envvar=VARIABLE,
    expose_value=False,
    callback=keeping(_names),
    type=click.Path(dir_okay=False),
    help=f"Take display names from a file of the game's folder CommunityResources/Docs, in any language; or set {VARIABLE}.",
)

#: Lets a command take `--names` and `--raw-names`.
shown_names_options: Final = all_of(
    names_option,
    click.option(
        "--raw-names",
        is_flag=True,
        expose_value=False,
        callback=keeping(),
        help="Show classes only as the save names them, also in a terminal or a picture.",
    ),
)


def current_names() -> Names:
    """Return the names that the running command uses."""
    return kept("names", NO_NAMES)


def shown_name(class_name: str) -> str:
    """Return the name of a class in a picture: what people call it, or with `--raw-names` the end of what the save calls it."""
    return short_class(class_name) if kept("raw_names", False) else current_names()(class_name)


def for_people(class_name: str) -> str:
    """Return the name of a class as a terminal shows it: what people call it, and in brackets what the save calls it."""
    name = class_name if kept("raw_names", False) else current_names()(class_name)
    return class_name if name == class_name else f"{name} ({class_name})"


# --- containers of objects ---


def _paths(texts: Iterable[str]) -> list[str]:
    from streamsave.formats.unreal.object_rows import ObjectProfile

    paths = list(texts)
    ObjectProfile(paths)  # a `SelectError` says what is wrong with them
    return paths


#: Lets a command take `--objects`; what it reads with is in `current_options()`.
objects_option: Final = click.option(
    "--objects",
    metavar="PATH",
    multiple=True,
    expose_value=False,
    callback=keeping(_paths, SelectError),
    help="Take the elements of this container for objects: 'World.Things[*]'. Only for Unreal save games. Repeatable; see the "
    "manual. `ls --containers` lists the containers.",
)


def current_options() -> dict[str, Any]:
    """Return what `streamsave.open` takes in the running command, for each save that it reads or writes."""
    objects_at, type_hints = kept("objects", None), kept("hints", None)
    return {"limits": current_limits(), "type_hints": type_hints, "objects_at": objects_at, "reader": current_reader()}


def keep_whole() -> None:
    """Let the running command read an Unreal save game as one object, unless the user says which elements are objects."""
    click.get_current_context().meta.setdefault(f"{OURS}objects", [])


# --- which saves, by their time ---


AGE: Final = re.compile(r"(\d+)\s*(min|m|h|d|w)")
SECONDS: Final = {"min": 60, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def last_written(names: Iterable[str | OSError], since: float | None, newest: int | None) -> Iterator[str | OSError]:
    """Yield the saves that were written last, the oldest first; then the errors.

    Args:
        names: of saves, and errors.
        since: seconds since 1970: only those that were written then or later; None: all.
        newest: at most so many; None: all.
    """
    errors: list[OSError] = []
    #: The time, the number of the name, the name.
    chosen: list[tuple[float, int, str]] = []
    for number, name in enumerate(names):
        try:
            chosen.append((_time_of(name), number, str(name)))
        except OSError as error:
            errors.append(error)
    ordered = [name for written, _, name in sorted(chosen) if since is None or written >= since]
    yield from ordered[-(newest or 0) :]
    yield from errors
    if not ordered and not errors:
        yield FileNotFoundError(errno.ENOENT, "no save is so new", "--since")


def _time_of(name: str | OSError) -> float:
    """Return when a save was written, in seconds since 1970.

    Raises:
        OSError: it is not there, or has no time.
    """
    if isinstance(name, OSError):
        raise name
    timeless = OSError(errno.EINVAL, "has no time: --since and --newest are for files", label_of(name))
    if name == STDIN or is_text_save(name):
        raise timeless
    if not is_url(name):
        return os.stat(name).st_mtime  # noqa: PTH116 - names of files are handed on as they are
    check_url(name)
    with url_errors(name):
        files, path = file_system(name)
        try:
            return float(files.modified(path).timestamp())
        except NotImplementedError:
            raise timeless from None


def _since(text: str) -> float:
    age = AGE.fullmatch(text.strip())
    if age is not None:
        return time.time() - int(age[1]) * SECONDS[age[2]]
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        raise click.BadParameter(f"{text!r} is no age such as 36h or 7d, and no time such as 2026-01-31T18:00.") from None


#: Lets a command take `--since` and `--newest`.
time_options: Final = all_of(
    click.option(
        "--since",
        metavar="WHEN",
        is_eager=True,
        expose_value=False,
        callback=keeping(_since),
        help="Only saves written since then: 30min, 36h, 7d ago, or a time such as 2026-01-31T18:00.",
    ),
    click.option(
        "--newest",
        metavar="N",
        type=click.IntRange(min=1),
        is_eager=True,
        expose_value=False,
        callback=keeping(),
        help="Only the N saves that were written last, the oldest of them first.",
    ),
)


# --- numbers for Prometheus ---


#: Lets a command take `--format`, as `kind`, and `--output`.
metrics_options: Final = all_of(
    click.option("--format", "kind", type=click.Choice(["prometheus"]), help="Write numbers for node_exporter instead."),
    click.option(
        "-o",
        "--output",
        metavar="FILE",
        type=OutputFile(allow_dash=True),
        help="With --format: the file, which appears whole.",
    ),
)


def check_metrics(kind: str | None, output: str | None, *, as_json: bool) -> None:
    """Refuse what does not go together.

    Raises:
        click.UsageError: `--output` without `--format`, or `--format` and `--json`.
    """
    refuse(output is not None and kind is None, "-o goes with --format.")
    refuse(kind is not None and as_json, "--format and --json exclude each other.")


# --- saves ---


class SavePath(click.Path):
    """The name of a save: a path, a URL, a pattern, a blueprint code, or `-`."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the saves, by their endings, whose paths start like this.

        Where there are folders, too, or no such saves, the shell completes the names of all files.
        """
        from click.shell_completion import CompletionItem

        folder, start = os.path.split(incomplete)
        try:
            paths = sorted(Path(os.path.expanduser(folder or ".")).iterdir())  # noqa: PTH111 - the folder as it was written
        except OSError:
            paths = []
        shown = [path for path in paths if path.name.startswith(start) and (start or not path.name.startswith("."))]
        saves = [os.path.join(folder, path.name) for path in shown if path.name.lower().endswith(save_extensions())]  # noqa: PTH118
        if not saves or any(path.is_dir() for path in shown):
            return [CompletionItem(incomplete, type="file")]
        return [CompletionItem(path) for path in saves]


@frozen
class Saves:
    """The saves that a command line names: an iterable of names, and of an error for each argument without a save."""

    arguments: tuple[str, ...]
    #: There may be more than one, so the output says which one it is about.
    several: bool
    #: How many are read at the same time.
    jobs: int = 1
    #: Of them, those last written since then, in seconds since 1970, and at most so many: `last_written`.
    since: float | None = None
    newest: int | None = None

    def __iter__(self) -> Iterator[str | OSError]:
        names: Iterator[str | OSError] = (name for argument in self.arguments for name in expand(argument))
        output: str | None = kept("output", None)
        is_chosen = self.since is not None or self.newest is not None
        for name in last_written(names, self.since, self.newest) if is_chosen else names:
            refuse(output is not None and isinstance(name, str) and _is_same(name, output), f"{output} is the save itself.")
            yield name


def _is_same(name: str, output: str) -> bool:
    """Return whether a save is in the file that is written."""
    try:
        status = os.stat(0 if name == STDIN else name)  # noqa: PTH116
        return S_ISREG(status.st_mode) and os.path.samestat(status, os.stat(output))  # noqa: PTH116
    except OSError:
        return False


def _name_saves(_ctx: click.Context, _: click.Parameter, given: str | tuple[str, ...]) -> Saves:
    arguments = (given,) if isinstance(given, str) else given
    several = len(arguments) > 1 or any(map(is_many, arguments))
    return Saves(arguments, several=several, jobs=kept("jobs", 1), since=kept("since", None), newest=kept("newest", None))


def _jobs(jobs: int) -> int:
    if jobs:
        return jobs
    from streamsave.rewriting.packing import cpu_count

    return cpu_count()


#: Lets a command take one SAVE or more, as `Saves`, and `--reader`.
saves_argument: Final = all_of(
    click.argument("saves", metavar="SAVE...", nargs=-1, required=True, type=SavePath(allow_dash=True), callback=_name_saves),
    reader_option,
)
#: Lets a command that has other arguments, too, take one SAVE, which may mean several, and `--reader`.
save_argument: Final = all_of(
    click.argument("saves", metavar="SAVE", type=SavePath(allow_dash=True), callback=_name_saves), reader_option
)


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
    callback=keeping(_jobs),
    help="Read N files at the same time, in N processes; 0: one for each CPU. The output stays the same.",
)
#: Lets a command take `--as`, as `wrapper`.
as_option: Final = click.option(
    "--as",
    "wrapper",
    type=click.Choice(["plz"]),
    callback=lambda _ctx, _option, given: given or "",
    help="Write a Palworld save in PlM (Oodle) as PlZ (zlib).",
)


def check_written(output: str | None, *, in_place: bool, dry_run: bool) -> None:
    """Refuse a command line that does not say where the new save is to be written, or says two places.

    Raises:
        click.UsageError: it is so.
    """
    refuse(output is None and not dry_run and not in_place, "Missing option '-o' / '--output'; or use --in-place, or --dry-run.")
    refuse(output is not None and in_place, "--in-place writes to the save itself, so there is no --output.")


#: Lets a command take `--json`.
json_option: Final = click.option("--json", "as_json", is_flag=True, help="Write JSON, one value on each line.")
#: Lets a command take `--sparse`.
sparse_option: Final = click.option(
    "--sparse", is_flag=True, help="Leave out fields that are all zero; `zeros` lists their names. Only for Arx saves."
)


def _hints(hints: Iterable[str]) -> dict[str, str]:
    parsed = {}
    for hint in hints:
        path, _equals, struct = hint.rpartition("=")
        refuse(not path.strip(".") or not struct, f"{hint!r} is no type hint; an example is 'worldSaveData.SomeMap.Key=Vector'.")
        parsed[path] = struct
    return parsed


#: Lets a command take `--type-hint`.
hints_option: Final = click.option(
    "--type-hint",
    "hints",
    metavar="PATH=STRUCT",
    multiple=True,
    expose_value=False,
    callback=keeping(_hints),
    help="Name the struct in a map or set if the save does not. Only for Unreal save games and Astroneer. Repeatable.",
)


#: Lets a command take `--type-hint` and `--objects`: each one that reads values of objects does.
layout_options: Final = all_of(hints_option, objects_option)


def _parse_where(ctx: click.Context, _: click.Parameter, texts: tuple[str, ...]) -> Selection | None:
    return watch(ctx, reduce(and_, parse_all(texts))) if texts else None


def parse_all(texts: Iterable[str], names: Collection[str] = (), option: str = "--where") -> list[Selection]:
    """Return what an option says each time that it is given; `names`: attributes that are no attributes of objects here.

    Raises:
        UsageError: a text is no selection.
    """
    from streamsave.consume.parser import Parser

    with usage_of(option):
        return [Parser(text, names).parse() for text in texts]


#: What a path has, and a pattern of names has not.
PATH: Final = re.compile(r"^\"|[./\[]")
#: A path with wildcards. A name may have slashes, but with spaces, which are in quotes in a path, or at its start.
NO_NAME: Final = re.compile(r"(?!/)(?=.*(?:/|\[\*\]))(?:\"[^\"]*\"|[^\s\"])*")


def path_steps(text: str) -> tuple[Step, ...]:
    """Return the steps of a text that is a path as `cat --flat` prints it, and not only a name.

    Raises:
        UsageError: it is a path, but for wildcards.
    """
    if not PATH.search(text):
        return ()
    try:
        return parse_steps(text)
    except SelectError:
        refuse(NO_NAME.fullmatch(text), f"{quoted(text)} is a path: wildcards are for names. [*] is each element.")
        return ()  # wildcards


def both(selection: str, where: Selection | None) -> Selection:
    """Return the selection of a command, and what `--where` adds."""
    (parsed,) = parse_all([selection])
    return parsed if where is None else parsed & where


def watch(ctx: click.Context, selection: Selection) -> Watched:
    """Return a selection of objects for a command, which then says so if none matches."""
    from streamsave.cli.nothing_found import Watched

    watched = ctx.meta[f"{OURS}where"] = Watched(selection)
    return watched


#: Lets a command take `--where`.
where_option: Final = click.option(
    "--where",
    metavar="EXPR",
    multiple=True,
    callback=_parse_where,
    help="Only objects that match EXPR: 'class_name = \"*Wall*\" and size > 300 and mOwner ~ Player'; see the manual. If it is "
    "given more than once, all have to match.",
)


def keep_only(events: EventStream, where: Selection | None) -> None:
    """Let the stream give only the objects that match `--where`."""
    if where is not None:
        events.only(where)

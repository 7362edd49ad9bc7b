"""Options that commands share: limits, display names, containers of objects, which files by their time."""

from __future__ import annotations

import errno
import heapq
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any, Final, ParamSpec, TypeVar, cast

import click
from attrs import frozen

from streamsave._fields import names_of_fields
from streamsave.cli.save_names import STDIN, is_code, label_of, reading
from streamsave.errors import LimitExceeded, SelectError
from streamsave.input.source import file_system, is_url, url_errors
from streamsave.limits import MOST_DEPTH, Limits
from streamsave.report.names import Names, NamesFault, read_docs

__all__ = [
    "VARIABLE",
    "TimeChoice",
    "current_choice",
    "current_limits",
    "current_names",
    "current_objects",
    "for_people",
    "keep_whole",
    "limit_hint",
    "limit_option",
    "names_option",
    "objects_option",
    "parse_limit",
    "shown_name",
    "shown_names_options",
    "time_options",
]


UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
VALUE: Final = re.compile("([0-9]{1,15})([KMG]?)", re.IGNORECASE)
#: The largest number that the option takes.
LARGEST: Final = 10**15 - 1
#: Where the context of a command keeps its limits.
LIMITS: Final = "streamsave.limits"


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


def _keep_limits(ctx: click.Context, _: click.Parameter, texts: tuple[str, ...]) -> None:
    try:
        ctx.meta[LIMITS] = Limits(**dict(map(parse_limit, texts)))
    except ValueError as error:
        raise click.BadParameter(f"{error}") from None


#: Lets a command take `--limit`; what it reads with is `current_limits()`.
limit_option: Final = click.option(
    "--limit",
    metavar="NAME=VALUE",
    multiple=True,
    expose_value=False,
    callback=_keep_limits,
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
    ctx = click.get_current_context(silent=True)
    limits = None if ctx is None else ctx.meta.get(LIMITS)
    return limits if isinstance(limits, Limits) else Limits()


P = ParamSpec("P")

#: The environment variable that does the same.
VARIABLE: Final = "STREAMSAVE_NAMES"
#: Where the context of a command keeps the names.
NAMES: Final = "streamsave.names"
RAW: Final = "streamsave.raw_names"


def _read(ctx: click.Context, _: click.Parameter, path: str | None) -> None:
    if not path or ctx.resilient_parsing:
        return
    try:
        ctx.meta[NAMES] = Names(read_docs(path))
    except NamesFault as error:
        raise click.UsageError(f"--names {path}: {error}") from None
    except OSError as error:
        raise click.UsageError(f"--names {path}: {error.strerror or error}") from None


#: Lets a command take `--names`.
names_option: Final = click.option(
    "--names",
    metavar="FILE",
    envvar=VARIABLE,
    expose_value=False,
    callback=_read,
    type=click.Path(dir_okay=False),
    help=f"Take display names from a file of the game's folder CommunityResources/Docs, in any language; or set {VARIABLE}.",
)


def _keep_raw(ctx: click.Context, _: click.Parameter, is_raw: bool) -> None:
    ctx.meta[RAW] = is_raw


_RAW_NAMES: Final = click.option(
    "--raw-names",
    is_flag=True,
    expose_value=False,
    callback=_keep_raw,
    help="Show classes only as the save names them, also in a terminal or a picture.",
)


def shown_names_options(command: Callable[P, int]) -> Callable[P, int]:
    """Let a command take `--names` and `--raw-names`."""
    return names_option(_RAW_NAMES(command))


def current_names() -> Names:
    """Return the names that the running command uses."""
    ctx = click.get_current_context(silent=True)
    return cast("Names", ctx.meta.get(NAMES) or Names()) if ctx is not None else Names()


def shown_name(class_name: str) -> str:
    """Return the name of a class in a picture: what people call it, or with `--raw-names` the end of what the save calls it."""
    ctx = click.get_current_context(silent=True)
    if ctx is not None and ctx.meta.get(RAW):
        return class_name[class_name.rfind(".") + 1 :]
    return current_names()(class_name)


def for_people(class_name: str) -> str:
    """Return the name of a class as a terminal shows it: what people call it, and in brackets what the save calls it."""
    ctx = click.get_current_context(silent=True)
    if ctx is not None and ctx.meta.get(RAW):
        return class_name
    name = current_names()(class_name)
    return class_name if name == class_name else f"{name} ({class_name})"


#: Where the context of a command keeps its paths.
PATHS: Final = "streamsave.objects"


def _keep_paths(ctx: click.Context, _: click.Parameter, texts: tuple[str, ...]) -> None:
    if not texts:
        return
    from streamsave.formats.unreal.object_rows import ObjectProfile

    try:
        ObjectProfile(texts)
    except SelectError as error:
        raise click.BadParameter(f"{error}") from None
    ctx.meta[PATHS] = list(texts)


#: Lets a command take `--objects`; what it reads with is `current_objects()`.
objects_option: Final = click.option(
    "--objects",
    metavar="PATH",
    multiple=True,
    expose_value=False,
    callback=_keep_paths,
    help="Take the elements of this container for objects: 'World.Things[*]'. Only for Unreal save games. Repeatable; see the "
    "manual. `ls --containers` lists the containers.",
)


def current_objects() -> list[str] | None:
    """Return what `streamsave.open` takes for `objects_at` in the running command."""
    ctx = click.get_current_context(silent=True)
    texts = None if ctx is None else ctx.meta.get(PATHS)
    return texts if isinstance(texts, list) else None


def keep_whole() -> None:
    """Let the running command read an Unreal save game as one object, unless the user says which elements are objects."""
    click.get_current_context().meta.setdefault(PATHS, [])


Decorated = TypeVar("Decorated", bound=Callable[..., Any])

#: Where the context of a command keeps what the options say.
SINCE: Final = "streamsave.since"
NEWEST: Final = "streamsave.newest"

AGE: Final = re.compile(r"(\d+)\s*(min|m|h|d|w)")
SECONDS: Final = {"min": 60, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


@frozen
class TimeChoice:
    """Which saves are read."""

    #: Seconds since 1970: only those that were written then or later; None: all.
    since: float | None = None
    #: At most so many, those that were written last; None: all.
    newest: int | None = None

    def of(self, names: Iterable[str | OSError]) -> Iterator[str | OSError]:
        """Yield those that are chosen, the oldest first, then the errors; if nothing is chosen, names as they come."""
        if self.since is None and self.newest is None:
            yield from names
            return
        errors: list[OSError] = []
        #: The chosen ones so far: the time, the number of the name, the name.
        chosen: list[tuple[float, int, str]] = []
        for number, name in enumerate(names):
            if isinstance(name, OSError):
                errors.append(name)
                continue
            try:
                written = _time_of(name)
            except OSError as error:
                errors.append(error)
                continue
            if self.since is not None and written < self.since:
                continue
            heapq.heappush(chosen, (written, number, name))
            if self.newest is not None and len(chosen) > self.newest:
                heapq.heappop(chosen)
        for _, _, name in sorted(chosen):
            yield name
        yield from errors
        if not chosen and not errors:
            yield FileNotFoundError(errno.ENOENT, "no save is so new", "--since")


def _time_of(name: str) -> float:
    """Return when a save was written, in seconds since 1970.

    Raises:
        OSError: it is not there, or has no time.
    """
    if name == STDIN or is_code(name):
        raise OSError(errno.EINVAL, "has no time: --since and --newest are for files", label_of(name))
    if not is_url(name):
        return os.stat(name).st_mtime  # noqa: PTH116 - names of files are handed on as they are
    with reading(name), url_errors(name):
        files, path = file_system(name)
        try:
            written = files.modified(path)
        except NotImplementedError:
            raise OSError(errno.EINVAL, "has no time: --since and --newest are for files", name) from None
    return float(written.timestamp())


def _parse_since(ctx: click.Context, _: click.Parameter, text: str | None) -> None:
    if text is None:
        return
    age = AGE.fullmatch(text.strip())
    if age is not None:
        ctx.meta[SINCE] = time.time() - int(age[1]) * SECONDS[age[2]]
        return
    try:
        ctx.meta[SINCE] = datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        raise click.BadParameter(f"{text!r} is no age such as 36h or 7d, and no time such as 2026-01-31T18:00.") from None


def _keep_newest(ctx: click.Context, _: click.Parameter, number: int | None) -> None:
    ctx.meta[NEWEST] = number


def current_choice(ctx: click.Context) -> TimeChoice:
    """Return what the options of a command say."""
    return TimeChoice(ctx.meta.get(SINCE), ctx.meta.get(NEWEST))


def time_options(command: Decorated) -> Decorated:
    """Let a command take `--since` and `--newest`."""
    since = click.option(
        "--since",
        metavar="WHEN",
        is_eager=True,
        expose_value=False,
        callback=_parse_since,
        help="Only saves written since then: 30min, 36h, 7d ago, or a time such as 2026-01-31T18:00.",
    )
    newest = click.option(
        "--newest",
        metavar="N",
        type=click.IntRange(min=1),
        is_eager=True,
        expose_value=False,
        callback=_keep_newest,
        help="Only the N saves that were written last, the oldest of them first.",
    )
    return since(newest(command))

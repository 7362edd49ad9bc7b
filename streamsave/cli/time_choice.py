"""`--since` and `--newest`: some of many saves, by the time when their files were written."""

from __future__ import annotations

import errno
import heapq
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any, Final, TypeVar

import click
from attrs import frozen

from streamsave.cli.save_names import STDIN, is_code, label_of, reading
from streamsave.input.source import file_system, is_url, url_errors

__all__ = ["TimeChoice", "current_choice", "time_options"]

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

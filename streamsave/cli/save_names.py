"""The saves that an argument SAVE names: a file, a folder, wildcards, a URL or `-`.

| argument | what is read |
|---|---|
| `-` | standard input |
| `SHAPEZ2-…$` | the blueprint code of shapez 2 itself |
| all others | see `streamsave.consume.expand` |

An argument that cannot be looked up, or names no save, gives an `OSError` in its place.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from streamsave.consume import expand as paths
from streamsave.events import SaveStart
from streamsave.formats import is_text_save
from streamsave.input.source import SourceLike
from streamsave.input.urls import file_system, is_url

__all__ = ["STDIN", "check_url", "expand", "is_many", "is_read_once", "label_of", "source_of"]

STDIN: Final = "-"
#: Header fields with the name that a player gave a world.
GIVEN_NAMES: Final = ("session_name", "savegame_name")
#: Characters that are shown of a save that is an argument itself.
SHOWN_CODE: Final = 24


def label_of(name: str) -> str:
    """Return the name of a save in output."""
    if name == STDIN:
        return "(standard input)"
    return f"{name[:SHOWN_CODE]}..." if is_text_save(name) else name


def file_name(label: str) -> str:
    """Return the last part of the name of a save."""
    return os.path.basename(label_of(label).rstrip(f"/{os.sep}"))  # noqa: PTH119 - of a URL, too


def given_name(start: SaveStart) -> str:
    """Return the name that the player gave the world; "" if the save has none."""
    for field in GIVEN_NAMES:
        name = getattr(start.header, field, None)
        if isinstance(name, str) and name.strip():
            return name
    return ""


def source_of(name: str) -> SourceLike:
    """Return what `streamsave.open` takes for the name of a save.

    Raises:
        OSError: as for `check_url`.
    """
    if name == STDIN:
        return sys.stdin.buffer
    check_url(name)
    return name.encode("utf-8", "surrogateescape") if is_text_save(name) else name


def is_many(argument: str) -> bool:
    """Return whether an argument can name more than one save, even if it names one."""
    return argument != STDIN and not is_text_save(argument) and paths.is_many(argument)


def is_read_once(name: str) -> bool:
    """Return whether a save cannot be read again: standard input, or a named pipe, as that of `<(...)` in a shell."""
    return name == STDIN or (not is_text_save(name) and not is_url(name) and Path(name).is_fifo())


def expand(argument: str) -> Iterator[str | OSError]:
    """Yield the names of the saves that an argument means, or an error in their place."""
    if not is_many(argument):
        yield argument
        return
    try:
        check_url(argument)
        for name in paths.names_in(argument):
            yield name if isinstance(name, OSError) else os.fspath(name)
    except OSError as error:
        yield OSError(error.errno, error.strerror, argument)


def check_url(name: str) -> None:
    """Find out whether what a URL needs is installed; another name is no URL.

    Raises:
        OSError: it is not, with the URL as its file name. All other errors of a URL are one already.
    """
    if is_url(name):
        try:
            file_system(name)
        except ImportError as error:
            raise OSError(errno.EIO, str(error).removeprefix(f"{name}: "), name) from error

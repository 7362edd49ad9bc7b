"""The saves that an argument SAVE names: a file, a folder, wildcards, a URL or `-`.

| argument | what is read |
|---|---|
| a file, with any name | the file |
| a folder | the files in it, and in all folders below it, with the name of a save (`save_extensions`); no pipes or devices |
| wildcards `*`, `?`, `[]`, `**`, if no file has this name | the files that match, and those in folders that match |
| `protocol://…` | the URL; with `*`, all that match; if it ends in `/`, the files below it with the name of a save |
| `-` | standard input |
| `SHAPEZ2-…$` | the blueprint code of shapez 2 itself |

Each is looked up when it is needed, in the order of names. `**` follows links to folders, but goes through each folder once. An
argument that cannot be looked up, or names no save, gives an `OSError` in its place.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape, has_magic, iglob
from stat import S_ISREG
from typing import Final

from streamsave.events import SaveStart
from streamsave.formats import is_text_save, save_extensions
from streamsave.input.source import SourceLike, file_system, is_url, url_errors

__all__ = ["STDIN", "expand", "is_many", "label_of", "reading", "source_of"]

STDIN: Final = "-"
#: Header fields with the name that a player gave a world.
GIVEN_NAMES: Final = ("session_name", "savegame_name")
#: Characters that are shown of a save that is an argument itself.
SHOWN_CODE: Final = 24
SEPARATORS: Final = os.sep + (os.altsep or "")
#: Goes through folders, in wildcards.
ALL_FOLDERS: Final = re.compile(rf"(?<![^{re.escape(SEPARATORS)}])\*\*(?![^{re.escape(SEPARATORS)}])")


def label_of(name: str) -> str:
    """Return the name of a save in output."""
    if name == STDIN:
        return "(standard input)"
    return f"{name[:SHOWN_CODE]}..." if is_text_save(name) else name


def file_name(label: str) -> str:
    """Return the last part of the name of a save."""
    return label_of(label).rstrip("/").rpartition("/")[2]


def given_name(start: SaveStart) -> str:
    """Return the name that the player gave the world; "" if the save has none."""
    for field in GIVEN_NAMES:
        name = getattr(start.header, field, None)
        if isinstance(name, str) and name.strip():
            return name
    return ""


def source_of(name: str) -> SourceLike:
    """Return what `streamsave.open` takes for the name of a save."""
    if name == STDIN:
        return sys.stdin.buffer
    return name.encode("utf-8", "surrogateescape") if is_text_save(name) else name


def is_many(argument: str) -> bool:
    """Return whether an argument can name more than one save, even if it names one."""
    if argument == STDIN or is_text_save(argument):
        return False
    if is_url(argument):
        return "*" in argument or argument.endswith("/")
    return os.path.isdir(argument) or _is_pattern(argument)  # noqa: PTH112 - names of files are handed on as they are


def expand(argument: str) -> Iterator[str | OSError]:
    """Yield the names of the saves that an argument means, or an error in their place."""
    if not is_many(argument):
        yield argument
    elif is_url(argument):
        yield from _urls(argument)
    elif _is_pattern(argument):
        yield from _matching(argument)
    else:
        yield from _in_folder(argument)


def _is_pattern(argument: str) -> bool:
    return has_magic(argument) and not os.path.lexists(argument)


def _nothing(argument: str, message: str) -> OSError:
    return FileNotFoundError(errno.ENOENT, message, argument)


def _has_name_of_a_save(name: str) -> bool:
    return name.lower().endswith(save_extensions())


def _in_folder(folder: str) -> Iterator[str | OSError]:
    found = False
    failures: list[OSError] = []
    for where, folders, files in os.walk(folder, onerror=failures.append):
        folders.sort()
        for path in [os.path.join(where, name) for name in sorted(filter(_has_name_of_a_save, files))]:  # noqa: PTH118
            if _may_be_read(path):
                found = True
                yield path
    yield from failures
    if not found and not failures:
        yield _nothing(folder, f"no save is in this folder or below it: no file ends in {', '.join(save_extensions())}")


def _may_be_read(path: str) -> bool:
    """Return whether it is a file, or opening it raises. A pipe is not opened: without a writer, that would wait forever."""
    try:
        return S_ISREG(os.stat(path).st_mode)  # noqa: PTH116
    except OSError:
        return True


def _matching(pattern: str) -> Iterator[str | OSError]:
    all_folders = ALL_FOLDERS.search(pattern) is not None
    paths = sorted(_in_all_folders(pattern) if all_folders else iglob(pattern))  # noqa: PTH207 - names as they were written
    # `**` has gone through the folders already.
    paths = [path for path in paths if not (all_folders and os.path.isdir(path))]  # noqa: PTH112
    for path in paths:
        yield from _in_folder(path) if os.path.isdir(path) else [path]  # noqa: PTH112
    if not paths:
        yield _nothing(pattern, "no file matches")


def _in_all_folders(pattern: str) -> Iterator[str]:
    """Yield what matches a pattern with `**`. `glob` does not do: it follows links to folders in circles."""
    first, *others = ALL_FOLDERS.split(pattern)
    folders = list(iglob(first)) if has_magic(first) else [first]  # noqa: PTH207
    *between, last = [part.lstrip(SEPARATORS) for part in others]
    for part in between:
        folders = [name for folder in _folders_below(folders) for name in iglob(escape(folder) + part)]  # noqa: PTH207
    seen = set()
    for folder in _folders_below(folders):
        for path in iglob(escape(folder) + (last or "*")):  # noqa: PTH207
            where, name = os.path.split(path)
            identity = os.path.realpath(where), name
            if identity not in seen:
                seen.add(identity)
                yield path


def _folders_below(folders: list[str]) -> Iterator[str]:
    """Yield these folders and all below them, with a separator at the end, each once; links come after what is no link."""
    seen = set()
    waiting = list(folders)
    for folder in waiting:  # grows by the links that are found
        for where, inner, _ in os.walk(folder or os.curdir):
            status = os.stat(where)  # noqa: PTH116
            if (status.st_dev, status.st_ino) in seen:
                inner.clear()
                continue
            seen.add((status.st_dev, status.st_ino))
            inner[:] = sorted(name for name in inner if not name.startswith("."))
            here = os.path.join(where, "")[0 if folder else len(os.path.join(os.curdir, "")) :]  # noqa: PTH118 - as it was written
            yield here
            waiting += [f"{here}{name}{os.sep}" for name in inner if os.path.islink(f"{here}{name}")]  # noqa: PTH114


# --- URLs ---


def _urls(url: str) -> Iterator[str | OSError]:
    nothing = "no file matches" if "*" in url else f"no file below it ends in {', '.join(save_extensions())}"
    try:
        with reading(url):
            yield from _find(url) or [_nothing(url, nothing)]
    except OSError as error:
        yield OSError(error.errno, error.strerror, url)


def _find(url: str) -> list[str | OSError]:
    """Return the names of the files that match a URL, or of all saves below it."""
    files, path = file_system(url)
    with url_errors(url):
        if "*" in url:
            names = [name for name, about in files.glob(path, detail=True).items() if about["type"] == "file"]
        else:
            names = list(filter(_has_name_of_a_save, files.find(path)))
    # `zip://*.sav::https://host/saves.zip`: the wildcard is in the first part, the rest stays.
    _, chained, rest = url.partition("::")
    return [f"{files.unstrip_protocol(name)}{chained}{rest}" for name in sorted(names)]


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Say by an `OSError` that what a URL needs is not installed. All other errors of a URL are one already.

    Raises:
        OSError: with the URL as its file name.
    """
    if is_url(name):
        try:
            file_system(name)
        except ImportError as error:
            raise OSError(errno.EIO, str(error).removeprefix(f"{name}: "), name) from error
    yield

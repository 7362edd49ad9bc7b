"""The saves that a path or URL means: a file, a folder, wildcards.

| path or URL | what is read |
|---|---|
| a file, with any name | the file |
| a folder | the files in it, and in all folders below it, with the name of a save (`save_extensions`); no pipes or devices |
| wildcards `*`, `?`, `[]`, `**`, if no file has this name | the files that match, and those in folders that match |
| `protocol://…` | the URL; with `*`, all that match; if it ends in `/`, the files below it with the name of a save |

They come in the order of names. `**` follows links to folders, but goes through each folder once.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Mapping
from glob import escape, has_magic, iglob
from stat import S_ISREG
from typing import Final

from streamsave.formats import save_extensions
from streamsave.input.urls import file_system, is_url, url_errors

__all__ = ["expand", "is_many", "names_in"]

SEPARATORS: Final = os.sep + (os.altsep or "")
#: Goes through folders, in wildcards.
ALL_FOLDERS: Final = re.compile(rf"(?<![^{re.escape(SEPARATORS)}])\*\*(?![^{re.escape(SEPARATORS)}])")


def expand(source: str | os.PathLike[str], *, storage_options: Mapping[str, object] | None = None) -> Iterator[str]:
    """Yield the paths or URLs of the saves that a path or URL means: a file, a folder, a pattern with wildcards.

    A folder, and a URL that ends in `/`, mean all files below it with the name of a save. A pattern means all files that match,
    and those in folders that match; `**` goes through folders. All others mean themselves, whether there is such a file or not.

    Args:
        source: the path or URL.
        storage_options: what fsspec takes for the URL.

    Raises:
        OSError: while iterating: a folder cannot be read, nothing matches, a folder has no save.
        ImportError: while iterating: it is a URL, and what reads it is not installed.
    """
    for name in names_in(source, storage_options):
        if isinstance(name, OSError):
            raise name
        yield os.fspath(name)


def is_many(source: str | os.PathLike[str]) -> bool:
    """Return whether a path or URL can mean more than one save, even if it means one."""
    name = os.fspath(source)
    if isinstance(source, str) and is_url(source):
        return "*" in name or name.endswith("/")
    return os.path.isdir(name) or _is_pattern(name)  # noqa: PTH112 - names of files are handed on as they are


def names_in(
    source: str | os.PathLike[str], storage_options: Mapping[str, object] | None = None
) -> Iterator[str | os.PathLike[str] | OSError]:
    """Yield what `expand` does, each when it is needed; what cannot be looked up, or means nothing, is an `OSError` in its place.

    Raises:
        ImportError: it is a URL, and what reads it is not installed.
    """
    name = os.fspath(source)
    if not is_many(source):
        yield source
    elif isinstance(source, str) and is_url(source):
        yield from _urls(source, storage_options)
    elif _is_pattern(name):
        yield from _matching(name)
    else:
        yield from _in_folder(name)


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
    found = _in_all_folders(pattern) if all_folders else iglob(pattern)  # noqa: PTH207 - names as they were written
    paths = sorted(found, key=lambda path: path.replace(os.sep, "/"))  # one order in all systems
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


def _urls(url: str, storage_options: Mapping[str, object] | None) -> Iterator[str | OSError]:
    nothing = "no file matches" if "*" in url else f"no file below it ends in {', '.join(save_extensions())}"
    try:
        yield from _find(url, storage_options) or [_nothing(url, nothing)]
    except OSError as error:
        yield OSError(error.errno, error.strerror, url)


def _find(url: str, storage_options: Mapping[str, object] | None) -> list[str | OSError]:
    """Return the names of the files that match a URL, or of all saves below it."""
    files, path = file_system(url, storage_options)
    with url_errors(url):
        if "*" in url:
            names = [name for name, about in files.glob(path, detail=True).items() if about["type"] == "file"]
        else:
            names = list(filter(_has_name_of_a_save, files.find(path)))
    # `zip://*.sav::https://host/saves.zip`: the wildcard is in the first part, the rest stays.
    _, chained, rest = url.partition("::")
    return [f"{files.unstrip_protocol(name)}{chained}{rest}" for name in sorted(names)]

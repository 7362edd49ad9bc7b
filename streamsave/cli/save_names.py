"""What a command line calls saves: files, folders, wildcards, URLs, `-`; and which saves these are.

| argument | what is read |
|---|---|
| a file, whatever it is called | the file |
| a folder | the files in it, and in all folders below it, with the name of a save (`save_extensions`); no pipes or devices |
| wildcards `*`, `?`, `[]`, `**`, if no file is called that | the files that match, and those in folders that match |
| `protocol://…` | the URL; with `*`, all that match; of one that ends in `/`, what is called like a save below it |
| `-` | standard input |
| `SHAPEZ2-…$` | a blueprint code of shapez 2, itself |

Each is looked up when its turn comes, in the order of names. What cannot be looked up, or gives nothing, is an `OSError` in its
place.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from glob import has_magic, iglob
from stat import S_ISREG
from typing import Final

from streamsave.formats import is_text_save, save_extensions
from streamsave.input.source import SourceLike, file_system, http_errors, is_url

__all__ = ["STDIN", "expand", "is_code", "is_many", "label_of", "reading", "source_of"]

STDIN: Final = "-"
#: Characters that are shown of a save that is an argument itself.
SHOWN_CODE: Final = 24
#: Goes through folders, in wildcards.
ALL_FOLDERS: Final = "**"


def is_code(name: str) -> bool:
    """Return whether an argument is a save itself, a blueprint code, not the name of a file."""
    return is_text_save(name)


def label_of(name: str) -> str:
    """Tell what a save is called in output."""
    if name == STDIN:
        return "(standard input)"
    return f"{name[:SHOWN_CODE]}..." if is_code(name) else name


def source_of(name: str) -> SourceLike:
    """Give what `streamsave.open` takes, of the name of one save."""
    if name == STDIN:
        return sys.stdin.buffer
    return name.encode("utf-8", "surrogateescape") if is_code(name) else name


def is_many(argument: str) -> bool:
    """Whether an argument may be more than one save, however many it turns out to be."""
    if argument == STDIN or is_code(argument):
        return False
    if is_url(argument):
        return _is_many_urls(argument)
    return os.path.isdir(argument) or _is_pattern(argument)  # noqa: PTH112 - names of files are handed on as they are


def expand(argument: str) -> Iterator[str | OSError]:
    """Give the saves that an argument means."""
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


def _is_called_like_a_save(name: str) -> bool:
    return name.lower().endswith(save_extensions())


def _in_folder(folder: str) -> Iterator[str | OSError]:
    empty = True
    failures: list[OSError] = []
    for where, folders, files in os.walk(folder, onerror=failures.append):
        folders.sort()
        for name in sorted(filter(_is_called_like_a_save, files)):
            path = os.path.join(where, name)  # noqa: PTH118
            if _may_be_read(path):
                empty = False
                yield path
    yield from failures
    if empty and not failures:
        yield _nothing(folder, f"no save is in this folder, nor below it: no file ends in {', '.join(save_extensions())}")


def _may_be_read(path: str) -> bool:
    """Whether it is a file, or will say why not when it is opened: a pipe that nobody writes to would be waited for."""
    try:
        return S_ISREG(os.stat(path).st_mode)  # noqa: PTH116
    except OSError:
        return True


def _matching(pattern: str) -> Iterator[str | OSError]:
    empty = True
    for path in sorted(iglob(pattern, recursive=True)):  # noqa: PTH207 - gives the names as they were written
        if not os.path.isdir(path):  # noqa: PTH112
            empty = False
            yield path
        elif ALL_FOLDERS not in pattern:
            empty = False
            yield from _in_folder(path)
    if empty:
        yield _nothing(pattern, "no file matches")


# --- URLs ---


def _is_many_urls(url: str) -> bool:
    return "*" in url or url.endswith("/")


def _urls(url: str) -> Iterator[str | OSError]:
    try:
        with reading(url):
            found = _find(url)
    except OSError as error:
        yield error
        return
    yield from found
    if not found:
        yield _nothing(url, "no file matches" if "*" in url else f"no file below it ends in {', '.join(save_extensions())}")


def _find(url: str) -> list[str]:
    files, path = file_system(url)
    # `zip://*.sav::https://host/saves.zip`: what is behind the first part stays.
    _, chained, behind = url.partition("::")
    if "*" in url:
        names = [name for name, about in files.glob(path, detail=True).items() if about["type"] == "file"]
    else:
        names = [name for name in files.find(path) if _is_called_like_a_save(name)]
    return [f"{files.unstrip_protocol(name)}{chained}{behind}" for name in sorted(names)]


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Make an `OSError` with a text of everything that may go wrong with a URL. What is wrong with a save stays what it is.

    Raises:
        OSError: with the URL as its file name.
    """
    if not is_url(name):
        yield
        return
    try:
        file_system(name)
    except (ImportError, ValueError) as error:
        raise _said(name, error) from error
    try:
        yield
    except OSError as error:
        if error.strerror:
            raise
        raise _said(name, error) from error
    except http_errors() as error:
        raise _said(name, error) from error


def _said(url: str, error: BaseException) -> OSError:
    """Give an error that says what is wrong: some say nothing but the URL, and were raised because of another."""
    text = str(error).removeprefix(url).removeprefix(": ") or str(error.__cause__ or "cannot be read")
    return OSError(errno.EIO, text, url)

"""The target of a new save: a path, a URL or a binary file object. It is checked before the source is read.

| target | what happens |
|---|---|
| a path, a `file://` URL | see `streamsave._new_file` |
| another URL | the save is made in a temporary file, and uploaded in a transaction of fsspec |
| a file object | the save is made in a temporary file, and copied to the current position; the caller closes the file |
"""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, Protocol, TypeAlias, cast

from streamsave._new_file import Unchanged, check_target, ending_well, new_file
from streamsave.input.urls import file_system, is_url, url_errors

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

__all__ = ["NewSave", "TargetLike", "Writable", "open_target"]

#: Bytes to copy at a time.
PIECE_SIZE: Final = 1024 * 1024


class Writable(Protocol):
    """A binary file object: anything with a `write` that takes bytes."""

    def write(self, data: bytes, /) -> int | None:
        """Write bytes; return how many were written, or None for all of them."""
        ...


TargetLike: TypeAlias = "str | os.PathLike[str] | Writable"
Verify: TypeAlias = Callable[[Path], None]
#: Opens a file to write a save; takes the check of the new save, and the check that the source has not changed.
NewSave: TypeAlias = Callable[[Verify, Unchanged | None], AbstractContextManager[BinaryIO]]


def open_target(
    target: TargetLike, backup: str | os.PathLike[str] | None = None, storage_options: Mapping[str, object] | None = None
) -> NewSave:
    """Return a function that opens a file for a new save, which appears at the target whole or not at all.

    Args:
        target: see the table above.
        backup: as for `new_file`; only for files.
        storage_options: options of fsspec for the URL.

    Raises:
        TypeError: the target is not of these kinds.
        ValueError: `backup` is given, and the target is no file.
        OSError: the target cannot be written.
        ImportError: the target is a URL, and its file system is not installed.
    """
    if isinstance(target, str) and is_url(target):
        files, path = file_system(target, storage_options, is_fresh=True)
        if "file" not in ((files.protocol,) if isinstance(files.protocol, str) else files.protocol):
            _refuse(backup)
            _check_upload(target, files, path)
            return partial(_copied, partial(_uploading, target, files, path))
        target = path
    if isinstance(target, (str, os.PathLike)):
        check_target(target, is_save=True)
        kept = None if backup is None else Path(backup)
        return lambda verify, source: new_file(target, verify=verify, backup=kept, source=source)
    given: object = target  # a caller may not check types
    if isinstance(given, io.TextIOBase) or not hasattr(given, "write"):
        raise TypeError(f"a path, a URL or a binary file object is needed to write to, not {type(target).__name__}")
    _refuse(backup)
    if not getattr(target, "writable", lambda: True)():
        raise OSError(errno.EBADF, "is not open to write", getattr(target, "name", None))
    file = target
    return partial(_copied, lambda: nullcontext(file))


def _refuse(backup: str | os.PathLike[str] | None) -> None:
    if backup is not None:
        raise ValueError("backup is for a file that is replaced: the target is a URL or a file object")


@contextmanager
def _copied(
    open_it: Callable[[], AbstractContextManager[Writable]], verify: Verify, source: Unchanged | None
) -> Iterator[BinaryIO]:
    """Open a temporary file; at the end, check it and copy it."""
    from tempfile import TemporaryDirectory  # noqa: PLC0415 - takes long, and most programs write no file

    with ending_well(), TemporaryDirectory(prefix="streamsave-") as folder:
        path = Path(folder, "new.sav")
        with path.open("w+b") as file:
            yield file
        verify(path)
        if source is not None:
            source.check()
        with path.open("rb") as complete, open_it() as target:
            while piece := complete.read(PIECE_SIZE):
                _write(target, piece)


def _write(target: Writable, data: bytes) -> None:
    """Write all bytes: an unbuffered file object may take fewer at a time."""
    while data:
        written = target.write(data)
        data = b"" if written is None else data[written:]


def _check_upload(url: str, files: AbstractFileSystem, path: str) -> None:
    """Try to open a URL for writing, and discard the result.

    Raises:
        OSError: it cannot be written.
    """
    with url_errors(url):
        files.transaction.start()
        try:
            files.open(path, "wb").close()
        except NotImplementedError:
            raise OSError(errno.EROFS, "this protocol can only be read", url) from None
        finally:
            files.transaction.complete(commit=False)


@contextmanager
def _uploading(url: str, files: AbstractFileSystem, path: str) -> Iterator[Writable]:
    """Open a URL for writing. The file appears at the end; after an error, it has not changed."""
    with url_errors(url), files.transaction, files.open(path, "wb") as file:
        yield cast("Writable", file)

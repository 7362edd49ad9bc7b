"""`rewrite`: read a save, and write it again with edits.

The first pass is the user's loop: it records edits. The second pass copies the save with the edits to a temporary file in the
same folder, checks it, and moves it to the target. Without edits, the copy is identical, byte for byte.

The target is checked before the source is read:

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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, Literal, Protocol, TypeAlias, cast

from streamsave._new_file import Unchanged, check_target, new_file, temporary_folder
from streamsave.consume.stream import opened
from streamsave.formats import Format, MakeReader
from streamsave.input.source import SourceLike
from streamsave.input.urls import file_system, is_url, url_errors
from streamsave.limits import Limits
from streamsave.rewriting.stream import NewSave, RewriteStream, Verify

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

__all__ = ["TargetLike", "Writable", "open_target", "rewrite", "unchanged"]


#: Bytes to copy at a time.
PIECE_SIZE: Final = 1024 * 1024


class Writable(Protocol):
    """A binary file object: anything with a `write` that takes bytes."""

    def write(self, data: bytes, /) -> int | None:
        """Write bytes; return how many were written, or None for all of them."""
        ...


TargetLike: TypeAlias = "str | os.PathLike[str] | Writable"


def rewrite(
    source: SourceLike,
    target: TargetLike | None,
    *,
    limits: Limits | None = None,
    type_hints: Mapping[str, str] | None = None,
    objects_at: str | Sequence[str] | None = None,
    reader: Format | MakeReader | None = None,
    storage_options: Mapping[str, object] | None = None,
    verify: bool = True,
    backup: str | os.PathLike[str] | None = None,
    wrapper: Literal["", "plz"] = "",
    fast: bool = False,
) -> RewriteStream:
    """Open a save to write it again with edits. Use the result in a `with` statement, and iterate over its events.

        with streamsave.rewrite("world.sav", "clean.sav") as save:
            for event in save:
                if isinstance(event, ObjectHeader) and event.class_name.startswith("/SomeMod/"):
                    save.drop()

    The end of the `with` statement writes the target, whole or not at all. After an exception, nothing is written. Without a
    `with` statement, call `finish()`; a stream that is dropped before that gives a `ResourceWarning`.

    A file that is replaced keeps its owner, group and permissions. Links are followed; pipes and devices are refused.
    For a URL or a file object, the save is made in a temporary file, then copied.

    Args:
        source: as for `streamsave.open`. A path or a URL may also be the target.
        target: where to write the new save: a path; a URL (as for `streamsave.open`); or a binary file object, which need not
            seek, and which the caller closes. None: write nothing.
        limits: as for `streamsave.open`.
        type_hints: as for `streamsave.open`.
        objects_at: as for `streamsave.open`.
        reader: as for `streamsave.open`. A reader of another package names the class that writes its saves: `Reader.writer`.
        storage_options: as for `streamsave.open`, for the source and the target.
        verify: run `check` on the new save before it appears. The results are in `RewriteStream.findings` afterwards.
            Of a Satisfactory save with dropped or edited objects, the data of all other objects are not read again: see
            `verifying`.
        backup: where to keep the old file at `target`, with `.1`, `.2` ... appended if that name exists; None: do not keep it.
        wrapper: `"plz"`: write a Palworld save that is compressed with Oodle (`PlM`) as `PlZ`, which needs no Oodle.
        fast: compress new chunks faster, to more bytes (Satisfactory, Unreal, Astroneer, shapez 2).

    Raises:
        UnsupportedSave: saves of this format, or in this wrapper, cannot be written.
        SaveError: the save is damaged, or the new one would be; also at the end of the `with` statement.
        EditError: at the end of the `with` statement: a size is too large for its field.
        OSError: the source cannot be read, or the target cannot be written; at the end of the `with` statement also: the file of
            `source` has changed since it was opened.
        ImportError: the source or the target is a URL, and what reads or writes it is not installed.
        TypeError: the target is not of these kinds.
        ValueError: source and target are the same file object; `backup` is given, and the target is no file; or `wrapper` is
            another text.
    """
    if target is source and hasattr(target, "write"):
        raise ValueError("the target is the source: a file object is written while the source is read")
    if wrapper not in {"", "plz"}:
        raise ValueError(f"wrapper is '' or 'plz', not {wrapper!r}")
    new_save = None if target is None else open_target(target, backup, storage_options)
    before = unchanged(source)
    make = partial(
        RewriteStream,
        new_save=new_save,
        before=before,
        replaces=before.is_file_of(unchanged(target)),
        verifies=verify,
        type_hints=type_hints,
        objects_at=objects_at,
        reader=reader,
        wrapper=wrapper,
        fast=fast,
    )
    return opened(make, source, limits, storage_options)


def unchanged(source: object) -> Unchanged:
    """Return a check that the file of a source or target does not change from now on. One without a path passes it."""
    if isinstance(source, os.PathLike) or (isinstance(source, str) and not is_url(source)):
        return Unchanged(source)
    return Unchanged("")  # no file has this path


# --- targets ---


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
def _copied(open_it: Callable[[], AbstractContextManager[Writable]], verify: Verify, source: Unchanged) -> Iterator[BinaryIO]:
    """Open a temporary file; at the end, check it and copy it."""
    with temporary_folder() as folder:
        path = Path(folder, "new.sav")
        with path.open("w+b") as file:
            yield file
        verify(path)
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

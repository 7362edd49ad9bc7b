"""A new file, which takes the place of its target when it is complete, or is not there at all. Whatever writes a file does it so.

| the target | what happens |
|---|---|
| does not exist | the new file gets its name |
| a file | the new file takes its place; owner, group and permissions stay, the time is new |
| a link | is followed; a link that leads nowhere says where the new file will be |
| a named pipe, a character device, where standard output or error goes | is written as it is; a save is refused |
| a folder, a block device | is refused |

A new file is written beside its target under another name, which is locked as long as the process needs it. What a process leaves
when it is ended is nothing, or what the next process knows to be out of use:

| the process ends by | what it was writing |
|---|---|
| its work, an exception, Ctrl-C | is removed |
| SIGTERM, SIGHUP, Ctrl-Break of Windows | is removed, then the signal ends the process |
| SIGKILL, a crash | is removed by the next process that writes there |

The system releases the lock when the process ends, however it ends; process numbers would not do: processes of other containers
may share the folder.

The module is long because each kind of target is written, and each way to end is met, on three systems.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from stat import S_ISBLK, S_ISDIR, S_ISREG
from typing import BinaryIO, Final

if sys.platform != "win32":
    import fcntl

__all__ = [
    "ENDING",
    "PREFIX",
    "Unchanged",
    "check_target",
    "ending_well",
    "held_back",
    "lock",
    "new_file",
    "remove_abandoned",
    "temporary_folder",
]

#: Signals that end a process at once; those that the platform has.
SIGNALS: Final = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name))
#: These, and Ctrl-C.
ENDING: Final = (signal.SIGINT, *SIGNALS)


class _Ended(BaseException):
    """A signal asks the process to end."""


@contextmanager
def ending_well() -> Iterator[None]:
    """Let signals that would end the process at once raise an exception first, so that it can clean up."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []

    def end(number: int, _: object) -> None:
        received.append(number)
        for each in caught:
            signal.signal(each, signal.SIG_IGN)  # cleaning up is not interrupted
        raise _Ended

    # What ignores a signal, as under `nohup`, or handles it, goes on to do that.
    caught = [number for number in SIGNALS if signal.getsignal(number) == signal.SIG_DFL]
    try:
        for number in caught:
            signal.signal(number, end)
        try:
            yield
        finally:
            for number in caught:
                signal.signal(number, signal.SIG_DFL)
    finally:
        if received:  # perhaps in the lines above
            signal.signal(received[0], signal.SIG_DFL)
            os.kill(os.getpid(), received[0])


@contextmanager
def temporary_folder() -> Iterator[str]:
    """Make a folder for files that have to have names; it is removed unless the process ends by SIGKILL or a crash."""
    from tempfile import TemporaryDirectory  # noqa: PLC0415 - takes long, and most programs write no file

    with ending_well(), ExitStack() as stack:
        with held_back(ENDING):  # a signal after the folder was made, and before that was noted, would leave it
            folder = stack.enter_context(TemporaryDirectory(prefix="streamsave-", ignore_cleanup_errors=True))
        yield folder


@contextmanager
def held_back(signals: Iterable[int]) -> Iterator[None]:
    """Let signals wait until the end: in a call of an executor or a future, an exception could leave a lock locked for ever.

    Processes and threads that begin meanwhile keep them blocked: they are for this thread, and an interpreter that begins would
    print a traceback.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        # If a signal came just before, this call raises its exception, but has blocked the signals.
        signal.pthread_sigmask(signal.SIG_BLOCK, signals)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


#: Until it is complete, a new file is called `.streamsave-????????.part`.
PREFIX: Final = ".streamsave-"
SUFFIX: Final = ".part"
#: Errors of a disk, which do not name the file.
FULL: Final = {errno.ENOSPC, errno.EFBIG, *((errno.EDQUOT,) if hasattr(errno, "EDQUOT") else ())}
ANY: Final = f"{PREFIX}{'?' * 8}{SUFFIX}"


def check_target(target: str | os.PathLike[str], *, is_save: bool = False) -> None:
    """Try to make a file beside a target, so that what cannot be written is known before anything is read.

    Args:
        target: as for `new_file`.
        is_save: the file will be verified.

    Raises:
        OSError: `new_file` would raise it, too.
    """
    status = _status(target)
    if status is not None and _is_written_through(target, status, is_save=is_save):
        return
    folder = Path(os.path.realpath(target)).parent
    remove_abandoned(folder)
    with _unfinished(folder, target) as (handle, _):
        os.close(handle)


@contextmanager
def new_file(
    target: str | os.PathLike[str],
    *,
    verify: Callable[[Path], None] | None = None,
    backup: Path | None = None,
    source: Unchanged | None = None,
    follows: bool = True,
) -> Iterator[BinaryIO]:
    """Open a file to write, which takes the place of its target at the end. If anything fails, the target has not changed.

    A signal that ends the process removes the unfinished file.

    Args:
        target: see the table above.
        verify: reads the new file, which is on the disk then; if it raises, there is no new file. It makes the file a save.
        backup: another name that the old file gets, with a number after it if that name exists. At any moment, the old file or
            the new one is at `target`.
        source: what the new file is made from. If that has changed, there is no new file.
        follows: follow a link; False: replace the link.

    Raises:
        OSError: it cannot be written, or `source` has changed.
    """
    status = None if not follows and Path(target).is_symlink() else _status(target)
    if status is not None and _is_written_through(target, status, is_save=verify is not None):
        with ending_well(), _opened(target, status) as file:
            yield file
        return
    path = Path(os.path.realpath(target) if follows else target)
    with _unfinished(path.parent, target) as (handle, unfinished):
        with os.fdopen(handle, "w+b") as file:
            yield file
            file.flush()
            if verify is not None:
                os.fsync(file.fileno())
        if verify is not None:
            verify(unfinished)
        _take_over(unfinished, path, status)
        with nullcontext() if source is None else source.held(replaced=status):
            if status is not None:
                path.rename(path)  # on Windows, this fails if another program has it open, while it has no other name yet
            kept = None if backup is None or status is None else _keep(path, backup)
            try:
                unfinished.replace(path)
            except BaseException:
                if kept is not None and unfinished.exists():  # the old file has its own name, too
                    kept.unlink()
                raise
    if verify is not None:
        _sync_folder(path.parent)


class Unchanged:
    """A file that must not change while it is read: it must remain the same file, of the same size and time.

    Args:
        path: of the file.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        self._seen = self._now()

    def check(self) -> None:
        """Compare.

        Raises:
            OSError: it has changed.
        """
        if self._now() != self._seen:
            raise OSError(errno.ESTALE, "has changed while it was read: nothing is written", os.fspath(self._path))

    def is_file_of(self, other: Unchanged) -> bool:
        """Return whether both are one file."""
        return self._seen[:2] == other._seen[:2] != ()

    @contextmanager
    def held(self, replaced: os.stat_result | None) -> Iterator[None]:
        """Compare; if it is the file that will be replaced, let no other process of ours replace it meanwhile.

        Args:
            replaced: what the system knows about the file that will be replaced; None if there is none.

        Raises:
            OSError: it has changed, or another process is about to replace it.
        """
        self.check()
        is_replaced = replaced is not None and self._seen[:2] == (replaced.st_dev, replaced.st_ino)
        if sys.platform == "win32" or not is_replaced:  # on Windows, an open file could not be replaced
            yield
            return
        handle = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            if lock(handle) is False:
                raise OSError(errno.EBUSY, "is in use by another process: nothing is written", os.fspath(self._path))
            self.check()
            yield
        finally:
            os.close(handle)

    def _now(self) -> tuple[int, ...]:
        try:
            status = os.stat(self._path)  # noqa: PTH116 - any path
        except OSError:
            return ()
        file = (status.st_dev, status.st_ino)
        return (*file, status.st_size, status.st_mtime_ns) if S_ISREG(status.st_mode) else file


def lock(file: int) -> bool | None:
    """Lock a file up to the end of the process, or until it is closed.

    Return whether no other process has locked it; None if the file system has no locks.
    """
    if sys.platform != "win32":
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return False if isinstance(error, BlockingIOError) else None
    return True


def remove_abandoned(folder: Path) -> None:
    """Remove unfinished files from a folder whose process has ended before it could do that. Those of other users stay.

    Windows has no such locks: there, they stay.
    """
    if sys.platform == "win32":
        return
    with suppress(OSError):
        for path in folder.glob(ANY):
            with suppress(OSError):
                _remove_if_abandoned(path)


def _remove_if_abandoned(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        status = os.fstat(handle)
        if S_ISREG(status.st_mode) and status.st_uid == os.getuid() and lock(handle):
            path.unlink()
    finally:
        os.close(handle)


@contextmanager
def _unfinished(folder: Path, target: str | os.PathLike[str]) -> Iterator[tuple[int, Path]]:
    """Make an unfinished file, and remove it at the end, unless it has another name by then; give its handle and its path."""
    with ending_well():
        handle, held, name = _make_locked(folder, target)
        try:
            yield handle, Path(name)
        except OSError as error:
            if error.errno in FULL or error.filename == name:
                error.filename = os.fspath(target)
            raise
        finally:
            Path(name).unlink(missing_ok=True)
            if held is not None:
                os.close(held)


def _make_locked(folder: Path, target: str | os.PathLike[str]) -> tuple[int, int | None, str]:
    """Make an unfinished file; return a handle of it, another one that holds its lock, and its path.

    Raises:
        OSError: it cannot be made; the error names the target.
    """
    import tempfile  # noqa: PLC0415 - takes long, and most programs write no file

    while True:
        try:
            handle, temporary = tempfile.mkstemp(SUFFIX, PREFIX, folder)
        except OSError as error:
            error.filename = os.fspath(target)
            raise
        if sys.platform == "win32":
            return handle, None, temporary  # an open file could not replace another one
        held = os.dup(handle)
        # Before it was locked, another process may have taken it for abandoned. Without locks, none removes it.
        if lock(held) is not False and os.path.lexists(temporary):
            return handle, held, temporary
        os.close(handle)
        os.close(held)


def _status(target: str | os.PathLike[str]) -> os.stat_result | None:
    """Return what the system knows about a target; None if it does not exist."""
    try:
        return os.stat(target)  # noqa: PTH116 - any path
    except FileNotFoundError:
        return None


def _is_written_through(target: str | os.PathLike[str], status: os.stat_result, *, is_save: bool) -> bool:
    """Return whether a target that exists is written as it is, not replaced.

    Raises:
        OSError: it is refused.
    """
    if S_ISDIR(status.st_mode):  # Windows would deny the permission
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(target))
    if S_ISREG(status.st_mode) and _standard_stream(status) is None:
        os.close(os.open(target, os.O_WRONLY))  # it may be that its folder may be written, but not the file
        return False
    if is_save or S_ISBLK(status.st_mode):
        raise OSError(errno.EINVAL, f"is no file, so no {'save' if is_save else 'output'} is written to it", os.fspath(target))
    return True


def _standard_stream(status: os.stat_result) -> int | None:
    """Return the number of the standard stream, output or error, that goes to this file; None if none does."""
    for number in (1, 2):
        with suppress(OSError):  # it is closed
            if os.path.samestat(os.fstat(number), status):
                return number
    return None


def _opened(target: str | os.PathLike[str], status: os.stat_result) -> BinaryIO:
    """Open what is written through. A shell may go on to write where standard output is, so that is not opened anew."""
    number = _standard_stream(status)
    return open(target if number is None else os.dup(number), "wb")  # noqa: PTH123 - any path


def _take_over(new: Path, path: Path, old: os.stat_result | None) -> None:
    """Give a new file owner, group and permissions of the old one; without one, the permissions of new files.

    Raises:
        OSError: the owner cannot be kept, because the old file is another user's.
    """
    if old is None:
        mask = os.umask(0)
        os.umask(mask)
        new.chmod(0o666 & ~mask)
        return
    owner = (old.st_uid, old.st_gid)
    status = new.stat()
    if sys.platform != "win32" and (status.st_uid, status.st_gid) != owner:
        try:
            os.chown(new, *owner)
        except PermissionError:
            raise PermissionError(errno.EPERM, "owner and group cannot be kept: nothing is written", str(path)) from None
    shutil.copystat(path, new)
    os.utime(new)


def _keep(old: Path, backup: Path) -> Path:
    """Give a file another name that no file has yet: BACKUP, BACKUP.1, BACKUP.2 and so on; return that.

    Raises:
        OSError: a copy is needed, and cannot be written.
    """
    name, number = backup, 0
    while True:
        try:
            _link_or_copy(old, name)
        except FileExistsError:
            number += 1
            name = backup.with_name(f"{backup.name}.{number}")
        else:
            return name


def _link_or_copy(old: Path, name: Path) -> None:
    try:
        name.hardlink_to(old)
    except FileExistsError:
        raise
    except OSError:  # the file system has no links, or it is another one
        with old.open("rb") as file, ExitStack() as undo:
            with name.open("xb") as copy:  # closed before it gets its time, or is removed
                undo.callback(name.unlink)
                shutil.copyfileobj(file, copy)
            shutil.copystat(old, name)
            undo.pop_all()


def _sync_folder(folder: Path) -> None:
    """Write the names in a folder to the disk, where the system can."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

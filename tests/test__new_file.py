"""Files that appear whole, or not at all; what a process leaves of them that is ended on the way.

The file is long because each kind of target and each way to end has its own cases.
"""

import ctypes
import errno
import os
import signal
import stat
import subprocess
import sys
import threading
from functools import partial
from itertools import chain
from pathlib import Path

import pytest
from cli_runs import environment, python, take_signals
from saves import file_with, raises

from streamsave import _new_file
from streamsave._new_file import Unchanged, check_target, ending_well, held_back, lock, new_file, remove_abandoned

posix = pytest.mark.skipif(os.name != "posix", reason="needs signals, named pipes and file locks")
root = pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root makes devices and other users' files")

#: Writes half of a file, says so, and waits: in `write`, in `verify`, or between the new name of the old file and the end.
HALF = """
import os, sys, time
from pathlib import Path
from streamsave import _new_file
target, when = Path(sys.argv[1]), sys.argv[2]
def wait(*_):
    print("half", flush=True)
    time.sleep(60)
if when == "replace":
    Path.replace = wait
with _new_file.new_file(
    target, verify=None if when == "text" else wait if when == "verify" else lambda _: None, backup=target.with_name("bak")
) as file:
    file.write(b"half")
    file.flush()
    if when in {"text", "write"}:
        wait()
"""


def put(target, data, **options):
    with new_file(target, **options) as file:
        file.write(data)


@pytest.fixture
def old(tmp_path):
    """A file that is there before."""
    target = tmp_path / "a.sav"
    target.write_bytes(b"old")
    return target


def assert_left(target):
    """The old file is as it was, and nothing is beside it."""
    assert target.read_bytes() == b"old"
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.parametrize("fault", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("when", ["write", "verify", "replace"])
def test_a_fault_leaves_the_old_file(old, monkeypatch, fault, when):
    def fail(*_):
        raise fault

    if when == "replace":
        monkeypatch.setattr("pathlib.Path.replace", fail)
    verify = fail if when == "verify" else lambda _: None
    with pytest.raises(fault), new_file(old, verify=verify, backup=old.with_name("a.sav.bak")) as file:
        file.write(b"half")
        if when == "write":
            fail()
    assert_left(old)


@pytest.mark.parametrize("call", ["rename", "replace"])
def test_a_file_that_another_program_has_open_on_windows(old, monkeypatch, call):
    """It stays, without another name, and the error names it."""

    def refuse(path, _):
        raise PermissionError(errno.EACCES, "in use", str(path))

    monkeypatch.setattr(f"pathlib.Path.{call}", refuse)
    with raises(PermissionError, filename=str(old)):
        put(old, b"new", backup=old.with_name("bak"))
    assert_left(old)


def test_a_new_file_has_the_permissions_of_new_files(tmp_path):
    before = os.umask(0o027)
    try:
        put(tmp_path / "file", b"")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


@posix
def test_permissions_stay_and_the_time_is_new(tmp_path, old):
    old.chmod(0o604)
    os.utime(old, (1e9, 1e9))
    put(old, b"new", backup=tmp_path / "bak")
    assert stat.S_IMODE(old.stat().st_mode) == 0o604
    assert old.stat().st_mtime > 1e9
    assert ((tmp_path / "bak").stat().st_mtime, (tmp_path / "bak").read_bytes()) == (1e9, b"old")


@root
def test_owner_and_group_stay(old):
    os.chown(old, 1234, 5678)
    old.chmod(0o640)
    put(old, b"new")
    status = old.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (1234, 5678, 0o640)


@posix
def test_an_owner_that_cannot_be_kept_is_an_error(old, monkeypatch):
    def refuse(*_):
        raise PermissionError(errno.EPERM, "no")

    real = _new_file._status(old)
    theirs = os.stat_result((real.st_mode, real.st_ino, real.st_dev, 1, real.st_uid + 1, *real[5:]))
    monkeypatch.setattr(_new_file, "_status", lambda _: theirs)
    monkeypatch.setattr("os.chown", refuse)
    with pytest.raises(PermissionError, match="owner and group cannot be kept"):
        put(old, b"new")
    assert_left(old)


# --- links, pipes, devices ---


@posix
def test_a_link_is_replaced_if_it_is_not_followed(tmp_path):
    (tmp_path / "far").write_bytes(b"far")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "far")
    put(link, b"new", follows=False)
    assert (tmp_path / "far").read_bytes() == b"far"
    assert not link.is_symlink()
    assert link.read_bytes() == b"new"


@posix
def test_one_name_of_a_file_is_replaced(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "b").hardlink_to(tmp_path / "a")
    put(tmp_path / "a", b"new")
    assert ((tmp_path / "a").read_bytes(), (tmp_path / "b").read_bytes()) == (b"new", b"old")


@posix
def test_a_pipe_is_written_through(tmp_path):
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    check_target(pipe)
    put(pipe, b"new")
    reader.join(60)
    assert got == [b"new"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


@root
def test_a_block_device_is_refused(tmp_path):
    device = tmp_path / "disk"
    os.mknod(device, 0o600 | stat.S_IFBLK, os.makedev(240, 200))
    for refused in (lambda: check_target(device), lambda: put(device, b"new")):
        with pytest.raises(OSError, match="is no file"):
            refused()
    assert stat.S_ISBLK(device.stat().st_mode)


OUT = """
import sys
from streamsave._new_file import new_file
print("first", flush=True)
with new_file(sys.argv[1]) as file:
    file.write(b"new\\n")
print("last", flush=True)
"""


@pytest.mark.slow
@posix
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "its own name"])
def test_standard_output_is_not_replaced(tmp_path, name):
    if not Path("/dev/fd/1").exists():
        pytest.skip("standard output has no name here")
    target = tmp_path / "out"
    with target.open("wb") as out:
        subprocess.run([sys.executable, "-c", OUT, target if name == "its own name" else name], stdout=out, check=True)
    assert target.read_bytes() == b"first\nnew\nlast\n"
    piped = subprocess.run([sys.executable, "-c", OUT, "/dev/stdout"], capture_output=True, check=True)
    assert piped.stdout == b"first\nnew\nlast\n"


# --- what cannot be written ---


@pytest.mark.parametrize("name", ["none/a.sav", "file/a.sav", ".", "x" * 300])
def test_what_cannot_be_written_is_known_at_once(tmp_path, name):
    (tmp_path / "file").write_bytes(b"old")
    for refused in (check_target, lambda target: put(target, b"new")):
        with pytest.raises(OSError, match=r"\[Errno \d+\]") as caught:
            refused(tmp_path / name)
        assert str(caught.value.filename) == str(tmp_path / name)
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]


@posix
def test_a_target_that_may_not_be_written(old, monkeypatch):
    old.chmod(0o444)
    if os.getuid() == 0:
        real = os.open

        def refuse(path, flags, *rest):
            if path == old:
                raise PermissionError(errno.EACCES, "no", str(path))
            return real(path, flags, *rest)

        monkeypatch.setattr("os.open", refuse)
    for refused in (check_target, lambda target: put(target, b"new")):
        with pytest.raises(PermissionError):
            refused(old)
    assert_left(old)


def test_a_folder_without_room(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tempfile.mkstemp", full)
    with pytest.raises(OSError, match=r"No space left on device.*a\.sav"):
        check_target(tmp_path / "a.sav")


def test_a_folder_is_called_one_on_windows(tmp_path, monkeypatch):
    """Windows denies to open it."""

    def deny(*_):
        raise PermissionError

    monkeypatch.setattr("os.open", deny)
    with pytest.raises(IsADirectoryError):
        check_target(tmp_path)


# --- another name for the old file ---


@pytest.mark.parametrize("has_links", [True, False])
def test_the_old_file_gets_a_name_that_is_free(tmp_path, monkeypatch, has_links):
    target, backup = tmp_path / "a.sav", tmp_path / "a.sav.bak"
    put(target, b"0", backup=backup)
    assert list(tmp_path.iterdir()) == [target]  # there was no old file
    if not has_links:
        monkeypatch.setattr("pathlib.Path.hardlink_to", lambda *_: (_ for _ in ()).throw(OSError))
    (tmp_path / "a.sav.bak.1").symlink_to("nowhere")
    for number in (b"1", b"2", b"3"):
        put(target, number, backup=backup)
    assert target.read_bytes() == b"3"
    kept = {path.name: path.read_bytes() for path in tmp_path.iterdir() if not path.is_symlink()}
    assert kept == {"a.sav": b"3", "a.sav.bak": b"0", "a.sav.bak.2": b"1", "a.sav.bak.3": b"2"}


def test_a_copy_of_the_old_file_has_its_time(old, monkeypatch):
    monkeypatch.setattr("pathlib.Path.hardlink_to", lambda *_: (_ for _ in ()).throw(OSError))
    os.utime(old, (1e9, 1e9))
    put(old, b"new", backup=old.with_name("bak"))
    assert old.with_name("bak").stat().st_mtime == 1e9


def test_a_copy_that_cannot_be_made_leaves_nothing(old, monkeypatch):
    def fail(*_):
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr("pathlib.Path.hardlink_to", fail)
    monkeypatch.setattr("shutil.copyfileobj", fail)
    with pytest.raises(OSError, match="full"):
        put(old, b"new", backup=old.with_name("bak"))
    assert_left(old)


# --- what the new file is made from ---


def of_another_time(path):
    os.utime(path, (1e9, 1e9))


def of_another_size(path):
    time = path.stat().st_mtime_ns
    path.write_bytes(b"longer")
    os.utime(path, ns=(time, time))


def another_file(path):
    time = path.stat().st_mtime_ns
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    os.utime(other, ns=(time, time))
    other.replace(path)


@pytest.mark.parametrize("change", [of_another_time, of_another_size, another_file, Path.unlink])
def test_a_source_that_has_changed_is_refused(tmp_path, change):
    source = file_with(tmp_path / "a.sav", b"seen")
    seen = Unchanged(source)
    put(tmp_path / "b.sav", b"first", source=seen)
    change(source)
    with raises(OSError, match="has changed while it was read", filename=str(source)):
        put(tmp_path / "b.sav", b"second", source=seen)
    assert (tmp_path / "b.sav").read_bytes() == b"first"
    assert {path.name for path in tmp_path.iterdir()} <= {"a.sav", "b.sav"}


@posix
def test_a_source_in_use_is_refused(tmp_path):
    """Two processes that replace the file do not pass the comparison at the same time."""
    source = file_with(tmp_path / "a.sav", b"seen")
    with source.open("rb") as file:
        assert lock(file.fileno())
        with pytest.raises(OSError, match="is in use by another process"):
            put(source, b"new", source=Unchanged(source))
    assert source.read_bytes() == b"seen"
    with Unchanged(source).held(replaced=source.stat()), source.open("rb") as file:
        assert not lock(file.fileno())


@posix
def test_a_source_in_use_is_read(tmp_path):
    """Several processes make new files from it at the same time."""
    source = file_with(tmp_path / "a.sav", b"seen")
    (tmp_path / "old.sav").write_bytes(b"old")
    with source.open("rb") as file:
        assert lock(file.fileno())
        for name in ("new.sav", "old.sav"):
            put(tmp_path / name, b"new", source=Unchanged(source))
            assert (tmp_path / name).read_bytes() == b"new"


@posix
def test_a_pipe_has_no_size(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    put(tmp_path / "b.sav", b"new", source=Unchanged(tmp_path / "pipe"))
    assert (tmp_path / "b.sav").read_bytes() == b"new"


# --- processes that are ended ---


def half(target, when="write"):
    """Start a process that has written half of a file."""
    child = subprocess.Popen(
        [sys.executable, "-c", HALF, str(target), when],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        preexec_fn=take_signals,  # noqa: PLW1509 - there are no threads here
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"half\n"
    return child


@pytest.mark.slow
@posix
@pytest.mark.parametrize("when", ["text", "write", "verify", "replace"])
@pytest.mark.parametrize("number", [signal.SIGTERM, getattr(signal, "SIGHUP", 1), signal.SIGINT])
def test_signals_that_end_the_process_leave_nothing(old, number, when):
    with half(old, when) as child:
        assert len(list(old.parent.iterdir())) == (3 if when == "replace" else 2)
        child.send_signal(number)
        _, errors = child.communicate(timeout=60)
    assert child.returncode == -number
    assert errors == b"" or number == signal.SIGINT
    assert_left(old)


@pytest.mark.slow
@posix
def test_what_a_killed_process_left_is_removed_and_what_is_in_use_stays(tmp_path):
    with half(tmp_path / "killed") as child:
        child.kill()
    (left,) = tmp_path.iterdir()
    with half(tmp_path / "in use") as child:
        check_target(tmp_path / "third")
        (used,) = tmp_path.iterdir()
        assert used != left
        assert used.read_bytes() == b"half"
        child.kill()
    check_target(tmp_path / "third")
    assert list(tmp_path.iterdir()) == []


@posix
def test_what_is_not_ours_stays(tmp_path, monkeypatch):
    ours = tmp_path / ".streamsave-abcdefgh.part"
    others = [tmp_path / name for name in (".streamsave-abc.part", ".streamsave-abcdefgh", "streamsave-abcdefgh.part", "file")]
    for path in others:
        path.touch()
    link, folder = tmp_path / ".streamsave-aaaaaaaa.part", tmp_path / ".streamsave-bbbbbbbb.part"
    link.symlink_to(others[-1])
    folder.mkdir()
    os.mkfifo(tmp_path / ".streamsave-cccccccc.part")
    kept = {*others, link, folder, tmp_path / ".streamsave-cccccccc.part"}
    ours.touch()
    with monkeypatch.context() as patch:
        patch.setattr("os.getuid", lambda: ours.stat().st_uid + 1)
        remove_abandoned(tmp_path)
        assert ours.exists()
    remove_abandoned(tmp_path)
    assert set(tmp_path.iterdir()) == kept
    remove_abandoned(tmp_path / "missing")


@posix
def test_a_file_that_was_taken_for_abandoned_is_made_again(tmp_path, monkeypatch):
    """Between making and locking it, another process may lock and remove it."""
    seen = []

    def lock_too_late(handle):
        seen.append(handle)
        if len(seen) == 1:
            remove_abandoned(tmp_path)
            assert list(tmp_path.iterdir()) == []
        return lock(handle)

    monkeypatch.setattr(_new_file, "lock", lock_too_late)
    put(tmp_path / "file", b"new")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"new"]
    assert len(seen) == 3


@posix
def test_without_locks_files_are_written_and_none_is_removed(tmp_path, monkeypatch):
    def no_locks(*_):
        raise OSError("no locks available")

    monkeypatch.setattr("fcntl.flock", no_locks)
    left = tmp_path / ".streamsave-abcdefgh.part"
    left.touch()
    check_target(tmp_path / "file")
    put(tmp_path / "file", b"new", source=Unchanged(left))
    assert sorted(tmp_path.iterdir()) == [left, tmp_path / "file"]


@posix
def test_handlers_are_there_only_meanwhile_and_never_instead_of_others():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ending_well():
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
            assert callable(signal.getsignal(signal.SIGTERM))
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


#: A signal comes while handlers are taken away.
LATE = """
import signal
from streamsave import _new_file
usual = signal.signal
def late(number, handler):
    if handler == signal.SIG_DFL:
        _new_file.signal.signal = usual
        signal.raise_signal(number)
    return usual(number, handler)
with _new_file.ending_well():
    _new_file.signal.signal = late
"""


@posix
def test_a_signal_in_the_last_lines_ends_the_process_without_a_traceback():
    done = python(LATE)
    assert (done.returncode, done.stderr) == (-signal.SIGTERM, "")


@posix
def test_one_inside_another_changes_nothing():
    with ending_well():
        outer = signal.getsignal(signal.SIGTERM)
        with ending_well():
            assert signal.getsignal(signal.SIGTERM) is outer
        assert signal.getsignal(signal.SIGTERM) is outer


def test_in_another_thread():
    seen = []

    def run():
        with ending_well():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [signal.SIG_DFL]


@posix
def test_a_signal_just_before_signals_are_held_back_leaves_none_blocked():
    """It comes while `pthread_sigmask` looks at its arguments, in C, so that the call blocks signals and raises."""
    signals = chain(iter(partial(getattr(ctypes.CDLL(None), "raise"), signal.SIGTERM), 0), [signal.SIGTERM])
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), held_back(signals):
            pytest.fail("nothing was raised")
        assert signal.SIGTERM not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])

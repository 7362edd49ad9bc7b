"""Files that appear whole, or not at all; what a process leaves of them that is ended on the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from cli_runs import environment

from streamsave.cli.replaced_file import remove_abandoned_files, replaced

posix = pytest.mark.skipif(os.name != "posix", reason="needs signals and file locks")

#: Writes half of a file, says so, and waits.
HALF = """
import sys, time
from pathlib import Path
from streamsave.cli.replaced_file import replaced
with replaced(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    print("half", flush=True)
    time.sleep(60)
"""


def test_a_file_is_replaced_only_at_the_end(tmp_path):
    target = tmp_path / "file"
    target.write_bytes(b"old")
    with replaced(target) as file:
        file.write(b"new")
        assert target.read_bytes() == b"old"
    assert target.read_bytes() == b"new"
    with pytest.raises(RuntimeError, match="on the way"), replaced(target) as file:
        file.write(b"half")
        raise RuntimeError("on the way")
    assert target.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [target]


def test_a_new_file_has_the_permissions_of_the_user(tmp_path):
    before = os.umask(0o027)
    try:
        with replaced(tmp_path / "file") as file:
            file.write(b"")
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640


def test_a_link_is_replaced_not_followed(tmp_path):
    (tmp_path / "far").write_bytes(b"far")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "far")
    with replaced(link) as file:
        file.write(b"new")
    assert (tmp_path / "far").read_bytes() == b"far"
    assert not link.is_symlink()


def take_signals():
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def half(target):
    """Start a process that has written half of a file."""
    child = subprocess.Popen(
        [sys.executable, "-c", HALF, str(target)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        preexec_fn=take_signals,  # noqa: PLW1509 - there are no threads here
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"half\n"
    return child


@posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_that_end_the_process_leave_nothing(tmp_path, number):
    target = tmp_path / "file"
    target.write_bytes(b"old")
    with half(target) as child:
        assert len(list(tmp_path.iterdir())) == 2
        child.send_signal(number)
        _, errors = child.communicate(timeout=60)
    assert (child.returncode, errors) == (-number, b"")
    assert list(tmp_path.iterdir()) == [target]
    assert target.read_bytes() == b"old"


@posix
def test_what_a_killed_process_left_is_removed_and_what_is_in_use_stays(tmp_path):
    with half(tmp_path / "killed") as child:
        child.kill()
    (left,) = tmp_path.iterdir()
    with half(tmp_path / "in use") as child:
        remove_abandoned_files(tmp_path)
        (used,) = tmp_path.iterdir()
        assert used != left
        assert used.read_bytes() == b"half"
        child.kill()
    remove_abandoned_files(tmp_path)
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
        remove_abandoned_files(tmp_path)
        assert ours.exists()
    remove_abandoned_files(tmp_path)
    assert set(tmp_path.iterdir()) == kept
    remove_abandoned_files(tmp_path / "missing")


@posix
def test_a_file_that_was_taken_for_abandoned_is_made_again(tmp_path, monkeypatch):
    """Between making and locking it, another process may lock and remove it."""
    from streamsave import _locked_files

    lock = _locked_files.lock
    seen = []

    def lock_too_late(handle):
        seen.append(handle)
        if len(seen) == 1:
            remove_abandoned_files(tmp_path)
            assert list(tmp_path.iterdir()) == []
        return lock(handle)

    monkeypatch.setattr(_locked_files, "lock", lock_too_late)
    with replaced(tmp_path / "file") as file:
        file.write(b"new")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"new"]
    assert len(seen) == 3


@posix
def test_without_locks_files_are_written_and_none_is_removed(tmp_path, monkeypatch):
    def lock(_handle):
        raise OSError("no locks available")

    monkeypatch.setattr("streamsave._locked_files.lock", lock)
    left = tmp_path / ".streamsave-abcdefgh.part"
    left.touch()
    remove_abandoned_files(tmp_path)
    with replaced(tmp_path / "file") as file:
        file.write(b"new")
    assert sorted(tmp_path.iterdir()) == [left, tmp_path / "file"]

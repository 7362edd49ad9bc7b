"""A file that appears whole, or not at all."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys

import pytest
from cli_runs import environment

from streamsave.rewriting.new_file import current_umask, write_whole


def nothing(_path):
    """Verify nothing."""


def test_it_takes_the_place_of_the_old_file(tmp_path):
    target = tmp_path / "a.sav"
    target.write_bytes(b"old")
    target.chmod(0o640)
    seen = []
    write_whole(target, lambda file: file.write(b"new"), lambda path: seen.append((path.read_bytes(), target.read_bytes())))
    assert seen == [(b"new", b"old")]
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [target]


def test_a_new_file_has_the_permissions_of_new_files(tmp_path):
    write_whole(tmp_path / "b.sav", lambda file: file.write(b""), nothing)
    assert stat.S_IMODE((tmp_path / "b.sav").stat().st_mode) == 0o666 & ~current_umask()


@pytest.mark.parametrize("has_links", [True, False])
def test_the_old_file_stays_under_another_name(tmp_path, monkeypatch, has_links):
    target, backup = tmp_path / "a.sav", tmp_path / "a.sav.bak"
    backup.write_bytes(b"older")
    if not has_links:
        monkeypatch.delattr("os.link")
        monkeypatch.setattr("pathlib.Path.hardlink_to", lambda *_: (_ for _ in ()).throw(OSError))
    target.write_bytes(b"old")
    write_whole(target, lambda file: file.write(b"new"), nothing, backup)
    assert (target.read_bytes(), backup.read_bytes()) == (b"new", b"old")
    assert sorted(tmp_path.iterdir()) == [target, backup]
    with pytest.raises(ValueError, match="no"):
        write_whole(target, lambda file: file.write(b"newer"), no, backup)
    assert (target.read_bytes(), backup.read_bytes()) == (b"new", b"old")


def no(_path):
    """Refuse the new file."""
    raise ValueError("no")


@pytest.mark.parametrize("fault", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("when", ["write", "verify"])
def test_a_fault_leaves_the_old_file(tmp_path, fault, when):
    target = tmp_path / "a.sav"
    target.write_bytes(b"old")

    def fail(_):
        raise fault

    with pytest.raises(fault):
        write_whole(target, fail if when == "write" else lambda file: file.write(b"new"), fail)
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "none" / "a.sav", lambda file: file.write(b"new"), nothing)


#: Writes half of a file, says so, and waits.
HALF = """
import sys, time
from pathlib import Path
from streamsave.rewriting.new_file import write_whole
def write(file):
    file.write(b"half")
    file.flush()
    print("half", flush=True)
    time.sleep(60)
write_whole(Path(sys.argv[1]), write, lambda path: None)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs signals and file locks")
def test_what_a_killed_process_has_left_is_removed_by_the_next(tmp_path):
    target = tmp_path / "a.sav"
    with subprocess.Popen([sys.executable, "-c", HALF, target], stdout=subprocess.PIPE, env=environment()) as process:
        try:
            assert process.stdout.readline() == b"half\n"
            (left,) = tmp_path.iterdir()
            write_whole(target, lambda file: file.write(b"new"), nothing)
            assert sorted(tmp_path.iterdir()) == [left, target]  # its process is at work
        finally:
            process.send_signal(signal.SIGKILL)
    write_whole(tmp_path / "b.sav", lambda file: file.write(b"new"), nothing)
    assert left.read_bytes() == b"half"  # it is of another target
    write_whole(target, lambda file: file.write(b"newer"), nothing)
    assert sorted(tmp_path.iterdir()) == [target, tmp_path / "b.sav"]
    assert target.read_bytes() == b"newer"

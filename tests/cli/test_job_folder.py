"""The temporary folder of `--jobs`: how it is removed. `test_jobs.py` has the signals, in processes of their own."""

from __future__ import annotations

import os
import tempfile
import threading

import pytest

from streamsave.cli.job_folder import job_folder, remove_abandoned

posix = pytest.mark.skipif(os.name != "posix", reason="needs file locks")


@pytest.fixture(autouse=True)
def scratch(tmp_path, monkeypatch):
    """The folder of temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def abandoned(around, name="streamsave-dead"):
    """What a process that was killed has left."""
    folder = around / name
    folder.mkdir()
    (folder / "lock").touch()
    (folder / "1.out").write_bytes(b"rest")
    return folder


def test_removed_at_the_end(scratch):
    with job_folder() as folder:
        (folder / "1.out").touch()
        assert folder.parent == scratch
    assert list(scratch.iterdir()) == []
    with pytest.raises(ZeroDivisionError), job_folder():
        raise ZeroDivisionError
    assert list(scratch.iterdir()) == []


@posix
def test_what_was_left_is_removed_and_what_is_in_use_stays(scratch):
    abandoned(scratch)
    with job_folder() as first, job_folder() as second:
        assert set(scratch.iterdir()) == {first, second}
    assert list(scratch.iterdir()) == []


@posix
def test_what_is_not_ours_stays(scratch, tmp_path_factory, monkeypatch):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    kept = abandoned(elsewhere)
    (scratch / "streamsave-link").symlink_to(kept)
    (scratch / "streamsave-file").touch()
    (scratch / "streamsave-no-lock").mkdir()
    abandoned(scratch, "other")
    remove_abandoned(scratch)
    assert {path.name for path in scratch.iterdir()} == {"streamsave-link", "streamsave-file", "streamsave-no-lock", "other"}
    assert {path.name for path in kept.iterdir()} == {"lock", "1.out"}
    of_another_user = abandoned(scratch)
    monkeypatch.setattr("os.getuid", lambda: of_another_user.stat().st_uid + 1)
    remove_abandoned(scratch)
    assert of_another_user.exists()
    remove_abandoned(scratch / "missing")


def test_in_another_thread(scratch):
    seen = []

    def run():
        with job_folder() as folder:
            seen.append(folder.exists())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [True]
    assert list(scratch.iterdir()) == []

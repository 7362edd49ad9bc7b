"""Locks of files, and what is removed without one. `test_replaced_file.py` and `test_new_file.py` kill processes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from streamsave._locked_files import lock, make_locked, remove_abandoned

posix = pytest.mark.skipif(os.name != "posix", reason="needs file locks")


@posix
def test_one_lock_at_a_time(tmp_path):
    path = tmp_path / "file"
    path.touch()
    with path.open("rb") as one, path.open("rb") as other:
        assert lock(one.fileno())
        assert not lock(other.fileno())
        one.close()
        assert lock(other.fileno())


@posix
def test_only_files_without_a_lock_are_removed(tmp_path):
    handle, held, path = make_locked(tmp_path, "one-", ".part")
    (tmp_path / "one-left.part").touch()
    (tmp_path / "two-left.part").touch()
    os.close(handle)
    remove_abandoned(tmp_path, "one-*.part")
    assert {each.name for each in tmp_path.iterdir()} == {Path(path).name, "two-left.part"}
    assert held is not None
    os.close(held)
    remove_abandoned(tmp_path, "one-*.part")
    assert [each.name for each in tmp_path.iterdir()] == ["two-left.part"]

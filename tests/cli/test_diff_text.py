"""`diff --textconv`: the lines of `cat --flat`, without what always differs."""

from __future__ import annotations

import pytest
from cli_runs import ROOT, run, small_world, thing, write
from writer.tags import INT, Prop

VALID = ROOT / "corpora" / "valid"
SAVES = ["satisfactory/sv58.sav", "gvas/palworld-1.0.sav", "arx/v2.1.sav", "shapez2/checkpoints.spz2"]


@pytest.mark.parametrize("name", SAVES)
def test_all_lines_are_those_of_cat(name):
    assert run("diff", "--textconv", "--all", VALID / name).stdout == run("cat", "--flat", VALID / name).stdout


def test_of_a_static_array(tmp_path):
    path = small_world(tmp_path)
    assert run("diff", "--textconv", "--all", path).stdout == run("cat", "--flat", path).stdout


def test_what_always_differs_is_left_out(tmp_path):
    path = write(tmp_path, "a.sav", thing("Chest", Prop("mCount", INT, 1), Prop("mUploadTimer", INT, 5)))
    shown = run("diff", "--textconv", path).stdout
    assert "mCount" in shown
    for left_out in ("mUploadTimer", "body_size", "data_blob", "play_duration"):
        assert left_out not in shown
    assert "mCount" not in run("diff", "--textconv", "--ignore", "mCount", path).stdout


def test_a_damaged_save(tmp_path):
    path = small_world(tmp_path)
    path.write_bytes(path.read_bytes()[:-40])
    result = run("diff", "--textconv", path)
    assert result.exit_code == 2
    assert str(path) in result.stderr

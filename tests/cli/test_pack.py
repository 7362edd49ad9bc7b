"""`streamsave arx pack`: what `arx extract` has written becomes a save again."""

from __future__ import annotations

import orjson
import pytest
from cli_runs import run
from saves import VALID

ARX = VALID / "arx"


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("name", ["v1.0.sav", "v1.1-gaps.sav", "v2.0.sav", "v2.1.sav"])
@pytest.mark.parametrize("options", [(), ("--like",)])
def test_what_was_extracted_comes_out_again(tmp_path, name, options):
    run("arx", "extract", ARX / name, "-o", tmp_path / "old")
    like = (*options, ARX / name) if options else ()
    ran = run("arx", "pack", tmp_path / "old", "-o", tmp_path / "new.sav", "--json", *like)
    assert ran.exit_code == 0
    row = orjson.loads(ran.stdout)
    number = name[1:4].replace(".", "")
    assert row["version"] == (f"0x{number[0]}000{number[1]}" if like else "0x20001")
    run("arx", "extract", tmp_path / "new.sav", "-o", tmp_path / "again")
    assert files(tmp_path / "again") == files(tmp_path / "old")
    assert run("check", tmp_path / "new.sav").exit_code == run("check", ARX / name).exit_code


def test_a_version_that_is_said(tmp_path):
    run("arx", "extract", ARX / "v2.1.sav", "-o", tmp_path / "old")
    ran = run("arx", "pack", tmp_path / "old", "-o", tmp_path / "new.sav", "--container-version", "1.1")
    assert "version 0x10001" in ran.stdout


def test_what_is_left_out_is_said(tmp_path):
    run("arx", "extract", ARX / "v2.1.sav", "-o", tmp_path / "old")
    count = len(files(tmp_path / "old"))
    (tmp_path / "old" / "inside").mkdir()
    ran = run("arx", "pack", tmp_path / "old", "-o", tmp_path / "new.sav", "--json")
    assert ran.exit_code == 0
    row = orjson.loads(ran.stdout)
    inside = str(tmp_path / "old" / "inside")
    assert (row["entries"], row["left_out"]) == (count, [{"path": inside, "reason": "a folder"}])
    assert ran.stderr.splitlines()[0] == f"streamsave: {inside}: left out: a folder"


def test_what_cannot_be_packed(tmp_path):
    (tmp_path / "old").mkdir()
    assert run("arx", "pack", tmp_path / "old", "-o", tmp_path / "new.sav").exit_code == 2
    (tmp_path / "old" / "pld").write_bytes(b"x")
    assert run("arx", "pack", tmp_path / "old", "-o", tmp_path / "nowhere" / "new.sav").exit_code == 2
    assert (
        run("arx", "pack", tmp_path / "old", "-o", tmp_path / "new.sav", "--like", ARX.parent / "gvas" / "ue5-1004.sav").exit_code
        == 2
    )
    assert run("arx", "pack", tmp_path / "missing", "-o", tmp_path / "new.sav").exit_code == 2
    assert not (tmp_path / "new.sav").exists()

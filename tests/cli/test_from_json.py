"""`from-json`: what it writes, and where."""

from __future__ import annotations

import pytest
from cli_runs import run
from saves import SATISFACTORY, VALID

SAVE = SATISFACTORY / "sv60.sav"


@pytest.mark.slow
@pytest.mark.parametrize("lines", [(), ("--ndjson",)], ids=["whole", "lines"])
@pytest.mark.parametrize(
    "name", ["gvas/palworld-1.0.sav", "gvas/ue5-1018.sav", "arx/v2.1.sav", "shapez2/checkpoints.spz2", "astroneer/full.savegame"]
)
def test_what_json_writes_of_each_family_is_the_same_save(name, lines, tmp_path):
    """`json` shows a save game of Unreal as one object, `json --ndjson` the objects in it."""
    path, new = tmp_path / "document", tmp_path / "new"
    run("json", str(VALID / name), *lines, "-o", str(path))
    result = run("from-json", str(path), "--like", str(VALID / name), "-o", str(new))
    assert (result.exit_code, result.stderr) == (0, "")
    assert new.read_bytes() == (VALID / name).read_bytes()


@pytest.mark.parametrize("option", ["--with-source", "--with-original"])
@pytest.mark.parametrize("lines", [(), ("--ndjson",)], ids=["whole", "lines"])
def test_the_document_of_another_save_is_refused(tmp_path, option, lines):
    path, other = tmp_path / "world.json", tmp_path / "other.sav"
    plain = run("json", str(SAVE), *lines).stdout
    text = run("json", str(SAVE), option, *lines).stdout
    assert text.endswith(plain[1:])
    path.write_text(text, "utf-8")
    assert run("from-json", str(path), "--like", str(SAVE), "--dry-run").exit_code == 0
    other.write_bytes(SAVE.read_bytes()[:-1] + b"\0")
    result = run("from-json", str(path), "--like", str(other), "--dry-run")
    assert result.exit_code == 2
    assert "it was made from another save than this one" in result.stderr

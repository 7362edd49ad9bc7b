"""`streamsave check` on a terminal, from a pipe and for Prometheus; `printed/check.txt` has the rest."""

import pytest
from cli_runs import process, run, small_world
from saves import SATISFACTORY, VALID, file_with


@pytest.fixture
def sound(tmp_path):
    return small_world(tmp_path)


@pytest.fixture
def cut(tmp_path, sound):
    return file_with(tmp_path / "cut.sav", sound.read_bytes()[:-1])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sv25.sav", "sv58.sav", "sv58.sbp", "v6.sbpcfg"])
def test_pipe_says_what_the_file_says(name):
    path = SATISFACTORY / name
    piped = process("check", "-", stdin=path.read_bytes())
    told = process("check", path)
    assert piped.stdout.replace(b"(standard input)", str(path).encode()) == told.stdout
    assert (piped.returncode, piped.stderr) == (told.returncode, told.stderr) == (0, b"")


def test_prometheus(sound, cut, tmp_path):
    """Seconds and the time of day are in it, too."""
    noted, missing = VALID / "astroneer" / "full.savegame", tmp_path / "missing.sav"
    result = run("check", "--format", "prometheus", sound, noted, cut, missing)
    assert result.exit_code == 4
    said = result.stdout.splitlines()
    assert said.count("# TYPE streamsave_check_result gauge") == 1
    for path, code in ((sound, 0), (noted, 0), (cut, 4), (missing, 2)):
        assert f'streamsave_check_result{{file="{path}"}} {code}' in said
    assert f'streamsave_check_notes{{file="{noted}"}} 5' in said
    assert f'streamsave_check_findings{{file="{cut}"}} 2' in said
    assert not [line for line in said if line.startswith("streamsave_check_findings") and "missing" in line]
    target = tmp_path / "saves.prom"
    assert run("check", "--format", "prometheus", "-o", target, sound, "--jobs", "2", noted).exit_code == 0
    assert f'streamsave_check_result{{file="{noted}"}} 0\n' in target.read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".part"] == []

"""What `map` and `treemap` share: the options, and how the file is written."""

from __future__ import annotations

import subprocess
import sys

import pytest
from cli_runs import SAMPLES, command_line, environment, run
from pictures import drawn


@drawn
def test_a_file_that_cannot_be_written(tmp_path, monkeypatch):
    path = tmp_path / "missing" / "map.png"
    result = run("map", SAMPLES[0], "-o", path)
    assert (result.exit_code, result.stderr) == (2, f"streamsave: {path}: No such file or directory\n")

    from streamsave.cli.canvas import Canvas

    def full(_, file, __):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Canvas, "save", full)
    path = tmp_path / "map.png"
    path.write_text("mine")
    result = run("map", SAMPLES[0], "-o", path)
    assert (result.exit_code, result.stderr) == (2, f"streamsave: {path}: No space left on device\n")
    assert [each.read_text() for each in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize("command", ["map", "treemap"])
@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("-o", "map"), "has no known ending"),
        (("-o", "-"), "has no known ending"),
        (("-o", "map.jpeg"), "has no known ending"),
        (("-o", "map.png", "--size", "100x1000"), "400 to 5000 pixels"),
        (("-o", "map.png", "--size", "5001x1000"), "400 to 5000 pixels"),
        (("-o", "map.png", "--size", "big"), "WIDTHxHEIGHT"),
        (("-o", "map.png", "--where", "class ="), "--where"),
        ((), "Missing option"),
    ],
)
def test_command_line(command, args, message):
    result = run(command, SAMPLES[0], *args)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize("command", ["map", "treemap"])
def test_without_matplotlib(tmp_path, command):
    code = "import sys; sys.modules['matplotlib'] = None; from streamsave.cli import main; main()"
    path = tmp_path / "picture.png"
    done = subprocess.run(
        [sys.executable, "-c", code, *command_line(command, SAMPLES[0], "-o", path)[3:]],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"streamsave: {path}: pictures need the extra `plot`: pip install 'streamsave[plot]'\n"
    assert not path.exists()

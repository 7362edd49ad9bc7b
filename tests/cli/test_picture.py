"""The canvas of a picture, and what `map` and `treemap` share."""

from __future__ import annotations

import io

import pytest
from cli_runs import SAMPLES, python, run
from pictures import drawn, png_size

from streamsave.cli.picture import Canvas, own_style


@drawn
@pytest.mark.parametrize("size", [(1600, 1200), (400, 400), (1001, 777), (5000, 400)])
def test_a_picture_has_its_pixels(tmp_path, size):
    path = tmp_path / "picture.png"
    with path.open("wb") as file:
        Canvas(size).save(file, "png")
    assert png_size(path) == size


@drawn
@pytest.mark.parametrize(
    ("size", "units"),
    [((1600, 1200), (1600, 1200)), ((3200, 2400), (3200, 2400)), ((800, 600), (1600, 1200))],
)
def test_a_small_picture_has_as_many_units_as_one_of_full_size(size, units):
    canvas = Canvas(size)
    assert (canvas.width, canvas.height) == units


@drawn
def test_text_is_as_wide_in_units_whatever_the_size():
    widths = []
    for size in (1600, 1200), (800, 600):
        with own_style():
            widths.append(Canvas(size).text_width("Build_Wall_C", 8.5))
    assert widths[0] == pytest.approx(widths[1], rel=0.15)
    with own_style():
        assert Canvas((1600, 1200)).text_width("", 8.5) == 0


@drawn
@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_the_same_picture_has_the_same_bytes(kind):
    first, second = io.BytesIO(), io.BytesIO()
    for file in first, second:
        Canvas((400, 400)).save(file, kind)
    assert first.getvalue() == second.getvalue()


# --- what `map` and `treemap` share: the options, and how the file is written ---


@drawn
def test_a_file_that_cannot_be_written(tmp_path, monkeypatch):
    path = tmp_path / "missing" / "map.png"
    result = run("map", SAMPLES[0], "-o", path)
    assert (result.exit_code, result.stderr) == (2, f"streamsave: {path}: No such file or directory\n")

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
def test_without_matplotlib(tmp_path, command):
    code = "import sys; sys.modules['matplotlib'] = None; from streamsave.cli import main; main()"
    path = tmp_path / "picture.png"
    done = python(code, command, SAMPLES[0], "-o", path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"streamsave: {path}: pictures need the extra `plot`: pip install 'streamsave[plot]'\n"
    assert not path.exists()

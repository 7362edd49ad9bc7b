"""`streamsave map`: the file that is written, and the exit code."""

from __future__ import annotations

from collections import Counter

import pytest
from cli_runs import SAMPLES, json_lines, run
from pictures import drawn, png_size, svg_texts
from saves import VALID, deflate, head_and_body

from streamsave.report.categories import classify_for

ISLANDS = VALID / "shapez2" / "checkpoints.spz2"

SPAWNERS = 'class = "*CreatureSpawner*"'


@drawn
@pytest.mark.parametrize("size", [(1600, 1200), (400, 400), (1001, 777)])
def test_png(tmp_path, size):
    path = tmp_path / "map.png"
    result = run("map", SAMPLES[2], "-o", path, "--size", f"{size[0]}x{size[1]}")
    assert (result.exit_code, result.output) == (0, "")
    assert png_size(path) == size
    assert list(tmp_path.iterdir()) == [path]


@drawn
def test_svg_says_what_the_colours_are(tmp_path):
    path = tmp_path / "map.svg"
    assert run("map", SAMPLES[2], "-o", path, "--title", "$a_1$ <&>", "--nature").exit_code == 0
    texts = svg_texts(path)
    rows = [row for row in json_lines("ls", SAMPLES[2]) if row["position_metres"] is not None]
    classify = classify_for("Satisfactory save")
    counts = Counter(classify(row["kind"], row["class_name"]).name for row in rows)
    assert len(counts) > 3
    assert {f"{count}  {name}" for name, count in counts.items()} <= set(texts)
    assert "$a_1$ <&>" in texts
    assert "x in metres, to the east" in texts
    assert any(text.endswith(" m") for text in texts)


@pytest.mark.slow
@drawn
def test_nature_is_left_out_if_there_is_anything_else(tmp_path):
    path = tmp_path / "map.svg"
    for arguments, is_there in (((), False), (("--nature",), True), (("--where", SPAWNERS), True)):
        assert run("map", SAMPLES[2], "-o", path, *arguments).exit_code == 0
        assert any(text.endswith("  nature") for text in svg_texts(path)) == is_there, arguments


@pytest.mark.slow
@drawn
def test_the_title_is_the_name_of_the_world(tmp_path):
    path = tmp_path / "map.svg"
    assert run("map", SAMPLES[2], "-o", path).exit_code == 0
    (info,) = json_lines("info", SAMPLES[2])
    assert info["header"]["session_name"] in svg_texts(path)
    assert run("map", SAMPLES[2], SAMPLES[0], "-o", path).exit_code == 0
    assert "sv58.sav, sv46.sav" in svg_texts(path)


@pytest.mark.slow
@drawn
def test_pdf(tmp_path):
    path = tmp_path / "map.pdf"
    assert run("map", ISLANDS, "-o", path).exit_code == 0
    assert path.read_bytes().startswith(b"%PDF-")


@pytest.mark.slow
@drawn
def test_the_same_picture_has_the_same_bytes(tmp_path):
    for kind in ("png", "svg", "pdf"):
        one, other = tmp_path / f"one.{kind}", tmp_path / f"other.{kind}"
        for path in (one, other):
            assert run("map", SAMPLES[0], "-o", path).exit_code == 0
        assert one.read_bytes() == other.read_bytes()


@drawn
@pytest.mark.parametrize("path", ["gvas/ue5-1018.sav", "arx/v2.1.sav", "astroneer/full.savegame"])
def test_a_save_without_places(tmp_path, path):
    result = run("map", VALID / path, "-o", tmp_path / "map.png")
    assert result.exit_code == 1
    assert result.stderr == f"streamsave: {tmp_path / 'map.png'}: not written: no wanted object has a place\n"
    assert not list(tmp_path.iterdir())


@drawn
def test_several_saves_are_one_picture(tmp_path):
    path = tmp_path / "map.svg"
    bad = tmp_path / "bad.sav"
    bad.write_bytes(b"no save, but longer than a header is")
    cut = tmp_path / "cut.sav"
    cut.write_bytes(deflate(*head_and_body(SAMPLES[0].read_bytes()), 4096)[:-200])
    empty = VALID / "gvas" / "empty.sav"
    result = run("map", SAMPLES[0], bad, cut, SAMPLES[1], empty, "-o", path, "--where", SPAWNERS)
    assert result.exit_code == 2
    assert [line.split(": ")[1] for line in result.stderr.splitlines()] == [str(bad), str(cut), str(empty)]
    # 5 in the first, and in the one that is cut after them; 7 in the other.
    assert "17 objects of 1 class" in svg_texts(path)
    assert "sv46.sav, bad.sav, cut.sav, …" in svg_texts(path)


@drawn
def test_units_do_not_mix(tmp_path):
    result = run("map", SAMPLES[0], ISLANDS, "-o", tmp_path / "map.png")
    assert result.exit_code == 2
    assert "in metres and others in tiles" in result.stderr
    assert not list(tmp_path.iterdir())


@drawn
def test_nothing_that_can_be_read_leaves_the_file_alone(tmp_path):
    path = tmp_path / "map.png"
    path.write_text("mine")
    result = run("map", tmp_path / "missing.sav", "-o", path)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[0] == f"streamsave: {tmp_path / 'missing.sav'}: No such file or directory"
    assert path.read_text() == "mine"


@pytest.mark.slow
@drawn
def test_side_by_side(tmp_path):
    said = []
    for jobs in ("1", "2"):
        path = tmp_path / f"{jobs}.svg"
        result = run("map", *SAMPLES, tmp_path / "missing.sav", "-o", path, "-j", jobs, "--where", SPAWNERS)
        said.append((result.exit_code, result.output, path.read_bytes()))
    assert said[0] == said[1]
    assert said[0][0] == 2


@pytest.mark.slow
@drawn
def test_a_background(tmp_path):
    image, plain, with_image = tmp_path / "image.png", tmp_path / "plain.png", tmp_path / "with.png"
    assert run("map", SAMPLES[2], "-o", plain, "--size", "400x400").exit_code == 0
    image.write_bytes(plain.read_bytes())
    result = run(
        "map", SAMPLES[2], "-o", with_image, "--size", "400x400", "--background", image, "--bounds=-9000,-9000,9000,9000"
    )
    assert (result.exit_code, result.output) == (0, "")
    assert with_image.read_bytes() != plain.read_bytes()
    assert png_size(with_image) == (400, 400)


@drawn
@pytest.mark.parametrize("content", [None, b"", b"no picture", b"\x89PNG\r\n\x1a\n"])
def test_a_background_that_is_no_picture(tmp_path, content):
    image, path = tmp_path / "image.png", tmp_path / "map.png"
    if content is not None:
        image.write_bytes(content)
    result = run("map", SAMPLES[2], "-o", path, "--background", image, "--bounds", "0,0,1,1")
    assert result.exit_code == 2
    assert "image.png" in result.stderr
    assert not path.exists()


@pytest.mark.parametrize("bounds", ["", "1", "0,0,0,1", "0,1,1,0", "0,0,inf,1", "a,0,1,1", "0,0,1,1,2"])
def test_bounds(tmp_path, bounds):
    result = run("map", SAMPLES[2], "-o", tmp_path / "map.png", "--background", "x.png", f"--bounds={bounds}")
    assert result.exit_code == 2
    assert "LEFT,TOP,RIGHT,BOTTOM" in result.stderr


def test_background_and_bounds_need_each_other(tmp_path):
    for option in ("--background=x.png", "--bounds=0,0,1,1"):
        assert "need each other" in run("map", SAMPLES[2], "-o", tmp_path / "map.png", option).stderr

"""`streamsave treemap`: the file that is written, and the exit code."""

from __future__ import annotations

import pytest
from cli_runs import SAMPLES, json_lines, run
from pictures import drawn, parts, png_size, svg_texts
from saves import VALID

from streamsave.report.names import readable
from streamsave.report.tree import HEADERS, OUTSIDE

SPAWNERS = 'class = "*CreatureSpawner*"'


@pytest.mark.slow
@drawn
@pytest.mark.parametrize("size", [(1600, 1200), (401, 999)])
def test_png(tmp_path, size):
    path = tmp_path / "sizes.png"
    result = run("treemap", SAMPLES[2], "-o", path, "--size", f"{size[0]}x{size[1]}")
    assert (result.exit_code, result.output) == (0, "")
    assert png_size(path) == size
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.slow
@drawn
def test_svg_has_names_and_sizes(tmp_path):
    path = tmp_path / "sizes.svg"
    assert run("treemap", SAMPLES[2], "-o", path, "--title", "$a_1$ <&>").exit_code == 0
    texts = svg_texts(path)
    (stats,) = json_lines("stats", SAMPLES[2])
    assert {"$a_1$ <&>", "39.6 KiB before compression"} <= set(texts)
    assert stats["inflated_size"] / 1024 == pytest.approx(39.6, abs=0.05)
    largest = max(parts(SAMPLES[2]), key=lambda part: part.size * (part.name not in {HEADERS, OUTSIDE}))
    share = f"{largest.size / 1024:.1f} KiB · {largest.size / stats['inflated_size']:.1%}"
    assert f"{readable(largest.name)}   {share}" in texts
    assert run("treemap", SAMPLES[2], "-o", path, "--raw-names").exit_code == 0
    assert f"{largest.name}   {share}" in svg_texts(path)


@pytest.mark.slow
@drawn
def test_pdf(tmp_path):
    path = tmp_path / "sizes.pdf"
    assert run("treemap", VALID / "gvas" / "ue5-1018.sav", "-o", path).exit_code == 0
    assert path.read_bytes().startswith(b"%PDF-")


@drawn
def test_nothing_was_asked_for(tmp_path):
    path = tmp_path / "sizes.png"
    result = run("treemap", SAMPLES[2], "-o", path, "--where", "class = Nobody")
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        f"streamsave: {SAMPLES[2]}: no object matches --where: no class is 'Nobody'",
        f"streamsave: {path}: not written: there is no wanted object",
    ]
    assert not path.exists()


@pytest.mark.slow
@drawn
def test_a_save_that_cannot_be_read_is_left_out(tmp_path):
    bad, path = tmp_path / "bad.sav", tmp_path / "sizes.svg"
    bad.write_bytes(SAMPLES[0].read_bytes()[:-200])
    result = run("treemap", bad, SAMPLES[2], "-o", path)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"streamsave: {bad}: ")
    assert "39.6 KiB before compression" in svg_texts(path)
    path.write_text("mine")
    assert run("treemap", bad, "-o", path).exit_code == 2
    assert path.read_text() == "mine"


@drawn
def test_side_by_side(tmp_path):
    said = []
    for jobs in ("1", "2"):
        path = tmp_path / f"{jobs}.svg"
        result = run("treemap", *SAMPLES, tmp_path / "missing.sav", "-o", path, "-j", jobs, "--where", SPAWNERS)
        said.append((result.exit_code, result.output, path.read_bytes()))
    assert said[0] == said[1]
    assert said[0][0] == 2

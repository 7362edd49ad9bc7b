"""`streamsave treemap`: what the bytes of a save are, and the file that is written."""

from __future__ import annotations

from collections import Counter

import pytest
from cli_runs import SAMPLES, json_lines, lines, run
from pictures import drawn, png_size, svg_texts
from saves import VALID

from streamsave import open as open_save
from streamsave.cli.save import Save
from streamsave.cli.text import short_class
from streamsave.cli.totals import Totals
from streamsave.cli.treemap_parts import HEADERS, OUTSIDE, REST, Part, TotalsOf, parts_of
from streamsave.query.parser import parse_selection

SPAWNERS = 'class = "*CreatureSpawner*"'


def parts(*paths, where=None) -> list[Part]:
    """What the command draws."""
    totals = Totals()
    for path in paths:
        with open_save(path) as events:
            for each in TotalsOf(None if where is None else parse_selection(where))(Save(str(path), None, events)):
                totals.add(each)
    return parts_of(totals, whole=where is None)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_parts_are_the_classes_that_ls_shows(path):
    shown = Counter({name: int(size) for name, _, size in lines("ls", "--by-class", path)})
    found = parts(path)
    assert Counter({part.name: part.size for part in found if part.name not in {HEADERS, OUTSIDE}}) == +shown
    (stats,) = json_lines("stats", path)
    assert sum(part.size for part in found) == stats["inflated_size"]
    assert [part.size for part in found] == sorted((part.size for part in found), reverse=True)


def test_properties_are_those_of_stats():
    (stats,) = json_lines("stats", "-n", 0, SAMPLES[2])
    found = Counter()
    for part in parts(SAMPLES[2]):
        if part.name not in {HEADERS, OUTSIDE}:
            assert sum(each.size for each in part.parts) == part.size
            found.update({each.name: each.size for each in part.parts})
    del found[REST]
    assert found == +Counter({row["name"]: row["size"] for row in stats["properties"]})


def test_headers_are_told_by_class():
    (headers,) = [part for part in parts(SAMPLES[2]) if part.name == HEADERS]
    assert sum(each.size for each in headers.parts) == headers.size
    classes = {short_class(row["class_name"]) for row in json_lines("ls", SAMPLES[2])}
    assert {each.name for each in headers.parts} == classes


def test_only_what_was_asked_for():
    rows = lines("ls", SAMPLES[2], "--where", SPAWNERS)
    found = {part.name: part for part in parts(SAMPLES[2], where=SPAWNERS)}
    assert found.keys() == {HEADERS, rows[0][0]}
    assert found[rows[0][0]].size == sum(int(row[3]) for row in rows)
    assert "mSpawnData" in {each.name for each in found[rows[0][0]].parts}


def test_several_saves_add_up():
    one, other, both = (
        Counter({part.name: part.size for part in parts(*paths)}) for paths in (SAMPLES[:1], SAMPLES[1:2], SAMPLES[:2])
    )
    assert both == one + other


def test_real_world(corpus):
    path = corpus / "satisfactory" / "v12-ported-sv58-250k.sav"
    shown = Counter()
    for name, _, size in lines("ls", "--by-class", "--long", path):
        shown[short_class(name)] += int(size)
    found = Counter()
    for part in parts(path):
        found[part.name] += part.size
    assert found.pop(HEADERS) > 0
    assert found.pop(OUTSIDE) > 0
    assert found == +shown


# --- the picture ---


@drawn
def test_what_is_small_is_gathered():
    from streamsave.cli.draw_treemap import gathered

    sizes = [50, 20, 12, 6, 4, 3, 3, 2]
    some = [Part(str(size), size) for size in sizes]
    assert [(part.name, part.size) for part in gathered(some, 100, 1000, 50)] == [
        ("50", 50),
        ("20", 20),
        ("12", 12),
        ("other (4)", 12),
        ("6", 6),
    ]
    assert gathered(some[:3], 100, 1000, 50) == some[:3]
    # One alone is no shorter for being called other.
    assert gathered(some[:5], 100, 1000, 50) == some[:5]


@drawn
@pytest.mark.parametrize("path", [*SAMPLES[2:], VALID / "shapez2" / "checkpoints.spz2", VALID / "arx" / "v2.1.sav"])
@pytest.mark.parametrize("size", [(1600, 1200), (500, 900)])
def test_labels_stay_in_their_rectangles(path, size):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from streamsave.cli.canvas import own_style
    from streamsave.cli.draw_treemap import draw_treemap

    with own_style():
        figure = draw_treemap(parts(path), size, "title", "subtitle").figure
        renderer = FigureCanvasAgg(figure).get_renderer()
        (axes,) = figure.axes
        texts = [text.get_window_extent(renderer) for text in axes.texts]
        boxes = [patch.get_window_extent(renderer) for patch in axes.patches]
    assert len(texts) > 5
    for number, one in enumerate(texts):
        assert not any(one.overlaps(other) for other in texts[:number]), axes.texts[number]
        # The title is above all of them.
        inside = [box for box in boxes if box.x0 <= one.x0 and one.x1 <= box.x1 and box.y0 <= one.y0 and one.y1 <= box.y1]
        assert inside or number < 2, axes.texts[number]


@drawn
@pytest.mark.parametrize("size", [(1600, 1200), (401, 999)])
def test_png(tmp_path, size):
    path = tmp_path / "sizes.png"
    result = run("treemap", SAMPLES[2], "-o", path, "--size", f"{size[0]}x{size[1]}")
    assert (result.exit_code, result.output) == (0, "")
    assert png_size(path) == size
    assert list(tmp_path.iterdir()) == [path]


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
    assert f"{largest.name}   {share}" in texts


@drawn
def test_pdf(tmp_path):
    path = tmp_path / "sizes.pdf"
    assert run("treemap", VALID / "gvas" / "ue5-1018.sav", "-o", path).exit_code == 0
    assert path.read_bytes().startswith(b"%PDF-")


@drawn
def test_nothing_was_asked_for(tmp_path):
    path = tmp_path / "sizes.png"
    result = run("treemap", SAMPLES[2], "-o", path, "--where", "class = Nobody")
    assert (result.exit_code, result.stderr) == (1, f"streamsave: {path}: not written: there is no wanted object\n")
    assert not path.exists()


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

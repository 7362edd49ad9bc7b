"""The picture of `streamsave treemap`: labels, and small parts."""

from __future__ import annotations

import pytest
from cli_runs import SAMPLES
from pictures import drawn, parts
from saves import VALID

from streamsave.cli.treemap_parts import Part


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


@pytest.mark.slow
@drawn
@pytest.mark.parametrize("path", [*SAMPLES[2:], VALID / "shapez2" / "checkpoints.spz2", VALID / "arx" / "v2.1.sav"])
@pytest.mark.parametrize("size", [(1600, 1200), (500, 900)])
def test_labels_stay_in_their_rectangles(path, size):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from streamsave.cli.canvas import own_style
    from streamsave.cli.draw_treemap import TITLE, draw_treemap

    with own_style():
        figure = draw_treemap(parts(path), size, "title", "subtitle").figure
        renderer = FigureCanvasAgg(figure).get_renderer()
        (axes,) = figure.axes
        texts = [text.get_window_extent(renderer) for text in axes.texts]
        above = [text.get_position()[1] < TITLE for text in axes.texts]
        boxes = [patch.get_window_extent(renderer) for patch in axes.patches]
    assert len(texts) > 5
    for number, one in enumerate(texts):
        assert not any(one.overlaps(other) for other in texts[:number]), axes.texts[number]
        # Title and legend are above all of them.
        inside = [box for box in boxes if box.x0 <= one.x0 and one.x1 <= box.x1 and box.y0 <= one.y0 and one.y1 <= box.y1]
        assert inside or above[number], axes.texts[number]


@drawn
@pytest.mark.parametrize("path", [SAMPLES[2], VALID / "gvas" / "palworld-0.6.sav"], ids=lambda path: path.stem)
def test_no_part_has_larger_letters_than_a_larger_part(path):
    from streamsave.cli.canvas import own_style
    from streamsave.cli.draw_treemap import TITLE, draw_treemap

    with own_style():
        (axes,) = draw_treemap(parts(path), (1600, 1200), "title", "subtitle").figure.axes
    boxes = [patch.get_bbox() for patch in axes.patches if patch.get_bbox().y0 >= TITLE]
    lettered = []
    for text in axes.texts:
        x, y = text.get_position()
        around = [box.width * box.height for box in boxes if box.x0 <= x <= box.x1 and box.y0 <= y <= box.y1]
        if y >= TITLE:
            lettered.append((min(around), text.get_fontsize()))
    sizes = [size for _, size in sorted(lettered)]
    assert sizes == sorted(sizes)
    assert len(set(sizes)) > 1


@drawn
def test_hues_of_categories_and_mods():
    from streamsave.cli.canvas import COLOURS, GREY
    from streamsave.cli.draw_treemap import colours_of
    from streamsave.report.categories import STORAGE

    some = [Part("a", 5, "MyMod"), Part("b", 9, "the game"), Part("c", 7, "storage"), Part("d", 6), Part("e", 3, "MyMod")]
    assert colours_of(some) == {"the game": GREY, "MyMod": COLOURS[0], "storage": STORAGE.light}
